"""Explanations of LocallyWeightedRegressor: local lines, parabolas and bounds.

Code under test: `local_regression/_explanation.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor


def test_a_local_line_is_the_local_mean_plus_slopes():
    """Without a ridge, a line of weighted least squares passes through the means."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -2.0] + 5.0  # a plane: every local line is the plane
    model = LocallyWeightedRegressor(degree=1, ridge=0.0, n_neighbors=20).fit(X, y)
    why = model.explain(X[:8])
    assert why.terms.shape == (8, 2, 1)
    far = why.terms[:, :2, 0] / [1.0, -2.0]  # x - x̄, of which ȳ is the plane
    np.testing.assert_allclose(why.base[:, 0], (X[:8] - far) @ [1.0, -2.0] + 5.0)


def test_slopes_in_the_middle_explain_local_parabolas():
    """f(x, z) = x² - 2xz + z has the slopes (2x - 2z, 1 - 2x)."""
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(80, 2)), np.empty((80, 2))
    x, z = X.T
    Y[:, 0], Y[:, 1] = x**2 - 2 * x * z + z, 7 * z
    options = {"ridge": 0.0, "n_neighbors": 30, "scale": None}
    model = LocallyWeightedRegressor(degree=2, **options).fit(X, Y)
    means = LocallyWeightedRegressor(degree=0, **options).fit(X, X).predict(X[:9])
    why = model.explain(X[:9])
    x, z = means.T
    np.testing.assert_allclose(why.base[:, 0], x**2 - 2 * x * z + z, atol=1e-9)
    steps = X[:9] - means
    x, z = ((X[:9] + means) / 2).T
    slopes = np.column_stack([2 * x - 2 * z, 1 - 2 * x])
    np.testing.assert_allclose(why.terms[..., 0], slopes * steps, atol=1e-9)
    np.testing.assert_allclose(why.terms[..., 1], [0.0, 7.0] * steps, atol=1e-9)


def test_bounds_of_extrapolations_are_a_part():
    """The line of weighted least squares, and by how much the prediction leaves it."""
    x = np.linspace(0.0, 1.0, 30)
    y = 5 * x + 0.2 * (-1.0) ** np.arange(30)
    model = LocallyWeightedRegressor(degree=1, n_neighbors=30, ridge=1e-12, scale=None)
    model.fit(x[:, None], y)
    why = model.explain([[0.5], [4.0]])
    roots = np.sqrt((1 - ((4.0 - x) / 4.0) ** 3) ** 3)  # tricube; 4 to the last row
    line = np.polyval(np.polyfit(x, y, 1, w=roots), 4.0)
    assert why.base[1, 0] + why.terms[1, 0, 0] == pytest.approx(line, rel=1e-6)
    prediction = model.predict([[4.0]])[0]
    assert prediction < line - 0.1
    assert why.terms[1, 1, 0] == pytest.approx(prediction - line, rel=1e-5)
    assert why.terms[0, 1, 0] == 0.0
    first, second = repr(why).split("row 1")
    assert "(bound)" not in first
    assert "(bound)" in second
