"""The parameters of Shepard's method: checks, the space of rows, weights of columns."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor

from ...leave_one_out import is_loo
from ...search import (
    METRICS,
    PAIRWISE_METRICS,
    SPARSE_METRICS,
    EngineSpace,
    NumericSpace,
    TableSpace,
    brute_space,
    check_metric_params,
    refuse_sample_weight,
)
from .._stretching import stretch

# Metrics of tables with strings, categories, booleans and missing cells.
TABLE_METRICS = ("auto", "hvdm", "heom", "gower")
TOL_METRICS = ("auto", "euclidean", "seuclidean", "mahalanobis", "hvdm")
# Metrics for which feature_weights="loo" can be learnt.
STRETCHED_METRICS = ("auto", "hvdm", "euclidean")
# Metrics that a kd-tree cannot bound.
_NO_TREE = ("nan_euclidean", "heom", "gower", "precomputed", *PAIRWISE_METRICS)
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
    if estimator.algorithm == "kd_tree" and (callable(metric) or metric in _NO_TREE):
        raise ValueError(
            "algorithm='kd_tree' needs coordinates without missing values: "
            f"metric={metric!r} needs algorithm='brute' or 'auto'."
        )
    learns_stretch = isinstance(estimator.feature_weights, str)
    if learns_stretch and metric not in STRETCHED_METRICS and not has_engine:
        raise ValueError(
            "feature_weights='loo' learns the stretch for a metric of "
            f"{STRETCHED_METRICS}; got metric={metric!r}: change one of the two."
        )
    if estimator.feature_weights is not None and metric == "mahalanobis":
        raise ValueError(
            "metric='mahalanobis' undoes what feature_weights stretch: drop one of the "
            "two."
        )
    if callable(metric) or metric in ("precomputed", *PAIRWISE_METRICS):
        _check_given_metric(estimator)
    if estimator.tol is not None:
        _check_tol(estimator)
    if has_engine:
        _check_engine(estimator, sample_weight)


def hvdm_prior_weight(metric, metric_params):
    """Return m, the weight of the prior in the m-estimates of "hvdm" and "auto"."""
    m = check_metric_params(metric, metric_params).get("m", 1.0)
    if is_loo(m):
        return m
    if not isinstance(m, Real) or not 0 <= m < float("inf"):
        raise ValueError(
            f"metric_params['m'] must be a finite number ≥ 0 or 'loo', got {m!r}."
        )
    return float(m)


def _check_given_metric(estimator):
    """Check the parameters that metrics without columns leave no meaning."""
    weighs_columns = estimator.metric in PAIRWISE_METRICS
    if estimator.feature_weights is not None:
        raise ValueError(
            "feature_weights multiply the differences of columns, and cannot be used "
            f"with metric={estimator.metric!r}: drop them."
            + " metric_params={'w': ...} weights columns."
            * weighs_columns
        )
    if estimator.metric == "precomputed" and estimator.power == "auto":
        raise ValueError(
            "power='auto' is the number of columns, which metric='precomputed' does "
            "not have: give a power, or 'loo'."
        )


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
    is_default = estimator.metric in ("auto", "euclidean")
    if not is_default or any(given is not None for given in unused):
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


# The space of rows for the metric and the algorithm of an estimator.


# Under metric="auto" one standard deviation of a numeric target counts as much as that
# of a column of numbers, to which normal scores give this value.
_NUMERIC_TARGET_UNIT = 0.25


def make_space(estimator, X):
    """Return the space in which an estimator compares the training rows X."""
    metric, params = estimator.metric, estimator.metric_params
    algorithm = estimator.algorithm
    if not isinstance(algorithm, str):
        return EngineSpace(algorithm)
    if metric == "auto" and sparse.issparse(X):
        metric, params = "euclidean", None
    if metric == "auto":
        m = hvdm_prior_weight(metric, params)
        unit = _NUMERIC_TARGET_UNIT if is_regressor(estimator) else 1.0
        accepts_sparse = _accepts_sparse(estimator)
        return TableSpace(metric, algorithm, m, unit, accepts_sparse)
    if metric == "hvdm":
        return TableSpace(metric, algorithm, hvdm_prior_weight(metric, params))
    if isinstance(metric, str) and metric in METRICS:
        return NumericSpace(metric, params, algorithm, _accepts_sparse(estimator))
    return brute_space(metric, params)


def set_input_tags(inputs, estimator):
    """Set which inputs an estimator accepts by its metric and algorithm."""
    if not isinstance(estimator.algorithm, str):
        inputs.sparse = True
        return
    metric = estimator.metric if isinstance(estimator.metric, str) else "callable"
    is_sparse = metric in ("auto", *SPARSE_METRICS)
    inputs.sparse = is_sparse and _accepts_sparse(estimator)
    inputs.categorical = inputs.string = metric in TABLE_METRICS
    inputs.allow_nan = metric in ("nan_euclidean", *TABLE_METRICS)
    inputs.pairwise = inputs.positive_only = metric == "precomputed"


def _accepts_sparse(estimator):
    """Return whether the parameters beside the metric allow sparse rows."""
    learnt = isinstance(estimator.feature_weights, str)
    needs_table = estimator.algorithm == "kd_tree" or estimator.tol is not None
    return not learnt and not needs_table


def learn_feature_weights(training, targets, kept, n_neighbors, rng, n_jobs, **options):
    """Return the stretch of each column, as AxisStretcher learns it."""
    # training: `TrainingPoints`; targets: (n, n_targets); kept: (n_features,), the
    # columns to stretch; the others get the weight 0. options: of `stretch`.
    is_kept = kept[training.column_of]
    points = np.ascontiguousarray(np.asarray(training.points)[:, is_kept])
    column_of, queries = training.column_of[is_kept], None
    if training.left_out is not training.points:
        queries = np.ascontiguousarray(training.left_out[:, is_kept])
    scale = stretch(
        points,
        targets,
        training.weight,
        column_of=None if queries is None else column_of,
        queries=queries,
        n_neighbors=n_neighbors,
        rng=rng,
        n_jobs=n_jobs,
        **options,
    ).scale
    weights = np.zeros(len(kept))
    np.maximum.at(weights, column_of, scale)
    return weights if weights.any() else kept.astype(np.float64)
