"""Indicators of missing cells: which columns get one, and what they do to a model."""

import pickle

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import AODEClassifier, MEstimateNB
from sklearn_bayeslazy.testing import assert_same_predictions

CLASSES = [MEstimateNB, AODEClassifier]
each_class = pytest.mark.parametrize("kind", CLASSES)


def table(seed, n_rows=400, share_of=(0.2, 0.7)):
    """Return a frame whose missing cells of "test" depend on the class, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = pd.DataFrame(
        {
            "age": rng.normal(size=n_rows) + 0.5 * y,
            "test": rng.normal(size=n_rows),
            "town": rng.choice(["a", "b", "c"], size=n_rows).astype(object),
        }
    )
    X.loc[rng.random(n_rows) < np.array(share_of)[y], "test"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "town"] = None
    X.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    return X, y


@each_class
@pytest.mark.parametrize("seed", range(3))
def test_an_indicator_is_a_column_of_the_model(kind, seed):
    X, y = table(seed)
    model = kind().fit(X, y)
    assert model.missing_indicators_.tolist() == [1]
    by_hand = X.assign(**{"test is missing": X["test"].isna()})
    peer = kind(missing_indicators=False).fit(by_hand, y)
    assert peer.missing_indicators_.tolist() == []
    new, _ = table(seed + 100)
    new_by_hand = new.assign(**{"test is missing": new["test"].isna()})
    expected = peer.predict_joint_log_proba(new_by_hand)
    np.testing.assert_array_equal(model.predict_joint_log_proba(new), expected)
    np.testing.assert_array_equal(model.predict_proba(None), peer.predict_proba(None))
    np.testing.assert_array_equal(model.feature_weights_, peer.feature_weights_)
    if kind is MEstimateNB:
        importance = peer.feature_importances_ + peer.feature_importances_[3] * (
            np.arange(4) == 1
        )
        np.testing.assert_allclose(model.feature_importances_, importance[:3])
    # The term of a cell and that of its indicator are one term of the explanation.
    terms, of_peer = model.explain(new).terms, peer.explain(new_by_hand).terms
    np.testing.assert_array_equal(terms[:, 1], of_peer[:, 1] + of_peer[:, 3])
    np.testing.assert_array_equal(
        np.delete(terms, 1, axis=1), np.delete(of_peer, [1, 3], axis=1)
    )


@each_class
def test_left_out_rows_are_predicted_better_with_the_indicator(kind):
    X, y = table(1)
    losses = []
    for missing_indicators in (True, False):
        model = kind(missing_indicators=missing_indicators).fit(X, y)
        proba = model.predict_proba(None)
        losses.append(-np.log(proba[np.arange(len(y)), y]).mean())
    assert losses[0] < losses[1] - 0.03


@each_class
def test_cells_that_are_missing_by_chance_change_nothing(kind):
    n_with = 0
    for seed in range(20):
        X, y = table(seed, share_of=(0.3, 0.3))
        model = kind().fit(X, y)
        n_with += len(model.missing_indicators_) > 0
        if not len(model.missing_indicators_):
            without = kind(missing_indicators=False).fit(X, y)
            np.testing.assert_array_equal(
                model.predict_proba(X), without.predict_proba(X)
            )
    assert n_with <= 2


@each_class
def test_batches_merging_and_pickling_keep_the_indicator(kind):
    X, y = table(2)
    first, second, third = slice(0, 200), slice(200, 300), slice(300, 400)
    model = kind().partial_fit(X[first], y[first], classes=[0, 1])
    assert model.missing_indicators_.tolist() == [1]
    other = pickle.loads(pickle.dumps(model)).partial_fit(X[second], y[second])
    both = pickle.loads(pickle.dumps(other)).partial_fit(X[third], y[third])
    by_hand = X.assign(**{"test is missing": X["test"].isna()})
    peer = kind(missing_indicators=False)
    peer.partial_fit(by_hand[first], y[first], classes=[0, 1])
    peer.partial_fit(by_hand[second], y[second]).partial_fit(by_hand[third], y[third])
    np.testing.assert_array_equal(both.predict_proba(X), peer.predict_proba(by_hand))
    last = pickle.loads(pickle.dumps(model))
    last._forget_rows()
    last.partial_fit(X[third], y[third])
    assert_same_predictions(other.merge(last), both, X, tolerance=1e-12)
    without = kind(missing_indicators=False).partial_fit(X[first], y[first], [0, 1])
    with pytest.raises(ValueError, match="differ in"):
        both.merge(without)


@each_class
def test_the_order_of_rows_and_repetition_choose_alike(kind):
    X, y = table(3, n_rows=200)
    X["age"] = np.random.default_rng(9).normal(size=200)  # copies are left out together
    weight = np.random.default_rng(3).integers(1, 4, size=len(y))
    order = np.random.default_rng(4).permutation(len(y))
    model = kind().fit(X, y, weight)
    assert model.missing_indicators_.tolist() == [1]
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = kind().fit(X.iloc[rows], y[rows])
    shuffled = kind(n_jobs=2).fit(X.iloc[order], y[order], weight[order])
    for other in (repeated, shuffled):
        assert other.missing_indicators_.tolist() == [1]
        assert_same_predictions(model, other, X, tolerance=1e-6)


@pytest.mark.parametrize(
    "estimator",
    [
        MEstimateNB(feature_weights=None),
        MEstimateNB(feature_weights=[1, 1, 1]),
        MEstimateNB(m=[1, 2, 3]),
        MEstimateNB(prior=["uniform"] * 3),
        MEstimateNB(distribution=["gaussian", "gaussian", "categorical"]),
        AODEClassifier(weights=None),
    ],
    ids=str,
)
def test_without_learnt_weights_or_with_entries_of_columns_there_is_none(estimator):
    X, y = table(0)
    model = estimator.fit(X, y)
    assert model.missing_indicators_.tolist() == []
    assert np.isfinite(model.predict_proba(X)).all()


@each_class
def test_a_refit_forgets_the_indicator(kind):
    X, y = table(0)
    model = kind().fit(X, y)
    X = X.assign(test=X["age"].fillna(0.0))
    model.fit(X, y)
    assert model.missing_indicators_.tolist() == []
    without = kind(missing_indicators=False).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))


@each_class
def test_several_indicators_classes_and_arrays_of_numbers(kind):
    rng = np.random.default_rng(7)
    y = rng.integers(3, size=600)
    X = rng.normal(size=(600, 4))
    for column, share in ((0, (0.1, 0.5, 0.9)), (3, (0.6, 0.1, 0.1))):
        X[rng.random(600) < np.array(share)[y], column] = np.nan
    model = kind().fit(X, y)
    assert model.missing_indicators_.tolist() == [0, 3]
    peer = kind(missing_indicators=False)
    by_hand = pd.DataFrame(X).assign(a=np.isnan(X[:, 0]), b=np.isnan(X[:, 3]))
    peer.fit(by_hand.rename(columns=str), y)
    np.testing.assert_array_equal(
        model.predict_proba(X), peer.predict_proba(by_hand.rename(columns=str))
    )
    assert np.isfinite(model.predict_proba(np.full((1, 4), np.nan))).all()
    terms = model.explain(X).terms
    assert terms.shape[:2] == (600, 4 + (kind is AODEClassifier))
