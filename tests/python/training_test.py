"""Training from files and from sentences, with progress and Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import firth
from conftest import frees_at_once, is_as_the_program, resident_bytes, two_topics

QUICK = {"dim": 8, "min_count": 1, "epochs": 2, "threads": 1}


def write(path, sentences):
    path.write_text("\n".join(map(" ".join, sentences)) + "\n", "utf-8")
    return path


def test_sentences_and_their_file_give_the_same_vectors(tmp_path):
    sentences = two_topics()
    path = write(tmp_path / "corpus.txt", sentences)
    by_file = firth.train(path, **QUICK)
    for corpus in (str(path), [path], sentences, map(tuple, sentences),
                   (" ".join(sentence) for sentence in sentences)):
        model = firth.train(corpus, **QUICK)
        assert list(model.words) == list(by_file.words)
        np.testing.assert_array_equal(model.vectors, by_file.vectors)


@is_as_the_program
def test_the_command_line_gives_the_same_vectors(program, tmp_path):
    path = write(tmp_path / "corpus.txt", two_topics())
    subprocess.run(
        [program, "train", "-i", path, "-o", tmp_path / "a.safetensors",
         "--dim", "8", "--min-count", "1", "--epochs", "2", "--threads", "1",
         "--arch", "cbow", "--loss", "hs", "--quiet"], check=True)
    model = firth.train(path, arch="cbow", loss="hs", **QUICK)
    np.testing.assert_array_equal(
        model.vectors, firth.load(tmp_path / "a.safetensors").vectors)


def test_arrays_of_ids_are_words_of_digits():
    model = firth.train([np.array([7, 8, 7]), np.array([8])], **QUICK)
    assert set(model.words) == {"7", "8"}


def test_words_may_hold_white_space():
    model = firth.train([["new york", "big"]] * 5, **QUICK)
    assert "new york" in model


def test_what_stands_together_becomes_similar():
    model = firth.train(two_topics(2000), dim=8, min_count=1, epochs=5,
                        threads=1, sample=0)
    assert model.similarity("king", "crown") > model.similarity(
        "king", "bread") + 0.3


def test_a_preset_and_options_make_the_model():
    model = firth.train(two_topics(), preset="fasttext", buckets=500, **QUICK)
    assert model.has_subwords and model.dim == 8
    assert isinstance(model.report, dict) and model.metadata


@pytest.mark.parametrize("options, error, message", [
    ({"dmi": 5}, TypeError, "there is no option 'dmi'; the closest is 'dim'"),
    ({"min_cuont": 5}, TypeError, "closest is 'min_count'"),
    ({"dim": 0}, ValueError, "dim"),
    ({"dim": "many"}, ValueError, "dim"),
    ({"arch": "transformer"}, ValueError, "arch"),
    ({"dim": {"a": 1}}, TypeError, "dim: expected a number.* found dict"),
    ({"dim": {1}}, TypeError, "dim: expected a number.* found set"),
    ({"learning_rate": float("nan")}, ValueError, "learning_rate: .*nan"),
    ({"preset": "c\udcff"}, ValueError, r"preset: .* UTF-8, found 'c\\udcff'"),
    ({"valid": Path("c\udcff")}, ValueError, "valid: .* UTF-8"),
    ({"input": "a.txt"}, TypeError, "input: pass the corpus as the first"),
    ({"progress": "yes"}, TypeError, "progress: .* found str"),
    ({"preset": "worst"}, ValueError, "preset"),
    ({"arch": "cbow", "loss": "hs", "negative": 5}, ValueError, "negative"),
])
def test_options_that_are_wrong_are_named(options, error, message):
    with pytest.raises(error, match=message):
        firth.train(two_topics(), **options)


def test_options_describe_themselves():
    described = {option["name"]: option for option in firth.options("train")}
    assert described["dim"]["default"] == 100
    assert "cbow" in described["arch"]["choices"]
    assert "words" in described["min_count"]["help"]
    with pytest.raises(ValueError, match="bake"):
        firth.options("bake")


@pytest.mark.parametrize("corpus, error, message", [
    (5, TypeError, "corpus: expected a path or sentences, found int"),
    (bytearray(b"corpus.txt"), TypeError, "found bytearray"),
    ([], ValueError, "no tokens"),
    ([[]], ValueError, "no tokens"),
    (iter([["a"], 5]), TypeError, "sentence 1"),
])
def test_what_is_no_corpus_is_refused(corpus, error, message):
    with pytest.raises(error, match=message):
        firth.train(corpus, **QUICK)


def test_a_str_that_is_no_file_says_what_a_str_is():
    with pytest.raises(FileNotFoundError) as caught:
        firth.train("the king sleeps")
    assert caught.value.filename == "the king sleeps"
    assert "sentences in memory" in caught.value.__notes__[0]


def test_a_path_of_other_bytes_is_refused_by_name():
    with pytest.raises(ValueError, match="input: expected a text, or a path"):
        firth.train(os.fsdecode(b"c\xff.txt"), **QUICK)


def test_a_list_of_file_names_is_not_taken_for_sentences(tmp_path):
    path = write(tmp_path / "corpus.txt", two_topics())
    with pytest.raises(ValueError, match="pathlib.Path"):
        firth.train([str(path)])


def test_an_exception_of_the_iterable_comes_out():
    class Broken(Exception):
        pass

    def generate():
        yield ["a", "b"]
        raise Broken("here")

    with pytest.raises(Broken, match="here"):
        firth.train(generate(), **QUICK)


def test_progress_is_told_in_events():
    events = []

    def tell(event):
        events.append(event)
        return event["event"] == "train" and event["fraction"] > 0.01

    firth.train(two_topics(), progress=tell, **{**QUICK, "epochs": 10000})
    assert {"read", "memory", "train"} <= {event["event"] for event in events}
    fractions = [event["fraction"] for event in events
                 if event["event"] == "train"]
    assert fractions == sorted(fractions) and 0.01 < fractions[-1] < 1


def test_an_exception_of_progress_comes_out():
    def fail(event):
        raise RuntimeError("no " + event["event"])

    with pytest.raises(RuntimeError, match="no "):
        firth.train(two_topics(), progress=fail, **QUICK)


def test_progress_that_returns_true_stops():
    asked = []

    def stop(event):
        asked.append(event)
        return event["event"] == "train"

    model = firth.train(two_topics(20000), progress=stop,
                        **{**QUICK, "epochs": 1000})
    assert model.report["interrupted"] is True
    assert np.isfinite(model.vectors).all()


def test_progress_that_stops_a_reading_that_is_over_stops_the_training():
    model = firth.train(
        two_topics(), progress=lambda event: event["event"] == "read",
        **{**QUICK, "epochs": 5000})
    assert model.report["interrupted"] is True


def interrupt(event):
    raise KeyboardInterrupt


def test_ctrl_c_at_the_end_of_a_reading_is_an_interrupt(language_model):
    with pytest.raises(KeyboardInterrupt):
        firth.train(two_topics(), progress=interrupt, **QUICK)
    with pytest.raises(KeyboardInterrupt):
        language_model.perplexity(["the king"], progress=interrupt)


@frees_at_once
def test_exceptions_of_progress_leave_memory_where_it_was():
    sentences = two_topics(2000)

    def fail(event):
        raise RuntimeError(event["event"])

    def read():
        with pytest.raises(RuntimeError):
            firth.train(sentences, progress=fail, **QUICK)

    for _ in range(20):
        read()
    before = resident_bytes()
    for _ in range(200):
        read()
    assert resident_bytes() - before < 5_000_000


def test_progress_is_shown_on_standard_error(capsys):
    firth.train(two_topics(), progress=True, **QUICK)
    shown = capsys.readouterr()
    assert "read 3,200 tokens, 10 different words" in shown.err
    assert shown.err.endswith("\n") and shown.out == ""


def run(code, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


ENDLESS = """
    import firth
    sentences = [["a", "b", "c", "d"] * 5] * 5000
    def say(event):
        if event["event"] == "train" and event["fraction"] > 0:
            print("training", flush=True)
"""


def test_ctrl_c_ends_a_training_with_what_was_learnt():
    child = run(ENDLESS + """
    model = firth.train(sentences, dim=8, min_count=1, epochs=10000,
                        progress=say)
    print("kept", len(model), model.report["interrupted"])
    """)
    assert child.stdout.readline() == "training\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert out.splitlines()[-1] == "kept 4 True"
    assert "InterruptedTrainingWarning" in err


def test_ctrl_c_while_sentences_are_read_is_an_interrupt():
    child = run("""
    import firth
    def endless():
        print("reading", flush=True)
        while True:
            yield ["a", "b"]
    try:
        firth.train(endless())
    except KeyboardInterrupt:
        print("interrupted")
    """)
    assert child.stdout.readline() == "reading\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out == "interrupted\n", err


def test_warnings_of_the_library_are_warnings(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"the king sleeps\nthe qu\0een wakes\n")
    with pytest.warns(UserWarning, match="1 token contains NUL bytes and was kept"):
        firth.train(path, progress=False, **QUICK)


def test_update_keeps_words_and_adds_new_ones(tmp_path):
    model = firth.train(two_topics(), **QUICK)
    before = model.vectors
    kept = before.copy()
    model.update([["king", "sword"]] * 50, epochs=2, threads=1)
    assert {"sword", "bread", "king"} <= set(model.words)
    assert model["king"].tolist() != kept[0].tolist()
    np.testing.assert_array_equal(before, kept)  # lent arrays stay


def test_a_model_of_a_file_is_updated(tmp_path):
    path = tmp_path / "a.safetensors"
    firth.train(two_topics(), **QUICK).save(path)
    model = firth.load(path)
    model.update([["king", "sword"]] * 50, epochs=2, threads=1)
    assert "sword" in model and "sword" not in firth.load(path)
    assert len(firth.load(path)) + 1 == len(model)


def test_training_starts_from_vectors(tmp_path):
    start = firth.train(two_topics(), **QUICK)
    path = tmp_path / "a.safetensors"
    start.save(path)
    for init in (start, path):
        model = firth.train(two_topics(), init=init, freeze_init=True, **QUICK)
        np.testing.assert_allclose(model["king"], start["king"], rtol=1e-6)


def test_environment_has_no_part_in_where_files_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "corpus.txt", two_topics())
    assert len(firth.train("corpus.txt", **QUICK)) == 10
    assert os.listdir(tmp_path) == ["corpus.txt"]
