"""firth.compat's Phrases and readers of text, beside gensim's."""

import gzip
import io
import math
import random

import pytest

from firth import compat

gensim = pytest.importorskip(
    "gensim", reason="gensim is not installed (Debian's python3-gensim)")
from gensim.models import phrases as theirs  # noqa: E402
from gensim.models import word2vec  # noqa: E402

CONNECTORS = frozenset(["of", "the"])


def random_sentences(seed, words):
    draw = random.Random(seed)
    return [[draw.choice(words) for _ in range(draw.randint(0, 9))]
            for _ in range(60)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("options", [
    {"min_count": 1, "threshold": 0.1},
    {"min_count": 3, "threshold": 2, "delimiter": " "},
    {"min_count": 2, "threshold": 1, "connector_words": CONNECTORS},
    {"min_count": 1, "threshold": -0.5, "scoring": "npmi"},
    {"min_count": 4, "threshold": 0.1, "scoring": "npmi",
     "connector_words": CONNECTORS},
])
def test_phrases_are_those_of_gensim(options, seed):
    sentences = random_sentences(seed, ["a", "b", "c", "d", "of", "the"])
    our, their = (kind(sentences, **options)
                  for kind in (compat.Phrases, theirs.Phrases))
    assert dict(our.vocab) == dict(their.vocab)
    assert our.find_phrases(sentences) == pytest.approx(
        their.find_phrases(sentences))
    assert our.export_phrases() == pytest.approx(their.export_phrases())
    joined = [our[sentence] for sentence in sentences]
    assert joined == [their[sentence] for sentence in sentences]
    frozen, their_frozen = our.freeze(), their.freeze()
    assert [frozen[sentence] for sentence in sentences] == [
        their_frozen[sentence] for sentence in sentences]


SENTENCES = [["new", "york", "is", "big"], ["in", "new", "york"],
             ["a", "new", "day"]] * 4


def test_a_score_is_right_by_hand():
    # new 12, york 8, their pair 8; 7 words and 8 pairs in all.
    phrases = compat.Phrases(SENTENCES, min_count=2, threshold=0.5)
    pairs = {"new_york", "york_is", "is_big", "in_new", "a_new", "new_day"}
    assert len(phrases.vocab) == 7 + len(pairs)
    assert phrases.find_phrases([["new", "york"]]) == pytest.approx(
        {"new_york": (8 - 2) * 13 / (12 * 8)})
    npmi = compat.Phrases(SENTENCES, min_count=1, threshold=0.5,
                          scoring="npmi")
    share = 8 / 40
    assert npmi.find_phrases([["new", "york"]]) == pytest.approx(
        {"new_york": math.log(share / (12 / 40) / (8 / 40)) / -math.log(share)})


def test_phrases_are_joined_as_sentences_are_asked_for():
    phrases = compat.Phrases(SENTENCES, min_count=1, threshold=0.5)
    expected = [phrases[sentence] for sentence in SENTENCES]
    assert expected[0][0] == "new_york"
    again = phrases[SENTENCES]
    assert list(again) == expected and list(again) == expected
    assert list(phrases[(sentence for sentence in SENTENCES)]) == expected
    assert phrases[[]] == [] and list(phrases[[[]]]) == [[]]


def test_sentences_are_counted_in_steps():
    whole = compat.Phrases(SENTENCES, min_count=1, threshold=0.5)
    steps = compat.Phrases(min_count=1, threshold=0.5)
    for sentence in SENTENCES:
        steps.add_vocab(iter([sentence]))
    assert steps.vocab == whole.vocab


@pytest.mark.parametrize("kind", ["Phrases", "Phraser"])
def test_phrases_are_saved_as_text_without_code(kind, tmp_path):
    made = compat.Phrases(SENTENCES, min_count=1, threshold=0.5,
                          connector_words=["is"])
    if kind == "Phraser":
        made = compat.Phraser(made)
    path = tmp_path / "phrases.json"
    made.save(path)
    again = getattr(compat, kind).load(path)
    sentence = ["york", "is", "big", "new", "york"]
    assert again[sentence] == made[sentence] == ["york_is_big", "new_york"]
    other = "Phraser" if kind == "Phrases" else "Phrases"
    for content in (path.read_text(), "{}", "[]", ""):
        path.write_text(content)
        with pytest.raises(ValueError, match="phrases.json: expected a file"):
            getattr(compat, other).load(path)


@pytest.mark.parametrize("options, error, message", [
    ({"min_count": 0}, ValueError, "min_count"),
    ({"threshold": 0}, ValueError, "threshold"),
    ({"threshold": 2, "scoring": "npmi"}, ValueError, "-1 to 1"),
    ({"scoring": "pmi"}, NotImplementedError, "'pmi'"),
    ({"max_vocab_size": 10}, NotImplementedError, "firth phrases"),
    ({"min_cuont": 3}, TypeError, "min_cuont"),
])
def test_arguments_that_are_wrong_are_named(options, error, message):
    with pytest.raises(error, match=message):
        compat.Phrases(**options)


def test_a_str_is_no_sentence():
    with pytest.raises(TypeError, match="'the king'"):
        compat.Phrases(["the king"])
    with pytest.raises(TypeError, match="found a str"):
        compat.Phrases(SENTENCES)["the king"]


TEXT = "the king sleeps\n\n" + "word " * 25 + "\nénd\n"


@pytest.fixture
def text_folder(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    return tmp_path


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
@pytest.mark.parametrize("options", [{}, {"max_sentence_length": 10},
                                     {"limit": 2}])
def test_lines_are_sentences_as_for_gensim(name, options, text_folder):
    ours = compat.LineSentence(text_folder / name, **options)
    assert list(ours) == list(ours) == list(
        word2vec.LineSentence(text_folder / name, **options))


def test_open_files_and_folders_are_read_as_by_gensim(text_folder):
    assert list(compat.LineSentence(io.BytesIO(TEXT.encode()))) == list(
        word2vec.LineSentence(io.BytesIO(TEXT.encode())))
    assert list(compat.PathLineSentences(text_folder)) == list(
        word2vec.PathLineSentences(str(text_folder)))
    with pytest.raises(ValueError, match="nothing"):
        compat.PathLineSentences(text_folder / "nothing")


@pytest.mark.parametrize("words", [0, 1, 7, 20000])
def test_a_text_without_lines_comes_in_pieces(words, tmp_path):
    path = tmp_path / "text8"
    path.write_text(" ".join(f"word{i}" for i in range(words)))
    pieces = list(compat.Text8Corpus(path, 3000))
    assert [word for piece in pieces for word in piece] == [
        f"word{i}" for i in range(words)]
    assert [len(piece) for piece in pieces[:-1]] == [3000] * (words // 3000)
