"""Vectors of sentences in scikit-learn, beside the command line."""

import subprocess

import numpy as np
import pytest

import firth
from conftest import TOY, two_topics

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (python3-sklearn)")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from firth.sklearn import SentenceVectors  # noqa: E402

QUICK = {"dim": 8, "min_count": 1, "threads": 1, "sample": 0}
TEXTS = ["king queen", "table", "the king", "nobody knows", "woman man the"]


def test_a_text_has_the_mean_of_its_words(vectors, vectors_path):
    expected = np.float32([
        np.mean([TOY["king"], TOY["queen"]], axis=0), TOY["table"],
        np.mean([TOY["the"], TOY["king"]], axis=0), [0] * 4])
    for given in (vectors, vectors_path, str(vectors_path)):
        made = SentenceVectors(given).fit(TEXTS).transform(TEXTS[:4])
        assert made.dtype == np.float32
        np.testing.assert_allclose(made, expected, atol=1e-6)


@pytest.mark.parametrize("options, arguments", [
    ({}, []),
    ({"unit_words": True}, ["--unit-words"]),
    ({"lowercase": True}, ["--lowercase"]),
    ({"sif": 0.01}, ["--sif", "0.01"]),
    ({"sif": 0.01, "remove_components": 2},
     ["--sif", "0.01", "--remove-components", "2"]),
])
def test_the_command_line_gives_the_same(options, arguments, program,
                                         tmp_path):
    model = firth.train(two_topics(), **QUICK)
    path = tmp_path / "a.safetensors"
    model.save(path)
    texts = ["King queen bread", "butter", "castle throne oven", "flour king"]
    subprocess.run(
        [program, "sentence-vectors", path, *arguments, "--output",
         tmp_path / "out.npy"], input="\n".join(texts) + "\n", text=True,
        check=True, capture_output=True)
    np.testing.assert_allclose(
        SentenceVectors(model, **options).fit_transform(texts),
        np.load(tmp_path / "out.npy"), atol=1e-5)


def test_a_sentence_model_reads_texts_in_its_form(sentence_model):
    texts = ["The CAT", "the sun shines", "unknown"]
    made = SentenceVectors(sentence_model).fit_transform(texts)
    np.testing.assert_array_equal(
        made, firth.Sentences.load(sentence_model).encode(texts))
    assert made[0].any()
    pipeline = make_pipeline(SentenceVectors(sentence_model),
                             LogisticRegression(C=1000))
    pipeline.fit(["a cat sat", "the sun shines"] * 10, ["pet", "sky"] * 10)
    assert pipeline.predict(["STARS", "Dog"]).tolist() == ["sky", "pet"]


def test_directions_are_those_of_the_texts_of_fit(vectors):
    fitted = SentenceVectors(vectors, remove_components=1).fit(
        ["king", "king king", "table"])
    np.testing.assert_allclose(np.abs(fitted.components_), [[1, 0, 0, 0]],
                               atol=1e-6)
    np.testing.assert_allclose(fitted.transform(["queen"]),
                               [[0, 0.6, 0, 0]], atol=1e-6)


def test_vectors_are_trained_on_the_texts():
    texts = [" ".join(words) for words in two_topics(2000)]
    labels = [i % 2 for i in range(2000)]
    classifier = make_pipeline(
        SentenceVectors(train_options=QUICK), LogisticRegression())
    classifier.fit(texts, labels)
    assert classifier.score(["king queen", "flour oven"], [0, 1]) == 1
    assert classifier[0].vectors_.dim == 8


def test_options_are_searched(vectors):
    texts = ["king queen", "table", "king", "table table"] * 6
    search = GridSearchCV(
        make_pipeline(SentenceVectors(vectors), LogisticRegression()),
        {"sentencevectors__unit_words": [False, True]}, cv=2)
    search.fit(texts, [0, 1, 0, 1] * 6)
    assert search.best_score_ == 1


def test_a_clone_has_the_same_parameters(vectors_path):
    made = SentenceVectors(vectors_path, remove_components=1)
    assert clone(made).get_params() == made.get_params() == {
        "vectors": vectors_path, "sif": 0.0, "remove_components": 1,
        "unit_words": False, "lowercase": False, "train_options": None}


def test_pandas_gets_named_columns(vectors):
    pandas = pytest.importorskip(
        "pandas", reason="pandas is not installed (python3-pandas)")
    made = SentenceVectors(vectors).set_output(transform="pandas")
    texts = pandas.Series(TEXTS[:2], index=["a", "b"])
    frame = made.fit_transform(texts)
    assert list(frame.columns) == [f"sentencevectors{i}" for i in range(4)]
    assert frame.loc["b", "sentencevectors3"] == 1
    for listed in (TEXTS, tuple(TEXTS)):
        for frame in (made.fit_transform(listed), made.transform(listed)):
            assert list(frame.index) == list(range(len(TEXTS)))
            assert frame.loc[1, "sentencevectors3"] == 1


def test_options_of_the_training_say_where_they_go(vectors):
    with pytest.raises(TypeError, match="dim: .*train_options={'dim': 20}"):
        SentenceVectors(dim=20)
    assert "others" not in SentenceVectors(vectors).get_params()


@pytest.mark.parametrize("options, texts, error, message", [
    ({}, "king", TypeError, "found str"),
    ({}, ["king", 5], TypeError, "text 1: expected a str, found int"),
    ({}, [], ValueError, "at least one text"),
    ({}, 5, TypeError, "found int"),
    ({"remove_components": 9}, ["king"], ValueError, "remove_components"),
    ({"train_options": {"dim": 5}}, ["king"], ValueError, "train_options"),
    ({"sif": -1}, ["king"], ValueError, "sif"),
    ({"sif": 0.1}, ["king"], ValueError, "count"),
])
def test_what_will_not_do_is_named(options, texts, error, message, vectors):
    with pytest.raises(error, match=message):
        SentenceVectors(vectors, **options).fit_transform(texts)


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        SentenceVectors(tmp_path / "none.vec").fit(TEXTS)
    assert caught.value.filename == str(tmp_path / "none.vec")


def test_a_table_is_no_list_of_texts(vectors):
    table = np.array([["king queen"], ["table"]])
    with pytest.raises(ValueError, match="pass the column"):
        SentenceVectors(vectors).fit(table)
    pandas = pytest.importorskip(
        "pandas", reason="pandas is not installed (python3-pandas)")
    frame = pandas.DataFrame({"text": ["king queen", "table"], "n": [1, 2]})
    for some in (frame, frame[["text"]]):
        with pytest.raises(ValueError, match="pass the column"):
            SentenceVectors(vectors).fit(some)
    assert SentenceVectors(vectors).fit_transform(
        frame["text"]).shape == (2, vectors.dim)


def test_a_generator_is_asked_once(vectors):
    texts = ["king queen", "table"]
    again = SentenceVectors(vectors, remove_components=1).fit_transform(
        text for text in texts)
    expected = SentenceVectors(vectors, remove_components=1).fit_transform(texts)
    np.testing.assert_array_equal(again, expected)
