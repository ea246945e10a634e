"""Text classifiers with the conventions of scikit-learn.

    classifier = firth.Classifier().fit(texts, labels)
    classifier.predict(["a fine film"])
    classifier.save("m.safetensors")

scikit-learn is not required. If it is installed, a Classifier can be used in
its pipelines and searches.
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from firth import _native
from firth._library import ffi, lib
from firth._native import (
    Floats, Path, Sized, Watch, check, created, interruptible, named)
from firth._options import encode_options, options as options_of
from firth._questions import ClassifierQuestions
from firth.errors import plain
from firth.labels import (
    Kind, held, labelled_of_known, labelled_texts, labels_to_learn, names_of,
    pair_of, texts_of)
from firth.progress import Progress
from firth.training import reported, trained
from firth.vectors import content_of, opened_from

Weights = list[tuple[str, float]]


class Classifier(ClassifierQuestions):
    """A text classifier: learns from labeled texts to label others.

    Each parameter is the option of "firth classify train" of the same name, and
    None means its default; firth.options("classify-train") describes them. Each
    text has one label, which may be any hashable object, or several: y is then
    a list of lists of labels, or an array [texts, labels] of 0 and 1.

    Attributes, after fit() or load(): classes_, an array of the labels, sorted;
    after fit(): report_, the report of the training run. There is no
    n_features_in_, as the input is texts.

    Threads may share a classifier.

    >>> texts = ["good film", "fine film", "bad film", "poor film"] * 5
    >>> made = firth.Classifier(threads=1).fit(texts, [1, 1, 0, 0] * 5)
    >>> made.predict(["good"])
    array([1])
    """

    _estimator_type = "classifier"

    def __init__(self, *, lowercase: bool | None = None,
                 normalize: str | None = None,
                 split_punctuation: bool | None = None,
                 word_ngrams: int | None = None, min_n: int | None = None,
                 max_n: int | None = None, min_count: int | None = None,
                 buckets: int | None = None, parts: str | None = None,
                 dim: int | None = None, loss: str | None = None,
                 negative: int | None = None,
                 class_weights: str | None = None, epochs: int | None = None,
                 learning_rate: float | None = None, l2: float | None = None,
                 held_out: float | None = None, patience: int | None = None,
                 seed: int | None = None, threads: int | None = None,
                 tune_contextualizer: bool | None = None,
                 tuning_rate: float | None = None, batch: int | None = None,
                 vectors: Path | None = None,
                 contextualizer: Path | None = None) -> None:
        self.lowercase = lowercase
        self.normalize = normalize
        self.split_punctuation = split_punctuation
        self.word_ngrams = word_ngrams
        self.min_n = min_n
        self.max_n = max_n
        self.min_count = min_count
        self.buckets = buckets
        self.parts = parts
        self.dim = dim
        self.loss = loss
        self.negative = negative
        self.class_weights = class_weights
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.l2 = l2
        self.held_out = held_out
        self.patience = patience
        self.seed = seed
        self.threads = threads
        self.tune_contextualizer = tune_contextualizer
        self.tuning_rate = tuning_rate
        self.batch = batch
        self.vectors = vectors
        self.contextualizer = contextualizer

    # --- What scikit-learn asks of an estimator. ---

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters by name; deep has no effect."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **params: Any) -> Self:
        """Sets parameters. Raises ValueError for one that does not exist."""
        for name, value in params.items():
            if name not in _PARAMETERS:
                raise ValueError(
                    f"there is no parameter {name!r}; the parameters are "
                                 + ", ".join(_PARAMETERS))
            setattr(self, name, value)
        return self

    def _more_tags(self) -> dict[str, Any]:
        """Returns tags for scikit-learn before 1.6; its own tests pass texts.
        """
        return {"X_types": ["string"], "multilabel": True,
                "requires_y": True, "non_deterministic": True}

    def __sklearn_tags__(self) -> Any:
        """Returns tags for scikit-learn 1.6 and later."""
        from sklearn.utils import (  # type: ignore[import]
            ClassifierTags, InputTags, Tags, TargetTags)
        return Tags(
            estimator_type="classifier", target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_label=True),
            non_deterministic=True,
            input_tags=InputTags(two_d_array=False, string=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_handle")

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in
                 self.get_params().items() if value is not None]
        return f"Classifier({', '.join(given)})"

    # --- Learning. ---

    def fit(self, X: Iterable[str], y: Any, *,
            valid: tuple[Iterable[str], Any] | None = None,
            progress: Progress = False, checkpoint: Path | None = None,
            checkpoint_every: str | None = None,
            resume: Path | None = None) -> Self:
        """Trains on texts and their labels.

        valid: texts and labels to measure on; the result is the model of the
        best epoch on them. progress: as for firth.train(). checkpoint,
        checkpoint_every, resume: as for "firth classify train". Ctrl-C ends the
        training with an InterruptedTrainingWarning; the result is what has been
        learned. Raises ValueError and TypeError for invalid arguments, OSError,
        MemoryError.
        """
        kind, classes, names, *data = _to_learn(texts_of(X), y, valid)
        options = self.get_params()
        if kind != "one" and self.loss is None:
            options["loss"] = "ova"
        given = encode_options(
            {**options, "checkpoint": checkpoint,
             "checkpoint_every": checkpoint_every, "resume": resume},
            "classify-train")
        handle, report = trained(
            "FirthClassifier", progress, lib.firth_classifier_train, *data,
            *given)
        self.report_: dict[str, Any] = report
        self._take(handle, kind, classes, names)
        return self

    def _take(self, handle: Any, kind: Kind, classes: NDArray[Any],
              names: list[str]) -> None:
        """Sets the attributes of a trained or loaded classifier.

        The library orders labels by frequency; classes_ is sorted.
        """
        described = _description(handle)
        labels = described["labels"]
        position = {name: i for i, name in enumerate(names)}
        self._learnt_thresholds: bool = described["several_labels"]
        # What has tuned its contextualizer holds it.
        self._holds_contextualizer: bool = described["options"].get(
            "tune-contextualizer", False)
        self._handle = handle
        self._kind: Kind = kind
        self.classes_ = classes
        self._names = names
        self._class_of_label = np.array(
            [position[label] for label in labels], np.int64)

    def _fitted(self) -> Any:
        if hasattr(self, "_handle"):
            return self._handle
        try:
            from sklearn.exceptions import (  # type: ignore[import]
                NotFittedError as Error)
        except ImportError:
            Error = ValueError
        raise Error("this Classifier is not fitted yet; call fit() or load()")

    # --- Asking. ---

    def predict_proba(self, X: Iterable[str]) -> Floats:
        """Returns the probabilities of classes_: float32 [texts, classes]."""
        asked = self._asked(X)
        found = np.empty((asked[-1], len(self._class_of_label)), np.float32)
        interruptible(
            lib.firth_classifier_probabilities, *asked,
            *encode_options({"threads": self.threads}),
            results=(_native.floats(found), ffi.NULL))
        ordered = np.zeros((len(found), len(self.classes_)), np.float32)
        ordered[:, self._class_of_label] = found
        return ordered

    def known(self, X: Iterable[str]) -> NDArray[np.int64]:
        """Counts the words and n-grams of each text that the classifier knows.

        The result is int64 [texts]. With a contextualizer, the tokens that it
        reads are added. 0 means that nothing in the text affects its labels:
        their probabilities are those of the training texts, or what fastText
        returns if the model is a fastText model.
        """
        asked = self._asked(X)
        found = np.empty(asked[-1], np.int64)
        interruptible(
            lib.firth_classifier_probabilities, *asked,
            *encode_options({"threads": self.threads}),
            results=(ffi.NULL, _native.ints(found)))
        return found

    def _asked(self, X: Iterable[str]) -> tuple[Any, bytes, Any, int]:
        """Returns the first arguments of calls about n texts; the last is n."""
        handle = self._fitted()
        texts, offsets = _native.join(texts_of(X))
        return handle, texts, _native.ints(offsets), len(offsets) - 1

    def predict(self, X: Iterable[str], *,
                threshold: float | None = None) -> Any:
        """Returns the label of each text as an array, or its labels.

        Several labels are returned in the form in which fit() received them.
        threshold: minimum probability of several labels; by default, the
        threshold estimated for each label in training.
        """
        if getattr(self, "_kind", None) == "one":
            if threshold is not None:
                raise ValueError(
                    "threshold: this classifier gives each text exactly one "
                    "label, so there is no threshold")
            best: Any = self.classes_[self.predict_proba(X).argmax(axis=1)]
            return best
        ends, labels = self._predict_several(X, threshold)
        if self._kind == "lists":
            return [[self.classes_[i] for i in sorted(labels[begin:end])]
                    for begin, end in zip(ends, ends[1:])]
        rows = np.zeros((len(ends) - 1, len(self.classes_)), np.int64)
        rows[np.repeat(np.arange(len(rows)), np.diff(ends)), labels] = 1
        return rows

    def _predict_several(
            self, X: Iterable[str], threshold: float | None
    ) -> tuple[list[int], list[int]]:
        asked = self._asked(X)
        ends = np.empty(asked[-1] + 1, np.int64)
        buffer, _ = Watch().run(
            lib.firth_classifier_predict, *asked,
            *self._prediction_options(threshold), results=(_native.ints(ends),),
            creates=("FirthBuffer", "FirthBuffer"))
        labels = np.frombuffer(_native.buffer_view(buffer), np.int32)
        return ends.tolist(), self._class_of_label[labels].tolist()

    def _prediction_options(self, threshold: float | None) -> Sized:
        """Returns the options for predicting labels.

        If texts may have several labels, the threshold estimated for each label
        applies. If all training texts had one label, there is none, and it is
        0.5.
        """
        one = self._kind == "one"
        if threshold is None and not one and not self._learnt_thresholds:
            threshold = 0.5
        return encode_options(
            {"top": int(one), "threshold": threshold, "threads": self.threads},
            "classify-predict")

    def score(self, X: Iterable[str], y: Any) -> float:
        """Returns the fraction of texts that get exactly their labels."""
        accuracy: float = self.evaluate(X, y)["accuracy"]
        return accuracy

    def evaluate(self, X: Iterable[str], y: Any, *,
                 threshold: float | None = None,
                 progress: Progress = False) -> dict[str, Any]:
        """Returns the report of "firth classify eval --json" for labeled texts.
        """
        handle = self._fitted()
        labelled = labelled_of_known(X, y, self._kind, self.classes_,
                                      self._names)
        return reported(progress, lib.firth_classifier_evaluate, handle,
                        labelled, *self._prediction_options(threshold))

    def explain(self, text: str, label: Hashable, k: int = 10) -> Weights:
        """Returns the n-grams of a text that matter most for a label.

        The result is a list of pairs of an n-gram and its weight in nats.
        Positive weights speak for the label, negative ones against it.
        """
        handle, position = self._fitted(), self._label_position(label)
        content, k = _native.encode(text), _native.whole(k, "k")
        return _weights(lib.firth_classifier_explain, handle, content,
                        len(content), position, k)

    def strongest(self, label: Hashable, k: int = 10) -> Weights:
        """Returns the n-grams of the model that speak most for a label.

        The form is that of explain().
        """
        handle, position = self._fitted(), self._label_position(label)
        return _weights(lib.firth_classifier_strongest, handle, position,
                        _native.whole(k, "k"))

    def _label_position(self, label: Hashable) -> int:
        for at, known in enumerate(self._class_of_label.tolist()):
            if self.classes_[known] == label:
                return at
        raise ValueError("label: must be one of classes_, found "
                         f"{plain(label)!r}")

    # --- Files, and others like this one. ---

    def save(self, path: Path) -> None:
        """Writes a file, in fastText's format if the name ends in .bin.

        The file stores labels as texts; load() returns other labels as texts.
        """
        check(lib.firth_classifier_save(self._fitted(), *named(path)), path)

    @classmethod
    def load(cls, path: Path, *,
             contextualizer: Path | None = None) -> Self:
        """Opens a classifier, or a supervised fastText model.

        The file is one of save() or "firth classify train", or fastText's. The
        parameters are set to those of the training run that differ from the
        defaults, except threads and the file of vectors, which are not stored.
        Raises FileNotFoundError and other OSErrors, CorruptFileError,
        ValueError.
        """
        handle = _load(path, contextualizer)
        described = _description(handle)
        made = cls(contextualizer=contextualizer,
                   **_parameters_of(described["options"]))
        names = sorted(described["labels"])
        made._take(handle, "lists" if described["several_labels"] else "one",
                   np.array(names), names)
        return made

    def quantize(self, X: Iterable[str] | None = None, *,
                 max_size: int = 1 << 20) -> Self:
        """Returns a smaller classifier, whose file has at most max_size bytes.

        X: the training texts, to refit it.
        """
        handle = self._fitted()
        train = ffi.NULL
        if X is not None:
            texts = texts_of(X)
            train = labelled_texts(texts, [[0]] * len(texts), self._names)
        smaller = interruptible(
            lib.firth_classifier_quantize, handle, train,
            *encode_options({"max_size": max_size}, "classify-quantize"),
            creates="FirthClassifier")
        made = type(self)(**self.get_params())
        made._take(smaller, self._kind, self.classes_, self._names)
        return made

    def tune(self, X: Iterable[str], y: Any, *,
             valid: tuple[Iterable[str], Any] | None = None,
             progress: Progress = False, **options: Any) -> dict[str, Any]:
        """Searches for the best options, sets them as parameters and fits.

        options: those of "firth classify tune", such as metric="macro-f1",
        folds=5, budget="5m". Parameters that are not None are kept. Returns the
        report: trials, best, tokens. Ctrl-C raises KeyboardInterrupt.
        """
        texts, y = texts_of(X), held(y)
        if valid is not None:
            measured_texts, measured_y = pair_of(valid)
            valid = texts_of(measured_texts), held(measured_y)
        _, _, _, *data = _to_learn(texts, y, valid)
        fixed = {name: value for name, value in self.get_params().items()
                 if name != "threads"}
        start = encode_options(fixed, "classify-train")
        if isinstance(options.get("budget"), (int, np.integer)):
            options["budget"] = str(options["budget"])
        given = encode_options({"threads": self.threads, **options},
                               "classify-tune")
        report = reported(progress, lib.firth_classifier_tune, *data, *start,
                          *given)
        best = report["trials"][report["best"]]["options"]
        self.set_params(**{
            name: best[name.replace("_", "-")] for name in _PARAMETERS
            if name not in ("threads", "vectors", "contextualizer")
            and name.replace("_", "-") in best})
        self.fit(texts, y, valid=valid,
                 progress=False if report["interrupted"] else progress)
        return report

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "_handle" in state:
            state["_handle"] = content_of(self.save)
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if "_handle" in self.__dict__:
            needed = None if self._holds_contextualizer else self.contextualizer
            self._handle = opened_from(
                self._handle, lambda path: _load(path, needed))


_PARAMETERS = tuple(sorted(
    name for name in inspect.signature(Classifier.__init__).parameters
    if name != "self"))


def _to_learn(texts: list[str], y: Any, valid: Any) -> tuple[
        Kind, NDArray[Any], list[str], Any, Any]:
    """Returns the kind of labels, the classes and their names, and the data.

    The data are the texts to learn from and those to measure on, or NULL.
    """
    kind, lists, classes = labels_to_learn(y, len(texts))
    names = names_of(classes)
    labelled = labelled_texts(texts, lists, names)
    measured = ffi.NULL if valid is None else labelled_of_known(
        *pair_of(valid), kind, classes, names)
    return kind, classes, names, labelled, measured


def _parameters_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters of a training run with these options."""
    given = {name.replace("-", "_"): value for name, value in options.items()}
    return {option["name"]: given[option["name"]]
            for option in options_of("classify-train")
            if option["name"] in given and option["name"] != "threads"
            and given[option["name"]] != option["default"]}


def _weights(function: Any, *arguments: Any) -> Weights:
    return [(ngram, weight)
            for ngram, weight in _native.json_of(function, *arguments)]


def _description(handle: Any) -> dict[str, Any]:
    described: dict[str, Any] = _native.json_of(
        lib.firth_classifier_describe, handle)
    return described


def _load(path: Path, contextualizer: Path | None) -> Any:
    given = encode_options({"contextualizer": contextualizer}, "classify-load")
    return created("FirthClassifier", lib.firth_classifier_load, *named(path),
                   *given, path=path)
