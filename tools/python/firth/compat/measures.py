"""gensim's test sets: analogies with their answers, pairs with correlations."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firth._native import Path
from firth.compat.questions import Questions, _cosine, logger
from firth.compat.texts import open_text

Quadruple = tuple[str, ...]
# Questions that are answered together, which bounds the memory.
_BATCH = 4096
# Answers that are looked at: gensim takes the first of five that is a word of
# the vocabulary which was not asked.
_ANSWERS = 5


class Correlation(NamedTuple):
    """A correlation and its p-value."""

    statistic: float
    pvalue: float


class Measures(Questions):
    """Keys with vectors that can be evaluated on test sets."""

    def evaluate_word_analogies(
            self, analogies: Path, restrict_vocab: int | None = 300000,
            case_insensitive: bool = True, dummy4unknown: bool = False,
            similarity_function: str = "most_similar"
    ) -> tuple[float, list[dict[str, Any]]]:
        """Answers the questions of a file such as questions-words.txt.

        restrict_vocab: number of first keys that questions and answers may use.
        case_insensitive: compare everything in upper case. dummy4unknown: count
        questions with unknown words as answered wrong.

        Returns the accuracy, 0 to 1, and for each section, and finally for all
        of them, a dict of "section", "correct" and "incorrect", which are lists
        of (a, b, c, expected). Raises OSError, ValueError.
        """
        if similarity_function != "most_similar":
            raise NotImplementedError(
                "similarity_function: \"firth eval --method mul\" measures "
                "3CosMul")
        places = self._places_of(restrict_vocab, case_insensitive)
        questions = list(_read_questions(analogies, case_insensitive))
        asked = [words for _, words in questions
                 if all(word in places for word in words)]
        answers = iter(self._answer(asked, places, restrict_vocab,
                                    case_insensitive))
        sections: list[dict[str, Any]] = []
        for section, words in questions:
            if not sections or sections[-1] is not section:
                sections.append(section)
            if all(word in places for word in words):
                right = next(answers) == words[3]
                section["correct" if right else "incorrect"].append(words)
            elif dummy4unknown:
                section["incorrect"].append(words)
        sections.append({"section": "Total accuracy", **{
            kind: [words for section in sections for words in section[kind]]
            for kind in ("correct", "incorrect")}})
        return _accuracy(sections[-1]), sections

    @staticmethod
    def log_accuracy(section: dict[str, Any]) -> None:
        """Logs the accuracy of a section."""
        right, wrong = len(section["correct"]), len(section["incorrect"])
        if right + wrong:
            logger.info("%s: %.1f%% (%i/%i)", section["section"],
                        100 * _accuracy(section), right, right + wrong)

    @staticmethod
    def log_evaluate_word_pairs(
            pearson: tuple[float, float], spearman: tuple[float, float],
            oov: float, pairs: Path) -> None:
        """Logs the result of evaluate_word_pairs() for a file."""
        logger.info("%s: correlation %.4f (Pearson), %.4f (Spearman), %.1f%% "
                    "with unknown words", pairs, pearson[0], spearman[0], oov)

    def evaluate_word_pairs(
            self, pairs: Path, delimiter: str = "\t", encoding: str = "utf8",
            restrict_vocab: int | None = 300000, case_insensitive: bool = True,
            dummy4unknown: bool = False
    ) -> tuple[Correlation, Correlation, float]:
        """Correlates cosines with human scores of pairs of words.

        Options are those of evaluate_word_analogies(); with dummy4unknown,
        unknown words have cosine 0. Returns Pearson's and Spearman's
        correlation, each with its p-value, and the percentage of pairs with an
        unknown word. Raises OSError, ValueError.
        """
        places = self._places_of(restrict_vocab, case_insensitive)
        scores, cosines, unknown = [], [], 0
        for first, second, score in _read_pairs(
                pairs, delimiter, encoding, case_insensitive):
            if first in places and second in places:
                cosine = _cosine(self.vectors[places[first]],
                                 self.vectors[places[second]])
            else:
                unknown += 1
                if not dummy4unknown:
                    continue
                cosine = 0.0
            scores.append(score)
            cosines.append(cosine)
        found = len(scores) + (0 if dummy4unknown else unknown)
        if len(scores) < 2:
            raise ValueError(f"{os.fsdecode(pairs)}: needs at least two pairs "
                             f"of known words, found {len(scores)}")
        return (correlate(scores, cosines),
                correlate(ranks(scores), ranks(cosines)),
                100 * unknown / found)

    def _places_of(self, restrict: int | None, fold: bool) -> dict[str, int]:
        """Returns positions of the first keys, one per folded form."""
        places: dict[str, int] = {}
        for place, key in enumerate(self._table.words[:restrict]):
            places.setdefault(key.upper() if fold else key, place)
        return places

    def _answer(self, asked: list[Quadruple], places: dict[str, int],
                restrict: int | None, fold: bool) -> Iterator[str | None]:
        """Returns the words that are to c as b is to a, for each question."""
        keys = self._table.words
        for begin in range(0, len(asked), _BATCH):
            batch = asked[begin:begin + _BATCH]
            ids = np.array([[places[word] for word in words[:3]]
                            for words in batch])
            answers = self._neighbors_of_sums(ids, restrict)
            for words, own, row in zip(batch, ids, answers):
                best = [keys[i] for i in row.tolist()
                        if i >= 0 and i not in own][:_ANSWERS]
                folded = [key.upper() if fold else key for key in best]
                yield next((key for key in folded if key in places
                            and key not in words[:3]), None)

    def _neighbors_of_sums(self, ids: NDArray[Any],
                           restrict: int | None) -> NDArray[np.int64]:
        """Returns the neighbors of b - a + c for rows (a, b, c): [n, k]."""
        rows = self.vectors[ids]
        lengths = np.linalg.norm(rows, axis=2, keepdims=True)
        a, b, c = np.moveaxis(
            rows / np.where(lengths == 0, np.float32(1), lengths), 1, 0)
        answers, _ = self._table.neighbors(
            b - a + c, _ANSWERS + 3, restrict=self._restrict(restrict))
        return answers


def _accuracy(section: dict[str, Any]) -> float:
    correct, incorrect = len(section["correct"]), len(section["incorrect"])
    return correct / (correct + incorrect) if correct + incorrect else 0.0


def _read_questions(path: Path, fold: bool) -> Iterator[
        tuple[dict[str, Any], Quadruple]]:
    """Yields each section and question; skips lines of another length."""
    section: dict[str, Any] | None = None
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith(": "):
                section = {"section": line[2:].strip(),
                           "correct": [], "incorrect": []}
                continue
            if section is None:
                raise ValueError(f"{os.fsdecode(path)}:{number}: expected a "
                                 f"section, \": NAME\", found {line.strip()!r}")
            words = tuple((line.upper() if fold else line).split())
            if len(words) == 4:
                yield section, words
            else:
                logger.info("%s:%d: expected four words, found %d", path,
                            number, len(words))


def _read_pairs(path: Path, delimiter: str, encoding: str,
                fold: bool) -> Iterator[tuple[str, str, float]]:
    """Yields two words and a score per line; skips other lines."""
    with open_text(path, encoding) as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                continue
            fields = (line.upper() if fold else line).split(delimiter)
            try:
                first, second, score = fields
                yield first, second, float(score)
            except ValueError:
                logger.info("%s:%d: expected two words and a score", path,
                            number)


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Returns the rank of each value, from 1, with mean ranks for ties."""
    _, groups, sizes = np.unique(np.asarray(values), return_inverse=True,
                                 return_counts=True)
    last = np.cumsum(sizes)
    mean: NDArray[np.float64] = (last - (sizes - 1) / 2)[groups]
    return mean


def correlate(a: ArrayLike, b: ArrayLike) -> Correlation:
    """Returns Pearson's correlation of two lists of at least two numbers."""
    with np.errstate(invalid="ignore", divide="ignore"):
        r = float(np.corrcoef(np.asarray(a), np.asarray(b))[0, 1])
    return Correlation(r, chance_of(r, np.size(a)))


def chance_of(r: float, n: int) -> float:
    """Returns the p-value of a correlation.

    It is the probability that n pairs of independent normal numbers correlate
    as strongly. Their correlation has the density (1 - r^2)^((n - 4) / 2) /
    B(1/2, n/2 - 1) (Student 1908). With r = sin(t) this is a power of cos(t),
    which is integrated by the Gauss-Legendre rule until the rest is negligible.
    """
    if n < 3 or np.isnan(r):
        return 1.0 if n == 2 else float("nan")
    nodes, weights = np.polynomial.legendre.leggauss(
        100)  # type: ignore[no-untyped-call]

    def tail(begin: float) -> float:
        end = min(np.pi / 2, begin + 40 / np.sqrt(n))
        half = (end - begin) / 2
        t = begin + half * (nodes + 1)
        return float(half * weights @ np.cos(t) ** (n - 3))

    return min(1.0, tail(float(np.arcsin(min(abs(r), 1.0)))) / tail(0.0))
