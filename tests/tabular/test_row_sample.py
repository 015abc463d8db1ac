"""A sample of rows is the same, however the rows are cut into blocks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from sklearn_bayeslazy.tabular._row_sample import RowSample, row_keys


def mixed_frame(n=300, seed=0):
    """Return rows with numbers, strings, categories and missing cells."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": rng.integers(5, size=n).astype(float),
            "word": rng.choice(["a", "b", "c", None], size=n),
            "category": pd.Categorical(rng.integers(3, size=n)),
        }
    )
    frame.loc[rng.random(n) < 0.2, "number"] = np.nan
    return frame, rng.choice(["no", "yes"], size=n)


def counted(X, y, weight):
    """Return the total weight of each distinct row."""
    total = {}
    for *cells, label, w in zip(*(X[name] for name in X.columns), y, weight):
        key = (*("" if cell != cell else cell for cell in cells), label)
        total[key] = total.get(key, 0) + w
    return total


@pytest.mark.parametrize("n_blocks", [1, 4, 60])
def test_a_sample_with_room_holds_all_rows_with_their_weights(n_blocks):
    X, y = mixed_frame()
    weight = np.arange(len(y)) % 4.0
    order = np.random.default_rng(n_blocks).permutation(len(y))
    sample = RowSample(150)
    for rows in np.array_split(order, n_blocks):
        if weight[rows].any():
            sample.add(X.iloc[rows], y[rows], weight[rows])
    distinct = counted(X, y, weight)
    expected = {key: w for key, w in distinct.items() if w}
    assert counted(*sample.rows()) == pytest.approx(expected, rel=1e-15 * len(y))
    assert len(sample.rows()[1]) == np.count_nonzero(weight)  # copies stay apart
    assert sample.classes.tolist() == ["no", "yes"]


@pytest.mark.parametrize("n_blocks", [2, 7, 60])
def test_a_small_sample_depends_on_the_rows_alone(n_blocks):
    X, y = mixed_frame()
    one = RowSample(20).add(X, y).rows()
    assert len(counted(*one)) == 20
    assert 20 < len(one[1]) <= 40  # copies share the weight of their row
    order = np.random.default_rng(0).permutation(len(y))
    samples = [RowSample(20) for _ in range(3)]
    for i, rows in enumerate(np.array_split(order, n_blocks)):
        samples[i % 3].add(X.iloc[rows], y[rows])
    merged = samples[2].merge(samples[0]).merge(samples[1])
    for found, expected in zip(merged.rows(), one):
        assert list(map(str, np.ravel(found))) == list(map(str, np.ravel(expected)))


def test_samples_of_distinct_rows_are_uniform():
    X = np.arange(20_000.0).reshape(-1, 1)
    drawn, _, weight = RowSample(2000).add(X).rows()
    assert drawn.shape == (2000, 1)
    assert np.all(weight == 1)
    in_tenths = np.histogram(drawn, bins=10, range=(0, 20_000))[0]
    # Four standard deviations of a binomial variable of 2000 draws and share 1/10.
    assert np.all(np.abs(in_tenths - 200) < 4 * np.sqrt(2000 * 0.1 * 0.9))


def test_keys_depend_on_values_and_not_on_containers():
    X = np.array([[0.0, 2.0], [1.0, np.nan], [-0.0, 2.0], [2.0, 0.0]])
    keys = row_keys(X)
    assert keys[0] == keys[2]
    assert len(set(keys.tolist())) == 3
    np.testing.assert_array_equal(row_keys(pd.DataFrame(X)), keys)
    np.testing.assert_array_equal(row_keys(pl.DataFrame(X, schema=["a", "b"])), keys)
    words = np.array(["a", "b", "a"], dtype=object)
    in_table = row_keys(words[:, None])
    assert in_table[0] == in_table[2] != in_table[1]
    assert row_keys(words, np.array([0, 0, 1]))[0] != row_keys(words, np.ones(3))[0]


def test_keys_of_sparse_rows_ignore_stored_zeros_and_order():
    one = sparse.csr_array(np.array([[0, 2.0, 1.0], [2.0, 0, 1.0], [0, 0, 0]]))
    other = sparse.csr_array(
        (
            np.array([1.0, 2.0, 0.0, 0.5, 2.0, 0.5]),
            np.array([2, 1, 0, 2, 0, 2]),
            np.array([0, 3, 6, 6]),
        ),
        shape=(3, 3),
    )
    np.testing.assert_array_equal(row_keys(one), row_keys(other.copy()))
    assert len(set(row_keys(one).tolist())) == 3
    before = other.indices.copy()
    row_keys(other)
    np.testing.assert_array_equal(other.indices, before)
