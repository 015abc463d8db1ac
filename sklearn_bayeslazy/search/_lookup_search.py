"""Search by look-up tables: distances are sums over columns of symbols and numbers.

A column of symbols has a table of similarities s from 0 to 1, one of numbers a scale.
Along each column the distance is (1 - s)^exponent, or that power of |a - b| / scale up
to a limit. Cases, HEOM and Gower's distance are sums or means of it. Numbers are
subtracted before they are scaled, so that equal gaps are equally far.
"""

from dataclasses import dataclass

import numpy as np

from .._core._kernel import frozen
from .._core._parallel import MAX_STEPS_PER_CALL, slices_of
from ..tabular import MISSING, symbol_codebook
from ._lookup_kernels import (
    BlockScratch,
    LookupQueryArrays,
    LookupRowArrays,
    QueryBounds,
    as_symbols,
    nearest_by_lookup,
    sum_ties_by_lookup,
)
from ._metrics import Metric
from ._mixed_rows import FARTHEST
from ._neighbor_lists import empty_lists
from ._ties import ROWS_LISTED_FOR_TIES, UNIT_ROUNDOFF, Rounding, merge_ties

# The look-up of a group of columns stays in the first cache.
_MAX_CODES_PER_GROUP = 512
# Entries of the look-ups that are built at a time, for a slice of the queries.
_MAX_LOOKUPS = 2**20
# Numbers up to this size have differences that do not overflow.
_LARGEST = 2.0**1022


class NumberColumn:
    """Numbers of the training rows, compared by |a - b| / scale."""

    n_codes = table = None

    def __init__(self, numbers, scale, missing):
        # numbers: (n,), NaN for missing; scale: above 0, infinite if all numbers are
        # equally far; missing: the similarity of a missing number with any other.
        self.scale, self.missing = float(scale), missing
        self.cells = self.encode(numbers)

    @property
    def inverse_scale(self):
        """Return what turns gaps between `cells` into distances, from 1 to 2 or 0."""
        return 0.0 if np.isinf(self.scale) else 1 / np.frexp(self.scale)[0]

    def encode(self, numbers):
        """Return numbers over the power of two above the scale, which is exact."""
        exponent = 0 if np.isinf(self.scale) else np.frexp(self.scale)[1]
        with np.errstate(over="ignore"):
            return np.clip(np.ldexp(numbers, -exponent), -_LARGEST, _LARGEST)

    def gaps(self, cells, rows):
        """Return |a - b| / scale (m, width) of cells (m,) and training rows."""
        with np.errstate(over="ignore"):
            gaps = np.abs(self.cells[rows] - cells[:, None]) * self.inverse_scale
        return np.minimum(gaps, FARTHEST)


class EqualityTable:
    """The table of similarities 1 of equal symbols and 0 of others, not written out."""

    # Rows are the K known symbols, missing, and unknown symbols; columns, n_codes of
    # them, the known symbols and missing. `missing` is the similarity of a missing cell
    # with any other.

    def __init__(self, n_codes, missing):
        self.n_codes, self.missing = n_codes, missing

    def __getitem__(self, key):
        """Return rows (m, n_codes), or entries for a pair of arrays."""
        rows, codes = key if isinstance(key, tuple) else (key[:, None], slice(None))
        codes = np.arange(self.n_codes)[codes]
        last = self.n_codes - 1
        is_missing = (rows == last) | (codes == last)
        return np.where(is_missing, self.missing, (rows == codes).astype(np.float64))


class SymbolColumn:
    """Codes of symbols of the training rows, and the similarity of each to each."""

    def __init__(self, codes, table):
        # codes: (n,), from 0 to n_codes - 1, the last for a missing cell. table[rows]
        # returns similarities (m, n_codes), as an array (n_codes, n_codes) does;
        # queries may have tables of their own, with rows for other values.
        self.codes, self.table = codes, table
        self.n_codes, self.missing = table.n_codes, table.missing


@dataclass
class LookupQueries:
    """Queries: a number, or the row of a look-up table, for each column."""

    # (m, n_columns): numbers as `NumberColumn` encodes them, NaN for missing; for
    # symbols rows of the table.
    cells: np.ndarray
    # For each column the similarities (n_rows, n_codes) of values to the stored ones
    # and to a missing one; None for numbers.
    tables: list

    @classmethod
    def of(cls, parts):
        """Return the queries of pairs (cells, table) of all columns."""
        cells = [np.asarray(cells, dtype=np.float64) for cells, _ in parts]
        return cls(np.column_stack(cells), [table for _, table in parts])

    @property
    def shape(self):
        """Return (m, n_columns)."""
        return self.cells.shape

    def __getitem__(self, rows):
        return LookupQueries(self.cells[rows], self.tables)


class LookupSearch:
    """Finds the nearest rows by sums over columns of distances along each."""

    # columns: with the attributes of a `SymbolColumn` or of a `NumberColumn`.
    # weights: (n_columns,), ≥ 0, of the distances; factor: multiplies their sum;
    # limit: the largest distance along a column of numbers, before the exponent.
    # over_present: columns that are missing in a query or a row are left out, and the
    # sum is divided by the weights of the others; factor is then 1 over all weights.

    n_rows_beyond = ROWS_LISTED_FOR_TIES

    def __init__(
        self,
        columns,
        weights,
        metric,
        *,
        exponent=1,
        factor=1.0,
        limit=FARTHEST,
        over_present=False,
    ):
        first = columns[0]
        self.n_rows = len(first.cells if first.n_codes is None else first.codes)
        self.metric = metric
        self._columns, self._weights = columns, weights
        self._exponent, self._over_present = exponent, over_present
        self._groups, numeric = self._group_columns()
        self._numeric = np.array(numeric, dtype=np.int64)
        sizes = [self._size(group) for group in self._groups]
        self._start = frozen(np.concatenate([[0], np.cumsum(sizes)]), np.int64)
        codes = [self._joint_codes(group) for group in self._groups]
        numbers = [columns[j] for j in numeric]
        number_weights = weights[self._numeric]
        unknown = [(1 - column.missing) ** exponent for column in numbers]
        n = self.n_rows
        cells = [column.cells for column in numbers]
        symbols = [columns[j].codes for group in self._groups for j in group]
        # Codes that are stored: the last one, of missing cells, only if there are any.
        self._n_stored = [int(codes.max()) + 1 for codes in symbols]
        self._arrays = LookupRowArrays(
            as_symbols(np.array(symbols, dtype=np.int64).reshape(-1, n)),
            frozen(np.array(codes, dtype=np.uint32).reshape(-1, n), np.uint32),
            frozen(np.array(cells, dtype=float).reshape(-1, n), np.float64),
            frozen([column.inverse_scale for column in numbers], np.float64),
            frozen(number_weights, np.float64),
            frozen(number_weights * unknown, np.float64),
            float(factor),
            float(limit),
            exponent == 2,
            over_present,
        )
        # A sum of d terms of a few operations; 1 - s is off by a share of 1, not of
        # itself.
        is_exact = all(map(_is_exact, columns))
        largest = 0.0 if is_exact else weights.sum() * factor
        self._rounding = Rounding(
            (2 * len(columns) + 16) * UNIT_ROUNDOFF,
            constant=8 * UNIT_ROUNDOFF * largest,
        )

    def training_queries(self):
        """Return the training rows as queries."""
        return training_queries(self._columns)

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded row."""
        queries = queries[rows]
        lists = empty_lists(len(queries.cells), weighted_k.width)
        for some in self._slices(queries):
            nearest_by_lookup(
                self._arrays,
                self._query_arrays(queries[some], exclude[some]),
                weighted_k.weight,
                weighted_k.k,
                lists.heaps(some),
                np.full(len(exclude[some]), np.inf),
                BlockScratch.of(self._arrays, len(exclude[some])),
            )
        return merge_ties(lists, self._rounding)

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the rows at one reduced distance from each query (`DenseSearch`)."""
        m = len(exclude)
        totals, sums = np.zeros(m), np.zeros((m, row_targets.numbers.shape[1]))
        farthest = self._rounding.farthest(distances)
        for some in self._slices(queries):
            sum_ties_by_lookup(
                self._arrays,
                self._query_arrays(queries[some], exclude[some]),
                frozen(distances[some], np.float64),
                frozen(farthest[some], np.float64),
                frozen(weight, np.float64),
                row_targets,
                (totals[some], sums[some]),
                BlockScratch.of(self._arrays, len(totals[some])),
            )
        return totals, sums

    def _slices(self, queries):
        m = len(queries.cells)
        by_time = MAX_STEPS_PER_CALL // max(self.n_rows * len(self._columns), 1)
        step = max(min(_MAX_LOOKUPS // (int(self._start[-1]) + 1), by_time), 1)
        return slices_of(range(m), step)

    def _query_arrays(self, queries, exclude):
        m = len(queries.cells)
        lookup = np.empty((m, int(self._start[-1])))
        present = np.empty((m, lookup.shape[1] if self._over_present else 0))
        distances = []
        for group, start in zip(self._groups, self._start):
            joint, weights = np.zeros((m, 1)), np.zeros((m, 1))
            for j in group:
                rows = queries.cells[:, j].astype(np.int64)
                apart = (1 - queries.tables[j][rows]) ** self._exponent
                apart = self._weights[j] * apart
                distances.append(apart[:, : self._n_stored[len(distances)]])
                joint = _outer_sum(joint, apart)
                if self._over_present:
                    weights = _outer_sum(weights, self._present_weights(j, rows))
            lookup[:, start : start + joint.shape[1]] = joint
            if self._over_present:
                present[:, start : start + joint.shape[1]] = weights
        return LookupQueryArrays(
            frozen(lookup, np.float64),
            frozen(present, np.float64),
            self._start,
            frozen(queries.cells[:, self._numeric], np.float64),
            frozen(exclude, np.int64),
            QueryBounds.of(distances, m),
        )

    def _present_weights(self, j, rows):
        """Return the weight (m, n_codes) of column j, 0 where either is missing."""
        last = self._columns[j].n_codes - 1
        weights = np.full((len(rows), last + 1), self._weights[j])
        weights[:, last] = weights[rows == last] = 0.0
        return weights

    def _group_columns(self):
        """Return groups of columns of symbols, of few joint codes, and the numeric."""
        # Indices. Columns of weight 0 are in neither.
        groups, numeric = [], []
        for j, column in enumerate(self._columns):
            if self._weights[j] == 0:
                continue
            if column.n_codes is None:
                numeric.append(j)
            elif groups and self._size([*groups[-1], j]) <= _MAX_CODES_PER_GROUP:
                groups[-1].append(j)
            else:
                groups.append([j])
        return groups, numeric

    def _size(self, group):
        return int(np.prod([self._columns[j].n_codes for j in group]))

    def _joint_codes(self, group):
        codes = 0
        for j in group:
            codes = codes * self._columns[j].n_codes + self._columns[j].codes
        return codes


def training_queries(columns):
    """Return the training rows as queries."""
    return LookupQueries.of(
        [
            (column.cells, None)
            if column.n_codes is None
            else (column.codes, column.table)
            for column in columns
        ]
    )


def _is_exact(column):
    """Return whether similarities are 0 or 1, or measured without rounding."""
    return isinstance(column.table, EqualityTable | None) and column.missing in (0, 1)


def _outer_sum(a, b):
    """Return the sums of all pairs of (m, p) and (m, q), of shape (m, p q)."""
    return (a[:, :, None] + b[:, None, :]).reshape(len(a), -1)


# Rows of tables under HEOM or Gower's distance.
#
# HEOM, the heterogeneous Euclidean-overlap metric, is the root of a sum over the
# columns: ((a - b) / range)² for numbers, 0 for equal symbols, 1 for different symbols,
# and 1 if a value is missing. Gower's distance is the mean of |a - b| / range and of
# the same 0 and 1, over the columns that are present in both rows.
#
# Sources: D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance
# functions, JAIR 6; J. C. Gower (1971), A general coefficient of similarity and some of
# its properties, Biometrics 27.

OVERLAP_METRICS = ("heom", "gower")


class OverlapRows:
    """The training rows of a table, under HEOM or Gower's distance."""

    def __init__(self, table, name, scale=None):
        # name: one of `OVERLAP_METRICS`. scale: (n_features,), divisors of the columns
        # of numbers; not read for the others. By default their ranges, and infinite for
        # constant columns, which then add nothing to a distance.
        self._is_gower = name == "gower"
        self._metric = Metric(name, root=1.0 if self._is_gower else 2.0)
        columns, is_symbol = np.arange(table.n_columns), table.are_categorical()
        self._numeric, self._codebook = columns[~is_symbol], symbol_codebook(table)
        # A missing cell adds nothing to Gower's distance, and 1 to HEOM.
        missing = float(self._is_gower)
        self.columns = [None] * table.n_columns
        for j in self._numeric:
            numbers = table.column(j)
            divisor = range_of(numbers) if scale is None else scale[j]
            self.columns[j] = NumberColumn(numbers, divisor, missing)
        for j, codes, size in self._codes(table):
            self.columns[j] = SymbolColumn(codes, EqualityTable(size + 1, missing))

    def search(self, feature_weights=None):
        """Return a search among the rows."""
        # feature_weights: (n_features,), factors of the differences; for Gower's
        # distance the weights of the mean.
        weights = feature_weights
        if weights is None:
            weights = np.ones(len(self.columns))
        if self._is_gower:
            factor, metric = 1 / weights.sum(), self._metric
            return LookupSearch(
                self.columns, weights, metric, factor=factor, over_present=True
            )
        return LookupSearch(self.columns, weights**2, self._metric, exponent=2)

    def training_queries(self):
        """Return the rows as queries."""
        return training_queries(self.columns)

    def queries(self, table):
        """Return the rows of another table as queries."""
        # Raises a TypeError if a column holds symbols where the training rows held
        # numbers, or numbers where they held strings.
        parts = [None] * table.n_columns
        if len(self._numeric):
            table.require_numbers(self._numeric)
        for j in self._numeric:
            parts[j] = self.columns[j].encode(table.column(j)), None
        for j, codes, _ in self._codes(table):
            parts[j] = codes, self.columns[j].table
        return LookupQueries.of(parts)

    def column_distances(self, queries, rows, feature_weights=None):
        """Return the differences (m, width, n_features): for HEOM times the weights."""
        # NaN for a column that Gower's distance leaves out, because a cell is missing.
        distances = np.empty((*rows.shape, len(self.columns)))
        for j, column in enumerate(self.columns):
            cells = queries.cells[:, j]
            if column.n_codes is None:
                gaps = column.gaps(cells, rows)
                is_missing = np.isnan(gaps)
            else:
                codes, last = column.codes[rows], column.n_codes - 1
                gaps = (codes != cells[:, None]).astype(np.float64)
                is_missing = (codes == last) | (cells == last)[:, None]
            distances[:, :, j] = np.where(is_missing, 1.0, gaps)
            if self._is_gower:
                distances[:, :, j][is_missing] = np.nan
        if self._is_gower or feature_weights is None:
            return distances
        return distances * feature_weights

    def _codes(self, table):
        """Yield columns of symbols, their codes and the number of known symbols."""
        # A missing cell has the code after the known ones, and an unknown symbol the
        # code after that.
        columns = self._codebook.read_by_column(table)
        for (j, here), size in zip(columns, self._codebook.sizes.tolist()):
            known = np.where(here >= 0, here, size + 1)
            yield j, np.where(here == MISSING, size, known), size


def range_of(x):
    """Return the largest minus the smallest number; infinite if they are equal."""
    x = x[~np.isnan(x)]
    if not len(x) or x.min() == x.max():
        return np.inf
    with np.errstate(over="ignore"):
        return min(x.max() - x.min(), np.finfo(np.float64).max)
