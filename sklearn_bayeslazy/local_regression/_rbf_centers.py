"""Centres of radial basis functions, and their widths.

Centres are found by k-means from a deterministic start, so that integer weights are
equivalent to repetition. The start splits clusters in two at the mean of the column
with the largest variance; the cluster with the largest sum of squares is split first.
Among variances and sums that are equal but for rounding, the first is taken: all scaled
columns have the same variance, and the memory layout decides how it is rounded.

Source: T. Su and J. G. Dy (2007), In search of deterministic methods for initializing
K-means and Gaussian mixture clustering, Intelligent Data Analysis 11. Widths: J. Moody
and C. J. Darken (1989), Fast learning in networks of locally-tuned processing units.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from .._core._parallel import summed_chunks

# A width is the root mean square distance to this number of nearest other centres.
_N_NEIGHBORS = 2
# A cluster is not split if its variance is below this share of that of all rows:
# k-means could not separate its halves.
_MIN_VARIANCE_RATIO = 1e-14
# Sums of squares are equal if they differ by less than this share of the largest.
_TIE_TOLERANCE = 1e-9

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
        len(start), init=start, n_init=1, max_iter=100, tol=0.0, copy_x=False
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
    min_variance = _MIN_VARIANCE_RATIO * moments[0][1].sum() / sample_weight.sum()
    totals = [moments[0][1].sum()]
    means = []
    for size in sizes:
        while len(clusters) < size:
            largest = _first_largest(np.array(totals))
            indices, (mean, squares) = clusters[largest], moments[largest]
            column = _first_largest(squares)
            if squares[column] == 0:
                break
            cells, weight = rows[indices, column], sample_weight[indices]
            is_low = _is_low(cells, weight, mean[column], squares[column])
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
