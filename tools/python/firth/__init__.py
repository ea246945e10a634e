"""Trains word vectors, queries them, and evaluates them.

    import firth

    model = firth.train("corpus.txt", arch="skipgram", dim=100)
    model.most_similar("king", topn=10)
    model.save("model.safetensors")

    vectors = firth.load("vectors.safetensors")   # any format
    vectors["king"]                               # a read-only array [dim]

Names of this package, and NumPy with them, are imported when they are first
used, as SPEC 1 of Scientific Python describes. A program therefore only waits
for the parts that it uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firth._ask import ask as ask, questions as questions
    from firth.classifier import Classifier as Classifier
    from firth.documents import Documents as Documents
    from firth.errors import (
        CorruptFileError as CorruptFileError,
        InterruptedTrainingWarning as InterruptedTrainingWarning,
        LossyWarning as LossyWarning,
        UnknownWordError as UnknownWordError,
    )
    from firth.evaluation import (
        AnalogyResult as AnalogyResult,
        Evaluation as Evaluation,
        RankingQuality as RankingQuality,
        RetrievalResult as RetrievalResult,
        SimilarityResult as SimilarityResult,
    )
    from firth.language_model import LanguageModel as LanguageModel
    from firth._options import (
        __version__ as __version__, build_info as build_info,
        options as options, version as version)
    from firth.sentences import Sentences as Sentences
    from firth.seq2seq import Seq2Seq as Seq2Seq
    from firth.tagger import Tagger as Tagger
    from firth.training import train as train
    from firth.vectors import Vectors as Vectors, load as load

_HOMES = {name: home for home, names in {
    "_ask": ["ask", "questions"],
    "_options": ["__version__", "build_info", "options", "version"],
    "classifier": ["Classifier"],
    "documents": ["Documents"],
    "errors": ["CorruptFileError", "InterruptedTrainingWarning", "LossyWarning",
               "UnknownWordError"],
    "evaluation": ["AnalogyResult", "Evaluation", "RankingQuality",
                   "RetrievalResult", "SimilarityResult"],
    "language_model": ["LanguageModel"],
    "sentences": ["Sentences"],
    "seq2seq": ["Seq2Seq"],
    "tagger": ["Tagger"],
    "training": ["train"],
    "vectors": ["Vectors", "load"],
}.items() for name in names}

__all__ = [
    "AnalogyResult",
    "Classifier",
    "CorruptFileError",
    "Documents",
    "Evaluation",
    "InterruptedTrainingWarning",
    "LanguageModel",
    "LossyWarning",
    "RankingQuality",
    "RetrievalResult",
    "Sentences",
    "Seq2Seq",
    "SimilarityResult",
    "Tagger",
    "UnknownWordError",
    "Vectors",
    "ask",
    "build_info",
    "load",
    "options",
    "questions",
    "train",
    "version",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        from firth.instead import elsewhere

        there = name in ("FastText", "KeyedVectors", "Phrases", "Word2Vec")
        raise AttributeError(
            elsewhere(__name__, name)
            or f"module 'firth' has no attribute {name!r}" + (
                f"; firth.compat.{name} has gensim's arguments" if there
                else ""))
    value = getattr(import_module("firth." + home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
