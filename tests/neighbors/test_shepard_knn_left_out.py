"""ShepardKNN predicts its training rows from all others, as refits without each do.

Code under test: `neighbors/_shepard/_stored_rows.py`.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from sklearn_bayeslazy import LSHNeighbors, ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.leave_one_out import MAX_LOG_LOSS
from sklearn_bayeslazy.neighbors._shepard._class_targets import ClassTargets
from tests.helpers.copies_by_hand import weights_without

N_ROWS = 30


def draw_rows(seed=0):
    """Return rows with many ties, classes and weights; the last class has one row."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (N_ROWS, 2)).astype(float)
    y = rng.integers(0, 3, N_ROWS)
    y[4] = 3
    return X, y, rng.integers(1, 4, N_ROWS).astype(float)


def probabilities_of_refits(model, X, y, weight):
    """Return each row's probabilities by a fit without it and its copies."""
    classes, refitted = np.unique(y), np.zeros((N_ROWS, len(np.unique(y))))
    for i in range(N_ROWS):
        model.fit(X, y, weights_without(X, y, weight, i))
        columns = np.searchsorted(classes, model.classes_)
        refitted[i, columns] = model.predict_proba(X[[i]])[0]
    return refitted


@pytest.mark.parametrize("n_neighbors", [4, None])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_those_of_refits(n_neighbors, class_weight, weighted):
    X, y, weight = draw_rows()
    if not weighted:
        weight = np.ones(N_ROWS)
    if class_weight == "balanced":  # a class without rows has no balanced weight
        y[4] = 0
    model = ShepardKNN(
        n_neighbors, power=2, m=1.5, metric="euclidean", class_weight=class_weight
    ).fit(X, y, weight)
    left_out, predicted = model.predict_proba(None), model.predict(None)
    score = model.score(None, y)
    assert_array_equal(predicted, np.argmax(left_out, axis=1))
    assert score == np.mean(predicted == y) < model.score(X, y)
    refitted = probabilities_of_refits(model, X, y, weight)
    assert_allclose(left_out, refitted, atol=1e-12)


@pytest.mark.parametrize("n_neighbors", [4, None])
def test_means_are_those_of_refits(n_neighbors):
    X, y, weight = draw_rows()
    targets = np.column_stack([y, y**2]).astype(float)
    model = ShepardKNNRegressor(n_neighbors, power=1, metric="manhattan")
    left_out = model.fit(X, targets, weight).predict(None)
    assert model.score(None, targets) < model.score(X, targets)
    for i in range(N_ROWS):
        without = weights_without(X, targets, weight, i)
        refitted = model.fit(X, targets, without).predict(X[[i]])
        assert_allclose(left_out[i], refitted[0], atol=1e-12)


def test_each_output_is_left_out_as_if_alone():
    X, y, _ = draw_rows()
    X += np.random.default_rng(1).uniform(size=X.shape) / 8  # no copies
    outputs = np.column_stack([y, y % 2])
    params = {"power": 1, "m": 2.0, "metric": "euclidean"}
    both = ShepardKNN(5, **params).fit(X, outputs)
    for v, shares in enumerate(both.predict_proba(None)):
        alone = ShepardKNN(5, **params).fit(X, outputs[:, v])
        assert_allclose(shares, alone.predict_proba(None), atol=1e-12)
        assert_array_equal(both.predict(None)[:, v], alone.predict(None))


@pytest.mark.parametrize("kind", ["table", "sparse", "feature_weights"])
def test_scores_are_those_of_the_chosen_candidate(kind):
    X, y, weight = draw_rows()
    params = {"feature_weights": "loo"} if kind == "feature_weights" else {}
    if kind == "table":  # symbols are encoded by the targets, without each row
        X = pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(int).astype(str)})
    elif kind == "sparse":
        X = sparse.csr_array(X)
    model = ShepardKNN(random_state=0, **params).fit(X, y, weight)
    log_likelihood = model.predict_log_proba(None)[np.arange(N_ROWS), y]
    best = np.argmin(model.loo_results_["rank"])
    assert_allclose(
        -np.average(np.maximum(log_likelihood, -MAX_LOG_LOSS), weights=weight),
        model.loo_results_["mean_log_loss"][best],
    )
    assert_allclose(
        model.score(None, y, weight), model.loo_results_["mean_accuracy"][best]
    )


def test_uniform_votes_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    ours = ShepardKNN(5, weights="uniform", m=0, metric="euclidean").fit(X, y)
    peer = KNeighborsClassifier(5).fit(X, y)
    assert_allclose(ours.predict_proba(None), peer.predict_proba(None))
    assert ours.score(None, y) == peer.score(None, y)
    for engine in (NearestNeighbors(), LSHNeighbors(recall=1.0)):
        model = ShepardKNN(5, weights="uniform", m=0, algorithm=engine).fit(X, y)
        assert_allclose(model.predict_proba(None), ours.predict_proba(None))


def test_rows_of_weight_zero_are_not_answered():
    X, y, _ = draw_rows()
    weight = np.ones(N_ROWS)
    weight[[3, 4, 9]] = 0
    kept = weight > 0
    model = ShepardKNN(3).fit(X, y, weight)
    without = ShepardKNN(3).fit(X[kept], y[kept])
    assert_array_equal(model.predict(None), without.predict(None))
    assert model.score(None, y) == model.score(None, y[kept])
    assert model.score(None, y, weight) == without.score(None, y[kept])


def test_answers_within_an_error_are_exact_for_left_out_rows():
    X, y, _ = draw_rows()
    rough = ShepardKNNRegressor(None, power=2, metric="euclidean", tol=0.1).fit(X, y)
    exact = ShepardKNNRegressor(None, power=2, metric="euclidean").fit(X, y)
    assert_array_equal(rough.predict(None), exact.predict(None))


def test_one_row_cannot_be_left_out():
    model = ShepardKNN(1, power=1, m=0).fit([[0.0]], ["a"])
    with pytest.raises(ValueError, match="X=None predicts each training row from"):
        model.predict(None)


def test_a_chunk_of_rows_gets_the_answers_of_all(monkeypatch):
    X, y, weight = draw_rows()
    model = ShepardKNN(4).fit(X, y, weight)
    whole, slices = model.predict_proba(None), []
    left_out_predictions = ClassTargets.left_out_predictions

    def by_slices(self, votes, rows):
        slices.append(len(rows))
        return left_out_predictions(self, votes, rows)

    def map_slices(function, n_rows, *_, **__):
        for start in range(0, n_rows, 7):
            function(slice(start, min(start + 7, n_rows)))

    monkeypatch.setattr(ClassTargets, "left_out_predictions", by_slices)
    monkeypatch.setattr(model, "_map", map_slices)
    assert_array_equal(model.predict_proba(None), whole)
    assert slices == [7, 7, 7, 7, 2]


# Scores of classes


def test_the_decision_function_is_the_lead_over_the_best_other_class():
    X = [[0.0], [1.0], [3.0]]
    model = ShepardKNN(None, power=2, m=0, metric="euclidean")
    two = model.fit(X, ["a", "b", "b"]).decision_function([[2.0], [0.0]])
    assert_allclose(two, [2 / 2.25 - 0.25 / 2.25, -1])
    three = model.fit(X, ["a", "b", "c"]).decision_function([[2.0]])
    assert_allclose(three, [[(0.25 - 1) / 2.25, 0, 0]])
    assert_array_equal(model.fit(X, ["a"] * 3).decision_function(X), [-1, -1, -1])


def test_the_decision_function_is_above_0_where_predict_returns_the_class():
    X, y, _ = draw_rows()
    model = ShepardKNN(4, power=0, m=0, metric="euclidean")
    model.fit(X, y % 2)
    leads = model.decision_function(None)
    assert (leads == 0).any()  # ties go to the first class
    assert_array_equal((leads > 0).astype(int), model.predict(None))
    model.fit(X, y)
    assert_array_equal(np.argmax(model.decision_function(X), axis=1), model.predict(X))
    model.fit(X, np.column_stack([y, y]))
    assert not hasattr(model, "decision_function")


def test_log_probabilities_may_be_infinite():
    X, y = [[0.0], [1.0]], ["a", "b"]
    model = ShepardKNN(1, power=1, m=0, metric="euclidean").fit(X, y)
    assert_array_equal(model.predict_log_proba(X), [[0, -np.inf], [-np.inf, 0]])
    several = model.fit(X, [["a", "c"], ["b", "c"]]).predict_log_proba([[0.0]])
    assert_array_equal(several[0], [[0, -np.inf]])
    assert_array_equal(several[1], [[0]])


@pytest.mark.parametrize("heavy", [1e20, 1e300])
def test_without_a_row_of_most_of_the_weight_the_others_remain(heavy):
    """(1 · 2 + 3 · 6) / 4 = 5; the classes 0 and 1 have the shares 1/4 and 3/4."""
    X, weight = np.arange(3.0)[:, None], [1.0, heavy, 3.0]
    rule = {"weights": "uniform", "metric": "euclidean"}
    means = ShepardKNNRegressor(None, **rule).fit(X, [2.0, 9.0, 6.0], weight)
    assert_allclose(means.predict(None)[1], 5.0)
    shares = ShepardKNN(None, m=0, **rule).fit(X, [0, 1, 1], weight)
    assert_allclose(shares.predict_proba(None)[1], [0.25, 0.75])
    tuned = ShepardKNNRegressor(metric="euclidean").fit(X, [2.0, 9.0, 6.0], weight)
    assert np.isfinite(tuned.loo_results_["mean_squared_error"]).all()
