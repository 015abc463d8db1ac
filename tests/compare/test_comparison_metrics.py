"""The metrics, compared with scikit-learn's and with values by hand.

Code under test: `compare/_metrics.py`.
"""

import numpy as np
import pytest
from sklearn import metrics

from sklearn_bayeslazy.compare._metrics import (
    log_loss,
    rank_key,
    score_classification,
    score_regression,
)


@pytest.mark.parametrize("seed", range(5))
def test_scores_agree_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    classes = np.array(["a", "b", "c"])
    y, predicted = rng.choice(classes, size=(2, 50))
    proba = rng.dirichlet(np.ones(3), size=50)
    proba[0] = [1, 0, 0]
    proba[1] = [0, 0, 1]
    accuracy, loss = score_classification(y, predicted, proba, classes)
    assert accuracy == metrics.accuracy_score(y, predicted)
    assert loss == pytest.approx(metrics.log_loss(y, proba, labels=classes))
    truth, guess = rng.normal(size=(2, 50))
    r2, rmse = score_regression(truth, guess)
    assert r2 == metrics.r2_score(truth, guess)
    assert rmse == pytest.approx(metrics.root_mean_squared_error(truth, guess))


@pytest.mark.parametrize("unseen", ["a", "c", "z"])
def test_log_loss_of_a_class_absent_from_training(unseen):
    classes, proba = np.array(["b", "x"]), np.array([[0.5, 0.5]] * 2)
    loss = log_loss(np.array(["x", unseen]), proba, classes)
    assert loss == pytest.approx((np.log(2) - np.log(np.finfo(float).eps)) / 2)


def test_log_loss_of_certain_predictions_has_no_sign():
    classes = np.array(["a", "b"])
    assert not np.signbit(log_loss(classes, np.eye(2), classes))


def test_log_loss_without_probabilities_is_nan():
    y = np.array(["a", "b"])
    accuracy, loss = score_classification(y, y, None, y)
    assert accuracy == 1
    assert np.isnan(loss)


def test_rank_key_orders_by_accuracy_then_log_loss_and_nan_last():
    scores = [(0.9, 0.5), (0.9, 0.6), (0.9, np.nan), (0.8, 0.1), (np.nan, 0.1)]
    keys = [rank_key("classification", np.array(pair)) for pair in scores]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_rank_key_ignores_rounding_errors():
    near = rank_key("classification", (0.1 + 0.2, 0.4))
    assert near == rank_key("classification", (0.3, 0.4))
