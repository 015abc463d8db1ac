"""Rows of any table as points, and centres of radial basis functions among them.

Centres are found by k-means from a deterministic start, so that integer weights are
equivalent to repetition.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from .._core._parallel import slices_of, summed_chunks
from ..leave_one_out import table_folds
from ..search import (
    NORMAL_SCORE_DEVIATION,
    TableEmbedding,
    TransformedRows,
    column_relevance,
    relevance_weights,
)
from ._scales import column_scales

# A width is the root mean square distance to this number of nearest other centres.
_N_NEIGHBORS = 2
# A cluster is not split if its variance is below this share of that of all rows:
# k-means could not separate its halves.
_MIN_VARIANCE_RATIO = 1e-14
# Sums of squares are equal if they differ by less than this share of the largest.
_TIE_TOLERANCE = 1e-9
_KEY_DIGITS = 9  # of what columns are ordered by
_ROWS_PER_SLICE = 2048  # of which a copy is made
# On 34 tables more rounds of k-means lower no loss by more than .0002; on large tables
# they take most of the time.
_MAX_ROUNDS = 10
# Weighted sums of squares of larger coordinates overflow.
_MAX_COORDINATE = 1e140


def find_centers(rows, sample_weight, start):
    """Return the means that k-means finds.

    >>> rows = np.array([[0.0], [1.0], [8.0], [9.0], [9.0]])
    >>> (start,) = split(rows, np.ones(5), [3])
    >>> find_centers(rows, np.ones(5), start).ravel()  # squares of 8, 9, 9: 2/3
    array([0.5, 8. , 9. ])
    """
    # rows: (n, d), overwritten; start: (K, d). Returned: (K, d).
    means = KMeans(
        len(start), init=start, n_init=1, max_iter=_MAX_ROUNDS, tol=0.0, copy_x=False
    )
    means.fit(rows, sample_weight=sample_weight)
    return means.cluster_centers_


def split(rows, sample_weight, sizes):
    """Return the means of clusters made by repeated splits (see the module)."""
    # sizes: numbers of clusters, in increasing order; each is reached on the way to the
    # next. Returned: (K, d) for each size; fewer clusters if fewer rows are distinct.
    if max(rows.max(initial=0.0), -rows.min(initial=0.0)) > _MAX_COORDINATE:
        raise ValueError(
            "Squared distances between rows overflow: set scale, or bring the columns "
            "of X to a smaller scale."
        )
    clusters = [np.arange(len(rows))]
    moments = [_mean_and_squares(rows, sample_weight, clusters[0], 0.0)]
    order, sign = _column_order(rows, sample_weight, *moments[0])
    min_variance = _MIN_VARIANCE_RATIO * moments[0][1].sum() / sample_weight.sum()
    totals = [moments[0][1].sum()]
    means = []
    for size in sizes:
        while len(clusters) < size:
            largest = _first_largest(np.array(totals))
            indices, (mean, squares) = clusters[largest], moments[largest]
            column = order[_first_largest(squares[order])]
            if squares[column] == 0:
                break
            cells, weight = rows[indices, column], sample_weight[indices]
            is_low = _is_low(
                sign[column] * cells,
                weight,
                sign[column] * mean[column],
                squares[column],
            )
            halves = [indices[is_low], indices[~is_low]]
            here = slice(largest, largest + 1)
            clusters[here] = halves
            moments[here] = [
                _mean_and_squares(rows, sample_weight, half, min_variance)
                for half in halves
            ]
            totals[here] = [s.sum() for _, s in moments[largest : largest + 2]]
        means.append(np.array([mean for mean, _ in moments]))
    return means


def _column_order(rows, sample_weight, mean, squares):
    """Return an order of the columns by their content, and the sign of each."""
    # Scaled columns have equal sums of squares; of those the first is split: the one
    # that varies most with the distances of rows from the mean, then that of largest
    # mean. With its sign a column has a mean ≥ 0: names decide which of two symbols is
    # the larger.
    total = sample_weight.sum()
    unit = np.sqrt(squares.max() / total) or 1.0
    skewness = np.zeros(len(mean))
    for some in slices_of(range(len(rows)), _ROWS_PER_SLICE):
        cells = rows[some] - mean
        cells /= unit
        distances = np.einsum("ij,ij->i", cells, cells) / len(mean)
        skewness += (sample_weight[some] / total * distances) @ cells
    keys = [np.abs(mean) / unit, np.abs(skewness), squares / total / unit / unit]
    order = np.lexsort(-np.round(keys, _KEY_DIGITS))
    return order, np.where(mean < -unit * _TIE_TOLERANCE, -1.0, 1.0)


def _first_largest(squares):
    """Return the index of the first of the largest values, which are ≥ 0.

    >>> _first_largest(np.array([1.0, 3.0, 3.0 + 1e-15]))
    1
    """
    return int(np.argmax(squares >= (1 - _TIE_TOLERANCE) * squares.max()))


def _is_low(column, sample_weight, mean, squares):
    """Return which cells, not all equal, are at most their mean (see the module)."""
    tolerance = _TIE_TOLERANCE * np.sqrt(squares / sample_weight.sum())
    is_low = column <= mean + tolerance
    return column < column.max() if is_low.all() else is_low


def _mean_and_squares(rows, sample_weight, indices, min_variance):
    """Return the mean of a cluster, and its sums of squares by column, (d,) each."""
    # The sums are 0 if the variance is too small. Rows are copied a chunk at a time.
    total = sample_weight[indices].sum()
    mean, squares = np.zeros((2, rows.shape[1]))
    varies = np.zeros(rows.shape[1], dtype=bool)
    chunks = [indices[some] for some in summed_chunks(len(indices), 2 * rows.shape[1])]
    for some in chunks:
        cells = rows[some]
        mean += sample_weight[some] @ cells
        varies |= (cells != rows[indices[0]]).any(axis=0)
        del cells  # before the next are copied
    mean /= total
    for some in chunks:
        cells = rows[some]
        cells -= mean
        cells *= cells
        squares += sample_weight[some] @ cells
        del cells
    varies &= squares.sum() > min_variance * total
    return mean, np.where(varies, squares, 0.0)


def local_widths(centers):
    """Return the root mean square distance of each centre to its nearest others.

    >>> local_widths(np.array([[0.0], [3.0], [7.0]]))  # √((9 + 49)/2), √((9 + 16)/2), …
    array([5.38516481, 3.53553391, 5.70087713])
    """
    k = min(_N_NEIGHBORS, len(centers) - 1)
    if k == 0:
        return np.ones(1)
    distances = NearestNeighbors(n_neighbors=k).fit(centers).kneighbors()[0]
    return np.sqrt(np.mean(distances**2, axis=1))


# Rows of any table as points among which radial basis functions measure distances.
#
# A column of numbers is divided by its scale, or replaced by its normal scores; a
# missing cell becomes the mean, and one more column holds what missing cells tell of
# the targets, if they do. Unless scales are given, a number beyond the outer fences of
# its column is taken as the nearer fence: a few such numbers would make one point of
# all other rows. Two symbols
# of a column (strings, categories, booleans) are `SYMBOL_DISTANCE` apart if the column
# has at most ten of them; more symbols become the m-estimated means of the targets, for
# training rows without the row itself. Each column can then be multiplied by a weight
# that grows with its relevance for the targets.


# Chosen on all tables of ``python -m benchmarks.accuracy_out_of_the_box`` together, as
# the power of the relevance.
SYMBOL_DISTANCE = 2.0
RELEVANCE_POWER = 0.25
# The outer fences are this number of widths of a column's middle half beyond it (Tukey
# 1977, Exploratory data analysis).
_FENCE = 3.0
# Of the rows of a fold those of one symbol lie at one point. More folds have fewer rows
# of a symbol, which their points tell apart; in two the points are less exact.
_SYMBOL_FOLDS = 3


def outer_fences(x, weight):
    """Return Tukey's outer fences of numbers; infinite if the quartiles are equal.

    >>> outer_fences(np.array([0.0, 1.0, 2.0, 3.0, np.nan]), np.ones(5))
    (-6.0, 8.0)
    """
    present = ~np.isnan(x)
    if not present.any():
        return -np.inf, np.inf
    low, high = np.quantile(
        x[present], [0.25, 0.75], method="inverted_cdf", weights=weight[present]
    )
    if low == high:
        return -np.inf, np.inf
    with np.errstate(over="ignore"):  # an infinite fence bounds nothing
        width = _FENCE * (high - low)
        return float(low - width), float(high + width)


class RowEncoder:
    """Maps rows of tables to points, by what it learnt from the training rows."""

    # table: the training rows; targets: (n, n_targets), indicators of the classes or
    # standardised numbers; sample_weight: (n,), integer weights equal repetition;
    # scale: as in `column_scales`, not read for columns of symbols, or "normal_scores",
    # which have a standard deviation of 1. The attribute scale is "normal_scores", or
    # (n_features,), 1 for columns of symbols; column_of: (n_encoded,), the column of
    # the table that each encoded column comes from; is_number: (n_encoded,).

    def __init__(self, table, targets, sample_weight, scale):
        self._has_scores = isinstance(scale, str) and scale == "normal_scores"
        self._columns = columns = TableEmbedding(
            table,
            targets,
            sample_weight,
            numbers="normal_scores" if self._has_scores else "given",
            missing_apart=True,
            symbols="indicators",
            m="loo",
        )
        self.column_of, self.has_symbols = columns.column_of, columns.has_symbols
        self.is_number = is_number = columns.is_number
        self._fences = np.full((2, len(is_number)), [[-np.inf], [np.inf]])
        # Two symbols that become indicators are at distance 1.
        self._divisor = np.full(len(is_number), 1 / SYMBOL_DISTANCE)
        self._center = np.zeros(len(is_number))
        if self._has_scores:
            self.scale = scale
            self._divisor[is_number] = NORMAL_SCORE_DEVIATION
            return
        self.scale = self._learn_scales(table, sample_weight, scale)
        self._divisor[is_number] = self.scale[self.column_of[is_number]]
        # Distances are those of the rows minus the medians. So rounding errors of a
        # column of large, nearly equal numbers do not count.
        cells = columns.transform(table)
        for j in np.flatnonzero(is_number):
            median = np.quantile(
                cells[:, j], 0.5, method="inverted_cdf", weights=sample_weight
            )
            with np.errstate(over="ignore"):  # refused by `training_rows`
                self._center[j] = median / self._divisor[j]

    def _learn_scales(self, table, sample_weight, scale):
        """Return the divisors of the table's columns; keep the fences."""
        scales = np.ones(table.n_columns)
        numeric = self.column_of[self.is_number]
        if isinstance(scale, str):
            for j, column in zip(np.flatnonzero(self.is_number), numeric):
                cells = table.numbers([column], slice(0, table.n_rows))
                self._fences[:, j] = outer_fences(cells[:, 0], sample_weight)
                cells = np.clip(cells, *self._fences[:, j])
                scales[column] = column_scales(scale, cells, sample_weight)[0]
        elif scale is not None:
            given = column_scales(scale, np.empty((0, table.n_columns)), sample_weight)
            scales[numeric] = given[numeric]
        return scales

    def transform(self, table):
        """Return the points of new rows, of shape (m, n_encoded)."""
        # A symbol that no training row has counts as a missing cell.
        return self._scaled(self._columns.transform(table))

    def training_rows(self, table, folds, targets, sample_weight):
        """Return the points of the training rows, each encoded without its target."""
        # folds: what `symbol_folds` returns. Without symbols the rows may be
        # `TransformedRows`, which take no memory.
        if folds is None:
            rows = TransformedRows(table, self.transform)
            # To look up scores each time takes long.
            return rows.kept_if_small() if self._has_scores else rows
        rows = self._columns.cross_fitted(table, targets, sample_weight, folds)
        return self._scaled(rows)

    def in_units_of_the_table(self, points):
        """Return points with numbers in the units of the table, symbols encoded."""
        with np.errstate(over="ignore"):
            rows = (points + self._center) * self._divisor
        if self._has_scores:
            rows = self._columns.inverse_scores(rows)
        # Points between rows are finite; rounding may exceed the largest float.
        largest = np.finfo(np.float64).max
        return np.clip(rows, -largest, largest)

    def _scaled(self, rows):
        with np.errstate(over="ignore", invalid="ignore"):
            # Without fences the rows are already a copy.
            points = rows if self._has_scores else np.clip(rows, *self._fences)
            points /= self._divisor
            points -= self._center
        if not np.isfinite(points).all():
            raise ValueError(
                "Rows overflow once divided by scale: give a larger scale."
            )
        return points


def symbol_folds(table, classes, targets, sample_weight):
    """Return the fold of each row, (n,), None for a table without symbols."""
    # The symbols of a row are encoded by the rows of other folds. If each row were
    # encoded by all others, rows of one symbol would be told apart by their targets,
    # and those of a class lie at one point.
    if not table.are_categorical().any():
        return None
    return table_folds(table, classes, targets, sample_weight, _SYMBOL_FOLDS)


def relative_relevance_weights(table, targets, sample_weight):
    """Return (ρ / max ρ)^¼ for each column, with ρ its relevance, at least .001."""
    relevance = column_relevance(table, targets, sample_weight)
    keep_all = np.zeros(table.n_columns)  # as columns of numbers
    weights = relevance_weights(relevance, keep_all, RELEVANCE_POWER)
    return weights / weights.max()
