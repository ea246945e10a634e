"""gensim's names, arguments and errors, over Firth.

    from firth.compat import KeyedVectors  # was: from gensim.models import ...

    vectors = KeyedVectors.load_word2vec_format("vectors.bin", binary=True)
    vectors.most_similar("king", topn=3)

Programs that were written for gensim 4 run as they are. What Firth does another
way is told in docs/python-gensim.md; what it does not do raises
NotImplementedError, and the message says what does.
"""

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
