"""Sentences of Python programs as blocks of bytes, some hundreds at a time.

Nothing here runs once a word but functions written in C: a block comes about
in a few of them (chain, join, encode, len).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth._native import Ids, Texts, join, offsets_of
from firth.errors import plain

# A list of words, a text with white space between them, or ids.
Sentence = str | Sequence[str] | Sequence[int] | NDArray[Any]

_SENTENCES_A_BLOCK = 500


class Kind:
    """Whether all words of sentences are whole numbers, or all are str."""

    def __init__(self, whole: bool | None = None) -> None:
        self.whole = whole  # None: no word has been read

    def check(self, sentences: Sequence[Sequence[Any]], first: int) -> None:
        """Raises TypeError of the first word of the other kind."""
        types = set(map(type, chain.from_iterable(sentences)))
        kinds = {not issubclass(kind, str) for kind in types}
        if len(kinds) == 1 and self.whole in (None, *kinds):
            self.whole = kinds.pop()
            return
        for number, sentence in enumerate(sentences, first):
            for position, word in enumerate(sentence):
                whole = not isinstance(word, str)
                if self.whole is None:
                    self.whole = whole
                if whole != self.whole:
                    expected = "a whole number" if self.whole else "a str"
                    raise TypeError(
                        f"sentence {number}, word {position}: expected "
                        f"{expected}, as the words before it, found "
                        f"{plain(word)!r}")


def blocks(sentences: Iterable[Sentence],
           kind: Kind | None = None) -> Iterator[tuple[Texts, Ids]]:
    """The sentences, each asked for once, as words and n + 1 offsets in them.

    kind: if not None, what the words are must not change, and is kept there.
    No block is without words. Raises TypeError and ValueError that name the
    sentence, counted from 0.
    """
    if isinstance(sentences, Mapping):
        raise TypeError("expected sentences, found a "
                        f"{type(sentences).__name__}, of which only the keys "
                        "would be read")
    remaining = iter(sentences)
    first = 0
    while batch := list(islice(remaining, _SENTENCES_A_BLOCK)):
        block = to_block(batch, first, kind)
        first += len(batch)
        if len(block[0][1]) > 1:
            yield block


def to_block(sentences: Sequence[Sentence], first: int = 0,
             kind: Kind | None = None) -> tuple[Texts, Ids]:
    """Sentences as one block; `first` is the number of the first in errors."""
    if set(map(type, sentences)) <= {list, tuple}:
        cut: Sequence[Any] = sentences
    else:
        cut = [_words_of(sentence, first + i)
               for i, sentence in enumerate(sentences)]
    words = list(chain.from_iterable(cut))
    try:
        texts = join(words)
        if kind is not None and kind.whole is not False:
            kind.check(cut, first)
    except TypeError:
        if kind is not None:
            kind.check(cut, first)
        cut = [_names_of(sentence, first + i)
               for i, sentence in enumerate(cut)]
        texts = join(list(chain.from_iterable(cut)))
    if not all(words):
        _check_words(cut, first)
    return texts, offsets_of(cut)


def _words_of(sentence: Any, number: int) -> Sequence[Any]:
    """The words of any sentence: strings, or the numbers that name them."""
    if isinstance(sentence, str):
        return sentence.split()
    if isinstance(sentence, np.ndarray) and sentence.ndim == 1:
        items: list[Any] = sentence.tolist()
        return items
    if isinstance(sentence, (list, tuple)):
        return sentence
    if isinstance(sentence, (bytes, np.ndarray, Mapping)) or not hasattr(
            sentence, "__iter__"):
        raise TypeError(f"sentence {number}: expected a str or a list of str, "
                        f"found {_kind(sentence)}")
    return list(sentence)


def _names_of(sentence: Sequence[Any], number: int) -> list[str]:
    """Words as str, of which whole numbers are written with digits."""
    return [word if isinstance(word, str) else _digits(word, number, position)
            for position, word in enumerate(sentence)]


def _digits(word: Any, number: int, position: int) -> str:
    if isinstance(word, bool) or not isinstance(word, (int, np.integer)):
        raise TypeError(f"sentence {number}, word {position}: expected a str "
                        f"or a whole number, found {_kind(word)}")
    return str(word)


def _check_words(sentences: Sequence[Sequence[Any]], first: int) -> None:
    for number, sentence in enumerate(sentences, first):
        for position, word in enumerate(sentence):
            if word == "":
                raise ValueError(f"sentence {number}, word {position}: "
                                 "a word must not be empty")


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return type(value).__name__
