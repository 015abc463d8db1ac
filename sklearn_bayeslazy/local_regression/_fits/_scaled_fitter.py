"""The rows of a local regression in scaled columns, ready to be searched and fitted."""

import numpy as np

from ...search import (
    DenseSearch,
    EngineSearch,
    Metric,
    TransformedRows,
    in_chunks,
    learn_metric,
    wants_tree,
)
from .._smoothing_kernels import INFINITE_SUPPORT, POSITIVE_AT_BANDWIDTH
from ._local_fits import LocalFitter
from ._windows import WindowFinder


def scaled_fitter(X, targets, sample_weight, regressor, scale):
    """Return the metric of scaled columns, and a LocalFitter to their rows."""
    # X: (n, d), encoded rows; targets: (n, V); scale: (d,), divisors of the columns. Of
    # the regressor, a LocallyWeightedRegressor, `algorithm` and `kernel` are read.
    metric = learn_metric("euclidean", None, 1 / scale, X, sample_weight)
    rows = TransformedRows(X, metric)
    if not all(np.isfinite(some).all() for some in in_chunks(rows)):
        raise ValueError("Rows overflow once divided by scale: give a larger scale.")
    algorithm, kernel = regressor.algorithm, regressor.kernel
    if isinstance(algorithm, str):
        tree = algorithm == "kd_tree"
        if algorithm == "auto":
            tree = wants_tree(*rows.shape)
        search = DenseSearch(metric, rows, [np.arange(len(rows))], tree)
    else:
        search = EngineSearch(algorithm, Metric("engine", root=1.0), rows[:])
    finder = WindowFinder(
        search,
        sample_weight,
        infinite_support=kernel in INFINITE_SUPPORT,
        unit=1 / metric.unit,
        weighs_ties=kernel in POSITIVE_AT_BANDWIDTH,
    )
    return metric, LocalFitter(finder, targets)
