"""scikit-learn's tests of k nearest neighbours, run on ShepardKNN and its regressor."""

import pytest
from sklearn.metrics import DistanceMetric
from sklearn.neighbors._base import KNeighborsMixin

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor
from tests.helpers.scikit_learn_tests import adapted_tests

_WEIGHTS = {None: "uniform", "distance": "inverse"}
_ALGORITHMS = {"ball_tree": "auto"}


def arguments(
    n_neighbors=5,
    *,
    weights="uniform",
    algorithm="auto",
    leaf_size=30,
    p=2,
    metric="minkowski",
    metric_params=None,
    n_jobs=None,
):
    """Return the arguments of ShepardKNN for those of KNeighborsClassifier."""
    if isinstance(metric, DistanceMetric):
        pytest.skip("compiled metrics are for the trees of scikit-learn")
    if metric == "minkowski":
        metric = {1: "manhattan", 2: "euclidean"}.get(p, metric)
    if metric == "minkowski":
        metric_params = {"p": p, **(metric_params or {})}
    return {
        "n_neighbors": n_neighbors,
        "power": 1,
        "weights": weights if callable(weights) else _WEIGHTS.get(weights, weights),
        "metric": metric,
        "metric_params": metric_params,
        "algorithm": _ALGORITHMS.get(algorithm, algorithm),
        "n_jobs": n_jobs,
    }


class NearestClassifier(KNeighborsMixin):
    """Its instances are ShepardKNN that vote as KNeighborsClassifier does."""

    def __new__(cls, *args, **params):
        """Return a ShepardKNN."""
        return ShepardKNN(m=0, **arguments(*args, **params))


class NearestRegressor(KNeighborsMixin):
    """Its instances are ShepardKNNRegressor that vote as KNeighborsRegressor does."""

    def __new__(cls, *args, **params):
        """Return a ShepardKNNRegressor."""
        return ShepardKNNRegressor(**arguments(*args, **params))


globals().update(
    adapted_tests(
        "sklearn.neighbors.tests.test_neighbors",
        {
            "sklearn.neighbors": {
                "KNeighborsClassifier": NearestClassifier,
                "KNeighborsRegressor": NearestRegressor,
            }
        },
    )
)
# RadiusNeighborsRegressor, which the same tests use, casts NaN to integers.
pytestmark = pytest.mark.filterwarnings(
    "ignore:invalid value encountered in cast:RuntimeWarning"
)

_SEMIMETRIC = "p must be at least 1: below, the triangle inequality does not hold"
_GRAPH = "metric='precomputed' takes all distances; a graph is given by its engine"
DEVIATIONS = {
    "test_unsupervised_inputs": "a fitted engine is the parameter algorithm and not X",
    "test_precomputed_sparse_knn": _GRAPH,
    "test_pipeline_with_nearest_neighbors_transformer": _GRAPH,
    "test_kneighbors_regressor_sparse": _GRAPH,
    "test_neighbors_iris": "set_params sets algorithm='ball_tree', which there is not",
    "test_neighbors_validate_parameters": "there is no metric 'haversine'",
    "test_neighbors_minkowski_semimetric_algo_warn": _SEMIMETRIC,
    "test_neighbors_minkowski_semimetric_algo_error": _SEMIMETRIC,
    "test_metric_params_interface": "metric_params is the only place for p",
    "test_predict_sparse_ball_kd_tree": "instead of a ValueError a TypeError, "
    "the one that its check of arrays raises",
    "test_KNeighborsClassifier_raise_on_all_zero_weights": "where all weights are 0, "
    "rows have equal weights",
}
