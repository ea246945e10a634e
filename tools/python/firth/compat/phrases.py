"""gensim's Phrases: joins words that occur together more often than by chance.

Counts and scores are gensim's, which differ from those of "firth phrases". With
"default", the score of words a and b is

    (count(ab) - min_count) V / (count(a) count(b))

where V is the number of words and pairs (Mikolov et al., "Distributed
Representations of Words and Phrases and their Compositionality", NIPS 2013, eq.
6, which lacks the factor V). With "npmi" it is

    ln(p(ab) / (p(a) p(b))) / -ln p(ab)

where p is a fraction of the N words of the text (Bouma, "Normalized (Pointwise)
Mutual Information in Collocation Extraction", GSCL 2009). Connector words such
as "of" may occur between a and b.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from firth._native import Path
from firth.compat.texts import write_text
from firth.errors import plain

Sentence = list[str]

# Words that join others in English and begin or end no phrase.
ENGLISH_CONNECTOR_WORDS = frozenset(
    "a an the for of with without at from to in on by and or".split())
_DEFAULT_VOCABULARY = 40000000
_FORMAT = "firth phrases 1"


class _Transformation:
    """Joins the phrases of sentences; subclasses decide what is a phrase."""

    _KIND: ClassVar[str]  # of a file
    delimiter: str
    connector_words: frozenset[str]
    threshold: float
    min_count: float
    scoring: str

    def score_candidate(self, word_a: str, word_b: str,
                        in_between: Iterable[str]) -> tuple[str, float] | Any:
        """Returns the phrase of two words and its score.

        Returns (None, None) if they are not a phrase.
        """
        raise NotImplementedError

    def analyze_sentence(
            self, sentence: Iterable[str]) -> list[tuple[str, float | None]]:
        """Returns the words and phrases of a sentence, with scores or None.

        Phrases are found from left to right, and each word is part of at most
        one.
        """
        found: list[tuple[str, float | None]] = []
        first, between = None, list[str]()
        for word in sentence:
            if word in self.connector_words:
                if first is None:
                    found.append((word, None))
                else:
                    between.append(word)
                continue
            if first is not None:
                phrase, score = self.score_candidate(first, word, between)
                if phrase is not None:
                    found.append((phrase, score))
                    first, between = None, []
                    continue
                found += [(part, None) for part in (first, *between)]
            first, between = word, []
        if first is not None:
            found += [(part, None) for part in (first, *between)]
        return found

    def __getitem__(self, sentence: Any) -> Any:
        """Returns a sentence with its phrases joined.

        For sentences, returns an iterable over such sentences, which can be
        iterated again if the sentences can.
        """
        if isinstance(sentence, str):
            raise TypeError("expected a list of words, found a str")
        items = iter(sentence)
        first = next(items, None)
        if first is None or isinstance(first, (str, int, np.integer)):
            given = [] if first is None else [first, *items]
            _check_str(given)
            return [word for word, _ in self.analyze_sentence(given)]
        # A generator has been asked for its first sentence by now.
        return _Joined(self, chain([first], items)
                       if items is sentence else sentence)

    def find_phrases(self, sentences: Iterable[Sentence]) -> dict[str, float]:
        """Returns the phrases of sentences and their scores."""
        return {word: score for sentence in sentences
                for word, score in self.analyze_sentence(sentence)
                if score is not None}

    def save(self, fname: Path) -> None:
        """Writes a JSON file."""
        fields = {**vars(self), "connector_words": sorted(self.connector_words)}
        write_text(fname, json.dumps(
            {"format": _FORMAT, "kind": self._KIND, "fields": fields}))

    @classmethod
    def load(cls, fname: Path) -> Self:
        """Reads a file of save(). Raises OSError, ValueError."""
        model, fields = cls._empty(), _read(fname, cls._KIND)
        if "vocab" in fields:
            fields["vocab"] = Counter(fields["vocab"])
        vars(model).update(fields)
        model.connector_words = frozenset(model.connector_words)
        return model

    @classmethod
    def _empty(cls) -> Self:
        return cls()

    def _join(self, parts: Iterable[str]) -> str:
        return self.delimiter.join(parts)


def _check_str(words: list[Any]) -> None:
    """Raises TypeError for words that are not str, since phrases join texts."""
    for word in words:
        if not isinstance(word, str):
            raise TypeError("sentences: expected lists of str, found the word "
                            f"{plain(word)!r}; phrases consist of texts")


class _Joined:
    """Sentences whose phrases are joined when they are iterated."""

    def __init__(self, model: _Transformation,
                 sentences: Iterable[Sentence]) -> None:
        self._model = model
        self._sentences = sentences

    def __iter__(self) -> Iterator[Sentence]:
        for sentence in self._sentences:
            yield self._model[sentence]


class Phrases(_Transformation):
    """Counts words and pairs, and joins pairs that are phrases.

        phrases = Phrases(sentences, min_count=5, threshold=10)
        phrases[["new", "york"]]           # ["new_york"]
    """

    _KIND = "Phrases"

    def __init__(self, sentences: Iterable[Sentence] | None = None,
                 min_count: float = 5, threshold: float = 10.0,
                 max_vocab_size: int = _DEFAULT_VOCABULARY,
                 delimiter: str = "_", progress_per: int = 10000,
                 scoring: str = "default",
                 connector_words: Iterable[str] = frozenset()) -> None:
        """sentences: lists of words, from any iterable, which is iterated once.

        min_count: minimum occurrences of words and phrases. threshold: pairs
        with a higher score are phrases. scoring: "default" or "npmi".
        connector_words: words that may occur inside a phrase. progress_per has
        no effect.
        """
        if max_vocab_size != _DEFAULT_VOCABULARY:
            raise NotImplementedError(
                "max_vocab_size: \"firth phrases --memory\" counts more "
                "words than fit into memory")
        if scoring not in ("default", "npmi"):
            raise NotImplementedError(
                f"scoring: expected \"default\" or \"npmi\", found {scoring!r}")
        if min_count <= 0:
            raise ValueError(
                f"min_count: must be above 0, found {min_count}")
        if scoring == "default" and threshold <= 0:
            raise ValueError(
                f"threshold: must be above 0, found {threshold}")
        if scoring == "npmi" and not -1 <= threshold <= 1:
            raise ValueError(
                f"threshold: must be -1 to 1 with npmi, found {threshold}")
        self.min_count = min_count
        self.max_vocab_size = max_vocab_size
        self.progress_per = progress_per
        self.threshold = threshold
        self.delimiter = delimiter
        self.scoring = scoring
        self.connector_words = frozenset(connector_words)
        self.corpus_word_count = 0
        self.vocab: Counter[str] = Counter()
        if sentences is not None:
            self.add_vocab(sentences)

    def add_vocab(self, sentences: Iterable[Sentence]) -> None:
        """Counts the words and pairs of more sentences."""
        for sentence in sentences:
            if isinstance(sentence, str):
                raise TypeError("sentences: expected lists of words, found the "
                                f"str {sentence[:20]!r}")
            words = list(sentence)
            _check_str(words)
            self.corpus_word_count += len(words)
            if self.connector_words.isdisjoint(words):
                self.vocab.update(words)
                self.vocab.update(map(self._join, zip(words, words[1:])))
            else:
                self._count_around_connectors(words)

    def _count_around_connectors(self, words: Sentence) -> None:
        """Counts words that are not connectors, and their pairs."""
        places = [i for i, word in enumerate(words)
                  if word not in self.connector_words]
        self.vocab.update(words[i] for i in places)
        self.vocab.update(self._join(words[begin:end + 1])
                          for begin, end in zip(places, places[1:]))

    def score_candidate(self, word_a: str, word_b: str,
                        in_between: Iterable[str]) -> tuple[str, float] | Any:
        a, b = self.vocab.get(word_a, 0), self.vocab.get(word_b, 0)
        phrase = self._join([word_a, *in_between, word_b])
        both = self.vocab.get(phrase, 0)
        if a and b and both:
            score = self._scorer()(a, b, both)
            if score > self.threshold:
                return phrase, score
        return None, None

    def _scorer(self) -> Callable[[int, int, int], float]:
        return self._npmi if self.scoring == "npmi" else self._word2vec_score

    def _word2vec_score(self, a: int, b: int, both: int) -> float:
        return (both - self.min_count) / a / b * len(self.vocab)

    def _npmi(self, a: int, b: int, both: int) -> float:
        if both < self.min_count:
            return -math.inf
        share = both / self.corpus_word_count
        if share == 1:  # 0 / 0: a text of this phrase alone
            return -math.inf
        return math.log(share / (a / self.corpus_word_count)
                        / (b / self.corpus_word_count)) / -math.log(share)

    def export_phrases(self) -> dict[str, float]:
        """Returns all counted phrases with their scores."""
        phrases = {}
        for text in self.vocab:
            parts = text.split(self.delimiter)
            if len(parts) < 2 or self.connector_words & {parts[0], parts[-1]}:
                continue
            phrase, score = self.score_candidate(
                parts[0], parts[-1], parts[1:-1])
            if phrase is not None:
                phrases[phrase] = score
        return phrases

    def freeze(self) -> FrozenPhrases:
        """Returns the phrases without the counts, which is smaller and faster.
        """
        return FrozenPhrases(self)


class FrozenPhrases(_Transformation):
    """The phrases found by a Phrases, with their scores."""

    _KIND = "FrozenPhrases"

    def __init__(self, phrases_model: _Transformation) -> None:
        self.threshold = phrases_model.threshold
        self.delimiter = phrases_model.delimiter
        self.connector_words = phrases_model.connector_words
        self.min_count = phrases_model.min_count
        self.scoring = phrases_model.scoring
        self.phrasegrams: dict[str, float] = {}
        if isinstance(phrases_model, Phrases):
            self.phrasegrams = phrases_model.export_phrases()

    def score_candidate(self, word_a: str, word_b: str,
                        in_between: Iterable[str]) -> tuple[str, float] | Any:
        phrase = self._join([word_a, *in_between, word_b])
        score = self.phrasegrams.get(phrase)
        return (None, None) if score is None else (phrase, score)

    @classmethod
    def _empty(cls) -> Self:
        return cls(Phrases())


Phraser = FrozenPhrases


def _read(path: Path, kind: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf8") as file:
            content = json.load(file)
        if content["format"] == _FORMAT and content["kind"] == kind:
            fields: dict[str, Any] = content["fields"]
            return fields
    except (ValueError, TypeError, KeyError):
        pass
    raise ValueError(f"{os.fsdecode(path)}: expected a file that {kind}.save() "
                     "wrote")
