"""Shows how far a long call is: with tqdm if there is one, else in a line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Whether to show progress, or who is told: a function that gets a dict with
# "event" ("read", "memory", "train", "milestone", "warning") and what
# include/firth/firth.h says there is, and may return True to stop.
Progress = bool | Callable[[dict[str, Any]], object]


def reporter(progress: Progress) -> Callable[[dict[str, Any]], object]:
    """The function that is told of events."""
    if callable(progress):
        return progress
    return _Display().tell if progress else _warn


def _warn(event: dict[str, Any]) -> None:
    if event["event"] == "warning":
        warnings.warn(event["message"], stacklevel=2)


class _Display:
    """One bar or line for a call."""

    def __init__(self) -> None:
        self._bar: Any = None
        try:
            self._tqdm: Any = import_module("tqdm.auto").tqdm
        except ImportError:
            self._tqdm = None

    def tell(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "train":
            self._show(event["fraction"], _training_line(event))
        elif kind == "read":
            self._write(f"read {event['tokens']:,} tokens, "
                        f"{event['types']:,} different words", "\r")
        elif kind == "milestone":
            self._write(event["message"], "\n")
        else:
            _warn(event)

    def _show(self, fraction: float, text: str) -> None:
        if self._tqdm is None:
            self._write(f"{fraction:4.0%}  {text}",
                        "\n" if fraction >= 1 else "\r")
            return
        if self._bar is None:
            self._bar = self._tqdm(total=1, bar_format="{l_bar}{bar}{postfix}")
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(fraction - self._bar.n)
        if fraction >= 1:
            self._bar.close()

    def _write(self, text: str, end: str) -> None:
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        else:
            print(f"{text:<70}", end=end, file=sys.stderr, flush=True)


def _training_line(event: dict[str, Any]) -> str:
    return (f"epoch {event['epoch'] + 1}, loss {event['loss']:.4f}, "
            f"{event['words_per_second']:,.0f} words/s, "
            f"{event['seconds_left']:.0f} s left")
