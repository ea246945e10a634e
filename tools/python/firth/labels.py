"""Conversion of labeled texts from Python to the library.

Each text has one label, which may be any hashable object, or any number of
labels. The library represents labels as texts: the text of each label if these
are distinct, otherwise numbered names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from firth import _native
from firth._library import lib
from firth.errors import plain

# How the labels of texts are given: one each; a list of them each; or an array
# [texts, labels] of 0 and 1.
Kind = Literal["one", "lists", "indicator"]


def texts_of(texts: Any) -> list[str]:
    """Returns texts as a list. Raises TypeError and ValueError for others."""
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise TypeError("X: expected an iterable of texts, found "
                        + type(texts).__name__)
    if getattr(texts, "ndim", 1) != 1:
        raise ValueError("X: expected texts in one dimension, found a table; "
                         "pass the column with the texts")
    listed = list(texts)
    for number, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"X: text {number}: expected a str, found "
                            f"{type(text).__name__}")
    return listed


def pair_of(valid: Any) -> tuple[Any, Any]:
    """Splits validation data into texts and labels."""
    if isinstance(valid, (tuple, list)) and len(valid) == 2:
        return valid[0], valid[1]
    raise TypeError("valid: expected a pair of texts and their labels, found "
                    + type(valid).__name__)


def held(y: Any) -> Any:
    """Returns labels that can be iterated twice."""
    return list(y) if isinstance(y, Iterator) else y


def labels_to_learn(
        y: Any, n: int) -> tuple[Kind, list[list[int]], NDArray[Any]]:
    """Returns _labels_of(). Raises ValueError if all texts have one label."""
    kind, lists, classes = _labels_of(y, n)
    if kind == "one" and len(classes) == 1:
        raise ValueError("y: needs at least two classes, found only one class, "
                         f"{plain(classes[0])!r}")
    return kind, lists, classes


def _labels_of(y: Any, n: int) -> tuple[Kind, list[list[int]], NDArray[Any]]:
    """Returns the kind of labels, the class indexes per text, and the classes.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: "
                         "pass the labels of the texts")
    if hasattr(y, "toarray"):
        y = y.toarray()
    elif hasattr(y, "__array__") and not hasattr(y, "__iter__"):
        y = np.asarray(y)
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        y = np.asarray(y)[:, 0]
    if getattr(y, "ndim", 1) == 2:
        return _labels_of_indicator(np.asarray(y), n)
    if isinstance(y, (str, bytes)) or not hasattr(y, "__iter__") or getattr(
            y, "ndim", 1) != 1:
        raise TypeError(f"y: expected the labels of {n} texts, found "
                        + type(y).__name__)
    labels = y.tolist() if hasattr(y, "tolist") else list(y)
    _check_length(len(labels), n)
    several = bool(labels) and all(
        isinstance(one, (list, set, frozenset)) for one in labels)
    lists = labels if several else [[label] for label in labels]
    classes = _sorted_classes(_different(lists))
    position = {label: i for i, label in enumerate(classes.tolist())}
    return ("lists" if several else "one",
            [[position[label] for label in one] for one in lists], classes)


def _labels_of_indicator(
        rows: NDArray[Any], n: int
) -> tuple[Kind, list[list[int]], NDArray[Any]]:
    """Returns the same as _labels_of() for an array [texts, labels]."""
    _check_length(len(rows), n)
    if not np.isin(rows, (0, 1)).all():
        raise ValueError("y: the array must contain only 0 and 1")
    return ("indicator", [np.flatnonzero(row).tolist() for row in rows],
            np.arange(rows.shape[1]))


def _different(lists: Iterable[Iterable[Any]]) -> set[Hashable]:
    """Returns the set of labels. Raises TypeError for unhashable ones."""
    found: set[Hashable] = set()
    for number, labels in enumerate(lists):
        for label in labels:
            try:
                found.add(label)
            except TypeError:
                raise TypeError(
                    f"y: text {number}: expected a hashable label such as a "
                    "str or a number, or lists of labels for all texts, "
                    f"found {type(label).__name__}") from None
    return found


def _check_length(labels: int, texts: int) -> None:
    if labels != texts:
        raise ValueError(f"y: expected the labels of {texts} texts, found "
                         f"{labels}")


def _sorted_classes(labels: set[Hashable]) -> NDArray[Any]:
    """Sorts the labels by value, or by type and text if that is impossible."""
    for label in labels:
        if isinstance(label, (float, np.floating)) and not np.isfinite(label):
            raise ValueError(f"y: expected labels, found {label}")
    try:
        ordered: list[Any] = sorted(cast("set[Any]", labels))
    except TypeError:
        ordered = sorted(labels, key=lambda one: (type(one).__name__, str(one)))
    if len({type(label) for label in ordered}) == 1 and isinstance(
            ordered[0], (str, int, float)):
        return np.array(ordered)
    classes = np.empty(len(ordered), object)
    classes[:] = ordered
    return classes


def names_of(classes: NDArray[Any]) -> list[str]:
    """Returns names of the classes for the library: their texts if distinct."""
    names = [str(label) for label in classes.tolist()]
    if len(set(names)) == len(names) and all(
            name.strip() == name and name and name.isprintable()
            for name in names):
        return names
    return [f"class{i}" for i in range(len(names))]


def labelled_texts(texts: list[str], lists: list[list[int]],
              names: list[str]) -> Any:
    """Creates a FirthLabelledTexts."""
    content, offsets = _native.join(texts)
    labels, label_offsets = _native.join(
        [names[i] for one in lists for i in one])
    ends = _native.offsets_of(lists)
    return _native.created(
        "FirthLabelledTexts", lib.firth_labelled_texts_create, content,
        _native.ints(offsets), labels, _native.ints(label_offsets),
        _native.ints(ends), len(texts))


def labelled_of_known(X: Iterable[str], y: Any, kind: Kind,
                       classes: NDArray[Any], names: list[str]) -> Any:
    """Creates a FirthLabelledTexts for a trained classifier.

    It may contain labels that the classifier does not know. Raises ValueError
    if the classifier knows none of them.
    """
    texts = texts_of(X)
    given, lists, found = _labels_of(y, len(texts))
    if given != kind:
        raise ValueError("y: the labels must be of the same kind as in fit() "
                         f"({kind}), found {given}")
    known = {label: name for label, name in zip(classes.tolist(), names)}
    if any(lists) and not any(label in known for label in found.tolist()):
        raise ValueError(
            "y: the classifier has none of these labels; y has "
            f"{found.tolist()[0]!r}, the classifier {classes.tolist()[0]!r}")
    return labelled_texts(texts, lists, [
        known.get(label, f"unknown: {label}") for label in found.tolist()])
