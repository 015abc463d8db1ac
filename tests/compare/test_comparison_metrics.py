"""The metrics, compared with scikit-learn's and with values by hand.

Code under test: `compare/_metrics.py`.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier, DummyRegressor

from sklearn_bayeslazy.compare._metrics import METRICS, log_loss, metrics_for, rank_key

ACCURACY, LOG_LOSS = METRICS["classification"].values()
R2, RMSE = METRICS["regression"].values()


def table(y, task="classification"):
    return SimpleNamespace(y=np.asarray(y), task=task)


@pytest.mark.parametrize("seed", range(5))
def test_scores_agree_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    classes = np.array(["a", "b", "c"])
    y, predicted = rng.choice(classes, size=(2, 50))
    proba = rng.dirichlet(np.ones(3), size=50)
    proba[0] = [1, 0, 0]
    proba[1] = [0, 0, 1]
    found = ACCURACY.compute(y, predicted, proba, classes)
    assert found == metrics.accuracy_score(y, predicted)
    loss = LOG_LOSS.compute(y, predicted, proba, classes)
    assert loss == pytest.approx(metrics.log_loss(y, proba, labels=classes))
    truth, guess = rng.normal(size=(2, 50))
    assert R2.compute(truth, guess, None, None) == metrics.r2_score(truth, guess)
    rmse = RMSE.compute(truth, guess, None, None)
    assert rmse == pytest.approx(metrics.root_mean_squared_error(truth, guess))


@pytest.mark.parametrize(
    ("name", "shown", "is_higher"),
    [
        ("roc_auc", "roc auc", True),
        ("average_precision", "average precision", True),
        ("f1", "f1", True),
        ("balanced_accuracy", "balanced accuracy", True),
        ("neg_brier_score", "brier score", False),
        ("neg_log_loss", "log loss", False),
        ("matthews_corrcoef", "matthews corrcoef", True),
    ],
)
@pytest.mark.parametrize("labels", [["no", "yes"], [3, 7], [0, 1]])
def test_a_scorer_of_scikit_learn_ranks_labels_of_any_kind(
    name, shown, is_higher, labels
):
    rng = np.random.default_rng(0)
    codes, predicted = rng.integers(2, size=(2, 40))
    proba = rng.dirichlet(np.ones(2), size=40)
    labels = np.array(labels)
    ranking, other = metrics_for(table(labels[codes]), name)
    assert (ranking.name, ranking.higher_is_better) == (shown, is_higher)
    assert other is ACCURACY

    class Given(DummyClassifier):
        def predict(self, X):
            return predicted

        def predict_proba(self, X):
            return proba

    model = Given().fit(np.zeros((40, 1)), codes)
    expected = metrics.get_scorer(name)(model, np.zeros((40, 1)), codes)
    found = ranking.compute(labels[codes], labels[predicted], proba, labels)
    assert found == pytest.approx(expected if is_higher else -expected)


def test_a_class_that_training_lacks_has_probability_0():
    y = np.array(["a", "b", "c", "a", "b", "c"])
    ranking, _ = metrics_for(table(y), "roc_auc_ovr")
    proba = np.array([[0.9, 0.1], [0.2, 0.8]] * 3)
    found = ranking.compute(y, y, proba, np.array(["a", "b"]))
    whole = np.c_[proba, np.zeros(6)]
    assert found == pytest.approx(metrics.roc_auc_score(y, whole, multi_class="ovr"))


def test_a_scorer_of_numbers():
    y = np.array([1.5, 2.5, 4.0, 8.0])
    ranking, other = metrics_for(table(y, "regression"), "neg_mean_absolute_error")
    assert (ranking.name, ranking.higher_is_better) == ("mean absolute error", False)
    assert other is R2
    assert ranking.compute(y, y + 1, None, None) == 1
    model = DummyRegressor().fit(np.zeros((4, 1)), y)
    ranking, _ = metrics_for(table(y, "regression"), "explained_variance")
    assert ranking.compute(y, model.predict(y[:, None]), None, None) == 0


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("classification", "r2"),
        ("classification", "rmse"),
        ("classification", "neg_mean_absolute_error"),
        ("regression", "accuracy"),
        ("regression", "log_loss"),
        ("regression", "roc_auc"),
        ("regression", "f1_macro"),
    ],
)
def test_a_scorer_of_the_other_task_is_refused(task, name):
    with pytest.raises(ValueError, match=rf"--scoring {name} is for \w+, and the task"):
        metrics_for(table([0, 1, 0], task), name)


@pytest.mark.parametrize("unseen", ["a", "c", "z"])
def test_log_loss_of_a_class_absent_from_training(unseen):
    classes, proba = np.array(["b", "x"]), np.array([[0.5, 0.5]] * 2)
    loss = log_loss(np.array(["x", unseen]), None, proba, classes)
    assert loss == pytest.approx((np.log(2) - np.log(np.finfo(float).eps)) / 2)


def test_log_loss_of_certain_predictions_has_no_sign():
    classes = np.array(["a", "b"])
    assert not np.signbit(log_loss(classes, None, np.eye(2), classes))


def test_log_loss_without_probabilities_is_nan():
    y = np.array(["a", "b"])
    assert np.isnan(log_loss(y, y, None, y))


def test_rank_key_orders_by_accuracy_then_log_loss_and_nan_last():
    scores = [(0.9, 0.5), (0.9, 0.6), (0.9, np.nan), (0.8, 0.1), (np.nan, 0.1)]
    keys = [rank_key((ACCURACY, LOG_LOSS), np.array(pair)) for pair in scores]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_rank_key_ignores_rounding_errors():
    near = rank_key((ACCURACY, LOG_LOSS), (0.1 + 0.2, 0.4))
    assert near == rank_key((ACCURACY, LOG_LOSS), (0.3, 0.4))
