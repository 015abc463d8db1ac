"""The data sets: their shapes, and numbers worked out in the textbooks."""

import sys
from math import isclose, prod

import numpy as np
import pytest

from sklearn_bayeslazy import datasets
from sklearn_bayeslazy.datasets import (
    load_buys_computer,
    load_evade,
    load_horse_colic,
    load_play_tennis,
)

SHAPES = {
    "load_play_tennis": (14, 4),
    "load_buys_computer": (14, 4),
    "load_evade": (10, 3),
    "load_horse_colic": (368, 22),
}
LOADERS = [getattr(datasets, name) for name in SHAPES]


def joint(X, y, row, label):
    """Return P(label) times the product of P(cell | label), by counting."""
    inside = X[y == label]
    shares = [(inside[:, j] == cell).mean() for j, cell in enumerate(row)]
    return (y == label).mean() * prod(shares)


def test_every_loader_is_tested_here():
    assert sorted(SHAPES) == sorted(datasets.__all__)


@pytest.mark.parametrize("load", LOADERS)
def test_the_bunch_has_the_stated_shape(load):
    bunch = load()
    rows, columns = SHAPES[load.__name__]
    assert bunch.data.shape == (rows, columns)
    assert bunch.target.shape == (rows,)
    assert bunch.target.dtype.kind == "U"
    assert len(bunch.feature_names) == columns
    assert bunch.target_names.tolist() == sorted(set(bunch.target))
    assert bunch.frame is None
    assert "Source:" in bunch.DESCR
    with open(bunch.filename, encoding="utf-8") as lines:
        assert sum(1 for _ in lines) == rows + 1


@pytest.mark.parametrize("load", LOADERS)
def test_cells_are_strings_or_floats_column_by_column(load):
    for column in load().data.T:
        present = [cell for cell in column if cell == cell]
        assert len({type(cell) for cell in present}) == 1
        assert isinstance(present[0], str | float)
        assert all(isinstance(cell, float) for cell in column if cell != cell)


@pytest.mark.parametrize("load", LOADERS)
def test_frame_agrees_with_arrays(load):
    pd = pytest.importorskip("pandas")
    bunch = load(as_frame=True)
    X, y = load(return_X_y=True)
    assert bunch.frame.shape == (X.shape[0], X.shape[1] + 1)
    assert list(bunch.data.columns) == bunch.feature_names
    assert bunch.target.tolist() == y.tolist()
    cells = bunch.data.to_numpy(dtype=object)
    assert ((cells == X) | (pd.isna(cells) & (X != X))).all()
    X_frame, y_series = load(return_X_y=True, as_frame=True)
    pd.testing.assert_frame_equal(X_frame, bunch.data)
    pd.testing.assert_series_equal(y_series, bunch.target)


@pytest.mark.parametrize("load", LOADERS)
def test_arguments_are_keyword_only(load):
    with pytest.raises(TypeError, match="positional"):
        load(True)


def test_as_frame_without_pandas_names_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"as_frame=True needs pandas.*pip install"):
        load_evade(as_frame=True)


@pytest.mark.parametrize("load", LOADERS)
def test_arrays_need_no_pandas(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert load().frame is None


def test_play_tennis_gives_mitchells_numbers():
    X, y = load_play_tennis(return_X_y=True)
    saturday = ("sunny", "cool", "high", "strong")
    assert isclose(joint(X, y, saturday, "yes"), 9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9)
    assert isclose(joint(X, y, saturday, "no"), 5 / 14 * 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5)
    assert round(joint(X, y, saturday, "yes"), 4) == 0.0053
    assert round(joint(X, y, saturday, "no"), 4) == 0.0206


def test_buys_computer_gives_the_textbooks_numbers():
    X, y = load_buys_computer(return_X_y=True)
    customer = ("<=30", "medium", "yes", "fair")
    assert isclose(joint(X, y, customer, "yes"), 9 / 14 * 2 / 9 * 4 / 9 * 6 / 9 * 6 / 9)
    assert isclose(joint(X, y, customer, "no"), 5 / 14 * 3 / 5 * 2 / 5 * 1 / 5 * 2 / 5)
    assert set(X[:, 0]) == {"<=30", "31...40", ">40"}


def test_evade_gives_the_textbooks_numbers():
    X, y = load_evade(return_X_y=True)
    income = X[:, 2].astype(float)
    assert (y == "No").mean() == 7 / 10
    assert (X[y == "No", 1] == "Married").mean() == 4 / 7
    assert (X[y == "Yes", 0] == "Yes").mean() == 0
    assert (income[y == "No"].mean(), income[y == "No"].var(ddof=1)) == (110, 2975)
    assert (income[y == "Yes"].mean(), income[y == "Yes"].var(ddof=1)) == (90, 25)


def test_horse_colic_has_its_missing_cells_and_its_licence():
    horses = load_horse_colic()
    assert (horses.data != horses.data).sum() == 1927
    assert dict(zip(*np.unique(horses.target, return_counts=True))) == {
        "no": 136,
        "yes": 232,
    }
    numeric = [isinstance(max(c, key=lambda v: v == v), float) for c in horses.data.T]
    assert sum(numeric) == 7
    # In lower case "none" is a finding, not a missing value.
    pain_free = horses.data[:, horses.feature_names.index("nasogastric_tube")]
    assert "none" in set(pain_free)
    for text in (horses.DESCR, load_horse_colic.__doc__):
        assert "CC BY 4.0" in text
        assert "McLeish" in text
