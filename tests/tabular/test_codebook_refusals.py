"""Codebook: unknown cells, and columns that change their kind."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.tabular._labels import MISSING
from tests.helpers.codebooks import encode, learn, mixed_frame


@pytest.mark.parametrize(
    ("name", "cell", "shown"),
    [("colour", "pink", "'pink'"), ("size", 15.0, r"15\.0"), ("id", 8, r"8(\.0)?")],
)
def test_an_unknown_category_is_refused_by_name(name, cell, shown):
    codebook = learn(mixed_frame())
    unknown = mixed_frame()
    unknown.loc[2, name] = cell
    message = f"Found the unknown category {shown} in column '{name}'"
    with pytest.raises(ValueError, match=message):
        encode(codebook, unknown, refuse_unknown=True)
    assert encode(codebook, mixed_frame(), refuse_unknown=True).min() == MISSING


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([1.0, 2.0], ["a", "b"], r"held numbers at fit and now holds labels .*'a'"),
        (["a", "b"], [1.0, 2.0], r"held labels .*'a'\) at fit and now holds numbers"),
        (
            [b"a", b"b"],
            [1.0, 2.0],
            r"held labels .*b'a'\) at fit and now holds numbers",
        ),
        (
            ["a", "b"],
            [True, False],
            "held labels of kind str at fit and now holds bool",
        ),
        (
            ["a", "b"],
            [b"a", b"b"],
            "held labels of kind str at fit and now holds bytes",
        ),
        (
            [True, False],
            ["a", "b"],
            "held labels of kind bool at fit and now holds str",
        ),
    ],
)
def test_a_column_that_changes_its_kind_is_refused_by_name(before, after, message):
    codebook = learn(pd.DataFrame({"x": before}))
    with pytest.raises(TypeError, match=f"'x' {message}"):
        encode(codebook, pd.DataFrame({"x": pd.Series(after, dtype=object)}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (pd.Series([True, False, None], dtype="boolean"), pd.Series([1.0, 0.0, None])),
        (pd.Series([1.0, 0.0, None]), pd.Series([True, False, None], dtype="boolean")),
        (pd.Series([7, 5, None], dtype="category"), pd.Series([7, 5, None])),
        (pd.Series(["b", "a", None], dtype="category"), pd.Series(["b", "a", None])),
        (pd.Series(["b", "a", None], dtype="string"), pd.Series(["b", "a", None])),
        (pd.Series([2, 1, None], dtype="Int64"), pd.Series([2.0, 1.0, None])),
    ],
    ids=lambda series: str(series.dtype),
)
def test_a_column_may_change_its_dtype_without_changing_its_kind(before, after):
    codebook = learn(before.to_frame("x"))
    codes = encode(codebook, after.to_frame("x"), refuse_unknown=True)
    assert codes[:, 0].tolist() == [1, 0, MISSING]


@pytest.mark.parametrize("values", [["b", "a"], [True, False], [7.0, 5.0]])
def test_numpys_scalars_are_read_as_pythons(values):
    array = np.array(values).reshape(-1, 1)
    codebook = learn([[cell] for cell in array[:, 0]])
    assert encode(codebook, [[cell] for cell in values]).tolist() == [[1], [0]]
