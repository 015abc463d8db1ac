"""Kinds that are given: cells that cannot be read as them, and what is read anyway.

Code under test: `tabular/cleaning/_decide_column.py`.
"""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_bayeslazy import TableCleaner
from tests.tabular.cleaning.test_cells import COLUMNS
from tests.tabular.cleaning.test_local_formats import ODD

CELLS = {
    "german": ["29.02.2024", "01.03.2024", "02.03.2024"],
    "amount": [2e7, 3e7, 4e7],
    "seconds": [1.7e9, 1.8e9, 1e300],
    "word": ["one", "two", None],
    "flag": [True, False, True],
    "height": [1.5, 2.5, 4.5],
}
X = pd.DataFrame(CELLS)
DECIDED = COLUMNS | {
    f"few: {name}": [*cells[: -len(odd)], *odd]
    for name, (cells, odd, *_) in ODD.items()
}


@pytest.mark.parametrize("name", ["x", "order date"])
@pytest.mark.parametrize("column", DECIDED)
def test_what_fit_decides_may_be_given(column, name):
    cells = DECIDED[column]
    x = pd.DataFrame({name: (cells * 30)[: max(30, len(cells))]})
    cleaner = TableCleaner()
    expected = cleaner.fit_transform(x.assign(k="a"))
    found = TableCleaner(cleaner.kinds_).fit_transform(x.assign(k="a"))
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("german", "number"),
        ("amount", "date"),
        ("seconds", "datetime"),
        ("word", "number"),
        ("word", "date"),
    ],
)
def test_no_cell_of_the_given_kind_is_an_error(make, name, kind):
    with pytest.raises(ValueError, match=f"'{name}' is given as '{kind}', but none of"):
        TableCleaner({name: kind}).fit(make(CELLS))


def test_one_readable_cell_is_enough():
    cells = ["?"] + ["unknown"] * 1500 + [f"word {i}" for i in range(1500)] + ["7"]
    x = pd.DataFrame({"x": cells})
    assert TableCleaner({"x": "number"}).fit_transform(x)["x"].sum() == 7


def test_given_columns_without_a_known_cell_stay_missing():
    x = X.assign(word=None)
    assert TableCleaner({"word": "date"}).fit_transform(x)["word_days"].isna().all()


def test_booleans_as_numbers():
    out = TableCleaner({"flag": "number"}).fit_transform(X)
    assert out["flag"].tolist() == [1, 0, 1]


def test_later_numbers_that_are_no_days_are_missing():
    cleaner = TableCleaner({"day": "date"})
    cleaner.fit(pd.DataFrame({"day": [0.0, 31.0]}))
    with pytest.warns(UserWarning, match="column 'day': 1 of 2 cells cannot be read"):
        out = cleaner.transform(pd.DataFrame({"day": [366.0, 1e300]}))
    assert out["day_days"].tolist()[0] == 366
    assert out.iloc[1].isna().all()


def test_objects_that_are_dates():
    days = [pd.NA, None, datetime.date(2024, 2, 29), datetime.date(2024, 3, 2)]
    x = pd.DataFrame({"day": days}, dtype=object)
    out = TableCleaner().fit_transform(x)
    assert out["day_days"].tolist()[2:] == [0, 2]
    march = 2 * np.pi * 2 / 12  # January is 0
    np.testing.assert_allclose(out["day_month_sin"][3], np.sin(march))
    np.testing.assert_allclose(out["day_month_cos"][3], np.cos(march))


def test_the_names_of_columns_whose_labels_are_integers():
    cleaner = TableCleaner()
    out = cleaner.fit_transform(pd.DataFrame({7: ["a", "b", "a"], 9: [1.5, 2, 3]}))
    assert list(out) == cleaner.get_feature_names_out().tolist() == ["x0", "x1"]


def test_targets_in_one_column_are_used_and_unusable_ones_refused():
    x = pd.DataFrame({"note": ["good day", "bad day"] * 10})
    y = np.array([[1], [0]] * 10)
    cleaner = TableCleaner({"note": "text"}, random_state=0)
    expected = cleaner.fit_transform(x, y[:, 0])
    pd.testing.assert_frame_equal(cleaner.fit_transform(x, y), expected)
    with pytest.raises(ValueError, match="contains NaN or None"):
        cleaner.fit(x, np.array([None, "a"] * 10, dtype=object))
    with pytest.raises(ValueError, match='give target_type="classes"'):
        cleaner.set_params(target_type="continuous").fit(x, ["a", "b"] * 10)
