"""ShepardKNNRegressor: numbers by the weighted mean of the nearest rows, or of all."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_array

from .._compat import StrOptions, fit_context
from .._estimator import all_or_nothing, require_targets
from .._target_scale import rescale_squares, rescale_targets
from ._shepard import ShepardBase, Voters


class ShepardKNNRegressor(RegressorMixin, ShepardBase):
    r"""Regression by the distance-weighted mean of k neighbours, or of every row.

    .. math:: \hat f(x) = \frac{\sum_i w_i\, f(x_i)}{\sum_i w_i},
        \qquad w_i = d(x, x_i)^{-p},

    over the k nearest training rows, or over all of them (Shepard's method).

    Parameters
    ----------
    n_neighbors : int, None or "loo", default="loo"
        How many of the nearest training rows vote; all of them for None (Shepard's
        method), or where there are fewer. With sample weights it is a mass: rows vote
        in the order of their distances until their weights add up to it, and the last
        one's is cut. "loo": chosen by leave-one-out.

    power : float, "auto" or "loo", default=2.0
        The exponent of the distance in the weights, ≥ 0. "auto": the number of
        columns that are not removed by `feature_weights`. "loo": chosen by
        leave-one-out. 0 weighs all alike. With all rows and a power below the number
        of columns the far rows, which are many, outweigh the near ones: answers are
        drawn towards the mean of the targets.

    weights : {"inverse", "uniform", "cosine"} or callable, default="inverse"
        "inverse": 1 / d^power; rows at distance 0, exact hits, answer alone. "uniform":
        all alike. "cosine": max(0, cos), for metric="cosine". A callable turns an array
        of distances of shape (n_samples, n_neighbors) into one of weights ≥ 0, entry by
        entry; infinite ones answer alone. Where no neighbour has any weight, all have
        the same.

    metric : str, default="euclidean"
        "euclidean", "seuclidean" (each column over its standard deviation),
        "mahalanobis" (directions over the covariance, with a pseudo-inverse where it is
        singular), "manhattan", "minkowski", "cosine" (1 - cos; a row of zeros is at
        distance 1 from all), or "nan_euclidean", which takes missing cells: their
        squares are made up for by the mean of the others'. Rows without a common cell
        are infinitely far. "euclidean", "seuclidean" and "cosine" take sparse rows.

    metric_params : dict, default=None
        {"p": …} for "minkowski" (≥ 1; 2 by default); {"V": …}, variances for
        "seuclidean"; {"V": …} or {"VI": …}, the covariance for "mahalanobis" or its
        inverse. Variances and covariances that are not given are learnt; a variance of
        0 counts as 1.

    feature_weights : array-like of shape (n_features,) or "loo", default=None
        How far each column is stretched before distances are measured, ≥ 0; 0 removes
        it. "loo": learnt as by :class:`AxisStretcher` with its defaults, for k
        neighbours if `n_neighbors` is a number and for all rows otherwise
        (metric="euclidean" and dense X only).

    algorithm : {"auto", "brute", "kd_tree"} or estimator, default="auto"
        What finds the neighbours; all answers are the same to the last bit. An
        estimator with ``kneighbors``, fitted or not, is asked for them instead; it
        brings its own metric.

    tol : float, default=None
        With n_neighbors=None and up to three columns: how far an answer may be from
        the exact one, as a part of the range of the targets. Far rows are then
        summarised by boxes, and a query costs little more in a larger table. None:
        exact.

    loo_candidates : dict, default=None
        {"n_neighbors": list, "power": list}, the candidates of what is "loo". By
        default 1 to 50 and None (which reads the whole table for each row that is left
        out), and 0, 1, 2, 3, 4, 6, 8; if both are chosen, each with each.

    loo_scoring : {"squared_error"}, default=None
        What leave-one-out minimises: the squared error, averaged over the outputs.

    loo_max_samples : int or None, default=10000
        Above so many rows, a random subset of this size is left out one by one; the
        rest of the table stays whole. None: every row.

    random_state : int, RandomState instance or None, default=None
        Draws the rows of `loo_max_samples`, and the starts of feature_weights="loo".

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    n_neighbors_ : int or None
        How many neighbours vote, chosen or given.
    power_ : float
        The exponent of the distance, chosen or given.
    feature_weights_ : ndarray of shape (n_features,) or None
        How the columns are stretched, learnt or given.
    loo_results_ : dict
        Only where n_neighbors or power is "loo". "params", "mean_squared_error",
        "standard_error_squared_error" and "rank" of the candidates, which make a frame
        as they are.
    n_samples_fit_ : int
        Number of rows given to `fit`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNN : The same for classes.
    AxisStretcher : Learns how far each column should be stretched.
    sklearn.neighbors.KNeighborsRegressor : weights="distance" is power=1 here.

    Notes
    -----
    Weights are reckoned relative to that of the nearest row, so that no power of a
    distance overflows. Votes of all rows are summed as they are read: memory does not
    grow with their number.

    Leave-one-out finds the largest k of neighbours of each row once; the votes of every
    k are sums over the start of that list. It is exact, given the variances,
    covariance and feature weights learnt from the whole table. A row of weight w is
    left out by one copy.

    References
    ----------
    D. Shepard (1968), A two-dimensional interpolation function for irregularly-spaced
    data, ACM National Conference.

    T. Mitchell (1997), Machine Learning, section 8.2.

    Examples
    --------
    Asked at 2, the row at 0 is at distance 2, and those at 1 and 3 are at distance 1:

    >>> from sklearn_bayeslazy import ShepardKNNRegressor
    >>> X, y = [[0.0], [1.0], [3.0]], [9.0, 0.0, 0.0]
    >>> model = ShepardKNNRegressor(n_neighbors=None).fit(X, y)
    >>> model.predict([[2.0]])  # (9/4 + 0 + 0) / (1/4 + 1 + 1)
    array([1.])
    >>> model.predict([[0.0]])  # an exact hit answers alone
    array([9.])
    """

    _parameter_constraints = {
        **ShepardBase._parameter_constraints,
        "loo_scoring": [StrOptions({"squared_error"}), None],
    }
    _score_names = ("squared_error",)

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
        self.n_neighbors = n_neighbors
        self.power = power
        self.weights = weights
        self.metric = metric
        self.metric_params = metric_params
        self.feature_weights = feature_weights
        self.algorithm = algorithm
        self.tol = tol
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Keep the rows, learn the metric, and choose what is "loo".

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : ShepardKNNRegressor

        Raises
        ------
        ValueError
            Where a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    def predict(self, X):
        """Return the weighted mean of the neighbours' targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to be predicted.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Of the shape of y in `fit`.
        """
        sums, totals = self._sums(X)
        means = np.ldexp(sums / totals[:, None], self._exponent)
        return means[:, 0] if self._one_output else means

    def _check_targets(self, y):
        require_targets(self, y)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        if y.ndim > 2:
            raise ValueError(f"y must have one or two dimensions, got {y.ndim}.")
        self._one_output = y.ndim == 1
        return y.reshape(len(y), -1)

    def _encode(self, y, weight):
        targets, self._exponent = rescale_targets(y)
        return Voters(weight, np.empty(0, dtype=np.int64), targets)

    def _choose(self, settled, queries):
        best = super()._choose(settled, queries)
        rescale_squares(self.loo_results_, self._exponent)
        return best

    def _importance(self, voters, rows):
        return voters.weight[rows]

    def _scoring(self):
        return [("squared_error", -1)]

    def _left_out_losses(self, voters, sums, totals, exclude):
        lost = totals == 0
        if lost.any():
            others, mass = voters.sums(exclude)
            sums = np.where(lost[:, None], others, sums)
            totals = np.where(lost, mass, totals)
        errors = sums / totals[:, None] - voters.targets[exclude]
        return {"squared_error": np.mean(errors**2, axis=1)}

    def _shares_of_voters(self, votes, ids, sums, totals):
        return votes / totals[:, None]

    def _targets_of(self, ids):
        targets = np.ldexp(self._voters.targets[ids], self._exponent)
        return targets[..., 0] if self._one_output else targets

    def _ballot_for_code(self):
        return self._voters.targets, self._voters.weight

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
