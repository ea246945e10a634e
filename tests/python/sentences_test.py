"""Sentences of any kind as blocks of bytes."""

import numpy as np
import pytest
from hypothesis import given, strategies

from firth.sentences import blocks, to_block


def sentences_of(block):
    (text, offsets), ends = block
    words = [text[a:b].decode("utf-8", "surrogateescape")
             for a, b in zip(offsets, offsets[1:])]
    return [words[a:b] for a, b in zip(ends, ends[1:])]


WORDS = strategies.text(min_size=1).filter(
    lambda word: not any("\ud800" <= c <= "\udfff" for c in word))


@given(strategies.lists(strategies.lists(WORDS)))
def test_a_block_holds_the_words_of_each_sentence(sentences):
    assert sentences_of(to_block(sentences)) == sentences


@pytest.mark.parametrize("sentence, words", [
    ("the cat  sat\n", ["the", "cat", "sat"]),
    (("a", "b"), ["a", "b"]),
    (["new york", "\t"], ["new york", "\t"]),
    (np.array([3, 1, 3]), ["3", "1", "3"]),
    ([3, np.int32(1)], ["3", "1"]),
    (["a", 5], ["a", "5"]),
    (np.array(["x", "yz"]), ["x", "yz"]),
    ({"k": 1, "l": 2}.keys(), ["k", "l"]),
    (["Z\udcfcrich", "東京"], ["Z\udcfcrich", "東京"]),
    ([], []),
    ("", []),
])
def test_sentences_are_lists_texts_or_ids(sentence, words):
    assert sentences_of(to_block([sentence, "end"])) == [words, ["end"]]


@pytest.mark.parametrize("sentence, error, message", [
    (5, TypeError, "sentence 1: expected a str or a list of str, found int"),
    (b"a b", TypeError, "sentence 1: .* found bytes"),
    (np.ones((2, 2)), TypeError, r"sentence 1: .* array of shape \(2, 2\)"),
    (["a", 1.5], TypeError, "sentence 1, word 1: .* found float"),
    ([True], TypeError, "sentence 1, word 0: .* found bool"),
    (["a", None], TypeError, "sentence 1, word 1: .* found NoneType"),
    (["a", ""], ValueError, "sentence 1, word 1: .* must not be empty"),
])
def test_what_is_no_sentence_is_named(sentence, error, message):
    with pytest.raises(error, match=message):
        list(blocks(["good", sentence]))


def test_errors_count_sentences_over_all_blocks():
    with pytest.raises(ValueError, match="sentence 1234, word 0"):
        list(blocks([["a"]] * 1234 + [[""]]))


def test_blocks_ask_an_iterator_once_and_skip_empty_ones():
    asked = []

    def generate():
        for i in range(2000):
            asked.append(i)
            yield [] if i < 1500 else [str(i)]

    result = [sentence for block in blocks(generate())
              for sentence in sentences_of(block)]
    assert result == [[str(i)] for i in range(1500, 2000)]
    assert asked == list(range(2000))
