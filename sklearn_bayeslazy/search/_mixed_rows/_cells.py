"""The cells of tables as numbers: scaled numbers, codes of symbols, NaN for missing."""

import numpy as np

from ...tabular import MISSING, Codebook, find_categories
from ._number_columns import FARTHEST


class MixedSpace:
    """Cells of tables as numbers, for `OverlapDistances`."""

    # is_symbol: (n_features,), bool: which columns the table treats as categorical.

    def __init__(self, table, scale=None):
        # table: the training rows. scale: (n_features,), divisors of the columns of
        # numbers; not read for the others. By default their ranges, and infinite for
        # constant columns, which then add nothing to a distance.
        columns, self.is_symbol = np.arange(table.n_columns), table.are_categorical()
        self._numeric, symbolic = columns[~self.is_symbol], columns[self.is_symbol]
        categories = find_categories(table, symbolic) if len(symbolic) else []
        self._codebook = Codebook(symbolic, categories, [False] * len(symbolic))
        if scale is None:
            self._scale = np.array([_range(table.column(j)) for j in self._numeric])
        else:
            self._scale = scale[self._numeric]

    def transform(self, table):
        """Return the rows: scaled numbers, codes of symbols, NaN for missing values."""
        # Symbols that the training rows do not have get the code -1. Raises a TypeError
        # if a column holds symbols where the training rows held numbers, or numbers
        # where they held strings.
        rows = slice(0, table.n_rows)
        cells = np.empty((table.n_rows, table.n_columns))
        if len(self._numeric):
            table.require_numbers(self._numeric)
            numbers = table.numbers(self._numeric, rows)
            with np.errstate(over="ignore"):
                scaled = numbers / self._scale
            cells[:, self._numeric] = np.clip(scaled, -FARTHEST, FARTHEST)
        if len(symbolic := self._codebook.columns):
            codes = self._codebook.reader(table)(rows)
            known = np.where(codes >= 0, codes, -1.0)
            cells[:, symbolic] = np.where(codes == MISSING, np.nan, known)
        return cells


def _range(x):
    """Return the largest minus the smallest number; infinite if they are equal."""
    x = x[~np.isnan(x)]
    if not len(x) or x.min() == x.max():
        return np.inf
    with np.errstate(over="ignore"):
        return min(x.max() - x.min(), np.finfo(np.float64).max)
