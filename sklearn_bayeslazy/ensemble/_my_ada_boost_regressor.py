"""MyAdaBoostRegressor: trees boosted by least squares, on any table."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_numeric_targets, kept_rows, take_kept
from .._core._compat import Interval, fit_context
from .._core._estimator import (
    DocLinkMixin,
    LeftOutScoreMixin,
    accepting_any_table,
    all_or_nothing,
    names_of_columns,
    require_targets,
)
from ..explain import Cells, Explanation
from ..leave_one_out import PredictionIntervalMixin, numbers_by_prediction
from ..tabular import (
    check_table,
    read_table,
    rescale_targets,
    restore_targets,
    weighted_rows,
)
from ._boosting import with_progress
from ._stumps import TREE_CONSTRAINTS, SquaresLearner, TreeVotes


class MyAdaBoostRegressor(
    LeftOutScoreMixin,
    PredictionIntervalMixin,
    RegressorMixin,
    DocLinkMixin,
    BaseEstimator,
):
    r"""Trees, each fitted by least squares to the errors of the ones before it.

    The counterpart of :class:`MyAdaBoost` for numbers, with the loss
    :math:`(y - F)^2` instead of :math:`e^{-yF}` (boosting by squares, L2 boosting). The
    first member is the mean of y. A round fits a tree to the residuals :math:`y - F`. A
    leaf predicts the mean of its residuals, and :math:`\nu` times the predictions is
    added to F, where :math:`\nu` is `learning_rate`. Rows of other folds choose the
    number of rounds.

    Raw tables are read as they are. Missing cells go to the better side of a split. The
    categories of a column are ordered by their means of the residuals, and split as
    numbers are, with 2/π of their variance less in the decrease of squares for each
    category beyond the second (what chance gives); unseen ones go where missing cells
    go.

    Parameters
    ----------
    n_estimators : int, default=500
        The largest number of rounds, of which `n_folds` chooses how many are kept.

    learning_rate : float, default=0.1
        Factor of the predictions of each tree, at most 1.

    max_depth : int or "auto", default="auto"
        The depth of trees, from 1 to 12; "auto" is 6.

    min_leaf_weight : float, default=10
        The least weight of a leaf, in units of the median weight of a row
        (:ref:`weights-and-copies`); at most a tenth of all.

    max_features : float, default=1.0
        The share of the columns, drawn in each round, that trees may split.

    n_folds : int or None, default=5
        The number of folds of the rows that trees are fitted without, besides those
        fitted to all rows. The squared error on the rows of the folds chooses the
        number of rounds. Folds are left out until 3000 rows have been. None:
        `n_estimators` rounds.

    n_iter_no_change : int, default=50
        If this number of rounds does not reduce the error on the rows of the folds,
        boosting ends.

    max_bins : int or "auto", default="auto"
        The largest number of bins of a numeric column, from 2 to 255. Each distinct
        value has a bin, or bins are quantiles if there are more values. "auto" is 255.
        Of the categories of a column only the 254 of largest weight have a bin.

    verbose : bool, default=False
        Whether to show a progress bar.

    random_state : int, RandomState instance or None, default=None
        Draws columns with `max_features`.

    n_jobs : int, default=None
        Number of threads for the trees of the folds, and for predictions.

    Attributes
    ----------
    estimators_ : list
        The members; the first is a tree of one leaf.
    validation_errors_ : ndarray
        The mean squared error on rows of other folds after each member, with `n_folds`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Each column's share in the decrease of the sums of squares.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    MyAdaBoost : For classes.
    BayesianStackingRegressor : Trees and local models together.

    References
    ----------
    J. Friedman (2001), Greedy function approximation: a gradient boosting machine,
    Annals of Statistics 29. P. Bühlmann, B. Yu (2003), Boosting with the L2 loss:
    regression and classification, JASA 98.

    Examples
    --------
    The mean of y is 3. The residuals of the first round are -2 and 2, and a tree halves
    them; those of the second are -1 and 1:

    >>> from sklearn_bayeslazy import MyAdaBoostRegressor
    >>> X, y = [["a"]] * 20 + [["b"]] * 20, [1.0] * 20 + [5.0] * 20
    >>> model = MyAdaBoostRegressor(2, learning_rate=0.5, n_folds=None).fit(X, y)
    >>> model.predict([["a"], ["b"]])  # 3 - 1 - 1/2, 3 + 1 + 1/2
    array([1.5, 4.5])
    """

    _parameter_constraints = {
        **TREE_CONSTRAINTS,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_estimators=500,
        *,
        learning_rate=0.1,
        max_depth: int | str = "auto",
        min_leaf_weight=10.0,
        max_features=1.0,
        n_folds=5,
        n_iter_no_change=50,
        max_bins: int | str = "auto",
        verbose=False,
        random_state=None,
        n_jobs=None,
    ):
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_leaf_weight = min_leaf_weight
        self.max_features = max_features
        self.n_folds = n_folds
        self.n_iter_no_change = n_iter_no_change
        self.max_bins = max_bins
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the trees round by round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Numbers, strings, categories, booleans and missing cells.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of rows of
            symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : MyAdaBoostRegressor

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        with all_or_nothing(self):
            require_targets(self, y)
            X = check_table(self, X, y, reset=True)
            y = check_numeric_targets(y)
            given = kept_rows(sample_weight, len(y))[0], len(y)
            X, y, weight = weighted_rows(X, y, sample_weight)
            targets, exponent = rescale_targets(y, weight.sum())
            learner = SquaresLearner(X, targets, weight, self)
            rng = check_random_state(self.random_state)
            for _ in with_progress(range(self.n_estimators), self.verbose):
                if not learner.add_member(rng.randint(2**31 - 1)):
                    break
            self._exponent = exponent
            self._votes = TreeVotes(learner.best_members(), ())
            self._rates = np.full(len(self._votes), self.learning_rate)
            self._rates[0] = 1.0
            vars(self).pop("validation_errors_", None)  # of a former fit
            self._left_out, self._rows_given = None, given
            if learner.left_out is not None:
                rows, predictions, copy_of = learner.left_out
                errors = np.array(learner.validation.errors)
                self.validation_errors_ = restore_targets(errors, 2 * exponent)
                predictions = restore_targets(predictions, exponent)
                self._left_out = rows, predictions, y, weight, copy_of
        return self

    def _check_rows(self, X):
        check_is_fitted(self)
        return check_table(self, X, reset=False)

    def predict(self, X):
        """Return the predictions.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            None: the rows of `fit` that had a weight above 0, each by the trees that
            were grown without its fold (see `n_folds`). NaN for rows of folds that were
            not left out.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if X is None:
            rows, predictions, y, *_ = self._left_out_rows()
            found = np.full(len(y), np.nan)
            found[rows] = predictions
            return found
        table = read_table(self._check_rows(X))
        fitted = self._votes.votes(table, self._rates, self.n_jobs)[:, 0]
        return restore_targets(fitted, self._exponent)

    def staged_predict(self, X):
        """Yield the predictions after each member.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        table = read_table(self._check_rows(X))
        for fitted in self._votes.staged_votes(table, self._rates):
            yield restore_targets(fitted[:, 0], self._exponent)

    def _left_out_rows(self):
        check_is_fitted(self)
        if self._left_out is None:
            raise ValueError(
                "X=None and intervals need trees grown without the folds of the rows, "
                "which a model of one row or with n_folds=None does not have. Set "
                "n_folds, and fit more rows."
            )
        return self._left_out

    def _rows_of_fit(self):
        return self._rows_given

    def _left_out_score(self, y, sample_weight):
        rows, predictions, every, *_ = self._left_out_rows()
        y, sample_weight = take_kept(rows, len(every), y, sample_weight)
        return r2_score(y, predictions, sample_weight=sample_weight)

    def _left_out_numbers(self):
        rows, predictions, y, weight, copy_of = self._left_out_rows()
        points, one = predictions[:, None], [1.0]
        return numbers_by_prediction(points, one, y[rows], weight[rows], copy_of)

    def _predictions_and_queries(self, X):
        predictions = self.predict(X)[:, None]
        return predictions, predictions

    def explain(self, X):
        """Return what each column adds to the predictions.

        Each split on the path of a row adds to its column what the mean of the side is
        more than that of the node. So columns that act together share their effect, by
        the order of the splits.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            A part is a column. The base is the mean of y, and the sum is
            :meth:`predict`.
        """
        table, names = read_table(self._check_rows(X)), names_of_columns(self)
        terms, base = self._votes.votes_by_column(table, self._rates)
        return Explanation(
            np.ldexp(terms, self._exponent),
            np.ldexp(base, self._exponent),
            np.arange(1),
            names=names,
            values=Cells(X, names),
            unit="target units",
        )

    @property
    def estimators_(self):
        """The members."""
        check_is_fitted(self)
        return list(self._votes)

    @property
    def feature_importances_(self):
        """Each column's share in the decrease of the sums of squares."""
        check_is_fitted(self)
        return self._votes.importances(self.n_features_in_)

    def __sklearn_tags__(self):
        return accepting_any_table(super().__sklearn_tags__())
