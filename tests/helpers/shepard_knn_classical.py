"""ShepardKNN and its regressor with classical defaults, where they are not given."""

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor


def euclidean_knn(*args, metric="euclidean", **params):
    """Return a ShepardKNN whose metric is Euclidean unless it is given."""
    return ShepardKNN(*args, metric=metric, **params)


def euclidean_knn_regressor(*args, metric="euclidean", **params):
    """Return a ShepardKNNRegressor whose metric is Euclidean unless it is given."""
    return ShepardKNNRegressor(*args, metric=metric, **params)


def classical_knn(*args, power=2.0, m=0, loo_scoring="accuracy", **params):
    """Return a ShepardKNN of weights 1 / d² and plain shares of the votes."""
    return euclidean_knn(*args, power=power, m=m, loo_scoring=loo_scoring, **params)


def classical_knn_regressor(*args, power=2.0, **params):
    """Return a ShepardKNNRegressor of weights 1 / d²."""
    return euclidean_knn_regressor(*args, power=power, **params)
