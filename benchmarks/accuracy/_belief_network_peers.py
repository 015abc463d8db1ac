"""pyAgrum's BNClassifier with the preprocessing that mixed, incomplete tables need."""

import numpy as np
from pandas.api.types import is_numeric_dtype
from sklearn.base import BaseEstimator, ClassifierMixin

# pyAgrum's defaults: the number of bins, and the number of distinct values above which
# a numeric column is discretized.
N_BINS, MAX_DISCRETE_VALUES = 10, 25
MISSING = "(missing)"


class PyAgrumTAN(ClassifierMixin, BaseEstimator):
    """pyAgrum's TAN after imputation and discretization.

    A missing value is a separate category, or the median in a numeric column. A
    value unseen in training, at which pyAgrum raises an error, is replaced by the most
    frequent one. pyAgrum discretizes numbers: by MDLP with two classes (its MDLP raises
    an error with more), otherwise into ten quantile bins.

    Parameters
    ----------
    weight : float, default=None
        Virtual examples in each cell of a probability table; by default pyAgrum's .01.
    shift_probabilities : bool, default=True
        With two classes, pyAgrum chooses a threshold on the training rows and shifts
        the probabilities so that the threshold becomes one half. False keeps the
        probabilities of the network.
    """

    def __init__(self, weight=None, shift_probabilities=True):
        self.weight = weight
        self.shift_probabilities = shift_probabilities

    def fit(self, X, y):
        """Learn the imputation and the network."""
        import pyagrum
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier

        pyagrum.setNumberOfThreads(1)
        self.imputed_values_ = {name: imputed_value(X[name]) for name in X}
        X = X.fillna(self.imputed_values_)
        self.known_values_ = {
            name: X[name].unique() for name in X if not is_discretized(X[name])
        }
        self.most_frequent_ = X.mode().iloc[0]
        self.classes_ = np.unique(y)
        method = "MDLP" if len(self.classes_) == 2 else "quantile"
        model = BNClassifier(
            type_processor=DiscreteTypeProcessor(method, N_BINS, MAX_DISCRETE_VALUES),
            learningMethod="TAN",
            prior=None if self.weight is None else "Smoothing",
            priorWeight=self.weight,
        )
        # pyAgrum compares numbers as strings: 1 must not become "1.0".
        self.model_ = model.fit(X.astype(object), y)
        if not self.shift_probabilities:
            self.model_.threshold_ = 0.5
        return self

    def predict_proba(self, X):
        """Return P(class | row)."""
        X = X.fillna(self.imputed_values_).astype(object)
        for name, known in self.known_values_.items():
            X[name] = X[name].where(X[name].isin(known), self.most_frequent_[name])
        return self.model_.predict_proba(X)


def imputed_value(column):
    """Return the value that replaces a missing one."""
    return column.median() if is_numeric_dtype(column) else MISSING


def is_discretized(column):
    """Return whether pyAgrum discretizes a column."""
    return is_numeric_dtype(column) and column.nunique() > MAX_DISCRETE_VALUES


# The virtual examples of our networks in a cell, for m=1 and a column of three values.
WEIGHT = 0.3
PEERS = {
    "BNClassifier": PyAgrumTAN,
    "BNClassifier, adjusted": lambda: PyAgrumTAN(WEIGHT, shift_probabilities=False),
}
