"""The contract `ColumnDistribution`: one model, however its rows are counted.

The log probabilities are those of the m-estimates' definition, by numpy and scipy.

Code under test: `naive_bayes/_columns/_column_distribution.py`,
`naive_bayes/_columns/_discrete.py`, `naive_bayes/_columns/_gaussian.py`,
`naive_bayes/_columns/_poisson.py`.
"""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from sklearn_bayeslazy.naive_bayes._columns import (
    Batch,
    ColumnDistribution,
    DiscreteColumns,
    GaussianColumns,
    LeftOutRows,
    PoissonColumns,
)
from sklearn_bayeslazy.tabular import Codebook, read_table

N_ROWS, N_CLASSES = 48, 3
NAMES = ["a", "b", "c", "d"]
# The discrete column "b" is cut here; the others are categorical.
EDGES = np.array([0.5, 2.0])
M = np.array([0.0, 1.5, 4.0, 1.0])
WEIGHTS = ["ones", "integers", "fractions"]
every_weight = pytest.mark.parametrize("weighed", WEIGHTS)


@dataclass(frozen=True)
class Kind:
    """A distribution, and whether its table is sparse."""

    name: str
    is_sparse: bool = False

    def columns(self, X):
        """Return columns without statistics, with the categories of these cells."""
        indices = list(range(X.shape[1]))
        if self.name == "poisson":
            return PoissonColumns(indices, NAMES)
        if self.name == "gaussian":
            return GaussianColumns(indices, NAMES)
        values = [np.unique(column[~np.isnan(column)]) for column in X.T]
        values[1] = EDGES
        is_cut = [j == 1 for j in indices]
        return DiscreteColumns(Codebook(indices, values, is_cut), NAMES)

    def table(self, X):
        return read_table(csr_array(X) if self.is_sparse else X, NAMES[: X.shape[1]])

    def batch(self, X, classes, weight):
        return Batch(self.table(X), classes.astype(np.int32), weight, N_CLASSES)

    def counted(self, X, classes, weight):
        return self.columns(X).counted(self.batch(X, classes, weight))

    def priors(self, name):
        """Return a prior for each column: a name, or pseudo-counts, or moments."""
        if name != "array":
            return [name] * len(NAMES)
        if self.name == "poisson":
            return [np.array([0.5 + j]) for j in range(len(NAMES))]
        if self.name == "gaussian":
            return [np.array([1.0 - j, 0.5 + j]) for j in range(len(NAMES))]
        by_class = np.array([[1.0, 2.0, 3.0], [0.5, 0.5, 0.0], [1.0, 0.2, 0.3]])
        return [np.array([0.1, 0.2, 0.3, 0.4]), by_class, np.ones(4), np.ones(1)]


KINDS = [
    Kind("discrete"),
    Kind("poisson"),
    Kind("gaussian"),
    Kind("discrete", is_sparse=True),
    Kind("poisson", is_sparse=True),
]
every_kind = pytest.mark.parametrize(
    "kind", KINDS, ids=lambda kind: kind.name + ", sparse" * kind.is_sparse
)
every_prior = pytest.mark.parametrize("prior", ["uniform", "marginal", "array"])


def draw(kind, weighed, n_columns=3):
    """Return cells, a few of them missing, classes and weights."""
    rng = np.random.default_rng(0)
    classes = np.arange(N_ROWS) % N_CLASSES
    if kind.name == "gaussian":
        X = rng.normal(classes[:, None], [1.0, 100.0, 0.01], size=(N_ROWS, 3))
        X[:, 2] += 1e3
    else:
        X = np.minimum(rng.poisson(0.4 + classes[:, None], size=(N_ROWS, 3)), 3) * 1.0
    X[rng.random(X.shape) < 0.1] = np.nan
    if n_columns == 4:  # a column of which only one cell is known
        X = np.column_stack([X, np.full(N_ROWS, np.nan)])
        X[7, 3] = 2.0
    weight = {
        "ones": np.ones(N_ROWS),
        "integers": rng.integers(1, 4, size=N_ROWS).astype(float),
        "fractions": rng.uniform(0.1, 2.5, size=N_ROWS),
    }[weighed]
    return X, classes, weight


def statistics(columns):
    """Return the statistics by name, each with the classes along the first axis."""
    if isinstance(columns, DiscreteColumns):
        return {"counts": columns.counts.T}
    if isinstance(columns, PoissonColumns):
        return {"observed": columns.observed, "total": columns.total}
    mean = columns.mean + columns.compensation
    return {"observed": columns.observed, "mean": mean, "ss": columns.ss}


def assert_same_statistics(one, other, exactly):
    first, second = statistics(one), statistics(other)
    assert first.keys() == second.keys()
    for name, values in first.items():
        is_exact = exactly and name in ("counts", "observed", "total")
        rtol = 0 if is_exact else 1e-12
        np.testing.assert_allclose(values, second[name], rtol=rtol, err_msg=name)


def log_probs(columns, table):
    """Return log P(x | class), summed over the columns, for the rows of a table."""
    out = np.zeros((table.n_rows, statistics(columns).popitem()[1].shape[0]))
    cells = columns.reader(table)(slice(0, table.n_rows))
    columns.add_log_probs(cells, out)
    return out


# The m-estimates by their definition


def terms_by_definition(kind, X, classes, weight, m, priors, queries):
    """Return log P(x | class) of each cell of the queries, (m, d, n_classes)."""
    terms = np.zeros((*queries.shape, N_CLASSES))
    log_prob = {"discrete": discrete, "poisson": poisson, "gaussian": gaussian}
    for j, column in enumerate(X.T):
        known = ~np.isnan(column)
        cells, w, y = column[known], weight[known], classes[known]
        for c in range(N_CLASSES):
            here = cells, w, y == c, m[j], priors[j]
            for i, x in enumerate(queries[:, j]):
                if not np.isnan(x):
                    terms[i, j, c] = log_prob[kind.name](x, *here, j, c)
    return terms


def discrete(x, cells, w, in_class, m, prior, j, c):
    values = np.unique(cells)
    if j == 1:
        cells, x = (np.searchsorted(EDGES, v, side="right") for v in (cells, x))
        values = np.arange(len(EDGES) + 1)
    if x not in values:
        return 0.0  # as a missing cell
    if isinstance(prior, str):
        marginal = np.array([w[cells == v].sum() for v in values]) / w.sum()
        p = marginal if prior == "marginal" else np.full(len(values), 1 / len(values))
    else:
        p = prior[c] if prior.ndim == 2 else prior
    n_x, n = w[in_class & (cells == x)].sum(), w[in_class].sum()
    with np.errstate(divide="ignore"):
        return np.log((n_x + m * p[values == x][0]) / (n + m * p.sum()))


def poisson(x, cells, w, in_class, m, prior, j, c):
    base = np.average(cells, weights=w) if isinstance(prior, str) else prior[0]
    total, n = w[in_class] @ cells[in_class], w[in_class].sum()
    return stats.poisson.logpmf(x, (total + m * base) / (n + m))


def gaussian(x, cells, w, in_class, m, prior, j, c):
    base, variance = np.average(cells, weights=w), np.cov(cells, aweights=w, ddof=0)
    if not isinstance(prior, str):
        base, variance = prior
    n, mean = w[in_class].sum(), np.average(cells[in_class], weights=w[in_class])
    ss = w[in_class] @ (cells[in_class] - mean) ** 2
    ss += m * variance + n * m / (n + m) * (mean - base) ** 2
    new_mean = (n * mean + m * base) / (n + m)
    return stats.norm.logpdf(x, new_mean, np.sqrt(ss / (n + m - 1)))


@every_kind
@every_weight
@every_prior
def test_log_probs_are_those_of_the_m_estimates(kind, weighed, prior):
    X, classes, weight = draw(kind, weighed)
    columns, priors = kind.counted(X, classes, weight), kind.priors(prior)
    assert isinstance(columns, ColumnDistribution)
    columns.estimate(M, priors)
    queries = np.vstack([X, np.full((1, 3), 9.0), np.full((1, 3), np.nan)])
    expected = terms_by_definition(kind, X, classes, weight, M, priors, queries)
    found = log_probs(columns, kind.table(queries))
    np.testing.assert_allclose(found, expected.sum(axis=1), rtol=1e-9, atol=1e-12)


@every_kind
@every_weight
def test_rows_may_come_in_any_parts(kind, weighed):
    X, classes, weight = draw(kind, weighed)
    columns = kind.counted(X, classes, weight)
    columns.estimate(M, kind.priors("marginal"))
    whole = log_probs(columns, kind.table(X))
    parts = np.array_split(X, [5, 6, 30])
    found = np.vstack([log_probs(columns, kind.table(part)) for part in parts])
    np.testing.assert_array_equal(found, whole)
    if not kind.is_sparse:
        read, rows = columns.reader(kind.table(X)), slice(11, 20)
        out = np.ones((9, N_CLASSES))  # what `out` holds is kept
        columns.add_log_probs(read(rows), out)
        np.testing.assert_allclose(out - 1, whole[rows], rtol=1e-12, atol=1e-12)


@every_kind
@every_weight
def test_columns_may_come_in_any_parts(kind, weighed):
    X, classes, weight = draw(kind, weighed)
    columns, priors = kind.counted(X, classes, weight), kind.priors("marginal")
    columns.estimate(M, priors)
    terms = terms_by_definition(kind, X, classes, weight, M, priors, X)
    table = kind.table(X)
    for some in ([0], [1], [2], [0, 2], [2, 1]):
        part = columns.part(some)
        np.testing.assert_array_equal(part.columns, some)
        expected = terms[:, some].sum(axis=1)
        np.testing.assert_allclose(
            log_probs(part, table), expected, rtol=1e-9, atol=1e-12
        )


# Statistics add up


@every_kind
@every_weight
@pytest.mark.parametrize("by", ["row", "class", "value"])
def test_two_batches_merged_are_all_rows_counted(kind, weighed, by):
    X, classes, weight = draw(kind, weighed)
    order = np.arange(N_ROWS)
    if by != "row":  # the batches have different classes, or categories
        order = np.argsort(classes if by == "class" else X[:, 0], kind="stable")
    first, second = (
        kind.counted(X[rows], classes[rows], weight[rows])
        for rows in np.split(order, [17])
    )
    whole = kind.counted(X, classes, weight)
    before = deepcopy([statistics(first), statistics(second)])
    for merged in (first.merged(second), second.merged(first)):
        assert_same_statistics(merged, whole, exactly=weighed != "fractions")
        for columns in (merged, whole):
            columns.estimate(M, kind.priors("marginal"))
        # Categories of one batch alone are in the right place.
        np.testing.assert_allclose(
            log_probs(merged, kind.table(X)), log_probs(whole, kind.table(X)), rtol=1e-9
        )
    # Neither was changed in place.
    for columns, expected in zip((first, second), before):
        for name, values in statistics(columns).items():
            np.testing.assert_array_equal(values, expected[name])


@every_kind
@every_weight
def test_no_rows_change_nothing(kind, weighed):
    X, classes, weight = draw(kind, weighed)
    columns = kind.counted(X, classes, weight)
    nothing = columns.without_rows()
    assert not any(np.any(values) for values in statistics(nothing).values())
    for merged in (columns.merged(nothing), nothing.merged(columns)):
        assert_same_statistics(merged, columns, exactly=True)


@every_kind
def test_other_classes_have_no_statistics(kind):
    X, classes, weight = draw(kind, "fractions")
    columns, positions = kind.counted(X, classes, weight), np.array([1, 4, 2])
    expanded, others = columns.expand_classes(positions, 6), [0, 3, 5]
    for name, values in statistics(expanded).items():
        np.testing.assert_array_equal(values[positions], statistics(columns)[name])
        assert len(values) == 6
        assert not np.any(values[others])
    for one in (columns, expanded):
        one.estimate(M + 1, kind.priors("marginal"))
    found, expected = (log_probs(one, kind.table(X)) for one in (expanded, columns))
    np.testing.assert_allclose(found[:, positions], expected, rtol=1e-12)


# Rows left out


def without_row(X, classes, weight, i):
    """Return rows, classes and weights without one copy of row i."""
    left = weight.copy()
    left[i] = 0.0
    kept = left > 0
    return X[kept], classes[kept], left[kept]


@every_kind
@every_weight
@every_prior
def test_a_row_left_out_has_the_log_probs_of_the_other_rows(kind, weighed, prior):
    X, classes, weight = draw(kind, weighed, n_columns=4)
    columns, priors = kind.counted(X, classes, weight), kind.priors(prior)
    batch, rows = kind.batch(X, classes, weight), np.arange(N_ROWS)
    is_equal = len(set(weight.tolist())) == 1
    every = LeftOutRows(batch, rows, equal_weights=is_equal)
    some = LeftOutRows(batch, rows[5:9], equal_weights=is_equal)
    ms = np.array([M, M + 1])
    found_by_m = np.zeros((2, N_ROWS, N_CLASSES))
    columns.add_left_out(every, ms, priors, found_by_m)
    terms = columns.left_out_terms(every, ms, priors)
    np.testing.assert_allclose(terms.sum(axis=2), found_by_m, rtol=1e-9, atol=1e-12)
    for m, found in zip(ms, found_by_m):
        for i in rows:
            # With the categories and cut points of all rows.
            other = columns.counted(kind.batch(*without_row(X, classes, weight, i)))
            other.estimate(m, priors)
            expected = log_probs(other, kind.table(X[i : i + 1]))[0]
            np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-9)
        alone = np.ones((4, N_CLASSES))  # what `out` holds is kept
        columns.add_left_out(some, m[None], priors, alone[None])
        np.testing.assert_allclose(alone - 1, found[5:9], rtol=1e-12, atol=1e-12)
