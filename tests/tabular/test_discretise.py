"""Cut points against their definitions in plain Python."""

from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from sklearn_bayeslazy.tabular._discretise import (
    binary_edge,
    frequent_value_cuts,
    mdlp_edges,
    merge_equal_rows,
    quantile_edges,
    separate_frequent_values,
    uniform_edges,
    weighted_unique,
)

# Two cuts whose impurities differ by less, relative to the total weight, are a tie.
TIE = 1e-12

SUPERVISED = {"mdlp": mdlp_edges, "binary": binary_edge}
BY_BINS = {"quantile": quantile_edges, "uniform": uniform_edges}

# Rows (x, class, weight) with many ties among few values.
ROWS = st.lists(
    st.tuples(st.integers(-4, 8), st.integers(0, 2), st.integers(1, 3)), max_size=40
)
# Numbers with quarters as weights: sums of them are exact.
WEIGHTED = st.lists(
    st.tuples(st.integers(-9, 9).map(lambda i: i / 2), st.integers(1, 12)),
    min_size=1,
    max_size=30,
)


def columns(rows):
    x, classes, weight = np.array(rows, dtype=float).reshape(-1, 3).T
    return x, classes.astype(np.int32), weight


def edges_of(method, x, classes):
    """Return the cut points of a method: 4 bins, or 3 classes."""
    if method in BY_BINS:
        return BY_BINS[method](x, 4)
    return SUPERVISED[method](x, classes, 3)


# --- quantile and uniform ---------------------------------------------------------


def gaps_by_definition(x, weight, n_bins):
    """Return the set of (quantile, next larger value) that the cuts fall between."""
    weights = {v: Fraction(0) for v in sorted(set(x))}
    for v, w in zip(x, weight):
        weights[v] += Fraction(w)
    values, total, gaps = list(weights), sum(weights.values()), set()
    for k in range(1, n_bins):
        reached = [sum(list(weights.values())[: i + 1]) for i in range(len(values))]
        i = next(i for i, m in enumerate(reached) if m >= total * k / n_bins)
        if i + 1 < len(values):
            gaps.add((values[i], values[i + 1]))
    return sorted(gaps)


@given(rows=WEIGHTED, n_bins=st.integers(1, 12))
def test_quantile_cuts_lie_midway_between_a_quantile_and_the_next_value(rows, n_bins):
    x, weight = zip(*((v, w / 4) for v, w in rows))
    edges = quantile_edges(np.array(x), n_bins, np.array(weight))
    expected = [(low + high) / 2 for low, high in gaps_by_definition(x, weight, n_bins)]
    assert edges.tolist() == expected


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n_bins", [2, 4, 16])
def test_the_value_below_a_cut_is_numpys_weighted_inverted_cdf(seed, n_bins):
    # A total weight of 2^7 in 2^b bins: both programs compute exact shares.
    rng = np.random.default_rng(seed)
    values = rng.normal(size=40)
    weight = np.bincount(rng.integers(40, size=128), minlength=40)
    x, weight = values[weight > 0], weight[weight > 0]
    edges = quantile_edges(x, n_bins, weight)
    below = [x[x < edge].max() for edge in edges]
    share = np.arange(1, n_bins) / n_bins
    quantile = np.quantile(x, share, weights=weight, method="inverted_cdf")
    np.testing.assert_array_equal(below, np.unique(quantile[quantile < x.max()]))


@given(rows=WEIGHTED, n_bins=st.integers(1, 12))
def test_a_weight_of_w_is_w_rows(rows, n_bins):
    x, weight = (np.array(column) for column in zip(*rows))
    repeated = quantile_edges(np.repeat(x, weight), n_bins)
    np.testing.assert_array_equal(quantile_edges(x, n_bins, weight), repeated)


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 1 / 3.6])
def test_a_factor_of_all_weights_moves_no_cut(unit):
    rng = np.random.default_rng(0)
    for _ in range(100):
        x, weight = rng.integers(0, 9, 12).astype(float), rng.choice([3.0, 4.0], 12)
        values, counts = weighted_unique(x, weight)
        scaled = weighted_unique(x, weight * unit)[1]
        for n_bins in (3, 5, 6):
            edges = quantile_edges(x, n_bins, weight)
            np.testing.assert_array_equal(
                quantile_edges(x, n_bins, weight * unit), edges
            )
            np.testing.assert_array_equal(
                frequent_value_cuts(values, scaled, n_bins),
                frequent_value_cuts(values, counts, n_bins),
            )


def test_bins_of_distinct_rows_hold_equal_weight():
    x = np.random.default_rng(0).normal(size=120)
    for n_bins in (2, 3, 5, 8):
        code = np.digitize(x, quantile_edges(x, n_bins))
        assert np.bincount(code).tolist() == [120 // n_bins] * n_bins


def test_with_as_many_bins_as_rows_each_value_has_a_bin():
    x = np.array([3.0, 1.0, 1.0, 8.0])
    assert quantile_edges(x, 4).tolist() == [2.0, 5.5]
    assert quantile_edges(x, 100).tolist() == [2.0, 5.5]


def test_quantile_bins_beyond_any_table_part_all_values():
    x, weight = np.array([3.0, 1.0, 7.0, 8.0]), np.array([1.0, 1e-3, 2.0, 1e9])
    for n_bins in (10**13, 2**53 + 1, 10**400):
        assert quantile_edges(x, n_bins, weight).tolist() == [2.0, 5.0, 7.5]


def test_bins_of_equal_width_beyond_memory_are_refused():
    with pytest.raises(ValueError, match=r"n_bins=1000.* of equal width exceed"):
        uniform_edges(np.array([1.0, 2.0]), 10**400)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_bins", [1, 2, 7])
def test_uniform_cuts_are_the_inner_edges_of_a_histogram(seed, n_bins):
    x = np.random.default_rng(seed).normal(size=30)
    expected = np.histogram_bin_edges(x, n_bins)[1:-1]
    np.testing.assert_allclose(uniform_edges(x, n_bins), expected, atol=1e-14)


@pytest.mark.parametrize("x", [[-1e308, 1e308], [1e308, 1.7e308], [5e-324, 1e-320]])
def test_uniform_cuts_of_extreme_ranges_are_finite_and_inside(x):
    edges = uniform_edges(np.array(x), 4)
    assert len(edges) == 3
    assert np.all((edges > x[0]) & (edges < x[1]))


# --- MDLP and one cut -------------------------------------------------------------


def entropy(rows):
    """Return the class entropy in bits and the total weight of (x, class, weight)."""
    weights = {}
    for _, c, w in rows:
        weights[c] = weights.get(c, 0) + w
    total = sum(weights.values())
    return -sum(m / total * log2(m / total) for m in weights.values()), total


def best_split(rows):
    """Return the two sides with the least entropy; ties go to the lower cut."""
    total, least, best = entropy(rows)[1], float("inf"), None
    for edge in sorted({x for x, _, _ in rows})[1:]:
        sides = [r for r in rows if r[0] < edge], [r for r in rows if r[0] >= edge]
        impurity = sum(n * h for h, n in map(entropy, sides))
        if impurity < least - TIE * total:
            least, best = impurity, sides
    return best


def middle(left, right):
    return (max(x for x, _, _ in left) + min(x for x, _, _ in right)) / 2


def fayyad_irani(rows):
    """Return the MDLP cut points of rows (x, class, weight), as in the paper."""
    if not rows or (sides := best_split(rows)) is None:
        return []
    h, n = entropy(rows)
    h1, n1 = entropy(sides[0])
    h2, n2 = entropy(sides[1])
    k, k1, k2 = (len({c for _, c, _ in part}) for part in (rows, *sides))
    gain = h - n1 / n * h1 - n2 / n * h2
    delta = log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)
    if gain <= log2(n - 1) / n + delta / n:
        return []
    inner = fayyad_irani(sides[0]) + fayyad_irani(sides[1])
    return sorted([middle(*sides), *inner])


# Cut points of R's package discretization 1.0-1: mdlp(iris)$cutp.
@pytest.mark.parametrize(
    ("column", "expected"),
    [(0, [5.55, 6.15]), (1, [2.95, 3.35]), (2, [2.45, 4.75]), (3, [0.80, 1.75])],
)
def test_mdlp_on_iris_is_that_of_the_r_package(column, expected):
    X, y = load_iris(return_X_y=True)
    np.testing.assert_allclose(mdlp_edges(X[:, column], y, 3), expected)


@given(rows=ROWS)
@example(rows=[(x, int(x > 3), 3) for x in range(-4, 9)])
@example(rows=[(x, (x > 0) + (x > 4), 2) for x in range(-4, 9)])
def test_mdlp_is_fayyad_and_irani(rows):
    x, classes, weight = columns(rows)
    assert mdlp_edges(x, classes, 3, weight).tolist() == fayyad_irani(rows)


@pytest.mark.parametrize("seed", range(20))
def test_mdlp_is_fayyad_and_irani_where_it_cuts_several_times(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 30, size=200)
    c = np.where(rng.random(200) < 0.1, rng.integers(3, size=200), x // 8 % 3)
    rows = list(zip(x.tolist(), c.tolist(), rng.integers(1, 4, size=200).tolist()))
    expected = fayyad_irani(rows)
    assert len(expected) > 1
    x, classes, weight = columns(rows)
    assert mdlp_edges(x, classes, 3, weight).tolist() == expected


@given(rows=ROWS)
def test_the_binary_edge_is_the_best_of_all_cuts(rows):
    x, classes, weight = columns(rows)
    sides = best_split(rows) if rows else None
    expected = [middle(*sides)] if sides else []
    assert binary_edge(x, classes, 3, weight).tolist() == expected


@pytest.mark.parametrize("method", SUPERVISED)
@given(rows=ROWS)
def test_integer_weights_are_repetitions(method, rows):
    x, classes, weight = columns(rows)
    repeat = weight.astype(int)
    np.testing.assert_array_equal(
        SUPERVISED[method](x, classes, 3, weight),
        SUPERVISED[method](np.repeat(x, repeat), np.repeat(classes, repeat), 3),
    )


@pytest.mark.parametrize("seed", range(5))
def test_mdlp_takes_shares_of_the_rows_as_rows(seed):
    rng = np.random.default_rng(seed)
    x, classes = rng.normal(size=200), rng.integers(0, 3, 200)
    classes = np.where(x > 0, classes // 2, classes).astype(np.int32)
    expected = mdlp_edges(x, classes, 3)
    assert len(expected)
    for weight in (1 / 256, 2.0**-30):
        assert mdlp_edges(x, classes, 3, np.full(200, weight)).tolist() == [*expected]


@pytest.mark.parametrize("method", SUPERVISED)
@given(rows=ROWS, relabelling=st.permutations(range(3)))
def test_the_names_of_the_classes_do_not_matter(method, rows, relabelling):
    x, classes, weight = columns(rows)
    renamed = np.array(relabelling, dtype=np.int32)[classes]
    np.testing.assert_array_equal(
        SUPERVISED[method](x, classes, 3, weight),
        SUPERVISED[method](x, renamed, 3, weight),
    )


@pytest.mark.parametrize("weight", [0.3, 0.45, 1.0, 1.7])
def test_mdlp_never_cuts_a_pure_set(weight):
    # A total weight between 1 and 2 makes the term log2(N - 1) negative.
    x, classes = np.arange(4.0), np.ones(4, np.int32)
    assert mdlp_edges(x, classes, 3, np.full(4, weight)).tolist() == []


# --- all of them ------------------------------------------------------------------


@pytest.mark.parametrize("method", [*BY_BINS, *SUPERVISED])
@pytest.mark.parametrize("seed", range(5))
def test_missing_cells_change_nothing(method, seed):
    rng = np.random.default_rng(seed)
    x, classes = rng.normal(size=60), rng.integers(3, size=60)
    x = x + 3 * classes
    x[rng.random(60) < 0.3] = np.nan
    known = ~np.isnan(x)
    edges = edges_of(method, x, classes)
    assert len(edges) > 0
    np.testing.assert_array_equal(edges, edges_of(method, x[known], classes[known]))


@pytest.mark.parametrize("method", [*BY_BINS, *SUPERVISED])
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter(method, seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=60)
    x = np.round(rng.normal(size=60) + 3 * classes, 1)
    order = rng.permutation(60)
    edges = edges_of(method, x, classes)
    np.testing.assert_array_equal(edges, edges_of(method, x[order], classes[order]))


@pytest.mark.parametrize("method", [*BY_BINS, *SUPERVISED])
@pytest.mark.parametrize("x", [[], [np.nan] * 3, [7.0], [7.0] * 5, [7.0, np.nan]])
def test_fewer_than_two_values_are_not_cut(method, x):
    edges = edges_of(method, np.array(x, dtype=float), np.arange(len(x)) % 3)
    assert edges.shape == (0,)
    assert edges.dtype == np.float64


@pytest.mark.parametrize("method", ["quantile", "mdlp", "binary"])
@pytest.mark.parametrize(
    ("low", "high", "edge"),
    [
        (1.0, 4.0, 2.5),
        (-1e308, 1e308, 0.0),
        (1e308, 1.5e308, 1.25e308),
        (-1.7e308, -1.5e308, -1.6e308),
        (1.0, np.nextafter(1, 2), np.nextafter(1, 2)),  # no number in between
        (0.0, 5e-324, 5e-324),
        (5e-324, 1e-323, 1e-323),
        (-5e-324, 0.0, 0.0),
    ],
)
def test_two_values_are_cut_in_the_middle_or_at_the_upper(method, low, high, edge):
    x, classes = np.repeat([high, low], 8), np.repeat([1, 0], 8)
    edges = (
        quantile_edges(x, 2) if method == "quantile" else edges_of(method, x, classes)
    )
    np.testing.assert_allclose(edges, [edge], rtol=1e-15)
    assert low < edges[0] <= high


@pytest.mark.parametrize("step", [1.0, 0.25])
@pytest.mark.parametrize("low", [0.0, -3.5, 2.0**53])
def test_merged_rows_are_cut_like_all_rows(low, step):
    rng = np.random.default_rng(0)
    classes = rng.integers(-1, 3, size=400)
    x = low + step * np.floor(9 * rng.random(400) ** (2.0 + classes))
    x[rng.random(400) < 0.1] = np.nan
    weight = rng.integers(1, 4, size=400).astype(float)
    merged, of_class, merged_weight = merge_equal_rows(x, classes, weight)
    if step == 1.0 and low < 2**53:
        assert len(merged) <= 9 * 4
    assert merged_weight.sum() == weight[~np.isnan(x)].sum()
    np.testing.assert_array_equal(
        quantile_edges(merged, 4, merged_weight), quantile_edges(x, 4, weight)
    )
    labelled, known = of_class >= 0, classes >= 0
    edges = mdlp_edges(x[known], classes[known], 3, weight[known])
    found = merged[labelled], of_class[labelled], 3, merged_weight[labelled]
    np.testing.assert_array_equal(mdlp_edges(*found), edges)
    assert len(edges) or low == 2**53


def test_mdlp_does_not_cut_off_a_row_whose_weight_has_underflowed():
    x, classes = np.array([1.0, 2.0, 2.0]), np.array([0, 0, 1])
    assert len(mdlp_edges(x, classes, 2, np.array([0.0, 1.0, 1.0]))) == 0


def test_columns_without_rows_and_wide_ones_are_not_merged():
    none = np.empty(0)
    assert [len(part) for part in merge_equal_rows(none, None)] == [0, 0, 0]
    wide = np.array([0.0, 1e300, 0.0])
    np.testing.assert_array_equal(merge_equal_rows(wide, None)[0], wide)
    largest = np.array([-1.7e308, 1.7e308, 0.0])
    np.testing.assert_array_equal(merge_equal_rows(largest, None)[0], largest)


def test_a_frequent_value_is_parted_only_where_it_tells_of_the_class():
    """20 of 60 rows hold 5: alone of class 1, or of both classes as all others."""
    x = np.r_[np.full(20, 5.0), np.arange(-15.0, 5.0), np.arange(6.0, 26.0)]
    telling = (x == 5).astype(np.int32)
    bins, none = np.array([0.0, 10.0]), np.empty(0)
    apart = separate_frequent_values(bins, x, telling, 2, None, 3)
    assert apart.tolist() == [0.0, 4.5, 5.5, 10.0]
    alike = np.arange(60, dtype=np.int32) % 2
    assert separate_frequent_values(bins, x, alike, 2, None, 3).tolist() == [0.0, 10.0]
    # Rarer than a half; the first and the last value have one neighbour; no rows.
    assert separate_frequent_values(none, x, telling, 2, None, 2).tolist() == []
    ends = separate_frequent_values(none, np.maximum(x, 5), (x <= 5) * 1, 2, None, 3)
    assert ends.tolist() == [5.5]
    assert separate_frequent_values(none, none, none.astype(int), 2, None, 3).size == 0


@given(ROWS)
def test_weights_are_repetition_where_frequent_values_are_parted(rows):
    """And a bin that was there stays."""
    x, classes, weight = columns(rows)
    edges = np.array([0.5])
    found = separate_frequent_values(edges, x, classes, 3, weight, 3)
    times = weight.astype(int)
    repeated = separate_frequent_values(
        edges, np.repeat(x, times), np.repeat(classes, times), 3, None, 3
    )
    np.testing.assert_array_equal(found, repeated)
    assert 0.5 in found
