"""Sequence-to-sequence models, which read a text and write another."""

from __future__ import annotations

import os
from typing import Any

from firth import _native
from firth._library import lib
from firth._native import Path, created, named
from firth._questions import Seq2SeqQuestions


class Seq2Seq(Seq2SeqQuestions):
    """A model written by "firth seq2seq train".

    Its method seq2seq() writes a text for a text, and ask() does so for many.
    Threads may share a model; their calls are processed one after another.
    """

    def __init__(self, handle: Any, path: str = "") -> None:
        self._handle = _native.checked_handle(
            handle, "firth.Seq2Seq", "its load() opens a file")
        self._path = path

    @classmethod
    def load(cls, path: Path) -> Seq2Seq:
        """Opens a model.

        Raises FileNotFoundError and other OSErrors, CorruptFileError,
        ValueError.
        """
        return cls(created("FirthSeq2Seq", lib.firth_seq2seq_load, *named(path),
                           path=path), os.path.abspath(os.fsdecode(path)))

    def __copy__(self) -> Seq2Seq:
        """Returns another object for the same model, which is immutable."""
        return Seq2Seq(self._handle, self._path)

    def __deepcopy__(self, memo: object) -> Seq2Seq:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the path of the file."""
        return Seq2Seq.load, (self._path,)

    def __repr__(self) -> str:
        return "<firth.Seq2Seq>"
