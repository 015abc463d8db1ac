"""encode_classes agrees with scikit-learn's LabelEncoder, errors included.

Code under test: `tabular/_labelled_rows.py`.
"""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import LabelEncoder

from sklearn_bayeslazy.tabular._labelled_rows import encode_classes

I64 = np.iinfo(np.int64)
UINT64 = np.array([2**63 + 6, 2**63 + 5, 2**63 + 6], dtype=np.uint64)

LABELS = {
    "list of ints": [3, 1, 3, 2],
    "list of strings": ["no", "yes", "no"],
    "negative": np.array([-7, 5, -7, 0, 1]),
    "gaps": np.array([10, 30, 10, 20, 65_000]),
    "one class": np.array([4, 4]),
    "large range": np.array([10**12, -5, 10**12, 7]),
    "whole range": np.array([I64.max, I64.min, 0, I64.min]),
    "unsigned beyond int64": UINT64,
    "int8": np.array([-128, 127, 0, -128], dtype=np.int8),
    "uint8": np.array([0, 255, 3], dtype=np.uint8),
    "uint64": np.array([0, 1, 0], dtype=np.uint64),
    "bool": np.array([True, False, True]),
    "strings": np.array(["b", "a", "ccc", "a"]),
    "bytes": np.array([b"b", b"a"]),
    "objects": np.array(["b", "a", "ccc", "a"], dtype=object),
    "whole floats": np.array([2.0, -1.0, 2.0]),
    "float32": np.array([2.0, -1.0, 2.0], dtype=np.float32),
    "pandas int": pd.Series([3, 1, 3]),
    "pandas str": pd.Series(["b", "a", "b"]),
    "pandas category": pd.Series(["b", "a", "b"], dtype="category"),
    "polars int": pl.Series([3, 1, 3]),
    "polars str": pl.Series(["b", "a", "b"]),
    "read-only, strided": np.broadcast_to(np.array([5]), 6),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_classes_and_codes_are_those_of_the_label_encoder(y):
    encoder = LabelEncoder()
    expected = encoder.fit_transform(y)
    classes, codes = encode_classes(y)
    assert codes.dtype == np.int32
    assert classes.dtype == encoder.classes_.dtype
    np.testing.assert_array_equal(classes, encoder.classes_)
    np.testing.assert_array_equal(codes, expected)


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64[pyarrow]"])
def test_large_integers_of_nullable_columns_are_distinct_classes(dtype):
    y = [2**60 + 1, 2**60, 2**60 + 1]
    classes, codes = encode_classes(pd.Series(y, dtype=dtype))
    assert classes.dtype.kind in "iu"
    assert classes.tolist() == [2**60, 2**60 + 1]
    assert codes.tolist() == [1, 0, 1]


def test_strings_of_variable_width_are_the_classes_of_other_strings():
    y = np.array(["b", "a", "b"], dtype=np.dtypes.StringDType())
    classes, codes = encode_classes(y)
    assert classes.tolist() == ["a", "b"]
    assert accuracy_score(["b", "a", "b"], classes[codes]) == 1
    for known, labels in ((["a", "b"], y), (np.sort(y), ["b", "a", "b"])):
        assert encode_classes(labels, known)[1].tolist() == [1, 0, 1]


@pytest.mark.parametrize("dtype", ["boolean", "category", "bool[pyarrow]"])
def test_booleans_of_any_column_are_boolean_classes(dtype):
    classes, codes = encode_classes(pd.Series([True, False], dtype=dtype))
    assert classes.dtype == bool
    assert codes.tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("width", [3, 1000, 2**17])
def test_codes_are_indices_of_the_labels(seed, width):
    rng = np.random.default_rng(seed)
    y = rng.integers(-width, width, size=300)
    classes, codes = encode_classes(y)
    assert classes.tolist() == sorted(set(y.tolist()))
    np.testing.assert_array_equal(classes[codes], y)


@pytest.mark.parametrize(
    "y",
    [[0.5, 1.0], [[0.5], [1.5]], np.array([0, 1], dtype=object)],
    ids=["fractions", "fractions in a column", "ints as objects"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_invalid_class_labels_raise_scikit_learns_error(y):
    with pytest.raises(ValueError, match="Unknown label type"):
        encode_classes(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan], "NaN"),
        ([1.0, np.inf], "infinity"),
        (["a", None], "NaN or None"),
        (["a", np.nan], "NaN or None"),  # of these numpy makes strings
        (("a", float("nan")), "NaN or None"),
        ([["a"], [np.nan]], "NaN or None"),
        (["a", pd.NA], "NaN or None"),
        (np.array(["a", np.nan], dtype=object), "NaN or None"),
        (np.array(["a", pd.NA], dtype=object), "NaN or None"),
        (pd.Series(["a", None]), "NaN"),
        (pd.Series(["a", None], dtype="string"), "NaN"),
        (pd.Series(["a", None], dtype="category"), "NaN"),
        (pd.Series([1, None], dtype="Int64"), "NaN"),
        (pl.Series(["a", None]), "NaN"),
        (pl.Series([1, None]), "NaN"),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), "NaN or None"),
        (np.array([1, "NaT"], "m8[D]"), "NaN or None"),
        (pd.Series(pd.to_datetime(["2020-01-01", None])), "NaN or None"),
        (pl.Series([datetime.date(2020, 1, 1), None]), "NaN or None"),
        ([1j, 2], "Complex"),
        ([[1, 2], [3, 4]], "1d array"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_missing_and_unusable_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        encode_classes(y)


@pytest.mark.parametrize(
    ("labels", "advice"),
    [
        ([3, 4], r"holds 3, .* y\.astype\(int\)"),
        ([datetime.date(2020, 1, 1)], r"holds datetime\.date.* y\.astype\(str\)"),
    ],
    ids=["numbers", "dates"],
)
def test_other_objects_than_strings_are_refused_by_what_to_do(labels, advice):
    with pytest.raises(ValueError, match=f"object and {advice}"):
        encode_classes(np.array(labels, dtype=object))


def test_mixed_labels_are_refused():
    with pytest.raises(TypeError, match=r"'y' mixes .*'number', 'str'"):
        encode_classes(np.array(["a", 1], dtype=object))


def test_numbers_in_a_list_of_strings_are_strings_as_in_scikit_learn():
    classes, codes = encode_classes(["a", 1, "a"])
    assert classes.tolist() == ["1", "a"]
    assert codes.tolist() == [1, 0, 1]


def test_a_column_of_labels_is_flattened_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        classes, codes = encode_classes([[1], [0]])
    assert classes.tolist() == [0, 1]
    assert codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("y", "classes", "expected"),
    [
        ([2, 5], [5, 2, 9], [0, 1]),
        ([5.0, 9.0], [2, 5, 9], [1, 2]),
        (["b"], ["a", "b", "longer"], [1]),
        (["b", "a"], np.array(["a", "b"], dtype=object), [1, 0]),
        (np.array(["b", "a"], dtype=object), ["a", "b"], [1, 0]),
        ([True], [False, True], [1]),
        ([1, 1], [1, 1, 0], [1, 1]),
    ],
)
def test_given_classes_are_sorted_and_kept_whole(y, classes, expected):
    found, codes = encode_classes(y, classes)
    assert found.tolist() == sorted(set(np.asarray(classes).tolist()))
    assert codes.dtype == np.int32
    assert codes.tolist() == expected


@pytest.mark.parametrize(
    ("y", "classes", "unknown"),
    [
        ([1, 3, 4], [1, 2], r"\[3, 4\]"),
        ([0, 1], [1, 2], r"\[0\]"),
        (["a", "z"], ["a", "b"], r"\['z'\]"),
        (["longer"], ["long"], r"\['longer'\]"),
        (["a"], [1, 2], r"\['a'\]"),
        ([1], ["a", "b"], r"\[1\]"),
    ],
)
def test_labels_outside_the_given_classes_are_named(y, classes, unknown):
    with pytest.raises(ValueError, match=f"not in the classes.*{unknown}"):
        encode_classes(y, classes)


@pytest.mark.parametrize("y", [[None, None], [1, None], [True, None], ["a", None]])
def test_missing_labels_raise_the_error_of_missing_values(y):
    with pytest.raises(ValueError, match="y contains NaN or None"):
        encode_classes(np.array(y, dtype=object))


def test_an_empty_list_of_classes_is_refused():
    with pytest.raises(ValueError, match="classes is empty"):
        encode_classes([1], classes=[])
