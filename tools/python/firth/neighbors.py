"""Lists of neighbors, and the queries that they answer."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from firth._native import Floats, Ids, listed

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


def sum_of(vectors: Vectors, terms: Sequence[tuple[Term, float]]) -> tuple[
        Floats, Floats, Ids]:
    """Returns the terms of a query in the form that the library expects.

    These are their vectors [terms, dim], their weights [terms], and the ids of
    the words of the query, which are not answers.
    """
    if not terms:
        raise ValueError("pass at least one word or vector")
    rows = np.empty((len(terms), vectors.dim), np.float32)
    excluded = []
    for row, (term, _) in zip(rows, terms):
        if isinstance(term, str):
            row[:] = vectors[term]
            excluded.append(vectors.find(term))
        elif not hasattr(term, "__len__"):
            raise TypeError("expected a word or a vector, found "
                            + type(term).__name__)
        else:
            row[:] = vectors.checked_rows(term, ndim=1)
    return (rows, np.array([weight for _, weight in terms], np.float32),
            np.array([i for i in excluded if i >= 0], np.int64))


def in_order(queries: Any) -> Any:
    """Returns queries from pandas, sets or generators as a sequence or array.
    """
    if isinstance(queries, (Sequence, np.ndarray)):
        return queries
    if hasattr(queries, "__array__"):
        return np.asarray(queries)
    return listed(queries, "queries")


def as_words(queries: Any) -> list[str] | None:
    """Returns queries that are words as a list, or None if they are not."""
    if isinstance(queries, np.ndarray) and queries.dtype.kind in "OU":
        queries = queries.tolist()
    if isinstance(queries, Sequence) and all(
            isinstance(query, str) for query in queries[:1]):
        return list(queries)
    return None
