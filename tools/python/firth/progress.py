"""Displays the progress of long calls, with tqdm if it is installed."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from firth.errors import LossyWarning

logger = logging.getLogger("firth")

# Whether to display progress, or a function to call instead. It receives a dict
# with "event" ("read", "memory", "train", "epoch", "milestone", "warning") and
# the fields that include/firth/firth.h lists, and may return True to stop.
Report = Callable[[dict[str, Any]], object]
Progress = bool | Report


@contextmanager
def reporting(progress: Progress) -> Iterator[Report]:
    """Yields the function that receives the events of a call."""
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool):
        raise TypeError("progress: expected True, False or a function, found "
                        + type(progress).__name__)
    elif not progress or sys.stderr is None:
        # Programs without a terminal may have no standard error either.
        yield report_warning
    else:
        display = _Display()
        try:
            yield display.tell
        finally:
            display.close()


def remembering(progress: Progress) -> Progress:
    """Returns a `progress` for several calls that remembers a stop request.

    Reading may be finished before the request takes effect; training then
    stops.
    """
    if not callable(progress):
        return progress
    tell: Report = progress
    stopped = False

    def report(event: dict[str, Any]) -> bool:
        nonlocal stopped
        stopped = tell(event) is True or stopped
        return stopped

    return report


def warn(message: str, kind: type[Warning] = UserWarning) -> None:
    """Warns with the position where this package was called."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get(
            "__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=depth)


def report_warning(event: dict[str, Any]) -> None:
    """Handles an event of a call of which only warnings matter."""
    if event["event"] == "warning":
        warn(event["message"])


def report_loss(event: dict[str, Any]) -> None:
    """Handles an event of saving.

    Warns if words were left out, and logs the loss of parts that few formats
    hold.
    """
    if event["event"] == "warning":
        warn(event["message"], LossyWarning)
    elif event["event"] == "milestone":
        logger.info("%s", event["message"])


class _Display:
    """A line on standard error, and a tqdm bar during training."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._open_line = False
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
                        f"{event['types']:,} different words")
        elif kind == "milestone":
            self._write(event["message"])
            self._end_line()
        else:
            report_warning(event)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._end_line()

    def _show(self, fraction: float, text: str) -> None:
        if self._tqdm is None:
            self._write(f"{fraction:4.0%}  {text}")
            return
        if self._bar is None:
            self._end_line()
            self._bar = self._tqdm(total=1, bar_format="{l_bar}{bar}{postfix}")
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(fraction - self._bar.n)

    def _write(self, text: str) -> None:
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        else:
            print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)
            self._open_line = True

    def _end_line(self) -> None:
        if self._open_line:
            print(file=sys.stderr)
        self._open_line = False


def _training_line(event: dict[str, Any]) -> str:
    return (f"epoch {event['epoch'] + 1}, loss {event['loss']:.4f}, "
            f"{event['words_per_second']:,.0f} words/s, "
            f"{event['seconds_left']:.0f} s left")
