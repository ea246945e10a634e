"""firth.compat's Word2Vec and FastText, and what gensim's users ran into.

Trained vectors differ between the two: what is compared is what they are made
of (words, counts, shapes), and what is learned from a text of two topics.
"""

import copy
import itertools
import json
import pickle
import re
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from conftest import two_topics
from firth import compat
from firth.compat import FastText, KeyedVectors, Word2Vec
from firth.compat.learning import Epochs
from firth.errors import CorruptFileError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "from-gensim.md"
QUICK = {"vector_size": 8, "min_count": 1, "workers": 1, "sample": 0}
TOPICS = two_topics(2000)


def gensim_models():
    return pytest.importorskip(
        "gensim.models",
        reason="gensim is not installed (Debian's python3-gensim)")


def knows_topics(vectors):
    return vectors.similarity("king", "crown") > vectors.similarity(
        "king", "bread") + 0.3


@pytest.fixture(scope="module")
def model():
    return Word2Vec(TOPICS, epochs=10, **QUICK)


@pytest.fixture(scope="module")
def subword_model():
    return FastText(TOPICS, epochs=10, min_n=3, max_n=4, bucket=500, **QUICK)


# --- As gensim documents it. ---


@pytest.mark.parametrize("options", [
    {"sg": 1}, {"sg": 0}, {"sg": 0, "alpha": 0.05, "min_alpha": 0.001},
    {"sg": 1, "hs": 1, "negative": 0}, {"sg": 0, "hs": 1, "negative": 0},
    {"sg": 1, "negative": 10, "ns_exponent": 0.5, "window": 3},
    {"sg": 1, "shrink_windows": False},
])
def test_a_model_learns_with_each_option(options):
    model = Word2Vec(TOPICS, epochs=10, **{**QUICK, **options})
    assert knows_topics(model.wv)
    said = model.wv.to_firth().metadata
    assert said["arch"] == ("skipgram" if options["sg"] else "cbow")
    assert said["loss"] == ("hs" if options.get("hs") else "ns")
    assert said.get("cbow-gradient") == (None if options["sg"] else "word2vec")
    assert said["window"] == str(options.get("window", 5))
    assert float(said["learning-rate"]) == pytest.approx(
        options.get("alpha", 0.025))
    assert float(said["min-learning-rate"]) == pytest.approx(
        options.get("min_alpha", 0.0001))


SENTENCES = [["a", "b", "c", "a"], ["a", "b", "rare"], ["d", "a", "d", "b",
                                                       "c", "d", "d"]]


@pytest.mark.parametrize("options", [
    {"min_count": 0}, {"min_count": 1}, {"min_count": 2},
    {"min_count": 1, "max_final_vocab": 3}])
def test_words_and_counts_are_those_of_gensim(options):
    theirs = gensim_models().Word2Vec(vector_size=4, **options)
    ours = Word2Vec(vector_size=4, **options)
    for model in (ours, theirs):
        model.build_vocab(SENTENCES)
    counts = [{word: model.wv.get_vecattr(word, "count")
               for word in model.wv.index_to_key} for model in (ours, theirs)]
    if "max_final_vocab" not in options:  # gensim may keep fewer
        assert counts[0] == counts[1]
    assert len(ours.wv) == options.get("max_final_vocab", len(counts[0]))
    assert ours.corpus_count == theirs.corpus_count == 3
    assert ours.corpus_total_words == theirs.corpus_total_words == 14
    assert ours.wv.vectors.shape == (len(ours.wv), 4)


def test_words_are_counted_first_and_learnt_then():
    model = Word2Vec(**QUICK)
    model.build_vocab(TOPICS)
    assert model.wv.index_to_key and model.corpus_count == len(TOPICS)
    before = model.wv.vectors.copy()
    keys = set(model.wv.index_to_key)
    trained, _ = model.train(TOPICS, total_examples=model.corpus_count,
                             epochs=10)
    assert trained == 10 * model.corpus_total_words
    assert set(model.wv.index_to_key) == keys and knows_topics(model.wv)
    assert not np.allclose(model.wv["king"], before[0])


def test_words_are_those_of_the_text_that_was_counted():
    model = Word2Vec(**QUICK)
    model.build_vocab(s for s in TOPICS if "king" in s)
    keys = model.wv.index_to_key
    assert "crown" in keys and "bread" not in keys
    trained, _ = model.train((s for s in TOPICS), total_examples=1, epochs=1)
    assert model.wv.index_to_key == keys
    assert trained == sum(word in keys for s in TOPICS for word in s)
    again = Word2Vec(**QUICK)
    again.build_vocab(list(TOPICS))
    again.train(list(TOPICS), total_examples=len(TOPICS), epochs=1)
    np.testing.assert_array_equal(
        again.wv.vectors, Word2Vec(TOPICS, epochs=1, **QUICK).wv.vectors)


def test_training_begins_from_vectors_that_were_set():
    model = Word2Vec(**QUICK)
    model.build_vocab(TOPICS)
    start = np.ones_like(model.wv.vectors) * 5
    model.wv.vectors = start
    model.train(TOPICS, total_examples=1, epochs=1, start_alpha=1e-6,
                end_alpha=1e-7)
    np.testing.assert_allclose(model.wv.vectors, start, atol=0.1)


def test_vectors_that_were_set_after_a_training_are_not_trained_on(tmp_path):
    model = Word2Vec(TOPICS, epochs=1, **QUICK)
    predicted = model.predict_output_word(["king"], topn=1)
    model.wv.add_vector("sword", np.ones(8))
    for go_on in (
            lambda: model.train(TOPICS, total_examples=1, epochs=1),
            lambda: model.build_vocab(TOPICS, update=True),
            lambda: model.save(tmp_path / "a.model")):
        with pytest.raises(ValueError, match="wv: the vectors were replaced"):
            go_on()
    assert predicted == model.predict_output_word(["king"], topn=1)
    model.wv.save(tmp_path / "a.safetensors")
    assert "sword" in KeyedVectors.load(tmp_path / "a.safetensors")
    model.build_vocab(TOPICS)
    model.train(TOPICS, total_examples=1, epochs=1)
    assert "sword" not in model.wv


def test_vectors_of_ngrams_are_not_set(subword_model):
    vectors = subword_model.wv
    for change in (
            vectors.unit_normalize_all, vectors.sort_by_descending_frequency,
            lambda: setattr(vectors, "vectors", vectors.get_normed_vectors()),
            lambda: vectors.__setitem__("king", np.ones(8))):
        with pytest.raises(NotImplementedError, match="vectors_for_all"):
            change()
    assert vectors["kingking"].shape == (8,)
    plain = vectors.vectors_for_all(vectors.index_to_key)
    plain.unit_normalize_all()
    np.testing.assert_allclose(plain.norms, 1, rtol=1e-6)


def test_words_with_white_space_are_not_looked_for_in_another_text():
    sentences = [["new york", "big"]] * 9
    model = Word2Vec(**QUICK)
    model.build_vocab(sentences)
    with pytest.raises(ValueError, match="build_vocab.* such as 'new york'"):
        model.train(list(sentences), total_examples=9, epochs=1)


def test_a_model_goes_on_with_its_words_or_new_ones():
    model = Word2Vec(TOPICS, epochs=2, **QUICK)
    keys = set(model.wv.index_to_key)
    vectors = model.wv
    before = vectors["king"].copy()
    more = [["king", "bread", "sword"]] * 50
    model.train(more, total_examples=50, epochs=2)
    assert set(model.wv.index_to_key) == keys
    assert not np.allclose(model.wv["king"], before)
    model.build_vocab(more, update=True)
    model.train(more, total_examples=model.corpus_count, epochs=2)
    assert set(model.wv.index_to_key) == keys | {"sword"}
    assert model.wv is vectors


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_a_file_is_read_as_its_lines_are(kind, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(map(" ".join, TOPICS)) + "\n")
    options = {**QUICK, "epochs": 2}
    if kind is FastText:
        options["bucket"] = 100
    by_list = kind(TOPICS, **options)
    for given in ({"corpus_file": str(path)}, {"corpus_file": path},
                  {"sentences": compat.LineSentence(path)},
                  {"sentences": compat.LineSentence(str(path), limit=10**6)},
                  {"sentences": compat.PathLineSentences(path)}):
        model = kind(**given, **options)
        assert model.wv.index_to_key == by_list.wv.index_to_key
        np.testing.assert_array_equal(model.wv.vectors, by_list.wv.vectors)


class Recorder(compat.CallbackAny2Vec):
    def __init__(self):
        self.calls = []
        self.losses = []

    def on_train_begin(self, model):
        self.calls.append("train begins")

    def on_epoch_begin(self, model):
        self.calls.append("begin")

    def on_epoch_end(self, model):
        self.calls.append("end")
        self.losses.append(model.get_latest_training_loss())

    def on_train_end(self, model):
        self.calls.append("train ends")
        assert "king" in model.wv


@pytest.mark.parametrize("epochs", [1, 4])
def test_callbacks_are_called_as_by_gensim(epochs):
    recorder = Recorder()
    Word2Vec(TOPICS, epochs=epochs, compute_loss=True, callbacks=[recorder],
             **QUICK)
    theirs = Recorder()
    gensim_models().Word2Vec(TOPICS, epochs=epochs, callbacks=[theirs],
                             compute_loss=True, **QUICK)
    assert recorder.calls == theirs.calls


def test_no_epoch_is_left_out_where_reports_are_far_apart():
    recorder = Recorder()
    model = Word2Vec(**QUICK)
    epochs = Epochs(model, [recorder], 4)
    epochs.begin()
    epochs.tell({"event": "milestone", "message": "anything"})
    for event in (
            {"event": "train", "epoch": 0, "loss": 3.5},
            {"event": "epoch", "epoch": 0, "loss": 3.0},
            {"event": "epoch", "epoch": 1, "loss": 2.0},
            {"event": "train", "epoch": 2, "loss": 1.5},
            {"event": "train", "epoch": 2, "loss": 0.5},
            {"event": "epoch", "epoch": 2, "loss": 1.0}):
        epochs.tell(event)
    assert recorder.calls == ["begin", "end"] * 3 + ["begin"]
    epochs.finish({"loss": [3.0, 2.0, 1.0, 0.5]})
    assert recorder.calls == ["begin", "end"] * 4
    assert recorder.losses == [3.0, 5.0, 6.0, 6.5]
    assert model.get_latest_training_loss() == 6.5


def test_the_loss_of_an_epoch_is_a_difference():
    recorder = Recorder()
    model = Word2Vec(TOPICS, epochs=4, compute_loss=True,
                     callbacks=[recorder], **QUICK)
    losses = model.wv.to_firth().report["loss"]
    assert recorder.losses == list(itertools.accumulate(losses))
    assert model.get_latest_training_loss() == recorder.losses[-1]


class Watching(compat.CallbackAny2Vec):
    """Keeps the vectors that each callback sees, and a copy of one."""

    def __init__(self):
        self.seen = []

    def see(self, model):
        vectors = model.wv
        self.seen.append((vectors, vectors["king"].copy()))

    on_train_begin = on_epoch_begin = on_epoch_end = on_train_end = see


@pytest.mark.parametrize("kind, options", [
    (Word2Vec, {}), (Word2Vec, {"hs": 1, "negative": 0}), (Word2Vec, {"sg": 1}),
    (FastText, {"min_n": 3, "max_n": 4, "bucket": 500})])
def test_callbacks_see_the_vectors_of_their_epoch(kind, options):
    watching = Watching()
    model = kind(TOPICS, epochs=3, callbacks=[watching], **QUICK, **options)
    rows = [row for _, row in watching.seen]
    assert len(rows) == 8
    # Before the training, after each epoch twice, but once after the last.
    for i, j in ((0, 1), (2, 3), (4, 5), (6, 7)):
        np.testing.assert_array_equal(rows[i], rows[j])
    for i, j in ((1, 2), (3, 4), (5, 6)):
        assert not np.array_equal(rows[i], rows[j])
    for vectors, row in watching.seen[2:6]:
        np.testing.assert_array_equal(vectors["king"], row)
        assert vectors.index_to_key == model.wv.index_to_key
        assert vectors.get_vecattr("king", "count") == model.wv.get_vecattr(
            "king", "count")
    if kind is FastText:
        wv = watching.seen[2][0]
        assert (wv.min_n, wv.max_n, wv.bucket) == (3, 4, 500)
        assert "kingking" in wv


def test_keys_that_are_numbers_are_so_in_callbacks():
    watching = Watching()
    watching.see = lambda model: watching.seen.append(model.wv.index_to_key)
    watching.on_epoch_end = watching.see
    watching.on_train_begin = watching.on_epoch_begin = lambda model: None
    watching.on_train_end = lambda model: None
    Word2Vec([[1, 2, 3], [3, 2, 1]] * 20, epochs=1, callbacks=[watching],
             **QUICK)
    assert sorted(watching.seen[0]) == [1, 2, 3]


def test_a_model_is_not_saved_in_the_midst_of_its_training(tmp_path):
    class Saving(compat.CallbackAny2Vec):
        def on_epoch_end(self, model):
            assert repr(model).startswith("Word2Vec<vocab=10,")
            model.wv.save(tmp_path / "epoch.kv")
            model.save(tmp_path / "a.model")

    with pytest.raises(RuntimeError, match="a.model: .* wv.save.. saves"):
        Word2Vec(TOPICS, epochs=2, callbacks=[Saving()], **QUICK)
    assert "king" in KeyedVectors.load(tmp_path / "epoch.kv")
    assert not (tmp_path / "a.model").exists()


def test_the_callbacks_of_an_update_see_its_vectors():
    model = Word2Vec(TOPICS, epochs=1, **QUICK)
    before = model.wv["king"].copy()
    watching = Watching()
    model.train(TOPICS, total_examples=1, epochs=1, callbacks=[watching])
    np.testing.assert_array_equal(watching.seen[1][1], before)
    assert not np.array_equal(watching.seen[2][1], before)


def test_an_exception_of_a_callback_comes_out():
    class Failing(compat.CallbackAny2Vec):
        def on_epoch_end(self, model):
            raise RuntimeError("enough")

    model = Word2Vec(**QUICK)
    model.build_vocab(TOPICS)
    with pytest.raises(RuntimeError, match="enough"):
        model.train(TOPICS, total_examples=1, epochs=2, callbacks=[Failing()])
    with pytest.raises(RuntimeError, match="build_vocab"):
        model.train(TOPICS, total_examples=1, epochs=2)


def test_words_are_written_or_refused_but_not_lost(tmp_path):
    text = [["a", "New York", "b", "Boeing 747"], ["a", "b"]] * 5
    model = Word2Vec(text, **QUICK)
    words = model.wv.index_to_key
    model.wv.save_word2vec_format(tmp_path / "a.vec")
    assert KeyedVectors.load_word2vec_format(
        tmp_path / "a.vec").index_to_key == words
    grams = FastText(text, bucket=100, **QUICK)
    for path, form, save in (
            (tmp_path / "a.bin", "bin",
             lambda path: model.wv.save_word2vec_format(path, binary=True)),
            (tmp_path / "b.bin", "fasttext",
             lambda path: compat.save_facebook_model(grams, path))):
        with pytest.raises(ValueError, match=re.escape(
                f"to_firth().save(..., format='{form}', lossy=True) saves")):
            save(path)
        assert not path.exists()
    with pytest.raises(ValueError, match="glove cannot hold 1 word"):
        model.wv.save_word2vec_format(tmp_path / "a.glove", write_header=False)


@pytest.mark.parametrize("kind", ["model", "subword_model"])
def test_models_are_saved_and_go_on(kind, request, tmp_path):
    model = request.getfixturevalue(kind)
    path = tmp_path / "a.model"
    model.save(path)
    again = type(model).load(str(path), mmap="r")
    np.testing.assert_array_equal(again.wv.vectors, model.wv.vectors)
    for name in ("vector_size", "window", "min_count", "sg", "hs", "negative",
                 "alpha", "min_alpha", "sample", "epochs", "seed", "workers"):
        assert getattr(again, name) == getattr(model, name), name
    again.build_vocab([["king", "sword"]] * 9, update=True)
    again.train([["king", "sword"]] * 9, total_examples=9, epochs=1)
    assert "sword" in again.wv.key_to_index
    model.wv.save(tmp_path / "a.kv")
    vectors = KeyedVectors.load(tmp_path / "a.kv", mmap="r")
    assert type(vectors) is type(model.wv)
    assert vectors.most_similar("king") == model.wv.most_similar("king")


def test_a_model_that_was_loaded_is_saved_with_all_it_needs(model, tmp_path):
    model.save(tmp_path / "a.model")
    Word2Vec.load(tmp_path / "a.model").save(tmp_path / "b.model")
    again = Word2Vec.load(tmp_path / "b.model")
    np.testing.assert_array_equal(again.syn1neg, model.syn1neg)
    assert again.train(TOPICS, total_examples=1, epochs=1)[0] > 0


def test_unknown_words_have_vectors_of_ngrams(subword_model):
    vectors = subword_model.wv
    assert "kingking" in vectors and "kingking" not in vectors.key_to_index
    assert not vectors.has_index_for("kingking")
    assert vectors.most_similar("kingking", topn=1)[0][0] == "king"
    assert vectors.get_sentence_vector(["king", "crown"]) == pytest.approx(
        (vectors.get_vector("king", norm=True)
         + vectors.get_vector("crown", norm=True)) / 2)
    with pytest.raises(NotImplementedError, match="vectors_for_all"):
        vectors.add_vector("sword", np.zeros(8))
    taken = vectors.vectors_for_all(["kingking", "king"])
    np.testing.assert_array_equal(taken["kingking"], vectors["kingking"])


SUBWORD_SNIPPETS = {
    "known word": lambda v: v["king"],
    "unknown word": lambda v: v["kingking"],
    "both": lambda v: v[["king", "kingking"]],
    "in": lambda v: ["kingking" in v, "kingking" in v.key_to_index],
    "vectors": lambda v: v.vectors,
    "words": lambda v: v.index_to_key,
    "most_similar": lambda v: v.most_similar("kingking"),
    "analogy": lambda v: v.most_similar(["kings", "bread"], ["crowns"]),
    "similarity": lambda v: v.similarity("kings", "crowns"),
    "doesnt_match": lambda v: v.doesnt_match(["kings", "crowns", "breads"]),
    "sentence": lambda v: v.get_sentence_vector(["kings", "bread"]),
    "n_similarity": lambda v: v.n_similarity(["kings"], ["bread", "butter"]),
}


@pytest.fixture(scope="module")
def facebook_path(subword_model, tmp_path_factory):
    path = tmp_path_factory.mktemp("fasttext") / "a.bin"
    compat.save_facebook_model(subword_model, path)
    return path


@pytest.mark.parametrize("name", SUBWORD_SNIPPETS)
def test_files_of_fasttext_are_read_as_by_gensim(name, facebook_path):
    from compat_vectors_test import assert_same

    gensim_models()
    from gensim.models.fasttext import load_facebook_vectors

    ours = compat.load_facebook_vectors(facebook_path)
    theirs = load_facebook_vectors(str(facebook_path))
    assert_same(SUBWORD_SNIPPETS[name](ours), SUBWORD_SNIPPETS[name](theirs))


def test_a_text_is_no_model_of_fasttext(tmp_path, facebook_path):
    path = tmp_path / "a.vec"
    path.write_text("1 2\nking 1 2\n")
    with pytest.raises(ValueError, match="a.vec: .*load_word2vec_format"):
        compat.load_facebook_vectors(path)
    # One of fastText that is cut says where.
    path.write_bytes(facebook_path.read_bytes()[:40])
    with pytest.raises(CorruptFileError, match="byte"):
        compat.load_facebook_vectors(path)


def test_a_model_of_fasttext_goes_on(facebook_path, subword_model):
    model = compat.load_facebook_model(facebook_path)
    assert (model.vector_size, model.min_n, model.max_n, model.bucket) == (
        8, 3, 4, 500)
    model.build_vocab([["king", "sword"]] * 9, update=True)
    model.train([["king", "sword"]] * 9, total_examples=9, epochs=2)
    assert "sword" in model.wv.key_to_index
    assert not np.allclose(model.wv["king"], subword_model.wv["king"])


def test_words_are_predicted_as_by_gensim(model):
    theirs = gensim_models().Word2Vec(vector_size=8, min_count=1)
    theirs.build_vocab(TOPICS)
    places = [model.wv.get_index(key) for key in theirs.wv.index_to_key]
    theirs.wv.vectors = model.wv.vectors[places]
    theirs.syn1neg = model.syn1neg[places]
    for context in (["king"], ["king", "crown", "nobody"], ["bread", "oven"]):
        ours = model.predict_output_word(context, topn=4)
        expected = theirs.predict_output_word(context, topn=4)
        assert [word for word, _ in ours] == [word for word, _ in expected]
        assert [share for _, share in ours] == pytest.approx(
            [share for _, share in expected], rel=1e-4)
    assert model.predict_output_word(["nobody"]) is None
    with pytest.raises(RuntimeError, match="negative"):
        Word2Vec(TOPICS, hs=1, negative=0, **QUICK).syn1neg


def test_the_page_about_gensim_does_what_it_says(tmp_path, monkeypatch,
                                                 program):
    monkeypatch.chdir(tmp_path)
    with open("corpus.txt", "w") as corpus:
        subprocess.run([program, "demo", "--print", "corpus", "--words",
                        "100000"], check=True, stdout=corpus)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"),
                        re.M | re.S)
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["ids"].shape == (2, 5)
    assert type(names["vectors"]) is KeyedVectors
    assert names["vectors"].most_similar("paris") == (
        names["model"].wv.most_similar("paris"))
    asked = subprocess.run(
        [program, "nn", "word2vec.model", "paris", "--json"], check=True,
        capture_output=True, text=True).stdout
    assert [answer["word"] for answer in json.loads(asked)["neighbors"]] == [
        word for word, _ in names["vectors"].most_similar("paris")]


# --- What will not do. ---


@pytest.mark.parametrize("options, error, message", [
    ({"size": 5}, TypeError, "size"),
    ({"iter": 5}, TypeError, "iter"),
    ({"hs": 1, "negative": 5}, NotImplementedError, "hs=1 with negative=0"),
    ({"negative": 0}, NotImplementedError, "negative"),
    ({"cbow_mean": 0}, NotImplementedError, "cbow_mean: only 1 is supported, found 0"),
    ({"trim_rule": len}, NotImplementedError, "trim_rule.*vocab"),
    ({"max_vocab_size": 9}, NotImplementedError, "memory"),
    ({"null_word": 1}, NotImplementedError, "null_word"),
    ({"hashfxn": len}, NotImplementedError, "hashfxn"),
    ({"sorted_vocab": 0}, NotImplementedError, "sorted_vocab"),
    ({"sentences": TOPICS, "corpus_file": "a"}, TypeError, "either"),
    ({"sentences": "corpus.txt"}, TypeError, "corpus_file"),
    ({"sentences": TOPICS, "vector_size": 0}, ValueError, "^vector_size"),
    ({"sentences": [["a"], [5.5]]}, TypeError, "sentence 1"),
    ({"corpus_file": "no such file"}, FileNotFoundError, "no such file"),
])
def test_arguments_that_will_not_do_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Word2Vec(**options)


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_hs_alone_trains_a_tree_with_one_warning(kind):
    options = {**QUICK, "epochs": 1}
    if kind is FastText:
        options["bucket"] = 100
    with pytest.warns(UserWarning, match="only hierarchical softmax") as said:
        model = kind(TOPICS, hs=1, **options)
    assert [one.filename for one in said] == [__file__]
    assert model.negative == 0
    expected = kind(TOPICS, hs=1, negative=0, **options)
    np.testing.assert_array_equal(model.wv.vectors, expected.wv.vectors)
    assert kind().negative == 5


@pytest.mark.parametrize("kind", ["model", "subword_model"])
def test_attributes_survive_saving_or_cannot_be_set(kind, request, tmp_path):
    model = copy.copy(request.getfixturevalue(kind))
    kept = {"comment": "trained on topics", "tags": ["a", {"b": None}],
            "workers": 7, "score": np.float32(0.5), "cbow_mean": 1}
    for name, value in kept.items():
        setattr(model, name, value)
    for name, value in (("callback", print), ("rows", np.zeros(3)),
                        ("pair", (1, 2)), ("when", {1: 2})):
        with pytest.raises(TypeError, match=f"{name}: expected .* save.. keeps"):
            setattr(model, name, value)
    with pytest.raises(AttributeError, match="train: a method"):
        model.train = 5
    model.save(tmp_path / "a.model")
    again = type(model).load(tmp_path / "a.model")
    again.save(tmp_path / "b.model")
    for loaded in (again, type(model).load(tmp_path / "b.model")):
        for name, value in kept.items():
            assert getattr(loaded, name) == value, name
        assert loaded.corpus_count == model.corpus_count == len(TOPICS)
        assert loaded.running_training_loss == model.running_training_loss
    assert (tmp_path / "a.model").read_bytes() == (
        tmp_path / "b.model").read_bytes()


def test_attributes_of_vectors_survive_saving(model, tmp_path):
    vectors = KeyedVectors.of(model.wv.to_firth())
    vectors.comment = "of topics"
    with pytest.raises(TypeError, match="vectors_lockf: expected"):
        vectors.vectors_lockf = np.ones(3)
    vectors.save(tmp_path / "a.kv")
    for again in (KeyedVectors.load(tmp_path / "a.kv"),
                  pickle.loads(pickle.dumps(vectors))):
        assert again.comment == "of topics"
    model.save(tmp_path / "a.model")
    assert not hasattr(KeyedVectors.load(tmp_path / "a.model"), "corpus_count")


def test_attributes_of_a_file_replace_no_method(model, tmp_path):
    marked = model.wv.to_firth()._annotated({"model-attributes": json.dumps(
        {"train": 5, "wv": 5, "_learnt": 5, "note": 5})})
    marked.save(tmp_path / "a.safetensors")
    again = Word2Vec.load(tmp_path / "a.safetensors")
    assert again.note == 5 and callable(again.train) and "king" in again.wv


def test_a_model_with_a_tree_does_not_go_on():
    model = Word2Vec(TOPICS, hs=1, negative=0, epochs=1, **QUICK)
    assert repr(model) == "Word2Vec<vocab=10, vector_size=8, alpha=0.025>"
    with pytest.raises(ValueError, match="hs"):
        model.train(TOPICS, total_examples=1, epochs=1)


def test_calls_in_the_wrong_order_say_what_comes_first(tmp_path):
    model = Word2Vec(**QUICK)
    with pytest.raises(RuntimeError, match="build_vocab"):
        model.train(TOPICS, total_examples=1, epochs=1)
    with pytest.raises(RuntimeError, match="trained"):
        model.save(tmp_path / "a")
    with pytest.raises(RuntimeError, match="trained"):
        model.build_vocab(TOPICS, update=True)
    model.build_vocab(TOPICS)
    with pytest.raises(ValueError, match="total_examples"):
        model.train(TOPICS, epochs=1)
    with pytest.raises(ValueError, match="epochs"):
        model.train(TOPICS, total_examples=1)


@pytest.mark.parametrize("name, instead", [
    ("most_similar", "model.wv"), ("accuracy", "evaluate_word_analogies"),
    ("score", "lm score")])
def test_names_that_are_elsewhere_say_where(name, instead, model):
    with pytest.raises(AttributeError, match=instead):
        getattr(model, name)
    with pytest.raises(AttributeError, match="key_to_index"):
        model.wv.vocab


# --- What gensim's users ran into. ---


def test_a_generator_is_enough():
    """gensim refuses one, or silently learns nothing after the first pass."""
    by_list = Word2Vec(TOPICS, epochs=3, **QUICK)
    by_generator = Word2Vec((s for s in TOPICS), epochs=3, **QUICK)
    np.testing.assert_array_equal(by_generator.wv.vectors, by_list.wv.vectors)
    model = Word2Vec(**QUICK)
    once = (s for s in TOPICS)
    model.build_vocab(once)
    assert list(once) == []
    trained, _ = model.train(once, total_examples=model.corpus_count, epochs=3)
    assert trained == 3 * model.corpus_total_words
    np.testing.assert_array_equal(model.wv.vectors, by_list.wv.vectors)


def test_sentences_are_asked_for_once():
    """gensim asks once an epoch, and once more for the words."""
    asked = []

    class Corpus:
        def __iter__(self):
            asked.append(threading.current_thread())
            return iter(TOPICS)

    Word2Vec(Corpus(), epochs=5, **QUICK)
    assert asked == [threading.main_thread()]  # and by no other thread


def test_each_epoch_sees_the_whole_corpus():
    """total_examples that are wrong make gensim stop early."""
    model = Word2Vec(**QUICK)
    model.build_vocab(TOPICS)
    trained, _ = model.train(TOPICS, total_examples=7, epochs=10)
    assert trained == 10 * sum(map(len, TOPICS))


def test_words_of_one_letter_say_that_a_str_is_no_list():
    """A list of str gives gensim a vocabulary of letters."""
    model = Word2Vec([" ".join(s) for s in TOPICS], epochs=1, **QUICK)
    assert "king" in model.wv and "k" not in model.wv


@pytest.mark.parametrize("kind", ["model", "subword_model"])
@pytest.mark.parametrize("copied", [
    lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy])
def test_models_and_vectors_are_pickled(copied, kind, request):
    model = request.getfixturevalue(kind)
    for again in (copied(model).wv, copied(model.wv)):
        assert type(again) is type(model.wv)
        assert again.most_similar("king") == model.wv.most_similar("king")
        assert again.get_vecattr("king", "count") == model.wv.get_vecattr(
            "king", "count")


def test_a_question_does_not_double_the_memory(tmp_path):
    """gensim 3 made a second table, of unit vectors, at the first question."""
    rows = np.random.default_rng(1).standard_normal((10000, 500), np.float32)
    made = KeyedVectors(500)
    made.add_vectors([f"w{i}" for i in range(10000)], rows)
    made.save(tmp_path / "a.kv")
    vectors = KeyedVectors.load(tmp_path / "a.kv")
    before = memory_of_its_own()
    vectors.most_similar("w7", topn=3)
    vectors.similarity("w7", "w8")
    assert memory_of_its_own() - before < rows.nbytes / 4


def memory_of_its_own():
    """Bytes of this process that no file backs."""
    with open("/proc/self/status") as status:
        return 1024 * int(next(line.split()[1] for line in status
                               if line.startswith("RssAnon")))
