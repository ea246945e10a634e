"""What all modules need of the C library: statuses, texts, buffers, callbacks.

Handles are ffi.gc() objects, freed with their last reference. Texts are UTF-8;
bytes of words that are none are the surrogates of PEP 383 in a str. cffi gives
up the interpreter's lock during each call.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from operator import index
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firth._firth_c import ffi, lib
from firth.errors import error_of
from firth.progress import Report

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
_Item = TypeVar("_Item")
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
PATHS = (str, bytes, os.PathLike)
# What a training takes to end is far less; sentences may never come.
_MOST_SECONDS_AT_EXIT = 5.0
# Texts one after another, and n + 1 offsets in them.
Texts = tuple[bytes, Ids]


def check(status: Any, path: str | None = None) -> None:
    """Raises the exception for a status that is not null."""
    if not status:
        return
    code = lib.firth_status_code(status)
    message = ffi.string(lib.firth_status_message(status))
    lib.firth_status_free(status)
    raise error_of(code, message.decode("utf-8", "replace"), path)


def encode(text: str) -> bytes:
    """The bytes of a word; lone surrogates that stand for none are kept."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except AttributeError:
        raise TypeError(
            f"expected a str, found {type(text).__name__}") from None
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def listed(items: Iterable[_Item], name: str) -> list[_Item]:
    """Items in a list. A str is a TypeError: its characters are no items."""
    if isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise TypeError(
            f"{name}: expected a list, found {type(items).__name__}")
    return list(items)


def whole(value: Any, name: str) -> int:
    """A number of things. Raises TypeError of what is no whole number."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, found "
                        + type(value).__name__) from None


def checked_handle(handle: Any, kind: str, made_by: str) -> Any:
    """A handle. Raises TypeError of anything else, as who calls a class."""
    if isinstance(handle, ffi.CData):
        return handle
    raise TypeError(f"{kind} cannot be constructed directly; {made_by}")


def decode(text: bytes) -> str:
    """The word that some bytes are."""
    return text.decode("utf-8", "surrogateescape")


def join(texts: list[str]) -> Texts:
    """A list of texts as the library takes it.

    One call encodes all of them. Where characters have several bytes, those
    that are not 10xxxxxx begin one, which tells where a text begins.
    """
    try:
        joined = "".join(texts)
    except TypeError:
        number, other = next((i, text) for i, text in enumerate(texts)
                             if not isinstance(text, str))
        raise TypeError(f"item {number}: expected a str, found "
                        + type(other).__name__) from None
    offsets = offsets_of(texts)
    try:
        content = joined.encode()
    except UnicodeEncodeError:
        encoded = list(map(encode, texts))
        return b"".join(encoded), offsets_of(encoded)
    if len(content) != len(joined):
        starts = np.flatnonzero(
            np.frombuffer(content, np.uint8) & 0xC0 != 0x80)
        offsets = np.append(starts, len(content))[offsets]
    return content, offsets


def offsets_of(parts: Sequence[Sized]) -> Ids:
    """Where each of some parts begins, and where the last ends: [n + 1]."""
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)),
              out=offsets[1:])
    return offsets


def as_ids(numbers: NDArray[Any]) -> Ids:
    """Whole numbers of any type as int64, without another sign."""
    if numbers.dtype == np.uint64:
        for number in numbers[numbers > np.iinfo(np.int64).max][:1]:
            raise ValueError("words: an id must be below the number of "
                             f"words, found {number}")
    return np.ascontiguousarray(numbers, np.int64)


def ints(array: NDArray[Any]) -> Any:
    """An array of int64, lent to C."""
    return ffi.from_buffer("int64_t[]", array)


def rows_of(values: ArrayLike, name: str) -> Floats:
    """Numbers as float32 without gaps. Raises TypeError of other things."""
    array = np.asarray(values)
    if array.dtype.kind in "cmMSU":
        raise TypeError(f"{name}: expected real numbers, found {array.dtype}")
    return np.ascontiguousarray(array, np.float32)


def floats(array: NDArray[Any]) -> Any:
    """An array of float32, lent to C."""
    return ffi.from_buffer("float[]", array)


def view(pointer: Any, size: int, owner: object) -> memoryview:
    """Memory that `owner` lends, in bytes, for as long as anyone looks at it.

    It cannot be made writable: files are mapped read-only.
    """
    if size == 0:
        return memoryview(b"")
    # The buffer keeps the pointer, and the pointer's destructor the owner.
    kept = ffi.gc(pointer, lambda _, owner=owner: None)
    return memoryview(ffi.buffer(kept, size)).toreadonly()


def buffer_view(out: Any) -> memoryview:
    """What a FirthBuffer ** was filled with, without a copy."""
    buffer = ffi.gc(out[0], lib.firth_buffer_free)
    size = lib.firth_buffer_size(buffer)
    return view(ffi.cast("char *", lib.firth_buffer_data(buffer)), size, buffer)


def buffer_json(out: Any) -> Any:
    """What a FirthBuffer ** was filled with, as JSON."""
    return json.loads(bytes(buffer_view(out)).decode("utf-8", "replace"))


class Watch:
    """What the library calls back during one call, and what came of it.

    Exceptions cannot cross C: the first one asks the work to end, is kept, and
    is raised when the library has returned.
    """

    def __init__(self, report: Report,
                 batches: Iterator[tuple[Texts, Ids]] | None = None) -> None:
        self._report = report
        self._batches = batches
        self.context = ffi.new_handle(self)
        self.interrupted = False
        self.error: BaseException | None = None

    def tell(self, event: bytes) -> int:
        """Hands an event on; a report that returns True asks to stop."""
        if _ending.is_set():
            return 1
        if not event:
            return 0
        fields = json.loads(event.decode("utf-8", "replace"))
        return int(self._report(fields) is True)

    def next_sentences(self, sink: Any) -> None:
        """Hands the next sentences over; none at the end."""
        assert self._batches is not None
        for (text, offsets), sentences in self._batches:
            check(lib.firth_sentence_sink_add(
                sink, text, ints(offsets), ints(sentences), len(sentences) - 1))
            return

    def keep(self, error: BaseException) -> None:
        """Keeps the exception that ends the work."""
        if isinstance(error, KeyboardInterrupt):
            self.interrupted = True
        elif self.error is None:
            self.error = error

    def run(self, call: Callable[[Watch], Any], *, path: str | None = None,
            partial: bool = False) -> None:
        """Makes the call, which returns a status, and raises what came up.

        path: the file of an OSError. partial: Ctrl-C may end the call with a
        result, and nothing is raised where it has. Other calls may be over when
        it comes: it is raised.
        """
        _running.add(self)
        try:
            status = call(self)
        finally:
            _running.discard(self)
        if self.error is not None or (
                self.interrupted and (status or not partial)):
            lib.firth_status_free(status)
            raise self.error or KeyboardInterrupt
        check(status, path)


_running: set[Watch] = set()
_ending = threading.Event()
os.register_at_fork(after_in_child=_running.clear)


@atexit.register
def _end_running() -> None:
    """Ends the long calls of daemon threads before Python ends.

    A thread that calls back then would be ended in the midst of the library,
    which would take the process down.
    """
    _ending.set()
    latest = time.monotonic() + _MOST_SECONDS_AT_EXIT
    while _running and time.monotonic() < latest:
        time.sleep(0.01)


@contextmanager
def freed_on_error(out: Any, free: Callable[[Any], None]) -> Iterator[None]:
    """Frees what the library has filled `out` with if the block raises."""
    try:
        yield
    except BaseException:
        free(out[0])
        raise


def _pass_over(event: dict[str, Any]) -> None:
    """A report that nobody reads."""


def interruptible(call: Callable[[Watch], Any], *, path: str | None = None,
                  out: Any = None,
                  free: Callable[[Any], None] = lib.firth_buffer_free,
                  report: Report = _pass_over) -> None:
    """Makes a call, which Ctrl-C ends with KeyboardInterrupt.

    out: what the call fills with a handle, or None; free: what frees that where
    the call is interrupted when it is over. report: is given the events.
    """
    watch = Watch(report)
    if out is None:
        watch.run(call, path=path)
        return
    with freed_on_error(out, free):
        watch.run(call, path=path)


# Ctrl-C raises where Python code begins to run, which may be before the first
# line of a callback: what all exceptions pass is this.
def _keep_error(kind: type[BaseException], error: BaseException,
                traceback: TracebackType | None) -> None:
    del kind
    if traceback is not None:
        context = traceback.tb_frame.f_locals["context"]
        ffi.from_handle(context).keep(error)


@ffi.def_extern(error=1, onerror=_keep_error)  # type: ignore[misc]
def on_progress(context: Any, event: Any, size: int) -> int:
    """The library's FirthProgress."""
    watch: Watch = ffi.from_handle(context)
    return watch.tell(ffi.unpack(event, size) if event else b"")


@ffi.def_extern(error=1, onerror=_keep_error)  # type: ignore[misc]
def next_sentences(context: Any, sink: Any) -> int:
    """The library's FirthNextSentences."""
    watch: Watch = ffi.from_handle(context)
    watch.next_sentences(sink)
    return 0
