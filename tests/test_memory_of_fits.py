"""Fits take at most a few times the memory of the rows, whatever their number.

A fit keeps what it learns, and makes temporaries in chunks of the working memory. The
limits hold for more rows as well; here the rows are few so that the tests are fast.
"""

import numpy as np
import pytest
import sklearn
from scipy import sparse

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    LocallyWeightedRegressor,
    LSHNeighbors,
    MEstimateNB,
    MyAdaBoost,
    MyAdaBoostRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    ShepardKNN,
    ShepardKNNRegressor,
    TextNB,
)
from sklearn_bayeslazy.local_regression._fits import _windows
from sklearn_bayeslazy.search._mixed_rows import _embedding
from sklearn_bayeslazy.text._words import _offset_search
from tests.helpers.memory import peak

N_ROWS, N_COLUMNS = 100_000, 20
# A fit of these rows compiles every kernel: columns of fewer than 4096 are sorted, not
# counted in buckets, to be binned.
SOME = slice(5000)
# What is chosen by leave-one-out is chosen on few rows.
FEW = {"loo_max_samples": 200}
LOCAL = {"degree": 1, "n_neighbors": None, "bandwidth": 1.0, "scale": "std"}
LOCAL |= {"ridge": 0.0, "statistics": None}
MODELS = [
    (MEstimateNB(feature_weights=None, **FEW), 2),
    (MEstimateNB(m=1, distribution="gaussian", feature_weights=None), 2),
    (AODEClassifier(1.0, n_bins=5, binning="quantile", weights=None), 2),
    # The rows are coded by the bins of all rows, and by those of three quarters.
    (BeliefNetworkClassifier(binning="quantile", **FEW), 2.5),
    (LSHNeighbors(), 2),
    (MyAdaBoost(n_estimators=3), 2),
    # Few rows would have a bin for each distinct value, by other kernels.
    (MyAdaBoost(max_depth=1, max_bins=255, n_estimators=3), 2),
    (MyAdaBoostRegressor(3), 2),
    (LocallyWeightedRegressor(**LOCAL), 2),
    # The normal scores of all numbers, and the rows that the search orders by them.
    (LocallyWeightedRegressor(), 3),
    (ShepardKNN(5, metric="manhattan", **FEW), 2),
    (ShepardKNN(**FEW), 2),
    (ShepardKNNRegressor(**FEW), 2),
    # Sums of squares take 65 536 rows at a time, which is much of so few rows.
    (RBFNetworkRegressor(5, overlap=2.0, ridge=0.1), 2.2),
    (RBFNetworkClassifier(5, **FEW), 2.2),
]


def rows(seed=0):
    """Return rows, and classes that depend on some columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)


@pytest.mark.parametrize(("model", "limit"), MODELS, ids=lambda x: str(x)[:40])
def test_the_fit_of_a_table(model, limit, monkeypatch):
    for module in (_embedding, _windows):  # as if X were large
        monkeypatch.setattr(module, "MAX_CELLS_TO_KEEP", 2**18)
    X, y = rows()
    with sklearn.config_context(working_memory=4):
        used = peak(lambda: model.fit(X, y), lambda: model.fit(X[SOME], y[SOME]))
    assert used < limit * X.nbytes


@pytest.mark.parametrize(("weights", "times"), [(None, 2), ("auto", 6)])
def test_the_fit_of_sparse_rows(weights, times, monkeypatch):
    # Later steps of the search for offsets of words need what the first ones need.
    monkeypatch.setattr(_offset_search, "_MAX_STEPS", 3)
    rng = np.random.default_rng(0)
    n_rows = N_ROWS // 2
    n_cells = 13 * n_rows  # half as many bytes as the table
    X = sparse.csr_array(
        (
            rng.integers(1, 4, size=n_cells).astype(float),
            np.sort(rng.integers(2000, size=(n_rows, 13)).astype(np.int32)).ravel(),
            np.arange(0, n_cells + 1, 13, dtype=np.int32),
        ),
        shape=(n_rows, 2000),
    )
    X.sum_duplicates()
    y, model = np.arange(n_rows) % 2, TextNB(**FEW, feature_weights=weights)
    with sklearn.config_context(working_memory=4):
        used = peak(lambda: model.fit(X, y), lambda: model.fit(X[SOME], y[SOME]))
    assert used < times * (12 * X.nnz)
