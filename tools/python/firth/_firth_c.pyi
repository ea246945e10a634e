# What cffi makes of include/firth/firth.h; its types are C's.
from typing import Any

ffi: Any
lib: Any
