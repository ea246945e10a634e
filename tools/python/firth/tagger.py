"""Taggers, which assign a tag to each token of a sentence."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

import numpy as np

from firth import _native
from firth._library import ffi, lib
from firth._native import Path, created, interruptible, named
from firth._options import encode_options
from firth._questions import TaggerQuestions
from firth.sentences import Sentence, to_block

Tagged = list[tuple[str, float]]


class Tagger(TaggerQuestions):
    """A tagger written by "firth tag train".

    Threads may share a tagger; their calls are processed one after another.
    """

    def __init__(self, handle: Any, source: tuple[Any, ...] = ()) -> None:
        self._handle = _native.checked_handle(
            handle, "firth.Tagger", "its load() opens a file")
        self.tags: list[str] = _native.json_of(lib.firth_tagger_tags, handle)
        self._source = source  # The path and the options of load().

    @classmethod
    def load(cls, path: Path, *, vectors: Path | None = None,
             contextualizer: Path | None = None,
             threads: int | None = None) -> Tagger:
        """Opens a tagger.

        vectors, contextualizer: the files with which it was trained. A file
        written by "firth tag pack" contains them. Raises FileNotFoundError and
        other OSErrors, CorruptFileError, ValueError.
        """
        given = encode_options(
            {"vectors": vectors, "contextualizer": contextualizer,
             "threads": threads})
        return cls(created("FirthTagger", lib.firth_tagger_load, *named(path),
                           *given, path=path),
                   (_whole_path(path), {
                       "vectors": _whole_path(vectors), "threads": threads,
                       "contextualizer": _whole_path(contextualizer)}))

    def __copy__(self) -> Tagger:
        """Returns another object for the same tagger, which is immutable."""
        return Tagger(self._handle, self._source)

    def __deepcopy__(self, memo: object) -> Tagger:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the paths of the files."""
        path, options = self._source
        return functools.partial(Tagger.load, **options), (path,)

    def __repr__(self) -> str:
        return f"<firth.Tagger: {len(self.tags)} tags>"

    @overload
    def tag(self, sentences: Iterable[Sentence], *,
            probabilities: Literal[False] = False) -> list[list[str]]: ...
    @overload
    def tag(self, sentences: Iterable[Sentence], *,
            probabilities: Literal[True]) -> list[Tagged]: ...

    def tag(self, sentences: Iterable[Sentence], *,
            probabilities: bool = False) -> list[list[str]] | list[Tagged]:
        """Returns the tags of the tokens of each sentence.

        sentences: lists of tokens, or texts whose tokens are separated by white
        space. With probabilities=True, returns pairs of a tag and its
        probability, which doubles the time for some taggers.
        """
        (text, offsets), ends = to_block(_native.listed(sentences, "sentences"))
        tokens = len(offsets) - 1
        tags = np.empty(tokens, np.int32)
        chances = np.empty(tokens if probabilities else 0, np.float64)
        interruptible(
            lib.firth_tagger_tag, self._handle, text, _native.ints(offsets),
            _native.ints(ends), len(ends) - 1,
            results=(ffi.from_buffer("int32_t[]", tags),
                     ffi.from_buffer("double[]", chances) if probabilities
                     else ffi.NULL))
        names = [self.tags[i] for i in tags.tolist()]
        if probabilities:
            pairs = list(zip(names, chances.tolist()))
            return [pairs[part] for part in _parts(ends.tolist())]
        return [names[part] for part in _parts(ends.tolist())]


def _whole_path(path: Path | None) -> str | None:
    return None if path is None else os.path.abspath(os.fsdecode(path))


def _parts(ends: list[int]) -> Iterator[slice]:
    return map(slice, ends, ends[1:])
