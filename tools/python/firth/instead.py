"""Errors for names of gensim that have another name in Firth."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

_INDEX = ("firth.Vectors.build_index() writes an index, and "
          "firth.Vectors.neighbors(search=\"hnsw\", index=...) searches it")
_WORDS = ("firth.train(lowercase=True, split_punctuation=True) cuts text into "
          "words; firth.compat.Word2Vec takes lists of words")
_WEIGHTS = ("firth.sklearn.SentenceVectors(sif=0.001) gives frequent words "
            "low weights; scikit-learn's TfidfVectorizer weights words "
            "without vectors")
_SIMILAR = ("firth.Vectors.from_arrays(names, rows) takes the vectors of texts, "
            "and its neighbors() finds similar ones")
_TOPICS = ("Firth has no topic models; scikit-learn has "
           "LatentDirichletAllocation and NMF")
_CORPORA = ("sentences are lists of words, from any iterable; "
            "firth.compat.LineSentence and firth.compat.PathLineSentences read "
            "files")
_HERE = "its classes are in firth.compat itself: from firth.compat import "

# What gensim 4 has in its modules, and firth.compat has not.
ELSEWHERE: Mapping[str, str] = {
    "Doc2VecKeyedVectors": "use firth.compat.KeyedVectors",
    "TaggedBrownCorpus": "firth.compat.TaggedDocument takes a document's words "
                         "and tags",
    **dict.fromkeys(["AnnoyIndexer", "NmslibIndexer", "annoy", "nmslib"],
                    _INDEX),
    **dict.fromkeys(["simple_preprocess", "tokenize", "simple_tokenize",
                     "deaccent", "lemmatize", "parsing", "preprocess_string",
                     "preprocess_documents", "remove_stopwords", "STOPWORDS",
                     "PorterStemmer", "utils"], _WORDS),
    **dict.fromkeys(["TfidfModel", "OkapiBM25Model", "LuceneBM25Model",
                     "AtireBM25Model", "LogEntropyModel", "NormModel"],
                    _WEIGHTS),
    **dict.fromkeys(["Similarity", "MatrixSimilarity", "docsim",
                     "SparseMatrixSimilarity", "similarities"], _SIMILAR),
    **dict.fromkeys(["SoftCosineSimilarity", "SparseTermSimilarityMatrix",
                     "TermSimilarityIndex", "UniformTermSimilarityIndex",
                     "WordEmbeddingSimilarityIndex", "termsim"],
                    "\"firth text-similarity --measure soft-cosine\" "
                    "compares texts in this way"),
    "LevenshteinSimilarityIndex": "firth.Vectors.closest_spellings() finds "
                                  "words with a similar spelling",
    "WmdSimilarity": "firth.compat.KeyedVectors.wmdistance() compares two "
                     "texts, and \"firth text-similarity\" compares the "
                     "texts of a file",
    **dict.fromkeys(["LdaModel", "LdaMulticore", "LdaSeqModel", "LsiModel",
                     "HdpModel", "Nmf", "EnsembleLda", "AuthorTopicModel",
                     "CoherenceModel", "RpModel", "VocabTransform"], _TOPICS),
    **dict.fromkeys(["Dictionary", "HashDictionary", "MmCorpus", "TextCorpus",
                     "TextDirectoryCorpus", "WikiCorpus", "BleiCorpus",
                     "SvmLightCorpus", "LowCorpus", "MalletCorpus", "UciCorpus",
                     "IndexedCorpus", "BrownCorpus", "corpora"], _CORPORA),
    **dict.fromkeys(["TranslationMatrix", "BackMappingTranslationMatrix"],
                    "\"firth align\" maps vectors into the space of other "
                    "vectors"),
    **dict.fromkeys(["PoincareModel", "PoincareKeyedVectors", "poincare"],
                    "Firth trains vectors in Euclidean space only, with "
                    "firth.compat.Word2Vec"),
    **dict.fromkeys(["downloader", "api"],
                    "Firth downloads nothing; firth.load() opens files of "
                    "word2vec, fastText, GloVe and others"),
    **dict.fromkeys(["matutils", "interfaces"],
                    "vectors are NumPy arrays: firth.compat.KeyedVectors.vectors"),
    **dict.fromkeys(["Word2VecKeyedVectors", "EuclideanKeyedVectors"],
                    "use firth.compat.KeyedVectors"),
    **dict.fromkeys(["original_scorer", "npmi_scorer"],
                    "firth.compat.Phrases(scoring=\"default\") and "
                    "scoring=\"npmi\" select them"),
    "FAST_VERSION": "Firth is always compiled",
    "models": _HERE + "Word2Vec",
    "keyedvectors": _HERE + "KeyedVectors",
}


def elsewhere(module: str, name: str) -> str | None:
    """Returns the replacement for a gensim name in a module of Firth."""
    instead = ELSEWHERE.get(name)
    return instead and f"{module}.{name}: {instead}"


class _Finder(MetaPathFinder):
    """Explains failed imports of gensim names from firth.compat.

    `from firth.compat import Doc2Vec` discards the AttributeError of the module
    and looks for a submodule, as `import firth.compat.models` does.
    """

    def find_spec(self, fullname: str, path: Sequence[str] | None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        """Finds nothing; raises ImportError for a name with a replacement."""
        del path, target
        module, _, name = fullname.rpartition(".")
        message = elsewhere(module, name) if module == "firth.compat" else None
        if message is not None:
            raise ImportError(message, name=fullname)
        return None


def explain_imports() -> None:
    """Makes imports of names with a replacement report it."""
    sys.meta_path.append(_Finder())


class Instead:
    """An object whose missing attributes report their replacement."""

    _INSTEAD: ClassVar[Mapping[str, str]] = {}

    # Type checkers must not take it that any attribute is there.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            instead = self._INSTEAD.get(name)
            if instead is None:
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}")
            raise AttributeError(f"{name}: {instead}")
