"""Classifiers: scikit-learn's conventions without and with scikit-learn."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import firth

GOOD = ["a good film", "a fine film", "good and fine", "fine acting"]
BAD = ["a bad film", "a poor film", "bad and poor", "poor acting"]
TEXTS = (GOOD + BAD) * 5
LABELS = (["good"] * 4 + ["bad"] * 4) * 5


def small(**options):
    return firth.Classifier(**{"threads": 1, **options})


@pytest.fixture(scope="module")
def fitted():
    return small().fit(TEXTS, LABELS)


def test_what_is_learnt_is_predicted(fitted):
    assert fitted.classes_.tolist() == ["bad", "good"]
    assert fitted.predict(["good", "poor"]).tolist() == ["good", "bad"]
    chances = fitted.predict_proba(["good", "poor", ""])
    assert chances.dtype == np.float32
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-6)
    assert chances[0, 1] > 0.5 > chances[1, 1]
    assert fitted.score(TEXTS, LABELS) == 1


@pytest.mark.parametrize("labels", [
    [3, 7], [0.5, 1.5], [True, False], [("a", 1), ("b", 2)],
    [None, "x"], ["", " "], ["two words", "line\nend"]])
def test_labels_are_what_they_were(labels):
    y = [labels[label == "good"] for label in LABELS]
    made = small().fit(TEXTS, y)
    assert list(made.predict(["bad", "good"])) == labels
    again = pickle.loads(pickle.dumps(made))
    assert list(again.predict(["bad", "good"])) == labels
    np.testing.assert_array_equal(again.predict_proba(TEXTS),
                                  made.predict_proba(TEXTS))


def test_a_tuned_contextualizer_stays_with_its_classifier(language_model,
                                                          tmp_path):
    lm = tmp_path / "lm.safetensors"
    language_model.save(lm)
    made = small(contextualizer=lm, tune_contextualizer=True, tuning_rate=0.01,
                 batch=4, epochs=2).fit(TEXTS, LABELS)
    expected = made.predict_proba(TEXTS)
    made.save(tmp_path / "c.safetensors")
    lm.unlink()
    loaded = firth.Classifier.load(tmp_path / "c.safetensors")
    assert loaded.tune_contextualizer and loaded.batch == 4
    for again in loaded, pickle.loads(pickle.dumps(made)):
        np.testing.assert_array_equal(again.predict_proba(TEXTS), expected)
    with pytest.raises(ValueError, match="tuning-rate requires tune-contextualizer"):
        small(tuning_rate=0.01).fit(TEXTS, LABELS)


def several():
    texts = ["red apple", "green apple", "red car", "green car"] * 8
    return texts, [text.split() for text in texts]


def test_several_labels_a_text_are_lists():
    texts, y = several()
    made = small().fit(texts, y)
    assert made.classes_.tolist() == ["apple", "car", "green", "red"]
    assert [sorted(one) for one in made.predict(texts[:4])] == [
        sorted(one) for one in y[:4]]
    assert made.score(texts, y) == 1
    assert made.predict(["red"], threshold=0) == [
        ["apple", "car", "green", "red"]]


def test_several_labels_a_text_are_an_array():
    texts, y = several()
    classes = ["apple", "car", "green", "red"]
    rows = np.array([[name in one for name in classes] for one in y], int)
    made = small().fit(texts, rows)
    found = made.predict(texts)
    np.testing.assert_array_equal(found, rows)
    assert made.predict_proba(texts).shape == rows.shape


@pytest.mark.parametrize("y", [
    np.array(([[0, 1]] * 4 + [[1, 0]] * 4) * 5),
    ([["good"]] * 4 + [["bad"]] * 4) * 5])
def test_several_labels_may_be_one_of_each_text(y):
    made = small().fit(TEXTS, y)
    np.testing.assert_array_equal(made.predict(TEXTS), y)
    assert made.score(TEXTS, y) == 1


def test_files_are_the_command_lines(fitted, program, tmp_path):
    path = tmp_path / "m.safetensors"
    fitted.save(path)
    told = subprocess.run(
        [program, "classify", "predict", path], input="good\npoor\n", text=True,
        check=True, capture_output=True).stdout
    assert told.split()[::2] == ["good", "bad"]
    again = firth.Classifier.load(path)
    np.testing.assert_array_equal(again.predict_proba(TEXTS),
                                  fitted.predict_proba(TEXTS))
    assert again.classes_.tolist() == ["bad", "good"]


def test_a_file_brings_its_parameters(tmp_path):
    made = small(word_ngrams=3, epochs=4, parts="wide", seed=7,
                 lowercase=True).fit(TEXTS, LABELS)
    made.save(tmp_path / "m.safetensors")
    again = firth.Classifier.load(tmp_path / "m.safetensors")
    given = again.get_params()
    assert (given["word_ngrams"], given["epochs"], given["parts"],
            given["seed"], given["lowercase"]) == (3, 4, "wide", 7, True)
    # Those of the default stay so, and threads are the machine's.
    assert given["min_count"] is None and given["threads"] is None
    again.set_params(threads=1).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(again.predict_proba(TEXTS),
                                  made.predict_proba(TEXTS))


def test_words_are_explained(fitted):
    best = dict(fitted.explain("a good film", "good", 20))
    assert best["good"] > 0
    assert dict(fitted.explain("a good film", "bad", 20))["good"] < 0
    assert len(fitted.strongest("bad", 3)) == 3
    with pytest.raises(ValueError, match="must be one of classes_"):
        fitted.explain("good", "ugly")


def test_texts_are_measured_with_labels_that_are_unknown(fitted):
    report = fitted.evaluate(["good", "bad"], ["good", "ugly"])
    assert report["accuracy"] == 0.5
    assert report["texts"] == 2


def test_labels_of_which_none_is_known_are_refused(fitted):
    with pytest.raises(ValueError, match="y has 'ugly', the classifier 'bad'"):
        fitted.evaluate(["good", "bad"], ["ugly", "worse"])
    with pytest.raises(ValueError, match="none of these labels"):
        small().fit(TEXTS, LABELS, valid=(["good"], ["ugly"]))


def test_a_text_of_which_nothing_is_known_has_the_labels_of_the_training():
    made = small().fit(TEXTS + ["more good film"] * 16, LABELS + ["good"] * 16)
    texts = ["", "\u0444\u0436", "good film"]
    known = made.known(texts)
    assert known.dtype == np.int64
    assert known[:2].tolist() == [0, 0] and known[2] > 1
    share = np.mean([label == "bad" for label in LABELS + ["good"] * 16])
    np.testing.assert_allclose(made.predict_proba(texts)[:2],
                               [[share, 1 - share]] * 2, atol=1e-6)


def test_a_smaller_one_is_fitted_to_the_texts(fitted, tmp_path):
    smaller = fitted.quantize(TEXTS, max_size=22000)
    smaller.save(tmp_path / "m.safetensors")
    assert (tmp_path / "m.safetensors").stat().st_size <= 22000
    assert smaller.score(TEXTS, LABELS) == 1


def test_options_are_tuned():
    made = small(word_ngrams=1)
    report = made.tune(TEXTS, LABELS, folds=2, budget=20000)
    assert made.word_ngrams == 1
    assert report["trials"][report["best"]]["score"] == max(
        trial["score"] for trial in report["trials"])
    assert made.score(TEXTS, LABELS) == 1


def test_a_search_asks_for_texts_and_labels_once():
    made = small(word_ngrams=1, parts="wide")
    made.tune((text for text in TEXTS), (label for label in LABELS), folds=2,
              budget="20K", valid=(iter(TEXTS), iter(LABELS)))
    assert made.score(TEXTS, LABELS) == 1


def test_a_search_that_is_stopped_has_learnt_with_the_best_until_then():
    made = small(parts="deep")
    report = made.tune(TEXTS * 50, LABELS * 50, folds=2, budget="1G",
                       progress=lambda event: event["event"] == "work")
    assert report["interrupted"]
    assert made.score(TEXTS, LABELS) == 1


def test_a_column_of_labels_is_a_list_of_them():
    column = np.array(LABELS)[:, None]
    assert small().fit(TEXTS, column).predict(["good"]).tolist() == ["good"]


def test_progress_is_told_and_stops():
    events = []
    small(epochs=5).fit(TEXTS, LABELS, progress=events.append)
    assert all("event" in event for event in events)
    texts, labels = TEXTS * 100, LABELS * 100
    made = small(parts="deep", epochs=2000, dim=50).fit(
        texts, labels, progress=lambda event: event["event"] == "train")
    assert made.report_["interrupted"]
    with pytest.raises(ZeroDivisionError):
        small().fit(texts, labels, progress=lambda event: 1 / 0)


@pytest.mark.parametrize("texts, labels, error, message", [
    ("good", ["a"], TypeError, "found str"),
    (["good", 5], ["a", "b"], TypeError, "text 1: expected a str, found int"),
    (["good"], ["a", "b"], ValueError, "labels of 1 texts, found 2"),
    (["good", "bad"], ["a", "a"], ValueError, "found only one class, .a."),
    (["good", "bad"], "ab", TypeError, "labels of 2 texts, found str"),
    (["good", "bad"], 5, TypeError, "labels of 2 texts, found int"),
    (["good", "bad"], [{}, {}], TypeError, "text 0: expected a hashable label"),
    (["good", "bad"], [["a"], "b"], TypeError, "text 0: .*found list"),
    (["good", "bad"], np.empty((2, 0)), ValueError, "label"),
    ([], [], ValueError, "text"),
    (["good", "bad"], None, ValueError, "y"),
    (["good", "bad"], [float("nan"), 1], ValueError, "nan"),
    (["good", "bad"], np.array([[0, 2], [1, 0]]), ValueError, "0 and 1"),
])
def test_what_will_not_do_is_named(texts, labels, error, message):
    with pytest.raises(error, match=message):
        small().fit(texts, labels)


def test_options_are_checked():
    for valid in (5, (TEXTS,), TEXTS):
        with pytest.raises(TypeError, match="valid: expected a pair"):
            small().fit(TEXTS, LABELS, valid=valid)
    with pytest.raises(ValueError, match="dim"):
        small(dim=-1).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="no parameter 'dims'"):
        small().set_params(dims=5)
    with pytest.raises(FileNotFoundError):
        firth.Classifier.load("/nowhere/m.safetensors")
    with pytest.raises(ValueError, match="not fitted"):
        small().predict(["good"])


def test_scikit_learn_is_not_needed():
    code = ("import sys; sys.modules['sklearn'] = None; import firth; "
            "made = firth.Classifier(threads=1).fit(['a b', 'c d'] * 9, "
            "[0, 1] * 9); print(made.predict(['a b']))")
    told = subprocess.run([sys.executable, "-c", code], text=True, check=True,
                          capture_output=True).stdout
    assert told == "[0]\n"


def test_it_stands_in_scikit_learn():
    pytest.importorskip(
        "sklearn", reason="scikit-learn is not installed (python3-sklearn)")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline

    made = small(epochs=3)
    assert clone(made).get_params() == made.get_params()
    assert cross_val_score(made, TEXTS, LABELS, cv=2).tolist() == [1, 1]
    search = GridSearchCV(make_pipeline(made),
                          {"classifier__word_ngrams": [1, 2]}, cv=2)
    assert search.fit(TEXTS, LABELS).best_score_ == 1


def test_sentences_of_a_supervised_model_are_read_as_fasttext_reads(tmp_path):
    path = tmp_path / "m.bin"
    small(parts="deep", buckets=10, word_ngrams=1, min_n=0, max_n=0,
          dim=4).fit(TEXTS, LABELS).save(path)
    vectors = firth.load(path)
    mean = np.mean([vectors[word] for word in ("good", "film", "</s>")], axis=0)
    for options in ({}, {"unit_words": True}):
        np.testing.assert_allclose(
            vectors.sentence_vectors(["good film"], **options)[0], mean,
            rtol=1e-5, atol=1e-6)
