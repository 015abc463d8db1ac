"""What ShepardKNN chooses by leave-one-out is what refits without each row choose."""

from itertools import product

import numpy as np
import pytest
from neighbors_by_hand import (
    METRICS,
    average,
    classification_loo,
    covariance_of,
    metric_of,
    regression_loo,
    table_of_distances,
)
from scipy import sparse
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy._leave_one_out import rows_to_leave_out

N_ROWS = 20
KS = [1, 2, 5, 11, N_ROWS - 1, N_ROWS, N_ROWS + 30, None]
POWERS = [0.25, 0.5, 1.0, 2.0, 7.0]
# What is tuned: the candidates, and the parameters that are given.
TUNED = {
    "n_neighbors": ({"n_neighbors": KS}, {"power": 1.5}),
    "power": ({"power": POWERS}, {"n_neighbors": 4}),
    "power of all rows": ({"power": POWERS}, {"n_neighbors": None}),
    "both": ({"n_neighbors": [1, 3, 6, None], "power": [1.0, 3.0]}, {}),
}
every_tuning = pytest.mark.parametrize("tuned", TUNED)
every_metric = pytest.mark.parametrize("metric", METRICS)
SCORES = {
    ShepardKNN: ["accuracy", "log_loss"],
    ShepardKNNRegressor: ["squared_error"],
}


def draw(seed, metric="euclidean", duplicates=True):
    """Draw few rows, some of them alike, with overlapping classes and two targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 3)) * [1.0, 4.0, 0.5]
    labels = np.array(["a", "b", "c"])[(X[:, 0] + rng.normal(size=N_ROWS) > 0) * 1]
    labels[17] = "c"  # the only one: without it the class has no row
    if duplicates:
        X[9] = X[4]
        X[13] = X[14] = X[2]
    if metric == "cosine":
        X[5] = 0
    if metric == "nan_euclidean":
        X[rng.random(X.shape) < 0.2] = np.nan
        X[8] = np.nan
    return X, labels, rng.normal(size=(N_ROWS, 2))


def sample_weights(kind, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return None
    if kind == "integers":
        weight = rng.integers(0, 4, size=N_ROWS).astype(float)
        weight[[4, 6, 2]] = [2, 0, 3]
        return weight
    if kind == "small":
        return rng.uniform(0.1, 0.9, size=N_ROWS)
    return rng.uniform(0.05, 2.5, size=N_ROWS)


def settle(tuned):
    """Return the parameters of the estimator, and the candidates as dicts."""
    lists, given = TUNED[tuned]
    params = {**dict.fromkeys(lists, "loo"), **given, "loo_candidates": lists}
    candidates = [dict(zip(lists, values)) for values in product(*lists.values())]
    return params, candidates


def scores_by_hand(estimator, D, y, weight, candidates, given, **rule):
    """Return mean and standard error of each score of each candidate."""
    class_weight = rule.pop("class_weight", None)
    averages = {}
    for place, candidate in enumerate(candidates):
        one = {**given, **candidate}
        one = {"k": one["n_neighbors"], "power": one["power"], **rule}
        if estimator is ShepardKNN:
            scores, importance = classification_loo(D, y, weight, class_weight, **one)
        else:
            scores, importance = regression_loo(D, y, weight, **one)
        for name, values in scores.items():
            averages.setdefault(f"mean_{name}", np.empty(len(candidates)))
            averages.setdefault(f"standard_error_{name}", np.empty(len(candidates)))
            mean, error = average(values, importance)
            averages[f"mean_{name}"][place] = mean
            averages[f"standard_error_{name}"][place] = error
    return averages


def assert_loo_is_by_hand(estimator, X, D, y, weight, tuned, fitted_to=None, **params):
    """Fit an estimator that tunes, and compare the curve and the choice with loops."""
    settings, candidates = settle(tuned)
    given = TUNED[tuned][1]
    model = estimator(**settings, **params)
    model.fit(X if fitted_to is None else fitted_to, y, sample_weight=weight)
    rule = {name: value for name, value in params.items() if name in _RULE and value}
    expected = scores_by_hand(estimator, D, y, weight, candidates, given, **rule)
    results = model.loo_results_
    assert results["params"] == candidates
    for name, values in expected.items():
        np.testing.assert_allclose(
            results[name], values, rtol=1e-12, atol=1e-12, err_msg=name
        )
    assert_best_is_chosen(model, estimator, expected)
    return model


_RULE = ("weights", "class_weight")


def assert_best_is_chosen(model, estimator, expected):
    """Assert that the choice is best by hand; equal scores may differ by a rounding."""
    results = model.loo_results_
    best = int(np.argmin(results["rank"]))
    assert results["rank"][best] == 1
    assert sorted(results["rank"]) == list(range(1, len(results["rank"]) + 1))
    chosen = results["params"][best]
    for name, value in chosen.items():
        assert getattr(model, f"{name}_") == value
    if estimator is ShepardKNN and model.loo_scoring != "log_loss":
        accuracy = expected["mean_accuracy"]
        assert accuracy[best] >= accuracy.max() - 1e-12
        tied = accuracy >= accuracy.max() - 1e-12
        losses = expected["mean_log_loss"][tied]
        assert expected["mean_log_loss"][best] <= losses.min() + 1e-12
    else:
        name = "log_loss" if estimator is ShepardKNN else "squared_error"
        errors = expected[f"mean_{name}"]
        assert errors[best] <= errors.min() + 1e-12


def cases(labels, numbers):
    return [
        (ShepardKNN, labels),
        (ShepardKNNRegressor, numbers[:, 0]),
        (ShepardKNNRegressor, numbers),
    ]


# Against loops


@every_metric
@every_tuning
@pytest.mark.parametrize("weighed", ["none", "integers", "small", "fractions"])
def test_the_curve_is_that_of_refits(metric, tuned, weighed):
    X, labels, numbers = draw(1, metric)
    weight = sample_weights(weighed)
    apart = metric_of(metric, X, weight, METRICS[metric])
    D = table_of_distances(apart, X, X)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    for estimator, y in cases(labels, numbers):
        model = assert_loo_is_by_hand(estimator, X, D, y, weight, tuned, **params)
        if metric != "nan_euclidean":
            tree = model.set_params(algorithm="kd_tree")
            before = model.loo_results_
            tree.fit(X, y, weight)
            for name in before:
                np.testing.assert_array_equal(before[name], tree.loo_results_[name])


@every_tuning
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
@pytest.mark.parametrize("class_weight", ["balanced", "dict"])
@pytest.mark.parametrize("scoring", ["accuracy", "log_loss"])
def test_class_weights(tuned, weighed, class_weight, scoring):
    X, labels, _ = draw(2)
    weight = sample_weights(weighed)
    if weight is not None:
        weight[17] = 0.6 if weighed == "fractions" else 2
    factors = {"a": 0.3, "c": 5.0} if class_weight == "dict" else class_weight
    D = table_of_distances(metric_of("euclidean", X), X, X)
    params = {"class_weight": factors, "loo_scoring": scoring}
    assert_loo_is_by_hand(ShepardKNN, X, D, labels, weight, tuned, **params)


def bell(distances):
    return np.exp(-(distances**2) / 8)


@pytest.mark.parametrize("weights", ["uniform", "cosine", bell, np.reciprocal])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_other_weights(weights, weighed):
    metric = "cosine" if weights == "cosine" else "euclidean"
    X, labels, numbers = draw(3, metric)
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of(metric, X), X, X)
    params = {"weights": weights, "metric": metric}
    for estimator, y in cases(labels, numbers):
        assert_loo_is_by_hand(estimator, X, D, y, weight, "n_neighbors", **params)


@every_tuning
@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "cosine"])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_sparse_rows(metric, tuned, weighed):
    X, labels, numbers = draw(4, metric)
    X[np.random.default_rng(4).random(X.shape) < 0.3] = 0
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of(metric, X, weight), X, X)
    for estimator, y in cases(labels, numbers):
        assert_loo_is_by_hand(
            *(estimator, X, D, y, weight, tuned, sparse.csr_array(X)), metric=metric
        )


@pytest.mark.parametrize("fitted", [True, False])
@pytest.mark.parametrize("duplicates", [True, False])
@pytest.mark.parametrize("weights", ["inverse", "uniform", bell])
def test_an_engine(fitted, duplicates, weights):
    X, labels, numbers = draw(5, duplicates=duplicates)
    engine = NearestNeighbors(metric="manhattan", algorithm="brute")
    engine = engine.fit(X) if fitted else engine
    D = table_of_distances(metric_of("manhattan", X), X, X)
    ks = [k for k in KS if k is not None]
    for estimator, y in cases(labels, numbers):
        model = estimator(
            algorithm=engine, weights=weights, loo_candidates={"n_neighbors": ks}
        ).fit(X, y)
        candidates = [{"n_neighbors": k} for k in ks]
        expected = scores_by_hand(
            estimator, D, y, None, candidates, {"power": 2.0}, weights=weights
        )
        for name, values in expected.items():
            np.testing.assert_allclose(model.loo_results_[name], values, rtol=1e-12)
        assert_best_is_chosen(model, estimator, expected)
        default = estimator(algorithm=engine).fit(X, y)
        tried = [one["n_neighbors"] for one in default.loo_results_["params"]]
        assert tried == list(range(1, N_ROWS))


@pytest.mark.parametrize("seed", range(6))
def test_tables_of_many_copies(seed):
    """Every row has copies of its class or of another: exact hits all along."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(N_ROWS, 2)).astype(float)
    labels, numbers = rng.integers(3, size=N_ROWS), rng.normal(size=(N_ROWS, 2))
    D = table_of_distances(metric_of("euclidean", X), X, X)
    for weighed, tuned in product(["none", "integers", "fractions"], TUNED):
        for estimator, y in cases(labels, numbers):
            weight = sample_weights(weighed)
            assert_loo_is_by_hand(estimator, X, D, y, weight, tuned)


# Against refits of scikit-learn


def held(metric, X):
    """Return a metric's parameters with what it learns of all rows."""
    if metric == "seuclidean":
        return {"V": np.var(X, axis=0, ddof=1)}
    if metric == "mahalanobis":
        return {"V": np.cov(X.T)}
    return METRICS[metric]


@every_metric
@pytest.mark.parametrize("tuned", ["n_neighbors", "both"])
def test_a_grid_search_over_refits_finds_the_same_curve(metric, tuned):
    X, _, numbers = draw(6, metric)
    lists, given = TUNED[tuned]
    params = {"metric": metric, "metric_params": held(metric, X)}
    loo = ShepardKNNRegressor(**settle(tuned)[0], **params).fit(X, numbers)
    search = GridSearchCV(
        ShepardKNNRegressor(**params, **given),
        lists,
        cv=LeaveOneOut(),
        scoring="neg_mean_squared_error",
    ).fit(X, numbers)
    found = {
        tuple(sorted(one.items())): -score
        for one, score in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"]
        )
    }
    for one, error in zip(
        loo.loo_results_["params"], loo.loo_results_["mean_squared_error"]
    ):
        np.testing.assert_allclose(error, found[tuple(sorted(one.items()))], rtol=1e-12)
    # Lists of all rows and above are the same model.
    np.testing.assert_allclose(
        -search.best_score_, loo.loo_results_["mean_squared_error"].min(), rtol=1e-12
    )
    if metric in ("seuclidean", "mahalanobis"):  # the same metric, learnt
        learnt = ShepardKNNRegressor(**settle(tuned)[0], metric=metric)
        learnt.fit(X, numbers)
        np.testing.assert_allclose(
            learnt.loo_results_["mean_squared_error"],
            loo.loo_results_["mean_squared_error"],
            rtol=1e-11,
        )


@pytest.mark.parametrize("class_weight", [None, {0: 3.0, 1: 0.5}, "balanced"], ids=str)
def test_loops_over_refits_classify_alike(class_weight):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 0.3).astype(int)
    ks, powers = [1, 4, 9, None, 60], [1.0, 3.0]
    params = {"class_weight": class_weight}
    loo = ShepardKNN(
        "loo",
        power="loo",
        loo_candidates={"n_neighbors": ks, "power": powers},
        **params,
    ).fit(X, y)
    for place, (k, power) in enumerate(product(ks, powers)):
        guesses = np.empty((40, 2))
        for i in range(40):
            rest = np.arange(40) != i
            model = ShepardKNN(k, power=power, **params).fit(X[rest], y[rest])
            guesses[i] = model.predict_proba(X[i : i + 1])[0]
        counted = np.ones(40)
        if class_weight == "balanced":
            counted = (40 / (2 * np.bincount(y)))[y]
        elif class_weight:
            counted = np.where(y == 0, 3.0, 0.5)
        results = loo.loo_results_
        np.testing.assert_allclose(
            results["mean_accuracy"][place],
            np.average(guesses.argmax(axis=1) == y, weights=counted),
            rtol=1e-12,
        )
        np.testing.assert_allclose(
            results["mean_log_loss"][place],
            log_loss(y, guesses, sample_weight=counted),
            rtol=1e-12,
        )


def test_integer_weights_are_repetition():
    X, labels, numbers = draw(8)
    weight = sample_weights("integers")
    copies = np.repeat(np.arange(N_ROWS), weight.astype(int))
    for tuned, (estimator, y) in product(TUNED, cases(labels, numbers)):
        params = settle(tuned)[0]
        one = estimator(metric="seuclidean", **params).fit(X, y, weight)
        other = estimator(metric="seuclidean", **params).fit(X[copies], y[copies])
        for name in one.loo_results_:
            if name.startswith(("mean", "standard_error")):
                np.testing.assert_allclose(
                    *(one.loo_results_[name], other.loo_results_[name]),
                    rtol=1e-10,
                    atol=1e-12,
                )


# Subsets, defaults and errors


@pytest.mark.parametrize("estimator", SCORES)
@pytest.mark.parametrize("weighed", ["none", "fractions"])
def test_of_many_rows_some_are_left_out_and_the_rest_stays(estimator, weighed):
    X, labels, numbers = draw(9)
    y = labels if estimator is ShepardKNN else numbers
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of("euclidean", X), X, X)
    params, candidates = settle("n_neighbors")
    model = estimator(**params, loo_max_samples=7, random_state=3).fit(X, y, weight)
    rows = rows_to_leave_out(N_ROWS, 7, 3)
    for place, one in enumerate(candidates):
        rule = {"k": one["n_neighbors"], "power": 1.5}
        loo = classification_loo if estimator is ShepardKNN else regression_loo
        scores, importance = loo(D, y, weight, **rule)
        for name, values in scores.items():
            mean, error = average(values[rows], importance[rows])
            results = model.loo_results_
            np.testing.assert_allclose(
                results[f"mean_{name}"][place], mean, rtol=1e-12, atol=1e-12
            )
            np.testing.assert_allclose(
                results[f"standard_error_{name}"][place], error, rtol=1e-9, atol=1e-12
            )
    again = estimator(**params, loo_max_samples=7, random_state=3).fit(X, y, weight)
    whole = estimator(**params, loo_max_samples=N_ROWS).fit(X, y, weight)
    every = estimator(**params, loo_max_samples=None).fit(X, y, weight)
    for name in (f"mean_{score}" for score in SCORES[estimator]):
        np.testing.assert_array_equal(
            again.loo_results_[name], model.loo_results_[name]
        )
        np.testing.assert_array_equal(
            whole.loo_results_[name], every.loo_results_[name]
        )


@pytest.mark.parametrize("estimator", SCORES)
def test_results_make_a_frame(estimator):
    pandas = pytest.importorskip("pandas", reason="a frame is pandas's")
    X, labels, numbers = draw(10)
    model = estimator(power="loo")
    model.fit(X, labels if estimator is ShepardKNN else numbers)
    frame = pandas.DataFrame(model.loo_results_)
    assert len(frame) == N_ROWS * 7
    names = {"params", "rank"}
    for score in SCORES[estimator]:
        names |= {f"mean_{score}", f"standard_error_{score}"}
    assert set(frame.columns) == names
    best = frame.loc[frame["rank"] == 1, "params"].item()
    assert best == {"n_neighbors": model.n_neighbors_, "power": model.power_}


def test_default_candidates():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    model = ShepardKNNRegressor(power="loo").fit(X, y)
    tried = model.loo_results_["params"]
    assert {one["power"] for one in tried} == {0, 1, 2, 3, 4, 6, 8}
    assert {one["n_neighbors"] for one in tried} == {*range(1, 51), None}
    few = ShepardKNNRegressor().fit(X[:5], y[:5])
    assert [one["n_neighbors"] for one in few.loo_results_["params"]] == [
        *(1, 2, 3, 4),
        None,
    ]


@pytest.mark.parametrize("weights", ["inverse", bell])
@pytest.mark.parametrize("estimator", SCORES)
def test_equal_candidates_have_equal_scores(estimator, weights):
    X, labels, numbers = draw(14)
    y = labels if estimator is ShepardKNN else numbers
    candidates = {"n_neighbors": [3, 3, None, N_ROWS, None], "power": [1, 1.0, 2]}
    model = estimator(power="loo", weights=weights, loo_candidates=candidates)
    model.fit(X, y)
    for score in SCORES[estimator]:
        curve = model.loo_results_[f"mean_{score}"].reshape(5, 3)
        np.testing.assert_array_equal(curve[0], curve[1])
        np.testing.assert_array_equal(curve[2], curve[4])
        np.testing.assert_allclose(curve[2], curve[3], rtol=1e-12)
        np.testing.assert_array_equal(curve[:, 0], curve[:, 1])


@pytest.mark.parametrize("estimator", SCORES)
def test_power_0_is_uniform(estimator):
    X, labels, numbers = draw(15)
    y = labels if estimator is ShepardKNN else numbers
    curves = []
    for params in ({"power": 0}, {"weights": "uniform"}):
        for ks in ([1, 3, 8], [None]):
            model = estimator(loo_candidates={"n_neighbors": ks}, **params)
            curves.append(model.fit(X, y).loo_results_[f"mean_{SCORES[estimator][-1]}"])
    np.testing.assert_array_equal(curves[0], curves[2])
    np.testing.assert_array_equal(curves[1], curves[3])


def test_a_later_fit_forgets_the_curve():
    X, labels, _ = draw(11)
    model = ShepardKNN().fit(X, labels)
    assert hasattr(model, "loo_results_")
    model.set_params(n_neighbors=3).fit(X, labels)
    assert not hasattr(model, "loo_results_")


def test_the_chosen_model_is_the_one_with_the_choice_given():
    X, labels, numbers = draw(12)
    Q = np.random.default_rng(0).normal(size=(9, 3))
    for estimator, y in cases(labels, numbers):
        loo = estimator(power="loo").fit(X, y)
        given = estimator(loo.n_neighbors_, power=loo.power_).fit(X, y)
        np.testing.assert_array_equal(loo.predict(Q), given.predict(Q))


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ({"n_neighbors": []}, r"loo_candidates\['n_neighbors'\] is empty"),
        ({"n_neighbors": [0]}, r"loo_candidates\['n_neighbors'\] holds 0"),
        ({"n_neighbors": [2.0]}, r"loo_candidates\['n_neighbors'\] holds 2\.0"),
        ({"n_neighbors": ["loo"]}, r"loo_candidates\['n_neighbors'\] holds 'loo'"),
        ({"n_neighbors": 3}, r"loo_candidates\['n_neighbors'\] must be a list"),
        ({"n_neighbors": "loo"}, r"loo_candidates\['n_neighbors'\] must be a list"),
        ({"power": [-1]}, r"loo_candidates\['power'\] holds -1"),
        ({"power": [np.inf]}, r"loo_candidates\['power'\] holds inf"),
        ({"power": [np.nan]}, r"loo_candidates\['power'\] holds nan"),
        ({"power": ["auto"]}, r"loo_candidates\['power'\] holds 'auto'"),
        ({"power": [None]}, r"loo_candidates\['power'\] holds None"),
        ({"m": [1]}, r"loo_candidates names 'm'; .* \['n_neighbors', 'power'\]"),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", SCORES)
def test_wrong_candidates(estimator, candidates, message):
    X, _, _ = draw(0)
    model = estimator(power="loo", loo_candidates=candidates)
    with pytest.raises(ValueError, match=message):
        model.fit(X, np.arange(N_ROWS) % 2)


def test_candidates_of_what_is_given_are_refused():
    X, labels, _ = draw(0)
    model = ShepardKNN(loo_candidates={"power": [1, 2]})
    with pytest.raises(ValueError, match=r"names 'power'; .* \['n_neighbors'\]"):
        model.fit(X, labels)


def test_an_engine_does_not_try_all_rows():
    X, labels, _ = draw(0)
    model = ShepardKNN(
        algorithm=NearestNeighbors(), loo_candidates={"n_neighbors": [1, None]}
    )
    with pytest.raises(ValueError, match=r"holds None, all rows, for which an engine"):
        model.fit(X, labels)


@pytest.mark.parametrize("estimator", SCORES)
@pytest.mark.parametrize("params", [{}, {"n_neighbors": 1, "power": "loo"}], ids=str)
def test_a_single_row_cannot_be_left_out(estimator, params):
    with pytest.raises(ValueError, match="two rows of weight above 0"):
        estimator(**params).fit([[1.0]], [0])
    with pytest.raises(ValueError, match="two rows of weight above 0"):
        estimator(**params).fit([[1.0], [2.0]], [0, 1], sample_weight=[3, 0])


@pytest.mark.parametrize("estimator", SCORES)
def test_two_rows_can(estimator):
    model = estimator().fit([[0.0], [1.0]], [0, 1])
    assert model.n_neighbors_ == 1
    name = "mean_log_loss" if estimator is ShepardKNN else "mean_squared_error"
    expected = -np.log(np.finfo(float).eps) if estimator is ShepardKNN else 1.0
    np.testing.assert_allclose(model.loo_results_[name], expected)


def test_the_covariance_is_held():
    """The row that is left out stays in the covariance, as the docstring says."""
    X, _, numbers = draw(13, duplicates=False)
    weight = sample_weights("fractions")
    given = {"V": covariance_of(X, weight)}
    models = [
        ShepardKNNRegressor(metric="mahalanobis", metric_params=params)
        for params in (None, given)
    ]
    curves = [m.fit(X, numbers, weight).loo_results_ for m in models]
    np.testing.assert_allclose(
        *(curve["mean_squared_error"] for curve in curves), rtol=1e-11
    )
