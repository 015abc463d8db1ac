"""ImportanceDisplay: methods, bars, labels and errors."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bayeslazy import ImportanceDisplay, MEstimateNB, ShepardKNN, TextNB


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    return rng.normal(size=(80, 4)) + y[:, None] * [0.0, 2.0, 0.5, 1.0], y


@pytest.fixture(scope="module")
def model(table):
    return MEstimateNB().fit(*table)


def labels_of(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_the_attribute_is_drawn_from_the_most_important_column(model, pyplot):
    display = ImportanceDisplay.from_estimator(model)
    order = np.argsort(-model.feature_importances_, kind="stable")
    assert labels_of(display) == [f"x{j}" for j in order]
    widths = [bar.get_width() for bar in display.bars_]
    np.testing.assert_allclose(widths, model.feature_importances_[order])
    assert len(display.text_) == 4
    assert display.ax_.get_xlabel() == "feature_importances_"
    assert display.figure_ is display.ax_.figure
    assert display.frame()["importance"].tolist() == widths


def test_contributions_are_mean_sizes_of_effects(table, model, pyplot):
    X, _ = table
    display = ImportanceDisplay.from_estimator(model, X[:9], method="contribution")
    why = model.explain(X[:9])
    expected = np.mean([np.abs(why.effects(row)[1]) for row in range(9)], axis=0)
    np.testing.assert_allclose(display.importances, expected)
    assert display.ax_.get_xlabel() == "mean size of the contribution (log odds)"


def test_words_of_documents_are_summed_by_word():
    X = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 0], [0, 1, 1]])
    model = TextNB("laplace", temperature=1).fit(X, [0, 1, 0, 1])
    display = ImportanceDisplay.from_estimator(model, X, method="contribution")
    odds = np.abs(model.feature_log_prob_[0] - model.feature_log_prob_[1])
    shown = display.frame()["importance"]
    for j in range(3):
        assert shown[f"x{j}"] == pytest.approx(odds[j] * X[:, j].mean())


def test_permutation_is_that_of_scikit_learn(table, model, pyplot):
    X, y = table
    display = ImportanceDisplay.from_estimator(
        model, X, y, method="permutation", n_repeats=3, random_state=0
    )
    expected = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    np.testing.assert_allclose(display.importances, expected.importances_mean)
    np.testing.assert_allclose(display.errors, expected.importances_std)
    assert display.frame().columns.tolist() == ["importance", "std"]
    assert display.bars_.errorbar is not None


def test_auto_takes_what_is_there(table, model, pyplot):
    X, y = table
    knn = KNeighborsClassifier().fit(X, y)
    display = ImportanceDisplay.from_estimator(knn, X, y, random_state=0)
    assert display.ax_.get_xlabel() == "loss of score when the column is permuted"
    display = ImportanceDisplay.from_estimator(model, X, y)
    assert display.ax_.get_xlabel() == "feature_importances_"


def test_only_the_most_important_columns_are_drawn(pyplot):
    display = ImportanceDisplay(
        importances=np.arange(30.0), names=[f"c{j}" for j in range(30)], label="share"
    )
    display.plot(max_columns=3, color="k")
    assert labels_of(display) == ["c29", "c28", "c27"]
    assert display.ax_.get_title() == "3 most important of 30"
    assert display.bars_[0].get_facecolor() == (0.0, 0.0, 0.0, 1.0)
    assert len(display.frame()) == 30


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "gain"}, ValueError, "method must be one of .*, got 'gain'"),
        ({"method": "attribute"}, TypeError, "has no feature_importances_: pass X"),
        ({"method": "contribution"}, ValueError, 'method="contribution" needs X'),
        ({}, ValueError, 'method="permutation" needs X'),
    ],
)
def test_what_is_missing_is_named(table, arguments, error, message):
    knn = ShepardKNN(3).fit(*table)
    with pytest.raises(error, match=message):
        ImportanceDisplay.from_estimator(knn, **arguments)


def test_errors_of_estimators_and_bars(table, model, pyplot):
    X, y = table
    with pytest.raises(NotFittedError):
        ImportanceDisplay.from_estimator(MEstimateNB())
    knn = ShepardKNN(3).fit(X, y)
    with pytest.raises(ValueError, match="explains its predictions by training rows"):
        ImportanceDisplay.from_estimator(knn, X, method="contribution")
    knn = KNeighborsClassifier().fit(X, y)
    with pytest.raises(TypeError, match="KNeighborsClassifier has no method explain"):
        ImportanceDisplay.from_estimator(knn, X, method="contribution")
    with pytest.raises(ValueError, match='method="permutation" needs y'):
        ImportanceDisplay.from_estimator(model, X, method="permutation")
    with pytest.raises(ValueError, match="max_columns must be an integer ≥ 1, got 0"):
        ImportanceDisplay.from_estimator(model, max_columns=0)


def test_a_column_without_importance_is_drawn_without_a_warning(pyplot):
    importances, names = np.zeros(2), ["a", "b"]
    display = ImportanceDisplay(importances=importances, names=names, label="").plot()
    low, high = display.ax_.get_xlim()
    assert low == 0 < high
