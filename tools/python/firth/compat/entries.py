"""Keys with their vectors and attributes.

The vectors are those of a firth.Vectors, which is mapped and shared, not
copied. Added keys are collected in a dict until the next query, so that adding
keys one by one is as fast as adding many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firth.compat.keys import (
    KEYS, Key as Key, are_whole, kind_of, marked, word_of)
from firth.errors import UnknownWordError
from firth.vectors import Vectors

Floats = NDArray[np.float32]


class Entries:
    """Keys with vectors of `vector_size` dimensions: the base of KeyedVectors.
    """

    def __init__(self, vector_size: int, count: int = 0,
                 dtype: Any = np.float32) -> None:
        """Makes an object without keys, for add_vectors().

        count: expected number of keys; no room is reserved. dtype: ignored,
        numbers are always float32.
        """
        del count
        if np.dtype(dtype) != np.float32:
            raise NotImplementedError(
                f"dtype: vectors are float32 in memory, found {dtype}; "
                "firth convert writes smaller files")
        self._set_table(Vectors.from_arrays(
            [], np.empty((0, vector_size), np.float32)))

    def _set_table(self, table: Vectors) -> None:
        self._table_now = table
        self._dim = table.dim
        # Whether keys are whole numbers; None until there is a key.
        self._whole: bool | None = are_whole(table) or (
            False if len(table) else None)
        # Words that wait, with the place that each will have.
        self._added: dict[str, tuple[int, Floats]] = {}
        self._attributes: dict[str, NDArray[Any]] = {}
        self._keys: list[Any] | None = None
        self._places: dict[Any, int] | None = None
        if table.counts.any():
            self._attributes["count"] = table.counts

    @property
    def _table(self) -> Vectors:
        """Returns the vectors of all keys."""
        if self._added:
            self._replace_table(
                [*self._table_now.words, *self._added],
                np.vstack([self._table_now.vectors,
                           *(row for _, row in self._added.values())]))
        return self._table_now

    def _replace_table(self, words: Iterable[str], rows: ArrayLike) -> None:
        """Replaces words and rows; attributes of the first keys are kept."""
        attributes = self._attributes
        self._set_table(marked(Vectors.from_arrays(words, rows), self._whole))
        for name, values in attributes.items():
            self._attributes[name] = self._of_all(
                values[:len(self)].copy())

    # --- Keys. ---

    @property
    def vector_size(self) -> int:
        """The number of dimensions of the vectors."""
        return self._dim

    @property
    def index_to_key(self) -> list[Any]:
        """The keys by position: a list, made on first use."""
        words = self._table.words
        if self._keys is None:
            self._keys = list(map(int, words) if self._whole else words)
        return self._keys

    @property
    def key_to_index(self) -> dict[Any, int]:
        """The positions by key: a dict, made on first use."""
        if self._places is None or self._added:
            self._places = {key: i for i, key in enumerate(self.index_to_key)}
        return self._places

    def __len__(self) -> int:
        return len(self._table_now) + len(self._added)

    def __contains__(self, key: object) -> bool:
        return self._place(key) >= 0

    def has_index_for(self, key: object) -> bool:
        """Returns whether a key is in the vocabulary, regardless of n-grams."""
        return self._place(key) >= 0

    def get_index(self, key: Key, default: int | None = None) -> int:
        """Returns the position of a key, or `default` if it is unknown.

        A whole number that is not a key is itself a position. Raises
        UnknownWordError, a KeyError.
        """
        place = self._place(key)
        if place >= 0:
            return place
        if default is not None:
            return default
        raise self._unknown(key)

    def _place(self, key: object) -> int:
        """Returns the position of a key, or the position itself, or -1."""
        word = self._word(key)
        place = -1 if word is None else self._place_of_word(word)
        if place < 0 and isinstance(key, (int, np.integer)) and (
                0 <= key < len(self)):
            place = int(key)
        return place

    def _place_of_word(self, word: str) -> int:
        place = self._table_now.find(word)
        if place < 0 and word in self._added:
            place = self._added[word][0]
        return place

    def _word(self, key: object) -> str | None:
        """Returns the word of a key, or None for a key of another type."""
        if not self._whole:
            return key if isinstance(key, str) else None
        return word_of(key) if isinstance(key, (int, np.integer)) else None

    def _keys_at(self, places: Iterable[int]) -> list[Any]:
        """Returns the keys at some positions, without making the others."""
        words = self._table.words
        if self._whole:
            return [int(words[i]) for i in places]
        return [words[i] for i in places]

    def _unknown(self, key: object) -> UnknownWordError:
        if isinstance(key, str) and not self._whole:
            return UnknownWordError(key, self._table.closest_spellings(key))
        if not isinstance(key, KEYS):
            return UnknownWordError(str(key))
        word = word_of(key)
        named: str | int = key if isinstance(key, str) else int(word)
        if self._place_of_word(word) < 0:
            return UnknownWordError(named)
        return UnknownWordError(named, [int(word) if self._whole else word])

    # --- Vectors. ---

    @property
    def vectors(self) -> Floats:
        """All vectors [keys, vector_size], read-only.

        Another array can be assigned.
        """
        return self._table.vectors

    @vectors.setter
    def vectors(self, rows: ArrayLike) -> None:
        self._replace_table(self._table.words, rows)

    @property
    def norms(self) -> Floats:
        """The length of each vector [keys]."""
        lengths: Floats = np.linalg.norm(self.vectors, axis=1)
        return lengths

    def get_vector(self, key: Key, norm: bool = False) -> Floats:
        """Returns the vector of a key [vector_size], read-only.

        norm: scale it to length 1. Raises UnknownWordError, a KeyError.
        """
        row = self._row(key)
        if norm:
            length = np.linalg.norm(row.astype(np.float64))
            row = (row / (length or 1)).astype(np.float32)
        row.flags.writeable = False
        return row

    def _row(self, key: Key) -> Floats:
        word = self._word(key)
        if isinstance(key, str) and word is not None and (
                word not in self._added):
            return self._table_now[word]
        if word is not None and self._table_now.has_subwords:
            made = self._table_now.get(word)
            if made is not None:
                return made
        row: Floats = self._table.vectors[self.get_index(key)]
        return row

    def __getitem__(self, key_or_keys: Key | Sequence[Key]) -> Floats:
        """Returns the vector of a key [vector_size], or of n keys.

        The result for n keys is [n, vector_size].
        """
        if isinstance(key_or_keys, KEYS):
            return self.get_vector(key_or_keys)
        keys = list(key_or_keys)
        words = [word for word in map(self._word, keys) if word is not None]
        if words and len(words) == len(keys) and (
                not self._whole or (self._table.find_all(words) >= 0).all()):
            return self._table[words]
        return np.vstack([self.get_vector(key) for key in keys])

    def get_normed_vectors(self) -> Floats:
        """Returns all vectors scaled to length 1: a copy [keys, vector_size].
        """
        lengths = self.norms[:, None]
        normed: Floats = self.vectors / np.where(
            lengths == 0, np.float32(1), lengths)
        return normed

    def fill_norms(self, force: bool = False) -> None:
        """Does nothing: lengths are computed when they are needed."""

    def unit_normalize_all(self) -> None:
        """Scales all vectors to length 1."""
        self.vectors = self.get_normed_vectors()

    def add_vector(self, key: Key, vector: ArrayLike) -> int:
        """Adds a key unless it exists. Returns its position."""
        self.add_vectors([key], [vector])
        return self.get_index(key)

    def add_vectors(self, keys: Key | Sequence[Key], weights: Any,
                    extras: Mapping[str, ArrayLike] | None = None,
                    replace: bool = False) -> None:
        """Adds keys with their vectors [keys, vector_size].

        keys: str or whole numbers, but not both. extras: values of attributes,
        one per key. replace: existing keys get the new vector instead of
        keeping theirs. Raises ValueError, TypeError.
        """
        given: list[Key] = [keys] if isinstance(keys, KEYS) else list(keys)
        whole = kind_of(given, self._whole)
        words = list(map(word_of, given))
        if not all(words):
            raise ValueError("keys: a key must not be empty")
        rows = self._checked_weights(weights, len(words))
        self._whole = whole
        old = self._replace_rows(words, rows) if replace else {
            word for word in words if self._place_of_word(word) >= 0}
        fresh = [i for i, word in enumerate(words) if word not in old]
        for i in fresh:
            if words[i] not in self._added:
                self._added[words[i]] = len(self), rows[i].copy()
        self._places = self._keys = None
        for name, values in (extras or {}).items():
            for i in fresh if not replace else range(len(given)):
                self.set_vecattr(given[i], name, np.asarray(values)[i])

    def _checked_weights(self, weights: Any, n: int) -> Floats:
        rows = np.asarray(weights, np.float32)
        if n == 1 and rows.ndim == 1:
            rows = rows[np.newaxis]
        if n and rows.shape != (n, self._dim):
            raise ValueError(f"weights: expected shape ({n}, {self._dim}), "
                             f"found {rows.shape}")
        if not np.isfinite(rows).all():
            raise ValueError("weights: must be finite numbers")
        return rows

    def _replace_rows(self, words: list[str], rows: Floats) -> set[str]:
        """Replaces the rows of existing words and returns these words."""
        ids = self._table.find_all(words)
        known = np.flatnonzero(ids >= 0)
        if len(known):
            changed = self.vectors.copy()
            changed[ids[known]] = rows[known]
            self.vectors = changed
        return {words[i] for i in known}

    def __setitem__(self, keys: Key | Sequence[Key], weights: Any) -> None:
        self.add_vectors(keys, weights, replace=True)

    # --- What else is known of a key. ---

    def get_vecattr(self, key: Key, attr: str) -> Any:
        """Returns an attribute of a key, such as "count". Raises KeyError."""
        place = self.get_index(key)
        values = self._attributes[attr]
        return values[place] if place < len(values) else values.dtype.type()

    def set_vecattr(self, key: Key, attr: str, val: Any) -> None:
        """Sets an attribute of a key; other keys have 0 until it is set."""
        place = self.get_index(key)
        kind: Any = object if isinstance(val, str) else type(val)
        values = self._of_all(self._attributes.get(attr, np.zeros(0, kind)))
        if not values.flags.writeable:
            values = values.copy()
        values[place] = val
        self._attributes[attr] = values

    def _of_all(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns an attribute of all keys [keys]; 0 for keys added later."""
        if len(values) == len(self):
            return values
        grown = np.zeros(len(self), values.dtype)
        grown[:len(values)] = values
        return grown

    def sort_by_descending_frequency(self) -> None:
        """Sorts the keys by their "count", highest first."""
        self._sort_by("count")

    def _sort_by(self, attr: str) -> None:
        if attr in self._attributes:
            self._take(np.argsort(-self._of_all(self._attributes[attr]),
                                  kind="stable"))

    def _take(self, places: NDArray[Any]) -> None:
        """Keeps only these keys, in this order."""
        attributes = {name: self._of_all(values)[places]
                      for name, values in self._attributes.items()}
        words = self._table.words
        self._set_table(marked(Vectors.from_arrays(
            [words[i] for i in places], self.vectors[places],
            attributes.get("count")), self._whole))
        self._attributes = attributes
