"""Lists of neighbors, and the queries that they answer."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from firth._native import Floats

if TYPE_CHECKING:
    from firth.vectors import Vectors

# A word or a vector, alone or with a weight.
Term = str | Floats
Terms = (Term | Sequence[Term | tuple[Term, float]]
         | Mapping[Term, float])


class Neighbors(list[tuple[str, float]]):
    """Words and their scores, best first; displayed as a table in notebooks."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(word)}</td><td>{score:.4f}</td></tr>"
            for word, score in self)
        return ("<table><tr><th>word</th><th>score</th></tr>"
                f"{rows}</table>")


def weighted(terms: Terms | None, weight: float) -> list[tuple[Term, float]]:
    """Returns the terms of a query with their weights, times `weight`."""
    if terms is None:
        return []
    if isinstance(terms, (str, np.ndarray)) and np.ndim(terms) < 2:
        terms = [terms]
    if isinstance(terms, Mapping):
        terms = list(terms.items())
    if not hasattr(terms, "__iter__"):
        raise TypeError("expected a word, a vector or a list of them, found "
                        + type(terms).__name__)
    return [_weighted_term(term, weight) for term in terms]


def _weighted_term(term: Term | tuple[Term, float],
                   weight: float) -> tuple[Term, float]:
    if not isinstance(term, tuple):
        return term, weight
    if len(term) != 2 or not isinstance(
            term[1], (int, float, np.integer, np.floating)):
        raise TypeError("expected a pair of a word or vector and its weight, "
                        f"found {term!r}")
    return term[0], weight * float(term[1])


class Question:
    """The terms of a query in the form that the library expects.

    rows: [terms, dim]; weights: [terms]; exclude: ids of the words of the
    query, which are not answers.
    """

    def __init__(self, vectors: Vectors,
                 terms: Iterable[tuple[Term, float]]) -> None:
        pairs = list(terms)
        if not pairs:
            raise ValueError("pass at least one word or vector")
        self.rows: Floats = np.empty((len(pairs), vectors.dim), np.float32)
        self.weights: Floats = np.array([weight for _, weight in pairs],
                                        np.float32)
        excluded = []
        for row, (term, _) in zip(self.rows, pairs):
            if isinstance(term, str):
                row[:] = vectors[term]
                excluded.append(vectors.find(term))
            elif not hasattr(term, "__len__"):
                raise TypeError("expected a word or a vector, found "
                                + type(term).__name__)
            else:
                row[:] = vectors.checked_rows(term, ndim=1)
        self.exclude = np.array([i for i in excluded if i >= 0], np.int64)
