"""gensim's Word2Vec: arguments and attributes over a training of Firth."""

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
    """A default value, which can be told from the same number when given."""


NEGATIVE = _Default(5)


class Word2Vec(KeepsAttributes, Instead):
    """Vectors of words, learnt from sentences.

        model = Word2Vec(sentences, vector_size=100, window=5, min_count=5)
        model.wv["king"]                  # a KeyedVectors
        model.train(more, total_examples=len(more), epochs=5)

    Sentences are read once: a generator will do. Arguments that tune gensim's
    threads (batch_words, queue_factor, progress_per, report_delay) have no
    effect. hs=1 trains hierarchical softmax alone; with `negative`, too, it is
    refused.
    """

    _ENTRY = "model-attributes"
    _LEFT_OUT = frozenset({"total_train_time"})
    # Arguments that have one value.
    cbow_mean, null_word, sorted_vocab = 1, 0, 1
    max_vocab_size = None
    hashfxn = hash

    _INSTEAD = {
        "most_similar": "model.wv.most_similar() answers",
        "similarity": "model.wv.similarity() answers",
        "doesnt_match": "model.wv.doesnt_match() answers",
        "accuracy": "model.wv.evaluate_word_analogies() measures",
        "wmdistance": "model.wv.wmdistance() answers",
        "syn0": "model.wv.vectors has it",
        "build_vocab_from_freq":
            "firth.train(vocab=FILE) takes words from a file",
        "scan_vocab": "build_vocab() counts the words and chooses",
        "prepare_vocab": "build_vocab() counts the words and chooses",
        "raw_vocab": "rare words are dropped; corpus_total_words has their "
                     "occurrences",
        "score": "\"firth lm score\" tells the probability of sentences",
        "estimate_memory": "firth train tells it before it begins",
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
                               "firth.train(memory=...) bounds the memory"),
               cbow_mean=(cbow_mean, 1, "the context is a mean, not a sum"),
               hashfxn=(hashfxn, hash, "seeds are the same on all machines"),
               null_word=(null_word, 0, "no word stands for none"),
               trim_rule=(trim_rule, None, "firth.train(vocab=FILE) names the "
                                           "words to keep"),
               sorted_vocab=(sorted_vocab, 1, "words are always sorted"))
        self.vector_size, self.window = vector_size, window
        self.alpha, self.min_alpha = alpha, min_alpha
        self.min_count, self.max_final_vocab = min_count, max_final_vocab
        self.sample, self.seed, self.workers = sample, seed, workers
        self.sg, self.hs = int(sg), int(hs)
        self.negative, self.ns_exponent = negative, ns_exponent
        if hs and negative is NEGATIVE:
            warn("hs=1 trains hierarchical softmax alone, as with negative=0; "
                 "gensim also draws 5 negatives")
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
        """The state of a model that has seen nothing."""
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
        """The options of a training, by Firth's names."""
        if bool(self.hs) == (self.negative > 0):
            raise NotImplementedError(
                "hs, negative: expected one of hs=1 with negative=0, and hs=0 "
                f"with negative=1 or more, found {self.hs} and {self.negative}")
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
        """The words and their vectors, random ones before a training.

        In callbacks about epochs it is a copy of what has been learnt by then.
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
        """Reads sentences and chooses the words to learn.

        update: frequent new words join those of a model that has been trained;
        they have vectors when it is trained again. Raises TypeError,
        ValueError, OSError, RuntimeError.
        """
        del progress_per
        refuse(keep_raw_vocab=(keep_raw_vocab, False,
                               "rare words are dropped"),
               trim_rule=(trim_rule, None, "firth.train(vocab=FILE) names the "
                                           "words to keep"))
        source = one_source(corpus_iterable, corpus_file)
        if update and self._trained() is None:
            raise RuntimeError("update: expected a model that has been trained")
        self._corpus = (self._more_text(source, self._options_of(update))
                        if update else Corpus(source, self._options_of(update)))
        self._source = source
        self._count(self._corpus)
        if not update:
            self._wv = self._learnt = None

    def _count(self, corpus: Corpus) -> None:
        self.corpus_count = corpus.description["lines"]
        self.corpus_total_words = corpus.description["tokens"]
        self._types = corpus.description["types_kept"]

    def _trained(self) -> Vectors | None:
        """The vectors that have been learnt; None before a training.

        Raises ValueError where others have been set since: the weights that
        predict words go with those that were learnt.
        """
        if (self._wv is not None and self._learnt is not None
                and self._wv._table is not self._learnt):
            raise ValueError(
                "wv: expected the vectors that have been learnt, found others "
                "that were set; wv.save() writes these, and "
                "firth.train(init=...) starts from them")
        return self._learnt

    def _more_text(self, source: Any, options: Mapping[str, Any]) -> Corpus:
        """Reads a text for a model that continues its training."""
        trained = self._trained()
        assert trained is not None
        return Corpus(source, options, trained._for_training(),
                      are_whole(trained))

    def _options_of(self, update: bool) -> dict[str, Any]:
        """What a text is read with; a model that goes on has its own rest."""
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
        """Learns from sentences, for the first time or once more.

        The sentences of build_vocab() need not be there again: other objects
        are read, with the words that the model has; after build_vocab() with
        update=True frequent new ones of theirs join. total_examples or
        total_words, and epochs, must be given, as in gensim; the former are not
        used. Returns the tokens that were trained on, twice. Raises
        RuntimeError if there are no words, ValueError, TypeError, OSError.
        """
        del queue_factor, report_delay
        refuse(word_count=(word_count, 0, "each call begins anew"))
        if total_examples is None and total_words is None:
            raise ValueError("expected total_examples or total_words, such as "
                             "total_examples=model.corpus_count")
        if epochs is None:
            raise ValueError("expected epochs, such as epochs=model.epochs")
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
        """What build_vocab() has read, or another text with these words."""
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
                        "corpus_iterable: expected words that the model knows, "
                        "found none; build_vocab(..., update=True) adds those "
                        "of a text") from None
                raise
        if corpus is None:
            raise RuntimeError("there are no words: build_vocab() comes first")
        return self._with_words_of(corpus, source, options)

    def _with_words_of(self, counted: Corpus, source: Any,
                       options: Mapping[str, Any]) -> Corpus:
        """Another text, with the words that have been counted before."""
        for word in counted.words():
            if word.split() != [word]:
                raise ValueError(
                    "corpus_iterable: expected the object that build_vocab() "
                    "read, found another one; words with white space, such as "
                    f"{word!r}, cannot be looked for in it")
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
            learnt = corpus.train(options, start, self._epochs.tell)
            self._epochs.finish(learnt.report or {})
        finally:
            self._epochs = self._corpus = None
        if self._wv is None or learnt.has_subwords:
            self._wv = KeyedVectors.of(learnt)
        else:
            self._wv._set_table(learnt)
        self._untrained = None
        self._learnt = learnt
        self.train_count += 1
        self.total_train_time += time.monotonic() - began
        for callback in callbacks:
            callback.on_train_end(self)
        trained = (learnt.report or {})["words_trained"]
        return trained, trained

    def init_sims(self, replace: bool = False) -> None:
        """KeyedVectors.init_sims()."""
        self.wv.init_sims(replace)

    def get_latest_training_loss(self) -> float:
        """The sum over the epochs of the mean loss an example, in nats."""
        return self.running_training_loss

    # --- What training leaves besides vectors. ---

    @property
    def syn1neg(self) -> Floats:
        """The weights that predict each word: [words, vector_size], read-only.

        Raises RuntimeError unless the model was trained with `negative`.
        """
        return self._predicting().output_vectors

    def _predicting(self) -> Vectors:
        """What has been learnt, with its output table."""
        if self._learnt is None or self.hs:
            raise RuntimeError("expected a model that has been trained with "
                               "negative=1 or more")
        return self._learnt

    def predict_output_word(
            self, context_words_list: Sequence[Key],
            topn: int = 10) -> list[tuple[Any, float]] | None:
        """The words that go best with others, and their share of probability.

        exp(u w), of the mean u of the context's vectors and the weights w of
        each word, over its sum. None if no word of the context is known.
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
        """Writes a .safetensors file that train() can go on with.

        Arguments about pickles have no effect. Raises RuntimeError before the
        end of a training: wv.save() writes the vectors then.
        """
        if self._epochs is not None:
            raise RuntimeError(
                f"{os.fsdecode(fname)}: the model can be saved when the "
                "training is over; wv.save() writes the vectors of an epoch")
        table = self._trained()
        if table is None:
            raise RuntimeError(f"{os.fsdecode(fname)}: expected a model that has "
                               "been trained")
        self._annotated(table, Word2Vec._of(table)).save(
            fname, format="safetensors")

    @classmethod
    def load(cls, fname: Path, mmap: str | None = None) -> Any:
        """Opens a model that save(), or firth train, wrote; mapped always."""
        table = load(fname)
        model = cls._of(table)
        model._take_attributes(table.metadata)
        return model

    @classmethod
    def _of(cls, table: Vectors) -> Any:
        """The model that has learnt some vectors."""
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
    """Raises NotImplementedError of an argument that is not its default.

    arguments: for each what was given, its default, and what there is instead.
    """
    for name, (given, default, instead) in arguments.items():
        if given != default:
            raise NotImplementedError(
                f"{name}: expected {default}, found {given}; {instead}")


def one_source(sentences: Any, corpus_file: Path | None) -> Any:
    """The sentences or the path. Raises TypeError of both or neither."""
    if (sentences is None) == (corpus_file is None):
        raise TypeError("expected either sentences or corpus_file")
    if isinstance(sentences, PATHS):
        raise TypeError("sentences: expected lists of words, found "
                        f"{type(sentences).__name__}; corpus_file takes a path")
    return corpus_file if sentences is None else sentences


def type_of(text: str) -> int | float:
    """The number that the metadata of a file tells."""
    return int(text) if text.lstrip("-").isdigit() else float(text)
