"""code_table: cut points and codes of numbers by sorting, codes of categories."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
import sklearn

from sklearn_bayeslazy.tabular._bins import (
    code_table,
    largest_of_buckets,
    quantiles,
    split_points,
)
from sklearn_bayeslazy.tabular._discretise import quantile_edges
from sklearn_bayeslazy.tabular._read import read_table

N = 6000  # enough rows for buckets
RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=N)
COLUMNS = {
    "normal": NORMAL,
    "skewed": np.exp(3 * NORMAL),
    "few": RNG.integers(0, 9, N).astype(float),
    "255 values": RNG.permutation(np.arange(N) % 255).astype(float),
    "256 values": RNG.permutation(np.arange(N) % 256).astype(float),
    "few distant values": np.exp(RNG.integers(0, 300, N).astype(float)),
    "an outlier": np.where(np.arange(N) == 7, 1e300, NORMAL),
    "two huge": np.where(NORMAL > 0, 1.7e308, -1.7e308),
    "denormal": NORMAL * 1e-315,
    "tied": np.where(NORMAL > 0, 0.0, NORMAL),
    "both zeros": np.where(NORMAL > 1, -0.0, np.where(NORMAL < -1, 0.0, NORMAL)),
    "offset": 1e15 + np.round(1e3 * NORMAL),
    "missing cells": np.where(RNG.random(N) < 0.3, np.nan, NORMAL),
    "few values, missing cells": np.where(
        RNG.random(N) < 0.3, np.nan, RNG.integers(0, 9, N)
    ),
    "constant": np.full(N, 3.0),
    "missing": np.full(N, np.nan),
    "constant, missing cells": np.where(RNG.random(N) < 0.3, np.nan, 3.0),
}


def by_sorting(x, max_bins):
    """Return cut points and codes by their definition."""
    values = np.unique(x[~np.isnan(x)])
    cuts = quantile_edges(x, max_bins)
    if len(values) <= max_bins:
        cuts = np.array([a / 2 + b / 2 for a, b in pairwise(values)])
    codes = (cuts <= x[:, None]).sum(axis=1)
    return cuts, np.where(np.isnan(x), 255, codes)


@pytest.mark.parametrize("max_bins", [2, 7, 255])
@pytest.mark.parametrize("name", COLUMNS)
def test_bins_are_those_of_a_sort(name, max_bins):
    x = COLUMNS[name]
    found = code_table(read_table(x[:, None]), max_bins)
    cuts, codes = by_sorting(x, max_bins)
    np.testing.assert_array_equal(found.cuts[0], cuts)
    np.testing.assert_array_equal(found.column(0), codes)
    assert found.n_bins[0] == len(cuts) + 1
    np.testing.assert_array_equal(split_points(x, max_bins), cuts)


def test_buckets_of_missing_cells_are_not_read():
    """They are not initialised, so they may hold any number."""
    x = np.where(np.arange(N) % 10 == 0, np.nan, np.arange(N) % 5.0)
    bucket = np.where(np.isnan(x), 65535, x * 800).astype(np.uint16)
    count = np.bincount(bucket[~np.isnan(x)], minlength=4096)
    found = largest_of_buckets.py_func(x, bucket, count)
    np.testing.assert_array_equal(found, [0, 1, 2, 3, 4])
    at = quantiles.py_func(x, bucket, count, int(count.sum()), 3)
    known = x[~np.isnan(x)]
    expected = np.quantile(known, [1 / 3, 2 / 3], method="inverted_cdf")
    np.testing.assert_array_equal(at, expected)
    garbage = np.full(N, 65535, np.uint16)  # memory that np.empty may return next
    del garbage
    found = code_table(read_table(x[:, None]))
    np.testing.assert_array_equal(found.cuts[0], [0.5, 1.5, 2.5, 3.5])


@pytest.mark.parametrize("name", COLUMNS)
def test_every_value_has_a_bin_if_max_bins_is_none(name):
    x = COLUMNS[name]
    found = code_table(read_table(np.c_[x, np.arange(N)]), None)
    cuts, codes = by_sorting(x, N)
    np.testing.assert_array_equal(found.cuts[0], cuts)
    known = ~np.isnan(x)
    np.testing.assert_array_equal(found.column(0)[known], codes[known])
    assert np.all(found.column(0)[~known] == found.missing)
    assert found.n_codes == found.missing + 1 == N + 1
    assert found.codes.dtype == np.uint16


def test_few_rows_are_sorted():
    x = np.array([3.0, 1.0, np.nan, 2.0, 1.0])
    found = code_table(read_table(x[:, None]))
    np.testing.assert_array_equal(found.cuts[0], [1.5, 2.5])
    np.testing.assert_array_equal(found.column(0), [2, 0, 255, 1, 0])


def test_weights_are_repetition():
    x = RNG.normal(size=900)
    weight = RNG.integers(1, 9, 900)
    weighted = code_table(read_table(x[:, None]), 20, weight.astype(float))
    repeated = code_table(read_table(np.repeat(x, weight)[:, None]), 20)
    np.testing.assert_array_equal(weighted.cuts[0], repeated.cuts[0])
    np.testing.assert_array_equal(
        np.repeat(weighted.column(0), weight), repeated.column(0)
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.uint64])
def test_codes_do_not_depend_on_threads_or_memory(dtype):
    X = RNG.integers(0, 500, (N, 19)).astype(dtype)
    expected = [by_sorting(x.astype(float), 255) for x in X.T]
    for n_jobs, memory in product([1, 2], [0.01, 1024]):
        with sklearn.config_context(working_memory=memory):
            found = code_table(read_table(X), 255, n_jobs=n_jobs)
        for j, (cuts, codes) in enumerate(expected):
            np.testing.assert_array_equal(found.cuts[j], cuts)
            np.testing.assert_array_equal(found.column(j), codes)


def test_labels_have_a_code_each():
    frame = pd.DataFrame({"w": ["b", None, "a", "b"], "n": [1.0, 2.0, 2.0, np.nan]})
    found = code_table(read_table(frame))
    np.testing.assert_array_equal(found.column(0), [1, 255, 0, 1])
    np.testing.assert_array_equal(found.column(1), [0, 1, 1, 255])
    assert found.categories[0].tolist() == ["a", "b"]
    assert found.cuts[0] is None
    assert found.categories[1] is None


def test_the_rarest_of_many_categories_share_a_code():
    words = [f"{k:03}" for k in range(300) for _ in range(1 + k % 7)]
    found = code_table(read_table(np.array(words, dtype=object)[:, None]))
    kept = found.category_of_code[0]
    assert found.n_bins[0] == len(kept) == 254
    counts = np.array([1 + k % 7 for k in range(300)])
    assert counts[kept].min() >= np.delete(counts, kept).max()
    other = np.array([w in found.categories[0][kept] for w in words])
    np.testing.assert_array_equal(found.column(0) == 254, ~other)
    weight = np.array([100.0 if w == "000" else 1.0 for w in words])
    weighted = code_table(
        read_table(np.array(words, dtype=object)[:, None]), weight=weight
    )
    assert 0 in weighted.category_of_code[0]
    assert 0 not in kept
