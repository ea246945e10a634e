"""gensim's KeyedVectors, and those with n-grams."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from firth import _native
from firth._native import Path, whole
from firth.compat.attributes import KeepsAttributes
from firth.compat.entries import Floats
from firth.compat.keys import Key, kind_of, marked, word_of
from firth.instead import Instead
from firth.compat.measures import Measures
from firth.compat.texts import open_text, write_text
from firth.progress import warn
from firth.vectors import Vectors, load


class KeyedVectors(KeepsAttributes, Measures, Instead):
    """Keys, such as words, with vectors.

        vectors = KeyedVectors.load_word2vec_format("vectors.bin", binary=True)
        vectors.most_similar(positive=["woman", "king"], negative=["man"])
    """

    _ENTRY = "vectors-attributes"

    _INSTEAD = {
        "vocab": "use key_to_index, index_to_key and get_vecattr()",
        "index2word": "use index_to_key",
        "index2entity": "use index_to_key",
        "vectors_norm": "use get_normed_vectors()",
        "resize_vectors": "use add_vectors(), which allocates memory",
        "intersect_word2vec_format":
            "firth.train(init=...) starts training from vectors",
        "vectors_ngrams": "only the file contains the rows of n-grams; a "
                          "lookup builds the vector of any word from them",
        "vectors_vocab": "only the file contains the rows of words without "
                         "their n-grams",
        "similarity_unseen_docs": "firth.Vectors.sentence_vectors() "
                                  "computes vectors of texts",
    }

    @classmethod
    def of(cls, table: Vectors) -> KeyedVectors:
        """Returns the KeyedVectors for the vectors of a firth.Vectors."""
        kind: type[KeyedVectors] = (
            FastTextKeyedVectors if table.has_subwords else KeyedVectors)
        made = kind.__new__(kind)
        made._set_table(table)
        return made

    def to_firth(self) -> Vectors:
        """Returns the firth.Vectors of these keys, which shares their memory.
        """
        return self._table

    def __repr__(self) -> str:
        return (f"{type(self).__name__}<vector_size={self.vector_size}, "
                f"{len(self)} keys>")

    # --- Files. ---

    def save(self, fname: Path, *args: Any, **kwargs: Any) -> None:
        """Writes a .safetensors file; arguments about pickles have no effect.

        Raises ValueError if keys have attributes other than "count", which the
        file cannot hold.
        """
        others = set(self._attributes) - {"count"}
        if others:
            raise ValueError(f"{os.fsdecode(fname)}: only the attribute "
                             f"\"count\" can be saved, found {sorted(others)}")
        table = self._counted()
        self._annotated(table, KeyedVectors.of(table)).save(
            fname, format="safetensors")

    def _counted(self) -> Vectors:
        """Returns the vectors with their current counts."""
        counts = self._attributes.get("count")
        if counts is not None:
            counts = self._of_all(counts)
        if counts is None or np.array_equal(counts, self._table.counts):
            return self._table
        return marked(Vectors.from_arrays(
            self._table.words, self.vectors, counts), self._whole)

    @classmethod
    def load(cls, fname: Path, mmap: str | None = None) -> KeyedVectors:
        """Loads a vector file of any format that Firth reads.

        It is mapped regardless of `mmap`. Raises OSError, and ValueError for a
        pickle, which may contain code.
        """
        table = load(fname)
        vectors = cls.of(table)
        vectors._take_attributes(table.metadata)
        return vectors

    @classmethod
    def load_word2vec_format(
            cls, fname: Path, fvocab: Path | None = None, binary: bool = False,
            encoding: str = "utf8", unicode_errors: str = "strict",
            limit: int | None = None, datatype: Any = np.float32,
            no_header: bool = False) -> KeyedVectors:
        """Loads a word2vec.c file, or a GloVe file with no_header=True.

        fvocab: a file of keys and counts. Without it, the first key gets the
        number of keys as its count, and each following key one less.
        unicode_errors: handling of keys that are not valid in `encoding`;
        "surrogateescape" preserves them. limit: number of keys to read, the
        first ones. If keys are equal after decoding, the first one is kept; a
        key that decoding leaves empty is skipped with a warning. Raises
        OSError, ValueError.
        """
        if np.dtype(datatype) != np.float32:
            raise NotImplementedError(
                f"datatype: vectors are float32 in memory, found {datatype}; "
                "firth convert writes smaller files")
        if limit is not None and whole(limit, "limit") < 0:
            raise ValueError(f"limit: must be 0 or more, found {limit}")
        table = _load_word2vec(fname, binary, no_header)
        places: dict[str, int] = {}
        read = table.words[:limit]
        for i, word in enumerate(read):
            places.setdefault(
                _native.encode(word).decode(encoding, unicode_errors), i)
        if places.pop("", None) is not None:
            warn(f"{os.fsdecode(fname)}: left out keys of which "
                 f"unicode_errors={unicode_errors!r} leaves nothing; "
                 "unicode_errors=\"replace\" keeps them")
        counts = len(read) - np.arange(len(places))
        if fvocab is not None:
            known = _read_counts(fvocab, encoding)
            counts = np.array([known.get(word, 0) for word in places])
        rows = table.vectors[:len(read)]
        if len(places) < len(read):
            rows = rows[list(places.values())]
        return KeyedVectors.of(Vectors.from_arrays(places, rows, counts))

    def save_word2vec_format(
            self, fname: Path, fvocab: Path | None = None, binary: bool = False,
            total_vec: int | None = None, write_header: bool = True,
            prefix: str = "", append: bool = False,
            sort_attr: str = "count") -> None:
        """Writes a file like word2vec.c, with the keys sorted by an attribute.

        fvocab: a file for keys and counts. write_header: False writes a file
        like GloVe. prefix: text before each key. Raises OSError, and ValueError
        for keys that the file cannot hold.
        """
        if append or total_vec is not None:
            raise NotImplementedError(
                "append, total_vec: add_vectors() joins vectors before they "
                "are written")
        if binary and not write_header:
            raise ValueError("write_header: a binary file has a header")
        if os.fsdecode(fname).endswith((".gz", ".bz2", ".xz")):
            raise NotImplementedError(
                f"{os.fsdecode(fname)}: save_word2vec_format() does not "
                "compress; compress the file afterwards, as load_word2vec_format() reads "
                "compressed files")
        ordered = KeyedVectors.of(self._table)
        ordered._attributes = dict(self._attributes)
        ordered._sort_by(sort_attr)
        if fvocab is not None:
            counts = ordered._attributes.get(sort_attr)
            if counts is None:
                raise ValueError(
                    f"fvocab: the keys have no attribute {sort_attr!r}")
            write_text(fvocab, "".join(
                f"{prefix}{word} {count}\n"
                for word, count in zip(ordered.index_to_key, counts)))
        table = ordered._table
        if prefix:
            table = Vectors.from_arrays(
                [prefix + word for word in table.words], table.vectors)
        form = "bin" if binary else "text" if write_header else "glove"
        save_whole(table, fname, form)

    # --- Others from these. ---

    def vectors_for_all(self, keys: Iterable[Key], allow_inference: bool = True,
                        copy_vecattrs: bool = False) -> KeyedVectors:
        """Returns the vectors of these keys only, without unknown keys.

        allow_inference: include keys whose vectors are built from n-grams.
        copy_vecattrs: copy the attributes of keys.
        """
        kept = [key for key in dict.fromkeys(keys)
                if (key in self if allow_inference
                    else self.has_index_for(key))]
        rows = (self[kept] if kept
                else np.empty((0, self.vector_size), np.float32))
        made = KeyedVectors.of(marked(Vectors.from_arrays(
            map(word_of, kept), rows), kind_of(kept, None)))
        if copy_vecattrs:
            places = [self.get_index(key, -1) for key in kept]
            made._attributes = {
                name: np.where(np.array(places) < 0, values.dtype.type(),
                               self._of_all(values)[places])
                for name, values in self._attributes.items()}
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (type(self), self._table, self._attributes),
                self._public())

    # --- Names of gensim 3. ---

    def word_vec(self, *args: Any, **kwargs: Any) -> Floats:
        """The same as get_vector()."""
        return self.get_vector(*args, **kwargs)

    def words_closer_than(self, word1: Key, word2: Key) -> list[Any]:
        """The same as closer_than()."""
        return self.closer_than(word1, word2)

    def init_sims(self, replace: bool = False) -> None:
        """Does nothing, or unit_normalize_all() with replace=True."""
        if replace:
            self.unit_normalize_all()


class FastTextKeyedVectors(KeyedVectors):
    """Words with vectors built from n-grams, so that unknown words have one.

    `in` checks whether there is a vector; has_index_for() and key_to_index
    refer to the vocabulary.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "n-grams are trained by FastText or read by "
            "load_facebook_vectors(), not added")

    @property
    def min_n(self) -> int:
        """The minimum length of an n-gram, in characters."""
        return int(self._table.metadata["min-n"])

    @property
    def max_n(self) -> int:
        """The maximum length of an n-gram, in characters."""
        return int(self._table.metadata["max-n"])

    @property
    def bucket(self) -> int:
        """The number of rows shared by the n-grams."""
        return int(self._table.metadata["buckets"])

    def __contains__(self, key: object) -> bool:
        word = self._word(key)
        return super().__contains__(key) or (
            word is not None and self._table.get(word) is not None)

    def get_sentence_vector(self, sentence: Sequence[Key]) -> Floats:
        """Returns the mean of the words' vectors, scaled to length 1 first."""
        return self.get_mean_vector(sentence)

    def add_vectors(self, keys: Any, weights: Any, extras: Any = None,
                    replace: bool = False) -> None:
        """Raises an error, since added words would have no n-grams."""
        raise NotImplementedError(
            "vectors cannot be added to a model with n-grams; "
            "vectors_for_all() returns KeyedVectors, to which they can")

    def _replace_table(self, words: Iterable[str], rows: Any) -> None:
        """Raises an error, since the n-grams belong to the current vectors."""
        raise NotImplementedError(
            "vectors: the vectors of a model with n-grams cannot be set; "
            "vectors_for_all() returns KeyedVectors that can be changed")

    def sort_by_descending_frequency(self) -> None:
        """Raises an error, since the order of rows without n-grams is fixed."""
        raise NotImplementedError(
            "the words of a model with n-grams cannot be sorted; "
            "vectors_for_all() returns KeyedVectors that can be changed")


def _load_word2vec(fname: Path, binary: bool, no_header: bool) -> Vectors:
    """Loads a word2vec.c file.

    Raises ValueError if the file is not what `binary` states, with the right
    value.
    """
    form = "bin" if binary else "glove" if no_header else "text"
    try:
        return load(fname, format=form, duplicates="first")
    except ValueError as error:
        found = re.search('the format "(bin|text|glove)", not ', str(error))
        if found is None:
            raise
        its_kind = "a binary" if found[1] == "bin" else "a text"
        header = ", no_header=True" if found[1] == "glove" else ""
        raise ValueError(
            f"{os.fsdecode(fname)}: {its_kind} file; pass "
            f"binary={found[1] == 'bin'}{header}, or use firth.load(), which "
            "detects the format") from error


def save_whole(table: Vectors, fname: Path, form: str) -> None:
    """Writes all words and their vectors.

    Raises OSError, and ValueError for words or n-grams that the format cannot
    hold.
    """
    try:
        table.save(fname, format=form)
    except ValueError as error:
        message = str(error)
        if isinstance(error, OSError) or "lossy=True" not in message:
            raise
        raise ValueError(message.replace(
            "lossy=True",
            f"to_firth().save(..., format={form!r}, lossy=True)")) from None


def _restore(kind: type[KeyedVectors], table: Vectors,
             attributes: dict[str, Any]) -> KeyedVectors:
    made = kind.__new__(kind)
    made._set_table(table)
    made._attributes = attributes
    return made


def _read_counts(path: Path, encoding: str) -> dict[str, int]:
    """Reads keys and counts, one pair per line."""
    counts = {}
    with open_text(path, encoding) as lines:
        for number, line in enumerate(lines, 1):
            fields = line.split()
            if len(fields) != 2 or not fields[1].isdigit():
                raise ValueError(f"{os.fsdecode(path)}:{number}: expected a word "
                                 f"and a count, found {line.strip()!r}")
            counts[fields[0]] = int(fields[1])
    return counts
