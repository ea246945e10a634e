"""Words and their vectors: contents and lookup.

Arrays point into memory of the library and are copied only if necessary.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firth import _native
from firth._ask import answers_to
from firth._library import ffi, lib
from firth._native import Floats, Ids, check
from firth.errors import UnknownWordError
from firth.instead import Instead
from firth.words import Words

_Default = TypeVar("_Default")
_ID = ffi.typeof("int64_t *")
_find_word = lib.firth_vectors_find
# Words that an error names as spelled like an unknown one.
_SPELLINGS = 5
_MOST_SPELLINGS = 1000


class Table(Instead):
    """Words, each with a vector of `dim` dimensions: the base of Vectors."""

    # gensim's names.
    _INSTEAD = {
        "wv": "these are the vectors themselves",
        "index_to_key": "use words",
        "key_to_index": "find() returns the position of a word",
        "vocab": "use words, find() and counts",
        "vector_size": "use dim",
        "get_vector": "use vectors[word]",
        "word_vec": "use vectors[word]",
        "get_vecattr": "use counts",
        "most_similar_cosmul": "use most_similar(method=\"mul\")",
        "similar_by_word": "use most_similar()",
        "similar_by_vector": "use most_similar()",
        "doesnt_match": "use odd_one_out()",
        "distance": "1 - similarity() is the distance",
        "distances": "1 - similarities() are the distances",
        "closer_than": "use closer()",
        "evaluate_word_analogies": "use evaluate(analogies=...)",
        "evaluate_word_pairs": "use evaluate(similarity=...)",
        "save_word2vec_format": "use save()",
        "train": "update() continues training on more text",
        "syn1neg": "use output_vectors",
    }

    def __init__(self, handle: Any = None,
                 source: tuple[str, dict[str, Any]] | None = None,
                 report: dict[str, Any] | None = None) -> None:
        self._lock = threading.Lock()
        self._updating = threading.Lock()
        # The file, by its whole path, and how it was opened.
        self._source = source
        self._adopt(handle, report)

    def _adopt(self, handle: Any, report: dict[str, Any] | None) -> None:
        self._handle = _native.checked_handle(
            handle, "firth.Vectors", "firth.load() opens a file, "
                                     "firth.train() trains, and "
                                     "firth.Vectors.from_arrays() makes "
                                     "vectors from words and rows")
        self._report = report
        self._searches: dict[Any, Any] = {}
        self._description = _native.json_of(
            lib.firth_vectors_describe, handle)
        self._dim: int = self._description["dim"]
        self._size: int = self._description["words"]
        self._rows = (self._lent_rows()
                      if self._description["form"] == "float32" else None)
        self._words: Words | None = None

    @property
    def dim(self) -> int:
        """The number of dimensions of the vectors."""
        return self._dim

    @property
    def words(self) -> Words:
        """The words by id; each str is created when it is requested."""
        if self._words is None:
            self._words = self._lent_words()
        return self._words

    @property
    def counts(self) -> Ids:
        """Occurrences of each word: int64 [words], read-only, not copied.

        The values are 0 if the file has no counts.
        """
        out = ffi.new("const int64_t **")
        check(lib.firth_vectors_counts(self._handle, out))
        return self._lent_ids(out[0], self._size)

    @property
    def vectors(self) -> Floats:
        """All vectors: float32 [words, dim], read-only; row i is word i.

        Not copied: the array points into the model and keeps it alive. If the
        model is stored in another form (16 bits, 8 bits, product quantization),
        it is a copy that is made on first use.
        """
        if self._rows is None:
            rows = self._copied(np.arange(self._size))
            rows.flags.writeable = False
            self._rows = rows
        return self._rows

    @property
    def output_vectors(self) -> Floats:
        """The prediction weights left by training: float32 [rows, dim].

        Read-only, not copied. Raises ValueError if there are none.
        """
        pointer = ffi.new("const float **")
        count, stride = ffi.new(_ID), ffi.new(_ID)
        check(lib.firth_vectors_output_rows(
            self._handle, pointer, count, stride))
        return self._lent_matrix(pointer[0], count[0], stride[0])

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of the file, by name."""
        return dict(self._description["metadata"])

    @property
    def form(self) -> str:
        """Storage form of the vectors: "float32", "float16", "int8" or "pq"."""
        return str(self._description["form"])

    @property
    def has_subwords(self) -> bool:
        """Whether unknown words have vectors, built from n-grams."""
        return bool(self._description["subwords"])

    @property
    def report(self) -> dict[str, Any] | None:
        """The report of the training run; None for a model from a file."""
        return self._report

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) >= 0

    def __repr__(self) -> str:
        subwords = ", with n-grams" if self.has_subwords else ""
        return (f"<firth.Vectors: {self._size:,} words, dim {self._dim}, "
                f"{self.form}{subwords}>")

    def find(self, word: str) -> int:
        """Returns the id of a word, its row in `vectors`; -1 if it is unknown.

        >>> vectors.find("queen")
        2
        """
        text = _native.encode(word)
        out = ffi.new(_ID)
        status = _find_word(self._handle, text, len(text), out)
        if status:
            check(status)
        found: int = out[0]
        return found

    def find_all(self, words: Iterable[str]) -> Ids:
        """Returns the ids of n words: int64 [n], -1 for unknown words."""
        texts, offsets = _native.join(_native.listed(words, "words"))
        ids = np.empty(len(offsets) - 1, np.int64)
        check(lib.firth_vectors_find_all(
            self._handle, texts, _native.ints(offsets), len(ids),
            _native.ints(ids)))
        return ids

    def __getitem__(self, words: str | Sequence[str]) -> Floats:
        """Returns the vector of a word, or a copy of those of n words.

        The vector of a word is [dim] and read-only; the copy is [n, dim].
        Raises UnknownWordError, a KeyError, with the closest spellings.
        """
        if not isinstance(words, str):
            if isinstance(words, (int, np.integer)):
                raise TypeError(
                    "expected a word or a list of words, found the number "
                    f"{words}; for rows by id, use `vectors`")
            return self._lookup(_native.listed(words, "words"))
        word_id = self.find(words)
        if word_id < 0:
            row: Floats = self._lookup([words])[0]
        elif self._rows is not None:
            row = self._rows[word_id]
        else:
            row = self._copied(np.array([word_id]))[0]
        return row

    @overload
    def get(self, word: str) -> Floats | None: ...
    @overload
    def get(self, word: str, default: _Default) -> Floats | _Default: ...

    def get(self, word: str, default: object = None) -> object:
        """Returns the vector of a word, or `default` if it has none."""
        try:
            return self[word]
        except UnknownWordError:
            return default

    def closest_spellings(self, word: str, n: int = _SPELLINGS) -> list[str]:
        """Returns up to n words, at most 1,000, with the most similar spelling.

        >>> vectors.closest_spellings("kinq")
        ['king']
        """
        n = _native.whole(n, "n")
        text = _native.encode(word).decode("utf-8", "replace")
        if n < 0:
            raise ValueError(f"n: must be 0 or more, found {n}")
        if n == 0 or not text:
            return []
        request = {"word": text, "top": min(n, _MOST_SPELLINGS)}
        answer, = answers_to("spelling", {"model": self}, [request], True)
        # JSON cannot contain words that are not UTF-8.
        return [one for one in answer["spellings"] if "\ufffd" not in one]

    def checked_rows(self, values: ArrayLike, ndim: int) -> Floats:
        """Converts vectors of the caller to float32, [dim] or [n, dim].

        Raises TypeError for values that are not real numbers, and ValueError if
        they have the wrong shape or are not finite.
        """
        rows = _native.rows_of(values, "vectors")
        if rows.ndim != ndim or rows.shape[-1] != self._dim:
            shape = f"({self._dim},)" if ndim == 1 else f"(n, {self._dim})"
            raise ValueError(
                f"expected vectors of shape {shape}, found {rows.shape}")
        if not np.isfinite(rows).all():
            raise ValueError("the vectors contain NaN or infinity")
        return rows

    def _lent_rows(self) -> Floats:
        pointer = ffi.new("const float **")
        stride = ffi.new(_ID)
        check(lib.firth_vectors_rows(self._handle, pointer, stride))
        return self._lent_matrix(pointer[0], self._size, stride[0])

    def _lent_matrix(self, pointer: Any, rows: int, stride: int) -> Floats:
        numbers = (rows - 1) * stride + self._dim if rows else 0
        memory = np.frombuffer(
            _native.view(pointer, 4 * numbers, self._handle), np.float32)
        return np.ndarray((rows, self._dim), np.float32, memory,
                          strides=(4 * stride, 4))

    def _lent_ids(self, pointer: Any, n: int) -> Ids:
        return np.frombuffer(
            _native.view(pointer, 8 * n, self._handle), np.int64)

    def _lent_words(self) -> Words:
        text = ffi.new("const char **")
        offsets = ffi.new("const int64_t **")
        check(lib.firth_vectors_words(self._handle, text, offsets))
        ends = self._lent_ids(offsets[0], self._size + 1)
        return Words(_native.view(text[0], int(ends[-1]), self._handle), ends,
                     self.find)

    def _copied(self, ids: NDArray[Any]) -> Floats:
        rows = np.empty((len(ids), self._dim), np.float32)
        check(lib.firth_vectors_copy(
            self._handle, _native.ints(_native.as_ids(ids)),
            len(ids), _native.floats(rows)))
        return rows

    def _lookup(self, words: list[str]) -> Floats:
        text, offsets = _native.join(words)
        rows = np.empty((len(words), self._dim), np.float32)
        origins = np.empty(len(words), np.int8)
        check(lib.firth_vectors_lookup(
            self._handle, text, _native.ints(offsets), len(words),
            _native.floats(rows), ffi.from_buffer("int8_t[]", origins)))
        for position in np.flatnonzero(origins == 0)[:1]:
            self._raise_unknown(words[position])
        return rows

    def _raise_unknown(self, word: str) -> None:
        raise UnknownWordError(word, self.closest_spellings(word))

    def _known_id(self, word: str) -> int:
        word_id = self.find(word)
        if word_id < 0:
            self._raise_unknown(word)
        return word_id
