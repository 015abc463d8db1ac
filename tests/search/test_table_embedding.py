"""Rows of a table as points: HVDM, rows without themselves, normal scores.

Code under test: `search/_mixed_rows/_columns.py`.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import norm

from sklearn_bayeslazy.search._mixed_rows._columns import M_CANDIDATES
from sklearn_bayeslazy.search._mixed_rows._embedding import TableEmbedding
from sklearn_bayeslazy.search._mixed_rows._relevance import column_relevance
from sklearn_bayeslazy.tabular import merge_copies
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.mixed_tables import (
    cells_of,
    classes_of,
    embed,
    hvdm,
    mixed_frame,
    numbered_frame,
)

CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def indicators(classes):
    return np.eye(max(classes) + 1)[classes]


def strings(*columns):
    return pd.DataFrame({f"s{j}": list(cells) for j, cells in enumerate(columns)})


@pytest.mark.parametrize("m", [0.5, 1.0, 7.0])
def test_distances_are_those_of_the_definition_of_hvdm(m):
    train, new = mixed_frame(), mixed_frame(8, seed=1)
    classes = classes_of(train)
    table, _, embedding = embed(train, indicators(classes), m=m)
    actual = cdist(embedding.transform(read_table(new)), embedding.transform(table))
    expected = [
        [hvdm(train, classes, m, a, b) for b in cells_of(train)] for a in cells_of(new)
    ]
    np.testing.assert_allclose(actual, expected, **CLOSE)


def test_hvdm_of_two_symbols_by_hand():
    # a: 2 of class 0, 1 of class 1; b: 1 of class 1; prior 1/2, 1/2; m = 1.
    _, _, embedding = embed(strings("aaab"), indicators([0, 0, 1, 1]))
    rows = embedding.transform(read_table(strings(["a", "b", None, "new"])))
    p_a, p_b = (2 + 1 / 2) / (3 + 1), (0 + 1 / 2) / (1 + 1)
    expected = np.sqrt((p_a - p_b) ** 2 + ((1 - p_a) - (1 - p_b)) ** 2)
    assert abs(rows[0, 0] - rows[1, 0]) == pytest.approx(expected, abs=1e-15)
    to_prior = np.sqrt(2) * (p_a - 1 / 2)
    assert abs(rows[0, 0] - rows[2, 0]) == pytest.approx(to_prior, abs=1e-15)
    assert rows[2, 0] == rows[3, 0]
    assert embedding.names == ["s0"]


def test_symbols_are_means_of_numeric_targets():
    _, _, embedding = embed(strings("aab"), np.array([[3.0], [0.0], [-3.0]]), m=2)
    rows = embedding.transform(read_table(strings(["a", "b", None])))
    np.testing.assert_allclose(rows[:, 0], [3 / (2 + 2), -3 / (1 + 2), 0], **CLOSE)


def test_numbers_alone_are_at_the_distances_of_seuclidean_over_4():
    X = np.random.default_rng(0).normal(3, [1, 5, 100], (30, 3))
    _, _, embedding = embed(pd.DataFrame(X), np.eye(2)[[0, 1] * 15])
    rows = embedding.transform(read_table(X))
    np.testing.assert_allclose(
        cdist(rows, rows),
        cdist(X, X, "seuclidean", V=X.var(axis=0, ddof=1)) / 4,
        **CLOSE,
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_training_rows_are_encoded_by_a_fit_without_them(weighted):
    frame = mixed_frame()[["colour", "size", "fast"]]
    rng = np.random.default_rng(1)
    targets = rng.normal(size=(len(frame), 2))
    weight = rng.choice([0.4, 1.0, 2.5], len(frame)) if weighted else None
    table, weight, embedding = embed(frame, targets, weight, m=1.5)
    actual = embedding.training_rows(table, targets, weight)
    prior, m = weight @ targets / weight.sum(), 1.5
    for i, row in enumerate(cells_of(frame)):
        without = weight.copy()
        without[i] = 0
        expected = []
        for j, name in enumerate(frame):
            same = np.array([cell == row[j] for cell in frame[name]], dtype=bool)
            known = row[j] is not None and row[j] == row[j]
            counted = np.where(same, without, 0) if known else np.zeros(len(frame))
            expected += [*((counted @ targets + m * prior) / (counted.sum() + m))]
        np.testing.assert_allclose(actual[i], expected, **CLOSE)


def test_numbers_of_training_rows_are_unchanged():
    frame = mixed_frame()[["price", "age"]]
    targets = indicators(classes_of(mixed_frame()))
    table, weight, embedding = embed(frame, targets)
    left_out = embedding.training_rows(table, targets, weight)
    np.testing.assert_array_equal(left_out, embedding.transform(table))


def test_distinct_symbols_do_not_reveal_the_targets():
    targets = np.random.default_rng(0).normal(size=(20, 1))
    frame = strings([f"id {i}" for i in range(20)])
    table, weight, embedding = embed(frame, targets)
    rows = embedding.training_rows(table, targets, weight)
    np.testing.assert_allclose(rows, targets.mean(), **CLOSE)
    assert np.ptp(embedding.transform(table)) > 1  # the stored rows do
    assert column_relevance(table, targets, weight) == pytest.approx(0, abs=1e-12)


def test_m_has_the_least_leave_one_out_error():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 5, 60)
    targets = (0.6 * codes[:, None] + rng.normal(size=(60, 1))) / 2
    frame = strings([*map(str, codes)])
    errors = []
    for m in M_CANDIDATES[:-1]:
        table, weight, embedding = embed(frame, targets, m=m)
        left_out = embedding.training_rows(table, targets, weight)
        errors.append(((left_out - targets) ** 2).sum())
    errors.append(((targets - targets.mean()) ** 2).sum())  # m = inf
    _, _, chosen = embed(frame, targets, m="loo")
    assert chosen.ms == {0: M_CANDIDATES[np.argmin(errors)]}
    assert 0 < np.argmin(errors) < len(errors) - 1


def test_m_of_a_column_that_says_nothing_is_infinite():
    targets = np.random.default_rng(0).normal(size=(30, 1))
    _, _, embedding = embed(strings(map(str, range(30))), targets, m="loo")
    assert embedding.ms == {0: np.inf}
    rows = embedding.transform(read_table(strings(["0", "1", "new"])))
    np.testing.assert_array_equal(rows, rows[[0, 0, 0]])


def test_relevance_by_refitting_without_each_row():
    frame = mixed_frame(60)[["colour", "fast", "age"]]
    targets = indicators(classes_of(mixed_frame(60)))
    prior = targets.mean(axis=0)
    edges = np.quantile(frame["age"], np.arange(1, 10) / 10, method="inverted_cdf")
    frame_bins = np.searchsorted(np.unique(edges), frame["age"])
    columns = [frame["colour"].tolist(), frame["fast"].tolist(), frame_bins.tolist()]
    expected = []
    for cells in columns:
        error = 0.0
        for i, value in enumerate(cells):
            same = [
                r
                for r in range(60)
                if r != i and value is not None and cells[r] == value
            ]
            mean = (targets[same].sum(axis=0) + prior) / (len(same) + 1)
            error += ((targets[i] - mean) ** 2).sum()
        expected.append(1 - error / ((targets - prior) ** 2).sum())
    actual = column_relevance(read_table(frame), targets, np.ones(60))
    np.testing.assert_allclose(actual, expected, **CLOSE)
    assert actual[1] > 0.02


def test_normal_scores_are_those_of_mid_ranks():
    x = np.array([5.0, 1.0, 1.0, 2.0, 1e308, -1e308, np.nan])
    _, _, embedding = embed(pd.DataFrame({"x": x}), None, numbers="normal_scores")
    shares = np.array([4.5, 2, 2, 3.5, 5.5, 0.5]) / 6
    scores = norm.ppf(shares)
    expected = (scores - scores.mean()) / (4 * scores.std())
    actual = embedding.transform(read_table(x[:, None]))[:, 0]
    np.testing.assert_allclose(actual, [*expected, 0], **CLOSE)
    half_way = embedding.transform(read_table([[1.5], [np.inf - np.inf], [1.7e308]]))
    middle = (expected[1] + expected[3]) / 2
    np.testing.assert_allclose(half_way[:, 0], [middle, 0, expected[4]], **CLOSE)


def test_many_normal_scores_are_interpolated():
    x = np.random.default_rng(0).lognormal(size=5000)
    _, _, embedding = embed(pd.DataFrame({"x": x}), None, numbers="normal_scores")
    scores = norm.ppf((np.argsort(np.argsort(x)) + 0.5) / 5000)
    actual = embedding.transform(read_table(x[:, None]))[:, 0]
    order = np.argsort(x)
    inner = order[25:-25]
    np.testing.assert_allclose(actual[inner], scores[inner] / 4, atol=1e-2)
    assert np.all(np.diff(actual[order]) > 0)
    assert actual.std() == pytest.approx(1 / 4, rel=1e-9)


@pytest.mark.parametrize("values", ["ab", "abc", "abcdefg"])
def test_unequal_symbols_are_at_distance_1_by_indicators(values):
    _, _, embedding = embed(strings(values), None, symbols="indicators")
    rows = embedding.transform(read_table(strings([*values, "new", None])))
    known = cdist(rows[:-2], rows[:-2])
    np.testing.assert_allclose(known, 1 - np.eye(len(values)), **CLOSE)
    to_centre = cdist(rows[-2:], rows[:-2])
    np.testing.assert_allclose(to_centre, to_centre[0, 0], **CLOSE)
    assert 0.5 <= to_centre[0, 0] < np.sqrt(0.5)
    assert rows.shape[1] == (1 if len(values) == 2 else len(values))


def test_columns_of_many_values_are_bounded():
    frame = strings(list("abcdabc") * 3, list("xyxyxyx") * 3)
    targets = np.arange(21.0)[:, None]
    options = {"symbols": "indicators", "max_indicators": 3}
    _, _, embedding = embed(frame, targets, **options)
    assert embedding.names == ["s0", "s1"]
    assert list(embedding.ms) == [0]
    _, _, embedding = embed(frame, None, **options)  # the most frequent
    assert embedding.names == ["s0_a", "s0_b", "s0_c", "s1"]
    assert embedding.column_of.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("numbers", ["deviations", "normal_scores"])
@pytest.mark.parametrize("symbols", ["value_differences", "indicators"])
def test_weights_equal_repetition_and_the_order_of_rows_is_irrelevant(numbers, symbols):
    frame = numbered_frame()
    targets = indicators(classes_of(frame))
    weight = np.random.default_rng(2).integers(1, 4, len(frame))
    order = np.random.default_rng(3).permutation(np.repeat(np.arange(40), weight))
    options = {"numbers": numbers, "symbols": symbols, "m": "loo"}
    table, weight, one = embed(frame, targets, weight, **options)
    repeated = frame.iloc[order].reset_index(drop=True)
    ones = np.ones(len(order))
    merged = merge_copies(read_table(repeated), targets[order], ones)  # as fits do
    order, distinct = order[merged.rows], repeated.iloc[merged.rows]
    other_table, ones, other = embed(
        distinct.reset_index(drop=True), targets[order], merged.weight, **options
    )
    assert one.names == other.names
    np.testing.assert_allclose(one.transform(table), other.transform(table), **CLOSE)
    np.testing.assert_allclose(
        one.training_rows(table, targets, weight)[order],
        other.training_rows(other_table, targets[order], ones),
        **CLOSE,
    )
    np.testing.assert_allclose(
        column_relevance(table, targets, weight),
        column_relevance(other_table, targets[order], ones),
        **CLOSE,
    )


@pytest.mark.parametrize("numbers", ["deviations", "normal_scores"])
@pytest.mark.parametrize(
    "cells",
    [
        [1.7e308, -1.7e308, 0.0, 1e300],
        [5e-324, 0.0, 1e-320, 1e-310],
        [1e15, 1e15 + 1, 1e15 + 2, 1e15 + 1],
        [7.1, 7.1, 7.1, np.nan],
        [np.nan] * 4,
        [0.1 + 0.2] * 4,
    ],
)
def test_extreme_columns_have_finite_points(numbers, cells):
    X = np.array(cells)[:, None]
    table, _, embedding = embed(pd.DataFrame(X), None, numbers=numbers)
    rows = embedding.transform(table)
    new = embedding.transform(read_table([[1.7e308], [-1.7e308], [5e-324], [np.nan]]))
    assert np.isfinite(rows).all()
    assert np.isfinite(new).all()
    assert new[-1] == 0
    if np.unique(X[~np.isnan(X)]).size <= 1:
        assert not rows.any()
    else:
        spread = {"deviations": rows.std(ddof=1), "normal_scores": rows.std()}
        assert spread[numbers] == pytest.approx(1 / 4, rel=1e-9)


def test_a_frame_and_its_array_have_the_same_points():
    frame = mixed_frame().astype({"size": object, "doors": "int64"})
    targets = indicators(classes_of(frame))
    _, _, one = embed(frame, targets)
    table = read_table(frame.to_numpy(object))
    other = TableEmbedding(table, targets, np.ones(40))
    np.testing.assert_array_equal(
        one.transform(read_table(frame)), other.transform(table)
    )


def test_kinds_of_columns_must_not_change():
    frame = mixed_frame()
    _, _, embedding = embed(frame, None)
    for name, cell in {"price": "dear", "colour": 3.0}.items():
        changed = frame.astype({name: object})
        changed[name] = cell
        with pytest.raises(TypeError, match=f"'{name}'"):
            embedding.transform(read_table(changed))


def test_declared_values_without_rows_are_unknown():
    frame = mixed_frame()
    for symbols in ("value_differences", "indicators"):
        _, _, embedding = embed(frame, indicators(classes_of(frame)), symbols=symbols)
        rare, none = frame.iloc[[0]].copy(), frame.iloc[[0]].copy()
        rare["size"] = pd.Categorical(["XL"], frame["size"].cat.categories)
        none["size"] = pd.Categorical([None], frame["size"].cat.categories)
        np.testing.assert_array_equal(
            embedding.transform(read_table(rare)), embedding.transform(read_table(none))
        )


def test_missing_numbers_tell_of_targets_in_one_more_column():
    # Of x missing cells have larger targets; of z they have the targets of the others.
    y = np.tile([0.0, 2.0], 20)[:, None] + np.repeat([0.0, 10.0], 20)[:, None]
    x, z = np.arange(40.0), np.arange(40.0)
    x[20:], z[::4], z[1::4] = np.nan, np.nan, np.nan
    frame = pd.DataFrame({"x": x, "z": z, "full": 1.0, "s": "a"})
    given = read_table(frame), y, np.ones(40)
    embedding = TableEmbedding(*given, numbers="given", missing_apart=True, m="loo")
    assert embedding.names == ["x", "x_missing", "z", "full", "s"]
    assert embedding.tells_missing.tolist() == [False, True, False, False, False]
    assert embedding.is_number.tolist() == [True, False, True, True, False]
    points = embedding.transform(given[0])
    # The means over 20 rows each are 1 and 11, and m = .3.
    np.testing.assert_allclose(points[:, 1], np.repeat([0, 10 * 20 / 20.3], 20))
    np.testing.assert_allclose(points[20:, 0], np.arange(20).mean())
    present = TableEmbedding(*given, numbers="given", m="loo").transform(given[0])
    np.testing.assert_array_equal(np.delete(points, 1, axis=1), present)
