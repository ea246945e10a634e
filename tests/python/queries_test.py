"""Neighbors, analogies, similarity: against NumPy and the command line."""

import json
import subprocess

import numpy as np
import pytest

import firth
from firth import compat
from conftest import TOY, frees_at_once, random_vectors, resident_bytes


def cosines(model, row):
    unit = model.vectors / np.linalg.norm(model.vectors, axis=1)[:, None]
    return unit @ (row / np.linalg.norm(row))


@pytest.fixture(scope="module")
def many():
    return random_vectors(2000, 24)


def test_most_similar_is_the_greatest_cosine(vectors):
    answers = vectors.most_similar("king", topn=10)
    assert [word for word, _ in answers] == [
        "queen", "the", "man", "woman", "table"]
    np.testing.assert_allclose([score for _, score in answers],
                               [0.8, 0.5, 0, 0, 0], atol=1e-6)
    assert isinstance(answers, list) and isinstance(answers[0], tuple)


def test_most_similar_adds_and_subtracts_unit_vectors(vectors):
    answers = vectors.most_similar(positive=["king", "woman"],
                                   negative=["man"], topn=1)
    wanted = np.float32([1, 0.6, -0.2, 0])  # king - man + woman
    assert answers[0][0] == "queen"
    assert answers[0][1] == pytest.approx(
        wanted @ TOY["queen"] / np.linalg.norm(wanted), abs=1e-6)


def test_most_similar_takes_vectors_and_weights(vectors):
    by_word = vectors.most_similar([("king", 2.0), ("woman", 0.5)])
    by_vector = vectors.most_similar(
        [(vectors["king"] * 3, 2.0), (vectors["woman"], 0.5)])
    row = 2 * vectors["king"] + 0.5 * vectors["woman"]
    expected = dict(zip(vectors.words, cosines(vectors, row)))
    assert dict(by_vector) == pytest.approx(expected, abs=1e-6)
    assert set(dict(by_word)) == set(TOY) - {"king", "woman"}
    assert vectors.most_similar(vectors["king"], topn=1)[0][0] == "king"


def test_most_similar_multiplies_as_levy_and_goldberg(vectors):
    answers = dict(vectors.most_similar(["king", "woman"], ["man"],
                                        method="mul"))
    shifted = {name: (1 + cosines(vectors, vectors[name])) / 2
               for name in ("king", "woman", "man")}
    expected = shifted["king"] * shifted["woman"] / (shifted["man"] + 0.001)
    assert answers == pytest.approx(
        {word: expected[vectors.find(word)]
         for word in ("queen", "the", "table")}, rel=1e-4)


def test_a_question_must_have_a_word_that_is_known(vectors):
    with pytest.raises(ValueError, match="at least one"):
        vectors.most_similar()
    with pytest.raises(KeyError, match="'kinng'.*king"):
        vectors.most_similar("kinng")
    with pytest.raises(ValueError, match=r"shape \(4,\), found \(3,\)"):
        vectors.most_similar(np.ones(3))
    with pytest.raises(ValueError, match="method"):
        vectors.most_similar("king", method="divide")
    with pytest.raises(ValueError, match="-1"):
        vectors.most_similar("king", topn=-1)


def test_neighbors_of_many_are_those_of_each(many):
    words = list(many.words[:50])
    ids, scores = many.neighbors(words, k=5)
    assert ids.shape == scores.shape == (50, 5)
    assert ids.dtype == np.int64 and scores.dtype == np.float32
    for word, row, found in zip(words, ids, scores):
        expected = cosines(many, many[word])
        expected[many.find(word)] = -2
        best = np.argsort(-expected)[:5]
        assert row.tolist() == best.tolist()
        np.testing.assert_allclose(found, expected[best], atol=1e-5)


def test_neighbors_are_asked_by_word_id_or_vector(many):
    by_word = many.neighbors(["w3", "w5"], k=4)
    by_id = many.neighbors(np.array([3, 5]), k=4)
    np.testing.assert_array_equal(by_word[0], by_id[0])
    np.testing.assert_array_equal(
        many.neighbors(np.array(["w3", "w5"]), k=4)[0], by_id[0])
    ids, _ = many.neighbors(many[["w3", "w5"]], k=5)
    assert ids[:, 0].tolist() == [3, 5]  # a vector's first is its word
    np.testing.assert_array_equal(ids[:, 1:], by_word[0])
    assert many.neighbors([], k=3)[0].shape == (0, 3)


def test_neighbors_of_unknown_words_are_those_of_their_ngrams(subwords):
    ids, scores = subwords.neighbors(["kingking", "king"], k=3)
    assert subwords.find("king") not in ids[1]
    expected = cosines(subwords, subwords["kingking"])
    np.testing.assert_allclose(scores[0], np.sort(expected)[::-1][:3],
                               atol=1e-5)


@pytest.mark.parametrize("queries, message", [
    (np.full((1, 24), np.nan), "NaN"),
    (np.ones((2, 3)), r"shape \(n, 24\), found \(2, 3\)"),
    ([1.5, 2.5], "shape"),
    ([2000], "2000"),
])
def test_questions_of_another_shape_are_refused(many, queries, message):
    with pytest.raises(ValueError, match=message):
        many.neighbors(queries)


def test_a_bare_word_is_no_list_of_questions(many):
    with pytest.raises(TypeError, match="list of words"):
        many.neighbors("w1")
    for ask in (many.find_all, many.odd_one_out, many.sentence_vectors):
        with pytest.raises(TypeError, match="expected a list, found str"):
            ask("w1")


def test_more_neighbors_than_words_are_all_there_are(vectors):
    ids, scores = vectors.neighbors(["king"], k=100)
    assert ids.shape == (1, 6) and ids[0, 5] == -1 and np.isnan(scores[0, 5])
    assert sorted(ids[0, :5].tolist()) == [0, 2, 3, 4, 5]


def test_searches_find_the_same(many, tmp_path):
    words = list(many.words[:40])
    ids, scores = many.neighbors(words, k=5)
    small, _ = many.neighbors(words, k=5, search="int8")
    np.testing.assert_array_equal(small, ids)
    many.build_index(tmp_path / "a.hnsw")
    graph, _ = many.neighbors(words, k=5, search="hnsw", breadth=500,
                              index=tmp_path / "a.hnsw")
    assert (graph == ids).mean() > 0.95
    few, _ = many.neighbors(words, k=5, restrict=100)
    assert few.max() < 100


def test_an_index_that_was_written_anew_is_read_anew(many, tmp_path):
    path = tmp_path / "a.hnsw"
    many.build_index(path)
    many.neighbors(["w1"], search="hnsw", index=path)
    path.write_text("no index")
    with pytest.raises(ValueError, match="a.hnsw"):
        many.neighbors(["w1"], search="hnsw", index=path)


@frees_at_once
def test_searches_that_were_asked_once_do_not_stay():
    model = random_vectors(20000, 64)
    model.neighbors(["w1"], search="int8")
    before = resident_bytes()
    for restrict in range(19900, 20000):  # 1.3 MB each
        model.neighbors(["w1"], search="int8", restrict=restrict)
    assert resident_bytes() - before < 40_000_000


def test_a_search_that_does_not_exist_is_refused(many):
    with pytest.raises(ValueError, match="search"):
        many.neighbors(["w1"], search="fast")
    with pytest.raises(ValueError, match="index"):
        many.neighbors(["w1"], search="hnsw")


def test_the_command_line_says_the_same(many, program, tmp_path):
    path = tmp_path / "many.safetensors"
    many.save(path)
    words = ["w10", "w200", "w1999"]
    lines = subprocess.run(
        [program, "nn", path, *words, "--json", "--top", "5"], check=True,
        capture_output=True, text=True).stdout.splitlines()
    ids, scores = many.neighbors(words, k=5)
    for line, row, found in zip(lines, ids, scores, strict=True):
        said = json.loads(line)["neighbors"]
        assert [n["word"] for n in said] == [many.words[i] for i in row]
        np.testing.assert_allclose([n["score"] for n in said], found,
                                   atol=1e-5)


def test_analogy_is_b_minus_a_plus_c(vectors):
    assert vectors.analogy("man", "king", "woman", topn=1)[0][0] == "queen"
    assert vectors.analogy("man", "king", "woman") == vectors.most_similar(
        ["king", "woman"], ["man"])


def test_similarities_are_cosines(vectors):
    assert vectors.similarity("king", "queen") == pytest.approx(0.8, abs=1e-6)
    np.testing.assert_allclose(
        vectors.similarities("king"), [0.5, 1, 0.8, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(
        vectors.similarities("king", ["queen", "the"]), [0.8, 0.5], atol=1e-6)
    np.testing.assert_allclose(
        vectors.similarities(np.float32([0, 0, 0, 5])),
        [0.5, 0, 0, 0, 0, 1], atol=1e-6)


def test_rank_and_closer_count_neighbors(vectors):
    assert vectors.rank("king", "queen") == 1
    assert vectors.rank("queen", "woman") == 3  # king .8, the .7, woman .36
    assert [word for word, _ in vectors.closer("queen", "woman")] == [
        "king", "the"]
    assert vectors.closer("king", "queen") == []
    with pytest.raises(KeyError, match="nobody"):
        vectors.rank("king", "nobody")


def test_the_odd_one_is_farthest_from_the_mean(vectors):
    assert vectors.odd_one_out(["king", "table", "queen"]) == "table"
    with pytest.raises(ValueError, match="at least 2"):
        vectors.odd_one_out(["king"])


def test_sentence_vectors_are_means_of_unit_vectors(vectors):
    rows, known = vectors.sentence_vectors(
        ["king woman nobody", "", "table"], known=True)
    assert known.tolist() == [2, 0, 1]
    np.testing.assert_allclose(rows[2] / np.linalg.norm(rows[2]),
                               TOY["table"], atol=1e-6)
    np.testing.assert_array_equal(rows[1], np.zeros(4))
    mean = (vectors["king"] + vectors["woman"]) / 2
    np.testing.assert_allclose(rows[0] / np.linalg.norm(rows[0]),
                               mean / np.linalg.norm(mean), atol=1e-6)
    with pytest.raises(TypeError, match="there is no option 'wigths'"):
        vectors.sentence_vectors(["king"], wigths="mean")


def test_neighbors_are_shown_as_a_table(vectors):
    shown = vectors.most_similar("king", topn=1)._repr_html_()
    assert "<td>queen</td><td>0.8000</td>" in shown
    tag = firth.Vectors.from_arrays(["a", "<b>"], [[1], [1]])
    assert "&lt;b&gt;" in tag.most_similar("a")._repr_html_()


def test_analogies_of_a_file_are_measured(vectors, tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(": royal\nman king woman queen\nman king woman table\n"
                    "man king woman nobody\n")
    measured = vectors.evaluate(analogies=path)
    (result,) = measured.analogies
    assert (result.correct, result.asked, result.total) == (1, 2, 3)
    assert result.accuracy == 0.5
    assert result.interval[0] < 0.5 < result.interval[1]
    assert result.sections[0]["name"] == "royal"
    assert repr(measured).splitlines() == [
        "test set       measure   value   asked",
        "questions.txt  accuracy  0.5000  2 of 3"]


def test_similarity_of_a_file_is_a_rank_correlation(vectors, tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("king\tqueen\t9\nking\tthe\t8\nking\ttable\t1\n"
                    "king\tnobody\t5\n")
    (result,) = vectors.evaluate(similarity=[path]).similarity
    assert result.spearman == pytest.approx(1) and result.asked == 3
    assert result.cosines[0] == pytest.approx(0.8, abs=1e-6)
    assert result.cosines[3] is None and result.scores[3] == 5


def test_test_sets_and_options_are_checked(vectors, tmp_path):
    with pytest.raises(FileNotFoundError):
        vectors.evaluate(analogies=tmp_path / "none.txt")
    with pytest.raises(TypeError, match="'restrict'"):
        vectors.evaluate(restrikt=5)


def test_lengths_make_no_difference_to_cosines():
    rows = np.array([[3e-30, 4e-30], [4e30, 3e30], [3e-38, -4e-38]])
    vectors = firth.Vectors.from_arrays(["a", "b", "c"], rows)
    keyed = compat.KeyedVectors.of(vectors)
    for similarity in (vectors.similarity, keyed.similarity):
        assert similarity("a", "b") == pytest.approx(0.96, abs=1e-6)
        assert similarity("a", "c") == pytest.approx(-0.28, abs=1e-6)
    np.testing.assert_allclose(
        vectors.similarities("a", ["b", "c"]), [0.96, -0.28], atol=1e-6)
    for found in (vectors.most_similar("a"), vectors.most_similar(rows[0])[1:],
                  keyed.most_similar("a")):
        assert [word for word, _ in found] == ["b", "c"]
        np.testing.assert_allclose([score for _, score in found],
                                   [0.96, -0.28], atol=1e-6)
    np.testing.assert_allclose(
        keyed.get_vector("c", norm=True), [0.6, -0.8], atol=1e-6)


def test_zeros_have_no_direction_and_no_neighbors():
    rows = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])
    words = ["zero", "a", "b", "c"]
    vectors = firth.Vectors.from_arrays(words, rows)
    for queries in (["zero"] * 2, np.int64([0, 0]), rows[[0, 0]],
                    ["zero"] * 9):
        ids, scores = vectors.neighbors(queries, k=2)
        assert (ids == -1).all() and np.isnan(scores).all()
    ids, _ = vectors.neighbors(["zero", "a", "zero"], k=1)
    assert ids.tolist() == [[-1], [2], [-1]]
    for method in ("add", "mul"):
        assert vectors.most_similar("zero", method=method) == []
        assert vectors.most_similar(np.zeros(2, np.float32),
                                    method=method) == []
    keyed = compat.KeyedVectors(2)
    keyed.add_vectors(words, rows)
    assert keyed.most_similar("zero") == []
    assert keyed.most_similar("zero", clip_start=1) == []
    assert keyed.most_similar_cosmul("zero") == []
    assert keyed.similar_by_vector(rows[0]) == []
    assert keyed.most_similar("a", topn=1)[0][0] == "b"


def test_an_index_of_little_use_is_an_error_and_no_file(tmp_path):
    rng = np.random.default_rng(1)
    centers = rng.uniform(-1, 1, (2, 20))
    rows = np.tile(centers, (1000, 1)) + rng.uniform(-1e-3, 1e-3, (2000, 20))
    vectors = firth.Vectors.from_arrays([f"w{i}" for i in range(2000)],
                                        rows.astype(np.float32))
    with pytest.raises(ValueError, match="the graph would find fewer than 50%"):
        vectors.build_index(tmp_path / "tight.hnsw")
    assert list(tmp_path.iterdir()) == []
