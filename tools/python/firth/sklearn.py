"""Sentence vectors for scikit-learn: texts in, arrays out.

    from firth.sklearn import SentenceVectors

    classifier = make_pipeline(SentenceVectors("vectors.safetensors"),
                               LogisticRegression())
    classifier.fit(texts, labels)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any, Self

import numpy as np
from sklearn.base import (  # type: ignore[import]
    BaseEstimator,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted  # type: ignore[import]

from firth.labels import texts_of
from firth.training import train
from firth.vectors import Vectors, load
from firth._native import PATHS, Floats, Path


def _takes_lists(kind: type) -> type:
    """Passes lists to transform() as arrays.

    This is for set_output(transform="pandas"): scikit-learn before 1.4 mistakes
    the method index() of a list for the index of a table.
    """
    def with_arrays(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(X, (list, tuple)):
                X = np.fromiter(X, object, len(X))
            return method(self, X, *args, **kwargs)
        return call

    for name in ("transform", "fit_transform"):
        setattr(kind, name, with_arrays(getattr(kind, name)))
    return kind


@_takes_lists
class SentenceVectors(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Computes the weighted mean of the vectors of each text's words.

    vectors: the path of a vector file, a firth.Vectors, or None to train
    vectors on the texts passed to fit(). sif: weight words of relative
    frequency p by sif / (sif + p), which requires counts; 0 weights all alike
    (Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence
    Embeddings", ICLR 2017, with 0.001). remove_components: number of common
    directions of the texts of fit() to remove from all vectors (1 in the same
    paper). unit_words: scale word vectors to length 1 first. lowercase: convert
    words to lower case first. train_options: a dict of options of
    firth.train(), if `vectors` is None.

    Attributes, after fit(): vectors_, the firth.Vectors; components_, float32
    [remove_components, dim].

    >>> from firth.sklearn import SentenceVectors
    >>> SentenceVectors(vectors).fit_transform(["king queen", "table"])
    array([[0.9, 0.3, 0. , 0. ],
           [0. , 0. , 0. , 1. ]], dtype=float32)
    """

    def __init__(self, vectors: Vectors | Path | None = None, *,
                 sif: float = 0.0, remove_components: int = 0,
                 unit_words: bool = False, lowercase: bool = False,
                 train_options: Mapping[str, Any] | None = None,
                 **others: Any) -> None:
        for name, value in others.items():
            raise TypeError(
                f"{name}: pass options of firth.train() together, as in "
                f"SentenceVectors(train_options={{{name!r}: {value!r}}})")
        self.vectors = vectors
        self.sif = sif
        self.remove_components = remove_components
        self.unit_words = unit_words
        self.lowercase = lowercase
        self.train_options = train_options

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Opens or trains the vectors, and finds the common directions.

        X: n texts whose words are separated by white space. y has no effect.
        Raises ValueError, TypeError, and what firth.load() and firth.train()
        raise.
        """
        texts = _checked(X)
        if self.train_options and self.vectors is not None:
            raise ValueError("train_options: requires vectors=None, found "
                             f"vectors={self.vectors!r}")
        if not (isinstance(self.remove_components, (int, np.integer))
                and 0 <= self.remove_components <= len(texts)):
            raise ValueError(
                "remove_components: must be a whole number from 0 to "
                f"{len(texts)}, the number of texts, found "
                f"{self.remove_components}")
        self.vectors_ = self._opened(texts)
        self.components_ = self._common_directions(texts)
        return self

    def fit_transform(self, X: Iterable[str], y: object = None) -> Floats:
        """Runs fit() and transform() on the same texts, iterated once."""
        texts: Any = X
        if not isinstance(X, Sized):
            texts = np.array(_checked(X), object)
        vectors: Floats = self.fit(texts, y).transform(texts)
        return vectors

    def transform(self, X: Iterable[str]) -> Floats:
        """Returns the vectors of n texts: float32 [n, dim].

        A text without a known word has a zero vector.
        """
        check_is_fitted(self)
        rows = self._encode(_checked(X))
        vectors: Floats = rows - rows @ self.components_.T @ self.components_
        return vectors

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Returns the names of the columns: sentencevectors0 and so on."""
        check_is_fitted(self)
        return np.array([f"sentencevectors{i}"
                         for i in range(self.vectors_.dim)], dtype=object)

    def _opened(self, texts: list[str]) -> Vectors:
        if self.vectors is None:
            options: dict[str, Any] = {"lowercase": self.lowercase}
            return train(texts, **{**options, **(self.train_options or {})})
        if isinstance(self.vectors, PATHS):
            return load(self.vectors)
        return self.vectors

    def _encode(self, texts: list[str]) -> Floats:
        rows: Floats = self.vectors_.sentence_vectors(
            texts, sif=self.sif, unit_words=self.unit_words,
            lowercase=self.lowercase)
        return rows

    def _common_directions(self, texts: list[str]) -> Floats:
        """Returns the first principal components of the texts, not centered."""
        if self.remove_components == 0:
            return np.empty((0, self.vectors_.dim), np.float32)
        rows = self._encode(texts).astype(np.float64)
        _, directions = np.linalg.eigh(rows.T @ rows)
        components: Floats = directions.T[::-1][:self.remove_components].astype(
            np.float32)
        return components

    def _more_tags(self) -> dict[str, Any]:
        """Returns tags for scikit-learn before 1.6; its own tests pass texts.
        """
        return {"X_types": ["string"], "preserves_dtype": []}

    def __sklearn_tags__(self) -> Any:
        """Returns tags for scikit-learn 1.6 and later."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _checked(texts: Any) -> list[str]:
    """Returns texts as a list. Raises TypeError and ValueError for others."""
    listed = texts_of(texts)
    if not listed:
        raise ValueError("X: pass at least one text")
    return listed
