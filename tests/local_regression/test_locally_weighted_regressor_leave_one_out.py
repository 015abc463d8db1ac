"""Local regression: leave-one-out errors equal those of refitting."""

import numpy as np
import pytest
from local_regression_by_hand import every_weight, regressor, some_rows


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
            rest[i] -= min(1, rest[i])
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
