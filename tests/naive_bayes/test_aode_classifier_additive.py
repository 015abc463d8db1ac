"""AODEClassifier: order and weights of rows, threads, partial_fit, merge."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import AODEClassifier
from sklearn_bayeslazy.testing import assert_same_predictions
from tests.helpers.aode_tables import mixed_table, nominal_table

PUBLISHED = AODEClassifier(m=1.0, weights=None, n_bins=4, binning="quantile")
LEAVE_ONE_OUT = AODEClassifier()
every_way = pytest.mark.parametrize(
    "estimator",
    [
        PUBLISHED,
        LEAVE_ONE_OUT,
        AODEClassifier(loo_scoring="accuracy", min_count=3),
        AODEClassifier(weights=None),
        AODEClassifier(
            m="laplace", weights=None, n_bins=4, binning="mdlp", max_pair_counts=500
        ),
    ],
    ids=str,
)


@every_way
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_changes_nothing(estimator, seed):
    X, y = mixed_table(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    one = clone(estimator).fit(X, y)
    other = clone(estimator).fit(X[order], y[order])
    assert_same_predictions(one, other, X, tolerance=1e-7)


@every_way
def test_a_weight_is_repetition_and_zero_is_removal(estimator):
    X, y = mixed_table(3)
    weight = np.random.default_rng(3).integers(0, 4, size=len(y))
    weighted = clone(estimator).fit(X, y, weight)
    repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same_predictions(weighted, repeated, X, tolerance=1e-6)
    # Row 0 alone has the class 9 and the category "only"; its weight is 0.
    X, y = np.vstack([X[:1], X]), np.append(9, y)
    X[0, 2] = "only"
    weighted = clone(estimator).fit(X, y, np.append(0, weight))
    assert weighted.classes_.tolist() == [0, 1, 2]
    assert "only" not in weighted.categories_[2]
    np.testing.assert_allclose(
        weighted.predict_proba(X[1:]), repeated.predict_proba(X[1:]), atol=1e-6
    )


@every_way
def test_threads_give_the_same_bits(estimator):
    X, y = mixed_table(4, n_rows=3000)
    one = clone(estimator).set_params(n_jobs=1).fit(X, y)
    two = clone(estimator).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.explain(X).terms, two.explain(X).terms)


def assert_same_counts(model, other):
    counts, others = model._model.counts, other._model.counts
    np.testing.assert_allclose(counts.values, others.values, rtol=1e-12)
    np.testing.assert_allclose(counts.pairs, others.pairs, rtol=1e-12)
    np.testing.assert_allclose(model.class_count_, other.class_count_, rtol=1e-12)
    for found, expected in zip(model.categories_, other.categories_):
        assert (found is None) == (expected is None)
        assert found is None or found.tolist() == expected.tolist()


@pytest.mark.parametrize("cuts", [[50], [1, 2, 199], list(range(10, 200, 10))])
def test_batches_of_categories_give_the_model_of_one_fit(cuts):
    rows, y = nominal_table(1, n_rows=200)
    X, y = np.array(rows, dtype=object), np.array(y)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], size=200)
    # Each batch needs a cell in each column: the kind of a column is that of its cells.
    X[0] = ["a", "u", "p", "x"]
    one = clone(PUBLISHED).fit(X, y, weight)
    batches = clone(PUBLISHED)
    for rows in np.split(np.arange(200), cuts):
        batches.partial_fit(X[rows], y[rows], [0, 1, 2], weight[rows])
    assert_same_counts(batches, one)
    assert_same_predictions(batches, one, X, tolerance=1e-10)


@pytest.mark.parametrize("estimator", [PUBLISHED, LEAVE_ONE_OUT])
def test_the_first_batch_fixes_the_choices_and_later_ones_are_counted(estimator):
    X, y = mixed_table(5, n_rows=600)
    first, second, third = (slice(i, i + 200) for i in (0, 200, 400))
    a = clone(estimator).partial_fit(X[first], y[first], [0, 1, 2])
    chosen = a.m_, a.super_parents_.tolist(), a.averaged_weight_
    weights = None if a.feature_weights_ is None else a.feature_weights_.tolist()
    start = copy.deepcopy(a)
    a.partial_fit(X[second], y[second]).partial_fit(X[third], y[third])
    assert (a.m_, a.super_parents_.tolist(), a.averaged_weight_) == chosen
    if weights is not None:
        assert a.feature_weights_.tolist() == weights
    b = copy.deepcopy(start).partial_fit(X[200:], y[200:])
    assert_same_counts(a, b)
    assert_same_predictions(a, b, X, tolerance=1e-10)
    gap = np.abs(a.predict_proba(X) - start.predict_proba(X)).max()
    assert gap > 0.01
    # The counts are those of all rows: the published method on the same bins.
    assert a.class_count_.tolist() == np.bincount(y).tolist()


@pytest.mark.parametrize("estimator", [PUBLISHED, LEAVE_ONE_OUT])
def test_merged_models_have_learnt_the_rows_of_both(estimator):
    X, y = mixed_table(6, n_rows=600)
    X[450, 2] = "new"
    start = clone(estimator).partial_fit(X[:200], y[:200], [0, 1, 2])
    whole = copy.deepcopy(start).partial_fit(X[200:], y[200:])
    a = copy.deepcopy(start).partial_fit(X[200:400], y[200:400])
    # `b` also holds the first batch: count the first 200 rows twice in `whole`.
    b = copy.deepcopy(start).partial_fit(X[400:], y[400:])
    whole.partial_fit(X[:200], y[:200])
    expected = b.predict_proba(X)
    merged = a.merge(b)
    assert merged is a
    assert_same_counts(a, whole)
    assert_same_predictions(a, whole, X, tolerance=1e-10)
    np.testing.assert_array_equal(b.predict_proba(X), expected)


def test_published_models_of_different_classes_merge():
    rows, y = nominal_table(2, n_rows=150)
    X, y = np.array(rows, dtype=object), np.array(y)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    half = np.searchsorted(y, 2)
    a, b = clone(PUBLISHED).fit(X[:half], y[:half]), clone(PUBLISHED)
    whole = clone(PUBLISHED).fit(X, y)
    a.merge(b.fit(X[half:], y[half:]))
    assert_same_counts(a, whole)
    assert_same_predictions(a, whole, X, tolerance=1e-10)


def test_models_with_unequal_choices_do_not_merge():
    X, y = mixed_table(7, n_rows=400)
    a = AODEClassifier().fit(X[:200], y[:200])
    b = AODEClassifier().fit(X[200:], y[200:])
    before = a.predict_proba(X)
    with pytest.raises(ValueError, match="The two models differ in m"):
        a.merge(b)
    np.testing.assert_array_equal(a.predict_proba(X), before)
    labels = np.array(list("abcd"))[np.arange(400) % 4, None]
    one = clone(PUBLISHED).fit(labels, y)
    with pytest.raises(ValueError, match="differ in m"):
        one.merge(clone(PUBLISHED).set_params(m=2.0).fit(labels, y))
    with pytest.raises(ValueError, match="differ in their columns"):
        one.merge(clone(PUBLISHED).fit(np.hstack([labels, labels]), y))
    early = clone(PUBLISHED).fit(X[:100], y[:100])
    late = clone(PUBLISHED).fit(X[100:], y[100:])
    with pytest.raises(ValueError, match="cut into different bins"):
        early.merge(late)
    with pytest.raises(TypeError, match="another AODEClassifier"):
        a.merge("model")


def test_weights_belong_to_their_classes():
    # Constant columns: both models choose the same weights, for other classes.
    X = np.full((20, 2), "a", dtype=object)
    y = np.arange(20) % 2
    a, b = AODEClassifier().fit(X, y), AODEClassifier().fit(X, 2 * y)
    with pytest.raises(ValueError, match=r"belong to the classes \[0, 1\]"):
        a.merge(b)


@pytest.mark.parametrize("estimator", [PUBLISHED, LEAVE_ONE_OUT])
def test_a_failed_batch_leaves_the_model(estimator):
    X, y = mixed_table(8)
    model = clone(estimator).fit(X, y)
    before, expected = vars(model).copy(), model.predict_proba(X)
    labels_as_numbers = X.copy()
    labels_as_numbers[:, 2] = 1.0
    infinite = X.copy()
    infinite[0, 0] = np.inf
    for batch, classes, error in (
        (labels_as_numbers, None, TypeError),
        (infinite, None, ValueError),
        (X[:, :3], None, ValueError),
        (X, [0, 1], ValueError),
    ):
        with pytest.raises(error):
            model.partial_fit(batch, y, classes)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    model.partial_fit(X, y)


def test_a_pickle_goes_on_learning():
    X, y = mixed_table(9, n_rows=400)
    model = AODEClassifier().fit(X[:200], y[:200])
    copied = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[200:], y[200:])
    copied.partial_fit(X[200:], y[200:])
    assert_same_predictions(model, copied, X, tolerance=0)
    model.fit(X, y)  # forgets all
    assert_same_predictions(model, AODEClassifier().fit(X, y), X, tolerance=0)


def test_a_saved_model_has_the_pairs_that_occur():
    """Ten columns of up to 500 categories: most of their pairs are in no row."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, np.linspace(100, 500, 10).astype(int), size=(800, 10))
    X, y = X.astype(str).astype(object), rng.integers(0, 2, 800)
    model = AODEClassifier().fit(X, y)
    saved = pickle.dumps(model)
    assert len(saved) < 200 * X.size
    assert_same_predictions(model, pickle.loads(saved), X, tolerance=0)


def test_min_count_is_read_anew_by_later_batches():
    X, y = mixed_table(5)
    model = clone(PUBLISHED).partial_fit(X, y, classes=[0, 1, 2])
    model.set_params(min_count=120).partial_fit(X, y)
    X2, y2 = np.vstack([X, X]), np.append(y, y)
    expected = clone(PUBLISHED).set_params(min_count=120).fit(X2, y2)
    assert_same_predictions(model, expected, X, tolerance=1e-12)
    former = clone(PUBLISHED).fit(X2, y2)
    assert np.abs(former.predict_proba(X) - expected.predict_proba(X)).max() > 1e-3


def test_a_column_without_values_in_the_first_batch_becomes_a_super_parent():
    X, y = nominal_table(0, n_rows=40)
    X = np.array(X, dtype=object)
    X[:10, 1] = None
    batches = clone(PUBLISHED).partial_fit(X[:10], y[:10], np.unique(y))
    batches.partial_fit(X[10:], y[10:])
    whole = clone(PUBLISHED).fit(X, y)
    assert_same_predictions(batches, whole, X, tolerance=1e-12)
    np.testing.assert_array_equal(batches.super_parents_, whole.super_parents_)
