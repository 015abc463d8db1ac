"""Our estimators as members of scikit-learn's ensembles."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.metrics import log_loss

from sklearn_bayeslazy import (
    BeliefNetworkClassifier,
    HypothesisClassifier,
    LocallyWeightedEstimator,
    MyAdaBoost,
    ShepardKNN,
)
from sklearn_bayeslazy.testing import assert_on_simplex
from tests.helpers.classical_naive_bayes import classical_nb

ON_FRAMES = [
    classical_nb(),
    BeliefNetworkClassifier("naive"),
    MyAdaBoost(max_depth=1, n_estimators=10),
    HypothesisClassifier([classical_nb(0.1), classical_nb(10)], cv=2, noise=0.01),
]
ON_NUMBERS = [
    ShepardKNN(5, power=2, m=0, metric="nan_euclidean"),
    LocallyWeightedEstimator(classical_nb(), n_neighbors=30),
]


@pytest.fixture(scope="module")
def mixed():
    """Return a frame of strings and numbers with missing values, and classes."""
    rng = np.random.default_rng(0)
    strings = rng.choice(["x", "y", "z"], 160)
    numbers = rng.normal(size=160) + (strings == "x")
    y = np.where(numbers + rng.normal(scale=0.5, size=160) > 0.5, "yes", "no")
    frame = pd.DataFrame(
        {"string": strings, "number": numbers, "other": rng.random(160)}
    )
    return frame.mask(rng.random(frame.shape) < 0.1), y


def table_for(member, mixed):
    frame, y = mixed
    takes_frames = any(member is one for one in ON_FRAMES)
    if hasattr(member, "local_estimator"):  # fitted anew for every query
        frame, y = frame[:80], y[:80]
    return (frame if takes_frames else frame[["number", "other"]].to_numpy()), y


every_member = pytest.mark.parametrize("member", ON_FRAMES + ON_NUMBERS, ids=str)


@every_member
def test_bagging(member, mixed):
    X, y = table_for(member, mixed)
    rows = BaggingClassifier(member, n_estimators=4, random_state=0).fit(X, y)
    assert_on_simplex(rows.predict_proba(X))
    assert rows.score(X, y) > 0.7
    columns = BaggingClassifier(
        member, n_estimators=3, max_features=2, bootstrap=False, random_state=0
    ).fit(X, y)
    assert_on_simplex(columns.predict_proba(X))


@every_member
def test_voting(member, mixed):
    X, y = table_for(member, mixed)
    members = [("one", member), ("two", classical_nb(5))]
    for voting in ("hard", "soft"):
        model = VotingClassifier(members, voting=voting).fit(X, y)
        assert model.score(X, y) > 0.7


@every_member
def test_stacking(member, mixed):
    X, y = table_for(member, mixed)
    stack = StackingClassifier([("one", member), ("two", classical_nb(5))], cv=3)
    assert stack.fit(X, y).score(X, y) > 0.7
    assert_on_simplex(stack.predict_proba(X))


@every_member
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(member, method, mixed):
    X, y = table_for(member, mixed)
    model = CalibratedClassifierCV(member, method=method, cv=3).fit(X, y)
    assert_on_simplex(model.predict_proba(X))


def test_calibration_corrects_overconfident_boosting():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = (X[:, 0] + 2 * rng.normal(size=2000) > 0).astype(int)
    train, test = slice(0, 1000), slice(1000, 2000)
    model = MyAdaBoost(max_depth=1, n_estimators=1500)
    overconfident = model.fit(X[train], y[train]).predict_proba(X[test])
    calibrated = (
        CalibratedClassifierCV(model).fit(X[train], y[train]).predict_proba(X[test])
    )
    assert log_loss(y[test], calibrated) < log_loss(y[test], overconfident) - 0.01


def test_boosting_by_scikit_learn():
    """It needs sample_weight, and numbers in all columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    for member in (
        classical_nb(),
        BeliefNetworkClassifier("naive"),
        ShepardKNN(5, power=2, m=0),
    ):
        model = AdaBoostClassifier(member, n_estimators=3, random_state=0).fit(X, y)
        assert model.predict(X).shape == (120,)
