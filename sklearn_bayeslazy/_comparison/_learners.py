"""The learners that the main job compares: a plain list, to which each is one entry."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import _yardsticks
from ._table import CLASSIFICATION, REGRESSION

OURS, THEIRS = "sklearn_bayeslazy", "scikit-learn"


@dataclass(frozen=True)
class Learner:
    """A learner by name.

    Attributes
    ----------
    name : str
    task : {"classification", "regression"}
    package : {"sklearn_bayeslazy", "scikit-learn"}
    build : callable
        ``build(table)`` returns an unfitted estimator for the table's columns. Ours
        are imported there, when they are wanted.
    chosen : callable
        ``chosen(estimator)`` returns in words the parameters that a fit settled on.
    """

    name: str
    task: str
    package: str
    build: Callable
    chosen: Callable = lambda estimator: ""


def suited(task):
    """Return the learners for a task."""
    return [learner for learner in LEARNERS if learner.task == task]


def _m_estimate_nb(**parameters):
    def build(table):
        from sklearn_bayeslazy import MEstimateNB

        return MEstimateNB(**parameters)

    return build


def _m_and_distributions(estimator):
    how = " (loo)" if isinstance(estimator.m, str) and estimator.m == "loo" else ""
    columns = Counter(map(str, estimator.distributions_)).most_common()
    kinds = ", ".join(f"{count} {name}" for name, count in columns)
    return f"m={_number(estimator.m_)}{how}; {kinds}"


def _last_step(*names):
    def chosen(pipeline):
        parameters = pipeline[-1].get_params()
        return ", ".join(f"{name}={parameters[name]}" for name in names)

    return chosen


def _number(value):
    values = np.unique(value)
    low, high = values[0], values[-1]
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


LEARNERS = [
    Learner(
        "MEstimateNB, m = 1",
        CLASSIFICATION,
        OURS,
        _m_estimate_nb(),
        _m_and_distributions,
    ),
    Learner(
        "MEstimateNB, loo",
        CLASSIFICATION,
        OURS,
        _m_estimate_nb(m="loo", distribution="loo"),
        _m_and_distributions,
    ),
    Learner("GaussianNB", CLASSIFICATION, THEIRS, _yardsticks.gaussian_nb),
    Learner(
        "CategoricalNB",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.categorical_nb,
        _last_step("alpha"),
    ),
    Learner(
        "LogisticRegression",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.logistic_regression,
        _last_step("C"),
    ),
    Learner("DummyClassifier", CLASSIFICATION, THEIRS, _yardsticks.dummy_classifier),
    Learner("Ridge", REGRESSION, THEIRS, _yardsticks.ridge, _last_step("alpha")),
    Learner(
        "KNeighborsRegressor",
        REGRESSION,
        THEIRS,
        _yardsticks.k_neighbors_regressor,
        _last_step("n_neighbors"),
    ),
    Learner("DummyRegressor", REGRESSION, THEIRS, _yardsticks.dummy_regressor),
]
