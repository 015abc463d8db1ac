"""MyAdaBoost: kinds of labels and columns, importances, invalid input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.ensemble_learners import WeightRecorder, integer_table


def test_importances_are_shares_of_the_vote_weights():
    X, y = integer_table()
    model = MyAdaBoost(max_depth=1, n_estimators=9).fit(X, y)
    expected = np.zeros(5)
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        expected[stump.feature] += alpha / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.feature_importances_, expected)
    bayes = MyAdaBoost(GaussianNB(), n_estimators=2).fit(X, y)
    assert not hasattr(bayes, "feature_importances_")


def test_labels_of_any_kind():
    X, y = integer_table(100)
    for labels in (["no", "yes"], [False, True], [-1, 5], [2.0, 3.0]):
        classes = np.array(labels)
        model = MyAdaBoost(max_depth=1, n_estimators=5).fit(X, classes[y])
        assert model.predict(X).dtype == classes.dtype
        np.testing.assert_array_equal(model.classes_, classes)
        gini = MyAdaBoost(max_depth=1, n_estimators=5, criterion="gini").fit(
            X, classes[y]
        )
        trees = MyAdaBoost(DecisionTreeClassifier(max_depth=1), n_estimators=5)
        predicted = trees.fit(X, classes[y]).predict(X)
        np.testing.assert_array_equal(predicted, gini.predict(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_strings_and_missing_values(frame):
    # Rows with a missing colour are b, red ones a, all others c.
    colours = ["red", None, "blue", "red", "grey", None] * 10
    table = frame({"colour": colours, "size": [1.0, 2.0, None, 4.0, 5.0, 6.0] * 10})
    y = np.array(["a", "b", "c", "a", "c", "b"] * 10)
    (stump,) = (
        MyAdaBoost(max_depth=1).fit(table, y).estimators_
    )  # red, others, and missing
    assert "colour = red" in str(stump)
    assert str(stump).endswith("if missing")
    np.testing.assert_array_equal(stump.predict(table), y)
    model = MyAdaBoost(algorithm="samme").fit(table, y)
    assert model.score(table, y) == 1
    rules = [str(stump) for stump in model.estimators_]
    assert any("colour is missing" in rule for rule in rules)
    assert any("colour = red" in rule for rule in rules)
    new = frame({"colour": ["green", "red"], "size": [None, 1.0]})
    assert model.predict(new).shape == (2,)
    sized = MyAdaBoost(max_depth=1, n_estimators=2).fit(table[["size"]], y)
    with pytest.raises(TypeError, match="'size' held numbers at fit"):
        sized.predict(frame({"size": ["small", "large"]}))


def test_a_column_of_thousands_of_categories():
    rng = np.random.default_rng(0)
    common = rng.integers(0, 3, 3000)
    names = np.where(common == 0, "often", np.arange(3000).astype(str)).astype(object)
    y = (common == 0).astype(int)
    model = MyAdaBoost(max_depth=1, n_estimators=3).fit(names[:, None], y)
    assert str(model.estimators_[0]) == "1 if x0 = often else 0"
    assert model.score(names[:, None], y) == 1


@pytest.mark.parametrize("algorithm", ["auto", "samme", "m1", "mh", "gentle"])
@pytest.mark.parametrize("estimator", [None, classical_nb()])
def test_a_single_class_is_always_predicted(estimator, algorithm):
    if estimator is not None and algorithm in ("mh", "gentle"):
        pytest.skip("these boost stumps and trees only")
    model = MyAdaBoost(estimator, algorithm=algorithm).fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]) == ["a"]
    np.testing.assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])
    np.testing.assert_array_equal(model.margins([[5.0]], ["a"]), [1.0])


def test_constant_columns():
    with pytest.warns(ConvergenceWarning) as seen:
        model = MyAdaBoost(max_depth=1).fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert "not below 0.5" in str(seen[0].message)
    assert "most frequent class" in str(seen[1].message)
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]]), [[0.5, 0.5]])
    with pytest.warns(ConvergenceWarning, match="not below"):
        model = MyAdaBoost(max_depth=1).fit(np.ones((4, 2)), [0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]]), [[0.25, 0.75]])
    assert str(model.estimators_[0]) == "always 1"
    np.testing.assert_array_equal(model.feature_importances_, [0.0, 0.0])


def test_a_constant_stump_reads_no_column():
    """Strings may come at prediction in a column that was empty or constant in fit."""
    with pytest.warns(ConvergenceWarning):
        model = MyAdaBoost(max_depth=1).fit(np.full((3, 1), None), [0, 1, 1])
    assert model.predict(np.array([["word"]], dtype=object)) == [1]
    with pytest.warns(ConvergenceWarning):
        model = MyAdaBoost(max_depth=1).fit(np.ones((3, 1)), [0, 1, 1])
    assert model.predict([["word"]]) == [1]


def test_invalid_input():
    X, y = integer_table(50)
    broken = X.copy()
    broken[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity in column '2'"):
        MyAdaBoost(max_depth=1).fit(broken, y)
    model = MyAdaBoost(max_depth=1, n_estimators=3).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(broken, y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="max_bins"):
        MyAdaBoost(max_depth=1, max_bins=1).fit(X, y)
    with pytest.raises(ValueError, match="not in the classes"):
        model.margins(X, np.full(50, 7))

    class Odd(WeightRecorder):
        def predict(self, X):
            return np.full(len(X), "other")

        def __sklearn_clone__(self):
            return Odd(self.seen)

    with pytest.raises(ValueError, match="Odd predicts 'other', which is not one of"):
        MyAdaBoost(Odd([])).fit(X, y)

    class Short(Odd):
        def predict(self, X):
            return np.zeros(3)

        def __sklearn_clone__(self):
            return Short(self.seen)

    with pytest.raises(
        ValueError, match=r"Short predicts an array of shape \(3,\) for 50 rows"
    ):
        MyAdaBoost(Short([])).fit(X, y)
    for rate in (0, 1e308):
        with pytest.raises(ValueError, match="learning_rate"):
            MyAdaBoost(max_depth=1, learning_rate=rate).fit(X, y)
    wild = MyAdaBoost(max_depth=1, learning_rate=100).fit(X, y)
    assert np.isfinite(wild.predict_proba(X)).all()
    with pytest.raises(ValueError, match=r"unexpected arguments \['sample_wieght'\]"):
        MyAdaBoost(max_depth=1).fit(X, y, sample_wieght=y)


def test_ten_thousand_rounds():
    """Random labels: weights differ by many powers of ten, and stay finite."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = rng.integers(0, 2, 60)
    model = MyAdaBoost(max_depth=1, n_estimators=10_000).fit(X, y)
    assert len(model.estimators_) == 10_000
    assert np.isfinite(model.estimator_weights_).all()
    assert np.all(model.estimator_errors_ < 0.5)
    assert model.score(X, y) == 1
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    general = MyAdaBoost(tree, n_estimators=300, random_state=0).fit(X, y)
    gini = MyAdaBoost(max_depth=1, criterion="gini", n_estimators=300).fit(X, y)
    np.testing.assert_allclose(gini.estimator_errors_, general.estimator_errors_)
