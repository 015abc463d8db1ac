"""Lower bounds of distances: they leave out no row that is among the nearest.

Code under test: `search/_lookup_kernels.py`.
"""

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import CaseBasedClassifier
from sklearn_bayeslazy.neighbors import (
    EqualitySimilarity,
    NumberSimilarity,
    TableSimilarity,
    ValueDifferenceSimilarity,
)
from sklearn_bayeslazy.search._lookup_kernels import QueryBounds, steps_within
from sklearn_bayeslazy.search._neighbor_lists import (
    WeightedK,
    nearest_of_all,
    no_exclusions,
)
from sklearn_bayeslazy.search._ties import merge_ties

# More cases than two blocks, so that bounds are used, and a last block that is short.
N_CASES, N_QUERIES, N_COLUMNS = 5000, 40, 9


def random_table():
    rng = np.random.default_rng(8)
    return {(a, b): float(rng.uniform(0, 0.8)) for a in "abcd" for b in "abcd"}


def symbols(rng, n, alphabet):
    frame = pd.DataFrame(np.array(alphabet)[rng.integers(len(alphabet), size=n)])
    return frame.rename(columns=str)


def few(rng, n):
    return symbols(rng, (n, N_COLUMNS), list("abcd"))


def many(rng, n):
    """Return symbols of more values than a byte can tell apart, and of two."""
    frame = symbols(rng, (n, N_COLUMNS), list("ab"))
    frame["7"] = symbols(rng, (n, 1), [f"name {i}" for i in range(700)])["0"]
    return frame


def holes(rng, n):
    frame = few(rng, n)
    return frame.mask(rng.random(frame.shape) < 0.2)


def unseen(rng, n):
    """Return symbols of which a query may have others than the stored cases."""
    return few(rng, n).replace("d", "e" if n == N_QUERIES else "d")


def numbers_too(rng, n):
    frame = few(rng, n)
    return frame.assign(number=rng.normal(size=n), other=rng.normal(size=n).round(1))


KINDS = {
    "equality": EqualitySimilarity(),
    "table": TableSimilarity(random_table()),
    "value difference": ValueDifferenceSimilarity(),
}


def measure_all(search, queries):
    """Return the reduced distances of all rows, summed in the order of the kernels."""
    stored = search._arrays
    given = search._query_arrays(queries, no_exclusions(len(queries.cells)))
    groups = range(len(stored.codes))
    fours = len(groups) // 4 * 4
    reduced = np.zeros((len(queries.cells), search.n_rows))

    def look_up(g):
        return given.lookup[:, given.start[g] + stored.codes[g]]

    for g in groups[:fours:4]:
        reduced += (look_up(g) + look_up(g + 1)) + (look_up(g + 2) + look_up(g + 3))
    for g in groups[fours:]:
        reduced += look_up(g)
    for j, weight in enumerate(stored.weights):
        gap = np.abs(stored.numbers[j] - given.numbers[:, j, None])
        gap = np.minimum(gap * stored.inverse_scales[j], stored.limit)
        gap = gap * gap if stored.squared else gap
        reduced += np.where(np.isnan(gap), stored.missing[j], gap * weight)
    return reduced * stored.factor


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("aggregation", ["mean", "euclidean"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", [few, many, holes, unseen, numbers_too])
def test_the_nearest_are_those_of_all_distances_to_the_bit(
    table, kind, aggregation, weighted
):
    rng = np.random.default_rng(7)
    X, y = table(rng, N_CASES), rng.integers(3, size=N_CASES)
    numeric = X.select_dtypes("number").columns
    similarities = dict.fromkeys(X, KINDS[kind]) | dict.fromkeys(
        numeric, NumberSimilarity()
    )
    weights = rng.uniform(0.1, 1, X.shape[1]) if weighted else None
    given = {"weights": weights, "power": 1.0, "m": 1.0}  # nothing is to be chosen
    model = CaseBasedClassifier(
        5, similarities=similarities, aggregation=aggregation, **given
    ).fit(X, y)
    search = model._search
    stored = np.sort(rng.permutation(N_CASES)[:N_QUERIES])
    new = model._transform_queries(table(rng, N_QUERIES))
    for queries, exclude in [
        (search.training_queries()[stored], stored),
        (new, no_exclusions(N_QUERIES)),
    ]:
        weighted_k = WeightedK(5, rng.uniform(0.2, 1.0, N_CASES))
        found = search.nearest(queries, slice(None), weighted_k, exclude)
        reduced = measure_all(search, queries)
        expected = nearest_of_all(reduced, weighted_k, exclude)
        expected.counts[:] = [
            1 + np.searchsorted(np.cumsum(weighted_k.weight[rows[:n]]), weighted_k.k)
            for rows, n in zip(expected.indices, expected.counts)
        ]
        expected = merge_ties(expected, search._rounding)
        np.testing.assert_array_equal(found.counts, expected.counts)
        for first, second, count in zip(found.indices, expected.indices, found.counts):
            np.testing.assert_array_equal(first[:count], second[:count])
        for first, second, count in zip(found.reduced, expected.reduced, found.counts):
            np.testing.assert_array_equal(first[:count], second[:count])


def test_bounds_never_exceed_distances_and_equal_them_for_equality():
    rng = np.random.default_rng(9)
    distances = [rng.uniform(0, 3, size=(20, n)) for n in (1, 2, 5)]
    distances.append(np.where(np.arange(6) == rng.integers(6, size=(20, 1)), 0.0, 2.5))
    bounds = QueryBounds.of(distances, 20)
    codes = [rng.integers(apart.shape[1], size=50) for apart in distances]
    true = sum(apart[:, some] for apart, some in zip(distances, codes))
    steps = sum(
        np.where(some == bounds.nearest[:, j, None], 0, bounds.steps[:, j, None])
        for j, some in enumerate(codes)
    )
    assert steps.max() <= 65_000
    bound = bounds.base[:, None] + steps / bounds.steps_per_unit[:, None]
    assert np.all(bound <= true * (1 + 1e-12))
    # Rounding steps down loses at most one of each attribute.
    equality = QueryBounds.of(distances[-1:], 20)
    np.testing.assert_array_equal(equality.steps, 65_000)
    np.testing.assert_array_equal(equality.nearest[:, 0], distances[-1].argmin(axis=1))


@pytest.mark.parametrize("scale", [1e-12, 1e-9, 1e-6, 1.0])
def test_limits_allow_for_the_rounding_of_distances(scale):
    # One attribute is far from all cases, so that distances are rounded coarsely.
    rng = np.random.default_rng(10)
    distances = [np.full((20, 1), 1.1e3)]
    distances += [scale * rng.uniform(0, 3, size=(20, n)) for n in (2, 5, 7)]
    bounds = QueryBounds.of(distances, 20)
    codes = [rng.integers(apart.shape[1], size=500) for apart in distances]
    true = sum(apart[:, some] for apart, some in zip(distances, codes))
    for q in range(20):
        steps = sum(
            np.where(some == bounds.nearest[q, j], 0, bounds.steps[q, j])
            for j, some in enumerate(codes)
        )
        limits = np.array([steps_within(bounds, q, distance) for distance in true[q]])
        assert np.all((limits == -1) | (steps <= limits))
