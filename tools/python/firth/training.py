"""Trains word vectors on files or on sentences in memory.

Sentences are iterated once. They become ids while they are read, and all epochs
use the ids, so a generator is sufficient.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from firth import _native
from firth._library import ffi, lib
from firth._native import PATHS, Path, Watch, interruptible
from firth.errors import InterruptedTrainingWarning
from firth._options import encode_options
from firth.progress import (
    Progress as Progress, remembering, reporting, warn)
from firth.sentences import Kind, Sentence, blocks
from firth.vectors import Vectors, load

# The path of a text, a list of pathlib.Path, or sentences.
Sentences = Path | Iterable[Path] | Iterable[Sentence]


def train(corpus: Sentences, *, preset: str | None = None,
          progress: Progress = False, init: Vectors | Path | None = None,
          **options: Any) -> Vectors:
    """Trains word vectors.

    corpus: the path of a text, plain or compressed, with one sentence per line;
    a list of pathlib.Path; or any iterable of sentences, which is iterated
    once. Sentences are lists of words, texts with words separated by white
    space, or arrays of integers, whose words are their digits. preset: "best",
    "small" (for texts below a million words), "fast", "word2vec" or "fasttext".
    progress: True displays the progress; a function is called with a dict a few
    times per second, and stops the training by returning True. init: vectors to
    start from.

    options: those of "firth train", with _ instead of -, such as arch="cbow",
    dim=300, epochs=5, min_count=5, min_n=3, seed=1, threads=1. firth.options()
    lists them.

    Returns the vectors, whose `report` describes what was read and done. Ctrl-C
    ends the training with an InterruptedTrainingWarning and returns what has
    been learned. Raises TypeError for an unknown option, ValueError for an
    invalid value or text, OSError, MemoryError, and any exception of the
    iterable and of `progress`.

    >>> sentences = [["one", "two", "three"], "two three four"] * 10
    >>> firth.train(sentences, dim=8, min_count=1, epochs=1, threads=1)
    <firth.Vectors: 4 words, dim 8, float32>
    """
    given = {"preset": preset, **options}
    start = vectors_of(init, "init")
    handle, report = _learn(
        corpus, progress, given, None, start._handle if start else None)
    return Vectors(handle, report=report)


def vectors_of(given: Vectors | Path | None, name: str) -> Vectors | None:
    """Returns the vectors of an argument, which may be a file."""
    if isinstance(given, PATHS):
        return load(given)
    if given is not None and not isinstance(given, Vectors):
        raise TypeError(f"{name}: expected a firth.Vectors or the path of a "
                        f"file, found {type(given).__name__}")
    return given


def update(model: Any, corpus: Sentences, progress: Progress,
           options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Continues training a model; returns a new handle and a report."""
    return _learn(corpus, progress, options, model, None)


def _learn(corpus: Sentences, progress: Progress, options: Mapping[str, Any],
           model: Any, start: Any) -> tuple[Any, dict[str, Any]]:
    progress = remembering(progress)
    read = read_corpus(corpus, progress, options, ("train",), model)
    return train_on(read, progress, options, start)


def train_on(corpus: Any, progress: Progress, options: Mapping[str, Any],
             start: Any = None) -> tuple[Any, dict[str, Any]]:
    """Trains vectors on a FirthCorpus; returns their handle and a report."""
    return trained("FirthVectors", progress, lib.firth_train, corpus,
                   *encode_options(options, "train"), start or ffi.NULL)


def trained(kind: str, progress: Progress, function: Any,
            *arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Makes a training call, which Ctrl-C ends with a result.

    kind: the type of the model. Returns its handle and the report.
    """
    with reporting(progress) as report_events:
        watch = Watch(report_events)
        handle, report = watch.run(
            function, *arguments, creates=(kind, "FirthBuffer"), partial=True)
    if watch.interrupted:
        warn("the training run was interrupted; the result is what was "
             "learned so far",
             InterruptedTrainingWarning)
    return handle, _native.buffer_json(report)


def reported(progress: Progress, function: Any,
             *arguments: Any) -> dict[str, Any]:
    """Makes a call that measures, and returns its report."""
    with reporting(progress) as events:
        report: dict[str, Any] = _native.buffer_json(interruptible(
            function, *arguments, creates="FirthBuffer", report=events))
    return report


def read_corpus(corpus: Sentences, progress: Progress,
                options: Mapping[str, Any], calls: tuple[str, ...],
                model: Any = None, kind: Kind | None = None) -> Any:
    """Reads a corpus into ids: a FirthCorpus.

    calls: names of the calls whose options are allowed; model: null, or a model
    to continue; kind: as for blocks().
    """
    source = _source_of(corpus, kind)
    if "input" in options:
        raise TypeError("input: pass the corpus as the first argument")
    if source.files is not None:
        options = {**options, "input": source.files}
    given = *encode_options(options, *calls, "train"), model or ffi.NULL
    call: tuple[Any, ...] = (
        (lib.firth_corpus_read_sentences, lib.next_sentences)
        if source.files is None else (lib.firth_corpus_read,))
    try:
        with reporting(progress) as report:
            handle, = Watch(report, source.blocks).run(
                *call, *given, creates=("FirthCorpus",))
    except FileNotFoundError as error:
        if isinstance(corpus, str):
            error.add_note("A str is the path of a text; sentences in memory "
                           "are given as a list of them.")
        raise
    return handle


class _Source(NamedTuple):
    files: list[str] | None
    blocks: Any


def _source_of(corpus: Any, kind: Kind | None) -> _Source:
    if isinstance(corpus, PATHS):
        return _Source([os.fsdecode(corpus)], None)
    if isinstance(corpus, bytearray) or not hasattr(
            corpus, "__iter__"):
        raise TypeError("corpus: expected a path or sentences, found "
                        + type(corpus).__name__)
    if hasattr(corpus, "columns") and getattr(corpus, "ndim", 1) == 2:
        raise TypeError("corpus: expected a path or sentences, found a "
                        "table; pass the column with the texts")
    if isinstance(corpus, (list, tuple)) and corpus:
        if all(isinstance(item, os.PathLike) for item in corpus):
            return _Source([os.fsdecode(item) for item in corpus], None)
        _refuse_file_names(corpus)
    return _Source(None, blocks(corpus, kind))


def _refuse_file_names(corpus: list[Any] | tuple[Any, ...]) -> None:
    """Raises ValueError for a list of str that are file names, not sentences.
    """
    if all(isinstance(item, str) for item in corpus[:10]) and os.path.isfile(
            corpus[0]):
        raise ValueError(
            f"corpus: {corpus[0]!r} is a file, but each str in a list is read "
            "as a sentence; to read files, list pathlib.Path objects")
