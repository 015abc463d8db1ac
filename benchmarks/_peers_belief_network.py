"""pyAgrum's BNClassifier made to take a mixed table with holes."""

import numpy as np
from pandas.api.types import is_numeric_dtype
from sklearn.base import BaseEstimator, ClassifierMixin

# What pyAgrum does unless it is told otherwise: bins, and the number of different
# values from which a column of numbers is cut into them.
N_BINS, N_DISCRETE = 10, 25
HOLE = "(missing)"


class PyAgrumTAN(ClassifierMixin, BaseEstimator):
    """A TAN of pyAgrum, and before it what the table needs.

    A hole is a category of its own, and in numbers the median. A value that training
    has not seen, at which pyAgrum stops, becomes the commonest one. Numbers are cut by
    pyAgrum: by MDLP where there are two classes, since it stops at more, and else into
    ten quantiles.

    Parameters
    ----------
    weight : float, default=None
        Virtual examples in each cell of a table; by default pyAgrum's, .01.
    moved : bool, default=True
        With two classes pyAgrum chooses a threshold on the training rows and moves the
        probabilities so that it becomes one half. False keeps them where they were.
    """

    def __init__(self, weight=None, moved=True):
        self.weight = weight
        self.moved = moved

    def fit(self, X, y):
        """Learn what to fill with, and the network."""
        import pyagrum
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier

        pyagrum.setNumberOfThreads(1)
        self.fillings_ = {name: filling(X[name]) for name in X}
        X = X.fillna(self.fillings_)
        self.seen_ = {name: X[name].unique() for name in X if not is_cut(X[name])}
        self.commonest_ = X.mode().iloc[0]
        self.classes_ = np.unique(y)
        bins = DiscreteTypeProcessor(
            "MDLP" if len(self.classes_) == 2 else "quantile", N_BINS, N_DISCRETE
        )
        model = BNClassifier(
            type_processor=bins,
            learningMethod="TAN",
            prior=None if self.weight is None else "Smoothing",
            priorWeight=self.weight,
        )
        # pyAgrum compares numbers as texts: whole ones must not gain a point.
        self.model_ = model.fit(X.astype(object), y)
        if not self.moved:
            self.model_.threshold_ = 0.5
        return self

    def predict_proba(self, X):
        """Return P(class | row)."""
        X = X.fillna(self.fillings_).astype(object)
        for name, seen in self.seen_.items():
            X[name] = X[name].where(X[name].isin(seen), self.commonest_[name])
        return self.model_.predict_proba(X)


def filling(column):
    """Return what stands in for a hole."""
    return column.median() if is_numeric_dtype(column) else HOLE


def is_cut(column):
    """Tell whether pyAgrum cuts a column into bins."""
    return is_numeric_dtype(column) and column.nunique() > N_DISCRETE


# What ours has in a cell at m=1 where a column has three values.
WEIGHT = 0.3
PEERS = {
    "BNClassifier": PyAgrumTAN,
    "BNClassifier, helped": lambda: PyAgrumTAN(WEIGHT, moved=False),
}
