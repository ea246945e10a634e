"""gensim's names, arguments and errors, implemented by Firth.

    from firth.compat import Word2Vec      # was: from gensim.models import ...

    model = Word2Vec(sentences, vector_size=100, sg=1, workers=4)
    model.wv.most_similar("king", topn=3)

Programs written for gensim 4 run unchanged. docs/guides/from-gensim.md
describes the differences. Unsupported features raise NotImplementedError, whose
message names a replacement.
"""

from typing import TYPE_CHECKING

from firth.compat.callbacks import CallbackAny2Vec as CallbackAny2Vec
from firth.compat.doc2vec import (
    Doc2Vec as Doc2Vec,
    TaggedDocument as TaggedDocument,
    TaggedLineDocument as TaggedLineDocument,
)
from firth.compat.fasttext import (
    FastText as FastText,
    load_facebook_model as load_facebook_model,
    load_facebook_vectors as load_facebook_vectors,
    save_facebook_model as save_facebook_model,
)
from firth.compat.keyed_vectors import (
    FastTextKeyedVectors as FastTextKeyedVectors,
    KeyedVectors as KeyedVectors,
)
from firth.compat.phrases import (
    ENGLISH_CONNECTOR_WORDS as ENGLISH_CONNECTOR_WORDS,
    FrozenPhrases as FrozenPhrases,
    Phraser as Phraser,
    Phrases as Phrases,
)
from firth.compat.texts import (
    LineSentence as LineSentence,
    PathLineSentences as PathLineSentences,
    Text8Corpus as Text8Corpus,
)
from firth.compat.word2vec import Word2Vec as Word2Vec
from firth.instead import elsewhere, explain_imports

explain_imports()

# Type checkers must not take it that any name is there.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise AttributeError(
            elsewhere(__name__, name)
            or f"module {__name__!r} has no attribute {name!r}")
