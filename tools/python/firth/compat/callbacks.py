"""What is called while a model is trained."""

from __future__ import annotations

from typing import Any


class CallbackAny2Vec:
    """A base for callbacks, each of which is given the model.

    They are called at the beginning and end of the training and of each epoch.
    The vectors are there when the training is over.
    """

    def on_epoch_begin(self, model: Any) -> None:
        """Called before an epoch."""

    def on_epoch_end(self, model: Any) -> None:
        """Called after an epoch."""

    def on_train_begin(self, model: Any) -> None:
        """Called before the training."""

    def on_train_end(self, model: Any) -> None:
        """Called after the training, when the vectors are there."""
