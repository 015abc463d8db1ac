"""What leave-one-out chooses, against fits without each case.

Code under test: `neighbors/_cases/_attribute_weights.py`,
`neighbors/_cases/_case_model.py`.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.metrics import log_loss

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    EqualitySimilarity,
    NumberSimilarity,
    SetSimilarity,
    ShepardKNN,
    ShepardKNNRegressor,
    ValueDifferenceSimilarity,
)
from sklearn_bayeslazy.neighbors._cases._attribute_weights import (
    minimise_loss,
    soft_votes,
    weights_by_relevance,
)
from sklearn_bayeslazy.search import column_relevance
from sklearn_bayeslazy.tabular import read_table


def mixed_table(seed, n=30):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.choice(["p", "q", "r"], n),
            "b": rng.choice(["u", "v"], n),
            "c": rng.integers(0, 5, n).astype(float),
        }
    )
    X.loc[rng.random(n) < 0.1, "b"] = None
    y = ((X["a"] == "p").to_numpy() + rng.random(n) > 0.8).astype(int)
    return X, y


SYMBOLS = {"a": EqualitySimilarity(), "b": EqualitySimilarity()}
BY_RANGE = {**SYMBOLS, "c": NumberSimilarity()}
FIXED = {"similarities": BY_RANGE, "weights": [1, 2, 1], "missing": 0.3, "power": 2}


@pytest.mark.parametrize("k", [1, 4, None])
def test_the_score_of_a_candidate_is_that_of_fits_without_each_case(k):
    # Ranges are those of all cases: two cases have the least and the largest number.
    X, y = mixed_table(0)
    X.loc[:3, "c"] = [0.0, 4.0, 0.0, 4.0]
    distinct = ~X.assign(y=y).duplicated().to_numpy()
    X, y = X[distinct].reset_index(drop=True), y[distinct]
    candidates = {"n_neighbors": [k], "m": [0.5]}
    model = CaseBasedClassifier(loo_candidates=candidates, **FIXED).fit(X, y)
    losses = []
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        other = CaseBasedClassifier(k, m=0.5, **FIXED).fit(X.iloc[rest], y[rest])
        losses.append(-np.log(other.predict_proba(X.iloc[[i]])[0, y[i]]))
    found = model.loo_results_["mean_log_loss"][0]
    np.testing.assert_allclose(found, np.mean(losses), rtol=1e-9)


def test_value_differences_leave_out_the_target_of_the_case():
    X, y = mixed_table(1, 12)
    X = X[["a"]]
    model = CaseBasedClassifier(
        similarities={"a": ValueDifferenceSimilarity(m=2.0)}, weights=None, missing=0.5
    ).fit(X, y)
    queries = model._model.space.left_out_queries()[np.arange(12)]
    found = model._model.space.similarities(queries, np.tile(np.arange(12), (12, 1)))[
        :, :, 0
    ]
    prior, a = y.mean(), X["a"].to_numpy()

    def share(value, without=None):
        rows = [i for i in range(12) if a[i] == value and i != without]
        return (y[rows].sum() + 2 * prior) / (len(rows) + 2)

    def similarity(q, i):
        # With two classes half the sum of differences is the difference of one share.
        apart = abs(share(a[q], without=q) - share(a[i]))
        return 1.0 if a[q] == a[i] else 1 - apart

    expected = [[similarity(q, i) for i in range(12)] for q in range(12)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def learnt_votes(y, model):
    X, _ = mixed_table(3, 20)
    model.fit(X, y)
    return X, soft_votes(model._model, 0)


@pytest.mark.parametrize("kind", [CaseBasedClassifier, CaseBasedRegressor])
def test_the_loss_of_weights_is_that_of_votes_without_each_case(kind):
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=20)
    model = kind(similarities=SYMBOLS, weights=None, power=1, n_neighbors=3)
    X, votes = learnt_votes(y, model)
    weights = np.array([0.7, 2.0, 1.3])
    similarity = model.retrieve(X, 20)
    order = np.argsort(similarity.indices, axis=1)
    apart = 1 - np.take_along_axis(similarity.by_attribute, order[:, :, None], axis=1)
    numbers = (y - y.mean()) / y.std()
    expected = 0.0
    for q in range(20):
        others = [i for i in range(20) if i != q]
        vote = np.exp(-apart[q, others] @ weights)
        vote = vote / vote.max()
        if kind is CaseBasedRegressor:
            prior = 1e-3 * numbers[others].mean()
            mean = (vote @ numbers[others] + prior) / (vote.sum() + 1e-3)
            expected += (mean - numbers[q]) ** 2 / 2
        else:
            same = y[others] == y[q]
            p = (vote @ same + 1e-3 * same.mean()) / (vote.sum() + 1e-3)
            expected -= np.log(p)
    loss, gradient = votes.loss(weights)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    slope = approx_fprime(weights, lambda w: votes.loss(w)[0], 1e-2)
    np.testing.assert_allclose(gradient, slope, rtol=0.02, atol=0.02)


def test_learnt_weights_ignore_the_order_of_the_cases_and_repeat_weights():
    X, y = mixed_table(4, 40)
    expected = minimise_loss(soft_votes(fitted(X, y)._model, 0))
    order = np.random.default_rng(0).permutation(40)
    found = minimise_loss(soft_votes(fitted(X.iloc[order], y[order])._model, 0))
    np.testing.assert_allclose(found, expected, atol=2e-3)
    # Copies of numbers are left out together, as those of a weight are.
    X = X.assign(c=np.random.default_rng(2).normal(size=40))
    weight = np.random.default_rng(1).integers(0, 3, 40)
    rows = np.repeat(np.arange(40), weight)
    found = fitted(X, y, weight, "loo").weights_
    repeated = fitted(X.iloc[rows], y[rows], None, "loo").weights_
    np.testing.assert_allclose(found, repeated, atol=2e-3)


@pytest.mark.parametrize("cell", [7.0, "z", np.nan])
def test_learnt_weights_do_not_know_attributes_of_equal_cells(cell):
    X, y = mixed_table(4, 40)
    expected = minimise_loss(soft_votes(fitted(X, y)._model, 0))
    wide = X.assign(constant=cell)
    found = minimise_loss(soft_votes(fitted(wide, y)._model, 0))
    np.testing.assert_array_equal(found[:3], expected)
    assert minimise_loss(soft_votes(fitted(wide[["constant"]], y)._model, 0)) is None


def fitted(X, y, weight=None, weights=None):
    model = CaseBasedClassifier(3, weights=weights, power=1, m=1)
    return model.fit(X.reset_index(drop=True), y, weight)


def test_relevance_for_left_out_cases_comes_from_the_others():
    X, y = mixed_table(4, 40)
    root, power = weights_by_relevance(fitted(X, y)._model)
    relevance = column_relevance(read_table(X), np.eye(2)[y], np.ones(40))
    np.testing.assert_allclose(power.weights, np.maximum(relevance, 1e-3))
    assert len(power.of_parts) > 1
    seen = []
    for (rows, weights), (_, of_root) in zip(power.of_parts, root.of_parts):
        others = np.delete(np.arange(40), rows)
        table = read_table(X.iloc[others].reset_index(drop=True))
        relevance = column_relevance(table, np.eye(2)[y[others]], np.ones(len(others)))
        np.testing.assert_allclose(weights, np.maximum(relevance, 1e-3))
        np.testing.assert_allclose(of_root, np.sqrt(weights))
        seen.extend(rows)
    assert sorted(seen) == list(range(40))


def test_folds_of_cases_do_not_depend_on_their_order():
    X, y = mixed_table(4, 40)
    X["d"] = [frozenset(pair) for pair in zip(X["a"], X["c"])]
    sets = {"similarities": {"d": SetSimilarity()}, "weights": None}
    order = np.random.default_rng(0).permutation(40)
    models = [
        CaseBasedClassifier(3, **sets).fit(X.iloc[rows], y[rows])._model
        for rows in (np.arange(40), order)
    ]
    found = [weights_by_relevance(model)[1].of_parts for model in models]
    for (rows, weights), (moved, same) in zip(*found):
        # Some cases are alike but for their numbers.
        assert len(rows) == len(moved)
        np.testing.assert_allclose(weights, same)
    # Sets alone tell no fold.
    only = CaseBasedClassifier(3, **sets).fit(X[["d"]], y)._model
    assert [rows for rows, _ in weights_by_relevance(only)[0].of_parts] == [None]


def test_columns_of_chance_are_not_relevant():
    excess = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(640, 60)), rng.integers(2, size=640)
        model = CaseBasedClassifier().fit(X[:40], y[:40])
        prior = log_loss(y[40:], np.full(600, y[:40].mean()))
        excess.append(log_loss(y[40:], model.predict_proba(X[40:])) / prior)
    assert np.mean(excess) < 1.07


def test_an_attribute_that_decides_outweighs_those_of_noise():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["p", "q", "r"], (200, 5)), columns=list("abcde"))
    y = ((X["c"] == "q").to_numpy() ^ (rng.random(200) < 0.1)).astype(int)
    # By equality: value differences would not tell the others' values apart.
    equal = {name: EqualitySimilarity() for name in X}
    model = CaseBasedClassifier(similarities=equal).fit(X, y)
    assert np.delete(model.weights_, 2).max() < 0.6 * model.weights_[2]


@pytest.mark.parametrize("k", [1, 5, None])
def test_numbers_alone_give_the_answers_of_shepards_method(k):
    # Within the range of the cases a number differs by abs(a - b) / range, as Gower.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    Q = rng.uniform(X.min(axis=0), X.max(axis=0), size=(20, 3))
    y = (X[:, 0] > 0).astype(int)
    by_range = {"similarities": [NumberSimilarity()] * 3}
    found = CaseBasedClassifier(k, weights=None, power=2, m=1, **by_range).fit(X, y)
    expected = ShepardKNN(k, metric="gower", power=2, m=1).fit(X, y)
    np.testing.assert_allclose(
        found.predict_proba(Q), expected.predict_proba(Q), atol=1e-12
    )
    found = CaseBasedRegressor(k, weights=[1, 2, 0], power=3, **by_range)
    found.fit(X, X[:, 1])
    expected = ShepardKNNRegressor(
        k, metric="gower", feature_weights=[1, 2, 0], power=3
    ).fit(X, X[:, 1])
    np.testing.assert_allclose(found.predict(Q), expected.predict(Q), atol=1e-12)


def test_votes_by_similarity():
    X, y = [["a", "u"], ["a", "v"], ["b", "v"]], [0, 0, 1]
    model = CaseBasedClassifier(
        3,
        similarities={0: EqualitySimilarity(), 1: EqualitySimilarity()},
        weights=None,
        vote="similarity",
        m=0,
    ).fit(X, y)
    # Similarities of (b, v) to the cases: 0, 1/2, 1.
    np.testing.assert_allclose(model.predict_proba([["b", "v"]]), [[1 / 3, 2 / 3]])
    assert clone(model).fit(X, y).power_ is None
