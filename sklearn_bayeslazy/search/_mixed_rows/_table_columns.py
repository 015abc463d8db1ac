"""Tables as columns of numbers: numbers as they are, symbols encoded."""

import numpy as np

from ._embedding import TableEmbedding


class TableColumns:
    """Encodes the columns of tables by what was learnt from the training rows."""

    # Numbers stay as they are; a missing one becomes the mean. A symbol becomes a
    # vector as in `TableEmbedding`: the m-estimated mean of the targets over the
    # training rows with this symbol, with m chosen for each column by leave-one-out, or
    # indicators. So the columns of symbols are groups of encoded columns.
    #
    # column_of: (n_encoded,), the table's column that each encoded column comes from.
    # is_number: (n_encoded,), bool.

    def __init__(
        self, table, targets, weight, symbols="value_differences", max_indicators=10
    ):
        # targets: (n, V) or None, not read if there are no symbols; weight: (n,);
        # symbols, max_indicators: as in `TableEmbedding`.
        columns, is_symbol = np.arange(table.n_columns), table.are_categorical()
        self.has_symbols = bool(is_symbol.any())
        self.column_of = columns
        if self.has_symbols:
            self._embedding = TableEmbedding(
                table,
                targets,
                weight,
                symbols=symbols,
                m="loo",
                max_indicators=max_indicators,
            )
            self.column_of = self._embedding.column_of
        self._numeric = columns[~is_symbol]
        self.is_number = ~is_symbol[self.column_of]
        self._means = _means(self._read_numbers(table), weight)

    def transform(self, table):
        """Return rows, encoded: an array (n, n_encoded)."""
        if not self.has_symbols:
            return self._numbers(table)
        return self._with_numbers(table, self._embedding.transform(table))

    def training_rows(self, table, targets, weight):
        """Return the training rows, the symbols of each encoded without its targets."""
        if not self.has_symbols:
            return self._numbers(table)
        encoded = self._embedding.training_rows(table, targets, weight)
        return self._with_numbers(table, encoded)

    def names(self, features):
        """Return the names of the encoded columns, from those of the columns."""
        if not self.has_symbols:
            return features
        names = zip(features[self.column_of], self._embedding.suffixes, strict=True)
        return np.array([name + suffix for name, suffix in names], dtype=object)

    def _with_numbers(self, table, encoded):
        encoded[:, self.is_number] = self._numbers(table)
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
    # A few columns at a time take less memory; more than one are summed row by row.
    groups = np.array_split(numbers, max(numbers.shape[1] // 2, 1), axis=1)
    return np.hstack([_means_of_few(some, weight) for some in groups])


def _means_of_few(numbers, weight):
    present = ~np.isnan(numbers)
    shares = weight[:, None] * present
    total = shares.sum(axis=0)
    shares /= np.where(total > 0, total, 1.0)
    shares *= np.where(present, numbers, 0.0)
    return shares.sum(axis=0)
