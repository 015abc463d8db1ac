"""Tables and weak learners with known errors, for the tests of boosting."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


def integer_table(n_rows=300, n_classes=2, seed=0):
    """Return rows of few distinct numbers, and classes that depend on two columns."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, (n_rows, 5)).astype(float)
    score = X[:, 0] + 0.5 * X[:, 1] + rng.normal(scale=5, size=n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.digitize(score, cuts)


class WeightRecorder(ClassifierMixin, BaseEstimator):
    """A stump that records the weights that it is fitted with."""

    def __init__(self, seen=None):
        self.seen = seen

    def __sklearn_clone__(self):
        return WeightRecorder(self.seen)

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen.append(sample_weight)
        self.tree_ = DecisionTreeClassifier(max_depth=1, random_state=0)
        self.tree_.fit(X, y, sample_weight=sample_weight)
        return self

    def predict(self, X):
        return self.tree_.predict(X)


class PlannedErrors(ClassifierMixin, BaseEstimator):
    """Misclassifies three rows, and every row in the fits whose number is in `bad`."""

    def __init__(self, calls=None, bad=(), random_state=None):
        self.calls, self.bad, self.random_state = calls, bad, random_state

    def __sklearn_clone__(self):
        return type(self)(self.calls, self.bad, self.random_state)

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.is_bad_ = len(self.calls) in self.bad
        first = (0, 3, 6, 1, 4, 5, 2)[len(self.calls) % 7]
        self.calls.append(sample_weight)
        self.wrong_ = np.arange(first, first + 3)
        return self

    def predict(self, X):
        row = X[:, 0].astype(int)
        wrong = np.isin(row, self.wrong_) | self.is_bad_
        return np.where(wrong, 1 - X[:, 1], X[:, 1]).astype(int)


class DeterministicErrors(PlannedErrors):
    """The same without random_state, so that it is deterministic."""

    def __init__(self, calls=None, bad=()):
        super().__init__(calls, bad)

    def __sklearn_clone__(self):
        return DeterministicErrors(self.calls, self.bad)


ROWS = np.column_stack([np.arange(10), np.arange(10) % 2]).astype(float)
LABELS = ROWS[:, 1].astype(int)
