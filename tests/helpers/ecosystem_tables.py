"""A small table, and one instance of each registered class of estimators."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from sklearn_bayeslazy import BayesianStackingClassifier, BayesianStackingRegressor
from sklearn_bayeslazy.testing import ESTIMATORS

STACKS = BayesianStackingClassifier, BayesianStackingRegressor


def first_of_each_class():
    """Return the first registered instance of each class, or a faster one."""
    first = {}
    for estimator in ESTIMATORS:
        # Of local fits and of stacks the last has the simplest members.
        if hasattr(estimator, "local_estimator") or isinstance(estimator, STACKS):
            first[type(estimator).__name__] = estimator
        first.setdefault(type(estimator).__name__, estimator)
    return list(first.values())


def one_of_each():
    """Return an instance of each class, with fixed random states and few rounds."""
    given = {"random_state": 0, "n_estimators": 10}
    return [
        clone(one).set_params(**{k: given[k] for k in given if k in one.get_params()})
        for one in first_of_each_class()
    ]


def _parametrize(estimators):
    names = [type(one).__name__ for one in estimators]
    return pytest.mark.parametrize("estimator", estimators, ids=names)


INSTANCES = one_of_each()
every_classifier = _parametrize([one for one in INSTANCES if is_classifier(one)])
every_predictor = _parametrize(
    [one for one in INSTANCES if is_classifier(one) or is_regressor(one)]
)
every_transformer = _parametrize(
    [one for one in INSTANCES if hasattr(one, "transform")]
)
every_estimator = _parametrize(INSTANCES)


def draw_counts(estimator, n_rows=48):
    """Return counts, of which only the first column and the second tell the target.

    Counts, because some estimators take nothing else.
    """
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    noise = rng.poisson(2.0, size=(n_rows, 2))
    means = np.column_stack([np.where(y, 6.0, 1.0), np.where(y, 1.0, 6.0)])
    X = np.column_stack([rng.poisson(means), noise]).astype(float)
    return X, y.astype(float) if is_regressor(estimator) else y


def output_of(model, X):
    """Return the probability of the second class, or the predicted number."""
    if is_classifier(model):
        return model.predict_proba(X)[:, 1]
    return model.predict(X)
