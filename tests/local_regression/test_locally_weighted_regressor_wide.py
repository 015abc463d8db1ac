"""Local regression on many columns: an early refusal, or an answer in little memory."""

import tracemalloc

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor


def one_hot_table(n_rows, n_symbols):
    """Return indicators of a random symbol, a number, and targets that use both."""
    rng = np.random.default_rng(0)
    symbol = rng.integers(n_symbols, size=n_rows)
    X = np.zeros((n_rows, n_symbols + 1))
    X[np.arange(n_rows), symbol] = 1.0
    X[:, -1] = rng.normal(size=n_rows)
    return X, symbol % 2 + X[:, -1]


@pytest.mark.parametrize("degree", [1, 2])
def test_polynomials_of_very_many_terms_are_refused_early(degree):
    X, y = one_hot_table(400, 2000)
    model = LocallyWeightedRegressor(degree, n_neighbors="loo", ridge="loo")
    with pytest.raises(ValueError, match=r"terms.*Set degree='loo'"):
        model.fit(X, y)


def test_the_refusal_names_what_helps():
    X, y = one_hot_table(300, 500)
    model = LocallyWeightedRegressor(
        1, n_neighbors=30, ridge="loo", scale=None, statistics=None
    )
    wide = model.set_params(loo_candidates={"ridge": [0.1] * 200})
    with pytest.raises(ValueError, match=r"60000 systems.*loo_max_samples"):
        wide.fit(X, y)
    few = model.set_params(loo_candidates={"ridge": [0.1, 1.0]}, loo_max_samples=5)
    assert few.fit(X, y).ridge_ in (0.1, 1.0)


def test_many_columns_take_little_memory():
    X, y = one_hot_table(300, 800)
    tracemalloc.start()
    model = LocallyWeightedRegressor().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.degree_ == 0  # a line has 802 terms
    assert peak < 40 * X.nbytes
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.8
