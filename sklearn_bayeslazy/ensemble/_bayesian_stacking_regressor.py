"""BayesianStackingRegressor: members pooled by the errors of rows not seen."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.dummy import DummyRegressor

from .._core._arrays import check_numeric_targets
from .._core._compat import fit_context
from ..leave_one_out import (
    PredictionIntervalMixin,
    numbers_by_prediction,
    squared_error_weights,
)
from ..local_regression import LocallyWeightedRegressor, RBFNetworkRegressor
from ..neighbors import CaseBasedRegressor, ShepardKNNRegressor
from ..tabular import naming_unreadable_cells, object_array
from ._explanations import explain_mixture
from ._my_ada_boost_regressor import MyAdaBoostRegressor
from ._stacking_base import StackingBase


class BayesianStackingRegressor(PredictionIntervalMixin, RegressorMixin, StackingBase):
    r"""Regressors, weighted by the errors on rows that they have not seen.

    The prediction is the weighted mean

    .. math:: f(x) = \sum_k w_k \, f_k(x), \quad w_k \ge 0, \quad \sum_k w_k = 1,

    with the weights that minimise :math:`\sum_i (y_i - \sum_k w_k f_{k,-i}(x_i))^2 / (2
    \sigma^2) + 20 \sum_k (w_k - 1/K)^2`, where :math:`f_{k,-i}` is member k without row
    i, and σ² the least mean squared error of such means. Members of this package leave
    each row out exactly, in one fit; others are fitted to the folds of `cv`.

    Parameters
    ----------
    estimators : list of (str, estimator), default=None
        The members, with the names by which searches set their parameters;
        "drop" instead of an estimator leaves it out. None:
        :class:`LocallyWeightedRegressor` ("local"), :class:`ShepardKNNRegressor`
        ("shepard"), :class:`CaseBasedRegressor` ("cases"),
        :class:`RBFNetworkRegressor` ("rbf") and :class:`MyAdaBoostRegressor`
        ("ada_boost"), as constructed without arguments, and the mean of y ("mean").

    pool : {"linear"}, default="linear"
        How predictions are pooled: "linear" is the weighted mean above.

    cv : int, splitter or list of (train, test), default=5
        The folds for members that cannot leave rows out exactly. Each row must be in
        one test part. An int is the number of folds; copies that are one row
        (:ref:`weights-and-copies`) are in the same fold.

    loo_max_samples : int, default=10_000
        Tables of more rows have one fold of `cv`, of at most this many rows, that the
        weights are learned from, with all members fitted to the other folds. None: no
        limit.

    random_state : int, RandomState instance or None, default=None
        Chooses the rows of such a fold.

    n_jobs : int, default=None
        Number of threads over the members and the folds; None is 1 unless
        :func:`joblib.parallel_config` says otherwise, -1 is all processors.

    Attributes
    ----------
    names_ : list of str
        The names of the members.
    estimators_ : list
        The members, fitted to all rows.
    weights_ : ndarray of shape (n_members,)
        Their weights; members of weight 0 are not asked.
    loo_scores_ : dict of {str: float}
        The mean squared error of each member by name, and of "(pool)", over rows not
        seen.
    residual_scale_ : float
        The root of the last: the standard deviation of a new observation around its
        prediction.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    BayesianStackingClassifier : For classes, with weights by the likelihood.

    Notes
    -----
    The loss is that of normal errors with the variance σ², in nats.

    References
    ----------
    L. Breiman (1996), Stacked regressions, Machine Learning 24.

    Y. Yao, A. Vehtari, D. Simpson and A. Gelman (2018), Using stacking to average
    Bayesian predictive distributions, Bayesian Analysis 13.

    Examples
    --------
    One member predicts 0, another 4. All targets are 1:

    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn_bayeslazy import BayesianStackingRegressor
    >>> members = [
    ...     ("low", DummyRegressor(strategy="constant", constant=0.0)),
    ...     ("high", DummyRegressor(strategy="constant", constant=4.0)),
    ... ]
    >>> model = BayesianStackingRegressor(members, cv=2)
    >>> model = model.fit([[0], [1], [2], [3]], [1, 1, 1, 1])
    >>> model.weights_.round(6)  # 3/4 · 0 + 1/4 · 4 = 1
    array([0.75, 0.25])
    >>> model.predict([[9]]).round(6)
    array([1.])
    """

    _loss_name = "squared error"

    @staticmethod
    def _default_members():
        return [
            ("local", LocallyWeightedRegressor()),
            ("shepard", ShepardKNNRegressor()),
            ("cases", CaseBasedRegressor()),
            ("rbf", RBFNetworkRegressor()),
            ("ada_boost", MyAdaBoostRegressor()),
            ("mean", DummyRegressor()),
        ]

    @staticmethod
    def _members_of_texts(documents):
        raise ValueError(
            "estimators=None reads tables, and X holds documents: give estimators, "
            "such as pipelines of a CountVectorizer and a regressor."
        )

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit the members and learn their weights.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Whatever all members take; the default ones take numbers, strings,
            categories, booleans and missing cells. Members that read raw documents take
            a list of strings.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: a row of weight 2 equals two rows. All members must take them.

        Returns
        -------
        self : BayesianStackingRegressor

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        return self._fit(X, y, sample_weight)

    def _read_targets(self, y):
        return check_numeric_targets(y), np.zeros(len(y), dtype=np.int64)

    def _predict_member(self, index, member, X):
        if X is None:
            return member.predict(None)
        with naming_unreadable_cells(X):
            return np.asarray(member.predict(X), dtype=np.float64).reshape(X.shape[0])

    def _learn_weights(self, unseen, y, weight, copy_of):
        # What overflows for some row is of no use.
        usable = np.flatnonzero([np.isfinite(found).all() for found in unseen])
        if not len(usable):
            raise ValueError(
                f"All of the estimators {self.names_} predict infinite or undefined "
                "numbers for some row: scale the columns or the targets down."
            )
        predictions = np.stack([unseen[index] for index in usable], axis=1)
        self.weights_ = np.zeros(len(unseen))
        self.weights_[usable] = squared_error_weights(predictions, y, weight)
        # The rows around a query are those for which the members predict the like.
        points = unseen[np.flatnonzero(self.weights_)].T
        self._left_out = points, y, weight, copy_of
        scale = np.abs(y).max(initial=0.0) or 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            pooled = predictions @ self.weights_[usable]
            errors = np.column_stack([*unseen, pooled]) / scale - y[:, None] / scale
            means = np.average(errors**2, axis=0, weights=weight)
            self.loo_scores_ = dict(
                zip([*self.names_, "(pool)"], (means * scale * scale).tolist())
            )
            self.residual_scale_ = float(np.sqrt(means[-1]) * scale)

    def _left_out_numbers(self):
        weights = self.weights_[np.flatnonzero(self.weights_)]
        points, *rows = self._left_out
        return numbers_by_prediction(points, weights, *rows)

    def _predictions_and_queries(self, X):
        weights, predictions = map(np.array, zip(*self._member_predictions(X)))
        points = np.ascontiguousarray(predictions.T)
        return (points @ weights)[:, None], points

    def predict(self, X, return_std=False):
        """Return predictions, and optionally their standard deviations.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return standard deviations too.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
            The weighted mean over the members.
        std : ndarray of shape (n_samples,)
            That of a new observation around its prediction, `residual_scale_` for all
            rows; only with `return_std`.
        """
        predictions = sum(w * found for w, found in self._member_predictions(X))
        if not return_std:
            return predictions
        return predictions, np.full(len(predictions), self.residual_scale_)

    def explain(self, X):
        """Return what each member adds to the predictions.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            A part is a member of weight above 0. Its contribution is its weight times
            its prediction, which is its value. The sum is :meth:`predict`.
        """
        weights, predictions = map(np.array, zip(*self._member_predictions(X)))
        values = [object_array(row.tolist()) for row in predictions.T]
        parts = self._used_names(), np.arange(1), weights, predictions[:, :, None]
        return explain_mixture(*parts, "member", "target units", values)
