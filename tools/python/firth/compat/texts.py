"""gensim's inputs: files with one sentence per line, and similar ones."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, cast

from firth._native import Path as AnyPath

# Words of a sentence at most: what is longer comes in pieces.
MAX_WORDS_IN_BATCH = 10000
_OPENERS: dict[str, Any] = {
    ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def open_text(path: AnyPath, encoding: str = "utf8",
              errors: str = "strict") -> TextIO:
    """Opens a text, plain or compressed according to its extension."""
    opener = _OPENERS.get(Path(os.fsdecode(path)).suffix, open)
    return cast(TextIO, opener(path, "rt", encoding=encoding, errors=errors))


def write_text(path: AnyPath, text: str) -> None:
    """Writes a text, whole or not at all. Raises OSError."""
    part = Path(f"{os.fsdecode(path)}.part")
    try:
        part.write_text(text, "utf8", "surrogateescape")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


class LineSentence:
    """The lines of a text as lists of words; each iteration starts anew.

    source: a path, or an open file, which must be seekable.
    max_sentence_length: split longer lines into pieces of this many words.
    limit: maximum number of lines. A path is read by Firth itself when it is
    used for training.
    """

    def __init__(self, source: Any,
                 max_sentence_length: int = MAX_WORDS_IN_BATCH,
                 limit: int | None = None) -> None:
        self.source = source
        self.max_sentence_length = max_sentence_length
        self.limit = limit

    def __iter__(self) -> Iterator[list[str]]:
        if hasattr(self.source, "seek"):
            self.source.seek(0)
            yield from self._sentences(self.source)
        else:
            with open_text(self.source) as lines:
                yield from self._sentences(lines)

    def _sentences(self, lines: Any) -> Iterator[list[str]]:
        for line in islice(lines, self.limit):
            words = (line.decode("utf8") if isinstance(line, bytes)
                     else line).split()
            for begin in range(0, len(words), self.max_sentence_length):
                yield words[begin:begin + self.max_sentence_length]

    def files(self) -> list[Path] | None:
        """Returns the files that hold all lines, or None."""
        if (hasattr(self.source, "seek") or self.limit is not None
                or self.max_sentence_length != MAX_WORDS_IN_BATCH):
            return None
        return [Path(os.fsdecode(self.source))]


class PathLineSentences(LineSentence):
    """LineSentence over all files in a folder, in the order of their names.

    source: the folder, or one file. Raises ValueError if there is neither.
    """

    def __init__(self, source: AnyPath,
                 max_sentence_length: int = MAX_WORDS_IN_BATCH,
                 limit: int | None = None) -> None:
        super().__init__(source, max_sentence_length, limit)
        path = Path(os.fsdecode(source))
        if not path.exists():
            raise ValueError(f"{path}: there is no file or folder with this "
                             "name")
        self.input_files = [str(path)] if path.is_file() else sorted(
            str(file) for file in path.iterdir() if file.is_file())

    def __iter__(self) -> Iterator[list[str]]:
        for name in self.input_files:
            with open_text(name) as lines:
                yield from self._sentences(lines)

    def files(self) -> list[Path] | None:
        one = super().files()
        return None if one is None else [Path(f) for f in self.input_files]


class Text8Corpus:
    """The words of a text without lines, in pieces of a fixed number of words.
    """

    def __init__(self, fname: AnyPath,
                 max_sentence_length: int = MAX_WORDS_IN_BATCH) -> None:
        self.fname = fname
        self.max_sentence_length = max_sentence_length

    def __iter__(self) -> Iterator[list[str]]:
        words = _words_of(self.fname)
        while sentence := list(islice(words, self.max_sentence_length)):
            yield sentence


def _words_of(path: AnyPath) -> Iterator[str]:
    """Yields the words of a text, with a few thousand characters in memory."""
    with open_text(path) as text:
        rest = ""
        while block := text.read(65536):
            whole, rest = _split_last(rest + block)
            yield from whole.split()
        yield from rest.split()


def _split_last(text: str) -> tuple[str, str]:
    """Splits off what may be an incomplete word at the end of a text."""
    whole = text.rstrip()
    if len(whole) < len(text):
        return text, ""
    begin = max(map(text.rfind, " \n\t\r")) + 1
    return text[:begin], text[begin:]
