"""Vector files as people have them: read with a warning, or refused with the
way out."""

import struct
import warnings

import pytest

import firth
from firth.compat import KeyedVectors


def binary(*rows):
    """A file of word2vec.c: words as bytes, with their values."""
    dim = len(rows[0][1])
    return b"%d %d\n" % (len(rows), dim) + b"".join(
        word + b" " + struct.pack(f"<{dim}f", *values) for word, values in rows)


def test_a_header_that_promises_more_words_is_a_warning(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("9 2\na 1 2\nb 3 4\n")
    with pytest.warns(UserWarning, match=r"v\.vec:1: .* promises 9 words") as told:
        assert list(firth.load(path).words) == ["a", "b"]
    assert [one.filename for one in told] == [__file__]
    for limit, words in (2, ["a", "b"]), (1, ["a"]):
        with pytest.warns(UserWarning, match="promises 9 words"):
            vectors = KeyedVectors.load_word2vec_format(path, limit=limit)
        assert vectors.index_to_key == words


def test_what_is_not_odd_is_no_warning(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("2 2\na 1 2\nb 3 4\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(firth.load(path)) == 2


def test_rows_without_a_word_are_left_out(tmp_path):
    path = tmp_path / "v.bin"
    path.write_bytes(binary((b"a", [1, 2]), (b"", [3, 4]), (b"b", [5, 6])))
    with pytest.warns(UserWarning, match="row 1: left out an empty word"):
        vectors = KeyedVectors.load_word2vec_format(path, binary=True)
    assert vectors.index_to_key == ["a", "b"]
    assert vectors["b"].tolist() == [5, 6]


def test_keys_of_which_nothing_is_left_are_left_out(tmp_path):
    path = tmp_path / "v.bin"
    path.write_bytes(binary((b"a", [1, 2]), (b"\xb5\xc4", [3, 4]),
                            (b"b\xc3", [5, 6])))
    with pytest.warns(UserWarning, match='unicode_errors="replace" keeps them'):
        vectors = KeyedVectors.load_word2vec_format(
            path, binary=True, unicode_errors="ignore")
    assert vectors.index_to_key == ["a", "b"]
    assert vectors["b"].tolist() == [5, 6]
    kept = KeyedVectors.load_word2vec_format(
        path, binary=True, unicode_errors="replace")
    assert len(kept) == 3


@pytest.mark.parametrize("content, binary, way_out", [
    (b"1 2\na 0.25 1.55\n", True, "a text file; pass binary=False"),
    (binary((b"a", [1.5, 2.5])), False, "a binary file; pass binary=True")])
def test_a_wrong_binary_is_named(tmp_path, content, binary, way_out):
    path = tmp_path / "v"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=way_out):
        KeyedVectors.load_word2vec_format(path, binary=binary)
    assert firth.load(path).words[0] == "a"


@pytest.mark.parametrize("content, found", [
    (b"\x80\x04}q\x00.", "found a pickle, which is not read because pickles can run code; in gensim, "
     r"save the vectors with save_word2vec_format\(\)"),
    (b"PK\x03\x04" + bytes(22) + b"\x05\0\0\0v.vec", "unzip it first")])
def test_files_of_others_come_with_the_way_out(tmp_path, content, found):
    path = tmp_path / "v.bin"
    path.write_bytes(content)
    for opened in (firth.load, KeyedVectors.load, firth.Classifier.load,
                   firth.LanguageModel.load):
        with pytest.raises(ValueError, match=found):
            opened(path)


def test_a_word_twice_comes_with_the_way_out(tmp_path):
    path = tmp_path / "v.vec"
    path.write_text("a 1 2\na 3 4\n")
    with pytest.raises(ValueError, match="duplicates=\"first\" keeps the first one"):
        firth.load(path)


def test_texts_are_normalized_as_they_were_for_training():
    texts = ["cafe\u0301 good", "tea bad"] * 10
    made = firth.Classifier(threads=1, normalize="nfc", min_n=0, max_n=0).fit(
        texts, [1, 0] * 10)
    assert made.known(["caf\u00e9"]).all()
    plain = firth.Classifier(threads=1, min_n=0, max_n=0).fit(
        texts, [1, 0] * 10)
    assert not plain.known(["caf\u00e9"]).any()
