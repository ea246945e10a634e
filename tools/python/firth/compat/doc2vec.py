"""gensim's Doc2Vec: its arguments and attributes over Firth's documents."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from firth._native import PATHS, Path
from firth.compat.attributes import KeepsAttributes
from firth.compat.callbacks import CallbackAny2Vec
from firth.compat.entries import Floats
from firth.compat.keyed_vectors import KeyedVectors
from firth.compat.keys import kind_of, marked, word_of
from firth.compat.learning import (
    NAMES, Epochs, counts_in, named_as_gensim_does, words_in)
from firth.compat.texts import open_text
from firth.compat.word2vec import NEGATIVE, refuse, type_of
from firth.documents import DocumentCorpus, Documents
from firth.instead import Instead
from firth.progress import warn
from firth.sentences import Kind
from firth.vectors import Vectors

_WHOLE_TAGS = {"keys": "whole-numbers"}


class TaggedDocument(NamedTuple):
    """A document: a list of words, and a list of tags.

    Tags are str or whole numbers; all tags of a model are of the same kind.
    """

    words: list[str]
    tags: list[Any]

    def __str__(self) -> str:
        return f"{type(self).__name__}<{self.words}, {self.tags}>"


class TaggedLineDocument:
    """The lines of a text as documents, whose tags are 0, 1, 2...

    source: a path, or an open file, which must be seekable. Each iteration
    starts anew.
    """

    def __init__(self, source: Any) -> None:
        self.source = source

    def __iter__(self) -> Iterator[TaggedDocument]:
        if hasattr(self.source, "seek"):
            self.source.seek(0)
            yield from self._documents(self.source)
        else:
            with open_text(self.source) as lines:
                yield from self._documents(lines)

    def _documents(self, lines: Any) -> Iterator[TaggedDocument]:
        for number, line in enumerate(lines):
            text = line.decode("utf8") if isinstance(line, bytes) else line
            yield TaggedDocument(text.split(), [number])


class _Tagged:
    """Documents with their tags, which are read once."""

    def __init__(self, source: Any, options: dict[str, Any]) -> None:
        self.tags: list[list[str]] = []
        self.whole: bool | None = None  # Whether tags are whole numbers.
        kind = Kind()
        with named_as_gensim_does():
            self._corpus = DocumentCorpus(
                source if isinstance(source, PATHS) else self._words_of(source),
                options, kind=kind)
        if isinstance(source, PATHS):
            self.tags = [[str(i)] for i in range(self._corpus.size)]
            self.whole = True
        self.description = self._corpus.description
        self.words = words_in(self._corpus.handle)
        self.counts = counts_in(self._corpus.handle)

    def _words_of(self, documents: Iterable[Any]) -> Iterator[Any]:
        for number, document in enumerate(documents):
            try:
                words, tags = document.words, document.tags
            except AttributeError:
                raise TypeError(
                    f"document {number}: expected a TaggedDocument, found "
                    f"{type(document).__name__}") from None
            if isinstance(tags, str):
                raise TypeError(
                    f"document {number}: tags: expected a list, found the str "
                    f"{tags!r}")
            given = list(tags)
            try:
                self.whole = kind_of(given, self.whole)
            except TypeError as error:
                raise TypeError(f"document {number}: tags: {error}") from None
            self.tags.append(list(map(word_of, given)))
            yield words

    def num_words(self) -> int:
        return int(self.description["tokens"])

    def all_tags(self) -> list[str]:
        """The distinct tags, in the order of their appearance."""
        return list(dict.fromkeys(itertools.chain.from_iterable(self.tags)))

    def train(self, options: dict[str, Any],
              report: Callable[[dict[str, Any]], object]) -> Documents:
        with named_as_gensim_does():
            return self._corpus.train(self.tags, options, report)


def _counted(texts: _Tagged) -> list[tuple[str, int]]:
    return sorted(zip(texts.words, texts.counts, strict=True))


class Doc2Vec(KeepsAttributes, Instead):
    """Vectors of documents trained on words with tags.

        model = Doc2Vec(documents, vector_size=100, epochs=20)
        model.dv["a tag"]                 # a KeyedVectors
        model.infer_vector(["some", "words"])

    Documents are read once, so a generator is sufficient. infer_vector() returns
    the same vector each time. A trained model cannot be trained further. hs=1
    trains hierarchical softmax only. Without dm and dbow_words, the vectors of
    words are zero. Arguments that tune gensim's threads have no effect.
    """

    _ENTRY = "model-attributes"
    _LEFT_OUT = frozenset({"total_train_time"})
    max_vocab_size = None
    hashfxn = hash
    dm_concat, dm_tag_count = 0, 1

    _INSTEAD = {
        "most_similar": "use model.dv.most_similar(), or model.wv for words",
        "similarity": "use model.dv.similarity()",
        "doesnt_match": "use model.dv.doesnt_match()",
        "syn0": "use model.wv.vectors",
        "scan_vocab": "build_vocab() counts and selects the words",
        "build_vocab_from_freq":
            "Doc2Vec counts the words of the documents itself",
        "estimate_memory": "\"firth documents train\" prints the memory before "
                           "training",
        "reset_from": "a new Doc2Vec reads the documents itself",
        "similarity_unseen_docs": "compare two results of infer_vector()",
        "estimated_lookup_memory": "tags take a few bytes each",
    }

    def __init__(
            self, documents: Iterable[Any] | None = None,
            corpus_file: Path | None = None, vector_size: int = 100,
            dm_mean: int | None = None, dm: int = 1, dbow_words: int = 0,
            dm_concat: int = 0, dm_tag_count: int = 1, dv: Any = None,
            dv_mapfile: Any = None, comment: str | None = None,
            trim_rule: Any = None,
            callbacks: Iterable[CallbackAny2Vec] = (), window: int = 5,
            epochs: int = 10, shrink_windows: bool = True, *,
            alpha: float = 0.025, min_alpha: float = 0.0001,
            min_count: int = 5, max_vocab_size: int | None = None,
            sample: float = 0.001, seed: int = 1, workers: int = 3,
            hs: int = 0, negative: int = NEGATIVE, ns_exponent: float = 0.75,
            hashfxn: Callable[[str], int] = hash,
            max_final_vocab: int | None = None, sorted_vocab: int = 1,
            batch_words: int = 10000, compute_loss: bool = False) -> None:
        refuse(dm_concat=(dm_concat, 0, "the context is a mean, or with "
                                        "dm_mean=0 a sum"),
               dv=(dv, None, "the vectors of tags start from random ones"),
               dv_mapfile=(dv_mapfile, None, "save() writes a file that is "
                                             "mapped when it is opened"),
               max_vocab_size=(max_vocab_size, None,
                               "max_final_vocab limits the words"),
               trim_rule=(trim_rule, None, "min_count and max_final_vocab "
                                           "select the words"),
               sorted_vocab=(sorted_vocab, 1, "words are always sorted by "
                                              "count"))
        if hashfxn is not hash:
            warn("hashfxn: has no effect; seeds do not depend on the machine")
        del dm_tag_count
        self.vector_size, self.window = vector_size, window
        self.alpha, self.min_alpha = alpha, min_alpha
        self.min_count, self.max_final_vocab = min_count, max_final_vocab
        self.sample, self.seed, self.workers = sample, seed, workers
        self.dm, self.dbow_words = int(bool(dm)), int(bool(dbow_words))
        self.dm_mean = 1 if dm_mean is None else int(bool(dm_mean))
        self.hs, self.negative = int(hs), negative
        self.ns_exponent = ns_exponent
        if hs and negative is NEGATIVE:
            warn("hs=1 trains only hierarchical softmax, as with negative=0; "
                 "gensim also draws 5 negative samples")
            self.negative = 0
        self.epochs, self.shrink_windows = epochs, bool(shrink_windows)
        self.comment, self.batch_words = comment, batch_words
        self.compute_loss = compute_loss
        self.layer1_size, self.effective_min_count = vector_size, min_count
        with named_as_gensim_does():
            self._begin()
        self._options()
        if documents is not None or corpus_file is not None:
            self.build_vocab(documents, corpus_file)
            self.train(documents, corpus_file,
                       total_examples=self.corpus_count, epochs=self.epochs,
                       callbacks=callbacks)

    def _begin(self) -> None:
        """Sets the state of a model without any data."""
        self.corpus_count = 0
        self.corpus_total_words = 0
        self.running_training_loss = 0.0
        self.total_train_time = 0.0
        self._epochs: Epochs | None = None  # of a training under way
        self._texts: _Tagged | None = None
        self._source: Any = None
        self._model: Documents | None = None
        self._wv = KeyedVectors(self.vector_size)
        self._dv = KeyedVectors(self.vector_size)

    def _options(self) -> dict[str, Any]:
        """Returns the options of a training run, by Firth's names."""
        if bool(self.hs) == (self.negative > 0):
            raise NotImplementedError(
                "hs, negative: use hs=1 with negative=0, or hs=0 with "
                f"negative=1 or more; found hs={self.hs} and "
                f"negative={self.negative}")
        options = {theirs: getattr(self, ours)
                   for ours, theirs in NAMES.items()}
        if options["min_count"] == 0:  # keeps every word in gensim
            options["min_count"] = 1
        options["arch"] = "dm" if self.dm else "dbow"
        options["loss"] = "hs" if self.hs else "ns"
        if self.dm:
            options["dm_context"] = "mean" if self.dm_mean else "sum"
        else:
            options["train_words"] = bool(self.dbow_words)
        if not self.hs:
            options["negative"] = self.negative
            options["noise_exponent"] = self.ns_exponent
        options["dynamic_window"] = self.shrink_windows
        return options

    # --- Learning. ---

    @property
    def dbow(self) -> bool:
        """Whether the vectors of tags alone predict words."""
        return not self.dm

    @property
    def wv(self) -> KeyedVectors:
        """The words and their vectors, which are random before training."""
        if self._epochs is not None:
            raise RuntimeError("wv: the vectors of words are available after "
                               "training; dv has those of the tags")
        return self._wv

    @property
    def dv(self) -> KeyedVectors:
        """The tags and their vectors, which are random before training.

        In callbacks about epochs it is a copy of what has been learned so far.
        """
        if self._epochs is not None:
            vectors = self._epochs.vectors()
            if vectors is not None:
                return vectors
        return self._dv

    docvecs = dv

    def build_vocab(self, corpus_iterable: Iterable[Any] | None = None,
                    corpus_file: Path | None = None, update: bool = False,
                    progress_per: int = 10000, keep_raw_vocab: bool = False,
                    trim_rule: Any = None) -> None:
        """Reads documents, and selects the words to train.

        Raises TypeError, ValueError, OSError, RuntimeError.
        """
        del progress_per
        refuse(update=(update, False, "train a new model on all documents"),
               keep_raw_vocab=(keep_raw_vocab, False,
                               "rare words are dropped"),
               trim_rule=(trim_rule, None, "min_count and max_final_vocab "
                                           "select the words"))
        self._read(_one_source(corpus_iterable, corpus_file))
        self._model = None

    def _read(self, source: Any) -> _Tagged:
        return self._keep(_Tagged(source, self._options()), source)

    def _read_again(self, known: _Tagged, source: Any) -> _Tagged:
        """Reads documents in another object or order than `known`."""
        texts = _Tagged(source, self._options())
        if (_counted(texts) != _counted(known)
                or sorted(texts.all_tags()) != sorted(known.all_tags())):
            raise ValueError(
                "expected the documents of build_vocab(), in any order, found "
                "other words or tags; Doc2Vec(documents) and build_vocab() "
                "prepare a model for other documents")
        return self._keep(texts, source)

    def _keep(self, texts: _Tagged, source: Any) -> _Tagged:
        self._texts, self._source = texts, source
        self.corpus_count = len(texts.tags)
        self.corpus_total_words = texts.num_words()
        self._wv = KeyedVectors.of(
            self._random(texts.words, self.seed, texts.counts))
        self._dv = KeyedVectors.of(marked(
            self._random(texts.all_tags(), self.seed + 1), texts.whole))
        return texts

    def _random(self, names: list[str], seed: int,
                counts: list[int] | None = None) -> Vectors:
        rows = np.random.default_rng(seed).random(
            (len(names), self.vector_size), np.float32)
        return Vectors.from_arrays(
            names, (2 * rows - 1) / self.vector_size, counts)

    def train(self, corpus_iterable: Iterable[Any] | None = None,
              corpus_file: Path | None = None,
              total_examples: int | None = None,
              total_words: int | None = None, epochs: int | None = None,
              start_alpha: float | None = None, end_alpha: float | None = None,
              word_count: int = 0, queue_factor: int = 2,
              report_delay: float = 1.0,
              callbacks: Iterable[CallbackAny2Vec] = (),
              **kwargs: Any) -> None:
        """Trains on documents, once.

        They are those of build_vocab(), in any order, and are not read again if
        the same object is passed. total_examples or total_words, and epochs, must be given as in
        gensim; the former are not used. Raises RuntimeError if there are no
        words or the model is trained already, ValueError, TypeError, OSError.
        """
        del queue_factor, report_delay, kwargs
        refuse(word_count=(word_count, 0, "each call starts from the "
                                          "beginning"))
        if total_examples is None and total_words is None:
            raise ValueError("pass total_examples or total_words, such as "
                             "total_examples=model.corpus_count")
        if epochs is None:
            raise ValueError("pass epochs, such as epochs=model.epochs")
        if self._model is not None:
            raise RuntimeError(
                "the model is trained already and cannot be trained further; "
                "pass all epochs to one call of train(), in which alpha falls "
                "to min_alpha")
        source = _one_source(corpus_iterable, corpus_file)
        if self._texts is None:
            raise RuntimeError("there are no words; call build_vocab() first")
        texts = (self._texts if source is self._source
                 else self._read_again(self._texts, source))
        self._learn(texts, {
            **self._options(), "epochs": epochs,
            "learning_rate": start_alpha or self.alpha,
            "min_learning_rate": end_alpha or self.min_alpha},
            list(callbacks))

    def _learn(self, texts: _Tagged, options: dict[str, Any],
               callbacks: Sequence[CallbackAny2Vec]) -> None:
        began = time.monotonic()
        for callback in callbacks:
            callback.on_train_begin(self)
        self._epochs = Epochs(self, callbacks, options["epochs"],
                              bool(texts.whole))
        try:
            self._epochs.begin()
            model = texts.train(options, self._epochs.tell)
            self._epochs.finish(model.report or {})
        finally:
            self._epochs = self._texts = self._source = None
        self._take(model._annotated(_WHOLE_TAGS) if texts.whole else model)
        self.total_train_time += time.monotonic() - began
        for callback in callbacks:
            callback.on_train_end(self)

    def _take(self, model: Documents) -> None:
        self._model = model
        self._dv = KeyedVectors.of(model.vectors)
        self._wv = KeyedVectors.of(model.words)

    def get_latest_training_loss(self) -> float:
        """Returns the mean loss per example in nats, summed over the epochs."""
        return self.running_training_loss

    def init_sims(self, replace: bool = False) -> None:
        """The same as KeyedVectors.init_sims() of the tags."""
        self.dv.init_sims(replace)

    def _trained(self) -> Documents:
        if self._model is None:
            raise RuntimeError("the model is not trained yet")
        return self._model

    # --- New documents. ---

    def infer_vector(self, doc_words: Sequence[str],
                     alpha: float | None = None,
                     min_alpha: float | None = None,
                     epochs: int | None = None) -> Floats:
        """Returns the vector of a new document: [vector_size].

        The same words have the same vector each time. It is zero if no word is
        known. Raises TypeError for a str, and RuntimeError before training.
        """
        if isinstance(doc_words, str):
            raise TypeError("doc_words: expected a list of words, found a str; "
                            "split it first")
        row: Floats = self._trained().infer(
            [list(doc_words)], epochs=epochs, learning_rate=alpha or self.alpha,
            min_learning_rate=min_alpha or self.min_alpha, threads=1)[0]
        return row

    # --- Files. ---

    def save(self, fname: Path, *args: Any, **kwargs: Any) -> None:
        """Writes a .safetensors file; arguments about pickles have no effect.

        Raises RuntimeError before training has finished.
        """
        if self._epochs is not None or self._model is None:
            raise RuntimeError(
                f"{os.fsdecode(fname)}: the model can be saved only after "
                "training")
        self._annotated(self._model, Doc2Vec._of(self._model)).save(fname)

    @classmethod
    def load(cls, fname: Path, mmap: str | None = None) -> Any:
        """Opens a model of save() or "firth documents train"."""
        table = Documents.load(fname)
        model = cls._of(table)
        model._take_attributes(table.metadata)
        return model

    @classmethod
    def _of(cls, table: Documents) -> Any:
        """Returns the Doc2Vec for a trained model."""
        said = {name.replace("-", "_"): value
                for name, value in table.options.items()}
        tree = said["loss"] == "hs"
        model = cls(
            vector_size=table.dim, window=said["window"],
            dm=int(said["arch"] == "dm"),
            dm_mean=int(said.get("dm_context", "mean") == "mean"),
            dbow_words=int(said.get("train_words", False)),
            epochs=said["epochs"], alpha=said["learning_rate"],
            min_alpha=said["min_learning_rate"], sample=said["sample"],
            seed=said["seed"], hs=int(tree),
            negative=0 if tree else said["negative"],
            shrink_windows=said["dynamic_window"],
            min_count=int(type_of(table.metadata.get("min-count", "5"))))
        model._take(table)
        return model

    def save_word2vec_format(
            self, fname: Path, doctag_vec: bool = False, word_vec: bool = True,
            prefix: str = "*dt_", fvocab: Path | None = None,
            binary: bool = False) -> None:
        """Writes the vectors of words, or of tags, in word2vec's format."""
        refuse(fvocab=(fvocab, None, "the vectors contain the counts"))
        if doctag_vec == word_vec:
            raise NotImplementedError(
                "doctag_vec, word_vec: exactly one must be set; a file holds "
                "either the vectors of words or those of tags")
        if word_vec:
            self.wv.save_word2vec_format(fname, binary=binary)
            return
        tags = self.dv.to_firth()
        KeyedVectors.of(Vectors.from_arrays(
            [prefix + tag for tag in tags.words], tags.vectors,
            tags.counts)).save_word2vec_format(fname, binary=binary)

    def __getitem__(self, tag: Any) -> Floats:
        """Returns the vector of a tag, or of a word that is not a tag."""
        if tag in self.dv:
            return self.dv[tag]
        return self.wv[tag]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_texts": None, "_source": None, "_epochs": None}

    def __str__(self) -> str:
        kind = ("dm/m" if self.dm_mean else "dm/s") if self.dm else (
            "dbow+w" if self.dbow_words else "dbow")
        loss = "hs" if self.hs else f"n{self.negative}"
        window = f",w{self.window}" if self.dm or self.dbow_words else ""
        least = f",mc{self.min_count}" if self.min_count > 1 else ""
        sample = f",s{self.sample}" if self.sample > 0 else ""
        workers = f",t{self.workers}" if self.workers > 1 else ""
        return (f"{type(self).__name__}<{kind},d{self.vector_size},{loss}"
                f"{window}{least}{sample}{workers}>")


def _one_source(documents: Any, corpus_file: Path | None) -> Any:
    """Returns the documents or the path. Raises TypeError for both or none."""
    if (documents is None) == (corpus_file is None):
        raise TypeError("pass either documents or corpus_file")
    if isinstance(documents, PATHS):
        raise TypeError("documents: expected a list of TaggedDocument, found "
                        f"{type(documents).__name__}; corpus_file takes a path")
    return corpus_file if documents is None else documents
