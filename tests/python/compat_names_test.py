"""Each public name of gensim's classes is there, or docs/guides/from-gensim.md tells
what there is instead.
"""

import inspect
import logging
import pathlib
import re

import numpy as np
import pytest

from firth import compat

gensim = pytest.importorskip("gensim")

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "guides" / "from-gensim.md"
SENTENCES = [["a", "b", "c"], ["a", "b"], ["d", "a"]] * 10
# save(), load(), train() and build_vocab() take fewer arguments, get_vector()
# calls its first one as KeyedVectors does, and what gensim's Phrases calls
# scoring is a function.
OTHER_SIGNATURES = {"save", "load", "build_vocab", "train", "get_vector",
                    "scoring"}


def made(module, kind):
    """An object of a class, of gensim or of firth.compat."""
    cls = getattr(module, kind)
    if kind in ("Word2Vec", "FastText"):
        return cls(SENTENCES, min_count=1, vector_size=4, workers=1)
    if kind == "FastTextKeyedVectors":
        return made(module, "FastText").wv
    if kind == "KeyedVectors":
        vectors = cls(2)
        vectors.add_vectors(["a", "b"], np.eye(2))
        return vectors
    phrases = module.Phrases(SENTENCES, min_count=1, threshold=1)
    return phrases if kind == "Phrases" else cls(phrases)


class Gensim:
    """gensim's classes, which stand in several modules."""

    from gensim.models import FastText, KeyedVectors, Word2Vec
    from gensim.models.fasttext import FastTextKeyedVectors
    from gensim.models.phrases import FrozenPhrases, Phrases


@pytest.mark.parametrize("kind", [
    "KeyedVectors", "Word2Vec", "FastText", "FastTextKeyedVectors", "Phrases",
    "FrozenPhrases"])
def test_each_name_is_there_or_told_of(kind):
    theirs, ours = made(Gensim, kind), made(compat, kind)
    told = set(re.findall(r"`(\w+)(?:\(\))?`", PAGE.read_text("utf-8")))
    missing = {name for name in dir(theirs)
               if not name.startswith("_") and not hasattr(ours, name)}
    assert missing - told == set()


@pytest.mark.parametrize("kind", [
    "KeyedVectors", "Word2Vec", "FastText", "FastTextKeyedVectors", "Phrases",
    "FrozenPhrases"])
def test_methods_have_the_same_arguments(kind):
    theirs, ours = made(Gensim, kind), made(compat, kind)
    for name in sorted(set(dir(theirs)) & set(dir(ours)) - OTHER_SIGNATURES):
        method = getattr(theirs, name)
        if name.startswith("_") or not inspect.isroutine(method):
            continue
        expected = inspect.signature(method).parameters
        found = inspect.signature(getattr(ours, name)).parameters
        assert list(found) == list(expected), name
        assert ([repr(one.default) for one in found.values()]
                == [repr(one.default) for one in expected.values()]), name


def test_names_of_gensim_3_are_those_of_gensim_4():
    vectors = made(compat, "KeyedVectors")
    np.testing.assert_array_equal(vectors.word_vec("a"), [1, 0])
    assert vectors.words_closer_than("a", "b") == []
    vectors["a"] = [3, 4]
    vectors.init_sims()
    np.testing.assert_array_equal(vectors["a"], [3, 4])
    vectors.init_sims(replace=True)
    np.testing.assert_allclose(vectors["a"], [0.6, 0.8], rtol=1e-6)


def test_what_is_not_there_says_what_is():
    vectors = made(compat, "KeyedVectors")
    with pytest.raises(AttributeError, match="vocab: use key_to_index"):
        vectors.vocab
    with pytest.raises(AttributeError, match="syn0: use model.wv.vectors"):
        compat.Word2Vec().syn0
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        vectors.nothing


def test_the_shape_of_n_grams_is_told():
    model = compat.FastText(SENTENCES, min_count=1, vector_size=4, min_n=2,
                            max_n=4, bucket=100, workers=1)
    wv = model.wv
    assert (wv.min_n, wv.max_n, wv.bucket) == (2, 4, 100)


def test_results_are_logged(caplog):
    caplog.set_level(logging.INFO, logger="firth.compat")
    compat.KeyedVectors.log_accuracy(
        {"section": "capitals", "correct": [1, 2, 3], "incorrect": [4]})
    compat.KeyedVectors.log_evaluate_word_pairs(
        (0.5, 0.1), (0.25, 0.2), 12.5, "pairs.tsv")
    assert caplog.messages == [
        "capitals: 75.0% (3/4)",
        "pairs.tsv: correlation 0.5000 (Pearson), 0.2500 (Spearman), 12.5% "
        "with unknown words"]


def test_cosmul_takes_vectors_as_they_are_as_gensim_does():
    from gensim.models import KeyedVectors

    rows = np.random.default_rng(1).normal(size=(20, 5)).astype(np.float32)
    keys = [f"k{i}" for i in range(20)]
    theirs, ours = KeyedVectors(5), compat.KeyedVectors(5)
    for vectors in theirs, ours:
        vectors.add_vectors(keys, rows)
    for question in [dict(positive=[rows[3] * 2], negative=["k1"]),
                     dict(positive=["k2", rows[4]], negative=[rows[5] / 3]),
                     dict(positive=rows[6])]:
        expected = theirs.most_similar_cosmul(**question, topn=8)
        found = ours.most_similar_cosmul(**question, topn=8)
        assert [key for key, _ in found] == [key for key, _ in expected]
        np.testing.assert_allclose([score for _, score in found],
                                   [score for _, score in expected], rtol=1e-4)
    with pytest.raises(ValueError):
        theirs.most_similar_cosmul(negative=["k1"])
    with pytest.raises(ValueError):
        ours.most_similar_cosmul(negative=["k1"])
