"""What is called while a model is trained."""

from __future__ import annotations

from typing import Any


class CallbackAny2Vec:
    """A base for callbacks, each of which is given the model.

    They are called at the beginning and end of the training and of each epoch,
    while the training waits. model.wv is a copy of the vectors at that time, and
    stays as it is.
    """

    def on_epoch_begin(self, model: Any) -> None:
        """Called before an epoch."""

    def on_epoch_end(self, model: Any) -> None:
        """Called after an epoch."""

    def on_train_begin(self, model: Any) -> None:
        """Called before the training."""

    def on_train_end(self, model: Any) -> None:
        """Called after the training."""
