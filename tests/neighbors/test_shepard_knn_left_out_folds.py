"""Rows with symbols are left out by a metric that has not seen their targets."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    ShepardKNN,
    ShepardKNNRegressor,
    ValueDifferenceEncoder,
)
from sklearn_bayeslazy.leave_one_out import spread_folds


def symbols(n, n_columns, seed):
    """Return columns of rare truth values, and classes that depend on their sum."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_columns)) < 0.5 / np.sqrt(1 + np.arange(n_columns))
    score = X @ np.resize([1.5, -2.0, 2.5], n_columns)
    y = score - np.median(score) + rng.logistic(size=n) > 0
    return pd.DataFrame(X).add_prefix("x"), np.where(y, "yes", "no")


def folds_of(X, y, targets):
    classes = np.unique(y, return_inverse=True)[1]
    codes = X.apply(lambda column: np.unique(column, return_inverse=True)[1])
    is_ordered = np.zeros(X.shape[1], dtype=bool)
    of_rows = classes, targets, np.ones(len(y))
    return list(spread_folds(codes.to_numpy(), is_ordered, *of_rows))


@pytest.mark.parametrize("metric", ["auto", "hvdm"])
@pytest.mark.parametrize("n_neighbors", [None, 59])
def test_points_of_a_fold_come_from_the_others(n_neighbors, metric):
    X, y = symbols(60, 4, seed=0)
    indicators = (np.array(["no", "yes"]) == y[:, None]).astype(float)
    folds = folds_of(X, y, indicators)
    assert sum(map(np.sum, folds)) == 60
    expected = np.empty((60, 2))
    for fold in folds:
        encoder = ValueDifferenceEncoder().fit(X[~fold], y[~fold])
        points = encoder.transform(X)
        for i in np.flatnonzero(fold):
            distance = np.linalg.norm(points - points[i], axis=1)
            distance[i] = np.inf
            distance[distance < 1e-9] = 0.0
            vote = 1 / distance if distance.min() > 0 else distance == 0
            expected[i] = vote @ indicators / vote.sum()
    model = ShepardKNN(
        n_neighbors, power=1, m=0, metric=metric, feature_weights=np.ones(4)
    )
    left_out = model.fit(X, y).predict_proba(None)
    assert_allclose(left_out, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_columns", [4, 12, 80])
@pytest.mark.parametrize(
    "model", [ShepardKNN(), ShepardKNN(metric="hvdm"), CaseBasedClassifier()]
)
def test_left_out_losses_are_those_of_new_rows(model, n_columns):
    X, y = symbols(2200, n_columns, seed=1)
    model.fit(X[:200], y[:200])
    left_out = model.predict_proba(None)
    losses = -np.log(left_out[np.arange(200), (y[:200] == "yes").astype(int)])
    new = log_loss(y[200:], model.predict_proba(X[200:]))
    assert abs(new - losses.mean()) < 3 * losses.std() / np.sqrt(200)
    assert new < np.log(2)


@pytest.mark.parametrize("n_values", [20, 50, 100])
@pytest.mark.parametrize("seed", range(3))
def test_one_column_of_chance_values_leaves_the_prior(n_values, seed):
    # If a fold could have rows of a value of one class and not those of another, or the
    # rows of one class of all values with as many rows of each, what remains of the
    # value would tell of the class.
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"value": rng.integers(n_values, size=1300).astype(str)})
    y = rng.integers(5, size=1300)
    prior = np.bincount(y[:300]) / 300
    model = ShepardKNN().fit(X[:300], y[:300])
    excess = (
        log_loss(y[300:], model.predict_proba(X[300:])) + np.log(prior[y[300:]]).mean()
    )
    assert excess < 0.04


def test_many_columns_of_numbers_are_not_relevant_by_chance():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1100, 150)), np.arange(1100) % 2
    model = ShepardKNN().fit(X[:100], y[:100])
    assert log_loss(y[:100], model.predict_proba(None)) > 0.65
    assert log_loss(y[100:], model.predict_proba(X[100:])) < 0.75


def test_numbers_are_predicted_from_symbols_as_new_rows_are():
    X, y = symbols(2200, 5, seed=2)
    y = X.to_numpy() @ np.arange(1.0, 6.0) + np.random.default_rng(0).normal(size=2200)
    model = ShepardKNNRegressor().fit(X[:200], y[:200])
    squares = (y[:200] - model.predict(None)) ** 2
    new = np.mean((y[200:] - model.predict(X[200:])) ** 2)
    assert abs(new - squares.mean()) < 3 * squares.std() / np.sqrt(200)


def test_rows_of_a_symbol_are_predicted_by_others_that_have_it():
    rng = np.random.default_rng(0)
    symbol = rng.integers(0, 10, 200)
    X, y = pd.DataFrame({"a": symbol.astype(str)}), symbol + rng.normal(size=200)
    left_out = ShepardKNNRegressor().fit(X, y).predict(None)
    assert np.mean((y - left_out) ** 2) < 1.5


class TestSpreadFolds:
    X, y = symbols(90, 3, seed=3)
    targets = (y == "yes")[:, None].astype(float)

    def test_copies_lie_in_different_folds(self):
        fold = np.argmax(folds_of(self.X, self.y, self.targets), axis=0)
        rows = self.X.assign(y=self.y, fold=fold)
        alike = rows.groupby([*self.X.columns, "y"])["fold"]
        n_folds, n_rows = alike.nunique(), alike.size()
        assert n_rows.max() > 8
        assert_array_equal(n_folds, np.minimum(n_rows, 8))

    def test_neither_order_nor_names_matter(self):
        order = np.random.default_rng(0).permutation(90)
        renamed = self.X.replace({True: "b", False: "a"})[["x2", "x0", "x1"]]
        for X in (self.X.iloc[order], renamed.iloc[order]):
            moved = folds_of(X, self.y[order], self.targets[order])
            for fold, other in zip(
                folds_of(self.X, self.y, self.targets), moved, strict=True
            ):
                # Which of several copies lie in a fold does not matter.
                rows = self.X.assign(y=self.y)
                one, two = rows[fold], rows.iloc[order][other]
                columns = list(rows.columns)
                pd.testing.assert_frame_equal(
                    one.sort_values(columns).reset_index(drop=True),
                    two.sort_values(columns).reset_index(drop=True),
                )
