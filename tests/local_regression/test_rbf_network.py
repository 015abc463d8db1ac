"""Radial basis function networks: centres, widths, weights, leave-one-out.

Code under test: `local_regression/_rbf_base.py`,
`local_regression/_rbf_network_classifier.py`,
`local_regression/_rbf_network_regressor.py`, `local_regression/_rbf_ridge.py`.
"""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_bayeslazy import RBFNetworkClassifier, RBFNetworkRegressor
from sklearn_bayeslazy._core._parallel import _thread_pools
from sklearn_bayeslazy.local_regression import _rbf_base, _rbf_ridge
from sklearn_bayeslazy.local_regression._rbf_centers import (
    find_centers,
    local_widths,
    split,
)

RIDGES = [0.0, 1e-6, 1e-2, 1.0]


def some_rows(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, np.sin(4 * X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(n)


def fixed(X, ridge=0.01, **params):
    """Return a network with given centres, widths and ridge."""
    given = {"centers": X[:20], "width": 0.6, "scale": None, "feature_weights": None}
    return RBFNetworkRegressor(ridge=ridge, **{**given, **params})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ridge", RIDGES[1:])
def test_weights_are_those_of_a_ridge_regression_on_the_basis_functions(
    ridge, weighted
):
    X, y = some_rows()
    weight = np.random.default_rng(1).uniform(0.1, 3, len(y)) if weighted else None
    model = fixed(X, ridge).fit(X, y, sample_weight=weight)
    basis = rbf_kernel(X, X[:20], gamma=0.5 / 0.6**2)
    peer = Ridge(alpha=ridge, solver="svd").fit(basis, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), peer.predict(basis), atol=1e-8)
    if ridge > 1e-3:
        np.testing.assert_allclose(model.center_coef_, peer.coef_, rtol=1e-8)
        np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-8)


def test_results_do_not_depend_on_the_block_size(monkeypatch):
    X, y = some_rows()
    whole = fixed(X, "loo", loo_candidates={"ridge": RIDGES}).fit(X, y)
    monkeypatch.setattr(_rbf_ridge, "_BLOCK_SIZE", 7)
    in_blocks = clone(whole).fit(X, y)
    np.testing.assert_allclose(in_blocks.predict(X), whole.predict(X), atol=1e-12)
    for name in ("mean_squared_error", "standard_error_squared_error"):
        np.testing.assert_allclose(
            in_blocks.loo_results_[name], whole.loo_results_[name], rtol=1e-9
        )


@pytest.mark.parametrize("weight", [None, "whole", "parts"])
def test_leave_one_out_errors_equal_those_of_refitting(weight):
    X, y = some_rows(60)
    rng = np.random.default_rng(2)
    weight = {
        None: np.ones(60),
        "whole": rng.integers(1, 4, 60).astype(float),
        "parts": rng.uniform(0.2, 2.5, 60),
    }[weight]
    model = fixed(X, "loo", loo_candidates={"ridge": RIDGES})
    results = model.fit(X, y, sample_weight=weight).loo_results_
    expected = []
    for ridge in RIDGES:
        errors = []
        for i in range(60):
            rest = weight.copy()
            rest[i] = 0.0
            alone = fixed(X, ridge).fit(X, y, sample_weight=rest)
            errors.append((alone.predict(X[[i]])[0] - y[i]) ** 2)
        expected.append(weight @ errors / weight.sum())
    np.testing.assert_allclose(results["mean_squared_error"], expected, rtol=1e-9)
    assert model.ridge_ == RIDGES[int(np.argmin(expected))]


def test_everything_is_chosen_together():
    X, y = some_rows(200)
    candidates = {"n_centers": [3, 12], "overlap": [0.5, 2.0], "ridge": [1e-3, 0.1]}
    model = RBFNetworkRegressor(
        scale="std", feature_weights=None, loo_candidates=candidates
    ).fit(X, y)
    errors = model.loo_results_["mean_squared_error"]
    assert len(errors) == 8
    for params, error in zip(model.loo_results_["params"], errors):
        alone = RBFNetworkRegressor(
            params["n_centers"],
            overlap=params["overlap"],
            ridge="loo",
            scale="std",
            feature_weights=None,
            loo_candidates={"ridge": [params["ridge"]]},
        ).fit(X, y)
        np.testing.assert_allclose(alone.loo_results_["mean_squared_error"], [error])
    best = model.loo_results_["params"][int(np.argmin(errors))]
    assert (model.n_centers_, model.overlap_, model.ridge_) == tuple(best.values())


def test_leave_one_out_takes_a_sample_of_many_rows():
    X, y = some_rows(300)
    model = RBFNetworkRegressor(
        10,
        overlap=1,
        scale="std",
        loo_max_samples=50,
        random_state=0,
        loo_candidates={"ridge": [1]},
    ).fit(X, y)
    every = clone(model).set_params(loo_max_samples=None).fit(X, y)
    sampled = model.loo_results_["mean_squared_error"]
    assert sampled != every.loo_results_["mean_squared_error"]
    np.testing.assert_array_equal(model.predict(X), every.predict(X))


def test_clusters_are_split_at_the_column_of_largest_variance():
    X = np.array([[0, 0], [0, 1], [10, 0], [10, 1.0], [30, 0], [30, 1]])
    pair, means = split(X, np.ones(6), [2, 3])
    np.testing.assert_array_equal(pair, [[5, 0.5], [30, 0.5]])
    np.testing.assert_array_equal(means, [[0, 0.5], [10, 0.5], [30, 0.5]])
    (doubled,) = split(np.repeat(X, 2, axis=0), np.ones(12), [3])
    np.testing.assert_allclose(doubled, means)


def test_there_are_no_more_centres_than_distinct_rows():
    X = np.repeat([[0.0], [1.0], [1.0 + 1e-6], [1.0 + 1e-6 + 1e-12]], 5, axis=0)
    (start,) = split(X, np.ones(20), [10])  # the last two are too close
    centers = find_centers(X, np.ones(20), start)
    np.testing.assert_allclose(np.sort(centers.ravel()), [0, 1, 1 + 1e-6], atol=1e-10)
    model = RBFNetworkRegressor(10).fit(np.zeros((6, 2)), np.arange(6))
    assert model.n_centers_ == 1
    np.testing.assert_allclose(model.predict([[0.0, 0.0]]), [2.5])


def test_fewer_than_twenty_rows_have_half_as_many_centres():
    # One centre would predict nearly the mean, whatever the rows are like.
    for n in (2, 3, 15, 19):
        X = np.linspace(-1, 1, n)[:, None]
        model = RBFNetworkRegressor().fit(X, X[:, 0])
        assert model.n_centers_ == max(n // 2, 1)
    np.testing.assert_allclose(model.predict([[-0.5], [0.5]]), [-0.5, 0.5], atol=0.02)


def test_widths_are_global_local_or_given():
    X, y = some_rows()
    centers = X[:5]
    local = local_widths(centers)
    by_name = {
        "local": 2 * local,
        "global": np.full(5, 2 * np.sqrt(np.mean(local**2))),
        0.3: np.full(5, 0.3),
    }
    for width, expected in by_name.items():
        model = fixed(X, centers=centers, width=width, overlap=2).fit(X, y)
        np.testing.assert_allclose(model.widths_, expected)
    each = np.arange(1, 6) / 10
    model = fixed(X, centers=centers, width=each).fit(X, y)
    np.testing.assert_array_equal(model.widths_, each)


def test_columns_are_scaled_and_centres_are_in_units_of_x():
    X, y = some_rows()
    stretched = X * [1.0, 1e6] + [0.0, 5e7]
    model = RBFNetworkRegressor(10, overlap=1, ridge=0.1)
    plain = model.fit(X, y).predict(X)
    np.testing.assert_allclose(
        model.fit(stretched, y).predict(stretched), plain, atol=1e-6
    )
    inside = (model.centers_ > stretched.min(axis=0)) & (
        model.centers_ < stretched.max(axis=0)
    )
    assert inside.all()


def test_outputs_share_their_basis_functions():
    X, y = some_rows()
    model = fixed(X).fit(X, np.column_stack([y, 3 - 2 * y]))
    one = fixed(X).fit(X, y)
    np.testing.assert_allclose(
        model.predict(X), np.column_stack([one.predict(X), 3 - 2 * one.predict(X)])
    )
    expected = [one.center_coef_, -2 * one.center_coef_]
    np.testing.assert_allclose(model.center_coef_, expected)
    np.testing.assert_allclose(
        model.intercept_, [one.intercept_, 3 - 2 * one.intercept_]
    )


@pytest.mark.parametrize("exponent", [-900, -300, 300, 1000])
def test_predictions_scale_with_very_large_and_small_targets(exponent):
    X, y = some_rows()
    model = fixed(X, "loo")
    plain = model.fit(X, y).predict(X)
    size = 2.0**exponent
    np.testing.assert_allclose(model.fit(X, y * size).predict(X) / size, plain)


def test_decision_function_is_a_regression_of_class_indicators():
    X, y = some_rows(200)
    classes = np.digitize(y, [-0.2, 0.2])
    names = np.array(["low", "mid", "top"])[classes]
    params = {"centers": X[:20], "width": 0.6, "scale": None, "ridge": 0.01}
    params["feature_weights"] = None
    model = RBFNetworkClassifier(**params).fit(X, names)
    basis = rbf_kernel(X, X[:20], gamma=0.5 / 0.6**2)
    targets = np.where(classes[:, None] == [0, 1, 2], 1.0, -1.0)
    scores = Ridge(alpha=0.01, solver="svd").fit(basis, targets).predict(basis)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-8)
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[np.argmax(scores, axis=1)]
    )
    two = RBFNetworkClassifier(**params).fit(X, names == "top")
    np.testing.assert_allclose(two.decision_function(X), scores[:, 2], atol=1e-8)
    np.testing.assert_array_equal(two.predict(X), scores[:, 2] > 0)
    np.testing.assert_array_equal(two.predict_proba(X)[:, 1] > 0.5, scores[:, 2] > 0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_temperature_has_the_largest_likelihood_of_left_out_rows(n_classes):
    X, y = some_rows(200)
    classes = np.digitize(y, [-0.2, 0.2][: n_classes - 1])
    model = RBFNetworkClassifier(20, overlap=1.0, ridge=0.01).fit(X, classes)

    def logs(values):
        if n_classes == 2:
            values = np.transpose([-values, values])
        return np.log(np.log1p(np.exp(5 * (1 + values))))

    left_out = logs(model.decision_function(None))

    def loss(inverse):  # with the normal prior of 1 / T of the module of temperatures
        logs_of_classes = log_softmax(inverse * left_out, axis=1)
        found = logs_of_classes[np.arange(200), classes].sum()
        # One row in all counts as of any class.
        found += (logs_of_classes.mean(axis=1).sum() - found) / 201
        return -found + (inverse - 1) ** 2 / 2

    best = minimize_scalar(loss, bounds=(0.1, 30), method="bounded")
    np.testing.assert_allclose(1 / model.temperature_, best.x, rtol=1e-4)
    expected = softmax(logs(model.decision_function(X)) / model.temperature_, axis=1)
    np.testing.assert_allclose(model.predict_proba(X), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_leave_one_out_accuracy_equals_that_of_refitting(n_classes):
    X, y = some_rows(60)
    labels = np.digitize(y, [0.0, 0.3][: n_classes - 1])
    params = {"centers": X[:20], "width": 0.6, "scale": None}
    model = RBFNetworkClassifier(**params, loo_candidates={"ridge": [0.01]})
    results = model.fit(X, labels).loo_results_
    right = [
        RBFNetworkClassifier(**params, ridge=0.01)
        .fit(np.delete(X, i, axis=0), np.delete(labels, i))
        .predict(X[[i]])[0]
        == labels[i]
        for i in range(60)
    ]
    np.testing.assert_allclose(results["mean_accuracy"], [np.mean(right)])


def test_it_works_in_pipelines_and_searches():
    X, y = some_rows(150)
    pipeline = make_pipeline(StandardScaler(), RBFNetworkRegressor(20, scale=None))
    assert cross_val_score(pipeline, X, y, cv=5).mean() > 0.8
    search = GridSearchCV(RBFNetworkRegressor(), {"n_centers": [2, 30]}, cv=3)
    assert search.fit(X, y).best_params_ == {"n_centers": 30}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"centers": [[1.0]]}, "centers has shape .* X has 2 columns"),
        ({"centers": [[np.nan, 1.0]]}, "centers must hold finite numbers"),
        ({"width": [1.0, 2.0], "n_centers": 5}, r"for\s+each of the 5 centers"),
        ({"width": [[-1.0]]}, "width must hold finite numbers above 0"),
        ({"loo_candidates": {"ridge": [-1]}}, r"loo_candidates\['ridge'\] holds -1"),
        ({"loo_candidates": {"width": [1]}}, "loo_candidates names 'width'"),
        ({"scale": [1e-320, 1.0]}, "Rows overflow once divided by scale"),
    ],
)
def test_errors_name_invalid_parameters(params, message):
    X, y = some_rows()
    model = RBFNetworkRegressor().fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(**params).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_one_row_cannot_be_left_out():
    with pytest.raises(ValueError, match="Leave-one-out needs two rows"):
        RBFNetworkRegressor().fit([[1.0]], [2.0])
    model = RBFNetworkRegressor(3, overlap=1, ridge=1).fit([[1.0]], [2.0])
    np.testing.assert_allclose(model.predict([[1.0], [9.0]]), [2.0, 2.0])


@pytest.mark.parametrize("selector", [SelectFromModel, RFE])
def test_weights_of_centers_do_not_select_columns(selector):
    X, y = some_rows()
    with pytest.raises((ValueError, AttributeError), match="coef_"):
        selector(RBFNetworkRegressor(5, overlap=1.0, ridge=0.1)).fit_transform(X, y)


def test_of_columns_of_equal_variance_the_one_of_larger_mean_is_split():
    x = np.array([0.0, 1.0, 0.0, 1.0])
    z = np.array([2.0, 2.0, 3.0, 3.0])
    for rounding in (1 - 1e-15, 1 + 1e-15):
        for columns in ([x, z * rounding], [x * rounding, -z]):
            (means,) = split(np.stack(columns, axis=1), np.ones(4), [2])
            (others,) = split(np.stack(columns[::-1], axis=1), np.ones(4), [2])
            np.testing.assert_allclose(np.abs(means), [[0.5, 2], [0.5, 3]], atol=1e-12)
            np.testing.assert_array_equal(others[:, ::-1], means)


def test_a_small_fit_uses_one_thread(monkeypatch):
    seen, find = [], _rbf_base.find_centers

    def find_and_look(*arguments):
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return find(*arguments)

    monkeypatch.setattr(_rbf_base, "find_centers", find_and_look)
    _thread_pools.cache_clear()  # other tests may have loaded more libraries
    with threadpool_limits(2):
        RBFNetworkRegressor(5, overlap=1.0, ridge=0.1).fit(*some_rows())
    assert set(seen) == {1}
