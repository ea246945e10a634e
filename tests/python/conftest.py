"""Toys that are right by hand, and models that are trained in a second."""

import os
import pathlib
import resource
import signal
import subprocess

import hypothesis
import numpy as np
import pytest

import firth

# The same cases each time, and nothing left in the folder.
hypothesis.settings.register_profile("tests", database=None, derandomize=True)
hypothesis.settings.load_profile("tests")

# Shells start background jobs with SIGINT ignored, which the programs that tests
# start would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

UNDER_ASAN = "libasan" in os.environ.get("LD_PRELOAD", "")
frees_at_once = pytest.mark.skipif(
    UNDER_ASAN, reason="AddressSanitizer keeps what is freed")
# Then the program is the usual one, with the kernels of other processors.
is_as_the_program = pytest.mark.skipif(
    UNDER_ASAN, reason="the library is built with fewer kernels than the program")

# Queen is king and a little of another direction, as woman is man; what unit
# vectors say of each other can be worked out with a pencil.
TOY = {
    "the": [0.5, 0.5, 0.5, 0.5],
    "king": [1, 0, 0, 0],
    "queen": [0.8, 0.6, 0, 0],
    "man": [0, 0, 1, 0],
    "woman": [0, 0.6, 0.8, 0],
    "table": [0, 0, 0, 1],
}


def write_word2vec_text(path, vectors):
    lines = [f"{len(vectors)} {len(next(iter(vectors.values())))}"]
    lines += [" ".join([word, *map(str, row)])
              for word, row in vectors.items()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def vectors_path(tmp_path):
    return write_word2vec_text(tmp_path / "toy.vec", TOY)


@pytest.fixture
def vectors(vectors_path):
    return firth.load(vectors_path)


@pytest.fixture
def native_path(vectors, tmp_path):
    path = tmp_path / "toy.safetensors"
    vectors.save(path)
    return path


def random_vectors(words, dim, seed=1):
    rows = np.random.default_rng(seed).standard_normal((words, dim))
    return firth.Vectors.from_arrays(
        [f"w{i}" for i in range(words)], rows.astype(np.float32))


def two_topics(sentences=400):
    """Sentences about kings or about bread, never both."""
    rng = np.random.default_rng(1)
    topics = [["king", "queen", "crown", "throne", "castle"],
              ["bread", "butter", "flour", "oven", "baker"]]
    return [list(rng.choice(topics[i % 2], 8)) for i in range(sentences)]


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.fixture(scope="session")
def subwords():
    """A model with n-grams of two topics."""
    return firth.train(two_topics(), dim=8, min_count=1, epochs=2, threads=1,
                       min_n=3, max_n=4, buckets=1000)


@pytest.fixture(scope="session")
def language_model():
    with pytest.warns(UserWarning, match="the text has 240 tokens"):
        return firth.LanguageModel.train(
            [["the", "king", "sleeps"], ["the", "queen", "wakes"]] * 30,
            units=8, epochs=1, threads=1)


@pytest.fixture(scope="session")
def program():
    """The command line, which must answer the same."""
    path = pathlib.Path(os.environ["FIRTH_PROGRAM"])
    assert path.exists(), f"{path}: expected the program"
    return path


@pytest.fixture(scope="session")
def sentence_model(program, tmp_path_factory):
    """A small model of "firth sentences train" in lower case."""
    folder = tmp_path_factory.mktemp("sentences")
    pairs = folder / "pairs.tsv"
    pairs.write_text("a cat sat\tthe dog sat\nstars shine\tthe sun shines\n"
                     * 20)
    model = folder / "model.safetensors"
    subprocess.run(
        [program, "sentences", "train", "--pairs", pairs, "--output", model,
         "--lowercase", "--dim", "12", "--min-count", "1", "--quiet"],
        check=True)
    return model
