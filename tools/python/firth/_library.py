"""The C library, as cffi sees it."""

try:
    from firth._firth_c import ffi as ffi, lib as lib
except ImportError as error:
    if "ISA level" not in str(error):
        raise
    raise ImportError(
        "Firth needs a processor with SSE4.2 (x86-64-v2, as most since 2009), which "
        f"this one does not have ({error})") from error
