"""Small tables are fitted by NumPy: the same fits as those of the compiled loops.

Code under test: `local_regression/_fits/_batched_fits.py`.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression._fits import _windows
from sklearn_bayeslazy.local_regression._fits._batched_fits import solve_ill_conditioned
from sklearn_bayeslazy.local_regression._smoothing_kernels import KERNELS

# Each with at least as many rows as a quadratic polynomial of two columns needs.
_WINDOWS = [
    {"n_neighbors": 20},
    {"n_neighbors": 0.4},
    {"n_neighbors": 2.0},
    {"bandwidth": 2.0},
    {"n_neighbors": 18, "bandwidth": 0.8},
]
_POLYNOMIALS = [(0, 0.0), (1, 0.0), (1, 0.01), (2, 0.5)]


def _table(n_columns):
    """Return rows with ties, two targets, and queries: some rows, some far away."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, n_columns))
    X[::7] = np.round(X[::7])
    Y = np.column_stack([X.sum(axis=1) + rng.normal(size=60), rng.normal(size=60)])
    return X, Y, np.concatenate([X[:5], 2 * rng.normal(size=(9, n_columns))])


def _answers(model, queries):
    """Return all results of a fit for queries."""
    return (
        *model.predict(queries, return_std=True),
        model.gradient(queries),
        model.effective_dof_,
        model.residual_scale_,
    )


@pytest.fixture
def fit_both(monkeypatch):
    """Return a function that fits by NumPy and by the compiled loops."""

    def fit(model, *arguments, **weights):
        by_loops = LocallyWeightedRegressor(**model.get_params())
        with monkeypatch.context() as patch:
            patch.setattr(_windows, "MAX_ROWS", 0)
            by_loops.fit(*arguments, **weights)
        return model.fit(*arguments, **weights), by_loops

    return fit


_CASES = [
    *[("plain", 2, kernel) for kernel in KERNELS],
    *[("weighted", 2, kernel) for kernel in KERNELS],
    ("plain", 1, "tricube"),
    ("weighted", 1, "gaussian"),
    ("robust", 2, "tricube"),
]


@pytest.mark.parametrize(("variant", "n_columns", "kernel"), _CASES)
def test_numpy_and_loops_agree(fit_both, variant, n_columns, kernel):
    X, Y, queries = _table(n_columns)
    weights = np.random.default_rng(1).integers(3, size=len(X)).astype(float)
    for window in _WINDOWS:
        for degree, ridge in _POLYNOMIALS:
            model = LocallyWeightedRegressor(
                **{"n_neighbors": None, **window},
                degree=degree,
                ridge=ridge,
                kernel=kernel,
                scale="std",
                robust_iterations=2 * (variant == "robust"),
            )
            sample_weight = weights if variant == "weighted" else None
            fitted = fit_both(model, X, Y, sample_weight=sample_weight)
            for first, second in zip(*(_answers(m, queries) for m in fitted)):
                assert_allclose(first, second, rtol=1e-7, atol=1e-9)


def test_defaults_choose_the_same_parameters(fit_both):
    X, Y, queries = _table(3)
    by_numpy, by_loops = fit_both(LocallyWeightedRegressor(), X, Y[:, 0])
    assert by_numpy.loo_results_["params"] == by_loops.loo_results_["params"]
    for first, second in zip(*(_answers(m, queries) for m in (by_numpy, by_loops))):
        assert_allclose(first, second, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kernel", ["tricube", "uniform"])
def test_a_query_has_the_same_prediction_in_any_batch(kernel):
    X, Y, queries = _table(3)
    queries = np.concatenate([queries, X])  # windows of different numbers of rows
    model = LocallyWeightedRegressor(
        kernel=kernel, bandwidth=1.0, n_neighbors=None, degree=1, ridge=0.1
    ).fit(X, Y)
    together = model.predict(queries, return_std=True)
    alone = [model.predict(query[None], return_std=True) for query in queries]
    for values, parts in zip(together, zip(*alone)):
        assert_array_equal(values, np.concatenate(parts))


_DEPENDENT = {
    "a column twice": lambda X: np.column_stack([X, X[:, 0]]),
    "a sum": lambda X: np.column_stack([X, X.sum(axis=1)]),
    "a constant": lambda X: np.column_stack([X, np.ones(len(X))]),
    "one column for each category": lambda X: np.eye(4)[np.arange(len(X)) % 4],
    "huge": lambda X: 1e150 * np.column_stack([X, X[:, 0]]),
    "tiny": lambda X: 1e-150 * np.column_stack([X, X[:, 0]]),
    "more columns than rows": lambda X: np.random.default_rng(3).normal(size=(60, 30)),
}


@pytest.mark.parametrize("parameters", [(1, 20), (2, 20), (2, 2.0), (1, 1)], ids=str)
@pytest.mark.parametrize("table", _DEPENDENT)
def test_dependent_columns(fit_both, table, parameters):
    X, Y, _ = _table(2)
    X = _DEPENDENT[table](X)
    degree, k = parameters
    model = LocallyWeightedRegressor(degree, n_neighbors=k, ridge=0.0, scale="std")
    fitted = fit_both(model, X, Y)
    queries = np.concatenate([X[:9], 1.1 * X[9:20]])
    first, second = (m.predict(queries) for m in fitted)
    assert_allclose(first, second, rtol=1e-7, atol=1e-9)
    slopes, expected = (m.gradient(queries) * X.std() for m in fitted)
    assert_allclose(slopes, expected, rtol=1e-7, atol=1e-9)


def test_statistics_with_a_column_twice(fit_both):
    X, Y, queries = _table(2)
    X[:, 1] = X[:, 0]
    model = LocallyWeightedRegressor(n_neighbors=20, degree=1, ridge=0.0, scale="std")
    for first, second in zip(*(_answers(m, queries) for m in fit_both(model, X, Y))):
        assert_allclose(first, second, rtol=1e-7, atol=1e-9)


def test_solutions_of_dependent_columns_are_those_of_the_pseudoinverse():
    rng = np.random.default_rng(0)
    terms = rng.normal(size=(9, 5))
    terms[:, 0], terms[:, 3] = 1.0, terms[:, 1] - terms[:, 2]
    targets, ridge = rng.normal(size=(9, 2)), 0.3
    for share in (0.0, ridge):
        solution = solve_ill_conditioned(terms.T[None], targets[None], share)[0]
        penalty = np.sqrt(share) * np.eye(5)[1:]
        table = np.concatenate([terms, penalty])
        # Of least norm are the slopes along columns of length 1, not the constant.
        unit = table[:, 1:] / np.linalg.norm(table[:, 1:], axis=0)
        means = unit[:9].mean(axis=0)
        centered = unit - np.outer(np.arange(len(unit)) < 9, means)
        right = np.concatenate([targets - targets.mean(axis=0), np.zeros((4, 2))])
        slopes = np.linalg.pinv(centered) @ right
        constants = targets.mean(axis=0) - means @ slopes
        predictions = constants + unit[:9] @ slopes
        assert_allclose(terms @ solution[:, :2], predictions, atol=1e-12)
        lengths = np.linalg.norm(table[:, 1:], axis=0)[:, None]
        assert_allclose(solution[1:, :2] * lengths, slopes, atol=1e-12)
        # The row of the hat matrix, times the targets, is the prediction at 0.
        assert_allclose(terms @ solution[:, 2] @ targets, constants, atol=1e-12)


def test_a_first_call_compiles_nothing(tmp_path):
    program = """
import numpy as np
from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy._core._warnings import COMPILATION
X = np.random.default_rng(0).normal(size=(200, 4))
X[:, 3] = X[:, 0]
LocallyWeightedRegressor().fit(X, X[:, 0] ** 2).predict(X, return_std=True)
model = LocallyWeightedRegressor(1, n_neighbors=None, bandwidth=1.0, ridge=0.0)
model.fit([[0], [1], [2], [3]], [0, 1, 2, 4]).predict([[1.5]])
print(COMPILATION.seconds)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert float(run.stdout) == 0
