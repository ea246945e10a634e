"""What progress=True shows, with tqdm and without."""

import sys
import warnings

import pytest

from firth.progress import reporting

TRAIN = {"event": "train", "fraction": 0.25, "epoch": 1, "loss": 2.5,
         "learning_rate": 0.05, "words_per_second": 1234567.0,
         "seconds_left": 12.3}


def test_without_tqdm_a_line_is_written_again_and_again(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with reporting(True) as tell:
        tell({"event": "read", "tokens": 1000, "types": 10, "bytes": 1,
              "seconds": 1})
        tell(TRAIN)
        tell({**TRAIN, "fraction": 1.0})
    shown = capsys.readouterr().err
    lines = [line.rstrip() for line in shown.split("\r")]
    assert lines[:3] == [
        "", "read 1,000 tokens, 10 different words",
        " 25%  epoch 2, loss 2.5000, 1,234,567 words/s, 12 s left"]
    assert lines[3].startswith("100%") and shown.endswith("\n")


def test_with_tqdm_a_bar_is_shown(capsys):
    pytest.importorskip("tqdm")
    with reporting(True) as tell:
        tell(TRAIN)
        tell({"event": "milestone", "message": "best epoch so far"})
        tell({**TRAIN, "fraction": 1.0})
    shown = capsys.readouterr()
    assert "25%" in shown.err and "100%" in shown.err
    assert "epoch 2, loss 2.5000" in shown.err
    assert "best epoch so far" in shown.err and shown.out == ""


@pytest.mark.parametrize("progress", [True, False])
def test_what_users_should_know_is_a_warning(progress):
    with pytest.warns(UserWarning, match="a short text"):
        with reporting(progress) as tell:
            tell({"event": "warning", "message": "a short text"})


def test_without_progress_nothing_is_shown(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with reporting(False) as tell:
            tell(TRAIN)
    assert capsys.readouterr() == ("", "")


def test_a_function_is_told_of_everything():
    told = []
    with reporting(told.append) as tell:
        tell(TRAIN)
        tell({"event": "warning", "message": "a short text"})
    assert [event["event"] for event in told] == ["train", "warning"]


def test_a_program_without_standard_error_is_shown_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.warns(UserWarning, match="a short text"):
        with reporting(True) as tell:
            tell(TRAIN)
            tell({"event": "warning", "message": "a short text"})
