"""Common code for calling the C library: statuses, texts, callbacks.

Handles are ffi.gc() objects, freed with their last reference. Texts are UTF-8;
in a str, invalid bytes of words are the surrogates of PEP 383. cffi releases
the interpreter lock during each call.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence, Sized as HasLength
from operator import index
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firth._library import ffi, lib
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
# A text and its size, which are two arguments of a call.
Sized = tuple[bytes, int]
# Types of objects, and the functions that free them.
_FREE = {
    "FirthBuffer": lib.firth_buffer_free,
    "FirthClassifier": lib.firth_classifier_free,
    "FirthCorpus": lib.firth_corpus_free,
    "FirthDocuments": lib.firth_documents_free,
    "FirthLabelledTexts": lib.firth_labelled_texts_free,
    "FirthLanguageModel": lib.firth_language_model_free,
    "FirthModels": lib.firth_models_free,
    "FirthSeq2Seq": lib.firth_seq2seq_free,
    "FirthSearch": lib.firth_search_free,
    "FirthSentenceEncoder": lib.firth_sentence_encoder_free,
    "FirthTagger": lib.firth_tagger_free,
    "FirthVectors": lib.firth_vectors_free,
}


def check(status: Any, path: Path | None = None) -> None:
    """Raises the exception for a status that is not null.

    path: the file that the call was about, for OSError.
    """
    if not status:
        return
    code = lib.firth_status_code(status)
    message = ffi.string(lib.firth_status_message(status))
    lib.firth_status_free(status)
    raise error_of(code, message.decode("utf-8", "replace"),
                   None if path is None else os.fsdecode(path))


def created(kind: str, function: Any, *arguments: Any,
            path: Path | None = None) -> Any:
    """Returns the object that a call creates, freed with its last reference.

    kind: its type. function: takes the arguments and then the output. path: as
    for check().
    """
    out = ffi.new(kind + " **")
    check(function(*arguments, out), path)
    return ffi.gc(out[0], _FREE[kind])


def json_of(function: Any, *arguments: Any) -> Any:
    """Returns the JSON that a call creates, parsed."""
    return buffer_json(created("FirthBuffer", function, *arguments))


def named(path: Path) -> Sized:
    """Returns the name of a file as a call expects it."""
    name = os.fsencode(path)
    return name, len(name)


def encode(text: str) -> bytes:
    """Returns the bytes of a word; lone surrogates are kept."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except AttributeError:
        raise TypeError(
            f"expected a str, found {type(text).__name__}") from None
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def listed(items: Iterable[_Item], name: str) -> list[_Item]:
    """Returns items as a list. Raises TypeError for a str."""
    if isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise TypeError(
            f"{name}: expected a list, found {type(items).__name__}")
    return list(items)


def whole(value: Any, name: str) -> int:
    """Returns a whole number. Raises TypeError for other values."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, found "
                        + type(value).__name__) from None


def checked_handle(handle: Any, kind: str, made_by: str) -> Any:
    """Returns a handle. Raises TypeError for other values."""
    if isinstance(handle, ffi.CData):
        return handle
    raise TypeError(f"{kind} cannot be constructed directly; {made_by}")


def decode(text: bytes) -> str:
    """Returns the word with these bytes."""
    return text.decode("utf-8", "surrogateescape")


def join(texts: list[str]) -> Texts:
    """Returns a list of texts in the form that the library expects.

    One call encodes all of them. If some characters have several bytes, the
    bytes that are not 10xxxxxx begin a character, which locates the beginning
    of each text.
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


def offsets_of(parts: Sequence[HasLength]) -> Ids:
    """Returns where each part begins, and where the last ends: [n + 1]."""
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)),
              out=offsets[1:])
    return offsets


def as_ids(numbers: NDArray[Any]) -> Ids:
    """Returns whole numbers of any type as int64, with the same sign."""
    if numbers.dtype == np.uint64:
        for number in numbers[numbers > np.iinfo(np.int64).max][:1]:
            raise ValueError("words: an id must be below the number of "
                             f"words, found {number}")
    return np.ascontiguousarray(numbers, np.int64)


def ints(array: NDArray[Any]) -> Any:
    """Passes an array of int64 to C."""
    return ffi.from_buffer("int64_t[]", array)


def rows_of(values: ArrayLike, name: str) -> Floats:
    """Returns numbers as contiguous float32. Raises TypeError for others."""
    array = np.asarray(values)
    if array.dtype.kind in "cmMSU":
        raise TypeError(f"{name}: expected real numbers, found {array.dtype}")
    return np.ascontiguousarray(array, np.float32)


def floats(array: NDArray[Any]) -> Any:
    """Passes an array of float32 to C."""
    return ffi.from_buffer("float[]", array)


def view(pointer: Any, size: int, owner: object) -> memoryview:
    """Returns memory of `owner` as bytes, and keeps the owner alive.

    The view cannot be made writable, since files are mapped read-only.
    """
    if size == 0:
        return memoryview(b"")
    # The buffer keeps the pointer, and the pointer's destructor the owner.
    kept = ffi.gc(pointer, lambda _, owner=owner: None)
    return memoryview(ffi.buffer(kept, size)).toreadonly()


def buffer_view(buffer: Any) -> memoryview:
    """Returns the content of a FirthBuffer without a copy."""
    size = lib.firth_buffer_size(buffer)
    return view(ffi.cast("char *", lib.firth_buffer_data(buffer)), size, buffer)


def buffer_json(buffer: Any) -> Any:
    """Returns the content of a FirthBuffer, parsed as JSON."""
    return json.loads(bytes(buffer_view(buffer)).decode("utf-8", "replace"))


def _pass_over(event: dict[str, Any]) -> None:
    """Ignores an event."""


class Watch:
    """State of the callbacks of the library during one call.

    Exceptions cannot cross C code. The first one asks the work to end and is
    stored, and is raised after the library has returned.
    """

    def __init__(self, report: Report = _pass_over,
                 batches: Iterator[tuple[Texts, Ids]] | None = None) -> None:
        self._report = report
        self._batches = batches
        self.context = ffi.new_handle(self)
        self.interrupted = False
        self.error: BaseException | None = None

    def tell(self, event: bytes) -> int:
        """Passes an event to the report, which requests a stop by True."""
        if _ending.is_set():
            return 1
        if not event:
            return 0
        fields = json.loads(event.decode("utf-8", "replace"))
        return int(self._report(fields) is True)

    def next_sentences(self, sink: Any) -> None:
        """Passes the next sentences to the library, or none at the end."""
        assert self._batches is not None
        for (text, offsets), sentences in self._batches:
            check(lib.firth_sentence_sink_add(
                sink, text, ints(offsets), ints(sentences), len(sentences) - 1))
            return

    def keep(self, error: BaseException) -> None:
        """Stores the exception that ends the work."""
        if isinstance(error, KeyboardInterrupt):
            self.interrupted = True
        elif self.error is None:
            self.error = error

    def run(self, function: Any, *arguments: Any, creates: Sequence[str] = (),
            results: Sequence[Any] = (), path: Path | None = None,
            partial: bool = False) -> list[Any]:
        """Makes a call, raises stored exceptions, and returns new objects.

        function: takes the arguments, the callback and its context, `results`,
        and an output for each type in `creates`. path: as for check(). partial:
        Ctrl-C may end the call with a result, and then nothing is raised. Other
        calls may already be finished when Ctrl-C arrives; KeyboardInterrupt is
        raised nevertheless, and new objects are freed.
        """
        outs = [ffi.new(kind + " **") for kind in creates]
        try:
            _running.add(self)
            try:
                status = function(*arguments, lib.on_progress, self.context,
                                  *results, *outs)
            finally:
                _running.discard(self)
            if self.error is not None or (
                    self.interrupted and (status or not partial)):
                lib.firth_status_free(status)
                raise self.error or KeyboardInterrupt
            check(status, path)
        except BaseException:
            for kind, out in zip(creates, outs):
                _FREE[kind](out[0])
            raise
        return [ffi.gc(out[0], _FREE[kind])
                for kind, out in zip(creates, outs)]


_running: set[Watch] = set()
_ending = threading.Event()
os.register_at_fork(after_in_child=_running.clear)


@atexit.register
def _end_running() -> None:
    """Ends the long calls of daemon threads before Python exits.

    A thread that runs a callback after that would be terminated inside the
    library, which would crash the process.
    """
    _ending.set()
    latest = time.monotonic() + _MOST_SECONDS_AT_EXIT
    while _running and time.monotonic() < latest:
        time.sleep(0.01)


def interruptible(function: Any, *arguments: Any, creates: str = "",
                  results: Sequence[Any] = (), path: Path | None = None,
                  report: Report = _pass_over) -> Any:
    """Makes a call that Ctrl-C ends with KeyboardInterrupt.

    creates: the type of the object that the call creates, which is returned, or
    "". report: receives the events. The other arguments are those of
    Watch.run().
    """
    kinds = [creates] if creates else []
    made = Watch(report).run(function, *arguments, creates=kinds,
                             results=results, path=path)
    return made[0] if made else None


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
