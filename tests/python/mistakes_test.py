"""What users of gensim and NumPy try first: each gets an answer or a reason."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import firth
from firth.errors import error_of
from firth.compat import FastText, KeyedVectors, Word2Vec
from conftest import two_topics

QUICK = {"dim": 4, "min_count": 1, "epochs": 1, "threads": 1}
SENTENCES = [["a", "b", "c"], ["b", "c", "d"]] * 20


@pytest.mark.parametrize("ask, kind, message", [
    (lambda v: v[5], TypeError, "found the number 5"),
    (lambda v: v[["king", b"queen"]], TypeError, "item 1: .*found bytes"),
    (lambda v: v.find(None), TypeError, "expected a str, found NoneType"),
    (lambda v: v.find(b"king"), TypeError, "expected a str, found bytes"),
    (lambda v: v.most_similar(5), TypeError, "list of them, found int"),
    (lambda v: v.most_similar([None]), TypeError,
     "expected a word or a vector, found NoneType"),
    (lambda v: v.most_similar([("king", "queen")]), TypeError,
     "expected a pair of a word or vector and its weight"),
    (lambda v: v.most_similar([("king", 1, 2)]), TypeError, "expected a pair"),
    (lambda v: v.most_similar("king", topn=None), TypeError,
     "expected a whole number, found NoneType"),
    (lambda v: v.neighbors(["king"], k=1.5), TypeError, "found float"),
    (lambda v: v.neighbors(b"king"), TypeError, "found a bytes"),
    (lambda v: v.neighbors(None), TypeError, "queries: .*found NoneType"),
    (lambda v: v.closest_spellings("king", "2"), TypeError, "n: .*found str"),
    (lambda v: v.words[6], IndexError, "word 6: there are only 6"),
    (lambda v: v.words[[0, 1]], TypeError, "a slice, found list"),
    (lambda v: v.index_to_key, AttributeError, "use words"),
    (lambda v: v.wv, AttributeError, "the vectors themselves"),
    (lambda v: v.nothing, AttributeError, "no attribute 'nothing'"),
    (lambda v: v.evaluate(analogies=5), TypeError, "analogies: .*found int"),
    (lambda v: v.sentence_vectors([["king"]]), TypeError,
     "item 0: expected a str, found list"),
    (lambda v: firth.Vectors(["a"], [[1]]), TypeError, "from_arrays"),
    (lambda v: firth.Vectors(), TypeError, "from_arrays"),
    (lambda v: v.neighbors(np.array([2**63 + 3], np.uint64)), ValueError,
     "found 9223372036854775811"),
    (lambda v: firth.train({"a": 1}, **QUICK), TypeError,
     "found a dict, of which only the keys"),
    (lambda v: firth.train([["a", "b"], {"c": 1}], **QUICK), TypeError,
     "sentence 1: expected a str or a list of str, found dict"),
    (lambda v: firth.LanguageModel("lm.safetensors"), TypeError, "load"),
    (lambda v: firth.Tagger("t.safetensors"), TypeError, "load"),
    (lambda v: firth.Word2Vec, AttributeError, "firth.compat.Word2Vec"),
    (lambda v: firth.Vectors.from_arrays(["a"], [[1]], [1.5]), ValueError,
     "counts: must be whole numbers"),
    (lambda v: firth.Vectors.from_arrays(["a"], [[1]], [float("nan")]),
     ValueError, "counts: must be whole numbers"),
    (lambda v: firth.Vectors.from_arrays(["a"], [[1]], [2**63]), ValueError,
     "counts: must be whole numbers"),
    (lambda v: firth.Vectors.from_arrays(["a"], [[1j]]), TypeError,
     "vectors: expected real numbers, found complex128"),
    (lambda v: firth.Vectors.from_arrays(["a"], [["1"]]), TypeError,
     "vectors: expected real numbers"),
    (lambda v: v.neighbors([b"king"]), TypeError, "expected real numbers"),
    (lambda v: v.neighbors([[1j, 0, 0, 0]]), TypeError, "found complex128"),
    (lambda v: v.ask("words", requests={"prefix": "k"}), TypeError,
     "requests: expected a list of dicts, found str"),
    (lambda v: v.ask("words", requests=[None]), TypeError, "found NoneType"),
    (lambda v: v.ask("words", requests=[{}], top=1), TypeError,
     "top: fields cannot be given both"),
    (lambda v: firth.options("trian"), ValueError, 'there is no call "trian"; .*train'),
])
def test_a_reason_is_given(ask, kind, message, vectors):
    with pytest.raises(kind, match=message):
        ask(vectors)


@pytest.mark.parametrize("options, kind, message", [
    ({"vector_size": 4}, TypeError, "in Firth it is 'dim'"),
    ({"workers": 4}, TypeError, "in Firth it is 'threads'"),
    ({"minCount": 4}, TypeError, "in Firth it is 'min_count'"),
    ({"dims": 4}, TypeError, "the closest is 'dim'"),
    ({"learning_rate": "0.1"}, ValueError, "^learning_rate: expected a number"),
    ({"init": SENTENCES}, TypeError, "init: .*found list"),
])
def test_options_are_told_by_their_keywords(options, kind, message):
    with pytest.raises(kind, match=message):
        firth.train(SENTENCES, **{**QUICK, **options})


def test_options_in_the_midst_of_messages_are_keywords(vectors):
    with pytest.raises(ValueError, match="without views.*; init starts from"):
        vectors.update(SENTENCES)
    # What is quoted is a command, or somebody's word.
    assert str(error_of(3, 'as "firth train --init" with --min-count (--to-x)')
               ) == 'as "firth train --init" with min_count (to_x)'
    assert str(error_of(3, "a--b.txt: two -- dashes, found --")
               ) == "a--b.txt: two -- dashes, found --"


def test_a_table_is_no_corpus():
    pandas = pytest.importorskip(
        "pandas", reason="pandas is not installed (python3-pandas)")
    table = pandas.DataFrame({"text": ["a b c", "b c d"]})
    with pytest.raises(TypeError, match="pass the column"):
        firth.train(table, **QUICK)
    assert set(firth.train(table["text"], **QUICK).words) == set("abcd")


def test_many_kinds_of_lists_are_questions(vectors):
    expected = vectors.neighbors(["king", "man"], k=2)
    words = {"king": 1, "man": 2}
    for given in (words.keys(), (word for word in words), ("king", "man"),
                  np.array(["king", "man"])):
        for found, right in zip(vectors.neighbors(given, k=2), expected):
            np.testing.assert_array_equal(found, right)
    pandas = pytest.importorskip(
        "pandas", reason="pandas is not installed (python3-pandas)")
    for found, right in zip(
            vectors.neighbors(pandas.Series(["king", "man"]), k=2), expected):
        np.testing.assert_array_equal(found, right)


def test_a_dict_has_weights(vectors):
    assert vectors.most_similar({"king": 1, "man": -0.5}) == (
        vectors.most_similar([("king", 1), ("man", -0.5)]))


def test_words_are_like_a_list(vectors):
    words = list(vectors.words)
    assert vectors.words == words and not vectors.words == words[1:]
    assert vectors.words != ["the"] * 6
    assert pickle.loads(pickle.dumps(vectors.words)) == words
    assert copy.deepcopy(vectors.words) == words


def test_warnings_are_about_the_line_that_called():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        firth.train([["a\0b", "c"]] * 9, **QUICK)
    assert [one.filename for one in caught] == [__file__] * len(caught)
    assert any("NUL" in str(one.message) for one in caught)


@pytest.mark.parametrize("options, message", [
    ({"vector_size": 0}, "^vector_size: expected a whole number"),
    ({"workers": -1}, "^workers: "),
    ({"alpha": -1}, "^alpha: "),
    ({"min_alpha": 1}, "^min_alpha: "),
    ({"window": 0}, "^window: "),
])
def test_compat_tells_options_by_gensims_names(options, message):
    with pytest.raises(ValueError, match=message):
        Word2Vec(SENTENCES, **{"min_count": 1, "workers": 1, **options})
    with pytest.raises(ValueError, match="^bucket: "):
        FastText(SENTENCES, min_count=1, bucket=2**40)


def test_a_text_without_known_words_is_told():
    model = Word2Vec(two_topics(), vector_size=4, min_count=1, workers=1)
    with pytest.raises(ValueError, match="none of the words is in the vocabulary"):
        model.train([["nobody", "knows"]], total_examples=1, epochs=1)


@pytest.mark.parametrize("keys, weights, message", [
    ("", [1, 2], "must not be empty"),
    ("c", [1, float("nan")], "finite"),
    ("c", [1, 2, 3], r"expected shape \(1, 2\), found \(1, 3\)"),
    (["c", "d"], [[1, 2]], r"expected shape \(2, 2\), found \(1, 2\)"),
])
def test_what_cannot_be_added_is_refused_at_once(keys, weights, message):
    vectors = KeyedVectors(2)
    vectors.add_vectors(["a", "b"], [[1, 0], [0, 1]])
    add = vectors.add_vector if isinstance(keys, str) else vectors.add_vectors
    with pytest.raises(ValueError, match=message):
        add(keys, weights)
    # Nothing waits there that would fail later.
    assert vectors.most_similar("a", topn=1) == [("b", 0.0)]


def test_a_limit_below_zero_is_refused(vectors_path):
    with pytest.raises(ValueError, match="limit: .*found -1"):
        KeyedVectors.load_word2vec_format(vectors_path, limit=-1)
