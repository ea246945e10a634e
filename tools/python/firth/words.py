"""The words of a vocabulary: a sequence of str over one block of bytes.

Each str is created when it is requested. Eight million words thus take one
block of bytes and its offsets instead of eight million objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import eq
from typing import overload

from firth._native import Ids, decode
from firth.errors import plain

# Words that are made together when all are asked for.
_PIECE = 4096


class Words(Sequence[str]):
    """The words by id; training orders them by frequency, highest first.

    >>> vectors.words[0]
    'the'
    >>> list(vectors.words[:2])
    ['the', 'king']
    >>> vectors.words.index("queen")
    2
    """

    def __init__(self, text: memoryview, offsets: Ids,
                 find: Callable[[str], int]) -> None:
        self._text = text
        self._offsets = offsets
        self._find = find

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, item: int) -> str: ...
    @overload
    def __getitem__(self, item: slice) -> list[str]: ...

    def __getitem__(self, item: int | slice) -> str | list[str]:
        if isinstance(item, slice):
            return [self[i] for i in range(*item.indices(len(self)))]
        try:
            word_id = range(len(self))[item]
        except IndexError:
            raise IndexError(f"word {item}: there are only {len(self)} "
                             "words") from None
        except TypeError:
            raise TypeError("words: expected a whole number or a slice, found "
                            + type(item).__name__) from None
        begin, end = self._offsets[word_id:word_id + 2].tolist()
        return decode(bytes(self._text[begin:end]))

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _PIECE):
            ends = self._offsets[first:first + _PIECE + 1].tolist()
            text = bytes(self._text[ends[0]:ends[-1]])
            for begin, end in zip(ends, ends[1:]):
                yield decode(text[begin - ends[0]:end - ends[0]])

    def __eq__(self, other: object) -> bool:
        """Returns whether `other` contains the same words in the same order."""
        if not isinstance(other, (Words, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type, tuple[list[str]]]:
        """Pickles and deep-copies as a list, without the model."""
        return list, (list(self),)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._find(word) >= 0

    def index(self, word: str, start: int = 0, stop: int | None = None) -> int:
        """Returns the id of a word. Raises ValueError if it is unknown."""
        word_id = self._find(word) if isinstance(word, str) else -1
        if word_id not in range(len(self))[start:stop]:
            raise ValueError(f"{plain(word)!r} is not among the words")
        return word_id

    def count(self, word: str) -> int:
        """Returns 1 for a word of the vocabulary, otherwise 0."""
        return int(word in self)

    def __repr__(self) -> str:
        first = ", ".join(map(repr, self[:5]))
        more = ", ..." if len(self) > 5 else ""
        return f"<{len(self):,} words: {first}{more}>"
