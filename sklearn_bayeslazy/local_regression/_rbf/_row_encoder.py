"""Rows of any table as points among which radial basis functions measure distances.

A column of numbers is divided by its scale; a missing cell becomes the mean. Two
symbols of a column (strings, categories, booleans) are `SYMBOL_DISTANCE` apart if the
column has at most `MAX_INDICATORS` of them; more symbols become the m-estimated means
of the targets, for training rows without the row itself. Each column can then be
multiplied by a weight that says how much it tells about the targets.
"""

import numpy as np

from ..._arrays import as_float_array
from ...neighbors._mixed_metric import TableEmbedding, column_relevance
from .._scales import column_scales

# Chosen on all tables of ``python -m benchmarks.accuracy_out_of_the_box`` together, as
# the power of the relevance.
SYMBOL_DISTANCE = 2.0
MAX_INDICATORS = 10
RELEVANCE_POWER = 0.25
# Relevances below this are raised to it: no column is lost.
MIN_RELEVANCE = 1e-3


class RowEncoder:
    """Maps rows of tables to points, by what it learnt from the training rows.

    Parameters
    ----------
    table : Table
        The training rows.
    targets : ndarray of shape (n, n_targets)
        Indicators of the classes, or standardised numbers.
    sample_weight : ndarray of shape (n,)
        Integer weights equal repetition.
    scale : str, array-like or None
        As in `column_scales`; not read for columns of symbols.

    Attributes
    ----------
    scale : ndarray of shape (n_features,)
        Divisors of the columns; 1 for columns of symbols.
    column_of : int array of shape (n_encoded,)
        The column of the table that each encoded column comes from.
    has_symbols : bool
    """

    def __init__(self, table, targets, sample_weight, scale):
        columns = np.arange(table.n_columns)
        is_symbol = np.array([table.is_categorical(j) for j in columns])
        self.has_symbols = bool(is_symbol.any())
        self._numeric = columns[~is_symbol]
        values = np.zeros(table.shape)
        values[:, self._numeric] = self._numbers(table)
        means, scales = _means_and_scales(values, sample_weight, scale)
        self._means, self.scale = means, np.where(is_symbol, 1.0, scales)
        self._embedding, self.column_of = None, columns
        if self.has_symbols:
            self._embedding = TableEmbedding(
                table,
                targets,
                sample_weight,
                symbols="indicators",
                m="loo",
                max_indicators=MAX_INDICATORS,
            )
            self.column_of = self._embedding.column_of
        self._is_number = ~is_symbol[self.column_of]

    def transform(self, table):
        """Return the points of new rows, of shape (m, n_encoded).

        A symbol that no training row has counts as a missing cell.
        """
        points = None if self._embedding is None else self._embedding.transform(table)
        return self._scaled(table, points)

    def training_rows(self, table, targets, sample_weight):
        """Return the points of the training rows, each encoded without its target."""
        points = None
        if self._embedding is not None:
            points = self._embedding.training_rows(table, targets, sample_weight)
        return self._scaled(table, points)

    def in_units_of_the_table(self, points):
        """Return points with numbers in the units of the table, symbols encoded."""
        factors = np.where(self._is_number, 1.0, SYMBOL_DISTANCE)
        return points / factors * self.scale[self.column_of]

    def _numbers(self, table):
        """Return the cells of the columns that held numbers in the training rows."""
        table.require_numbers(self._numeric)
        return table.numbers(self._numeric, slice(0, table.n_rows))

    def _scaled(self, table, points):
        numbers, numeric = self._numbers(table), self._numeric
        numbers = np.where(np.isnan(numbers), self._means[numeric], numbers)
        with np.errstate(over="ignore"):
            numbers = numbers / self.scale[numeric]
        if not np.isfinite(numbers).all():
            raise ValueError(
                "Rows overflow once divided by scale: give a larger scale."
            )
        if points is None:
            return numbers
        points *= SYMBOL_DISTANCE
        points[:, self._is_number] = numbers
        return points


def _means_and_scales(values, sample_weight, scale):
    """Return the mean and the scale of the cells of each column that are not missing.

    Examples
    --------
    >>> values = np.array([[1.0], [np.nan], [5.0]])
    >>> _means_and_scales(values, np.ones(3), "range")
    (array([3.]), array([4.]))
    """
    means = np.zeros(values.shape[1])
    scales = np.ones(values.shape[1])
    if not isinstance(scale, str):
        scales = column_scales(scale, values, sample_weight)
    for j, column in enumerate(values.T):
        present = ~np.isnan(column)
        weight = sample_weight[present]
        if not present.any():
            continue
        means[j] = (weight / weight.sum()) @ column[present]
        if isinstance(scale, str):
            scales[j] = column_scales(scale, column[present, None], weight)[0]
    return means, scales


def relevance_weights(table, targets, sample_weight):
    """Return (ρ / max ρ)^¼ for each column, with ρ its relevance, at least .001."""
    relevance = column_relevance(table, targets, sample_weight)
    relevance = np.maximum(relevance, MIN_RELEVANCE)
    return (relevance / relevance.max()) ** RELEVANCE_POWER


def check_feature_weights(given, n_features):
    """Return the weights of the columns that the user gives, checked."""
    weights = as_float_array(given, "feature_weights")
    allowed = (weights > 0) & (weights < np.inf)
    if weights.shape != (n_features,) or not np.all(allowed):
        raise ValueError(
            f"feature_weights must hold {n_features} finite numbers above 0, one for "
            f"each column, got {given!r}."
        )
    return weights
