"""Probabilities of ShepardKNN are m-estimates; m is chosen as refits would choose.

Code under test: `neighbors/_shepard/_class_targets.py`.
"""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from tests.helpers.neighbors_by_hand import (
    average,
    classification_loo,
    metric_of,
    probabilities,
    table_of_distances,
    votes_and_number,
    without,
)
from tests.helpers.shepard_knn_classical import euclidean_knn

N_ROWS = 26


def draw_table(seed):
    """Draw rows, some of them equal, of three classes, one of which has one row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 2))
    X[9] = X[4]
    X[13] = X[14] = X[2]
    y = np.array(["a", "b", "c"])[(X[:, 0] + rng.normal(size=N_ROWS) > 0) * 1]
    y[17] = "c"
    return X, y, np.vstack([rng.normal(size=(6, 2)), X[[2, 5]]])


def draw_weights(kind, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return None
    if kind == "integers":
        return rng.integers(1, 4, size=N_ROWS).astype(float)
    return rng.uniform(0.05, 2.5, size=N_ROWS)


ALL_MS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
PRIORS = {"marginal": "marginal", "uniform": "uniform", "array": [0.5, 0.2, 0.3]}
# Sparse rows differ only in how they are searched: one kind of weights is enough.
every_weight_and_container = pytest.mark.parametrize(
    ("kind", "container"),
    [
        ("none", np.asarray),
        ("integers", np.asarray),
        ("fractions", np.asarray),
        ("integers", sparse.csr_array),
    ],
)
every_prior = pytest.mark.parametrize("prior", PRIORS)
every_class_weight = pytest.mark.parametrize(
    "class_weight", [None, "balanced", {"a": 3.0}], ids=str
)


@every_weight_and_container
@every_prior
@every_class_weight
def test_probabilities_are_those_of_the_definition(
    kind, prior, class_weight, container
):
    X, y, Q = draw_table(1)
    weight = draw_weights(kind)
    D = table_of_distances(metric_of("euclidean", X), Q, X)
    for k, power, m in product((1, 4, None), (0, 1.0, 2.0, 5.0), (0.0, 0.3, 20.0)):
        rule = {"power": power, "m": m, "prior": PRIORS[prior]}
        model = euclidean_knn(k, class_weight=class_weight, **rule)
        model.fit(container(X), y, weight)
        expected = probabilities(D, y, weight, class_weight, k=k, **rule)
        np.testing.assert_allclose(
            model.predict_proba(container(Q)), expected, atol=1e-12
        )
        assert model.m_ == m


@every_weight_and_container
@every_prior
@every_class_weight
def test_leave_one_out_is_a_refit_for_each_row(kind, prior, class_weight, container):
    X, y, _ = draw_table(2)
    weight = draw_weights(kind, seed=2)
    D = table_of_distances(metric_of("euclidean", X), X, X)
    lists = {
        "n_neighbors": [1, 5, None],
        # Equal votes of all rows, balanced, tie: a rounding would decide the accuracy.
        "power": [0.5 if class_weight == "balanced" else 0, 1.0, 2.0, 7.0],
        "m": [0, 0.1, 4.0],
    }
    model = euclidean_knn(
        loo_candidates=lists, prior=PRIORS[prior], class_weight=class_weight
    ).fit(container(X), y, weight)
    results = model.loo_results_
    candidates = [dict(zip(lists, values)) for values in product(*lists.values())]
    assert results["params"] == candidates
    for i, one in enumerate(candidates):
        rule = {"k": one["n_neighbors"], "power": one["power"], "m": one["m"]}
        scores, importance = classification_loo(
            D, y, weight, class_weight, prior=PRIORS[prior], **rule
        )
        for name, values in scores.items():
            mean, error = average(values, importance)
            np.testing.assert_allclose(
                results[f"mean_{name}"][i], mean, rtol=1e-11, atol=1e-12
            )
            np.testing.assert_allclose(
                results[f"standard_error_{name}"][i], error, rtol=1e-9, atol=1e-12
            )
    best = int(np.argmin(results["rank"]))
    least = candidates[int(np.argmin(results["mean_log_loss"]))]
    assert {**candidates[best], "m": None} == {**least, "m": None}
    for name, value in candidates[best].items():
        assert getattr(model, f"{name}_") == value


@pytest.mark.parametrize("class_weight", [None, {1: 3.0}], ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_m_is_chosen_with_half_a_row_for_whose_class_no_row_votes(seed, class_weight):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), np.zeros(40, dtype=int)
    y[:6], X[:6] = 1, X[:6] + 2.5  # few rows of a class, most of them predicted rightly
    weight = rng.uniform(0.5, 2.0, 40) if seed % 2 else np.ones(40)
    D = table_of_distances(metric_of("euclidean", X), X, X)
    lists = {"n_neighbors": [2, 9], "power": [0.0, 2.0], "m": [0.001, 0.1, 2.0, 9.0]}
    model = euclidean_knn(loo_candidates=lists, class_weight=class_weight)
    model.fit(X, y, weight)
    scores = {}
    for k, power, m in product(*lists.values()):
        rule = {"k": k, "power": power}
        losses, importance = classification_loo(D, y, weight, class_weight, m=m, **rule)
        mean, _ = average(losses["log_loss"], importance)
        unvoted = [
            np.log1p(votes_and_number(D[i], without(weight, i), **rule)[1] / m)
            for i in range(40)
        ]
        n_equal_rows = importance.sum() ** 2 / (importance @ importance)
        more, _ = average(np.array(unvoted), importance)
        scores[k, power, m] = mean, mean + more / 2 / n_equal_rows
    k, power, _ = min(scores, key=lambda one: scores[one][0])
    m = min(lists["m"], key=lambda m: scores[k, power, m][1])
    assert (model.n_neighbors_, model.power_, model.m_) == (k, power, m)


def test_a_rare_class_is_not_taken_as_certain():
    """All rows of a rare class lie together; new rows of it may not."""
    rng = np.random.default_rng(0)
    y = (np.arange(400) < 8).astype(int)
    X = rng.normal(size=(400, 2)) + 9.0 * y[:, None]
    model = euclidean_knn().fit(X, y)
    rows = list(zip(model.loo_results_["params"], model.loo_results_["mean_log_loss"]))
    least = min(rows, key=lambda row: row[1])[0]
    assert model.m_ > least["m"]
    assert model.predict_proba([[0.0, 0.0]])[0, 1] > 1e-4


def test_no_probability_is_0_or_1_by_default():
    X, y, Q = draw_table(3)
    for params in ({}, {"n_neighbors": 1}, {"n_neighbors": None, "power": 2}):
        p = euclidean_knn(**params).fit(X, y).predict_proba(np.vstack([Q, X]))
        assert p.min() > 0
        assert p.max() < 1


def test_an_exact_hit_by_hand():
    """Two hits of weight 1 and 2 are 3 votes: n = 9 / 3."""
    X, y = [[0.0], [0.0], [5.0], [6.0]], ["a", "b", "b", "b"]
    model = euclidean_knn(None, power=2, m=2).fit(X, y, [1, 2, 1, 1])
    # Prior 1/5 and 4/5: (1 + 2/5) / 5 and (2 + 8/5) / 5.
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[1.4 / 5, 3.6 / 5]])


def test_the_weight_of_the_prior_grows_with_m():
    X, y, Q = draw_table(4)
    prior = np.array([0.2, 0.3, 0.5])
    far = euclidean_knn(5, m=1e90, prior=prior).fit(X, y).predict_proba(Q)
    np.testing.assert_allclose(far, np.tile(prior, (len(Q), 1)), rtol=1e-12)


def test_the_loo_scoring_decides():
    X, y, _ = draw_table(5)
    for scoring, name, sign in (
        (None, "log_loss", 1),
        ("log_loss", "log_loss", 1),
        ("accuracy", "accuracy", -1),
    ):
        results = euclidean_knn(loo_scoring=scoring).fit(X, y).loo_results_
        values = sign * results[f"mean_{name}"]
        of_best = results["params"][np.argmin(results["rank"])]
        alike = [
            value
            for one, value in zip(results["params"], values)
            if {**one, "m": None} == {**of_best, "m": None}
        ]
        assert min(alike) <= values.min() + 1e-12


def test_default_candidates():
    X, y, _ = draw_table(6)
    X = X + np.arange(len(X))[:, None] / 1000  # no copies
    tried = euclidean_knn().fit(X, y).loo_results_["params"]
    few_rows = {one["m"] for one in tried}
    assert few_rows == {m for m in ALL_MS if m >= 2 / len(X)}
    assert {one["power"] for one in tried} == {0, 1, 2, 4, 8, 16}
    ks = {1, 2, 3, 4, 5, 7, 10, 14, 20, None}
    assert {one["n_neighbors"] for one in tried} == ks
    only = euclidean_knn(3, power=2).fit(X, y).loo_results_["params"]
    assert [set(one) for one in only] == [{"m"}] * len(few_rows)


def test_tol_has_no_m():
    X, y, _ = draw_table(7)
    model = euclidean_knn(None, power=2, tol=0.01).fit(X, y)
    assert model.m_ == 0
    assert not hasattr(model, "loo_results_")
    euclidean_knn(None, power=2, tol=0.01, m=0).fit(X, y)
    with pytest.raises(ValueError, match=r"m=2.* set m=0, or drop tol"):
        euclidean_knn(None, power=2, tol=0.01, m=2).fit(X, y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"m": -1}, "'m' parameter"),
        ({"m": np.inf}, "'m' parameter"),
        ({"m": "auto"}, "'m' parameter"),
        ({"prior": "equal"}, "'prior' parameter"),
        ({"prior": [0.5, 0.5]}, r"prior has shape \(2,\); it needs \(3,\)"),
        ({"prior": [0.5, 0.5, 0.5]}, "prior must be ≥ 0 and sum to 1"),
        ({"prior": [1.5, -0.5, 0.0]}, "prior must be ≥ 0 and sum to 1"),
        ({"loo_candidates": {"m": [-1]}}, r"loo_candidates\['m'\] holds -1"),
        ({"m": 1, "loo_candidates": {"m": [1]}}, "loo_candidates names 'm'"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(params, message):
    X, y, _ = draw_table(8)
    with pytest.raises(ValueError, match=message):
        euclidean_knn(**params).fit(X, y)
