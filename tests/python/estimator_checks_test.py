"""scikit-learn's own checks of estimators, over tables that are made texts.

check_estimator() hands over tables of numbers. Of estimators that take texts,
as its own vectorizers, it makes no check at all. Here each row becomes a text
that has a word for each column and range of values, so that all checks run,
with scikit-learn's validation before it, as in its own estimators. What they
say of n_features_in_ and of values that are not finite is then about these
adapters; what they say of labels, parameters, clones, pickles, fitting twice,
the order of texts and subsets of them is about ours.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import firth

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (python3-sklearn)")
import sklearn.utils  # noqa: E402
from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.exceptions import SkipTestWarning  # noqa: E402
from sklearn.utils.estimator_checks import (  # noqa: E402
    check_estimator,
    parametrize_with_checks,
)
from sklearn.utils.validation import check_is_fitted  # noqa: E402

from firth.sklearn import SentenceVectors  # noqa: E402


def texts_of(table):
    return [" ".join(f"c{column}v{int(value)}" for column, value
                     in enumerate(np.floor(np.clip(row, -1e6, 1e6))))
            for row in np.asarray(table, float)]


class VectorsOfTables(SentenceVectors):
    """Rows of numbers to vectors."""

    def fit(self, X, y=None):
        return super().fit(texts_of(self._validate_data(X)), y)

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(texts_of(self._validate_data(X, reset=False)))

    def _more_tags(self):
        return {"X_types": ["2darray"], "preserves_dtype": []}


_NO_LABEL = "a text without a label is none to learn from"
# What firth.Classifier does another way than scikit-learn asks.
OTHERWISE = {
    "check_classifiers_regression_target":
        "numbers with a fraction are labels, too, such as stars of a critic",
    "check_supervised_y_2d": "a column of labels is taken without a warning",
    "check_classifiers_multilabel_representation_invariance": _NO_LABEL,
    "check_classifiers_multilabel_output_format_predict": _NO_LABEL,
    "check_classifiers_multilabel_output_format_predict_proba": _NO_LABEL,
    "check_classifiers_multilabel_output_format_decision_function": _NO_LABEL,
}


class ClassifierOfTables(firth.Classifier, BaseEstimator):
    """Rows of numbers to labels."""

    def fit(self, X, y, **others):
        X = self._validate_data(X)
        return super().fit(texts_of(X), y, **others)

    def predict_proba(self, X):
        check_is_fitted(self)
        return super().predict_proba(
            texts_of(self._validate_data(X, reset=False)))

    def evaluate(self, X, y, **others):
        return super().evaluate(
            texts_of(self._validate_data(X, reset=False)), y, **others)

    def _more_tags(self):
        # With one thread it is deterministic.
        return {**super()._more_tags(), "X_types": ["2darray"],
                "non_deterministic": False, "_xfail_checks": OTHERWISE}


@parametrize_with_checks([
    VectorsOfTables(train_options={
        "dim": 8, "min_count": 1, "threads": 1, "epochs": 1}),
    ClassifierOfTables(threads=1, epochs=5)])
def test_the_estimator_is_one_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [SentenceVectors(), firth.Classifier()])
def test_texts_are_told_to_be_the_input(estimator):
    with pytest.warns(SkipTestWarning, match="input  of type .'string'."):
        check_estimator(estimator)


def test_later_versions_are_told_so_too(monkeypatch):
    """scikit-learn from 1.6 on asks for objects; its documentation has them."""
    for name in ("Tags", "ClassifierTags", "InputTags", "TargetTags"):
        monkeypatch.setattr(sklearn.utils, name,
                            lambda **fields: SimpleNamespace(**fields),
                            raising=False)
    tags = firth.Classifier().__sklearn_tags__()
    assert tags.estimator_type == "classifier" and tags.target_tags.required
    assert tags.input_tags.string and not tags.input_tags.two_d_array
    assert tags.classifier_tags.multi_label

    monkeypatch.setattr(BaseEstimator, "__sklearn_tags__", lambda self:
                        SimpleNamespace(
                            input_tags=SimpleNamespace(two_d_array=True),
                            transformer_tags=SimpleNamespace(
                                preserves_dtype=["float64"])), raising=False)
    tags = SentenceVectors().__sklearn_tags__()
    assert tags.input_tags.string and not tags.input_tags.two_d_array
    assert tags.transformer_tags.preserves_dtype == []
