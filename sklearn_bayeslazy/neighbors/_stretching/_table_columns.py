"""Tables as columns to stretch: numbers as they are, symbols by their targets."""

import numpy as np

from .._mixed_metric import TableEmbedding


class TableColumns:
    """Encodes the columns of tables by what was learnt from the training rows.

    Numbers stay as they are; a missing one becomes the mean. A symbol becomes a vector,
    the m-estimated mean of the targets over the training rows with this symbol, with m
    chosen for each column by leave-one-out; a missing or unknown symbol becomes the
    mean of all targets. So the columns of symbols are groups of encoded columns.

    Parameters
    ----------
    table : Table
        The training rows.
    targets : ndarray of shape (n, V)
    weight : ndarray of shape (n,)

    Attributes
    ----------
    column_of : int array of shape (n_encoded,)
        The column of the table that each encoded column comes from.
    has_symbols : bool
    """

    def __init__(self, table, targets, weight):
        columns = np.arange(table.n_columns)
        is_symbol = np.array([table.is_categorical(j) for j in columns], dtype=bool)
        self.has_symbols = bool(is_symbol.any())
        self.column_of = columns
        if self.has_symbols:
            self._embedding = TableEmbedding(table, targets, weight, m="loo")
            self.column_of = self._embedding.column_of
            self._suffixes = [
                name[len(table.names[j]) :]
                for name, j in zip(self._embedding.names, self.column_of, strict=True)
            ]
        self._numeric = columns[~is_symbol]
        self._means = _means(self._read_numbers(table), weight)

    def transform(self, table):
        """Return rows, encoded: an array (n, n_encoded)."""
        if not self.has_symbols:
            return self._numbers(table)
        return self._with_numbers(table, self._embedding.transform(table))

    def training_rows(self, table, targets, weight):
        """Return the training rows, the symbols of each encoded without its targets.

        None if there are no symbols: the rows are then those of `transform`.
        """
        if not self.has_symbols:
            return None
        encoded = self._embedding.training_rows(table, targets, weight)
        return self._with_numbers(table, encoded)

    def names(self, features):
        """Return the names of the encoded columns, from those of the columns."""
        if not self.has_symbols:
            return features
        names = zip(features[self.column_of], self._suffixes, strict=True)
        return np.array([name + suffix for name, suffix in names], dtype=object)

    def _with_numbers(self, table, encoded):
        encoded[:, np.isin(self.column_of, self._numeric)] = self._numbers(table)
        return encoded

    def _numbers(self, table):
        numbers = self._read_numbers(table)
        missing = np.isnan(numbers)
        return np.where(missing, self._means, numbers) if missing.any() else numbers

    def _read_numbers(self, table):
        table.require_numbers(self._numeric)
        return table.numbers(self._numeric, slice(0, table.n_rows))


def _means(numbers, weight):
    """Return the weighted means of the numbers present, 0 where there is none."""
    present = ~np.isnan(numbers)
    weights = weight[:, None] * present
    total = weights.sum(axis=0)
    shares = weights / np.where(total > 0, total, 1.0)
    return (shares * np.where(present, numbers, 0.0)).sum(axis=0)
