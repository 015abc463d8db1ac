"""Columns whose missing cells tell the targets, against loops over left-out rows."""

import numpy as np
import pytest

from sklearn_bayeslazy.leave_one_out import informatively_missing
from sklearn_bayeslazy.tabular import read_table


def brute_force_gain(is_missing, targets, weight):
    """Return by how much each left-out row's squared error falls, from the others."""
    weight = weight * weight.sum() / (weight @ weight)  # of one row
    gains = []
    for i in range(len(targets)):
        others = np.arange(len(targets)) != i
        mean = weight[others] @ targets[others] / weight[others].sum()
        alike = others & (is_missing == is_missing[i])
        total = weight[alike] @ targets[alike] + mean
        predicted = total / (weight[alike].sum() + 1)
        gains.append(
            np.sum((targets[i] - mean) ** 2) - np.sum((targets[i] - predicted) ** 2)
        )
    return np.array(gains), weight


@pytest.mark.parametrize("are_classes", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_columns_tell_the_targets_as_by_brute_force(is_weighted, are_classes):
    rng = np.random.default_rng(5)
    n_rows, n_columns = 150, 12
    y = rng.integers(3, size=n_rows)
    X = rng.normal(size=(n_rows, n_columns))
    share = 0.2 + np.linspace(0, 0.75, n_columns) * (y[:, None] == 1)
    X[rng.random(X.shape) < share] = np.nan
    weight = rng.uniform(0.5, 2.0, n_rows) if is_weighted else np.ones(n_rows)
    numbers = 0.3 * rng.normal(size=(n_rows, 1)) + (y == 1)[:, None]
    targets = np.eye(3)[y] if are_classes else numbers
    expected = []
    for j in range(n_columns):
        gains, by = brute_force_gain(np.isnan(X[:, j]), targets, weight)
        mean, total = np.average(gains, weights=by), by.sum()
        squares = by @ (gains - mean) ** 2
        if mean > 2 * np.sqrt(squares / (total - 1) / total):
            expected.append(j)
    assert 2 <= len(expected) <= n_columns - 2  # the example is not trivial
    found = informatively_missing(read_table(X), targets.__getitem__, weight)
    assert found.tolist() == expected
    # Neither a common factor of the weights nor the order of rows changes them.
    order = rng.permutation(n_rows)
    targets = targets[order]
    found = informatively_missing(
        read_table(X[order]), targets.__getitem__, 1e9 * weight[order]
    )
    assert found.tolist() == expected


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_few_rows_and_columns_without_both_kinds_of_cells_tell_nothing(n_rows):
    X = np.full((n_rows, 2), np.nan)
    X[:, 1] = 1.0
    y = np.arange(n_rows, dtype=float)[:, None]
    found = informatively_missing(read_table(X), y.__getitem__, np.ones(n_rows))
    assert found.tolist() == []


def test_missing_labels_tell_too():
    X = np.array(
        [["a", None], ["b", None], [None, "c"], [None, None]] * 5, dtype=object
    )
    y = np.array([[0.0], [0.0], [1.0], [1.0]] * 5)
    found = informatively_missing(read_table(X), y.__getitem__, np.ones(20))
    assert found.tolist() == [0, 1]
