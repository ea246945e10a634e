"""gensim's FastText, and fastText's own files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from firth._native import Path
from firth.compat.callbacks import CallbackAny2Vec
from firth.compat.keyed_vectors import (
    FastTextKeyedVectors, KeyedVectors, save_whole)
from firth.compat.word2vec import NEGATIVE, Word2Vec, refuse, type_of
from firth.vectors import Vectors, load

# What fastText's files begin with.
_MAGIC = (793712314).to_bytes(4, "little")


class FastText(Word2Vec):
    """Word2Vec with n-grams, so that unknown words have vectors too."""

    def __init__(
            self, sentences: Iterable[Any] | None = None,
            corpus_file: Path | None = None, sg: int = 0, hs: int = 0,
            vector_size: int = 100, alpha: float = 0.025, window: int = 5,
            min_count: int = 5, max_vocab_size: int | None = None,
            word_ngrams: int = 1, sample: float = 0.001, seed: int = 1,
            workers: int = 3, min_alpha: float = 0.0001, negative: int = NEGATIVE,
            ns_exponent: float = 0.75, cbow_mean: int = 1,
            hashfxn: Callable[[str], int] = hash, epochs: int = 5,
            null_word: int = 0, min_n: int = 3, max_n: int = 6,
            sorted_vocab: int = 1, bucket: int = 2000000,
            trim_rule: Any = None, batch_words: int = 10000,
            callbacks: Iterable[CallbackAny2Vec] = (),
            max_final_vocab: int | None = None,
            shrink_windows: bool = True) -> None:
        refuse(word_ngrams=(word_ngrams, 1, "Word2Vec learns without n-grams"))
        self.min_n, self.max_n, self.bucket = min_n, max_n, bucket
        self.word_ngrams = word_ngrams
        super().__init__(
            sentences, corpus_file, vector_size, alpha, window, min_count,
            max_vocab_size, sample, seed, workers, min_alpha, sg, hs, negative,
            ns_exponent, cbow_mean, hashfxn, epochs, null_word, trim_rule,
            sorted_vocab, batch_words, callbacks=callbacks,
            max_final_vocab=max_final_vocab, shrink_windows=shrink_windows)

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if self._has_ngrams():
            options.update(subword_index="buckets", min_n=self.min_n,
                           max_n=self.max_n, buckets=self.bucket)
        return options

    def _has_ngrams(self) -> bool:
        """Returns whether gensim's arguments request n-grams."""
        return self.bucket > 0 and 0 < self.min_n <= self.max_n

    @classmethod
    def _of(cls, table: Vectors) -> Any:
        if not table.has_subwords:
            raise ValueError("this model has no n-grams; open it with "
                             "Word2Vec.load()")
        model = super()._of(table)
        said = table.metadata
        model.min_n = type_of(said.get("min-n", "3"))
        model.max_n = type_of(said.get("max-n", "6"))
        model.bucket = type_of(said.get("buckets", "2000000"))
        return model


def load_facebook_vectors(path: Path, encoding: str = "utf-8") -> KeyedVectors:
    """Loads the words and n-grams of a fastText .bin file.

    encoding: must be UTF-8. Raises NotImplementedError for another encoding,
    OSError, ValueError.
    """
    refuse(encoding=(encoding.replace("-", "").lower(), "utf8",
                     "firth convert writes another file"))
    try:
        return KeyedVectors.of(load(path, format="fasttext"))
    except ValueError as error:
        with open(path, "rb") as file:
            if file.read(len(_MAGIC)) == _MAGIC:
                raise
        raise ValueError(f"{error}; KeyedVectors.load_word2vec_format() opens "
                         "texts") from error


def load_facebook_model(path: Path, encoding: str = "utf-8") -> FastText:
    """Loads a fastText .bin file as a model that train() can continue."""
    vectors = load_facebook_vectors(path, encoding)
    if not isinstance(vectors, FastTextKeyedVectors):
        raise ValueError(f"{os.fsdecode(path)}: this model has no n-grams")
    model: FastText = FastText._of(vectors.to_firth())
    return model


def save_facebook_model(model: FastText, path: Path,
                        encoding: str = "utf-8") -> None:
    """Writes a fastText .bin file.

    Raises OSError, and ValueError for words and n-grams that it cannot hold.
    """
    refuse(encoding=(encoding.replace("-", "").lower(), "utf8",
                     "words are written as UTF-8"))
    save_whole(model.wv.to_firth(), path, "fasttext")
