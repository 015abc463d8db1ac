"""Windows that the kernel leaves to LAPACK have the fits that the kernel would have.

Code under test: `local_regression/_fits/_ill_conditioned.py`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression._fits import _local_fits
from sklearn_bayeslazy.local_regression._fits._fit_kernels import (
    FITTED,
    LEFT_TO_LAPACK,
    fit_windows,
)
from sklearn_bayeslazy.local_regression._fits._ill_conditioned import (
    _singular_values,
    solve_ill_conditioned,
)
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


def _leave_to_lapack(*arguments):
    """Do as `fit_windows` does, but leave all windows with weight to LAPACK."""
    *_, fits, outcomes = arguments
    fit_windows(*arguments)
    fits.hat_rows[:] = 0
    outcomes[outcomes == FITTED] = LEFT_TO_LAPACK


@pytest.fixture
def fit_both(monkeypatch):
    """Return a function that returns answers by the kernel and by LAPACK."""

    def fit(model, queries, *arguments, answers=_answers, **weights):
        by_kernel = answers(model.fit(*arguments, **weights), queries)
        with monkeypatch.context() as patch:
            patch.setattr(_local_fits, "fit_windows", _leave_to_lapack)
            by_lapack = answers(model.fit(*arguments, **weights), queries)
        return zip(by_kernel, by_lapack)

    return fit


_CASES = [
    *[("plain", 2, kernel) for kernel in KERNELS],
    *[("weighted", 2, kernel) for kernel in KERNELS],
    ("plain", 1, "tricube"),
    ("weighted", 1, "gaussian"),
    ("robust", 2, "tricube"),
]


@pytest.mark.parametrize(("variant", "n_columns", "kernel"), _CASES)
def test_kernel_and_lapack_agree(fit_both, variant, n_columns, kernel):
    X, Y, queries = _table(n_columns)
    if kernel == "inverse_square":
        # At a training row the slopes are those of rows whose weight is 2⁻¹⁰⁰ of the
        # total: the kernel solves for them exactly, LAPACK loses their digits.
        queries = queries[5:]
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
            both = fit_both(model, queries, X, Y, sample_weight=sample_weight)
            for first, second in both:
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
    queries = np.concatenate([X[:9], 1.1 * X[9:20]])
    for first, second in fit_both(
        model,
        queries,
        X,
        Y,
        answers=lambda m, Z: (m.predict(Z), m.gradient(Z) * X.std()),
    ):
        assert_allclose(first, second, rtol=1e-7, atol=1e-9)


def test_statistics_with_a_column_twice(fit_both):
    X, Y, queries = _table(2)
    X[:, 1] = X[:, 0]
    model = LocallyWeightedRegressor(n_neighbors=20, degree=1, ridge=0.0, scale="std")
    for first, second in fit_both(model, queries, X, Y):
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


@pytest.mark.parametrize("shape", [(3, 2, 5), (3, 5, 2)])
def test_a_decomposition_that_does_not_converge_leaves_the_others(monkeypatch, shape):
    matrices = np.random.default_rng(0).normal(size=shape)
    matrices[1] = 0.0
    expected = np.linalg.svd(matrices, full_matrices=False)

    def decompose(a, full_matrices, svd=np.linalg.svd):
        if not a.any(axis=(1, 2)).all():
            raise np.linalg.LinAlgError
        return svd(a, full_matrices=full_matrices)

    monkeypatch.setattr(np.linalg, "svd", decompose)
    for part, whole in zip(_singular_values(matrices), expected):
        assert_allclose(part[[0, 2]], whole[[0, 2]])
        assert part.shape == whole.shape
        assert np.isnan(part[1]).all()
