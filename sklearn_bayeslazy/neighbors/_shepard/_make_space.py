"""The space of rows for the metric and the algorithm of an estimator."""

from scipy import sparse
from sklearn.base import is_regressor

from ...search import (
    METRICS,
    SPARSE_METRICS,
    EngineSpace,
    NumericSpace,
    TableSpace,
    brute_space,
)
from ._parameters import TABLE_METRICS, hvdm_prior_weight

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
