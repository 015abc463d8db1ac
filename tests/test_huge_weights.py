"""Sample weights near the largest floats, in models with fitted log-linear weights."""

from functools import partial

import numpy as np
import pytest

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    HypothesisClassifier,
    MEstimateNB,
    MyAdaBoost,
    RBFNetworkRegressor,
    ShepardKNN,
)

pytestmark = pytest.mark.filterwarnings("error")
MODELS = [AODEClassifier(), BeliefNetworkClassifier(), MEstimateNB()]


def named(model):
    return type(model).__name__


def overlapping_classes():
    """Return a table whose classes overlap, so that weights have a finite limit."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=float)
    y = (np.arange(40) % 10 < 2 + 5 * X[:, 0]).astype(int)
    return X, y


@pytest.mark.parametrize("model", MODELS, ids=named)
def test_huge_weights_are_no_scale(model):
    """Beyond 1e100 virtual examples vanish beside the rows."""
    # With fewer rows folds choose a penalty, for which virtual examples matter.
    X, y = (np.concatenate([part, part]) for part in overlapping_classes())
    expected = model.fit(X, y).predict_proba(X)
    for weight in (1e12, 1e90):
        found = model.fit(X, y, np.full(80, weight)).predict_proba(X)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    for weight in (1e290, 1e300, 1e301):
        found = model.fit(X, y, np.full(80, weight)).predict_proba(X)
        np.testing.assert_allclose(found, expected, rtol=0, atol=0.05)
        np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("model", MODELS, ids=named)
def test_huge_weights_beside_tiny_ones_count_alone(model):
    # The huge ones alone are enough rows for one penalty of weights of columns.
    X, y = (np.concatenate([part, part]) for part in overlapping_classes())
    is_huge = np.arange(80) < 60
    both = model.fit(X, y, np.where(is_huge, 1e300, 1e-300)).predict_proba(X)
    assert np.isfinite(both).all()
    alone = model.fit(X[is_huge], y[is_huge], np.full(60, 1e300)).predict_proba(X)
    np.testing.assert_allclose(both, alone, rtol=0, atol=1e-6)


def test_trees_of_rows_whose_weights_underflow_are_those_of_the_others():
    X, y = overlapping_classes()
    is_huge = np.arange(40) % 4 > 0
    # Folds would be of other rows.
    model = MyAdaBoost(n_estimators=5, n_folds=None, max_weight=None)
    both = model.fit(X, y, np.where(is_huge, 1e300, 1e-300)).predict_proba(X)
    alone = model.fit(X[is_huge], y[is_huge], np.full(30, 1e300)).predict_proba(X)
    np.testing.assert_allclose(both, alone, rtol=0, atol=1e-6)


def test_a_weighted_sum_of_counts_that_overflows():
    X, y = np.full((30, 1), 1e9), np.arange(30) % 2
    proba = MEstimateNB(feature_weights=None).fit(X, y, np.full(30, 1e300))
    np.testing.assert_allclose(proba.predict_proba(X), 0.5)


@pytest.mark.parametrize("model", MODELS, ids=named)
def test_perfectly_predicted_rows_of_huge_weight(model):
    X = np.arange(5.0)[:, None] % 2
    proba = model.fit(X, X[:, 0], np.array([1e300, 1e-300] * 2 + [1e300]))
    np.testing.assert_allclose(proba.predict_proba(X).sum(axis=1), 1)


def test_boosted_trees_of_tiny_weights_beside_huge_ones():
    X, y = overlapping_classes()
    weight = np.where(np.arange(40) < 30, 1e300, 1e-300)
    model = MyAdaBoost(n_estimators=5, random_state=0).fit(X, y, sample_weight=weight)
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_sum_of_weights_that_overflows_in_products_is_refused():
    X, y = overlapping_classes()
    with pytest.raises(ValueError, match=r"above 1e\+303. Divide the weights"):
        MEstimateNB().fit(X, y, np.full(40, 1e302))


def test_a_number_of_pair_counts_above_64_bits_is_no_bound():
    X, y = overlapping_classes()
    bounded = AODEClassifier(max_pair_counts=10**400).fit(X, y)
    expected = AODEClassifier().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(bounded.predict_proba(X), expected)


def test_equal_hypotheses_share_the_posterior_of_huge_weights():
    X, y = overlapping_classes()
    model = HypothesisClassifier(
        [("a", MEstimateNB(m=1)), ("b", MEstimateNB(m=1))], cv=2
    )
    model.fit(X, y, sample_weight=np.full(40, 1e300))
    np.testing.assert_allclose(model.posterior_, 0.5)


def test_more_folds_than_64_bits_leave_out_one_distinct_row():
    X, y = overlapping_classes()
    plain = partial(MEstimateNB, distribution="gaussian", feature_weights=None)
    hypotheses = [("a", plain()), ("b", plain(var_smoothing=0.1))]
    found = HypothesisClassifier(hypotheses, cv=10**400).fit(X, y)
    expected = HypothesisClassifier(hypotheses, cv=1000).fit(X, y)
    np.testing.assert_array_equal(found.posterior_, expected.posterior_)


def test_centers_at_the_largest_floats_are_finite():
    X = (
        np.random.default_rng(0).choice([-1, 0, 1], size=(30, 3))
        * 1.7976931348623157e308
    )
    try:
        model = RBFNetworkRegressor().fit(X, np.arange(30) % 3)
    except ValueError:  # a refusal is right too
        return
    assert np.isfinite(model.centers_).all()


def test_balanced_classes_of_vanishing_weight_are_refused():
    X, y = overlapping_classes()
    model = ShepardKNN(class_weight="balanced")
    with pytest.raises(ValueError, match="that of 1 is too small beside the others"):
        model.fit(X, y, np.where(y, 1e-300, 1e300))
