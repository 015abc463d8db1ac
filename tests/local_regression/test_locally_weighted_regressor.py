"""Local regression: against loess and its peers, by formula, refitted, in corners."""

import json
from pathlib import Path

import local_regression_peers as peers
import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression._fits import _windows

STORED = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))
SMOOTHERS = {
    "uniform": lambda u: (u <= 1) * 1.0,
    "epanechnikov": lambda u: np.maximum(1 - u**2, 0),
    "biweight": lambda u: np.maximum(1 - u**2, 0) ** 2,
    "triangular": lambda u: np.maximum(1 - u, 0),
    "tricube": lambda u: np.maximum(1 - u**3, 0) ** 3,
    "gaussian": lambda u: np.exp(-(u**2) / 2),
}
WEIGHTS = {
    "none": lambda rng, n: None,
    "integers": lambda rng, n: rng.integers(0, 4, size=n).astype(float),
    "fractions": lambda rng, n: rng.uniform(0.2, 3, size=n),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS)


def regressor(degree=1, **params):
    return LocallyWeightedRegressor(degree, **{"statistics": None, **params})


def some_rows(seed=0, n=80, d=2, weight="none"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + X[:, -1] ** 2 + rng.normal(scale=0.1, size=n)
    return X, y, WEIGHTS[weight](rng, n)


def polynomial(Z, degree):
    """Return the terms of a polynomial of the columns of Z."""
    d = Z.shape[1]
    columns = [np.ones(len(Z))]
    if degree >= 1:
        columns += list(Z.T)
    if degree == 2:
        columns += [Z[:, i] * Z[:, j] for i in range(d) for j in range(i, d)]
    return np.column_stack(columns)


def by_formula(X, y, weight, query, degree, smoother, k=None, bandwidth=None, ridge=0):
    """Return the answer at a query by NumPy's pseudo-inverse."""
    weight = np.ones(len(X)) if weight is None else weight
    X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
    distance = np.sqrt(((X - query) ** 2).sum(axis=1))
    order = np.argsort(distance, kind="stable")
    mass, h = weight.copy(), bandwidth
    if k is not None:
        k = min(k, np.ceil(weight.sum()))
        before = np.cumsum(weight[order]) - weight[order]
        nearest = np.clip(k - before, 0, weight[order])
        last = distance[order][nearest > 0].max()
        if bandwidth is None or last >= bandwidth:
            mass[order], h = nearest, last
    w = mass * SMOOTHERS[smoother](distance / h)
    T = polynomial((X - query) / h, degree)
    means, mean = w @ T / w.sum(), w @ y / w.sum()
    A = np.sqrt(w)[:, None] * (T - means)[:, 1:]
    b = np.append(np.sqrt(w) * (y - mean), np.zeros(A.shape[1]))
    # The least norm, where there is a choice, is that of slopes along unit columns.
    size = np.sqrt((w[:, None] * T[:, 1:] ** 2).sum(axis=0))
    size[size == 0] = 1
    A = np.vstack([A, np.sqrt(ridge) * np.eye(A.shape[1])]) / size
    slopes = np.linalg.lstsq(A, b, rcond=1e-12)[0] / size
    return mean - means[1:] @ slopes


@pytest.mark.parametrize("name", STORED["loess"])
def test_loess_says_the_same(name):
    d, degree, family, span = name.split()
    X, y, Z = peers.table(int(d))
    model = LocallyWeightedRegressor(
        int(degree),
        n_neighbors=float(span),
        scale="trimmed" if d != "1" else None,  # of one column loess takes no scale
        robust_iterations=peers.FAMILIES[family],
    ).fit(X, y)
    answers, std = model.predict(Z, return_std=True)
    loess = STORED["loess"][name]
    np.testing.assert_allclose(answers, loess["answers"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(std, loess["std"], rtol=1e-9)
    for ours, theirs in [
        (model.equivalent_parameters_, "equivalent_parameters"),
        (model.residual_scale_, "residual_scale"),
        (model.residual_dof_, "residual_dof"),
    ]:
        assert ours == pytest.approx(loess[theirs], rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_kernel_regression_says_the_same(d):
    X, y, Z = peers.table(d)
    stored = STORED["kernel_regression"][str(d)]
    model = regressor(
        n_neighbors=None,
        bandwidth=1.0,
        kernel="gaussian",
        scale=peers.BANDWIDTHS[:d],
    ).fit(X, y)
    np.testing.assert_allclose(model.predict(Z), stored["answers"], rtol=1e-9)
    np.testing.assert_allclose(model.gradient(Z), stored["slopes"], rtol=1e-8)


@pytest.mark.parametrize("fraction", peers.FRACTIONS)
def test_lowess_says_the_same(fraction):
    X, y, _ = peers.table(1)
    ours = regressor(n_neighbors=fraction).fit(X, y).predict(X)
    np.testing.assert_allclose(ours, STORED["lowess"][str(fraction)], rtol=1e-9)


@every_weight
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize(
    "size", [(9, None), (40, None), (1000, None), (None, 1.1), (9, 1.1)], ids=str
)
def test_answers_follow_the_formula(size, smoother, degree, weight):
    X, y, weight = some_rows(weight=weight)
    k, bandwidth = size
    model = regressor(degree, n_neighbors=k, bandwidth=bandwidth, kernel=smoother)
    model.fit(X, y, weight)
    queries = X[:12] * 0.9 + 0.02
    expected = [
        by_formula(X, y, weight, q, degree, smoother, k, bandwidth) for q in queries
    ]
    np.testing.assert_allclose(model.predict(queries), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 2])
def test_ridge_follows_the_formula(degree):
    X, y, _ = some_rows()
    model = regressor(degree, n_neighbors=20, ridge=0.3).fit(X, y)
    expected = [
        by_formula(X, y, None, q, degree, "tricube", 20, ridge=0.3) for q in X + 0.01
    ]
    np.testing.assert_allclose(model.predict(X + 0.01), expected, rtol=1e-10)
    flat = regressor(degree, n_neighbors=20, ridge=1e12).fit(X, y)
    mean = regressor(0, n_neighbors=20).fit(X, y)
    np.testing.assert_allclose(flat.predict(X), mean.predict(X), rtol=1e-6)


def test_degree_0_with_inverse_squares_is_shepards_method():
    from sklearn_bayeslazy import ShepardKNNRegressor

    X, y, _ = some_rows()
    X[3] = X[4]  # two exact hits
    queries = np.vstack([X[:6], X[:6] + 0.01])
    for k in (None, 9):
        ours = regressor(0, n_neighbors=k, kernel="inverse_square").fit(X, y)
        theirs = ShepardKNNRegressor(k).fit(X, y)
        np.testing.assert_allclose(ours.predict(queries), theirs.predict(queries))


def test_a_hit_of_infinite_weight_keeps_its_slope():
    X = np.array([[0.0], [1.0], [2.0]])
    model = regressor(n_neighbors=None, kernel="inverse_square").fit(X, [1.0, 3.0, 5.0])
    assert model.predict([[0.0]])[0] == pytest.approx(1, rel=1e-12)
    assert model.gradient([[0.0]])[0, 0] == pytest.approx(2, rel=1e-9)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("d", [1, 3])
def test_polynomials_are_found_with_their_gradients(d, degree):
    rng = np.random.default_rng(0)
    X, A, b = rng.normal(size=(90, d)), rng.normal(size=(d, d)), rng.normal(size=d)
    A = (A + A.T) * (degree == 2)
    y = 1 + X @ b + np.einsum("ij,jk,ik->i", X, A, X) / 2
    units = 10.0 ** np.arange(d)
    model = regressor(degree, n_neighbors=40, scale="std").fit(X * units, y)
    Z = rng.normal(size=(20, d)) / 2
    expected = 1 + Z @ b + np.einsum("ij,jk,ik->i", Z, A, Z) / 2
    np.testing.assert_allclose(model.predict(Z * units), expected, atol=1e-9)
    np.testing.assert_allclose(model.gradient(Z * units) * units, b + Z @ A, atol=1e-8)


def test_outputs_are_fitted_side_by_side():
    X, y, _ = some_rows()
    Y = np.column_stack([y, 3 - y**2])
    for robust in (0, 2):
        model = LocallyWeightedRegressor(robust_iterations=robust).fit(X, Y)
        answers, std = model.predict(X, return_std=True)
        lower, _ = model.prediction_interval(X)
        slopes = model.gradient(X)
        for v in range(2):
            one = LocallyWeightedRegressor(robust_iterations=robust).fit(X, Y[:, v])
            single, single_std = one.predict(X, return_std=True)
            np.testing.assert_allclose(answers[:, v], single, atol=1e-12)
            np.testing.assert_allclose(std[:, v], single_std, rtol=1e-10)
            np.testing.assert_allclose(slopes[..., v], one.gradient(X), atol=1e-10)
            np.testing.assert_allclose(lower[:, v], one.prediction_interval(X)[0])
            assert model.residual_scale_[v] == pytest.approx(one.residual_scale_)
            assert model.gcv_[v] == pytest.approx(one.gcv_)
            assert model.aicc_[v] == pytest.approx(one.aicc_)


def hat_by_columns(model, X, weight=None):
    """Return the hat matrix, a unit target at a time."""
    columns = [model.fit(X, e, weight).predict(X) for e in np.eye(len(X))]
    return np.transpose(columns)


@pytest.mark.parametrize("size", [(12, None), (None, 0.8), (None, 0.05)], ids=str)
@pytest.mark.parametrize("degree", [0, 1])
def test_statistics_are_those_of_the_hat_matrix(degree, size):
    X, y, _ = some_rows(n=50)
    k, bandwidth = size  # .05: empty windows
    params = {"n_neighbors": k, "bandwidth": bandwidth}
    model = LocallyWeightedRegressor(degree, **params).fit(X, y)
    L = hat_by_columns(regressor(degree, **params), X)
    n, R = len(X), np.eye(50) - L
    delta1, delta2 = np.trace(R @ R.T), np.sum((R @ R.T) ** 2)
    r = R @ y
    assert model.effective_dof_ == pytest.approx(np.trace(L), rel=1e-9)
    assert model.equivalent_parameters_ == pytest.approx(np.sum(L**2), rel=1e-9)
    if bandwidth == 0.05:
        return  # nearly interpolates: nothing is left but rounding
    assert model.residual_dof_ == pytest.approx(delta1**2 / delta2, rel=1e-7)
    assert model.residual_scale_ == pytest.approx(np.sqrt(r @ r / delta1), rel=1e-8)
    trace = np.trace(L)
    assert model.gcv_ == pytest.approx(n * (r @ r) / (n - trace) ** 2, rel=1e-8)
    aicc = np.log(r @ r / n) + 1 + 2 * (trace + 1) / (n - trace - 2)
    assert model.aicc_ == pytest.approx(aicc, rel=1e-8)
    std = model.predict(X, return_std=True)[1]
    expected = model.residual_scale_ * np.sqrt(np.sum(L**2, axis=1))
    np.testing.assert_allclose(std, expected, rtol=1e-8)
    rough = LocallyWeightedRegressor(degree, statistics="approximate", **params)
    assert rough.fit(X, y).residual_dof_ == pytest.approx(delta1, rel=1e-8)


def test_many_rows_are_sampled_for_the_statistics():
    X, y, _ = some_rows(n=600)
    whole = LocallyWeightedRegressor().fit(X, y)
    part = LocallyWeightedRegressor(loo_max_samples=300, random_state=0).fit(X, y)
    assert part.effective_dof_ != whole.effective_dof_
    assert part.effective_dof_ == pytest.approx(whole.effective_dof_, rel=0.1)
    assert part.residual_scale_ == pytest.approx(whole.residual_scale_, rel=0.2)


@pytest.mark.parametrize("robust", [0, 2])
@pytest.mark.parametrize("params", [{"n_neighbors": 11}, {"n_neighbors": 0.3}], ids=str)
def test_integer_weights_equal_repetition(params, robust):
    X, y, weight = some_rows(weight="integers")
    params = {**params, "robust_iterations": robust, "scale": "trimmed"}
    weighted = LocallyWeightedRegressor(**params).fit(X, y, weight)
    rows = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = LocallyWeightedRegressor(**params).fit(X[rows], y[rows])
    for ours, theirs in zip(
        weighted.predict(X, return_std=True), repeated.predict(X, return_std=True)
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-12)
    for name in ("effective_dof_", "residual_scale_", "residual_dof_", "gcv_", "aicc_"):
        assert getattr(weighted, name) == pytest.approx(
            getattr(repeated, name), rel=1e-8
        )


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
def test_leave_one_out_is_refitting(params, candidates, weight):
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


@pytest.mark.parametrize("k", [5, 40, 0.5])
@pytest.mark.parametrize("n", [60, 700])
def test_what_finds_the_rows_does_not_matter(n, k, monkeypatch):
    X, y, _ = some_rows(n=n)
    Z = X[:50] + 0.01
    brute = regressor(n_neighbors=k, algorithm="brute").fit(X, y).predict(Z)
    tree = regressor(n_neighbors=k, algorithm="kd_tree").fit(X, y).predict(Z)
    engine = regressor(n_neighbors=k, algorithm=NearestNeighbors()).fit(X, y).predict(Z)
    np.testing.assert_allclose(tree, brute, atol=1e-12)
    np.testing.assert_allclose(engine, brute, atol=1e-12)
    monkeypatch.setattr(_windows, "_SCAN_ROWS", 0)  # heaps instead of a scan
    heaps = regressor(n_neighbors=k, algorithm="brute").fit(X, y).predict(Z)
    np.testing.assert_allclose(heaps, brute, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [0.2, 1.0, 50.0])
def test_a_tree_finds_the_rows_within_a_bandwidth(bandwidth):
    X, y, _ = some_rows(n=700)
    brute, tree = (
        regressor(n_neighbors=None, bandwidth=bandwidth, algorithm=algorithm)
        .fit(X, y)
        .predict(X)
        for algorithm in ("brute", "kd_tree")
    )
    np.testing.assert_allclose(tree, brute, atol=1e-10)


@pytest.mark.parametrize(
    "params", [{}, {"n_neighbors": 0.5}, {"bandwidth": 0.7}], ids=str
)
def test_a_row_is_answered_alike_in_any_company(params):
    X, y, _ = some_rows(n=300)
    model = LocallyWeightedRegressor(**params).fit(X, y)
    expected = model.predict(X)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(model.predict(X[order]), expected[order])
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict(X), expected)
    alone = [model.predict(X[i : i + 1])[0] for i in range(20)]
    np.testing.assert_array_equal(alone, expected[:20])


@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 0.05},
        {"n_neighbors": 0.2, "degree": 2},
        {"n_neighbors": 0.6},
        {"n_neighbors": 0.1, "bandwidth": 0.4},
        {"n_neighbors": None, "bandwidth": 0.3},
        {"n_neighbors": 0.1, "kernel": "gaussian"},
    ],
    ids=str,
)
def test_no_bit_of_an_answer_depends_on_the_other_rows(params):
    X, y, _ = some_rows(n=3000)
    X = np.vstack([X, X[:50]])  # rows that are equally far, too
    y = np.append(y, y[:50] + 1)
    model = LocallyWeightedRegressor(**params).fit(X, y)
    expected = model.predict(X)
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(model.predict(X[order]), expected[order])
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict(X), expected)
    alone = [model.predict(X[i : i + 1])[0] for i in range(0, 3000, 150)]
    np.testing.assert_array_equal(alone, expected[:3000:150])


def test_equally_far_rows_are_averaged():
    X = [[-1.0], [1.0], [-1.0], [1.0]]
    model = regressor(n_neighbors=4).fit(X, [0.0, 1.0, 2.0, 3.0])  # all weigh nothing
    # The two nearest, by number, take over: a line through (-1, 0) and (1, 1).
    assert model.predict([[0.0]])[0] == pytest.approx(0.5)


def test_an_empty_window_takes_as_many_rows_as_there_are_terms():
    X, y, _ = some_rows()
    far = np.array([[30.0, 40.0]])
    nearest = np.argsort(((X - far) ** 2).sum(axis=1))[:3]
    plane = np.linalg.solve(polynomial(X[nearest] - far, 1), y[nearest])[0]
    model = regressor(n_neighbors=None, bandwidth=0.5).fit(X, y)
    assert model.predict(far)[0] == pytest.approx(plane, rel=1e-6)


def test_weights_that_underflow_are_an_error_that_says_so():
    X, y, _ = some_rows()
    model = regressor(n_neighbors=None, bandwidth=1e-3, kernel="gaussian").fit(X, y)
    with pytest.raises(
        ValueError, match=r"nearest row is 11\.7 away.*bandwidth=0\.001"
    ):
        model.predict([[10.0, 10.0]])


def test_a_candidate_that_leaves_a_row_without_weights_is_not_chosen():
    X, y, _ = some_rows()
    X[0] = 40.0  # far from all others
    params = {"n_neighbors": None, "bandwidth": "loo", "kernel": "gaussian"}
    model = regressor(**params, loo_candidates={"bandwidth": [0.3, 20.0]}).fit(X, y)
    assert model.bandwidth_ == 20
    assert model.loo_results_["mean_squared_error"][0] == np.inf
    with pytest.raises(ValueError, match="under each candidate"):
        regressor(**params, loo_candidates={"bandwidth": [0.2, 0.3]}).fit(X, y)


def test_rows_that_span_no_plane_get_the_answer_of_least_norm():
    X, y, _ = some_rows()
    X[:, 1] = 2 * X[:, 0]
    X = np.column_stack([X, np.full(len(X), 7.0)])
    along = regressor(n_neighbors=20).fit(X[:, :1] * np.sqrt(5), y)
    model = regressor(n_neighbors=20).fit(X, y)
    np.testing.assert_allclose(
        model.predict(X), along.predict(X[:, :1] * np.sqrt(5)), rtol=1e-7
    )
    slopes = model.gradient(X)
    expected = along.gradient(X[:, :1] * np.sqrt(5))[:, 0]
    np.testing.assert_allclose(slopes @ [1, 2, 0] / np.sqrt(5), expected, rtol=1e-6)
    np.testing.assert_allclose(slopes[:, 2], 0, atol=1e-9)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_few_and_equal_rows_are_answered(degree):
    model = LocallyWeightedRegressor(degree)
    assert model.fit([[1.0]], [3.0]).predict([[5.0]])[0] == pytest.approx(3)
    assert np.isnan(model.residual_scale_)
    assert model.gcv_ == model.aicc_ == np.inf
    same = model.fit(np.ones((6, 2)), np.arange(6.0))
    assert same.predict([[1.0, 1.0]])[0] == pytest.approx(2.5)
    two = model.fit([[0.0], [1.0]], [0.0, 1.0])
    assert np.isfinite(two.predict([[0.0], [0.5], [1.0], [9.0]])).all()


@pytest.mark.parametrize("exponent", [-900, -300, 300, 1000])
def test_targets_of_any_size_are_fitted_alike(exponent):
    X, y, _ = some_rows()
    plain = LocallyWeightedRegressor(n_neighbors="loo").fit(X, y)
    sized = LocallyWeightedRegressor(n_neighbors="loo").fit(X, np.ldexp(y, exponent))
    for ours, theirs in zip(
        sized.predict(X, return_std=True), plain.predict(X, return_std=True)
    ):
        np.testing.assert_allclose(np.ldexp(ours, -exponent), theirs, rtol=1e-9)
    assert sized.n_neighbors_ == plain.n_neighbors_
    assert sized.aicc_ == pytest.approx(plain.aicc_ + 2 * exponent * np.log(2))


@pytest.mark.parametrize("factor", [1e-200, 1e-100, 1e100, 1e200])
@pytest.mark.parametrize("size", [(20, None), (None, 1.0)], ids=str)
def test_rows_of_any_size_are_fitted_alike(size, factor):
    X, y, _ = some_rows()
    k, h = size
    expected = regressor(n_neighbors=k, bandwidth=h).fit(X, y).predict(X)
    h = None if h is None else h * factor
    sized = regressor(n_neighbors=k, bandwidth=h).fit(X * factor, y)
    np.testing.assert_allclose(sized.predict(X * factor), expected, rtol=1e-7)
    assert np.isfinite(sized.gradient(X * factor)).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"degree": 3}, "degree"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": -0.5}, "n_neighbors"),
        ({"n_neighbors": None}, "leave the window open"),
        ({"bandwidth": 0}, "bandwidth"),
        ({"kernel": "box"}, "kernel"),
        ({"scale": [1.0]}, "scale must hold 2"),
        ({"scale": [1.0, -1.0]}, "scale must hold 2"),
        ({"scale": ["a", 1.0]}, "scale must be an array"),
        ({"ridge": -1}, "ridge"),
        ({"robust_iterations": 1, "degree": "loo"}, "no exact leave-one-out"),
        ({"statistics": "some"}, "statistics"),
        ({"degree": "loo", "loo_candidates": {"degree": [3]}}, "give 0, 1 or 2"),
        ({"degree": "loo", "loo_candidates": {"ridge": [3]}}, "names 'ridge'"),
        ({"n_neighbors": "loo", "loo_candidates": {"n_neighbors": [0]}}, "holds 0"),
        ({"algorithm": NearestNeighbors(), "bandwidth": 1.0}, "and no bandwidth"),
    ],
    ids=str,
)
def test_parameters_that_cannot_be_used_are_named(params, message):
    X, y, _ = some_rows()
    with pytest.raises(ValueError, match=message):
        LocallyWeightedRegressor(**params).fit(X, y)


def test_what_cannot_be_asked_is_said():
    X, y, weight = some_rows(weight="fractions")
    model = regressor().fit(X, y)
    with pytest.raises(ValueError, match="statistics=None"):
        model.predict(X, return_std=True)
    with pytest.raises(ValueError, match="coverage"):
        LocallyWeightedRegressor().fit(X, y).prediction_interval(X, 95)
    with pytest.raises(ValueError, match="sample_weight cannot be used with an engine"):
        regressor(algorithm=NearestNeighbors()).fit(X, y, weight)
    with pytest.raises(ValueError, match="n_samples = 1"):
        regressor("loo").fit([[1.0]], [1.0])
    with pytest.raises(ValueError, match="Queries overflow"):
        regressor(scale=[1e-9, 1]).fit(X, y).predict(X * 1e305)


def test_a_fit_without_statistics_forgets_those_of_the_one_before():
    X, y, _ = some_rows()
    model = LocallyWeightedRegressor(n_neighbors="loo").fit(X, y)
    model.set_params(statistics=None, n_neighbors=9).fit(X, y)
    for name in ("residual_scale_", "gcv_", "loo_results_"):
        assert not hasattr(model, name)


@pytest.mark.parametrize("scale", ["std", "trimmed"])
def test_scales_are_deviations(scale):
    X, y, _ = some_rows(n=57)
    ordered = np.sort(X, axis=0)
    kept = ordered[6:-6] if scale == "trimmed" else ordered
    model = regressor(scale=scale).fit(X, y)
    np.testing.assert_allclose(model.scale_, kept.std(axis=0, ddof=1), rtol=1e-12)
