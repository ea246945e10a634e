"""Training in two steps as in gensim: first the words, then the vectors.

Texts become ids when the words are counted, and training uses the ids, so the
sentences are not needed a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from firth import _native
from firth._library import ffi, lib
from firth._native import PATHS, check
from firth.compat.callbacks import CallbackAny2Vec
from firth.compat.keyed_vectors import KeyedVectors
from firth.compat.keys import marked
from firth.compat.texts import LineSentence
from firth.sentences import Kind
from firth.training import read_corpus, train_on
from firth.vectors import Vectors


# What gensim calls an option, and what Firth does.
NAMES = {
    "vector_size": "dim",
    "window": "window",
    "min_count": "min_count",
    "max_final_vocab": "max_vocab",
    "sample": "sample",
    "seed": "seed",
    "workers": "threads",
    "epochs": "epochs",
    "alpha": "learning_rate",
    "min_alpha": "min_learning_rate",
}
# Those that the file of a model does not tell.
_MORE_NAMES = {"ns_exponent": "noise_exponent", "bucket": "buckets",
               "shrink_windows": "dynamic_window"}


@contextmanager
def named_as_gensim_does() -> Iterator[None]:
    """Makes errors about options begin with gensim's name of the option."""
    try:
        yield
    except ValueError as error:
        about, colon, rest = str(error).partition(": ")
        for theirs, ours in {**NAMES, **_MORE_NAMES}.items():
            if colon and about == ours != theirs:
                raise type(error)(f"{theirs}: {rest}") from None
        raise


class Corpus:
    """A text as ids, with its words and their counts."""

    def __init__(self, source: Any, options: Mapping[str, Any],
                 model: Any = None, whole: bool | None = None) -> None:
        """Reads a text.

        source: a path, or sentences, which are iterated once. model: the handle
        of a model to continue, whose words are all kept. whole: whether the
        words must be whole numbers; if None, all must be of the same kind as
        the first. Raises the errors of firth.train() about texts, and TypeError
        for mixed kinds.
        """
        if isinstance(source, LineSentence):
            source = source.files() or source
        if whole and isinstance(source, PATHS):
            raise TypeError(
                "corpus_file: the keys of the model are whole numbers, but "
                "the words of a file are str; pass sentences of whole numbers")
        kind = Kind(whole)
        with named_as_gensim_does():
            self._handle = read_corpus(
                source, False, options, ("train",), model, kind)
        self.whole = bool(kind.whole)
        self.description: dict[str, Any] = _native.json_of(
            lib.firth_corpus_describe, self._handle)

    def words(self) -> list[str]:
        """The words that are kept, most frequent first."""
        return words_in(self._handle)

    def counts(self) -> list[int]:
        """The number of occurrences of each word."""
        return counts_in(self._handle)

    def train(self, options: Mapping[str, Any], start: Vectors | None,
              report: Callable[[dict[str, Any]], object]) -> Vectors:
        """Trains vectors.

        start: vectors to start from. report: receives progress like the
        `progress` of firth.train().
        """
        with named_as_gensim_does():
            handle, told = train_on(
                self._handle, report, options,
                start._handle if start is not None else None)
        return marked(Vectors(handle, report=told), self.whole)


def words_in(corpus: Any) -> list[str]:
    """Returns the words of a FirthCorpus, most frequent first."""
    text = ffi.new("const char **")
    offsets = ffi.new("const int64_t **")
    count = ffi.new("int64_t *")
    check(lib.firth_corpus_words(corpus, text, offsets, count))
    ends = ffi.unpack(offsets[0], count[0] + 1)
    content = ffi.unpack(text[0], ends[-1])
    return [_native.decode(content[begin:end])
            for begin, end in zip(ends, ends[1:])]


def counts_in(corpus: Any) -> list[int]:
    """Returns the number of occurrences of each word of a FirthCorpus."""
    counts = ffi.new("const int64_t **")
    check(lib.firth_corpus_counts(corpus, counts))
    described = _native.json_of(lib.firth_corpus_describe, corpus)
    known: list[int] = ffi.unpack(counts[0], described["types_kept"])
    return known


class Epochs:
    """Calls callbacks for each epoch, driven by the events of training.

    Training waits while it reports the end of an epoch. The callbacks for that
    end and for the beginning of the next epoch are called then, with the
    vectors of the epoch.
    """

    def __init__(self, model: Any, callbacks: Iterable[CallbackAny2Vec],
                 epochs: int, whole: bool = False) -> None:
        """whole: whether the words are the digits of whole numbers."""
        self._model = model
        self._callbacks = list(callbacks)
        self._epochs = epochs
        self._whole = whole
        self._losses: list[float] = []
        self._vectors: KeyedVectors | None = None
        self._is_told = False  # of an epoch, just now
        model.running_training_loss = 0.0

    def begin(self) -> None:
        """Calls the callbacks that precede the first epoch."""
        self._call("on_epoch_begin")

    def tell(self, event: dict[str, Any]) -> None:
        """Handles an event of training."""
        if event["event"] != "epoch":
            return
        self._vectors = None
        self._is_told = True
        try:
            self._end(event["loss"])
            if len(self._losses) < self._epochs:
                self._call("on_epoch_begin")
        finally:
            self._is_told = False

    def finish(self, report: Mapping[str, Any]) -> None:
        """Ends an interrupted epoch, whose loss is in the report."""
        for loss in report["loss"][len(self._losses):]:
            self._end(loss)

    def vectors(self) -> KeyedVectors | None:
        """Returns the vectors after the latest epoch.

        Returns None before its end, and if no callback has requested them.
        """
        if self._vectors is None and self._is_told:
            table = Vectors(_native.created(
                "FirthVectors", lib.firth_epoch_vectors))
            if table.has_subwords:
                table = table._annotated({
                    "min-n": str(self._model.min_n),
                    "max-n": str(self._model.max_n),
                    "buckets": str(self._model.bucket)})
            self._vectors = KeyedVectors.of(marked(table, self._whole))
        return self._vectors

    def _end(self, loss: float) -> None:
        self._losses.append(loss)
        self._model.running_training_loss += loss
        self._call("on_epoch_end")

    def _call(self, name: str) -> None:
        for callback in self._callbacks:
            getattr(callback, name)(self._model)
