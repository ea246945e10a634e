"""Makes the module firth._firth_c out of include/firth/firth.h with cffi.

The header is the only place where functions are declared: its comments and its
preprocessor's lines are taken out, and cffi reads what is left. The module
keeps to Python's limited interface, so that one serves every CPython from 3.11.
"""

import os
import pathlib
import re

from cffi import FFI

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get(
    "FIRTH_BUILD", ROOT / "build" / "release"), "libfirth_c.so.1")
# Describes the questions, if LIBRARY is one for another architecture.
DESCRIBING = pathlib.Path(os.environ.get("FIRTH_DESCRIBING", LIBRARY))
# Files that the library loads and that the wheel brings, and the wheel's platform:
# those of `make dist`.
CARRIED = [pathlib.Path(path)
           for path in os.environ.get("FIRTH_CARRIED", "").split()]
PLATFORM = os.environ.get("FIRTH_PLATFORM")

# The functions in Python that the library calls, of the types FirthProgress and
# FirthNextSentences.
_CALLBACKS = """
extern "Python" {
  int32_t on_progress(void *, const char *, int64_t);
  int32_t next_sentences(void *, FirthSentenceSink *);
}
"""


def declarations(header: str) -> str:
    """What cffi reads of a C header: no comments, macros and conditions."""
    plain = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    plain = re.sub(r"#ifdef __cplusplus.*?#endif", "", plain, flags=re.DOTALL)
    plain = re.sub(r"^#.*$", "", plain, flags=re.MULTILINE)
    return plain.replace("FIRTH_API ", "")


def make_ffi() -> FFI:
    """The module as cffi builds it; setup.py names this function."""
    ffi = FFI()
    header = (ROOT / "include" / "firth" / "firth.h").read_text("utf-8")
    ffi.cdef(declarations(header) + _CALLBACKS)
    ffi.set_source("firth._firth_c", '#include "firth/firth.h"',
                   py_limited_api=True, include_dirs=[str(ROOT / "include")],
                   extra_link_args=[str(LIBRARY), "-Wl,-rpath,$ORIGIN"])
    return ffi
