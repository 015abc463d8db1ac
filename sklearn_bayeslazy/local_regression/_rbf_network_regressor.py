"""RBFNetworkRegressor: one global sum of local bumps."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from .._compat import fit_context
from .._estimator import all_or_nothing
from .._target_scale import rescale_squares, rescale_targets
from .._weights import kept_rows
from ._rbf import RBFNetwork


class RBFNetworkRegressor(RegressorMixin, RBFNetwork):
    r"""Ridge regression on Gaussian bumps around a few centres.

    The eager counterpart of local regression: one function for all queries, fitted
    beforehand,

    .. math:: \hat f(x) = \beta_0 + \sum_j \beta_j\,
       e^{-\lVert x - c_j \rVert^2 / 2 \sigma_j^2} .

    How many centres, how wide and how much ridge is chosen by exact leave-one-out (the
    centres being held), from one triangular form for all ridges.

    Parameters
    ----------
    n_centers : int or "loo", default="loo"
        How many centres; fewer if there are fewer distinct rows.

    centers : "kmeans" or array-like of shape (n_centers, n_features), default="kmeans"
        "kmeans": means of clusters, from a start that draws nothing at random. Or the
        centres, in the units of X.

    width : {"global", "local"}, float or array-like, default="global"
        σ, in units of the scaled columns: one for all or one for each centre. "local":
        for each the root mean square distance to its two nearest others, times
        `overlap`; "global": for all the root mean square of those.

    overlap : float or "loo", default="loo"
        What the widths "global" and "local" are multiplied by.

    ridge : float or "loo", default="loo"
        Adds ridge · ‖β‖² to the squares; the intercept is free.

    scale : {"std", "trimmed", "range"}, array-like or None, default="std"
        What each column is divided by before distances are measured, as in
        :class:`LocallyWeightedRegressor`.

    loo_candidates : dict, default=None
        {"n_centers": list, "overlap": list, "ridge": list}, the candidates of what is
        "loo"; each with each. By default 10, 30 or 100 centres, overlaps of 1, 2 or
        4, and ridges from 1e-6 to 10.

    loo_max_samples : int or None, default=10000
        Above so many rows, a random subset of this size is left out one by one. None:
        every row.

    random_state : int, RandomState instance or None, default=None
        Draws that subset.

    n_jobs : int, default=None
        Threads for predictions.

    Attributes
    ----------
    coef_ : ndarray of shape (`n_centers_`,) or (n_outputs, `n_centers_`)
        β.
    intercept_ : float or ndarray of shape (n_outputs,)
        β₀.
    n_centers_ : int
        Number of centres.
    overlap_, ridge_ : float
        As given or chosen.
    centers_ : ndarray of shape (`n_centers_`, n_features)
        In the units of X.
    widths_ : ndarray of shape (`n_centers_`,)
        In units of the scaled columns.
    scale_ : ndarray of shape (n_features,)
        What columns are divided by.
    loo_results_ : dict of arrays
        Only with "loo": the candidates ("params"), "mean_squared_error" with its
        "standard_error_squared_error", and "rank"; see :class:`LeaveOneOutDisplay`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    LocallyWeightedRegressor : Fits nothing before it is asked.

    References
    ----------
    J. Moody and C. J. Darken (1989), Fast learning in networks of locally-tuned
    processing units, Neural Computation 1.

    Examples
    --------
    One bump around 0, of width 1, through the values at 0 and far away:

    >>> from sklearn_bayeslazy import RBFNetworkRegressor
    >>> model = RBFNetworkRegressor(centers=[[0.0]], width=1.0, ridge=0, scale=None)
    >>> model = model.fit([[0.0], [50.0]], [5.0, 2.0])
    >>> model.coef_.round(9)  # far away nothing is left of the bump
    array([3.])
    >>> model.predict([[1.0]]).round(4)  # 2 + 3 exp(-1/2)
    array([3.8196])
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find the centres and fit the sum.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows, without missing cells.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : RBFNetworkRegressor

        Raises
        ------
        ValueError
            Where a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            X, y = validate_data(
                self, X, y, dtype=np.float64, multi_output=True, y_numeric=True
            )
            self._one_output = y.ndim == 1
            rows, weight = kept_rows(sample_weight, len(X))
            if rows is not None:
                X, y = X[rows], y[rows]
            y = y.reshape(len(y), -1).astype(np.float64)
            targets, self._exponent = rescale_targets(y)
            self._learn(X, targets, weight)
            if "loo_results_" in vars(self):
                rescale_squares(self.loo_results_, self._exponent)
        return self

    @property
    def coef_(self):
        """Return β."""
        return self._given_shape(np.ldexp(self._coef, self._exponent))

    @property
    def intercept_(self):
        """Return β₀."""
        intercept = self._given_shape(np.ldexp(self._intercept, self._exponent))
        return float(intercept) if self._one_output else intercept

    def _given_shape(self, values):
        return values[0] if self._one_output else values

    def predict(self, X):
        """Return the answers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        answers = np.ldexp(self._outputs(X), self._exponent)
        return answers[:, 0] if self._one_output else answers

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
