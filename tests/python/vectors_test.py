"""Words and vectors: looking up, views without copies, files, pickles."""

import copy
import errno
import gc
import multiprocessing
import os
import pathlib
import pickle
import resource
import subprocess
import threading
import warnings

import numpy as np
import pytest

import firth
from conftest import (TOY, frees_at_once, random_vectors, resident_bytes,
                      write_word2vec_text)


def test_a_word_is_looked_up_as_in_a_dict(vectors):
    for word, row in TOY.items():
        np.testing.assert_array_equal(vectors[word], np.float32(row))
    assert "king" in vectors and "kin" not in vectors and 3 not in vectors
    assert len(vectors) == 6 and vectors.dim == 4
    assert list(vectors) == list(TOY)
    assert vectors.get("kin") is None and vectors.get("kin", 7) == 7
    np.testing.assert_array_equal(vectors.get("man"), [0, 0, 1, 0])


def test_words_are_looked_up_together(vectors):
    np.testing.assert_array_equal(
        vectors[["queen", "the", "queen"]],
        np.float32([TOY["queen"], TOY["the"], TOY["queen"]]))
    assert vectors[[]].shape == (0, 4)
    assert vectors.find_all(["man", "nobody", "the"]).tolist() == [3, -1, 0]


def test_vectors_are_a_read_only_view_that_keeps_the_model(native_path):
    model = firth.load(native_path)
    rows = model.vectors
    assert rows.dtype == np.float32 and rows.shape == (6, 4)
    assert np.shares_memory(rows, model["king"])
    assert np.shares_memory(rows, model.vectors)
    row = model["queen"]
    del model
    gc.collect()
    np.testing.assert_array_equal(rows, np.float32(list(TOY.values())))
    np.testing.assert_array_equal(row, np.float32(TOY["queen"]))
    for array in (rows, row):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_output_vectors_are_those_of_the_training(vectors):
    model = firth.train([["a", "b", "a"], ["a"]] * 9, min_count=1, dim=3,
                        threads=1, sample=0)
    output = model.output_vectors
    assert output.shape == (len(model), 3) and not output.flags.writeable
    assert np.abs(output).sum() > 0
    with pytest.raises(ValueError, match="output"):
        vectors.output_vectors


def test_counts_are_those_of_the_text():
    model = firth.train([["a", "b", "a"], ["a"]], min_count=1, dim=2, epochs=1,
                        threads=1)
    counts = model.counts
    assert counts.dtype == np.int64 and not counts.flags.writeable
    assert {word: counts[model.find(word)] for word in "ab"} == {
        "a": 3, "b": 1}


def test_words_are_a_lazy_sequence(vectors):
    words = vectors.words
    assert len(words) == 6 and list(words) == list(TOY)
    assert words[1] == "king" and words[-1] == "table"
    assert words[1:5:2] == ["king", "man"]
    assert words.index("man") == 3 and words.count("man") == 1
    assert "man" in words and "men" not in words and 4 not in words
    with pytest.raises(ValueError, match="'men'"):
        words.index("men")
    with pytest.raises(IndexError):
        words[6]
    assert repr(words) == (
        "<6 words: 'the', 'king', 'queen', 'man', 'woman', ...>")


def test_words_beyond_one_piece_are_all_there():
    words = [f"w{i}" for i in range(10000)]
    model = firth.Vectors.from_arrays(words, np.ones((10000, 1)))
    assert list(model.words) == words


@pytest.mark.parametrize(
    "word", ["Zürich", "東京", "na ïve", "a" * 300, "\x01"])
def test_words_of_any_characters_are_found(word):
    model = firth.Vectors.from_arrays([word, "other"], [[1, 2], [3, 4]])
    assert model.words[0] == word and model.find(word) == 0
    np.testing.assert_array_equal(model[word], [1, 2])


def test_words_that_are_no_utf8_are_surrogates(tmp_path):
    path = tmp_path / "latin1.vec"
    path.write_bytes(b"2 1\nZ\xfcrich 1\nBern 2\n")
    model = firth.load(path)
    assert list(model.words) == ["Z\udcfcrich", "Bern"]
    np.testing.assert_array_equal(model["Z\udcfcrich"], [1])
    np.testing.assert_array_equal(model[["Z\udcfcrich", "Bern"]], [[1], [2]])


def test_the_closest_spellings_are_at_most_as_many_as_asked(vectors):
    assert vectors.closest_spellings("quenn", 1) == ["queen"]
    assert vectors.closest_spellings("quenn", 2000) == ["queen"]
    assert vectors.closest_spellings("quenn", 0) == []
    assert vectors.closest_spellings("") == []
    assert vectors.closest_spellings("quee\udcff") == ["queen"]
    with pytest.raises(ValueError, match="^n: must be 0 or more, found -1"):
        vectors.closest_spellings("quenn", -1)
    odd = firth.Vectors.from_arrays(["quee\udcff", "queer"], [[1], [2]])
    assert odd.closest_spellings("queen") == ["queer"]


def test_an_unknown_word_is_a_key_error_with_spellings(vectors):
    with pytest.raises(KeyError) as caught:
        vectors["quen"]
    assert isinstance(caught.value, firth.UnknownWordError)
    assert caught.value.word == "quen" and caught.value.closest == ["queen"]
    assert str(caught.value) == (
        "'quen' is not in the vocabulary; spelled like it: queen")
    with pytest.raises(KeyError, match="nobody"):
        vectors[["king", "nobody"]]
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_unknown_words_have_vectors_of_their_ngrams(subwords, program,
                                                     tmp_path):
    assert subwords.has_subwords and "kingqueen" not in subwords
    row = subwords["kingqueen"]
    path = tmp_path / "subwords.safetensors"
    subwords.save(path)
    printed = subprocess.run([program, "vectors", path, "kingqueen"],
                             check=True, capture_output=True, text=True).stdout
    np.testing.assert_allclose(
        row, np.float32(printed.split()[-8:]), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(subwords[["king", "kingqueen"]][1], row)
    # A word that shares no n-gram with any has none.
    assert subwords.get("kingqueen", None) is not None


@pytest.mark.parametrize("words, message", [
    (5, "expected a word or a list of words, found the number 5"),
    (None, "words: expected a list, found NoneType"),
    (b"king", "words: expected a list, found bytes"),
    (["king", 5], "item 1: expected a str, found int"),
])
def test_what_is_no_word_is_a_type_error(vectors, words, message):
    with pytest.raises(TypeError, match=message):
        vectors[words]


def test_a_lone_surrogate_is_in_no_vocabulary(vectors):
    assert "king\ud800" not in vectors
    assert vectors.get("king\ud800") is None
    with pytest.raises(KeyError):
        vectors[["king", "king\ud800"]]


def test_vectors_made_of_arrays_are_copies_of_them():
    rows = np.float64([[1, 2], [3, 4]])
    model = firth.Vectors.from_arrays(["a", "b"], rows, counts=[5, 6])
    rows[:] = 0
    np.testing.assert_array_equal(model["b"], [3, 4])
    assert model.counts.tolist() == [5, 6]


@pytest.mark.parametrize("words, rows, counts, message", [
    (["a"], [[1], [2]], None, r"vectors: expected shape \(1, dim\)"),
    (["a"], [1], None, r"vectors: expected shape"),
    (["a"], [[1]], [1, 2], r"counts: expected shape \(1,\), found \(2,\)"),
    (["a", "a"], [[1], [2]], None, "a"),
])
def test_arrays_that_do_not_fit_are_refused(words, rows, counts, message):
    with pytest.raises(ValueError, match=message):
        firth.Vectors.from_arrays(words, rows, counts)


@pytest.mark.parametrize("name", ["a.safetensors", "a.bin", "a.vec", "a.npy"])
def test_what_is_saved_is_loaded(vectors, tmp_path, name):
    vectors.save(tmp_path / name)
    again = firth.load(tmp_path / name)
    assert list(again.words) == list(TOY)
    np.testing.assert_array_equal(again.vectors, vectors.vectors)


def test_a_format_that_cannot_hold_all_is_refused(subwords, tmp_path):
    path = tmp_path / "a.bin"
    with pytest.raises(ValueError, match="n-grams"):
        subwords.save(path)
    assert not path.exists()
    with pytest.warns(firth.LossyWarning, match="the n-grams of the vectors"):
        subwords.save(path, lossy=True)
    assert len(firth.load(path)) == len(subwords)


def test_counts_that_a_format_has_no_place_for_are_a_note(tmp_path, caplog):
    model = firth.train([["a", "New_York", "b"]] * 5, dim=3, min_count=1,
                        epochs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with caplog.at_level("INFO", "firth"):
            for name in "a.vec", "a.bin", "a.npy", "a.glove":
                model.save(tmp_path / name)
                again = firth.load(tmp_path / name)
                assert list(again.words) == list(model.words)
                assert (again.counts.any() != 0) == (name == "a.npy")
    assert "bin cannot hold counts, the output table, metadata" in caplog.text


def test_words_that_a_format_cannot_hold_are_refused_or_warned_of(tmp_path):
    words = ["a", "New York", "Boeing 747", "b"]
    made = firth.Vectors.from_arrays(words, np.arange(8).reshape(4, 2))
    made.save(tmp_path / "a.vec")
    again = firth.load(tmp_path / "a.vec")
    assert list(again.words) == words
    np.testing.assert_array_equal(again.vectors, made.vectors)
    path = tmp_path / "a.bin"
    with pytest.raises(ValueError, match=(
            r'a\.bin: bin cannot hold 2 words of the vectors, such as "New '
            r'York": .*; lossy=True saves the vectors without them$')):
        made.save(path)
    assert not path.exists()
    with pytest.warns(firth.LossyWarning, match="2 words.*; they are left out") as said:
        made.save(path, lossy=True)
    assert said[0].filename == __file__
    assert list(firth.load(path).words) == ["a", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(firth.LossyWarning):
            made.save(path, lossy=True)


def test_a_file_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "none.vec"
    with pytest.raises(FileNotFoundError) as caught:
        firth.load(path)
    assert caught.value.filename == str(path)
    assert str(caught.value).count(str(path)) == 1


def test_a_file_of_something_else_is_a_value_error(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("2 2\nking 1 2\nqueen 3\n")
    with pytest.raises(ValueError, match="a.vec:3: expected 2 values"):
        firth.load(path)


def test_a_truncated_file_is_corrupt(native_path):
    native_path.write_bytes(native_path.read_bytes()[:-5])
    with pytest.raises(firth.CorruptFileError, match="toy.safetensors"):
        firth.load(native_path)


def test_a_folder_that_is_not_there_is_an_os_error(vectors, tmp_path):
    with pytest.raises(FileNotFoundError):
        vectors.save(tmp_path / "none" / "a.vec")


def test_options_of_loading_are_checked(vectors_path):
    with pytest.raises(ValueError, match="duplicates"):
        firth.load(vectors_path, duplicates="last")
    with pytest.raises(ValueError, match="format"):
        firth.load(vectors_path, format="excel")


def test_words_that_stand_twice_are_refused_or_the_first_is_kept(tmp_path):
    path = tmp_path / "twice.vec"
    path.write_text("2 1\na 1\na 2\n")
    with pytest.raises(ValueError, match="twice"):
        firth.load(path)
    model = firth.load(path, duplicates="first")
    assert len(model) == 1 and model["a"] == [1]


def test_words_that_stand_twice_in_a_mapped_file_are_looked_for_if_asked(
        tmp_path):
    path = tmp_path / "twice.safetensors"
    firth.Vectors.from_arrays(["aa", "bb"], [[1], [2]]).save(path)
    content = path.read_bytes()
    assert content.count(b"aa\nbb\n") == 1
    path.write_bytes(content.replace(b"aa\nbb\n", b"aa\naa\n"))
    assert firth.load(path)["aa"] == [1]
    for options in ({"checked": True}, {"duplicates": "error"}):
        with pytest.raises(ValueError, match="twice"):
            firth.load(path, **options)


def test_what_is_loaded_and_saved_goes_on(tmp_path):
    model = firth.train([["a", "b", "a"], ["a"]] * 9, min_count=1, dim=3,
                        threads=1, sample=0)
    model.save(tmp_path / "a.safetensors")
    firth.load(tmp_path / "a.safetensors").save(tmp_path / "b.safetensors")
    again = firth.load(tmp_path / "b.safetensors")
    np.testing.assert_array_equal(again.output_vectors, model.output_vectors)
    again.update([["a", "c"]] * 9, epochs=1, threads=1)
    assert "c" in again


def test_a_pickle_of_a_file_keeps_its_path(native_path):
    model = firth.load(native_path)
    pickled = pickle.dumps(model)
    assert str(native_path).encode() in pickled and len(pickled) < 500
    np.testing.assert_array_equal(pickle.loads(pickled)["king"], model["king"])


def test_a_pickle_of_a_file_opens_it_as_it_was_opened(tmp_path, monkeypatch):
    (tmp_path / "twice").write_text("2 1\na 1\na 2\n")
    monkeypatch.chdir(tmp_path)
    model = firth.load("twice", format="text", duplicates="first")
    monkeypatch.chdir("/")
    again = pickle.loads(pickle.dumps(model))
    assert list(again.words) == ["a"]


def test_a_word_that_cannot_be_pickled_is_named():
    model = firth.Vectors.from_arrays(["a\nb"], [[1]])
    with pytest.raises(pickle.PicklingError,
                       match="^a pickle stores vectors as .*: a line end in a "
                             "word"):
        pickle.dumps(model)


def test_a_pickle_of_a_model_in_memory_keeps_its_bytes():
    model = random_vectors(100, 10)
    again = pickle.loads(pickle.dumps(model))
    assert list(again.words) == list(model.words)
    np.testing.assert_array_equal(again.vectors, model.vectors)
    np.testing.assert_array_equal(copy.deepcopy(model).vectors, model.vectors)


def test_vectors_in_bytes_are_decoded(program, tmp_path):
    model = random_vectors(300, 16)
    model.save(tmp_path / "a.safetensors")
    subprocess.run([program, "postprocess", tmp_path / "a.safetensors",
                    tmp_path / "small.safetensors", "--quantize", "int8"],
                   check=True, capture_output=True)
    small = firth.load(tmp_path / "small.safetensors")
    assert small.form == "int8"
    np.testing.assert_allclose(small.vectors, model.vectors, atol=0.03)
    np.testing.assert_array_equal(small["w7"], small.vectors[7])
    assert not small.vectors.flags.writeable
    assert small.vectors is small.vectors


def test_repr_says_what_it_is(vectors, subwords):
    assert repr(vectors) == "<firth.Vectors: 6 words, dim 4, float32>"
    assert "with n-grams" in repr(subwords)


@frees_at_once
def test_a_thousand_loads_leave_memory_where_it_was(native_path):
    def load_and_ask():
        model = firth.load(native_path)
        model.most_similar("king", topn=1)
        return model.words[0]

    for _ in range(50):
        load_and_ask()
    before = resident_bytes()
    for _ in range(1000):
        load_and_ask()
    assert resident_bytes() - before < 3_000_000


def test_a_forked_process_asks_the_model_of_its_parent():
    model = random_vectors(5000, 20)
    ask = np.arange(1000)  # enough for several threads
    ids, _ = model.neighbors(ask, k=3)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=lambda: theirs.send(
        np.array_equal(model.neighbors(ask, k=3)[0], ids)))
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        assert ours.recv() is True
    finally:
        child.kill()
        child.join()


def test_threads_ask_one_model():
    model = random_vectors(500, 20)
    expected = {word: model.most_similar(word, topn=3)
                for word in model.words[:100]}
    wrong = []

    def ask():
        for word, answer in expected.items():
            if model.most_similar(word, topn=3) != answer:
                wrong.append(word)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_file_that_changes_its_format_is_read_by_the_name_of_it(tmp_path):
    path = write_word2vec_text(tmp_path / "data", TOY)
    assert len(firth.load(path, format="text")) == 6


def test_paths_are_str_bytes_and_pathlike(vectors, tmp_path):
    for kind in (str, os.fsencode, pathlib.Path):
        path = kind(os.path.join(tmp_path, "v.safetensors"))
        vectors.save(path)
        assert firth.load(path).words[:] == vectors.words[:]
        index = kind(os.path.join(tmp_path, "v.hnsw"))
        vectors.build_index(index)
        ids, _ = vectors.neighbors(["king"], 1, search="hnsw", index=index)
        assert vectors.words[ids[0, 0]] == "queen"
    with pytest.raises(FileNotFoundError) as caught:
        firth.load(b"/none/v.bin")
    assert caught.value.filename == "/none/v.bin"


def test_words_are_not_empty():
    with pytest.raises(ValueError, match="words: word 1 is empty"):
        firth.Vectors.from_arrays(["a", ""], [[1], [2]])


def test_a_full_disk_is_an_oserror_and_leaves_the_file(vectors, tmp_path):
    path = tmp_path / "v.txt"
    vectors.save(path)
    before = path.read_bytes()
    big = firth.Vectors.from_arrays(
        [f"w{i}" for i in range(2000)], np.ones((2000, 300)) / 3)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        with pytest.raises(OSError) as caught:
            big.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["toy.vec", "v.txt"]
    with pytest.raises(OSError) as caught:
        big.save("/dev/full", format="text")
    assert caught.value.errno == errno.ENOSPC
