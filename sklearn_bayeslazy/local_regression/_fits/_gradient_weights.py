"""Gradient weights: columns along which the regression is steep count more.

The weight of a column is the mean size of the slope along it, estimated by the local
polynomials themselves. Distances then hardly see columns that the target does not
depend on, and windows are long where the function is flat.

Source: S. Kpotufe, A. Boularias, T. Schultz and K. Kim (2016), Gradients weights
improve regression and classification, JMLR 17.
"""

import numpy as np

from ..._core._weights import weighted_moments
from ._kernel_arguments import Queries
from ._local_fits import LocalFitSettings
from ._windows import WindowSize

# The smallest weight of a column, relative to the largest.
MIN_WEIGHT = 0.01
# Ridge of the lines whose slopes are taken where the parameters allow only means.
_RIDGE_OF_LINES = 0.1


def gradient_weights(fitter, kernel, parameters, rows, map_rows):
    """Return a weight for each column, between `MIN_WEIGHT` and 1."""
    # parameters: n_neighbors, bandwidth, degree and ridge. Degree 0 has no slopes:
    # degree 1 with `_RIDGE_OF_LINES` replaces it. rows: (m,), the training rows at
    # which slopes are computed. map_rows(function, n_rows, bytes_per_row) calls
    # function(slice of the rows).
    finder = fitter.finder
    rows = rows[finder.query_order(finder.take(rows))]
    bandwidth = parameters["bandwidth"]
    bandwidth = None if bandwidth is None else bandwidth / finder.unit
    size = WindowSize.of(
        parameters["n_neighbors"], bandwidth, finder.sample_weight.sum()
    )
    polynomial = int(parameters["degree"]), float(parameters["ridge"])
    if polynomial[0] == 0:
        polynomial = 1, _RIDGE_OF_LINES
    settings = LocalFitSettings(kernel, (polynomial,))
    weighted_k = finder.weighted_k(size)
    slopes = np.empty((len(rows), finder.shape[1], fitter.targets.shape[1]))

    def fit(part):
        queries = Queries.at(finder.take(rows[part]))
        lists = finder.neighbor_lists(queries.points, weighted_k, queries.left_out)
        fits = fitter.fit(
            queries, size, settings, lists, may_vanish=True, n_coef=1 + slopes.shape[1]
        )
        slopes[part] = fits.coef[:, 1:]

    map_rows(fit, len(rows), fitter.bytes_per_query(weighted_k))
    weight = finder.sample_weight
    variances = weighted_moments(fitter.targets, weight)[1] / weight.sum()
    deviations = np.sqrt(np.where(variances > 0, variances, 1.0))
    return _relative_sizes(slopes / deviations, weight[rows])


def _relative_sizes(slopes, sample_weight):
    """Return mean sizes of slopes, summed over the targets; the largest is 1.

    >>> slopes = np.array([[3.0, 1.0], [-1.0, 0.0]])[:, :, None]  # rows, columns
    >>> _relative_sizes(slopes, np.ones(2))  # (3 + 1) / 4, (1 + 0) / 4
    array([1.  , 0.25])
    """
    # slopes: (m, d, V); sample_weight: (m,). Sizes below `MIN_WEIGHT` are raised to it.
    sizes = np.einsum("q,qjv->j", sample_weight, np.abs(slopes))
    largest = sizes.max()
    if not 0 < largest < np.inf:
        return np.ones(len(sizes))
    return np.maximum(sizes / largest, MIN_WEIGHT)
