"""A hash family of your own: each bit compares one random column with its median."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from sklearn_bayeslazy import LSHNeighbors


class MedianBits(TransformerMixin, BaseEstimator):
    """Bits of columns that are drawn with probabilities in proportion to variances."""

    def __init__(self, n_bits=8, random_state=None):
        self.n_bits = n_bits
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the columns, and keep their medians."""
        rng = check_random_state(self.random_state)
        variances = X.var(axis=0, dtype=np.float64)
        self.columns_ = rng.choice(
            X.shape[1], self.n_bits, replace=False, p=variances / variances.sum()
        )
        self.medians_ = np.median(X[:, self.columns_], axis=0)
        return self

    def transform(self, X):
        """Return an array of 0 and 1 of shape (n_rows, n_bits)."""
        return (X[:, self.columns_] > self.medians_).astype(np.uint8)


X = load_digits().data
engine = LSHNeighbors(
    n_neighbors=10, recall=0.9, hash_family=MedianBits(), n_tables=2, random_state=0
)
engine.fit(X[:1500])
report = engine.recall_report(X[1500:])  # compares with the true neighbours
print(f"recall {report.recall:.2f}, rows read {engine.n_read_} of 1500")
