"""Sentences of any kind as blocks of bytes, and vectors of sentences."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies

import firth
from firth.sentences import blocks, to_block


def sentences_of(block):
    (text, offsets), ends = block
    words = [text[a:b].decode("utf-8", "surrogateescape")
             for a, b in zip(offsets, offsets[1:])]
    return [words[a:b] for a, b in zip(ends, ends[1:])]


WORDS = strategies.text(min_size=1).filter(
    lambda word: not any("\ud800" <= c <= "\udfff" for c in word))


@given(strategies.lists(strategies.lists(WORDS)))
def test_a_block_holds_the_words_of_each_sentence(sentences):
    assert sentences_of(to_block(sentences)) == sentences


@pytest.mark.parametrize("sentence, words", [
    ("the cat  sat\n", ["the", "cat", "sat"]),
    (("a", "b"), ["a", "b"]),
    (["new york", "\t"], ["new york", "\t"]),
    (np.array([3, 1, 3]), ["3", "1", "3"]),
    ([3, np.int32(1)], ["3", "1"]),
    (["a", 5], ["a", "5"]),
    (np.array(["x", "yz"]), ["x", "yz"]),
    ({"k": 1, "l": 2}.keys(), ["k", "l"]),
    (["Z\udcfcrich", "東京"], ["Z\udcfcrich", "東京"]),
    ([], []),
    ("", []),
])
def test_sentences_are_lists_texts_or_ids(sentence, words):
    assert sentences_of(to_block([sentence, "end"])) == [words, ["end"]]


@pytest.mark.parametrize("sentence, error, message", [
    (5, TypeError, "sentence 1: expected a str or a list of str, found int"),
    (b"a b", TypeError, "sentence 1: .* found bytes"),
    (np.ones((2, 2)), TypeError, r"sentence 1: .* array of shape \(2, 2\)"),
    (["a", 1.5], TypeError, "sentence 1, word 1: .* found float"),
    ([True], TypeError, "sentence 1, word 0: .* found bool"),
    (["a", None], TypeError, "sentence 1, word 1: .* found NoneType"),
    (["a", ""], ValueError, "sentence 1, word 1: .* must not be empty"),
])
def test_what_is_no_sentence_is_named(sentence, error, message):
    with pytest.raises(error, match=message):
        list(blocks(["good", sentence]))


def test_errors_count_sentences_over_all_blocks():
    with pytest.raises(ValueError, match="sentence 1234, word 0"):
        list(blocks([["a"]] * 1234 + [[""]]))


def test_blocks_ask_an_iterator_once_and_skip_empty_ones():
    asked = []

    def generate():
        for i in range(2000):
            asked.append(i)
            yield [] if i < 1500 else [str(i)]

    result = [sentence for block in blocks(generate())
              for sentence in sentences_of(block)]
    assert result == [[str(i)] for i in range(1500, 2000)]
    assert asked == list(range(2000))


def test_vectors_of_texts_are_means_in_the_form_of_the_model(sentence_model):
    sentences = firth.Sentences.load(sentence_model)
    vectors = firth.load(sentence_model)
    rows = sentences.encode(iter(["The CAT", "unknown", "", "sun cat sun"]))
    assert rows.shape == (4, 12) and rows.dtype == np.float32
    assert sentences.dim == 12
    np.testing.assert_allclose(
        rows[0], (vectors["the"] + vectors["cat"]) / 2, atol=1e-6)
    np.testing.assert_allclose(
        rows[3], (2 * vectors["sun"] + vectors["cat"]) / 3, atol=1e-6)
    assert not rows[1:3].any()
    assert sentences.encode([]).shape == (0, 12)


def test_vectors_of_texts_can_be_scaled_and_cut(sentence_model):
    sentences = firth.Sentences.load(sentence_model)
    texts = ["the cat", "unknown", "a star"]
    rows = sentences.encode(texts)
    cut = sentences.encode(texts, dim=5)
    np.testing.assert_array_equal(cut, rows[:, :5])
    assert cut.flags.c_contiguous
    unit = sentences.encode(texts, normalize=True, dim=5)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), [1, 0, 1],
                               atol=1e-6)
    np.testing.assert_allclose(
        unit[0], cut[0] / np.linalg.norm(cut[0]), atol=1e-6)
    for dim in (0, 13):
        with pytest.raises(ValueError, match=f"dim: expected 1 to 12, found {dim}"):
            sentences.encode(texts, dim=dim)
    with pytest.raises(TypeError, match="texts: expected a list, found str"):
        sentences.encode("the cat")
    with pytest.raises(TypeError, match="found 'm.safetensors'; firth.Sentence"):
        firth.Sentences("m.safetensors")


def test_similarity_is_the_cosine_of_pairs(sentence_model):
    sentences = firth.Sentences.load(sentence_model)
    a, b = sentences.encode(["a cat", "the sun"], normalize=True)
    cosine = sentences.similarity("a cat", "the sun")
    assert isinstance(cosine, float)
    assert cosine == pytest.approx(float(a @ b), abs=1e-6)
    matrix = sentences.similarity(["a cat", "the sun"], ["the sun", "unknown"])
    np.testing.assert_allclose(matrix, [[cosine, 0], [1, 0]], atol=1e-6)
    np.testing.assert_allclose(
        sentences.similarity("a cat", ["a cat", "the sun"]), [1, cosine],
        atol=1e-6)
    assert sentences.similarity(["a cat"], "the sun").shape == (1,)


def test_many_texts_are_encoded_like_few(sentence_model):
    sentences = firth.Sentences.load(sentence_model)
    texts = [f"cat {'sun ' * (i % 7)}" for i in range(10_000)]
    rows = sentences.encode(texts)
    for i in (0, 4095, 4096, 8191, 9999):
        np.testing.assert_array_equal(rows[i], sentences.encode([texts[i]])[0])


def test_errors_count_texts_over_all_calls(tmp_path):
    path = tmp_path / "v.safetensors"
    rare = np.float32(12345.5)
    firth.Vectors.from_arrays(
        ["good", "bad"], np.array([[1, 2], [1, rare]], np.float32)).save(path)
    path.write_bytes(path.read_bytes().replace(
        rare.tobytes(), np.float32(np.inf).tobytes()))
    sentences = firth.Sentences.load(path)
    with pytest.raises(ValueError, match="a word in text 5000 has a vector that"):
        sentences.encode(["good"] * 5000 + ["bad"])


def test_plain_vectors_give_means_with_options(vectors):
    sentences = firth.Sentences(vectors, unit_words=True)
    np.testing.assert_array_equal(
        sentences.encode(["the king"]),
        vectors.sentence_vectors(["the king"], unit_words=True))
    copy = pickle.loads(pickle.dumps(sentences))
    np.testing.assert_array_equal(copy.encode(["the king"]),
                                  sentences.encode(["the king"]))
    with pytest.raises(TypeError, match="sift"):
        firth.Sentences(vectors, sift=1)


def test_models_are_evaluated_on_texts(sentence_model, tmp_path):
    vectors = firth.load(sentence_model)
    sts = tmp_path / "sts.tsv"
    sts.write_text("5\ta cat\ta cat\n1\ta cat\tthe sun\n2\tthe\tdog\n")
    for name, text in (("documents", "1\ta cat\n2\tthe sun\n"),
                       ("queries", "q\tcat\n"), ("relevant", "q\t1\n")):
        (tmp_path / f"{name}.tsv").write_text(text)
    measured = vectors.evaluate(sts=sts, retrieval=[tmp_path])
    cosines = [1.0, *(firth.Sentences(vectors).similarity(a, b)
                      for a, b in (("a cat", "the sun"), ("the", "dog")))]
    assert measured.sts[0].cosines == pytest.approx(cosines, abs=1e-6)
    assert measured.sts[0].pearson == pytest.approx(
        np.corrcoef([5, 1, 2], cosines)[0, 1], abs=1e-6)
    assert measured.retrieval[0].bm25.ndcg == 1
    assert measured.retrieval[0].asked == 1
    assert "nDCG@10 hybrid" in repr(measured)
