"""Results of test sets: objects with fields, displayed as tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firth._ask import plain_request
from firth._native import PATHS, Path, listed


@dataclass(frozen=True)
class AnalogyResult:
    """Accuracy on the analogy questions of a file.

    accuracy: fraction of the answered questions that were correct, or None if
    none was answered; interval: its 95 % confidence interval. folded: whether
    words were looked up in lower case. sections: name, correct, asked, total of
    each.
    """

    file: str
    correct: int
    asked: int
    total: int
    accuracy: float | None
    interval: tuple[float, float] | None
    folded: bool
    sections: list[dict[str, Any]] = field(repr=False)


@dataclass(frozen=True)
class SimilarityResult:
    """Correlations of cosines with human scores, of words or of texts.

    spearman: rank correlation, None for fewer than two pairs; interval: its
    95 % confidence interval. pearson: correlation of the values. folded: whether words were looked up in lower case. scores,
    cosines: values of each pair; the cosine is None for pairs that were
    skipped.
    """

    file: str
    spearman: float | None
    pearson: float | None
    interval: tuple[float, float] | None
    asked: int
    total: int
    folded: bool
    scores: list[float] = field(repr=False)
    cosines: list[float | None] = field(repr=False)


@dataclass(frozen=True)
class RankingQuality:
    """Quality of rankings of documents, averaged over queries.

    ndcg: nDCG of the first 10 documents; interval: its 95 % confidence
    interval; ndcgs: values of the queries. mrr: mean of 1 / rank of the first
    relevant document. recall: fraction of the relevant documents among the
    first 100.
    """

    ndcg: float
    interval: tuple[float, float]
    mrr: float
    recall: float
    ndcgs: list[float] = field(repr=False)


@dataclass(frozen=True)
class RetrievalResult:
    """Rankings of documents by cosines, by BM25, and by the sum of both.

    asked: number of queries that have a relevant document.
    """

    folder: str
    documents: int
    asked: int
    total: int
    vectors: RankingQuality
    bm25: RankingQuality
    hybrid: RankingQuality
    folded: bool


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The results of several test sets, in the order they were given."""

    analogies: list[AnalogyResult]
    similarity: list[SimilarityResult]
    sts: list[SimilarityResult]
    retrieval: list[RetrievalResult]

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [
            _row(result, "accuracy", result.accuracy)
            for result in self.analogies
        ] + [
            _row(result, "spearman", result.spearman)
            for result in [*self.similarity, *self.sts]
        ] + [
            (result.folder, f"nDCG@10 {ranking}",
             f"{getattr(result, ranking).ndcg:.4f}",
             f"{result.asked} of {result.total}")
            for result in self.retrieval
            for ranking in _RANKINGS
        ]

    def __repr__(self) -> str:
        rows = [("test set", "measure", "value", "asked"), *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(
            cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows)


_RANKINGS = ("vectors", "bm25", "hybrid")


def _row(result: AnalogyResult | SimilarityResult, measure: str,
         value: float | None) -> tuple[str, str, str, str]:
    return (os.path.basename(result.file), measure,
            "-" if value is None else f"{value:.4f}",
            f"{result.asked} of {result.total}")


def evaluate(model: Any, analogies: Path | Sequence[Path],
             similarity: Path | Sequence[Path],
             sts: Path | Sequence[Path], retrieval: Path | Sequence[Path],
             options: Mapping[str, Any]) -> Evaluation:
    """Asks vectors the question "eval"; see Vectors.evaluate()."""
    files = {"analogies": _paths(analogies, "analogies"),
             "similarity": _paths(similarity, "similarity"),
             "sts": _paths(sts, "sts"),
             "retrieval": _paths(retrieval, "retrieval")}
    if not any(files.values()):
        plain_request("eval", options)
        return Evaluation([], [], [], [])
    answer = model.ask("eval", **files, **options)
    return Evaluation(
        [AnalogyResult(file["file"], **_counts(file["all"]),
                       folded=file["folded"],
                       sections=[_counts(one, name=one["name"])
                                 for one in file["sections"]])
         for file in answer["analogies"]],
        [_similarity(file) for file in answer["similarity"]],
        [_similarity(file) for file in answer["sts"]],
        [RetrievalResult(**folder | {ranking: _quality(folder[ranking])
                                     for ranking in _RANKINGS})
         for folder in answer["retrieval"]])


def _similarity(file: Mapping[str, Any]) -> SimilarityResult:
    return SimilarityResult(**_with_pair(file))


def _quality(ranking: Mapping[str, Any]) -> RankingQuality:
    return RankingQuality(**_with_pair(ranking))


def _with_pair(result: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a result whose interval is a tuple."""
    return {**result, "interval": _pair(result["interval"])}


def _paths(paths: Path | Sequence[Path], name: str) -> list[Path]:
    return [paths] if isinstance(paths, PATHS) else listed(paths, name)


def _pair(interval: list[float]) -> tuple[float, float]:
    return interval[0], interval[1]


def _counts(section: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {**more, "correct": section["correct"], "asked": section["asked"],
            "total": section["total"], "accuracy": section["accuracy"],
            "interval": _pair(section["interval"])}
