"""The stored cases, attribute by attribute, as searches compare them with queries."""

import numpy as np

from ._case_columns import LearntColumn, NumberColumn, SymbolColumn, distinct_cells
from ._case_search import CaseQueries, CaseSearch
from ._numbers import NumberSimilarity
from ._similarities import ValueDifferenceSimilarity

# The exponent of the differences that each way to aggregate adds up.
EXPONENTS = {"mean": 1, "euclidean": 2}


class CaseSpace:
    """The stored cases, and what is learnt from them to compare others with them."""

    # similarities: one Similarity for each attribute. targets: (n, n_targets), for
    # value differences: indicators of the classes, or numbers if are_numbers; weight:
    # (n,). missing: the similarity of a missing cell with any other, or "mean". The
    # distance of two cases is the weighted mean of (1 - s)^exponent over the
    # attributes, and its root. columns: a NumberColumn, SymbolColumn or LearntColumn
    # for each attribute.

    def __init__(
        self, table, similarities, targets, are_numbers, weight, missing, exponent=1
    ):
        self.n_rows, self.exponent = table.n_rows, exponent
        self.columns = []
        for j, similarity in enumerate(similarities):
            if isinstance(similarity, NumberSimilarity):
                numbers = table.column(j)
                column = NumberColumn(numbers, similarity, weight, missing)
            elif isinstance(similarity, ValueDifferenceSimilarity):
                values, codes = distinct_cells(table, j)
                given = values, codes, similarity, weight, missing
                column = LearntColumn(*given, targets, are_numbers)
            else:
                values, codes = distinct_cells(table, j)
                column = SymbolColumn(values, codes, similarity, weight, missing)
            self.columns.append(column)

    def search(self, weights):
        """Return a search among the cases, with weights of the attributes."""
        return CaseSearch(self, weights)

    def queries(self, table):
        """Return new cases as queries."""
        return _as_queries(
            [column.encode(table, j) for j, column in enumerate(self.columns)]
        )

    def stored_queries(self):
        """Return the stored cases as queries."""
        return _as_queries(
            [
                (column.cells, None)
                if column.n_codes is None
                else (column.codes, column.table)
                for column in self.columns
            ]
        )

    def left_out_queries(self):
        """Return the stored cases as queries, each compared without its target."""
        return LeftOutCases(self)

    def similarities(self, queries, rows):
        """Return the similarities (m, width, n_attributes) of queries to cases."""
        # rows: (m, width), indices of stored cases.
        found = np.empty((*rows.shape, len(self.columns)))
        for j, column in enumerate(self.columns):
            cells, lookup = queries.cells[:, j], queries.tables[j]
            found[:, :, j] = column.similarities(cells, rows, lookup)
        return found

    def distances(self, queries, rows):
        """Return (1 - s)^exponent (n_attributes, m, n_rows), float32, to some cases."""
        found = np.empty((len(self.columns), len(queries.cells), len(rows)), np.float32)
        everywhere = np.broadcast_to(rows, found.shape[1:])
        for j, column in enumerate(self.columns):
            cells, lookup = queries.cells[:, j], queries.tables[j]
            apart = 1 - column.similarities(cells, everywhere, lookup)
            found[j] = apart**self.exponent
        return found


class LeftOutCases:
    """The stored cases, which become queries without their targets when indexed."""

    def __init__(self, space):
        self._space = space

    @property
    def shape(self):
        """Return (n, n_attributes)."""
        return self._space.n_rows, len(self._space.columns)

    def __getitem__(self, rows):
        return _as_queries([column.left_out(rows) for column in self._space.columns])


def _as_queries(parts):
    """Return `CaseQueries` of pairs (cells, look-up table) of all attributes."""
    cells = [np.asarray(cells, dtype=np.float64) for cells, _ in parts]
    return CaseQueries(np.column_stack(cells), [lookup for _, lookup in parts])
