"""Checks of the parameters of Shepard's method that exclude each other."""

from .._search import refuse_sample_weight

TOL_METRICS = ("euclidean", "seuclidean", "mahalanobis")
# The treecode sums up boxes; beyond three columns too many of them are needed.
MAX_TREECODE_COLUMNS = 3
MAX_TREECODE_OUTPUTS = 100


def check_parameters(estimator, sample_weight):
    """Raise an error for parameters that exclude each other."""
    metric = estimator.metric
    has_engine = not isinstance(estimator.algorithm, str)
    if estimator.weights == "cosine" and metric != "cosine" and not has_engine:
        raise ValueError(
            "weights='cosine' are the cosines of metric='cosine'; got "
            f"metric={metric!r}: change one of the two."
        )
    if estimator.algorithm == "kd_tree" and metric == "nan_euclidean":
        raise ValueError(
            "algorithm='kd_tree' cannot hold missing values: "
            "metric='nan_euclidean' needs algorithm='brute' or 'auto'."
        )
    learns_stretch = isinstance(estimator.feature_weights, str)
    if learns_stretch and metric != "euclidean" and not has_engine:
        raise ValueError(
            "feature_weights='loo' learns the stretch for metric='euclidean'; got "
            f"metric={metric!r}: change one of the two."
        )
    if estimator.feature_weights is not None and metric == "mahalanobis":
        raise ValueError(
            "metric='mahalanobis' undoes what feature_weights stretch: drop one of the "
            "two."
        )
    if estimator.tol is not None:
        _check_tol(estimator)
    if has_engine:
        _check_engine(estimator, sample_weight)


def _check_tol(estimator):
    tol, n_neighbors = estimator.tol, estimator.n_neighbors
    if n_neighbors not in (None, "loo"):
        raise ValueError(
            f"tol={tol} is for votes of all rows, n_neighbors=None; got "
            f"n_neighbors={n_neighbors!r}: drop tol."
        )
    if (m := getattr(estimator, "m", "loo")) not in ("loo", 0):
        raise ValueError(
            f"tol={tol} sums up far rows without their effective number, which m={m} "
            "needs: set m=0, or drop tol."
        )
    if estimator.metric not in TOL_METRICS or estimator.weights != "inverse":
        raise ValueError(
            f"tol={tol} needs weights='inverse' and a metric of {TOL_METRICS}; got "
            f"metric={estimator.metric!r}, weights={estimator.weights!r}: drop tol."
        )


def _check_engine(estimator, sample_weight):
    engine = estimator.algorithm
    name = type(engine).__name__
    refuse_sample_weight(engine, sample_weight)
    if estimator.n_neighbors is None:
        raise ValueError(
            f"n_neighbors=None reads all rows, for which an engine ({name}) cannot be "
            "used: set algorithm='auto', or n_neighbors."
        )
    unused = estimator.metric_params, estimator.feature_weights
    if estimator.metric != "euclidean" or any(given is not None for given in unused):
        raise ValueError(
            f"The engine ({name}) measures distances itself: leave metric, "
            "metric_params and feature_weights at their defaults, and set them in the "
            "engine."
        )


def check_treecode_size(tol, n_columns, n_outputs):
    """Raise an error for tables whose treecode would be too large."""
    if n_columns > MAX_TREECODE_COLUMNS:
        raise ValueError(
            f"tol={tol} sums up rows by boxes, for at most {MAX_TREECODE_COLUMNS} "
            f"columns; X has {n_columns}: drop tol."
        )
    if n_outputs > MAX_TREECODE_OUTPUTS:
        raise ValueError(
            f"tol={tol} keeps the sums of all {n_outputs} classes or targets in each "
            f"box, at most {MAX_TREECODE_OUTPUTS}: drop tol."
        )
