"""Language models: contextual vectors of tokens, and probabilities."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _native
from firth._library import ffi, lib
from firth._native import Floats, Path, check, created, interruptible, named
from firth._options import encode_options
from firth._questions import LanguageModelQuestions
from firth.progress import Progress, remembering
from firth.sentences import Sentence, to_block
from firth.training import (
    Sentences, read_corpus, reported, trained, vectors_of)
from firth.vectors import Vectors, content_of, opened_from


@dataclass(frozen=True)
class Generated:
    """A generated sentence: words, ln p in nats, and whether it has an end."""

    words: list[str]
    log_probability: float
    ended: bool


class LanguageModel(LanguageModelQuestions):
    """A language model over words, made by load() and train().

    Threads may share a model; their calls are processed one after another.

    >>> language_model.embed([["the", "king"], ["queen"]])[0].shape
    (3, 2, 256)
    """

    def __init__(self, handle: Any, report: dict[str, Any] | None = None,
                 source: str | None = None) -> None:
        self._handle = _native.checked_handle(
            handle, "firth.LanguageModel", "its load() opens a file, its "
            "train() learns")
        self._description = _native.json_of(
            lib.firth_language_model_describe, handle)
        self.report = report
        self._source = source  # its file, by the whole path

    @classmethod
    def load(cls, path: Path) -> LanguageModel:
        """Opens a model written by save() or "firth lm train".

        Raises FileNotFoundError and other OSErrors, CorruptFileError, and
        ValueError for a file that is not a language model.
        """
        handle = created("FirthLanguageModel", lib.firth_language_model_load,
                         *named(path), path=path)
        return cls(handle, source=os.path.abspath(os.fsdecode(path)))

    @classmethod
    def train(cls, corpus: Sentences, *, progress: Progress = False,
              vectors: Vectors | Path | None = None,
              **options: Any) -> LanguageModel:
        """Trains a model; corpus, progress and errors are as for firth.train().

        vectors: vectors of the words, or None. options: those of "firth lm
        train", such as units=256, epochs=5.
        """
        words = vectors_of(vectors, "vectors")
        given = encode_options(options, "lm-train")
        progress = remembering(progress)
        read = read_corpus(corpus, progress, {"min_count": 1}, ())
        return cls(*trained(
            "FirthLanguageModel", progress, lib.firth_language_model_train,
            read, *given, words._handle if words else ffi.NULL))

    def save(self, path: Path) -> None:
        """Writes the model, whole or not at all. Raises OSError."""
        check(lib.firth_language_model_save(self._handle, *named(path)), path)

    @property
    def layers(self) -> int:
        """The number of layers in the result of embed(), including the tokens'.
        """
        return int(self._description["layers"])

    @property
    def dim(self) -> int:
        """The number of dimensions of a token in each layer."""
        return int(self._description["dim"])

    def __repr__(self) -> str:
        return f"<firth.LanguageModel: {self.layers} layers, dim {self.dim}>"

    def __copy__(self) -> LanguageModel:
        """Returns another object for the same model, which is immutable."""
        return LanguageModel(self._handle, self.report, self._source)

    def __deepcopy__(self, memo: object) -> LanguageModel:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the path of the file, or the content if there is no file."""
        if self._source is not None:
            return LanguageModel.load, (self._source,)
        return _restore, (content_of(self.save),)

    def embed(self, sentences: Iterable[Sentence],
              layers: str | int = "all", **options: Any) -> list[Floats]:
        """Returns the contextual vectors of the tokens of each sentence.

        sentences: lists of words, or texts whose words are separated by white
        space. layers: "all" returns float32 [layers, tokens, dim] for each
        sentence; "top" or a number returns [tokens, dim] for that layer.
        options: those of "firth embed": stateful (each sentence continues from
        the previous one in this call), batch, long_sentences ("windows" or
        "refuse"), pieces ("mean", "first" or "last" of a word's pieces),
        threads. The arrays are read-only and share memory.
        """
        chosen = self._layer(layers)
        (text, offsets), ends = to_block(_native.listed(sentences, "sentences"))
        buffer = interruptible(
            lib.firth_language_model_embed, self._handle, text,
            _native.ints(offsets), _native.ints(ends), len(ends) - 1,
            *encode_options(options, "embed"), creates="FirthBuffer")
        values = np.frombuffer(_native.buffer_view(buffer), np.float32)
        a_token = self.layers * self.dim
        return [values[begin * a_token:end * a_token].reshape(
                    self.layers, end - begin, self.dim)[chosen]
                for begin, end in zip(ends.tolist(), ends[1:].tolist())]

    def _layer(self, layers: str | int) -> Any:
        if layers == "all":
            return slice(None)
        if layers == "top":
            return self.layers - 1
        if (isinstance(layers, (int, np.integer))
                and not isinstance(layers, bool)
                and layers in range(self.layers)):
            return int(layers)
        raise ValueError('layers: expected "all", "top" or 0 to '
                         f"{self.layers - 1}, found {layers!r}")

    def score(self, sentences: Iterable[Sentence]) -> NDArray[np.float64]:
        """Returns ln p of each sentence and its end, in nats.

        The result is float64 [sentences]. Raises ValueError if the model has no
        probabilities.
        """
        (text, offsets), ends = to_block(_native.listed(sentences, "sentences"))
        n = len(ends) - 1
        scores = np.empty(n, np.float64)
        interruptible(
            lib.firth_language_model_score, self._handle, text,
            _native.ints(offsets), _native.ints(ends), n,
            results=(ffi.from_buffer("double[]", scores), ffi.NULL, ffi.NULL))
        return scores

    def perplexity(self, corpus: Sentences, *, progress: Progress = False,
                   **options: Any) -> dict[str, Any]:
        """Measures how well the model predicts a text, as for firth.train().

        Returns a dict with "forward" and "backward". Each is a dict with
        tokens, unknown, loss (nats per token) and perplexity, or None.
        """
        read = read_corpus(corpus, progress, {"min_count": 1}, ())
        given = encode_options(options, "perplexity")
        return reported(progress, lib.firth_language_model_perplexity,
                        self._handle, read, *given)

    def generate(self, prompt: str | Sequence[str] = (),
                 **options: Any) -> list[Generated]:
        """Generates sentences.

        prompt: the words with which they begin. options: those of "firth lm
        generate", such as temperature=0.8, seed=1.
        """
        words = prompt.split() if isinstance(
            prompt, str) else _native.listed(prompt, "prompt")
        given = encode_options({**options, "prompt": words}, "generate")
        buffer = interruptible(lib.firth_language_model_generate, self._handle,
                               *given, creates="FirthBuffer")
        return [Generated(**sentence)
                for sentence in _native.buffer_json(buffer)]


def _restore(content: bytes) -> LanguageModel:
    # The new object must not refer to the file, which is gone.
    return LanguageModel(opened_from(content, LanguageModel.load)._handle)
