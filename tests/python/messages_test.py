"""How messages are written: plain sentences, spelled as each door does."""
import importlib.util
import sys
from pathlib import Path

import pytest

from firth.errors import error_of

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location(
    "messages", ROOT / "tests" / "support" / "messages.py")
messages = importlib.util.module_from_spec(_SPEC)
sys.modules["messages"] = messages
_SPEC.loader.exec_module(messages)


def test_messages_of_the_sources_break_no_rule() -> None:
    collected = list(messages.messages(ROOT))

    assert len(collected) > 1000
    assert [(message.place, message.text, messages.faults(message))
            for message in collected if messages.faults(message)] == []


@pytest.mark.parametrize(("text", "rule"), [
    ("the labels and what they are told by take N bytes", "human verb"),
    ("expected two texts divided by a tab, found 1", "divided by"),
    ("a word in <head>, behind an <answer senseid>", "human verb"),
    ("expected a word a line, found an empty file", "rate"),
    ("the loss is 5.2 nats a token", "rate"),
    ("the most labels of a text; 0: all that count", "0 means all"),
    ("--count goes with --beam: else there is one", "else"),
    ("a neighbour of these words", "British"),
    ("--init: views start from random vectors; expected one of them",
     "remedy"),
    ("expected the kind that the model has, found another", "without a name"),
    ("expected a tagger, found one that holds them already",
     "without a name"),
    ("What follows has no verb", "fragment"),
    ("Of no feature at all", "fragment"),
])
def test_riddles_are_found(text: str, rule: str) -> None:
    message = messages.Message("src/a.cc:1", text, [text])

    assert any(rule in fault for fault in messages.faults(message))


@pytest.mark.parametrize("text", [
    'text cannot hold counts; with "lossy": true they are left out',
    "min_count: expected a number, found null",
    "fewer words (min-count) need less memory",
    "words are left out with --lossy",
])
def test_spellings_of_other_doors_are_found_in_python(text: str) -> None:
    assert messages.faults(messages.Message("firth/a.py:1", text, [text]))


def test_a_message_is_collected_with_all_of_its_pieces(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cc").write_text(
        'fields.Add("dim", &A::dim, "help of an option: no message here");\n'
        "return Fail(StrCat(path, \": row \", row,\n"
        '                   ": expected {a} \\"finite\\" "\n'
        '                   "number"));  // no "message" in a comment\n')

    (message,) = messages.messages(tmp_path)

    assert message.place == "src/a.cc:2"
    assert message.text == ': row ...: expected {a} "finite" number'
    assert message.pieces == [": row ", ': expected {a} "finite" number']


@pytest.mark.parametrize(("library", "python"), [
    ("checked: expected true or false, found null",
     "checked: expected True or False, found None"),
    ('word "b": a text; "lossy": true saves it',
     'word "b": a text; lossy=True saves it'),
    ('"true or false", found true', '"true or false", found True'),
    ("/a/true.vec: cannot open", "/a/true.vec: cannot open"),
])
def test_values_are_spelled_as_in_python(library: str, python: str) -> None:
    assert str(error_of(3, library)) == python
