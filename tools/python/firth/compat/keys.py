"""Keys: str, or whole numbers.

The words of a firth.Vectors are str. If keys are whole numbers, the words are
their digits, and an entry of the metadata marks them; files keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.errors import plain
from firth.vectors import Vectors

# A key, or the position of one, counted from 0.
Key = str | int | np.integer[Any]
KEYS = (str, int, np.integer)
_NAME, _WHOLE = "keys", "whole-numbers"


def are_whole(table: Vectors) -> bool:
    """Whether the words of a table are the digits of its keys."""
    return table.metadata.get(_NAME) == _WHOLE


def marked(table: Vectors, whole: bool | None) -> Vectors:
    """The table, whose words are the digits of its keys if `whole`."""
    if not whole or are_whole(table):
        return table
    return table._annotated({_NAME: _WHOLE})


def kind_of(keys: Sequence[object], whole: bool | None) -> bool | None:
    """Whether keys are whole numbers, which are not mixed with str.

    whole: whether the keys that are already there are; None if there are none.
    Returns that where `keys` is empty. Raises TypeError of another kind.
    """
    for key in keys:
        is_whole = isinstance(key, (int, np.integer))
        if whole is None and isinstance(key, KEYS):
            whole = is_whole
        if is_whole != whole or not isinstance(key, KEYS):
            expected = "whole numbers" if whole else "str"
            raise TypeError(
                f"keys: expected {expected}, found {plain(key)!r}; the keys of"
                f" an "
                "object are all str or all whole numbers")
    return whole


def word_of(key: Key) -> str:
    """The key itself, or its digits."""
    return key if isinstance(key, str) else str(int(key))
