"""Search for the nearest cases among all."""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import frozen
from ...search import (
    ROWS_LISTED_FOR_TIES,
    Metric,
    can_sort_all,
    empty_lists,
    nearest_of_all,
    no_exclusions,
)
from ._case_kernels import (
    CaseArrays,
    CaseQueryArrays,
    QueryBounds,
    as_symbols,
    nearest_cases,
    sum_tied_cases,
)

# The look-up of a group of attributes stays in the first cache.
_MAX_CODES_PER_GROUP = 512
# Entries of the look-ups that are built at a time, for a slice of the queries.
_MAX_LOOKUPS = 2**20


@dataclass
class CaseQueries:
    """Queries: a number, or the row of a look-up table, for each attribute."""

    # (m, n_attributes): scaled numbers, NaN for missing; for symbols, rows of the
    # table.
    cells: np.ndarray
    # For each attribute the similarities (n_rows, K + 1) of values to the K stored ones
    # and to a missing one; None for numbers.
    tables: list

    @property
    def shape(self):
        """Return (m, n_attributes)."""
        return self.cells.shape

    def __getitem__(self, rows):
        return CaseQueries(self.cells[rows], self.tables)


class CaseSearch:
    """Finds the nearest cases by the weighted mean of the attributes' distances."""

    # weights: (n_attributes,), ≥ 0. The distance along an attribute is (1 -
    # s)^exponent, with the exponent of the space.

    n_rows_beyond = ROWS_LISTED_FOR_TIES

    def __init__(self, space, weights):
        # The reduced distance is twice 1 - similarity, as that of the cosine is.
        self.metric = Metric("cases", root=float(space.exponent), divisor=2.0)
        self._space = space
        self._weights = weights / weights.max()
        self._groups, numeric = self._group_attributes()
        self._numeric = np.array(numeric, dtype=np.int64)
        sizes = [self._size(group) for group in self._groups]
        self._start = frozen(np.concatenate([[0], np.cumsum(sizes)]), np.int64)
        codes = [self._joint_codes(group) for group in self._groups]
        columns = [space.columns[j] for j in numeric]
        number_weights = self._weights[self._numeric]
        unknown = [(1 - column.missing) ** space.exponent for column in columns]
        n = space.n_rows
        cells = [column.cells for column in columns]
        symbols = [space.columns[j].codes for group in self._groups for j in group]
        # Codes that are stored: the last one, of missing cells, only if there are any.
        self._n_stored = [int(codes.max()) + 1 for codes in symbols]
        self._arrays = CaseArrays(
            as_symbols(np.array(symbols, dtype=np.int64).reshape(-1, n)),
            frozen(np.array(codes, dtype=np.uint32).reshape(-1, n), np.uint32),
            frozen(np.array(cells, dtype=float).reshape(-1, n), np.float64),
            frozen(number_weights, np.float64),
            frozen(number_weights * unknown, np.float64),
            2.0 / self._weights.sum(),
            space.exponent == 2,
        )

    @property
    def n_rows(self):
        """Return the number of cases."""
        return self._space.n_rows

    def training_queries(self):
        """Return the stored cases as queries."""
        return self._space.stored_queries()

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest cases of a slice of queries, less one excluded copy."""
        queries = queries[rows]
        if can_sort_all(self.n_rows, len(queries.cells)):
            reduced = self._measure_all(queries)
            return nearest_of_all(reduced, weighted_k, exclude)
        lists = empty_lists(len(queries.cells), weighted_k.width)
        for some in self._slices(queries):
            nearest_cases(
                self._arrays,
                self._query_arrays(queries[some], exclude[some]),
                weighted_k.weight,
                weighted_k.k,
                lists.heaps(some),
            )
        return lists

    def _measure_all(self, queries):
        """Return the reduced distances (m, n) to all cases."""
        reduced = np.empty((len(queries.cells), self.n_rows))
        exclude = no_exclusions(len(reduced))
        for some in self._slices(queries):
            arrays = self._query_arrays(queries[some], exclude[some])
            reduced[some] = _measure_cases(self._arrays, arrays)
        return reduced

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the cases at one reduced distance from each query (`DenseSearch`)."""
        m = len(exclude)
        totals, sums = np.zeros(m), np.zeros((m, row_targets.numbers.shape[1]))
        for some in self._slices(queries):
            sum_tied_cases(
                self._arrays,
                self._query_arrays(queries[some], exclude[some]),
                frozen(distances[some], np.float64),
                frozen(weight, np.float64),
                row_targets,
                totals[some],
                sums[some],
            )
        return totals, sums

    def _slices(self, queries):
        m = len(queries.cells)
        step = max(_MAX_LOOKUPS // (int(self._start[-1]) + 1), 1)
        return [slice(i, min(i + step, m)) for i in range(0, m, step)]

    def _query_arrays(self, queries, exclude):
        m = len(queries.cells)
        lookup = np.empty((m, int(self._start[-1])))
        distances = []
        for group, start in zip(self._groups, self._start):
            joint = np.zeros((m, 1))
            for j in group:
                rows = queries.cells[:, j].astype(np.int64)
                apart = (1 - queries.tables[j][rows]) ** self._space.exponent
                apart = self._weights[j] * apart
                distances.append(apart[:, : self._n_stored[len(distances)]])
                joint = (joint[:, :, None] + apart[:, None, :]).reshape(m, -1)
            lookup[:, start : start + joint.shape[1]] = joint
        return CaseQueryArrays(
            frozen(lookup, np.float64),
            self._start,
            frozen(queries.cells[:, self._numeric], np.float64),
            frozen(exclude, np.int64),
            QueryBounds.of(distances, m),
        )

    def _group_attributes(self):
        """Return groups of symbolic attributes, of few joint codes, and the numeric."""
        # Indices. Attributes of weight 0 are in neither.
        groups, numeric = [], []
        for j, column in enumerate(self._space.columns):
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
        return int(np.prod([self._space.columns[j].n_codes for j in group]))

    def _joint_codes(self, group):
        codes = 0
        for j in group:
            column = self._space.columns[j]
            codes = codes * column.n_codes + column.codes
        return codes


def _measure_cases(cases, queries):
    """Return the reduced distances (m, n) of all cases, as `measure_block` sums up."""
    _, codes, numbers, weights, missing, factor, squared = cases
    lookup, start, query_numbers, _, _ = queries

    def look_up(g):
        return lookup[:, start[g] + codes[g]]

    n_groups = len(codes)
    fours = n_groups - n_groups % 4
    reduced = np.zeros((len(lookup), max(codes.shape[1], numbers.shape[1])))
    for g in range(0, fours, 4):
        reduced += (look_up(g) + look_up(g + 1)) + (look_up(g + 2) + look_up(g + 3))
    for g in range(fours, n_groups):
        reduced += look_up(g)
    for j, w in enumerate(weights):
        gap = np.abs(numbers[j] - query_numbers[:, j, None])
        gap = gap * gap if squared else gap
        distance = np.where(gap < 1.0, gap * w, w)
        reduced += np.where(np.isnan(gap), missing[j], distance)
    return reduced * factor
