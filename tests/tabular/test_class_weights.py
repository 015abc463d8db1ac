"""`class_weight` of every classifier has the effect of sample weights."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LinearRegression
from sklearn.utils.class_weight import compute_sample_weight

from sklearn_bayeslazy import (
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    LanguageModelNB,
    LocallyWeightedEstimator,
    MEstimateNB,
    MyAdaBoost,
    NumberSimilarity,
    ShepardKNN,
    TextNB,
)
from sklearn_bayeslazy.tabular import class_factors, times_class_weight
from tests.helpers.ecosystem_tables import INSTANCES, draw_counts

# Of these two `class_weight` multiplies votes: k counts rows, whatever their class, and
# so do the ranks by which cases are compared.
BY_RANGE = [NumberSimilarity()] * 4
BY_VOTES = {
    ShepardKNN: ShepardKNN(None, power=2, m=0, metric="euclidean"),
    CaseBasedClassifier: CaseBasedClassifier(
        None, power=2, m=0, similarities=BY_RANGE, weights=None
    ),
}
CLASSIFIERS = [
    BY_VOTES.get(type(one), one)
    for one in INSTANCES
    if is_classifier(one) and not isinstance(one, TextNB)
]
CLASSIFIERS.append(LanguageModelNB())
DOCUMENTS = ["a b", "b c", "a a c", "c d", "d d b", "a d", "b b", "c"] * 4

every_classifier = pytest.mark.parametrize(
    "classifier", CLASSIFIERS, ids=lambda one: type(one).__name__
)


def draw_rows(classifier):
    """Return rows of the classes "rare" and "usual", and weights of them."""
    X, y = draw_counts(classifier)
    if isinstance(classifier, LanguageModelNB):
        X, y = DOCUMENTS, np.arange(len(DOCUMENTS)) % 2
    y = np.where((y == 1) & (np.arange(len(y)) % 3 == 0), "rare", "usual")
    return X, y, 1.0 + np.arange(len(y)) % 2


def probabilities(classifier, X, y, sample_weight=None, **params):
    model = clone(classifier).set_params(**params).fit(X, y, sample_weight)
    # Rows near those of the fit: a stored row determines the class of its copies.
    return model.predict_proba(X if isinstance(X, list) else X + 0.5)


def test_counts_of_words_take_sample_weights_only():
    # scikit-learn's check of `class_weight` gives negative numbers to fit.
    with pytest.raises(TypeError, match="pass the weights of rows to fit"):
        TextNB(class_weight="balanced")


@every_classifier
@pytest.mark.parametrize("class_weight", [{"rare": 3.0}, "balanced"])
def test_class_weights_equal_sample_weights(classifier, class_weight):
    X, y, _ = draw_rows(classifier)
    weight = compute_sample_weight(class_weight, y)
    found = probabilities(classifier, X, y, class_weight=class_weight)
    np.testing.assert_allclose(
        found, probabilities(classifier, X, y, weight), atol=1e-10
    )
    assert np.abs(found - probabilities(classifier, X, y)).max() > 1e-3


@every_classifier
def test_class_weights_multiply_sample_weights(classifier):
    X, y, weight = draw_rows(classifier)
    found = probabilities(classifier, X, y, weight, class_weight={"rare": 2.0})
    both = weight * np.where(y == "rare", 2.0, 1.0)
    np.testing.assert_allclose(found, probabilities(classifier, X, y, both), atol=1e-10)


@every_classifier
@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("equal", "'class_weight' parameter"),
        ([1.0, 2.0], "'class_weight' parameter"),
        ({"rere": 2.0}, "class_weight names 'rere', which is not one of the classes"),
        ({"rare": 0.0}, "class_weight must hold numbers from"),
        ({"rare": -1.0}, "class_weight must hold numbers from"),
        ({"rare": np.nan}, "class_weight must hold numbers from"),
        ({"rare": "2"}, "class_weight must be"),
    ],
)
def test_errors_name_the_parameter(classifier, class_weight, message):
    X, y, _ = draw_rows(classifier)
    model = clone(classifier).set_params(class_weight=class_weight)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


@every_classifier
def test_batches_refuse_balanced(classifier):
    if not hasattr(classifier, "partial_fit"):
        pytest.skip("it has no partial_fit")
    X, y, _ = draw_rows(classifier)
    model = clone(classifier).set_params(class_weight="balanced")
    if isinstance(classifier, CaseBasedClassifier):  # it stores all rows of all batches
        model.partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
        expected = probabilities(classifier, X, y, class_weight="balanced")
        np.testing.assert_allclose(model.predict_proba(X + 0.5), expected, atol=1e-10)
        return
    with pytest.raises(ValueError, match=r"class_weight='balanced' is not for partial"):
        model.partial_fit(X, y, classes=["rare", "usual"])


@pytest.mark.parametrize(
    "classifier",
    [
        MEstimateNB(1, distribution="gaussian", feature_weights=None),
        BeliefNetworkClassifier("naive", m=1, prior="uniform", calibration=None),
    ],
    ids=lambda one: type(one).__name__,
)
def test_batches_equal_one_fit(classifier):
    X, y, weight = draw_rows(classifier)
    model = clone(classifier).set_params(class_weight={"rare": 4.0})
    if isinstance(model, BeliefNetworkClassifier):
        X = X.astype(int).astype(str)  # bins would be those of the first batch
    expected = clone(model).fit(X, y, weight).predict_proba(X)
    for part in (slice(0, 24), slice(24, None)):
        model.partial_fit(X[part], y[part], ["rare", "usual"], weight[part])
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    blocks = [(X[:10], y[:10], weight[:10]), (X[10:], y[10:], weight[10:])]
    blockwise = clone(model).fit_blocks(blocks)
    np.testing.assert_allclose(blockwise.predict_proba(X), expected, atol=1e-12)


def test_rows_without_a_label_keep_their_weight():
    weight = np.array([1.0, 2.0, 4.0])
    codes = np.array([-1, 0, 1])
    found = times_class_weight(weight, "balanced", np.array(["a", "b"]), codes)
    np.testing.assert_allclose(found, [1, 2 * 6 / (2 * 2), 4 * 6 / (2 * 4)])


def test_balanced_counts_weights_and_classes_that_have_rows():
    classes, sums = np.array(["a", "b", "c"]), np.array([6.0, 0.0, 2.0])
    np.testing.assert_allclose(
        class_factors("balanced", classes, sums), [8 / (2 * 6), 1, 8 / (2 * 2)]
    )


def test_a_fold_may_lack_a_class_that_has_a_factor():
    class_weight = {"a": 1.0, "b": 2.0, "rare": 20.0}
    found = class_factors(class_weight, np.array(["a", "b"]), np.ones(2))
    np.testing.assert_array_equal(found, [1, 2])


def test_products_that_overflow_are_refused():
    with pytest.raises(ValueError, match="too large or too small for float64"):
        MEstimateNB(1, class_weight={1: 1e100}).fit([[0], [1]], [0, 1], [1.0, 1e250])


def test_a_class_is_worth_the_rows_that_repeat_it():
    X, y = [[0.0], [0.0], [1.0]], ["a", "b", "b"]
    tripled = MyAdaBoost(max_depth=1).fit([*X, [0.0], [0.0]], [*y, "a", "a"])
    weighted = MyAdaBoost(max_depth=1, class_weight={"a": 3}).fit(X, y)
    np.testing.assert_allclose(weighted.predict_proba(X), tripled.predict_proba(X))


def test_local_regression_has_no_classes():
    model = LocallyWeightedEstimator(LinearRegression(), class_weight={0: 2.0})
    with pytest.raises(ValueError, match=r"class_weight=.* is for classifiers"):
        model.fit([[0.0], [1.0]], [0.0, 1.0])
