"""firth.Documents and firth.compat's Doc2Vec.

What gensim's documentation and its tutorial do is done here, on texts of two
topics.
"""

import copy
import pickle

import numpy as np
import pytest

import firth
from conftest import two_topics
from firth.compat import (
    CallbackAny2Vec, Doc2Vec, TaggedDocument, TaggedLineDocument)
from firth.errors import CorruptFileError

TOPICS = two_topics(400)
DOCUMENTS = [TaggedDocument(words, [i]) for i, words in enumerate(TOPICS)]
QUICK = {"vector_size": 8, "min_count": 1, "workers": 1, "sample": 0,
         "alpha": 0.05, "epochs": 20}


@pytest.fixture(scope="module")
def model():
    return Doc2Vec(DOCUMENTS, dm=0, **QUICK)


# --- firth.Documents. ---


def test_documents_are_trained_inferred_and_saved(tmp_path):
    trained = firth.Documents.train(
        TOPICS, dim=8, min_count=1, threads=1, epochs=20, sample=0)
    assert len(trained) == len(TOPICS) == trained.report["documents"]
    assert trained.vectors.words[:2] == ["0", "1"]
    assert not trained.has_word_vectors and not trained.words.vectors.any()
    inferred = trained.infer([TOPICS[0], " ".join(TOPICS[1]), [], ["unknown"]])
    assert inferred.shape == (4, 8)
    assert inferred[:2].any(axis=1).all() and not inferred[2:].any()
    assert (trained.infer([TOPICS[1]])[0] == inferred[1]).all()
    trained.save(tmp_path / "d.safetensors")
    for other in (firth.Documents.load(tmp_path / "d.safetensors"),
                  pickle.loads(pickle.dumps(trained)), copy.deepcopy(trained)):
        assert (other.infer([TOPICS[1]])[0] == inferred[1]).all()
        assert (other.vectors.vectors == trained.vectors.vectors).all()
    opened = firth.load(tmp_path / "d.safetensors")
    assert (opened.vectors == trained.vectors.vectors).all()


def test_documents_have_the_tags_that_they_are_given(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a b\n\nb a\n")
    trained = firth.Documents.train(
        path, tags=["x", ["y", "x"], "z"], dim=4, min_count=1, arch="dm")
    assert trained.vectors.words == ["x", "y", "z"]
    assert trained.vectors.counts.tolist() == [2, 1, 1]
    assert not trained.vectors["y"].any()
    with pytest.raises(ValueError, match="expected those of 3 documents"):
        firth.Documents.train(path, tags=["x"], min_count=1)
    with pytest.raises(TypeError, match="no option 'vector_size'"):
        firth.Documents.train(path, vector_size=4)
    with pytest.raises(TypeError, match="expected a list of documents"):
        trained.infer("a b")


# --- As gensim documents it. ---


@pytest.mark.parametrize("options", [
    {}, {"dm": 0}, {"dm": 0, "dbow_words": 1}, {"dm_mean": 0},
    {"hs": 1, "negative": 0}, {"dm": 0, "hs": 1, "negative": 0},
    {"negative": 10, "ns_exponent": 0.5, "window": 3, "shrink_windows": False},
    {"sample": 1e-2, "min_alpha": 0.001, "max_final_vocab": 8},
])
def test_the_tutorial_runs_with_each_option(options, tmp_path):
    made = Doc2Vec(**{**QUICK, **options})
    made.build_vocab(DOCUMENTS)
    assert len(made.dv) == len(DOCUMENTS)
    assert made.wv.get_vecattr("king", "count") > 0
    made.train(DOCUMENTS, total_examples=made.corpus_count,
               epochs=made.epochs)
    assert 0 <= made.dv.similarity(0, 0) - 1 + 1e-5 < 1e-4
    inferred = made.infer_vector(["king", "crown"])
    assert inferred.shape == (8,) and np.isfinite(inferred).all()
    assert (made.infer_vector(["king", "crown"]) == inferred).all()
    ranked = made.dv.most_similar([inferred], topn=len(made.dv))
    assert {tag for tag, _ in ranked} == set(range(len(DOCUMENTS)))
    made.save(tmp_path / "m")
    loaded = Doc2Vec.load(tmp_path / "m")
    assert (loaded.infer_vector(["king", "crown"]) == inferred).all()
    assert loaded.dv.index_to_key == made.dv.index_to_key
    assert str(loaded) == str(made)
    for name in ("dm", "dm_mean", "dbow_words", "hs", "negative", "window"):
        assert getattr(loaded, name) == getattr(made, name), name


def test_documents_of_a_topic_are_neighbors(model):
    def topic(i):
        return "king" in TOPICS[i] or "crown" in TOPICS[i]

    right = [topic(model.dv.most_similar(i, topn=1)[0][0]) == topic(i)
             for i in range(50)]
    assert sum(right) >= 45


def test_documents_may_come_in_another_order_to_training():
    model = Doc2Vec(**QUICK)
    model.build_vocab(DOCUMENTS)
    model.train(DOCUMENTS[::-1], total_examples=model.corpus_count, epochs=2)
    assert len(model.dv) == len(DOCUMENTS)


def test_whole_numbers_are_tags():
    made = firth.Documents.train(
        ["a b c", "b c d", "a d"] * 4, [7, [8, "x"], np.int64(9)] * 4, dim=4,
        min_count=1, epochs=1, threads=1)
    assert sorted(made.vectors.words) == ["7", "8", "9", "x"]


def test_tags_may_be_several_and_str():
    documents = [TaggedDocument(words, [f"d{i}", "all"])
                 for i, words in enumerate(TOPICS[:20])]
    made = Doc2Vec(documents, **QUICK)
    assert made.dv.index_to_key[:3] == ["d0", "all", "d1"]
    assert "all" in made.dv and len(made.dv) == 21
    assert (made["all"] == made.dv["all"]).all()


def test_files_of_lines_have_numbers_as_tags(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("\n".join(map(" ".join, TOPICS[:30])))
    of_file = Doc2Vec(corpus_file=path, **QUICK)
    of_lines = Doc2Vec(TaggedLineDocument(path), **QUICK)
    assert of_file.dv.index_to_key == list(range(30))
    assert (of_file.dv.vectors == of_lines.dv.vectors).all()
    assert [d.tags for d in TaggedLineDocument(path)][:2] == [[0], [1]]


def test_a_generator_is_read_once():
    made = Doc2Vec(**QUICK)
    documents = (document for document in DOCUMENTS)
    made.build_vocab(documents)
    made.train(documents, total_examples=made.corpus_count, epochs=2)
    assert len(made.dv) == len(DOCUMENTS)


def test_callbacks_see_the_documents_of_the_epoch():
    class Seen(CallbackAny2Vec):
        def __init__(self):
            self.rows, self.events = [], []

        def on_epoch_begin(self, model):
            self.events.append("begin")

        def on_epoch_end(self, model):
            self.events.append("end")
            self.rows.append(model.dv[3].copy())

    seen = Seen()
    made = Doc2Vec(DOCUMENTS, callbacks=[seen], **{**QUICK, "epochs": 3})
    assert seen.events == ["begin", "end"] * 3
    assert (seen.rows[2] == made.dv[3]).all()
    assert (seen.rows[0] != made.dv[3]).any()
    assert made.get_latest_training_loss() > 0


def test_a_model_keeps_attributes_and_writes_word2vec_files(model, tmp_path):
    made = copy.copy(model)
    made.note = "mine"
    made.save(tmp_path / "m")
    assert Doc2Vec.load(tmp_path / "m").note == "mine"
    made.save_word2vec_format(tmp_path / "v.txt", doctag_vec=True,
                              word_vec=False)
    assert (tmp_path / "v.txt").read_text().split()[2] == "*dt_0"


def test_errors_name_the_argument(model, tmp_path):
    with pytest.raises(TypeError, match="a list of words, found a str"):
        model.infer_vector("king crown")
    with pytest.raises(RuntimeError, match="trained already"):
        model.train(DOCUMENTS, total_examples=1, epochs=1)
    with pytest.raises(RuntimeError, match="call build_vocab"):
        Doc2Vec(**QUICK).train(DOCUMENTS, total_examples=1, epochs=1)
    with pytest.raises(RuntimeError, match="not trained yet"):
        Doc2Vec(**QUICK).infer_vector(["king"])
    counted = Doc2Vec(**QUICK)
    counted.build_vocab(DOCUMENTS)
    with pytest.raises(ValueError, match="found other words or tags"):
        counted.train(DOCUMENTS[1:], total_examples=1, epochs=1)
    with pytest.raises(NotImplementedError, match="dm_concat"):
        Doc2Vec(dm_concat=1)
    with pytest.raises(ValueError, match="vector_size: .*1 to 65536"):
        Doc2Vec(DOCUMENTS, **{**QUICK, "vector_size": 0})
    with pytest.raises(TypeError, match="document 0: expected a TaggedDocument"):
        Doc2Vec(TOPICS, **QUICK)
    with pytest.raises(TypeError, match="document 1: tags: expected a list"):
        Doc2Vec([DOCUMENTS[0], TaggedDocument(["a"], "tag")], **QUICK)
    with pytest.raises(TypeError, match="document 1: tags: keys: expected"):
        Doc2Vec([DOCUMENTS[0], TaggedDocument(["a"], ["tag"])], **QUICK)
    with pytest.raises(TypeError, match="corpus_file takes a path"):
        Doc2Vec("t.txt", **QUICK)
    (tmp_path / "m").write_bytes(b"\x08")
    with pytest.raises((ValueError, CorruptFileError)):
        Doc2Vec.load(tmp_path / "m")
