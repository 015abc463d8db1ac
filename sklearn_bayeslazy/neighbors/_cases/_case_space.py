"""The stored cases, attribute by attribute, as searches compare them with queries."""

import numpy as np
from scipy import sparse

from ...search import (
    EqualityTable,
    LookupQueries,
    LookupSearch,
    MeanRanks,
    Metric,
    NumberColumn,
    TransformedRows,
    ValueMeans,
)
from ._similarities import (
    EqualitySimilarity,
    NumberSimilarity,
    ValueDifferenceSimilarity,
)

# The exponent of the differences that each way to aggregate adds up.
EXPONENTS = {"mean": 1, "euclidean": 2}


class CaseSpace:
    """The stored cases, and what is learnt from them to compare others with them."""

    # similarities: one Similarity for each attribute. targets: TrainingTargets, with
    # the weights. missing: the similarity of a missing cell with any other, or "mean".
    # The distance of two cases is the weighted mean of (1 - s)^exponent over the
    # attributes, and its root. columns: a NumberAttribute, SymbolAttribute,
    # EqualAttribute or LearntAttribute for each.

    def __init__(self, table, similarities, targets, missing, exponent):
        self.n_rows, self.exponent = table.n_rows, exponent
        by_target = targets.embedding_targets(), not targets.are_classes
        weight = targets.weight
        self.columns = []
        for j, similarity in enumerate(similarities):
            if isinstance(similarity, NumberSimilarity):
                numbers = table.column(j)
                column = NumberAttribute(numbers, similarity, weight, missing)
            elif isinstance(similarity, ValueDifferenceSimilarity):
                values, codes = table.distinct(j)
                given = values, codes, similarity, weight, missing
                column = LearntAttribute(*given, *by_target)
            else:
                is_equality = type(similarity) is EqualitySimilarity
                kind = EqualAttribute if is_equality else SymbolAttribute
                given = *table.distinct(j), similarity, weight, missing
                column = kind(*given)
            self.columns.append(column)

    def search(self, weights):
        """Return a search among the cases, with weights of the attributes."""
        # The reduced distance is twice 1 - similarity, as that of the cosine is.
        weights = weights / weights.max()
        return LookupSearch(
            self.columns,
            weights,
            Metric("cases", root=float(self.exponent), divisor=2.0),
            exponent=self.exponent,
            factor=2.0 / weights.sum(),
            limit=1.0,
        )

    def queries(self, table):
        """Return new cases as queries."""
        return LookupQueries.of(
            [column.queries(table, j) for j, column in enumerate(self.columns)]
        )

    def left_out_queries(self):
        """Return the stored cases as queries, each compared without its target."""
        return TransformedRows(np.arange(self.n_rows), self._left_out)

    def _left_out(self, rows):
        return LookupQueries.of([column.left_out(rows) for column in self.columns])

    def similarities(self, queries, rows):
        """Return the similarities (m, width, n_attributes) of queries to cases."""
        # rows: (m, width), indices of stored cases.
        return np.stack(list(self._by_column(queries, rows)), axis=2)

    def distances(self, queries, rows):
        """Return (1 - s)^exponent (n_attributes, m, n_rows), float32, to some cases."""
        found = np.empty((len(self.columns), len(queries.cells), len(rows)), np.float32)
        everywhere = np.broadcast_to(rows, found.shape[1:])
        for j, similarities in enumerate(self._by_column(queries, everywhere)):
            found[j] = (1 - similarities) ** self.exponent
        return found

    def _by_column(self, queries, rows):
        """Yield the similarities (m, width) of queries to cases along each column."""
        for column, cells, table in zip(self.columns, queries.cells.T, queries.tables):
            yield column.similarities(cells, rows, table)


# Attributes of stored cases: numbers with a scale, or codes with a look-up table.


class NumberAttribute(NumberColumn):
    """A numeric attribute of the stored cases."""

    # numbers: (n,), NaN for missing; weight: (n,). missing: the similarity of a missing
    # cell with any other, or "mean"; `self.missing` is a number.

    def __init__(self, numbers, similarity, weight, missing):
        self._ranks = None
        if similarity.compares_ranks:
            self._ranks = MeanRanks(numbers, weight)
            numbers = self._ranks.transform(numbers)
        scale = similarity.scale_for(numbers)
        super().__init__(numbers, scale, missing)
        if missing == "mean":
            present = ~np.isnan(numbers)
            scaled = self.cells[present] * self.inverse_scale
            self.missing = mean_similarity(scaled, weight[present])

    def queries(self, table, j):
        """Return the cells of new cases."""
        numbers = table.column(j)
        if self._ranks is not None:
            numbers = self._ranks.transform(numbers)
        return self.encode(numbers), None

    def left_out(self, rows):
        """Return the cells of stored cases as they are when each is left out."""
        return self.cells[rows], None

    def similarities(self, cells, rows, table):
        """Return the similarities of cells (m,) to stored cases (m, width)."""
        gaps = self.gaps(cells, rows)
        return np.where(np.isnan(gaps), self.missing, 1 - np.minimum(gaps, 1.0))


class SymbolAttribute:
    """A symbolic attribute of the stored cases."""

    # values: the K symbols. codes: (n,), given with -1 for missing, kept with K for
    # missing; n_codes is K + 1. weight: (n,). missing: as in `NumberAttribute`.
    # table: (K + 1, K + 1), the similarity of each value to each.

    def __init__(self, values, codes, similarity, weight, missing):
        self.values, self._similarity = values, similarity
        # Of booleans the keys are the equal integers: skops reads a key False as True.
        keys = (int(v) if isinstance(v, bool) else v for v in values)
        self._code_of = {key: code for code, key in enumerate(keys)}
        size = len(values)
        self.n_codes = size + 1
        self.codes = np.where(codes >= 0, codes, size)
        known = self._between_values()
        self.missing = missing
        if missing == "mean":
            share = np.bincount(self.codes, weight, self.n_codes)[:-1]
            share /= share.sum() if share.any() else 1.0
            self.missing = share @ known @ share if share.any() else 1.0
        self.table = self._with_missing(known)

    def queries(self, table, j):
        """Return the rows of the look-up table for new cases, and that table."""
        distinct, codes = table.distinct(j)
        new, rows = [], []
        for value in distinct:
            if value in self._code_of:
                rows.append(self._code_of[value])
            elif (unknown := self._unknown(value)) is None:
                rows.append(len(self.values))
            else:
                rows.append(self.n_codes + len(new))
                new.append(unknown)
        rows = np.array([*rows, len(self.values)], dtype=np.int64)
        lookup = self.table
        if new:
            new = np.hstack([np.vstack(new), np.full((len(new), 1), self.missing)])
            lookup = np.vstack([lookup, new])
        return rows[codes], lookup

    def left_out(self, rows):
        """Return the codes of stored cases, which do not depend on the targets."""
        return self.codes[rows], self.table

    def similarities(self, cells, rows, table):
        """Return the similarities of cells (m,) to stored cases (m, width)."""
        return table[cells.astype(np.int64)[:, None], self.codes[rows]]

    def _between_values(self):
        return self._similarity.pairwise(self.values, self.values)

    def _unknown(self, value):
        """Return the similarities of a value that no stored case has; None: missing."""
        return self._similarity.pairwise([value], self.values)

    def _with_missing(self, known):
        return np.pad(known, (0, 1), constant_values=self.missing)


class EqualAttribute(SymbolAttribute):
    """A symbolic attribute of equal or different values, without a matrix of them."""

    def queries(self, table, j):
        """Return the rows of the look-up table for new cases, and that table."""
        distinct, codes = table.distinct(j)
        unknown, missing = self.n_codes, self.n_codes - 1
        rows = [self._code_of.get(value, unknown) for value in distinct]
        return np.array([*rows, missing], dtype=np.int64)[codes], self.table

    def _between_values(self):
        return sparse.eye_array(len(self.values), format="csr")

    def _with_missing(self, known):
        return EqualityTable(self.n_codes, self.missing)


class LearntAttribute(SymbolAttribute):
    """A symbolic attribute compared by the value difference, learnt from targets."""

    # targets: (n, n_targets), indicators of the classes, or numbers if one_number:
    # differences are then relative to the range of the means. Others as in
    # `SymbolAttribute`.

    def __init__(self, values, codes, similarity, weight, missing, targets, one_number):
        size = max(len(values), 1)
        self._means = ValueMeans.fit(codes, size, targets, weight, similarity.m)
        self._points = self._means.transform(np.arange(len(values)))
        self._targets, self._weight, self._labels = targets, weight, codes
        self._unit, self._divisor = 1.0, 2.0
        if one_number:
            points = self._points if values else np.zeros((1, 1))
            range_of_means = np.ptp(points, axis=0).max()
            self._unit, self._divisor = range_of_means or 1.0, targets.shape[1]
        super().__init__(values, codes, similarity, weight, missing)

    def left_out(self, rows):
        """Return rows of a look-up table learnt without the target of each case."""
        codes, targets = self._labels[rows], self._targets[rows]
        weight = self._weight[rows]
        keys = np.column_stack([codes, weight, targets])
        _, first, inverse = np.unique(
            keys, axis=0, return_index=True, return_inverse=True
        )
        points = self._means.left_out(codes[first], targets[first], weight[first])
        similar = self._similarities(points)
        table = np.hstack([similar, np.full((len(similar), 1), self.missing)])
        # Cases of the same symbol have lost the same target.
        codes = codes[first]
        table[np.arange(len(codes)), codes] = 1.0
        table[codes < 0] = self.missing
        return inverse.reshape(-1), table

    def _between_values(self):
        return self._similarities(self._points)

    def _similarities(self, points):
        q = self._similarity.q
        total = np.zeros((len(points), len(self._points)))
        for x, y in zip(points.T, self._points.T):
            gap = np.abs(x[:, None] - y) / self._unit
            total += gap if q == 1 else gap**q
        apart = np.minimum(total / self._divisor, 1.0)
        return 1 - apart ** (1 / self._similarity.root)

    def _unknown(self, value):
        return None


def mean_similarity(cells, weight):
    """Return the weighted mean of 1 - min(abs(a - b), 1) over all pairs of cells.

    >>> mean_similarity(np.array([0.0, 0.5]), np.ones(2))  # (1 + .5 + .5 + 1) / 4
    np.float64(0.75)
    """
    # cells, weight: (n,). In O(n log n): for sorted cells, the sum of the gaps to
    # earlier cells at a distance below 1 is a difference of cumulative sums. Each pair
    # of two rows counts twice. The mean distance is subtracted from 1: of equal cells
    # it is exactly 0, so that no case is nearer than one that has the same cell.
    if not len(cells):
        return 1.0
    order = np.argsort(cells, kind="stable")
    cells, weight = cells[order] - cells[order[0]], weight[order] / weight.sum()
    before = np.concatenate([[0.0], np.cumsum(weight)])
    moment = np.concatenate([[0.0], np.cumsum(weight * cells)])
    first = np.searchsorted(cells, cells - 1.0)  # the pairs at a distance below 1
    here = np.arange(len(cells))
    near = before[here] - before[first]
    gaps = cells * near - (moment[here] - moment[first])
    return 1 - 2 * weight @ (gaps + before[first])
