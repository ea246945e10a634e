"""Attributes that programs set on a model, which are saved in its file.

They are stored as JSON in the metadata of the file. Values that JSON cannot
represent cannot be set, so that save() and load() lose nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np



class KeepsAttributes:
    """An object that saves its public attributes in files."""

    # The entry of the metadata.
    _ENTRY: ClassVar[str]
    # Public attributes that say how a run went, in which equal models differ.
    _LEFT_OUT: ClassVar[frozenset[str]] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute.

        Raises TypeError for a value that save() could not store, and
        AttributeError for a method.
        """
        of_class = getattr(type(self), name, None)
        if not name.startswith("_") and not hasattr(of_class, "__set__"):
            if callable(of_class):
                raise AttributeError(f"{name}: a method cannot be set")
            value = value.item() if isinstance(value, np.generic) else value
            if not _is_kept_by_json(value):
                raise TypeError(
                    f"{name}: expected None, a bool, a number, a str, or lists "
                    "and dicts of them, which save() keeps, found "
                    f"{type(value).__name__}")
        super().__setattr__(name, value)

    def _public(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items()
                if not name.startswith("_") and name not in self._LEFT_OUT}

    def _annotated(self, table: Any, loaded: KeepsAttributes) -> Any:
        """Returns the table with the attributes that a fresh object lacks.

        `loaded` is an object made from the table.
        """
        known = loaded._public()
        kept = {name: value for name, value in self._public().items()
                if name not in known or known[name] != value}
        text = json.dumps(kept, ensure_ascii=False) if kept else ""
        if text == table.metadata.get(self._ENTRY, ""):
            return table
        return table._annotated({self._ENTRY: text})

    def _take_attributes(self, metadata: Mapping[str, str]) -> None:
        """Sets attributes from a file, which any program may have written."""
        try:
            kept = json.loads(metadata.get(self._ENTRY) or "{}")
        except ValueError:
            return
        for name, value in kept.items() if isinstance(kept, dict) else ():
            of_class = getattr(type(self), name, None)
            if not (name.startswith("_") or callable(of_class)
                    or hasattr(of_class, "__set__")):
                setattr(self, name, value)


def _is_kept_by_json(value: Any) -> bool:
    """Returns whether JSON preserves a value."""
    try:
        again = json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return False
    return bool(again == value)
