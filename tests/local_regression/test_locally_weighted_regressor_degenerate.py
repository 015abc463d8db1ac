"""Local regression on degenerate designs: finite, bounded, never worse than the mean."""

import warnings

import numpy as np
import pytest
from local_regression_by_hand import classical, some_rows
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict

from sklearn_bayeslazy import LocallyWeightedRegressor

N_DESIGNS = 1000


def _column(rng, n):
    """Return a column of a random kind."""
    kind = rng.integers(7)
    if kind == 0:
        return np.full(n, rng.normal())
    if kind == 1:
        return rng.integers(0, 2, n).astype(float)
    if kind == 2:
        return rng.integers(0, 4, n).astype(float)
    if kind == 3:
        return np.where(rng.uniform(size=n) < 0.1, 1e6, 0.0) * rng.normal(size=n)
    return rng.normal(size=n)


def _design(rng):
    """Return rows with equal, constant, huge and tiny columns and repeated rows."""
    n, d = int(rng.choice([1, 2, 3, 5, 9, 20, 40])), int(rng.integers(1, 9))
    X = np.column_stack([_column(rng, n) for _ in range(d)])
    if rng.uniform() < 0.3:
        X = np.column_stack([X, X[:, 0], X[:, 0] - 2 * X[:, -1]])
    if rng.uniform() < 0.3:
        X = np.column_stack([X, np.eye(4)[rng.integers(0, 4, n)]])
    if rng.uniform() < 0.3:
        X *= 10.0 ** rng.choice([-150, -100, 0, 100, 150], size=X.shape[1])
    if rng.uniform() < 0.3:
        X = X[rng.integers(0, n, n)]
    y = rng.normal(size=n) * 10.0 ** rng.choice([-150, 0, 0, 0, 150])
    if rng.uniform() < 0.3:
        y = np.sign(y)
    return X, y


def _parameters(rng):
    """Return parameters: the defaults, or classical ones with or without a ridge."""
    if rng.uniform() < 0.3:
        return {}
    k = rng.choice([2, 5, 12, 30])
    return {
        "degree": int(rng.integers(0, 3)),
        "n_neighbors": int(k) if k < 30 else float(rng.uniform(0.2, 2)),
        "kernel": str(rng.choice(["tricube", "uniform", "inverse_square"])),
        "scale": [None, "std", "range"][rng.integers(3)],
        "ridge": float(rng.choice([0.0, 1e-300, 1e-6, 0.1, 1e6])),
    }


def test_degenerate_designs_are_answered_by_finite_numbers():
    rng = np.random.default_rng(0)
    for _ in range(N_DESIGNS):
        X, y = _design(rng)
        model = LocallyWeightedRegressor(**_parameters(rng), algorithm="brute")
        Z = np.vstack([X, X[:3] * 1.5, X[:3] + X.std(axis=0)])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                model.fit(X, y)
                assert np.isfinite(model.predict(Z)).all()
                assert np.isfinite(model.gradient(Z)).all() or np.ptp(y) > 1
        except ValueError as error:
            assert "two rows" in str(error) or "overflow" in str(error)
