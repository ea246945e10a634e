"""What threads, copies and the end of a program may do."""

import copy
import os
import subprocess
import sys

import numpy as np
import pytest

import firth
from conftest import two_topics

QUICK = {"dim": 4, "min_count": 1, "threads": 1, "sample": 0}


def test_a_model_has_one_update_at_a_time():
    model = firth.train(two_topics(50), **QUICK)

    def update_again(event):
        with pytest.raises(RuntimeError, match="already being updated"):
            model.update([["other", "words"]] * 9, min_count=1)
        again.append(event)

    again = []
    model.update([["new", "words"]] * 9, min_count=1, progress=update_again)
    assert again
    assert "new" in model and "other" not in model
    model.update([["other", "words"]] * 9, min_count=1)
    assert "other" in model


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_of_the_model_and_not_of_its_file(copied, tmp_path,
                                                     monkeypatch):
    path = tmp_path / "m.safetensors"
    firth.train(two_topics(50), **QUICK).save(path)
    monkeypatch.chdir(tmp_path)
    model = firth.load("m.safetensors")
    before = np.array(model.vectors)
    os.remove(path)
    monkeypatch.chdir("/")
    other = copied(model)
    model.update([["new", "words"]] * 9, min_count=1)
    assert "new" in model and "new" not in other
    np.testing.assert_array_equal(other.vectors, before)


def test_a_program_may_end_while_a_thread_trains():
    program = """
import threading, time, firth
begun = threading.Event()
def train():
    firth.train([["a", "b", "c"] * 10] * 1000, dim=8, epochs=10000, min_count=1,
                progress=lambda event: begun.set())
threading.Thread(target=train, daemon=True).start()
assert begun.wait(60)
"""
    ended = subprocess.run([sys.executable, "-c", program], timeout=120,
                           capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
