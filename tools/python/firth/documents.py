"""Vectors of documents, trained together with weights that predict words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from firth import _native
from firth._library import ffi, lib
from firth._native import (
    PATHS, Floats, Ids, Path, Texts, Watch, check, created, interruptible, ints,
    join, named, offsets_of)
from firth._options import encode_options
from firth.progress import Progress, remembering, reporting
from firth.sentences import Kind, Sentence, to_block
from firth.training import trained
from firth.vectors import Vectors, content_of, opened_from

_DOCUMENTS_A_BLOCK = 500


def _is_tag(tag: Any) -> bool:
    return isinstance(tag, (str, int, np.integer))


def _text_of(tag: Any) -> Any:
    return str(tag) if _is_tag(tag) and not isinstance(tag, bool) else tag


class Documents:
    """A model with a vector for each tag of its documents.

        model = firth.Documents.train(texts, dim=100, epochs=20)
        model.vectors                    # a firth.Vectors, whose words are tags
        model.infer(["a new document"])  # an array [1, dim]
        model.save("docs.safetensors")

    A document has the same inferred vector each time. Threads may share a
    model.
    """

    def __init__(self, handle: Any,
                 report: Mapping[str, Any] | None = None) -> None:
        self._handle = _native.checked_handle(
            handle, "firth.Documents", "its load() opens a file")
        self.report = report
        self._described: dict[str, Any] = _native.json_of(
            lib.firth_documents_describe, handle)

    @classmethod
    def train(cls, documents: Path | Iterable[Sentence],
              tags: Sequence[str | int | Sequence[str | int]] | None = None, *,
              progress: Progress = False, **options: Any) -> Documents:
        """Trains vectors of documents.

        documents: the path of a text with one document per line, or any
        iterable of documents, which is iterated once. Documents are lists of
        words, or texts with words separated by white space. tags: one tag or a
        list of tags for each document; by default, a document's position,
        counted from 0. Whole numbers become tags of their digits. progress: as for firth.train().

        options: those of "firth documents train", with _ instead of -, such as
        arch="dm", dim=100, epochs=20, min_count=5, seed=1, threads=1.
        firth.options("documents-train") lists them.

        Ctrl-C ends the training with an InterruptedTrainingWarning and returns
        what has been learned. Raises TypeError for an unknown option,
        ValueError for an invalid value or text, OSError, MemoryError.

        >>> made = firth.Documents.train(
        ...     ["a b c", "b c d"] * 10, dim=8, min_count=1, threads=1)
        >>> len(made.vectors), made.infer(["a b"]).shape
        (20, (1, 8))
        """
        progress = remembering(progress)
        read = DocumentCorpus(documents, options, progress)
        named_by: Iterable[Any] = (
            range(read.size) if tags is None
            else (tags if not isinstance(tags, str) else [tags]))
        lists = [list(map(_text_of, [tag] if _is_tag(tag) else tag))
                 for tag in named_by]
        return read.train(lists, options, progress)

    @classmethod
    def load(cls, path: Path) -> Documents:
        """Opens a model of save() or "firth documents train".

        Raises FileNotFoundError and other OSErrors, CorruptFileError,
        ValueError.
        """
        return cls(created("FirthDocuments", lib.firth_documents_load,
                           *named(path), path=path))

    def save(self, path: Path) -> None:
        """Writes a .safetensors file, which firth.load() opens as vectors of
        the tags."""
        check(lib.firth_documents_save(self._handle, *named(path)), path)

    @property
    def dim(self) -> int:
        """The number of dimensions of the vectors."""
        return int(self._described["dim"])

    @property
    def options(self) -> dict[str, Any]:
        """The options of training."""
        return dict(self._described["options"])

    @property
    def metadata(self) -> dict[str, str]:
        """The texts in the metadata of the file."""
        return dict(self._described["metadata"])

    @property
    def has_word_vectors(self) -> bool:
        """Whether word vectors were trained, in the space of the documents."""
        return bool(self._described["word_vectors"])

    @property
    def vectors(self) -> Vectors:
        """The vectors of the tags."""
        return Vectors(created("FirthVectors", lib.firth_documents_vectors,
                               self._handle))

    @property
    def words(self) -> Vectors:
        """The words and their vectors, which are zero if they were not trained.
        """
        return Vectors(created("FirthVectors", lib.firth_documents_words,
                               self._handle))

    def infer(self, documents: Iterable[Sentence], **options: Any) -> Floats:
        """Returns the vectors of new documents: [documents, dim].

        A document without a known word has a zero vector. options: epochs,
        learning_rate, min_learning_rate, threads; by default, those of
        training. Raises TypeError, ValueError.
        """
        if isinstance(documents, str):
            raise TypeError("documents: expected a list of documents, found "
                            "one str")
        (text, offsets), lists = to_block(list(documents))
        rows: Floats = np.zeros((len(lists) - 1, self.dim), np.float32)
        interruptible(
            lib.firth_documents_infer, self._handle, text, ints(offsets), ints(lists),
            len(lists) - 1, *encode_options(options, "documents-infer"),
            results=(_native.floats(rows), ffi.NULL))
        return rows

    def _annotated(self, entries: Mapping[str, str]) -> Documents:
        """Returns the model with further metadata."""
        text = json.dumps(dict(entries)).encode()
        return Documents(created(
            "FirthDocuments", lib.firth_documents_annotate, self._handle,
            text, len(text)), self.report)

    def __copy__(self) -> Documents:
        """Returns another object for the same model, which is immutable."""
        return Documents(self._handle, self.report)

    def __deepcopy__(self, memo: object) -> Documents:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the content of the file."""
        return _restore, (content_of(self.save),)

    def __len__(self) -> int:
        return int(self._described["documents"])

    def __repr__(self) -> str:
        return (f"<firth.Documents: {len(self)} tags, "
                f"{self._described['words']} words, dim {self.dim}>")


def _restore(content: bytes) -> Documents:
    return opened_from(content, Documents.load)  # type: ignore[no-any-return]


class DocumentCorpus:
    """Documents as ids, with their words and counts: a FirthCorpus."""

    def __init__(self, source: Path | Iterable[Sentence],
                 options: Mapping[str, Any], progress: Progress = False,
                 kind: Kind | None = None) -> None:
        """Reads documents from a path, or from an iterable, which is iterated
        once."""
        if "input" in options:
            raise TypeError("input: pass the documents as the first argument")
        blocks = None
        if isinstance(source, PATHS):
            options = {**options, "input": [os.fsdecode(source)]}
        else:
            if isinstance(source, Mapping) or not hasattr(source, "__iter__"):
                raise TypeError("documents: expected a path or documents, "
                                f"found {type(source).__name__}")
            blocks = _blocks(source, kind)
        with reporting(progress) as report:
            self.handle, = Watch(report, blocks).run(
                lib.firth_documents_read,
                ffi.NULL if blocks is None else lib.next_sentences,
                *encode_options(options, "documents-train"),
                creates=("FirthCorpus",))
        self.description: dict[str, Any] = _native.json_of(
            lib.firth_corpus_describe, self.handle)

    @property
    def size(self) -> int:
        """The number of documents."""
        return int(self.description["lines"])

    def train(self, tags: Sequence[Sequence[str]], options: Mapping[str, Any],
              progress: Progress) -> Documents:
        """Trains a model; tags: those of each document."""
        text, offsets = join([tag for of_one in tags for tag in of_one])
        handle, report = trained(
            "FirthDocuments", progress, lib.firth_documents_train, self.handle,
            text, ints(offsets), ints(offsets_of(tags)), len(tags),
            *encode_options(options, "documents-train"))
        return Documents(handle, report)


def _blocks(documents: Iterable[Sentence],
            kind: Kind | None) -> Iterator[tuple[Texts, Ids]]:
    """Yields documents in blocks, including those without words."""
    remaining = iter(documents)
    first = 0
    while batch := list(islice(remaining, _DOCUMENTS_A_BLOCK)):
        has_words = kind is not None and any(map(len, batch))
        yield to_block(batch, first, kind if has_words else None)
        first += len(batch)
