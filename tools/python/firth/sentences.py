"""Vectors of sentences, and the conversion of sentences to blocks of bytes.

A block holds a few hundred sentences. It is built by a few functions written in
C (chain, join, encode, len), so that no Python code runs for each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth._native import Floats, Ids, Path, Texts, join, listed, offsets_of
from firth.errors import plain

if TYPE_CHECKING:
    from firth.vectors import Vectors

# A list of words, a text with white space between them, or ids.
Sentence = str | Sequence[str] | Sequence[int] | NDArray[Any]

_SENTENCES_A_BLOCK = 500


class Sentences:
    """The vectors of texts of a model, such as "firth sentences train" writes.

    Any vectors can be used: a model without an encoder of its own gives the
    mean of the vectors of the words. options: those of "firth
    sentence-vectors". Threads may share an object.
    """

    def __init__(self, vectors: Vectors, **options: Any) -> None:
        if not hasattr(vectors, "_text_encoder"):
            raise TypeError(
                f"vectors: expected firth.Vectors, found {plain(vectors)!r}; "
                "firth.Sentences.load() opens a file")
        self._vectors = vectors
        self._options = options
        self._encoder = vectors._text_encoder(options)

    @classmethod
    def load(cls, path: Path, **options: Any) -> Sentences:
        """Opens a model; see firth.load() for the files and errors."""
        from firth.vectors import load

        return cls(load(path), **options)

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return self._vectors.dim

    def encode(self, texts: Iterable[str], normalize: bool = False,
               dim: int | None = None) -> Floats:
        """Returns the vectors of texts: float32 [n, dim].

        A text of which no word has a vector gets zeros. normalize: scale the
        vectors to length 1. dim: number of leading dimensions to return, for
        models trained with nested dimensions. All cores are used.
        """
        from firth.vectors import encode_texts

        if dim is not None and not 1 <= dim <= self.dim:
            raise ValueError(f"dim: expected 1 to {self.dim}, found {dim}")
        rows, _ = encode_texts(self._encoder, self.dim, listed(texts, "texts"))
        if dim is not None:
            rows = np.ascontiguousarray(rows[:, :dim])
        if normalize:
            norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            rows /= np.where(norms > 0, norms, 1)[:, None]
        return rows

    def similarity(self, a: str | Iterable[str],
                   b: str | Iterable[str]) -> float | Floats:
        """Returns the cosine of two texts, or of all pairs of two lists.

        A list and a text give an array [n], two lists [len(a), len(b)]. The
        cosine with a text without known words is 0.
        """
        rows, columns = (
            self.encode([side] if isinstance(side, str) else side, True)
            for side in (a, b))
        cosines: Floats = rows @ columns.T
        if isinstance(b, str):
            cosines = cosines[:, 0]
        if isinstance(a, str):
            cosines = cosines[0]
        return float(cosines) if cosines.ndim == 0 else cosines

    def __repr__(self) -> str:
        return f"<firth.Sentences: {self._vectors!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._vectors, self._options)


def _restore(vectors: Vectors, options: dict[str, Any]) -> Sentences:
    return Sentences(vectors, **options)


class Kind:
    """Whether all words of the sentences are whole numbers, or all are str."""

    def __init__(self, whole: bool | None = None) -> None:
        self.whole = whole  # None: no word has been read

    def check(self, sentences: Sequence[Sequence[Any]], first: int) -> None:
        """Raises TypeError for the first word of the other kind."""
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
    """Yields blocks of sentences as words and n + 1 offsets into them.

    Each sentence is requested once. kind: if not None, all words must be of the
    same kind, which is recorded there. Blocks always contain words. Raises
    TypeError and ValueError that name the sentence, counted from 0.
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
    """Returns sentences as one block; `first` is the first number in errors."""
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
    """Returns the words of any sentence: strings, or numbers that name them."""
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
    """Returns words as str; whole numbers become their digits."""
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
