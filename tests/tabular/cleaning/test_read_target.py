"""Targets: numbers with a few cells that are none, codes, and classes.

Code under test: `tabular/cleaning/_kinds.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.tabular.cleaning import read_target


def column(cells):
    return np.array(cells, dtype=object)


@pytest.mark.parametrize(
    "marker", ["NA", "#N/A", "<NA>", ".", "-", "n.d.", "?", "<0.5"]
)
@pytest.mark.parametrize("n_values", [2, 20])
def test_markers_in_a_numeric_target(marker, n_values):
    cells = [str(i % n_values) for i in range(200)]
    cells[7] = marker
    y, note = read_target(column(cells), "y")
    assert y.dtype == float
    assert np.flatnonzero(np.isnan(y)).tolist() == [7]
    assert note == ("cells such as '<0.5' become missing (1)" * (marker == "<0.5"))


def test_words_in_a_numeric_target_are_counted():
    y, note = read_target(column([str(i) for i in range(100)] + ["refused"] * 2), "y")
    assert (np.isnan(y).sum(), note) == (
        2,
        "cells such as 'refused' become missing (2)",
    )


@pytest.mark.parametrize(
    "cells",
    [
        [f"{1 + i % 30:02}" for i in range(60)],
        ["yes", "no", "Yes"] * 20,
        ["1", "2", "maybe"] * 20,
        ["a", "b", "NA"] * 20,
        ["+", "-"] * 20,
        [True, False] * 20,
    ],
)
def test_classes_stay_strings(cells):
    y, note = read_target(column(cells), "y")
    expected = [np.nan if cell == "NA" else str(cell) for cell in cells]
    assert note == ""
    assert y.dtype == object
    assert all(a == b or (a != a and b != b) for a, b in zip(y, expected))


def test_numbers_with_units():
    y, _ = read_target(column(["1.200,50 €", "7,5 €"] * 10), "y")
    assert y[:2].tolist() == [1200.5, 7.5]
    typed, _ = read_target(np.arange(3), "y")
    assert typed.tolist() == [0, 1, 2]
