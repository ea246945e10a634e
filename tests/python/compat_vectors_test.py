"""firth.compat beside gensim: the same calls on the same vectors.

Each snippet is a documented use of gensim 4, run with both. What both return
must be equal: words and lists exactly, numbers to 1e-5. Where gensim raises, so
must Firth, the same kind of exception.
"""

import re

import numpy as np
import pytest

import firth
from firth import compat

gensim = pytest.importorskip(
    "gensim", reason="gensim is not installed (Debian's python3-gensim)")
from gensim.models import KeyedVectors  # noqa: E402

WORDS = ("king queen man woman prince princess boy girl paris london rome "
         "france england italy cat dog Cat apple pear plum").split()
DIM = 12


def rows():
    """Random vectors in which sexes, countries and fruits have directions."""
    rng = np.random.default_rng(3)
    made = rng.standard_normal((len(WORDS), DIM)) / 4
    for words, place in (("king queen prince princess", 0),
                         ("queen woman princess girl", 1),
                         ("man woman boy girl", 2), ("prince princess boy girl",
                                                     3),
                         ("paris london rome", 4), ("france england italy", 5),
                         ("paris france", 6), ("london england", 7),
                         ("rome italy", 8), ("cat dog Cat", 9),
                         ("apple pear plum", 10)):
        made[[WORDS.index(word) for word in words.split()], place] += 1
    return made.astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gensim")
    vectors = KeyedVectors(DIM)
    vectors.add_vectors(WORDS, rows())
    for i, word in enumerate(WORDS):
        vectors.set_vecattr(word, "count", 1000 - i)
    vectors.save_word2vec_format(folder / "a.txt", fvocab=folder / "a.vocab")
    vectors.save_word2vec_format(folder / "a.bin", binary=True)
    (folder / "questions.txt").write_text(
        ": family\nking man queen woman\nprince boy princess girl\n"
        "king queen man girl\nking man nobody woman\n"
        ": capitals\nParis France London England\nrome italy paris france\n"
        "three words only\n")
    (folder / "pairs.tsv").write_text(
        "# comment\nking\tqueen\t8\nparis\trome\t7\ncat\tapple\t1\n"
        "dog\tcat\t9\nrome\tlondon\t7\nman\tboy\t7\nking\tnobody\t3\n"
        "plum\tlondon\t0.5\nno score here\n")
    return folder


@pytest.fixture(scope="module")
def theirs(folder):
    return KeyedVectors.load_word2vec_format(
        folder / "a.txt", fvocab=folder / "a.vocab")


@pytest.fixture(scope="module")
def ours(folder):
    return compat.KeyedVectors.load_word2vec_format(
        folder / "a.txt", fvocab=folder / "a.vocab")


SNIPPETS = {
    "vector of a word": lambda v: v["king"],
    "vectors of words": lambda v: v[["king", "cat"]],
    "vector by place": lambda v: v[3],
    "get_vector norm": lambda v: v.get_vector("king", norm=True),
    "unknown word": lambda v: v["nobody"],
    "in": lambda v: ["king" in v, "nobody" in v, 3 in v, 99 in v],
    "len": lambda v: [len(v), v.vector_size],
    "index_to_key": lambda v: v.index_to_key,
    "key_to_index": lambda v: v.key_to_index,
    "get_index": lambda v: [v.get_index("cat"), v.get_index("nobody", -1)],
    "get_index unknown": lambda v: v.get_index("nobody"),
    "has_index_for": lambda v: [v.has_index_for("cat"), v.has_index_for("x")],
    "count": lambda v: [int(v.get_vecattr(w, "count")) for w in WORDS],
    "unknown attribute": lambda v: v.get_vecattr("cat", "color"),
    "vectors": lambda v: v.vectors,
    "get_normed_vectors": lambda v: v.get_normed_vectors(),
    "norms": lambda v: (v.fill_norms(), v.norms)[1],
    "most_similar": lambda v: v.most_similar("king"),
    "most_similar topn": lambda v: v.most_similar("king", topn=3),
    "most_similar all": lambda v: v.most_similar("king", topn=None),
    "most_similar none": lambda v: v.most_similar("king", topn=0),
    "analogy": lambda v: v.most_similar(
        positive=["woman", "king"], negative=["man"]),
    "most_similar weights": lambda v: v.most_similar(
        [("king", 2.0), ("woman", 0.5)], [("man", 0.25)], topn=5),
    "most_similar vector": lambda v: v.most_similar(
        positive=[v["king"] * 2, "queen"], topn=4),
    "most_similar restrict": lambda v: v.most_similar(
        "king", topn=20, restrict_vocab=7),
    "most_similar clip": lambda v: v.most_similar(
        "king", topn=4, clip_start=5, clip_end=15),
    "most_similar unknown": lambda v: v.most_similar(["king", "nobody"]),
    "most_similar of nothing": lambda v: v.most_similar(),
    "cosmul": lambda v: v.most_similar_cosmul(
        positive=["woman", "king"], negative=["man"]),
    "cosmul all": lambda v: v.most_similar_cosmul("paris", topn=None),
    "cosmul unknown": lambda v: v.most_similar_cosmul("nobody"),
    "similar_by_word": lambda v: v.similar_by_word("cat", topn=2),
    "similar_by_key": lambda v: v.similar_by_key("cat", topn=2),
    "similar_by_vector": lambda v: v.similar_by_vector(
        v["cat"] + v["dog"], topn=3),
    "similarity": lambda v: v.similarity("king", "queen"),
    "similarity unknown": lambda v: v.similarity("king", "nobody"),
    "distance": lambda v: v.distance("king", "queen"),
    "distances": lambda v: v.distances("king", ["queen", "cat"]),
    "distances of all": lambda v: v.distances("king"),
    "distances of a vector": lambda v: v.distances(v["cat"], ["dog"]),
    "cosine_similarities": lambda v: v.cosine_similarities(
        v["king"], v.vectors[:4]),
    "n_similarity": lambda v: v.n_similarity(["king", "man"], ["queen"]),
    "n_similarity empty": lambda v: v.n_similarity([], ["queen"]),
    "doesnt_match": lambda v: v.doesnt_match("apple pear plum paris".split()),
    "doesnt_match unknown": lambda v: v.doesnt_match(
        ["apple", "nobody", "pear", "dog", "plum"]),
    "doesnt_match nothing": lambda v: v.doesnt_match(["nobody"]),
    "rank": lambda v: v.rank("king", "queen"),
    "closer_than": lambda v: v.closer_than("king", "cat"),
    "most_similar_to_given": lambda v: v.most_similar_to_given(
        "king", ["cat", "queen", "paris"]),
    "relative_cosine_similarity":
        lambda v: v.relative_cosine_similarity("king", "queen"),
    "rank_by_centrality": lambda v: v.rank_by_centrality(
        ["apple", "pear", "dog"]),
    "get_mean_vector": lambda v: v.get_mean_vector(["king", "queen"]),
    "get_mean_vector weights": lambda v: v.get_mean_vector(
        ["king", "nobody", v["cat"]], weights=[2, 1, -1], pre_normalize=False,
        post_normalize=True),
    "get_mean_vector missing": lambda v: v.get_mean_vector(
        ["nobody"], ignore_missing=False),
    "get_mean_vector empty": lambda v: v.get_mean_vector([]),
    "get_mean_vector shapes": lambda v: v.get_mean_vector(
        ["king", "queen"], weights=[1]),
    "wmdistance": lambda v: v.wmdistance(
        "king and queen of france".split(), "man woman man italy".split()),
    "wmdistance of the same": lambda v: v.wmdistance(["cat", "dog"],
                                                     ["dog", "cat"]),
    "wmdistance of nothing": lambda v: v.wmdistance(["nobody"], ["king"]),
    "vectors_for_all": lambda v: [
        v.vectors_for_all(["cat", "nobody", "king", "cat"]).index_to_key,
        v.vectors_for_all(["cat", "king"]).vectors],
}


def outcome(snippet, vectors):
    """What a snippet returns, or the kind of exception that it raises."""
    try:
        return snippet(vectors)
    except (KeyError, ValueError, ZeroDivisionError) as error:
        kinds = (KeyError, ZeroDivisionError, ValueError)
        return next(kind for kind in kinds if isinstance(error, kind))


def assert_same(ours, theirs):
    if isinstance(theirs, np.ndarray):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for our, their in zip(ours, theirs):
            assert_same(our, their)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        assert_same(list(ours.values()), list(theirs.values()))
    elif isinstance(theirs, (float, np.floating)):
        assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-5)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_same_call_gives_the_same(name, ours, theirs):
    if name.startswith("wmdistance"):
        pytest.importorskip("pyemd", reason="gensim's wmdistance() needs "
                                            "Debian's python3-pyemd")
    assert_same(outcome(SNIPPETS[name], ours), outcome(SNIPPETS[name], theirs))


MEASURES = {
    "analogies": lambda v, f: v.evaluate_word_analogies(f / "questions.txt"),
    "analogies with dummies": lambda v, f: v.evaluate_word_analogies(
        str(f / "questions.txt"), dummy4unknown=True),
    "analogies with case": lambda v, f: v.evaluate_word_analogies(
        f / "questions.txt", case_insensitive=False),
    "analogies among few": lambda v, f: v.evaluate_word_analogies(
        f / "questions.txt", restrict_vocab=8),
    "analogies among all": lambda v, f: v.evaluate_word_analogies(
        f / "questions.txt", restrict_vocab=None),
    "pairs": lambda v, f: v.evaluate_word_pairs(f / "pairs.tsv"),
    "pairs with dummies": lambda v, f: v.evaluate_word_pairs(
        f / "pairs.tsv", dummy4unknown=True, case_insensitive=False),
}


@pytest.mark.parametrize("name", MEASURES)
def test_the_same_test_set_gives_the_same(name, ours, theirs, folder):
    assert_same(tuple(MEASURES[name](ours, folder)),
                tuple(tuple(part) if isinstance(part, tuple) else part
                      for part in MEASURES[name](theirs, folder)))


def both():
    yield compat.KeyedVectors(3)
    yield KeyedVectors(3)


def edited(vectors):
    """What is left after keys have been added, changed and given attributes."""
    vectors.add_vectors(["a", "b"], np.eye(3, dtype=np.float32)[:2])
    vectors.add_vectors(["b", "c"], np.ones((2, 3), np.float32))
    vectors["d"] = np.float32([0, 1, 1])
    vectors[["a", "e"]] = np.float32([[1, 1, 0], [0, 0, 2]])
    for count, key in enumerate("abcde"):
        vectors.set_vecattr(key, "count", count)
    vectors.sort_by_descending_frequency()
    vectors.unit_normalize_all()
    return [vectors.index_to_key, vectors.vectors, vectors.most_similar("a"),
            [int(vectors.get_vecattr(key, "count")) for key in "abcde"]]


def test_keys_are_added_and_changed_alike():
    ours, theirs = map(edited, both())
    assert_same(ours, theirs)


def test_single_keys_are_added_alike():
    for vectors in both():
        with pytest.warns(UserWarning) if isinstance(
                vectors, KeyedVectors) else memoryview(b""):
            place = vectors.add_vector("a", np.float32([1, 2, 3]))
        assert place == 0 and vectors["a"].tolist() == [1, 2, 3]


def test_keys_are_added_one_by_one_without_copying_all(monkeypatch):
    made = []
    make = firth.Vectors.from_arrays
    monkeypatch.setattr(firth.Vectors, "from_arrays", lambda *arguments: (
        made.append(arguments), make(*arguments))[1])
    vectors = compat.KeyedVectors(2)
    for i in range(100):
        assert vectors.add_vector(f"w{i}", [i, 1]) == i
    assert vectors["w7"].tolist() == [7, 1] and vectors.rank("w7", "w8") == 1
    assert len(made) == 2  # that of no keys, and that of all


def test_rows_of_another_width_are_refused():
    for vectors in both():
        with pytest.raises(ValueError):
            vectors.add_vectors(["a"], [np.float32([1, 2])])
        with pytest.raises(ValueError):
            vectors.most_similar([np.float32([1, 2])])


def test_keys_are_all_str_or_all_whole_numbers():
    vectors = compat.KeyedVectors(2)
    for keys, found in (["a", 5], "5"), ([5, "a"], "'a'"), ([(1,)], "(1,)"):
        with pytest.raises(TypeError, match=re.escape(f"found {found}")):
            vectors.add_vectors(keys, np.ones((len(keys), 2)))
        assert len(vectors) == 0 and vectors.index_to_key == []


def test_what_gensim_documents_and_does_not_do():
    vectors = compat.KeyedVectors(DIM)
    vectors.add_vectors(WORDS, rows(), extras={"age": np.arange(len(WORDS))})
    assert vectors.get_vecattr("queen", "age") == 1
    first = vectors.most_similar_cosmul("paris", topn=30, restrict_vocab=12)
    assert {word for word, _ in first} == set(WORDS[:12]) - {"paris"}


@pytest.mark.parametrize("options", [
    {}, {"limit": 5}, {"fvocab": "a.vocab"},
    {"binary": True}, {"binary": True, "limit": 3}])
def test_files_of_word2vec_are_read_alike(options, folder):
    name = "a.bin" if options.get("binary") else "a.txt"
    if "fvocab" in options:
        options = {"fvocab": folder / options["fvocab"]}
    ours, theirs = (kind.load_word2vec_format(folder / name, **options)
                    for kind in (compat.KeyedVectors, KeyedVectors))
    assert ours.index_to_key == theirs.index_to_key
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)
    assert [ours.get_vecattr(word, "count") for word in ours.index_to_key] == [
        theirs.get_vecattr(word, "count") for word in ours.index_to_key]


@pytest.mark.parametrize("content, options", [
    (b"4 2\na 1 2\nb 3 4\na 5 6\nc 7 8\n", {}),
    (b"3 2\na\xff 1 2\na 3 4\nb 5 6\n", {"unicode_errors": "ignore"})])
def test_the_first_of_keys_that_stand_twice_is_kept_alike(content, options,
                                                          tmp_path):
    path = tmp_path / "twice.txt"
    path.write_bytes(content)
    ours, theirs = (kind.load_word2vec_format(path, **options)
                    for kind in (compat.KeyedVectors, KeyedVectors))
    # gensim 4.2 keeps a key None for each that it leaves out.
    known = [key for key in theirs.index_to_key if key is not None]
    assert ours.index_to_key == known
    np.testing.assert_array_equal(ours.vectors, theirs[known])


@pytest.mark.parametrize("options", [
    {}, {"binary": True}, {"write_header": False}, {"prefix": "en_"},
    {"sort_attr": "place"}])
def test_files_are_written_so_that_gensim_reads_the_same(
        options, ours, theirs, tmp_path):
    for name, vectors in (("ours", ours), ("theirs", theirs)):
        for place, word in enumerate(WORDS):
            vectors.set_vecattr(word, "place", place)
        vectors.save_word2vec_format(tmp_path / name, **options)
    header = {"no_header": True} if "write_header" in options else {}
    ours, theirs = (KeyedVectors.load_word2vec_format(
        tmp_path / name, binary=options.get("binary", False), **header)
        for name in ("ours", "theirs"))
    assert ours.index_to_key == theirs.index_to_key
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)


def test_keys_and_counts_are_written_as_by_gensim(ours, theirs, folder,
                                                  tmp_path):
    ours.save_word2vec_format(tmp_path / "a.bin", fvocab=tmp_path / "a.vocab",
                              binary=True)
    assert (tmp_path / "a.vocab").read_text() == (
        folder / "a.vocab").read_text()
    uncounted = compat.KeyedVectors(2)
    uncounted.add_vector("a", [1, 2])
    with pytest.raises(ValueError, match="fvocab: the keys have no attribute 'count'"):
        uncounted.save_word2vec_format(tmp_path / "b", tmp_path / "b.vocab")
    with pytest.raises(NotImplementedError, match="compress the file afterwards"):
        ours.save_word2vec_format(tmp_path / "a.txt.gz")
    assert not (tmp_path / "a.txt.gz").exists()
    with pytest.raises(NotADirectoryError):
        ours.save_word2vec_format(tmp_path / "b", tmp_path / "a.bin" / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.bin", "a.vocab"]


def test_compressed_files_are_read_alike(folder, tmp_path):
    import gzip
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress((folder / "a.txt").read_bytes()))
    ours, theirs = (kind.load_word2vec_format(path)
                    for kind in (compat.KeyedVectors, KeyedVectors))
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)


def test_a_pickle_of_gensim_is_not_opened(theirs, tmp_path):
    theirs.save(str(tmp_path / "a.kv"))
    with pytest.raises(ValueError, match="save_word2vec_format"):
        compat.KeyedVectors.load(tmp_path / "a.kv")
