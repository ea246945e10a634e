"""Callbacks for the training of a model."""

from __future__ import annotations

from typing import Any


class CallbackAny2Vec:
    """Base class for callbacks, each of which receives the model.

    They are called at the beginning and end of training and of each epoch,
    while training waits. model.wv is a copy of the vectors at that time, which
    does not change later.
    """

    def on_epoch_begin(self, model: Any) -> None:
        """Called before each epoch."""

    def on_epoch_end(self, model: Any) -> None:
        """Called after each epoch."""

    def on_train_begin(self, model: Any) -> None:
        """Called before training."""

    def on_train_end(self, model: Any) -> None:
        """Called after training."""
