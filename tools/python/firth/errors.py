"""Converts errors of the library to the usual Python exceptions.

A message of the library names the place, what was expected and what was found.
It becomes the message of the exception.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from typing import Any


def plain(value: Any) -> Any:
    """Returns a NumPy scalar as a Python object, anything else unchanged.

    NumPy 2 prints the type of its scalars, which messages omit.
    """
    is_scalar = getattr(value, "shape", None) == () and hasattr(value, "item")
    return value.item() if is_scalar else value


class UnknownWordError(KeyError):
    """A word has no vector; `closest` lists words with a similar spelling.

    In firth.compat `word` is a key, which may be a whole number. If the key
    exists as the other type, `closest` contains that: "5" for 5, or 5 for "5".
    """

    def __init__(self, word: str | int,
                 closest: Sequence[str | int] = ()) -> None:
        self.word = plain(word)
        super().__init__(self.word)
        self.closest = list(closest)

    def __str__(self) -> str:
        message = f"{self.word!r} is not in the vocabulary"
        if not self.closest:
            return message
        first = self.closest[0]
        if type(first) is not type(self.word):
            kind = "str" if isinstance(first, str) else "whole numbers"
            return f"{message}, whose keys are {kind}; {first!r} is"
        return message + "; spelled like it: " + ", ".join(
            map(str, self.closest))

    def __reduce__(self) -> tuple[type, tuple[str | int, list[str | int]]]:
        return type(self), (self.word, self.closest)


class CorruptFileError(OSError, ValueError):
    """A file is truncated or damaged."""


class LossyWarning(UserWarning):
    """A file was written without words or n-grams that its format lacks."""


class InterruptedTrainingWarning(UserWarning):
    """Ctrl-C ended a training run; its result is what was learned so far."""


# The codes of include/firth/firth.h that are neither ValueError nor about a
# file. FAILED_PRECONDITION, INVALID_ARGUMENT and UNIMPLEMENTED are ValueError:
# another file or option makes the call succeed.
_KINDS: dict[int, type[Exception]] = {
    8: MemoryError,  # RESOURCE_EXHAUSTED
    11: FloatingPointError,  # OUT_OF_RANGE
    13: RuntimeError,  # INTERNAL
    15: CorruptFileError,  # DATA_LOSS
}
# Those about a file: NOT_FOUND and PERMISSION_DENIED.
_FILE_ERRORS = {5: errno.ENOENT, 7: errno.EACCES}
# Reasons that the system gives, which stand in the message.
_SYSTEM_ERRORS = {
    os.strerror(number): number
    for number in (errno.ENOENT, errno.EACCES, errno.EISDIR, errno.ENOTDIR,
                   errno.ENOSPC, errno.EFBIG, errno.EROFS, errno.EMFILE,
                   errno.EDQUOT)
}


_OPTION = re.compile(r"(?<![^\s(])--([a-z][a-z0-9-]*)")

# As the library spells an option of a call: "lossy": true.
_JSON_OPTION = re.compile(
    r'(?<!\\)"([a-z][a-z0-9-]*)": (?:(true)|(false)|(\d+|"[a-z0-9-]*"))')

# Values as JSON spells them, which Python writes in another way.
_JSON_VALUE = re.compile(r"(?<= )(?:true|false|null)(?=[ ,;)]|$)")
_PYTHON_VALUES = {"true": "True", "false": "False", "null": "None"}

# Of options of two words and more, which have "_" for "-" here.
option_names: set[str] = set()


def error_of(code: int, message: str, path: str | None = None) -> Exception:
    """Returns the exception for a status of the library.

    path: the file that the call was about, which OSError stores as `filename`
    if the message begins with it.
    """
    about, colon, rest = message.partition(": ")
    if about in option_names:
        message = about.replace("-", "_") + colon + rest
    message = _with_keywords(message)
    for reason, number in _SYSTEM_ERRORS.items():
        if reason in message:
            return _system_error(number, message, path)
    if code in _FILE_ERRORS:
        return _system_error(_FILE_ERRORS[code], message, path)
    return _KINDS.get(code, ValueError)(message)


def _with_keywords(message: str) -> str:
    """Replaces option names by keywords, except in quotes."""
    message = _JSON_OPTION.sub(_as_keyword, message)
    parts = message.split('"')
    parts[::2] = [_as_python(part) for part in parts[::2]]
    return '"'.join(parts)


def _as_python(part: str) -> str:
    part = _OPTION.sub(lambda option: option[1].replace("-", "_"), part)
    return _JSON_VALUE.sub(lambda value: _PYTHON_VALUES[value[0]], part)


def _as_keyword(option: re.Match[str]) -> str:
    name, true, false, other = option.groups()
    value = other or ("True" if true else "False")
    return f"{name.replace('-', '_')}={value}"


def _system_error(number: int, message: str, path: str | None) -> OSError:
    if path is None:
        path = message.partition(": ")[0]
    if message.startswith(path + ": "):
        message = message[len(path) + 2:]
    return OSError(number, message, path)
