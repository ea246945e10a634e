"""Ctrl-C ends each call that can take long.

Each is made in a process of its own, which sends itself a signal while it is at
work that would take minutes, and says what came of it.
"""

import subprocess
import sys
import textwrap

import pytest

# An interrupted call is over in far less, one that does not hear is not.
MOST_SECONDS = 60

BEGIN = """
import os, pathlib, signal, sys, threading, warnings
import numpy as np
import firth

folder = pathlib.Path(sys.argv[1])
model = folder / "lm.safetensors"
words = [f"w{i}" for i in range(100_000)]

def random_vectors(dim):
    rows = np.random.default_rng(1).normal(size=(len(words), dim))
    return firth.Vectors.from_arrays(words, rows)

few = [" ".join(words[i:i + 20]) for i in range(500)], [0, 1] * 250

def interrupted(call):
    # The signal comes when the call is at work, whenever that is.
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted")
    timer.join()

"""

CALLS = {
    "neighbors": """
        vectors = random_vectors(64)
        ids = np.zeros(400_000, np.int64)
        vectors.neighbors(ids[:10])
        interrupted(lambda: vectors.neighbors(ids, k=1))
    """,
    "neighbors of vectors": """
        vectors = random_vectors(64)
        rows = np.tile(vectors.vectors[:1], (200_000, 1))
        interrupted(lambda: vectors.neighbors(rows, k=1, search="int8"))
    """,
    "ask about many words": """
        vectors = random_vectors(4)
        unknown = [{"positive": [f"unknown{i}"]} for i in range(50_000)]
        interrupted(lambda: vectors.ask("neighbors", requests=unknown))
    """,
    "bias": """
        vectors = random_vectors(4)
        groups = {name: words[i * 500:][:500] for i, name in enumerate("xyab")}
        interrupted(lambda: vectors.ask("bias", permutations=100_000_000,
                                        **groups))
    """,
    "build_index": """
        vectors = random_vectors(128)
        interrupted(lambda: vectors.build_index(
            folder / "v.hnsw", links=64, build_breadth=2000))
        assert not (folder / "v.hnsw").exists()
    """,
    "save": """
        rows = np.ones((500, 65536), np.float32) / 3
        vectors = firth.Vectors.from_arrays(words[:len(rows)], rows)
        interrupted(lambda: [vectors.save(folder / "v.txt")
                             for _ in range(100)])
    """,
    "evaluate": """
        vectors = random_vectors(64)
        lines = (" ".join(words[i:i + 4]) for i in range(0, 99_000))
        (folder / "q.txt").write_text("\\n".join(lines) + "\\n")
        interrupted(lambda: vectors.evaluate(
            analogies=[folder / "q.txt"] * 50))
    """,
    "sentence_vectors": """
        vectors = random_vectors(64)
        text = " ".join(words[:1000])
        interrupted(lambda: vectors.sentence_vectors([text] * 1_000_000))
    """,
    "embed": """
        lm = firth.LanguageModel.load(model)
        interrupted(lambda: [lm.embed([["the", "king"] * 20] * 2_000)
                             for _ in range(200)])
    """,
    "score": """
        lm = firth.LanguageModel.load(model)
        interrupted(lambda: lm.score([["the", "king"] * 20] * 200_000))
    """,
    "generate": """
        lm = firth.LanguageModel.load(model)
        interrupted(lambda: lm.generate(count=1_000_000, temperature=1.0))
    """,
    "generate with a beam": """
        lm = firth.LanguageModel.load(model)
        interrupted(lambda: lm.generate(
            beam=1000, max_tokens=1_000_000, end_normalization=1000.0,
            expected_length=1_000_000))
    """,
    "label texts": """
        made = firth.Classifier(threads=1).fit(*few)
        interrupted(lambda: [made.predict_proba(few[0] * 200)
                             for _ in range(1000)])
    """,
    "measure labels": """
        made = firth.Classifier(threads=1).fit(*few)
        texts, labels = few[0] * 200, few[1] * 200
        interrupted(lambda: [made.evaluate(texts, labels)
                             for _ in range(1000)])
    """,
    "tune": """
        made = firth.Classifier(threads=1)
        interrupted(lambda: made.tune(*few, budget="10G"))
    """,
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_interrupted(call, language_model, tmp_path):
    language_model.save(tmp_path / "lm.safetensors")
    program = BEGIN + textwrap.dedent(CALLS[call])
    assert run(program, tmp_path) == ("interrupted\n", "")


def test_a_classifier_keeps_what_it_has_learnt(tmp_path):
    program = BEGIN + textwrap.dedent("""
        made = firth.Classifier(parts="deep", epochs=10_000, threads=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            interrupted(lambda: made.fit(*few))
        assert made.report_["interrupted"]
        assert made.predict_proba(few[0]).shape == (500, 2)
        print(*(one.category.__name__ for one in caught))
    """)
    assert run(program, tmp_path) == ("InterruptedTrainingWarning\n", "")


def run(program, folder):
    """What a program writes to its outputs."""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True,
        text=True, timeout=MOST_SECONDS, check=False)
    return ended.stdout, ended.stderr
