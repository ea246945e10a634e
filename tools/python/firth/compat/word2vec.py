"""gensim's Word2Vec: its arguments and attributes over Firth's training."""

from __future__ import annotations

import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from firth._native import PATHS, Path, encode
from firth.compat.attributes import KeepsAttributes
from firth.compat.callbacks import CallbackAny2Vec
from firth.compat.entries import Floats
from firth.instead import Instead
from firth.compat.keyed_vectors import KeyedVectors
from firth.compat.keys import Key, are_whole, marked
from firth.compat.learning import NAMES, Corpus, Epochs
from firth.progress import warn
from firth.vectors import Vectors, load

# A count that no word reaches: a model goes on with the words that it has.
_NO_NEW_WORDS = 2**31 - 1


class _Default(int):
    """A default value that differs from the same number when given."""


NEGATIVE = _Default(5)


class Word2Vec(KeepsAttributes, Instead):
    """Word vectors trained on sentences.

        model = Word2Vec(sentences, vector_size=100, window=5, min_count=5)
        model.wv["king"]                  # a KeyedVectors
        model.train(more, total_examples=len(more), epochs=5)

    Sentences are read once, so a generator is sufficient. Arguments that tune
    gensim's threads (batch_words, queue_factor, progress_per, report_delay)
    have no effect. hs=1 trains hierarchical softmax only; combined with
    `negative` it is refused.
    """

    _ENTRY = "model-attributes"
    _LEFT_OUT = frozenset({"total_train_time"})
    # Arguments that have one value.
    cbow_mean, null_word, sorted_vocab = 1, 0, 1
    max_vocab_size = None
    hashfxn = hash

    _INSTEAD = {
        "most_similar": "use model.wv.most_similar()",
        "similarity": "use model.wv.similarity()",
        "doesnt_match": "use model.wv.doesnt_match()",
        "accuracy": "use model.wv.evaluate_word_analogies()",
        "wmdistance": "use model.wv.wmdistance()",
        "syn0": "use model.wv.vectors",
        "build_vocab_from_freq":
            "firth.train(vocab=FILE) reads the words from a file",
        "scan_vocab": "build_vocab() counts and selects the words",
        "prepare_vocab": "build_vocab() counts and selects the words",
        "raw_vocab": "rare words are dropped; corpus_total_words counts "
                     "their occurrences",
        "score": "\"firth lm score\" prints the probability of sentences",
        "estimate_memory": "\"firth train\" prints the memory before training",
        "reset_from": "a new Word2Vec reads the text itself",
        "load_fasttext_format": "load_facebook_model() opens fastText's files",
        "load_binary_data": "load_facebook_model() opens fastText's files",
    }

    def __init__(
            self, sentences: Iterable[Any] | None = None,
            corpus_file: Path | None = None, vector_size: int = 100,
            alpha: float = 0.025, window: int = 5, min_count: int = 5,
            max_vocab_size: int | None = None, sample: float = 0.001,
            seed: int = 1, workers: int = 3, min_alpha: float = 0.0001,
            sg: int = 0, hs: int = 0, negative: int = NEGATIVE,
            ns_exponent: float = 0.75, cbow_mean: int = 1,
            hashfxn: Callable[[str], int] = hash, epochs: int = 5,
            null_word: int = 0, trim_rule: Any = None, sorted_vocab: int = 1,
            batch_words: int = 10000, compute_loss: bool = False,
            callbacks: Iterable[CallbackAny2Vec] = (),
            comment: str | None = None, max_final_vocab: int | None = None,
            shrink_windows: bool = True) -> None:
        refuse(max_vocab_size=(max_vocab_size, None,
                               "firth.train(memory=...) limits the memory"),
               cbow_mean=(cbow_mean, 1, "the context is always a mean, not a "
                                        "sum"),
               hashfxn=(hashfxn, hash, "seeds do not depend on the machine"),
               null_word=(null_word, 0, "there is no null word"),
               trim_rule=(trim_rule, None, "firth.train(vocab=FILE) names the "
                                           "words to keep"),
               sorted_vocab=(sorted_vocab, 1, "words are always sorted by "
                                              "count"))
        self.vector_size, self.window = vector_size, window
        self.alpha, self.min_alpha = alpha, min_alpha
        self.min_count, self.max_final_vocab = min_count, max_final_vocab
        self.sample, self.seed, self.workers = sample, seed, workers
        self.sg, self.hs = int(sg), int(hs)
        self.negative, self.ns_exponent = negative, ns_exponent
        if hs and negative is NEGATIVE:
            warn("hs=1 trains only hierarchical softmax, as with negative=0; "
                 "gensim also draws 5 negative samples")
            self.negative = 0
        self.epochs, self.shrink_windows = epochs, bool(shrink_windows)
        self.compute_loss, self.comment = compute_loss, comment
        self.layer1_size, self.effective_min_count = vector_size, min_count
        self.batch_words = batch_words
        self._begin()
        self._options()
        if sentences is not None or corpus_file is not None:
            self.build_vocab(sentences, corpus_file)
            self.train(sentences, corpus_file,
                       total_examples=self.corpus_count, epochs=self.epochs,
                       compute_loss=compute_loss, callbacks=callbacks)

    def _begin(self) -> None:
        """Sets the state of a model without any data."""
        self.corpus_count = 0
        self.corpus_total_words = 0
        self.running_training_loss = 0.0
        self.total_train_time = 0.0
        self.train_count = 0
        self._epochs: Epochs | None = None  # of a training under way
        self._types = 0
        self._wv: KeyedVectors | None = None
        self._untrained: Vectors | None = None
        self._learnt: Vectors | None = None
        self._corpus: Corpus | None = None
        self._source: Any = None

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
        options["arch"] = "skipgram" if self.sg else "cbow"
        options["cbow_gradient"] = None if self.sg else "word2vec"
        options["loss"] = "hs" if self.hs else "ns"
        if not self.hs:
            options["negative"] = self.negative
            options["noise_exponent"] = self.ns_exponent
        options["dynamic_window"] = self.shrink_windows
        return options

    # --- Learning. ---

    @property
    def wv(self) -> KeyedVectors:
        """The words and their vectors, which are random before training.

        In callbacks about epochs it is a copy of what has been learned so far.
        """
        if self._epochs is not None:
            vectors = self._epochs.vectors()
            if vectors is not None:
                return vectors
        if self._wv is None:
            if self._corpus is None:
                self._wv = KeyedVectors(self.vector_size)
            else:
                self._untrained = self._random_vectors(self._corpus)
                self._wv = KeyedVectors.of(self._untrained)
        return self._wv

    def _random_vectors(self, corpus: Corpus) -> Vectors:
        words = corpus.words()
        rows = np.random.default_rng(self.seed).random(
            (len(words), self.vector_size), np.float32)
        return marked(Vectors.from_arrays(
            words, (rows - 0.5) / self.vector_size, corpus.counts()),
            corpus.whole)

    def build_vocab(self, corpus_iterable: Iterable[Any] | None = None,
                    corpus_file: Path | None = None, update: bool = False,
                    progress_per: int = 10000, keep_raw_vocab: bool = False,
                    trim_rule: Any = None) -> None:
        """Reads sentences and selects the words to train.

        update: add frequent new words to a trained model; they get vectors in
        the next training. Raises TypeError, ValueError, OSError, RuntimeError.
        """
        del progress_per
        refuse(keep_raw_vocab=(keep_raw_vocab, False,
                               "rare words are dropped"),
               trim_rule=(trim_rule, None, "firth.train(vocab=FILE) names the "
                                           "words to keep"))
        source = one_source(corpus_iterable, corpus_file)
        if update and self._trained() is None:
            raise RuntimeError("update: the model is not trained yet")
        self._corpus = (self._more_text(source, self._options_of(update))
                        if update else Corpus(source, self._options_of(update)))
        self._source = source
        read = self._corpus.description
        self.corpus_count = read["lines"]
        self.corpus_total_words = read["tokens"]
        self._types = read["types_kept"]
        if not update:
            self._wv = self._learnt = None

    def _trained(self) -> Vectors | None:
        """Returns the trained vectors, or None before training.

        Raises ValueError if others have been assigned since: the weights that
        predict words belong to the trained vectors.
        """
        if (self._wv is not None and self._learnt is not None
                and self._wv._table is not self._learnt):
            raise ValueError(
                "wv: the vectors were replaced after training and cannot be "
                "saved with the model; wv.save() saves them, and "
                "firth.train(init=...) starts from them")
        return self._learnt

    def _more_text(self, source: Any, options: Mapping[str, Any]) -> Corpus:
        """Reads a text for a model that continues its training."""
        trained = self._trained()
        assert trained is not None
        return Corpus(source, options, trained._for_training(),
                      are_whole(trained))

    def _options_of(self, update: bool) -> dict[str, Any]:
        """Returns options for reading a text; a continued model keeps its own.
        """
        options = self._options()
        if not update:
            return options
        return {name: options[name] for name in (
            "min_count", "epochs", "learning_rate", "min_learning_rate",
            "threads", "seed")}

    def train(self, corpus_iterable: Iterable[Any] | None = None,
              corpus_file: Path | None = None,
              total_examples: int | None = None,
              total_words: int | None = None, epochs: int | None = None,
              start_alpha: float | None = None, end_alpha: float | None = None,
              word_count: int = 0, queue_factor: int = 2,
              report_delay: float = 1.0, compute_loss: bool = False,
              callbacks: Iterable[CallbackAny2Vec] = ()) -> tuple[int, int]:
        """Trains on sentences, for the first time or again.

        The sentences of build_vocab() need not be passed again. Other objects
        are read with the words of the model; after build_vocab() with
        update=True, their frequent new words are added. total_examples or
        total_words, and epochs, must be given as in gensim; the former are not
        used. Returns the number of trained tokens, twice. Raises RuntimeError
        if there are no words, ValueError, TypeError, OSError.
        """
        del queue_factor, report_delay
        refuse(word_count=(word_count, 0, "each call starts from the "
                                          "beginning"))
        if total_examples is None and total_words is None:
            raise ValueError("pass total_examples or total_words, such as "
                             "total_examples=model.corpus_count")
        if epochs is None:
            raise ValueError("pass epochs, such as epochs=model.epochs")
        source = one_source(corpus_iterable, corpus_file)
        self.compute_loss = compute_loss
        update = self._trained() is not None
        options = {
            **self._options_of(update), "epochs": epochs,
            "learning_rate": start_alpha or self.alpha,
            "min_learning_rate": end_alpha or self.min_alpha}
        corpus = self._corpus_of(source, options, update)
        return self._learn(corpus, options, list(callbacks))

    def _corpus_of(self, source: Any, options: dict[str, Any],
                   update: bool) -> Corpus:
        """Returns what build_vocab() read, or another text with these words."""
        corpus, self._corpus = self._corpus, None
        if corpus is not None and source is self._source:
            return corpus
        if update:
            if corpus is not None:
                return self._more_text(source, options)
            options["min_count"] = _NO_NEW_WORDS
            try:
                return self._more_text(source, options)
            except ValueError as error:
                if str(_NO_NEW_WORDS) in str(error):
                    raise ValueError(
                        "corpus_iterable: none of the words is in the "
                        "vocabulary; build_vocab(..., update=True) adds the "
                        "words of a text") from None
                raise
        if corpus is None:
            raise RuntimeError("there are no words; call build_vocab() first")
        return self._with_words_of(corpus, source, options)

    def _with_words_of(self, counted: Corpus, source: Any,
                       options: Mapping[str, Any]) -> Corpus:
        """Reads another text with the words that were counted before."""
        for word in counted.words():
            if word.split() != [word]:
                raise ValueError(
                    "corpus_iterable: pass the object that build_vocab() "
                    f"read, since words with white space, such as {word!r}, "
                    "cannot be found in another one")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "words")
            path.write_bytes(b"".join(
                encode(word) + b"\n" for word in counted.words()))
            chosen = {**options, "vocab": path,
                      "min_count": None, "max_vocab": None}
            return Corpus(source, chosen, whole=counted.whole)

    def _learn(self, corpus: Corpus, options: Mapping[str, Any],
               callbacks: Sequence[CallbackAny2Vec]) -> tuple[int, int]:
        began = time.monotonic()
        start = None
        if self._wv is not None and self._untrained is not None and (
                self._wv._table is not self._untrained):
            start = self._wv._table  # Somebody has set vectors to start from.
        self._corpus = corpus  # wv has its words
        for callback in callbacks:
            callback.on_train_begin(self)
        self._epochs = Epochs(self, callbacks, options["epochs"], corpus.whole)
        try:
            self._epochs.begin()
            learned = corpus.train(options, start, self._epochs.tell)
            self._epochs.finish(learned.report or {})
        finally:
            self._epochs = self._corpus = None
        if self._wv is None or learned.has_subwords:
            self._wv = KeyedVectors.of(learned)
        else:
            self._wv._set_table(learned)
        self._untrained = None
        self._learnt = learned
        self.train_count += 1
        self.total_train_time += time.monotonic() - began
        for callback in callbacks:
            callback.on_train_end(self)
        trained = (learned.report or {})["words_trained"]
        return trained, trained

    def init_sims(self, replace: bool = False) -> None:
        """The same as KeyedVectors.init_sims()."""
        self.wv.init_sims(replace)

    def get_latest_training_loss(self) -> float:
        """Returns the mean loss per example in nats, summed over the epochs."""
        return self.running_training_loss

    # --- What training leaves besides vectors. ---

    @property
    def syn1neg(self) -> Floats:
        """The weights that predict each word: [words, vector_size], read-only.

        Raises RuntimeError unless the model was trained with `negative`.
        """
        return self._predicting().output_vectors

    def _predicting(self) -> Vectors:
        """Returns the trained vectors with their output table."""
        if self._learnt is None or self.hs:
            raise RuntimeError(
                "the model must be trained with negative=1 or more")
        return self._learnt

    def predict_output_word(
            self, context_words_list: Sequence[Key],
            topn: int = 10) -> list[tuple[Any, float]] | None:
        """Returns the most probable words for a context, with probabilities.

        The probability of a word is exp(u w) over its sum, where u is the mean
        of the context's vectors and w the output weights of the word. Returns
        None if no word of the context is known.
        """
        weights = self.syn1neg
        known = [word for word in context_words_list
                 if self.wv.has_index_for(word)]
        if not known:
            return None
        scores = weights @ self.wv[known].mean(axis=0)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        best = np.argsort(-shares, kind="stable")[:topn]
        keys = KeyedVectors.of(self._predicting())._keys_at(best.tolist())
        return list(zip(keys, shares[best].tolist()))

    # --- Files. ---

    def save(self, fname: Path, *args: Any, **kwargs: Any) -> None:
        """Writes a .safetensors file from which train() can continue.

        Arguments about pickles have no effect. Raises RuntimeError before
        training has finished; wv.save() writes the vectors then.
        """
        if self._epochs is not None:
            raise RuntimeError(
                f"{os.fsdecode(fname)}: the model can be saved only after "
                "training; wv.save() saves the vectors of an epoch")
        table = self._trained()
        if table is None:
            raise RuntimeError(
                f"{os.fsdecode(fname)}: the model is not trained yet")
        self._annotated(table, Word2Vec._of(table)).save(
            fname, format="safetensors")

    @classmethod
    def load(cls, fname: Path, mmap: str | None = None) -> Any:
        """Opens a model of save() or "firth train"; it is always mapped."""
        table = load(fname)
        model = cls._of(table)
        model._take_attributes(table.metadata)
        return model

    @classmethod
    def _of(cls, table: Vectors) -> Any:
        """Returns the model for trained vectors."""
        said = table.metadata
        options: dict[str, Any] = {
            ours: type_of(said[name]) for ours, theirs in NAMES.items()
            if (name := theirs.replace("_", "-")) in said}
        tree = said.get("loss") == "hs"
        options.update(
            vector_size=table.dim, hs=int(tree),
            sg=int(said.get("arch", "skipgram") == "skipgram"),
            negative=0 if tree else int(said.get("negative", 5)),
            shrink_windows=said.get("dynamic-window", "on") == "on")
        model = cls(**options)
        model._wv = KeyedVectors.of(table)
        model._learnt = table
        model.corpus_total_words = int(said.get("corpus-tokens", 0))
        model.train_count = 1
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_corpus": None, "_source": None,
                "_epochs": None}

    def __repr__(self) -> str:
        words = len(self.wv) if self._epochs is None else self._types
        return (f"{type(self).__name__}<vocab={words}, "
                f"vector_size={self.vector_size}, alpha={self.alpha}>")


def refuse(**arguments: tuple[Any, Any, str]) -> None:
    """Raises NotImplementedError for an argument that is not its default.

    arguments: for each, the given value, its default, and the replacement.
    """
    for name, (given, default, instead) in arguments.items():
        if given != default:
            raise NotImplementedError(
                f"{name}: only {default} is supported, found {given}; "
                f"{instead}")


def one_source(sentences: Any, corpus_file: Path | None) -> Any:
    """Returns the sentences or the path. Raises TypeError for both or none."""
    if (sentences is None) == (corpus_file is None):
        raise TypeError("pass either sentences or corpus_file")
    if isinstance(sentences, PATHS):
        raise TypeError("sentences: expected lists of words, found "
                        f"{type(sentences).__name__}; corpus_file takes a path")
    return corpus_file if sentences is None else sentences


def type_of(text: str) -> int | float:
    """Returns the number in an entry of a file's metadata."""
    return int(text) if text.lstrip("-").isdigit() else float(text)
