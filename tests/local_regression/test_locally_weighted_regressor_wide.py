"""Local regression on many columns: lines by the dual form, refusals, memory.

Code under test: `local_regression/_fits/_wide_fits.py`.
"""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression._fits import _wide_fits
from sklearn_bayeslazy.local_regression._smoothing_kernels import KERNELS
from tests.helpers.local_regression_by_hand import SMOOTHERS, by_formula


def one_hot_table(n_rows, n_symbols):
    """Return indicators of a random symbol, a number, and targets that use both."""
    rng = np.random.default_rng(0)
    symbol = rng.integers(n_symbols, size=n_rows)
    X = np.zeros((n_rows, n_symbols + 1))
    X[np.arange(n_rows), symbol] = 1.0
    X[:, -1] = rng.normal(size=n_rows)
    return X, symbol % 2 + X[:, -1]


def wide_table(n_rows, n_columns, n_useful=10):
    """Return normal columns, a target that sums some of them, and new rows."""
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(2 * n_rows, n_columns))
    y = X[:, :n_useful].sum(axis=1) + 0.3 * rng.normal(size=len(X))
    return (X[:n_rows], y[:n_rows]), (X[n_rows:], y[n_rows:])


def line(n_neighbors, ridge=0.1, **params):
    """Return a regression by local lines with a ridge, on columns as they are."""
    params = {"scale": None, "ridge": ridge, **params}
    return LocallyWeightedRegressor(1, n_neighbors=n_neighbors, **params)


# Windows of fewer rows than columns are solved for their rows, others for the columns.
@pytest.mark.parametrize("n_neighbors", [20, 140, 190])
@pytest.mark.parametrize("kernel", sorted(SMOOTHERS))
@pytest.mark.parametrize("weighted", [False, True])
def test_lines_in_many_columns_equal_the_formula(kernel, n_neighbors, weighted):
    (X, y), (queries, _) = wide_table(200, 150)
    queries = np.concatenate([X[:2], queries[:3]])
    weight = np.random.default_rng(0).uniform(0.2, 3, size=200) if weighted else None
    bandwidth = 12.0 if kernel == "gaussian" else None
    model = line(n_neighbors, kernel=kernel, statistics=None, bandwidth=bandwidth)
    model.fit(X, y, weight)
    rule = {"k": n_neighbors, "bandwidth": bandwidth, "ridge": 0.1}
    if kernel == "gaussian":  # all rows have weight
        rule["k"] = None
        model.set_params(n_neighbors=None).fit(X, y, weight)
    expected = [by_formula(X, y, weight, q, 1, kernel, **rule) for q in queries]
    assert_allclose(model.predict(queries), expected, rtol=1e-9)


@pytest.mark.parametrize("n_neighbors", [8, 40, 2.0])
@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_all_results_equal_those_of_the_compiled_kernel(
    monkeypatch, kernel, n_neighbors
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    X[::7] = np.round(X[::7])
    Y = np.column_stack([X.sum(axis=1) + rng.normal(size=60), rng.normal(size=60)])
    weight = rng.integers(0, 3, size=60).astype(float)
    queries = np.concatenate([X[:5], 6 * rng.normal(size=(9, 12))])  # some far away
    if kernel == "inverse_square":  # its slopes at a training row are lost digits
        queries = queries[5:]

    def answers(model):
        fitted = model.fit(X, Y, weight)
        return (
            *fitted.predict(queries, return_std=True),
            fitted.gradient(queries),
            fitted.explain(queries).terms[0],
            fitted.predict(None)[:7],
            fitted.effective_dof_,
            fitted.residual_dof_,
        )

    for ridge in (1e-3, 1.0):
        model = line(n_neighbors, ridge, kernel=kernel)
        by_kernel = answers(model)
        with monkeypatch.context() as patch:
            patch.setattr(_wide_fits, "MIN_TERMS", 1)
            by_blas = answers(model)
        for first, second in zip(by_kernel, by_blas):
            assert_allclose(first, second, rtol=1e-7, atol=1e-9)


def test_a_query_has_the_same_answer_in_any_batch_and_for_any_number_of_threads():
    (X, y), (queries, _) = wide_table(200, 130)
    together = line(60).fit(X, y).predict(queries, return_std=True)
    on_threads = line(60, n_jobs=2).fit(X, y)
    for some in (slice(0, 1), slice(17, 40)):
        for values, part in zip(together, on_threads.predict(queries[some], True)):
            assert_array_equal(values[some], part)


def test_left_out_rows_are_those_of_refits():
    (X, y), _ = wide_table(150, 125)
    model = line(2.0, ridge=0.01, statistics=None)
    left_out = model.fit(X, y).predict(None)
    for i in (0, 71):
        others = np.arange(150) != i
        refit = line(2.0, ridge=0.01, statistics=None).fit(X[others], y[others])
        assert_allclose(left_out[i], refit.predict(X[i : i + 1]), rtol=1e-9)


@pytest.mark.parametrize("shape", [(120, 300), (200, 140)])
def test_defaults_are_no_worse_than_ridge_regression(shape):
    train, new = wide_table(*shape)
    best = max(Ridge(ridge).fit(*train).score(*new) for ridge in np.logspace(-2, 4, 13))
    assert best > 0.2
    assert LocallyWeightedRegressor().fit(*train).score(*new) > best - 0.05


def test_rows_that_are_equal_or_all_the_same_have_an_answer():
    (X, y), (queries, _) = wide_table(100, 130)
    model = line(5, ridge=1e-3).fit(np.repeat(X[:20], 5, axis=0), y)
    assert_allclose(model.predict(X[:1]), y[:5].mean())  # of rows at distance 0
    constant = line(30).fit(np.ones((100, 130)), y)
    assert_allclose(constant.predict(queries[:2]), [y.mean()] * 2)


@pytest.mark.parametrize("ridge", [0.0, 1e-300])
def test_without_a_ridge_the_solution_is_that_of_least_norm(ridge):
    (X, y), (queries, _) = wide_table(100, 130)
    found = line(30, ridge=ridge, statistics=None).fit(X, y).predict(queries[:2])
    expected = [by_formula(X, y, None, q, 1, "tricube", k=30) for q in queries[:2]]
    assert_allclose(found, expected, rtol=1e-6)


def test_polynomials_of_very_many_terms_are_refused_early():
    X, y = one_hot_table(400, 2000)
    model = LocallyWeightedRegressor(2, n_neighbors="loo", ridge="loo")
    with pytest.raises(ValueError, match=r"terms.*Set degree='loo'"):
        model.fit(X, y)


def test_the_refusal_names_what_helps():
    X, y = one_hot_table(300, 500)
    model = LocallyWeightedRegressor(
        1, n_neighbors="loo", ridge=0.0, scale=None, statistics=None
    )
    wide = model.set_params(loo_candidates={"n_neighbors": [30] * 200})
    with pytest.raises(ValueError, match=r"60000 systems.*loo_max_samples"):
        wide.fit(X, y)
    few = model.set_params(loo_candidates={"n_neighbors": [9, 30]}, loo_max_samples=5)
    assert few.fit(X, y).n_neighbors_ in (9, 30)


def test_many_columns_take_little_memory():
    X, y = one_hot_table(150, 400)
    tracemalloc.start()
    model = LocallyWeightedRegressor().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * X.nbytes
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.8
