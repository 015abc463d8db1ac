"""What ShepardKNN chooses by leave-one-out is what refits without each row choose.

Code under test: `neighbors/_shepard/_base.py`, `neighbors/_shepard/_left_out_votes.py`.
"""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.neighbors import NearestNeighbors

from tests.helpers.neighbors_by_hand import (
    METRICS,
    metric_of,
    table_of_distances,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor
from tests.helpers.shepard_knn_loo_by_hand import (
    KS,
    N_ROWS,
    TUNED,
    assert_best_is_chosen,
    assert_loo_is_by_hand,
    bell,
    cases,
    draw_table,
    every_metric,
    every_tuning,
    sample_weights,
    scores_by_hand,
    tuning_params,
)

# Against loops


@every_metric
@every_tuning
@pytest.mark.parametrize("weighed", ["none", "integers", "small", "fractions"])
def test_the_curve_is_that_of_refits(metric, tuned, weighed):
    X, labels, numbers = draw_table(1, metric)
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
    X, labels, _ = draw_table(2)
    weight = sample_weights(weighed)
    if weight is not None:
        weight[17] = 0.6 if weighed == "fractions" else 2
    factors = {"a": 0.3, "c": 5.0} if class_weight == "dict" else class_weight
    D = table_of_distances(metric_of("euclidean", X), X, X)
    params = {"class_weight": factors, "loo_scoring": scoring}
    assert_loo_is_by_hand(classical_knn, X, D, labels, weight, tuned, **params)


@pytest.mark.parametrize("weights", ["uniform", "cosine", bell, np.reciprocal])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_other_weights(weights, weighed):
    metric = "cosine" if weights == "cosine" else "euclidean"
    X, labels, numbers = draw_table(3, metric)
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of(metric, X), X, X)
    params = {"weights": weights, "metric": metric}
    for estimator, y in cases(labels, numbers):
        assert_loo_is_by_hand(estimator, X, D, y, weight, "n_neighbors", **params)


@every_tuning
@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "cosine"])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_sparse_rows(metric, tuned, weighed):
    X, labels, numbers = draw_table(4, metric)
    X[np.random.default_rng(4).random(X.shape) < 0.3] = 0
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of(metric, X, weight), X, X)
    for estimator, y in cases(labels, numbers):
        assert_loo_is_by_hand(
            *(estimator, X, D, y, weight, tuned, sparse.csr_array(X)), metric=metric
        )


@pytest.mark.parametrize("fitted", [True, False])
@pytest.mark.parametrize("weights", ["inverse", "uniform", bell])
def test_an_engine(fitted, weights):
    X, labels, numbers = draw_table(5, duplicates=False)
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
        assert tried == [1, 2, 3, 4, 5, 7, 10, 14]


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


def learnt_params(metric, X):
    """Return a metric's parameters with what it learns of all rows."""
    if metric == "seuclidean":
        return {"V": np.var(X, axis=0, ddof=1)}
    if metric == "mahalanobis":
        return {"V": np.cov(X.T)}
    return METRICS[metric]


@every_metric
@pytest.mark.parametrize("tuned", ["n_neighbors", "both"])
def test_a_grid_search_over_refits_finds_the_same_curve(metric, tuned):
    X, _, numbers = draw_table(6, metric)
    lists, given = TUNED[tuned]
    params = {"metric": metric, "metric_params": learnt_params(metric, X)}
    loo = classical_knn_regressor(**tuning_params(tuned)[0], **params).fit(X, numbers)
    search = GridSearchCV(
        classical_knn_regressor(**params, **given),
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
        learnt = classical_knn_regressor(**tuning_params(tuned)[0], metric=metric)
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
    loo = classical_knn(
        "loo",
        power="loo",
        loo_candidates={"n_neighbors": ks, "power": powers},
        **params,
    ).fit(X, y)
    for position, (k, power) in enumerate(product(ks, powers)):
        guesses = np.empty((40, 2))
        for i in range(40):
            rest = np.arange(40) != i
            model = classical_knn(k, power=power, **params).fit(X[rest], y[rest])
            guesses[i] = model.predict_proba(X[i : i + 1])[0]
        counted = np.ones(40)
        if class_weight == "balanced":
            counted = (40 / (2 * np.bincount(y)))[y]
        elif class_weight:
            counted = np.where(y == 0, 3.0, 0.5)
        results = loo.loo_results_
        np.testing.assert_allclose(
            results["mean_accuracy"][position],
            np.average(guesses.argmax(axis=1) == y, weights=counted),
            rtol=1e-12,
        )
        np.testing.assert_allclose(
            results["mean_log_loss"][position],
            log_loss(y, guesses, sample_weight=counted),
            rtol=1e-12,
        )


def test_integer_weights_are_repetition():
    X, labels, numbers = draw_table(8)
    weight = sample_weights("integers")
    copies = np.repeat(np.arange(N_ROWS), weight.astype(int))
    for tuned, (estimator, y) in product(TUNED, cases(labels, numbers)):
        params = tuning_params(tuned)[0]
        one = estimator(metric="seuclidean", **params).fit(X, y, weight)
        other = estimator(metric="seuclidean", **params).fit(X[copies], y[copies])
        for name in one.loo_results_:
            if name.startswith(("mean", "standard_error")):
                np.testing.assert_allclose(
                    *(one.loo_results_[name], other.loo_results_[name]),
                    rtol=1e-10,
                    atol=1e-12,
                )
