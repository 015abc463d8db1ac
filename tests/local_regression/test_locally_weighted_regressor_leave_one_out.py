"""Local regression: leave-one-out errors equal those of refitting.

Code under test: `local_regression/_fits/_left_out_fits.py`,
`local_regression/_fits/_parameter_choice.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor
from tests.helpers.local_regression_by_hand import every_weight, regressor, some_rows


@every_weight
@pytest.mark.parametrize(
    ("params", "candidates"),
    [
        ({"n_neighbors": "loo"}, {"n_neighbors": [3, 5, 0.3, 1.4, 29]}),
        ({"n_neighbors": None, "bandwidth": "loo"}, {"bandwidth": [0.3, 1.0, 3.0]}),
        ({"n_neighbors": 6, "bandwidth": "loo"}, {"bandwidth": [0.5, 3.0]}),
        ({"degree": "loo", "n_neighbors": "loo"}, {"n_neighbors": [7, 0.5]}),
        ({"degree": 2, "ridge": "loo", "kernel": "gaussian"}, {}),
    ],
    ids=["k", "bandwidth", "both", "degree", "ridge"],
)
def test_leave_one_out_errors_equal_those_of_refitting(params, candidates, weight):
    X, y, weight = some_rows(n=30, weight=weight)
    model = regressor(**params, loo_candidates=candidates or None).fit(X, y, weight)
    weight = np.ones(30) if weight is None else weight
    results = model.loo_results_
    expected = []
    for candidate in results["params"]:
        squares = 0.0
        for i in np.flatnonzero(weight):
            rest = weight.copy()
            rest[i] = 0.0
            refit = regressor(**{**params, **candidate}).fit(X, y, rest)
            squares += weight[i] * (refit.predict(X[[i]])[0] - y[i]) ** 2
        expected.append(squares / weight.sum())
    np.testing.assert_allclose(results["mean_squared_error"], expected, rtol=1e-9)
    best = results["params"][int(np.argmin(expected))]
    assert {name: getattr(model, f"{name}_") for name in best} == best


def test_leave_one_out_takes_a_sample_of_many_rows():
    X, y, _ = some_rows()
    one, same, other = (
        regressor(n_neighbors="loo", loo_max_samples=30, random_state=seed).fit(X, y)
        for seed in (0, 0, 1)
    )
    first = one.loo_results_["mean_squared_error"]
    np.testing.assert_array_equal(same.loo_results_["mean_squared_error"], first)
    assert not np.array_equal(other.loo_results_["mean_squared_error"], first)


def test_a_candidate_whose_weights_underflow_is_not_chosen():
    X, y, _ = some_rows()
    X[0] = 40.0  # far from all others
    params = {"n_neighbors": None, "bandwidth": "loo", "kernel": "gaussian"}
    model = regressor(**params, loo_candidates={"bandwidth": [0.3, 20.0]}).fit(X, y)
    assert model.bandwidth_ == 20
    assert model.loo_results_["mean_squared_error"][0] == np.inf
    with pytest.raises(ValueError, match="Under every candidate all weights underflow"):
        regressor(**params, loo_candidates={"bandwidth": [0.2, 0.3]}).fit(X, y)


def refit_error(model, X, y, weight, candidate):
    """Return the leave-one-out error of a candidate with the scales of a model."""
    squares = 0.0
    given = {"scale": model.scale_, "statistics": None, **candidate}
    for i in range(len(X)):
        rest = weight.copy()
        rest[i] = 0.0
        refit = LocallyWeightedRegressor(**given).fit(X, y, rest)
        squares += weight[i] * (refit.predict(X[[i]])[0] - y[i]) ** 2
    return squares / weight.sum()


@pytest.mark.parametrize("weight", ["none", "integers"])
def test_the_defaults_choose_by_the_errors_of_refitting(weight):
    X, y, weight = some_rows(n=40, d=3, weight=weight)
    weight = np.ones(40) if weight is None else np.maximum(weight, 1)
    model = LocallyWeightedRegressor().fit(X, y, weight)
    results = model.loo_results_
    errors = results["mean_squared_error"]
    for i in range(0, len(errors), 3):
        expected = refit_error(model, X, y, weight, results["params"][i])
        assert errors[i] == pytest.approx(expected, rel=1e-7)
    best = results["params"][int(np.argmin(errors))]
    assert {name: getattr(model, f"{name}_") for name in best} == best
    assert set(best) == {"degree", "n_neighbors", "ridge"}


def test_integer_weights_equal_repetition_for_what_the_defaults_choose():
    X, y, weight = some_rows(n=50, d=3, weight="integers")  # 100 copies: all left out
    weighted = LocallyWeightedRegressor().fit(X, y, weight)
    rows = np.repeat(np.arange(50), weight.astype(int))
    repeated = LocallyWeightedRegressor().fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-6)
    for name in ("degree_", "n_neighbors_", "ridge_"):
        assert getattr(weighted, name) == getattr(repeated, name)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6)


def test_the_defaults_choose_the_same_for_any_number_of_threads():
    X, y, _ = some_rows(n=700, d=4)
    one, two = (LocallyWeightedRegressor(n_jobs=j).fit(X, y) for j in (1, 2))
    np.testing.assert_array_equal(one.scale_, two.scale_)
    for name in ("mean_squared_error", "rank"):
        np.testing.assert_array_equal(one.loo_results_[name], two.loo_results_[name])
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_quadratic_polynomials_have_fewer_terms_than_their_window_has_rows():
    X, y, _ = some_rows(n=300, d=9)  # 55 terms
    model = LocallyWeightedRegressor(scale="std").fit(X, y)
    candidates = model.loo_results_["params"]
    assert any(candidate["degree"] == 2 for candidate in candidates)
    assert all(c["n_neighbors"] > 55 for c in candidates if c["degree"] == 2)
    wide = some_rows(n=300, d=15)[0]  # 136 terms
    model = LocallyWeightedRegressor(scale="std").fit(wide, y)
    assert all(c["degree"] < 2 for c in model.loo_results_["params"])


def test_scales_are_standard_deviations_over_gradient_weights():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 5)) * [1, 10, 1, 1, 1]
    y = np.sin(5 * X[:, 0]) + X[:, 1] / 10 + rng.normal(scale=0.1, size=400)
    model = LocallyWeightedRegressor().fit(X, y)
    weights = X.std(axis=0, ddof=1) / model.scale_
    assert weights[0] == weights.max()
    assert np.all(weights[2:] < weights[1])
    std = LocallyWeightedRegressor(scale="std").fit(X, y)
    best, plain = (m.loo_results_["mean_squared_error"].min() for m in (model, std))
    assert best < 0.7 * plain
    # A column whose gradient weight is alone is not scaled beyond its deviation.
    single = LocallyWeightedRegressor().fit(X[:, :1], y)
    np.testing.assert_allclose(single.scale_, X[:, :1].std(ddof=1), rtol=1e-12)


def test_robust_iterations_name_the_parameters_to_give():
    X, y, _ = some_rows()
    message = "Give the parameters, for example degree=1, n_neighbors=30, scale='std'"
    with pytest.raises(ValueError, match=message):
        LocallyWeightedRegressor(robust_iterations=2).fit(X, y)
    given = {"degree": 1, "n_neighbors": 30, "scale": "std", "ridge": 0}
    LocallyWeightedRegressor(robust_iterations=2, **given).fit(X, y)


@pytest.mark.parametrize("factor", [1 / 2, 1 / 40, 1e-9])
@pytest.mark.parametrize("params", [{}, {"ridge": 0.0}])
def test_small_weights_choose_as_large_ones(params, factor):
    X, y, weight = some_rows(n=40, weight="integers")
    weight = np.where(weight > 1, 2.0, 1.0)
    whole, small = (
        LocallyWeightedRegressor(**params).fit(X, y, weight * by)
        for by in (1 / np.median(weight), factor)
    )
    assert small.n_neighbors_ == whole.n_neighbors_
    np.testing.assert_allclose(small.predict(X), whole.predict(X), rtol=1e-9)
