"""Indicators of missing cells in ShepardKNN and in stored cases.

Code under test: `neighbors/_shepard/_stored_rows.py`.
"""

import pickle

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    EqualitySimilarity,
    ShepardKNN,
    ShepardKNNRegressor,
)
from sklearn_bayeslazy.testing import assert_same_predictions

CLASSIFIERS = [ShepardKNN, CaseBasedClassifier]
REGRESSORS = [ShepardKNNRegressor, CaseBasedRegressor]
CASES = [CaseBasedClassifier, CaseBasedRegressor]
every_kind = pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])


def table(kind, seed=0, n_rows=150):
    """Return rows whose missing cells of "test" tell the answers, and the answers."""
    rng = np.random.default_rng(seed)
    is_high = rng.random(n_rows) < 0.5
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["age", "test", "weight"])
    X.loc[rng.random(n_rows) < np.where(is_high, 0.8, 0.1), "test"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "weight"] = np.nan
    noise = rng.normal(scale=0.3, size=n_rows)
    y = is_high.astype(int) if kind in CLASSIFIERS else X["age"] + 2 * is_high + noise
    return X, np.asarray(y)


def by_hand(X):
    return X.assign(**{"test is missing": X["test"].isna()})


@every_kind
def test_an_indicator_is_a_column(kind):
    X, y = table(kind)
    model = kind().fit(X, y)
    assert model.missing_indicators_.tolist() == [1]
    equality = {"similarities": {"test is missing": EqualitySimilarity()}}
    peer = kind(missing_indicators=False, **equality if kind in CASES else {})
    peer.fit(by_hand(X), y)
    assert peer.missing_indicators_.tolist() == []
    new, _ = table(kind, seed=1, n_rows=40)
    np.testing.assert_array_equal(model.predict(new), peer.predict(by_hand(new)))
    np.testing.assert_array_equal(model.predict(None), peer.predict(None))
    explained, of_peer = model.explain(new), peer.explain(by_hand(new))
    assert explained.feature_names[3] == "test is missing"
    np.testing.assert_array_equal(explained.column_distances, of_peer.column_distances)
    assert {"age", "test", "weight"} <= set(explained.frame(0, X))
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict(new), loaded.predict(new))


def losses(model, X, y):
    """Return the log losses or squared errors of a fitted model."""
    if type(model) in REGRESSORS:
        return (model.predict(X) - y) ** 2
    return -np.log(model.predict_proba(X)[np.arange(len(y)), y])


@every_kind
def test_new_rows_are_predicted_better_with_the_indicator(kind):
    X, y = table(kind, n_rows=300)
    new, truth = table(kind, seed=1, n_rows=1000)
    with_indicator = losses(kind().fit(X, y), new, truth)
    without = losses(kind(missing_indicators=False).fit(X, y), new, truth)
    assert with_indicator.mean() < 0.97 * without.mean()


@every_kind
def test_cells_that_are_missing_by_chance_change_nothing(kind):
    n_with = 0
    for seed in range(10):
        X, y = table(kind, seed)
        X["test"] = np.where(np.arange(len(X)) % 3 == 0, np.nan, X["test"].fillna(0.0))
        n_with += len(kind(3, power=2).fit(X, y).missing_indicators_) > 0
    assert n_with <= 2


@every_kind
def test_repetition_and_the_order_of_rows_choose_alike(kind):
    X, y = table(kind)
    X["age"] = np.arange(len(X)) / 50  # no copies
    weight = np.random.default_rng(0).integers(1, 3, size=len(y))
    model = kind().fit(X, y, weight)
    assert model.missing_indicators_.tolist() == [1]
    rows = np.repeat(np.arange(len(y)), weight)
    order = np.random.default_rng(1).permutation(len(rows))
    repeated = kind().fit(X.iloc[rows[order]], y[rows[order]])
    assert repeated.missing_indicators_.tolist() == [1]
    assert_same_predictions(model, repeated, X, tolerance=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        ShepardKNN(metric="hvdm"),
        ShepardKNN(metric="heom"),
        ShepardKNN(feature_weights=[1, 1, 1]),
        ShepardKNNRegressor(feature_weights="loo"),
        CaseBasedClassifier(weights=None),
        CaseBasedRegressor(weights=[1, 2, 3]),
    ],
    ids=str,
)
def test_a_given_metric_or_given_weights_have_none(estimator):
    X, y = table(type(estimator))
    assert estimator.fit(X, y).missing_indicators_.tolist() == []
    assert np.isfinite(estimator.predict(X)).all()


@pytest.mark.parametrize("kind", CASES)
def test_stored_cases_are_completed_and_changed(kind):
    X, y = table(kind)
    model = kind().fit(X, y)
    new, answers = table(kind, seed=1, n_rows=20)
    filled, confidences = model.complete(new)
    assert list(filled) == list(new)
    assert not filled.isna().any().any()
    np.testing.assert_array_equal(np.isnan(confidences), ~new.isna())
    assert model.retrieve(new, 2).by_attribute.shape == (20, 2, 4)
    model.retain(new, answers).forget([0])
    together = kind().fit(pd.concat([X, new])[1:], np.append(y, answers)[1:])
    assert model.missing_indicators_.tolist() == [1]
    assert len(model.predict(None)) == len(together.predict(None)) == 169
