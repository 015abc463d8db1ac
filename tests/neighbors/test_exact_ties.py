"""Rows at equal distances share their votes, whatever rounding makes of the distances.

Expected shares are computed in fractions. The cells are small integers, so that many
rows tie; their scales 3, 6, 7 are no powers of two. Code under test: `search/_ties.py`,
`search/_lookup_search.py`, `search/_metrics.py`.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    LocallyWeightedRegressor,
    NumberSimilarity,
    ShepardKNN,
)

SCALES = (3, 6, 7)
N_TABLES = 25


def tables():
    """Yield rows, classes, weights and a query; the ranges of the rows are SCALES."""
    for seed in range(N_TABLES):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, np.array(SCALES) + 1, size=(20, 3))
        rows[0], rows[1] = 0, SCALES
        weight = rng.choice([0.5, 1.0, 2.0], size=20)
        yield rows, np.arange(20) % 3, weight, rng.integers(0, 8, size=3)


def gaps(rows, query):
    """Return |a - b| / scale of each row along each column, as fractions."""
    steps = np.abs(rows - query).tolist()
    return [[Fraction(a, s) for a, s in zip(row, SCALES)] for row in steps]


def squares(rows, query):
    return [sum(a * a for a in row) for row in gaps(rows, query)]


def sums(rows, query):
    return [sum(row) for row in gaps(rows, query)]


def capped_sums(rows, query):
    return [sum(min(a, 1) for a in row) for row in gaps(rows, query)]


def overlaps(rows, query):
    """Return HEOM's distances where the last column holds symbols."""
    different = [
        Fraction(int(a != b)) for a, b in zip(rows[:, 2], query[2:].repeat(20))
    ]
    return [a * a + b * b + c for (a, b, _), c in zip(gaps(rows, query), different)]


def weights_of_rows(distances, weight, k):
    """Return the weight of each row: the last ones, at one distance, share theirs."""
    weight = [Fraction(w) for w in weight]
    left, found = Fraction(k), [Fraction(0)] * len(weight)
    for distance in sorted(set(distances)):
        tied = [i for i, other in enumerate(distances) if other == distance]
        total = sum(weight[i] for i in tied)
        for i in tied:
            found[i] = weight[i] * min(1, left / total)
        left -= min(left, total)
    return np.array(found, dtype=float)


def shepard(k, **params):
    return ShepardKNN(k, power=0.0, m=0, **params)


def seuclidean(k):
    variances = np.array(SCALES) ** 2.0
    return shepard(k, metric="seuclidean", metric_params={"V": variances})


def cases(k):
    similarities = {str(j): NumberSimilarity(float(s)) for j, s in enumerate(SCALES)}
    return CaseBasedClassifier(
        k, similarities=similarities, weights=None, power=0.0, m=0, vote="uniform"
    )


MODELS = {
    "seuclidean": (seuclidean, squares),
    "heom": (lambda k: shepard(k, metric="heom"), squares),
    "gower": (lambda k: shepard(k, metric="gower"), sums),
    "heom, symbols": (lambda k: shepard(k, metric="heom"), overlaps),
    "cases": (cases, capped_sums),
}


def as_input(name, rows):
    frame = pd.DataFrame(rows.astype(float), columns=list("012"))
    if name == "heom, symbols":
        frame["2"] = rows[:, 2].astype(str)
    return frame if name in ("cases", "heom, symbols") else frame.to_numpy()


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("name", MODELS)
def test_shares_are_those_of_fractions(name, k):
    make, measure = MODELS[name]
    n_tied = 0
    for rows, y, weight, query in tables():
        distances = measure(rows, query)
        expected = np.bincount(y, weights_of_rows(distances, weight, k)) / k
        n_tied += len(set(distances)) < len(distances)
        for shift in (0, 7, 100):
            model = make(k).fit(as_input(name, rows + shift), y, sample_weight=weight)
            found = model.predict_proba(as_input(name, query[None] + shift))[0]
            assert_allclose(found, expected, atol=1e-12)
    assert n_tied > N_TABLES / 2


def mean_ranks(column, weight, query):
    """Return the mean ranks of the numbers of a column, and that of a query."""
    weight = [Fraction(w) for w in weight]
    values = sorted(set(column.tolist()))
    before = {v: sum(w for w, a in zip(weight, column) if a < v) for v in values}
    at = {v: sum(w for w, a in zip(weight, column) if a == v) for v in values}
    rank = {v: before[v] + at[v] / 2 for v in values}
    query = min(max(query, values[0]), values[-1])
    low = max(v for v in values if v <= query)
    high = min(v for v in values if v >= query)
    part = Fraction(int(query - low), int(high - low)) if high > low else 0
    of_query = rank[low] + part * (rank[high] - rank[low])
    return [rank[a] for a in column.tolist()], of_query


@pytest.mark.parametrize("k", [1, 3, 5])
def test_shares_of_ranks_are_those_of_fractions(k):
    n_tied = 0
    for rows, y, weight, query in tables():
        distances = [Fraction(0)] * len(rows)
        for column, number in zip(rows.T, query):
            ranks, of_query = mean_ranks(column, weight, number)
            scale = max(ranks) - min(ranks)
            distances = [
                d + abs(r - of_query) / scale for d, r in zip(distances, ranks)
            ]
        expected = np.bincount(y, weights_of_rows(distances, weight, k)) / k
        n_tied += len(set(distances)) < len(distances)
        for shift in (0, 7, 100):
            model = CaseBasedClassifier(
                k, weights=None, power=0.0, m=0, vote="uniform", missing=0.0
            ).fit(rows + shift, y, sample_weight=weight)
            found = model.predict_proba(query[None] + shift)[0]
            assert_allclose(found, expected, atol=1e-12)
    assert n_tied > 0


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
@pytest.mark.parametrize("name", ["seuclidean", "heom", "gower", "cases"])
def test_the_order_of_columns_does_not_matter(name, order):
    """The neighbours and shares of a permuted table are those of the table."""
    make, _ = MODELS[name]
    for rows, y, weight, query in tables():
        X, new = as_input(name, rows), as_input(name, query[None])
        model = make(3).fit(X, y, sample_weight=weight)
        if name == "seuclidean":
            scales = np.array(SCALES)[list(order)] ** 2.0
            other = shepard(3, metric="seuclidean", metric_params={"V": scales})
        else:
            other = make(3)
        take = (
            (lambda Z: Z.iloc[:, list(order)])
            if name == "cases"
            else (lambda Z: Z[:, list(order)])
        )
        other.fit(take(X), y, sample_weight=weight)
        assert_allclose(
            other.predict_proba(take(new)), model.predict_proba(new), atol=1e-12
        )
        if name == "cases":
            first, second = model.retrieve(new, 4), other.retrieve(take(new), 4)
            assert first.indices.tolist() == second.indices.tolist()


@pytest.mark.parametrize("scale", ["range", np.array(SCALES, dtype=float)])
@pytest.mark.parametrize("k", [1, 4])
def test_local_means_share_ties(scale, k):
    """A local mean with equal weights is the mean by the shares of the rows."""
    for rows, y, weight, query in tables():
        expected = weights_of_rows(squares(rows, query), weight, k) @ y / k
        for shift in (0, 7, 100):
            model = LocallyWeightedRegressor(
                0,
                n_neighbors=k,
                kernel="uniform",
                scale=scale,
                ridge=0.0,
                statistics=None,
            ).fit(rows + shift, y, sample_weight=weight)
            found = model.predict(query[None] + shift)
            assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n_copies", [1, 300])
def test_retrieved_cases_at_one_similarity_are_in_the_order_of_their_indices(n_copies):
    """Three gaps of a third are as far as one of 3 thirds; so are their many copies."""
    rows = np.array([[1, 1, 1], [0, 3, 0], [0, 0, 3]])
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        cells = np.vstack([[[0, 0, 0]], *[rows[order]] * n_copies])
        X = pd.DataFrame(cells, columns=list("abc"), dtype=float)
        similarities = {name: NumberSimilarity(3.0) for name in X}
        model = CaseBasedClassifier(1, similarities=similarities, weights=None)
        found = model.fit(X, np.arange(len(X)) % 2).retrieve(X.iloc[:1], 3)
        assert found.indices.tolist() == [[0, 1, 2]]
        assert found.similarities[0, 1] == found.similarities[0, 2]
