"""Centres of radial basis functions, and their widths.

Centres are found by k-means from a start that draws nothing at random, so that weights
are as good as repetition: a cluster is split in two, that of the largest sum of squares
first, across its most spread column at the mean.

Source: T. Su and J. G. Dy (2007), In search of deterministic methods for initializing
K-means and Gaussian mixture clustering, Intelligent Data Analysis 11. Widths: J. Moody
and C. J. Darken (1989), Fast learning in networks of locally-tuned processing units.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

# A width is the root mean square distance to so many other centres.
_NEIGHBORS = 2
# A cluster whose variance is below this share of that of all rows is not split: k-means
# could not tell its halves apart.
_CONSTANT = 1e-14


def find_centers(rows, weight, n_centers):
    """Return centres, n_centers or as many as there are distinct rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    weight : ndarray of shape (n,)
    n_centers : int

    Returns
    -------
    ndarray of shape (K, d)

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [8.0], [9.0], [9.0]])
    >>> find_centers(rows, np.ones(5), 3).ravel()  # squares of 8, 9, 9: 2/3; 0, 1: 1/2
    array([0.5, 8. , 9. ])
    """
    start = split(rows, weight, n_centers)
    means = KMeans(len(start), init=start, n_init=1, max_iter=100, tol=0.0)
    means.fit(rows, sample_weight=weight)
    return means.cluster_centers_


def split(rows, weight, n_clusters):
    """Return the means of clusters that come of splitting in two; see the module."""
    clusters = [np.arange(len(rows))]
    spreads = [_spread(rows, weight, 0.0)]
    least = _CONSTANT * spreads[0][1].sum() / weight.sum()
    while len(clusters) < n_clusters:
        worst = int(np.argmax([spread.sum() for _, spread in spreads]))
        ids, (mean, spread) = clusters[worst], spreads[worst]
        column = int(np.argmax(spread))
        if spread[column] == 0:
            break
        low = rows[ids, column] <= mean[column]
        parts = [ids[low], ids[~low]]
        clusters[worst : worst + 1] = parts
        spreads[worst : worst + 1] = [_spread(rows[p], weight[p], least) for p in parts]
    return np.array([mean for mean, _ in spreads])


def _spread(rows, weight, least):
    """Return the mean, and sums of squares by column; 0 where they are so small."""
    mean = weight @ rows / weight.sum()
    squares = weight @ (rows - mean) ** 2
    return mean, squares if squares.sum() > least * weight.sum() else 0.0 * squares


def local_widths(centers):
    """Return how far each centre's nearest others are, as a root mean square.

    Examples
    --------
    >>> local_widths(np.array([[0.0], [3.0], [7.0]]))  # √((9 + 49)/2), √((9 + 16)/2), …
    array([5.38516481, 3.53553391, 5.70087713])
    """
    k = min(_NEIGHBORS, len(centers) - 1)
    if k == 0:
        return np.ones(1)
    distances = NearestNeighbors(n_neighbors=k).fit(centers).kneighbors()[0]
    return np.sqrt(np.mean(distances**2, axis=1))
