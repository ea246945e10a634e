"""Names of gensim that Firth does another way: the error says which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar


class Instead:
    """An object that tells what there is in place of an attribute."""

    _INSTEAD: ClassVar[Mapping[str, str]] = {}

    # Type checkers must not take it that any attribute is there.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            instead = self._INSTEAD.get(name)
            if instead is None:
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}")
            raise AttributeError(f"{name}: {instead}")
