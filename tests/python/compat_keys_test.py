"""firth.compat's keys that are whole numbers, beside gensim's.

Walks over graphs and baskets of products come as numbers. A number is a key
first, and a position only where there is no such key.
"""

import copy
import pickle
import subprocess

import numpy as np
import pytest

import firth
from firth import compat
from firth.compat import FastText, KeyedVectors, Phrases, Word2Vec

QUICK = {"vector_size": 8, "min_count": 1, "workers": 1, "sample": 0}
EVEN, ODD = [20, 2, 14, 16], [1, 33, 5, 7]


def walks(n=1000):
    """Walks within one of two parts of a graph, whose nodes are numbers."""
    draw = np.random.default_rng(5)
    return [draw.choice(EVEN if i % 2 else ODD, 8).tolist() for i in range(n)]


WALKS = walks()
KEYS = sorted(EVEN + ODD)


def both():
    """Keys whose positions are other keys, by gensim and by Firth."""
    gensim = pytest.importorskip(
        "gensim.models",
        reason="gensim is not installed (Debian's python3-gensim)")
    rows = np.random.default_rng(3).standard_normal((5, 6)).astype(np.float32)
    made = []
    for kind in (gensim.KeyedVectors, KeyedVectors):
        vectors = kind(6)
        vectors.add_vectors([3, 0, 20, 1, 7], rows)
        made.append(vectors)
    return made


@pytest.fixture(scope="module")
def model():
    return Word2Vec(WALKS, epochs=10, **QUICK)


def knows_parts(vectors):
    return vectors.similarity(2, 20) > vectors.similarity(2, 33) + 0.3


QUESTIONS = {
    "in": lambda v: [key in v for key in (3, 7, 2, 4, 5, "3", "x", 20)],
    "has_index_for": lambda v: [v.has_index_for(key) for key in (7, 4, 5)],
    "get_index": lambda v: [v.get_index(key) for key in (3, 0, 20, 1, 7, 2)],
    "get_index default": lambda v: v.get_index(9, -2),
    "index_to_key": lambda v: v.index_to_key,
    "key_to_index": lambda v: v.key_to_index,
    "vector": lambda v: v[7].tolist(),
    "position": lambda v: v[2].tolist(),
    "vectors": lambda v: v[[1, 0, 20]].tolist(),
    "keys and positions": lambda v: v[[1, 4, 20]].tolist(),
    "array of keys": lambda v: v[np.array([20, 3])].tolist(),
    "most_similar": lambda v: v.most_similar(3),
    "most_similar numpy": lambda v: v.most_similar(np.int64(3)),
    "most_similar list": lambda v: v.most_similar([3, 0], [(1, -0.5)], topn=2),
    "most_similar clip": lambda v: v.most_similar(7, clip_start=1, clip_end=4),
    "most_similar restrict": lambda v: v.most_similar(7, restrict_vocab=3),
    "similar_by_key": lambda v: v.similar_by_key(20, topn=2),
    "similar_by_word": lambda v: v.similar_by_word(0, topn=2),
    "similar_by_vector": lambda v: v.similar_by_vector(v[7], topn=2),
    "closer_than": lambda v: v.closer_than(3, 7),
    "rank": lambda v: v.rank(3, 7),
    "similarity": lambda v: v.similarity(3, 1),
    "distance": lambda v: v.distance(0, 1),
    "distances": lambda v: v.distances(0, [3, 1]).tolist(),
    "n_similarity": lambda v: v.n_similarity([3, 0], [1, 20]),
    "doesnt_match": lambda v: v.doesnt_match([3, 0, 20, 7]),
    "centrality": lambda v: v.rank_by_centrality([3, 0, 20]),
    "given": lambda v: v.most_similar_to_given(3, [7, 1, 0]),
    "mean": lambda v: v.get_mean_vector([3, 0]).tolist(),
    "count": lambda v: (v.set_vecattr(1, "count", 4),
                        v.get_vecattr(1, "count"))[1],
    "all": lambda v: v.vectors_for_all([20, 3, 99]).index_to_key,
    "str": lambda v: v["3"],
    "unknown": lambda v: v[9],
    "unknown most_similar": lambda v: v.most_similar(9),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_numbers_are_answered_as_by_gensim(name):
    theirs, ours = both()
    try:
        expected = QUESTIONS[name](theirs)
    except KeyError:
        with pytest.raises(KeyError):
            QUESTIONS[name](ours)
        return
    found = QUESTIONS[name](ours)
    assert same(expected, found), (expected, found)


def same(expected, found):
    """Whether keys are equal, with their types, and numbers to 1e-5."""
    if isinstance(expected, (list, tuple)):
        return len(expected) == len(found) and all(
            map(same, expected, found))
    if isinstance(expected, (float, np.floating)):
        return found == pytest.approx(expected, abs=1e-5)
    return expected == found and isinstance(found, str) == isinstance(
        expected, str)


def test_a_model_of_numbers_is_asked_by_numbers(model):
    vectors = model.wv
    assert sorted(vectors.index_to_key) == KEYS
    assert knows_parts(vectors)
    for key in KEYS:
        place = vectors.key_to_index[key]
        assert vectors.get_index(key) == place
        np.testing.assert_array_equal(vectors[key], vectors.vectors[place])
        part = EVEN if key in EVEN else ODD
        nearest = [near for near, _ in vectors.most_similar(key, topn=3)]
        assert sorted([key, *nearest]) == sorted(part)
    assert vectors.doesnt_match([2, 20, 33]) == 33
    assert vectors.get_vecattr(33, "count") == sum(
        walk.count(33) for walk in WALKS)
    # gensim 4.2 fails at lists of numbers here.
    best = vectors.most_similar_cosmul([2, 20], [33], topn=2)
    assert sorted(key for key, _ in best) == [14, 16]
    assert vectors.wmdistance([2, 20], [20, 2]) == 0
    assert vectors.wmdistance([2], ["20"]) == float("inf")
    best = model.predict_output_word([2, 20], topn=4)
    assert {key for key, _ in best} <= set(KEYS)
    assert model.predict_output_word(["2"]) is None


def test_numbers_are_keys_before_a_training(model):
    counted = Word2Vec(**QUICK)
    counted.build_vocab(WALKS)
    assert counted.wv.index_to_key == model.wv.index_to_key
    assert 33 in counted.wv and counted.wv[33].shape == (8,)
    counted.train(WALKS, total_examples=1, epochs=1)
    assert counted.wv.index_to_key == model.wv.index_to_key


@pytest.mark.parametrize("sentences", [
    [np.array([2, 14, 2]), np.array([14, 7])], [(2, 14, 2), (14, 7)],
    [[np.int32(2), np.uint8(14), 2], [14, 7]]])
def test_numbers_of_numpy_are_the_same_keys(sentences):
    vectors = Word2Vec(sentences, **QUICK).wv
    assert sorted(vectors.index_to_key) == [2, 7, 14]
    assert all(type(key) is int for key in vectors.index_to_key)
    assert vectors.get_index(np.int16(14)) == vectors.get_index(14)


def test_a_number_that_is_no_key_is_named(model):
    with pytest.raises(KeyError, match="^99 is not in the vocabulary$"):
        model.wv[99]
    with pytest.raises(firth.UnknownWordError,
                       match="'33' is not in the vocabulary, whose keys are "
                             "whole numbers; 33 is") as caught:
        model.wv["33"]
    assert pickle.loads(pickle.dumps(caught.value)).closest == [33]
    texts = Word2Vec([list(map(str, walk)) for walk in WALKS], **QUICK).wv
    with pytest.raises(KeyError, match="33 is not in the vocabulary, whose "
                                       "keys are str; '33' is"):
        texts[33]
    np.testing.assert_array_equal(texts[2], texts.vectors[2])
    np.testing.assert_array_equal(texts["2"],
                                  texts.vectors[texts.get_index("2")])


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_the_kind_of_keys_survives_files_and_copies(kind, tmp_path):
    options = {**QUICK, **({"bucket": 50} if kind is FastText else {})}
    model = kind(WALKS, epochs=2, **options)
    keys = model.wv.index_to_key
    model.save(tmp_path / "a.model")
    model.wv.save(tmp_path / "a.kv")
    for vectors in (kind.load(tmp_path / "a.model").wv,
                    KeyedVectors.load(tmp_path / "a.model"),
                    KeyedVectors.load(tmp_path / "a.kv"),
                    pickle.loads(pickle.dumps(model.wv)),
                    pickle.loads(pickle.dumps(model)).wv,
                    copy.copy(model.wv), copy.deepcopy(model.wv),
                    KeyedVectors.of(model.wv.to_firth()),
                    model.wv.vectors_for_all(keys)):
        assert vectors.index_to_key == keys
        np.testing.assert_array_equal(vectors[33], model.wv[33])
        assert isinstance(vectors.most_similar(33)[0][0], int)
    words = model.wv.to_firth()
    assert list(words.words) == list(map(str, keys))
    np.testing.assert_array_equal(words["33"], model.wv[33])


def test_numbers_with_ngrams_have_vectors_if_they_are_unknown():
    vectors = FastText(WALKS, bucket=50, min_n=1, max_n=2, **QUICK).wv
    assert 333 in vectors and "333" not in vectors
    np.testing.assert_array_equal(vectors[333], vectors.to_firth()["333"])
    assert not vectors.has_index_for(333)


def test_vectors_that_are_set_and_sorted_keep_their_keys(model):
    vectors = copy.deepcopy(model.wv)
    vectors.vectors = vectors.get_normed_vectors()
    assert vectors.index_to_key == model.wv.index_to_key
    vectors.set_vecattr(33, "count", 10**6)
    vectors.sort_by_descending_frequency()
    assert vectors.index_to_key[0] == 33
    vectors.add_vector(99, np.ones(8))
    vectors[2] = np.ones(8)
    assert vectors.similarity(2, 99) == pytest.approx(1)
    vectors.unit_normalize_all()
    assert vectors.index_to_key[-1] == 99 and vectors.get_index(99) == 8


def test_keys_that_are_positions_are_added_and_saved(tmp_path):
    vectors = KeyedVectors(2)
    for i, key in enumerate((5, 0, np.int64(1))):
        assert vectors.add_vector(key, [key, 1]) == i
    vectors.save(tmp_path / "a.kv")
    for made in (vectors, KeyedVectors.load(tmp_path / "a.kv")):
        assert made.index_to_key == [5, 0, 1] and len(made) == 3
        assert [made[key][0] for key in (5, 0, 1, 2)] == [5, 0, 1, 1]


def test_a_file_of_numbers_is_a_file_of_their_digits(model, tmp_path):
    path, counts = tmp_path / "a.vec", tmp_path / "a.vocab"
    model.wv.save_word2vec_format(path, fvocab=counts)
    read = KeyedVectors.load_word2vec_format(path, fvocab=counts)
    assert read.index_to_key == list(map(str, model.wv.index_to_key))
    np.testing.assert_allclose(read["33"], model.wv[33])
    assert read.get_vecattr("33", "count") == model.wv.get_vecattr(33, "count")


def test_test_sets_of_numbers_are_measured(model, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("2\t20\t9\n2\t33\t1\n14\t16\t8\n")
    pearson, _, unknown = model.wv.evaluate_word_pairs(path)
    assert pearson[0] > 0.9 and unknown == 0


def test_a_model_of_numbers_goes_on_with_numbers(tmp_path):
    model = Word2Vec(WALKS, epochs=2, **QUICK)
    model.save(tmp_path / "a.model")
    for again in (model, Word2Vec.load(tmp_path / "a.model")):
        again.build_vocab([[2, 99]] * 9, update=True)
        again.train([[2, 99]] * 9, total_examples=9, epochs=1)
        assert sorted(again.wv.index_to_key) == sorted([*KEYS, 99])
        again.train(WALKS, total_examples=1, epochs=1)
        with pytest.raises(TypeError, match="expected a whole number.*'2'"):
            again.build_vocab([["2", "3"]], update=True)
        path = tmp_path / "text"
        path.write_text("2 20\n")
        with pytest.raises(TypeError, match="corpus_file: the keys of the model are whole numbers"):
            again.train(corpus_file=path, total_examples=1, epochs=1)


def test_numbers_among_words_are_refused():
    for sentences, place in (([["a", 1]], "sentence 0, word 1"),
                             ([[1, 2], ["a"]], "sentence 1, word 0"),
                             ([[1], "a b"], "sentence 1, word 0"),
                             ([["a"]] * 600 + [[3]], "sentence 600, word 0"),
                             ([[3]] * 600 + [["a"]], "sentence 600, word 0")):
        with pytest.raises(TypeError, match=place + ": expected a"):
            Word2Vec(sentences, **QUICK)
    model = Word2Vec(**QUICK)
    model.build_vocab([["a", "b"]])
    with pytest.raises(TypeError, match="expected a str.* found 1"):
        model.train([[1, 2]], total_examples=1, epochs=1)
    vectors = KeyedVectors(2)
    vectors.add_vector("a", [1, 2])
    with pytest.raises(TypeError, match="keys: expected str, found 1"):
        vectors[1] = [1, 2]


def test_phrases_are_made_of_texts():
    for call in (lambda: Phrases([[1, 2]]), lambda: Phrases()[[1, 2]],
                 lambda: Phrases([["a", 2]])):
        with pytest.raises(TypeError, match="expected lists of str, found the "
                                            "word"):
            call()


def test_the_program_reads_a_model_of_numbers(model, tmp_path, program):
    path = tmp_path / "a.safetensors"
    model.save(path)
    answer = subprocess.run([program, "nn", path, "2", "--top", "3"],
                            capture_output=True, text=True, check=True).stdout
    assert sorted(line.split()[0] for line in answer.splitlines()) == sorted(
        str(key) for key in EVEN if key != 2)


@pytest.mark.parametrize("keys, other", [(["a", "b"], "c"), ([5, 7], 9)])
def test_a_key_that_is_added_later_has_no_count_and_is_kept(
        tmp_path, keys, other):
    vectors = KeyedVectors(2)
    vectors.add_vectors(keys, np.eye(2))
    vectors.set_vecattr(keys[1], "count", 3)
    vectors.add_vector(other, [1, 1])
    vectors.save(tmp_path / "v.safetensors")
    loaded = KeyedVectors.load(tmp_path / "v.safetensors")
    assert loaded.index_to_key == [*keys, other]
    assert loaded.get_vecattr(keys[1], "count") == 3
    vectors.add_vector(keys[0] * 4, [1, 2])
    vectors.sort_by_descending_frequency()
    assert vectors.index_to_key == [keys[1], keys[0], other, keys[0] * 4]


def test_distances_of_words_with_white_space_and_other_bytes():
    vectors = compat.KeyedVectors(2)
    vectors.add_vectors(["New York", "Paris", "Z\udcfcrich"],
                        np.float32([[1, 0], [0, 1], [0, 2]]))
    far = vectors.wmdistance(["New York", "New York"], ["Paris", "New", "York"])
    assert far == pytest.approx(2 ** 0.5)
    assert vectors.wmdistance(["Z\udcfcrich"], ["Paris"]) == 0
    assert vectors.wmdistance(["New York"], ["new york"]) == float("inf")
    assert vectors.wmdistance([], ["New York"]) == float("inf")
