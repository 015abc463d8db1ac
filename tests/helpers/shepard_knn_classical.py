"""ShepardKNN and its regressor with classical defaults: weights 1 / d², m = 0."""

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor


class ClassicalKNN(ShepardKNN):
    """ShepardKNN whose power is 2, and m is 0, unless they are given."""

    def __init__(
        self,
        n_neighbors="loo",
        *,
        power=2.0,
        weights="inverse",
        m=0,
        prior="marginal",
        metric="euclidean",
        metric_params=None,
        feature_weights=None,
        class_weight=None,
        algorithm="auto",
        tol=None,
        loo_candidates=None,
        loo_scoring="accuracy",
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_neighbors,
            power=power,
            weights=weights,
            m=m,
            prior=prior,
            metric=metric,
            metric_params=metric_params,
            feature_weights=feature_weights,
            class_weight=class_weight,
            algorithm=algorithm,
            tol=tol,
            loo_candidates=loo_candidates,
            loo_scoring=loo_scoring,
            loo_max_samples=loo_max_samples,
            random_state=random_state,
            n_jobs=n_jobs,
        )


class ClassicalKNNRegressor(ShepardKNNRegressor):
    """ShepardKNNRegressor whose power is 2 unless it is given."""

    def __init__(
        self,
        n_neighbors="loo",
        *,
        power=2.0,
        weights="inverse",
        metric="euclidean",
        metric_params=None,
        feature_weights=None,
        algorithm="auto",
        tol=None,
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_neighbors,
            power=power,
            weights=weights,
            metric=metric,
            metric_params=metric_params,
            feature_weights=feature_weights,
            algorithm=algorithm,
            tol=tol,
            loo_candidates=loo_candidates,
            loo_scoring=loo_scoring,
            loo_max_samples=loo_max_samples,
            random_state=random_state,
            n_jobs=n_jobs,
        )


def euclidean_knn(*args, metric="euclidean", **params):
    """Return a ShepardKNN whose metric is Euclidean unless it is given."""
    return ShepardKNN(*args, metric=metric, **params)


def euclidean_knn_regressor(*args, metric="euclidean", **params):
    """Return a ShepardKNNRegressor whose metric is Euclidean unless it is given."""
    return ShepardKNNRegressor(*args, metric=metric, **params)
