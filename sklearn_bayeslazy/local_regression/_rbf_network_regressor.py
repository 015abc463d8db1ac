"""RBFNetworkRegressor: ridge regression on Gaussian radial basis functions."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length

from .._core._arrays import check_numeric_targets, kept_rows
from .._core._compat import fit_context
from .._core._estimator import TrainingRowsMixin, all_or_nothing, require_targets
from .._core._kernel import frozen
from ..leave_one_out import (
    LeftOutNumbers,
    PredictionIntervalMixin,
    point_search,
    rows_to_leave_out,
)
from ..tabular import (
    check_table,
    rescale_squares,
    rescale_targets,
    restore_targets,
    standardize,
    take_rows,
)
from ._explanation import explain_centers
from ._rbf_base import RBFNetwork
from ._rbf_ranges import Ranges
from ._rbf_ridge import BasisRidge


class RBFNetworkRegressor(
    PredictionIntervalMixin, TrainingRowsMixin, RegressorMixin, RBFNetwork
):
    r"""Ridge regression on Gaussian radial basis functions around a few centres.

    The eager counterpart of local regression: a single function for all queries, fitted
    in advance,

    .. math:: \hat f(x) = \beta_0 + \sum_j \beta_j\,
       e^{-\lVert x - c_j \rVert^2 / 2 \sigma_j^2} .

    The number of centres, their widths and the ridge are chosen by leave-one-out, which
    is exact given the centres. One QR decomposition serves all ridges. Raw tables are
    read as they are, and columns may be weighted by their relevance; the classical
    network with equal weights is ``RBFNetworkRegressor(feature_weights=None)``.

    Parameters
    ----------
    n_centers : int or "loo", default="loo"
        Number of centres; fewer if there are fewer distinct rows.

    centers : "kmeans" or array-like of shape (n_centers, n_features), default="kmeans"
        "kmeans": means of clusters, from a deterministic start. Or the centres: rows
        like those of X.

    width : {"global", "local"}, float or array-like, default="global"
        σ, in units of the scaled and weighted columns: one for all or one for each
        centre. "local": the root mean square distance of each centre to its two nearest
        others, times `overlap`. "global": the root mean square of the local widths, for
        all centres.

    overlap : float or "loo", default="loo"
        Multiplies the widths "global" and "local".

    ridge : float or "loo", default="loo"
        Adds ridge · ‖β‖² to the sum of squares; the intercept is not penalised.

    scale : str, array-like or None, default="loo"
        How columns of numbers become comparable before distances are computed. "std",
        "trimmed", "range" or an array: divisors, as in
        :class:`LocallyWeightedRegressor`. With a name, numbers beyond the outer fences
        of their column are replaced by the fence: three interquartile ranges below the
        first or above the third quartile (Tukey). "normal_scores": each number becomes
        the normal quantile of the share of smaller numbers in its column, which suits
        long tails and frequent values. "loo": "std" or "normal_scores".

    feature_weights : {"loo", "relevance"}, array-like or None, default="loo"
        Factors of the scaled columns, of shape (n_features,). "relevance": (ρ / max
        ρ)^¼, with ρ the share of the targets' variance that the column alone explains
        by leave-one-out, at least .001 (see Notes). None: all are 1. "loo": one of
        these two.

    loo_candidates : dict, default=None
        {"scale": list, "feature_weights": list, "n_centers": list, "overlap": list,
        "ridge": list}, the candidates of the "loo" parameters; all combinations are
        compared. By default "std" or "normal_scores", None or "relevance", 10, 30, 100
        or 300 centres, at most half of the rows (below 20 rows half of them), overlaps
        of 1, 2 or 4, and ridges from 1e-6 to 10.

    loo_max_samples : int or None, default=10000
        Maximum number of rows that are left out one by one; if there are more, a
        random subset of this size. None: every row.

    random_state : int, RandomState instance or None, default=None
        Seed of that subset.

    n_jobs : int, default=None
        Threads for leave-one-out and for predictions.

    Attributes
    ----------
    center_coef_ : ndarray of shape (`n_centers_`,) or (n_outputs, `n_centers_`)
        β.
    intercept_ : float or ndarray of shape (n_outputs,)
        β₀.
    n_centers_ : int
        Number of centres.
    overlap_, ridge_ : float
        The values given or chosen.
    centers_ : ndarray of shape (`n_centers_`, n_encoded)
        In the units of X; a column of symbols is replaced by its encoding (see Notes).
    widths_ : ndarray of shape (`n_centers_`,)
        In units of the scaled and weighted columns.
    scale_ : ndarray of shape (n_features,) or "normal_scores"
        Divisors of the columns, 1 for those that hold no numbers.
    feature_weights_ : ndarray of shape (n_features,)
        Factors of the scaled columns.
    loo_results_ : dict of arrays
        Only with "loo": the candidates ("params"), "mean_squared_error" with its
        "standard_error_squared_error", and "rank"; see :class:`LeaveOneOutDisplay`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    LocallyWeightedRegressor : Lazy: fits a polynomial at each query.

    Notes
    -----
    X may hold strings, categories, booleans, numbers and missing cells. A missing
    number becomes the mean of the column. A column of at most 10 symbols becomes
    indicators: two symbols are 2 units apart, a missing or unknown one lies in their
    middle. More symbols become the m-estimated mean of y at each symbol, in standard
    deviations of y, times 2, with m by leave-one-out, or the mean of y (m = ∞) if they
    differ by chance; that of a training row is computed from the two of three folds
    that lack it, so a column of distinct symbols adds nothing. A missing or unknown one
    becomes the mean of y. For a column with missing numbers one more encoded column
    sets the missing cells as far from the others as such means over the ones and the
    others are, unless m = ∞. ρ is computed from such means, with numbers in ten
    quantile bins. Leave-one-out is exact given the centres, the encoding and the
    weights of columns.

    The functions overlap, and their β may be large and of both signs. Where no rows are
    these no longer cancel. So a number of a query beyond those of the training rows
    counts as the nearest of them, and a prediction beyond the targets as the nearest
    target. (Without a row both ranges are those of the others.)

    References
    ----------
    J. Moody and C. J. Darken (1989), Fast learning in networks of locally-tuned
    processing units, Neural Computation 1.

    Examples
    --------
    One basis function with centre 0 and width 1, fitted to a row at 0 and a row far
    away:

    >>> from sklearn_bayeslazy import RBFNetworkRegressor
    >>> model = RBFNetworkRegressor(centers=[[0.0]], width=1.0, ridge=0, scale=None)
    >>> model = model.fit([[0.0], [50.0]], [5.0, 2.0])
    >>> model.center_coef_.round(9)  # the basis function is 0 at 50: β₀ = 2, β = 5 - 2
    array([3.])
    >>> model.predict([[1.0]]).round(4)  # 2 + 3 exp(-1/2)
    array([3.8196])
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find the centres and fit the weights of the basis functions.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Training rows: numbers, strings, categories, booleans and missing cells.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : RBFNetworkRegressor

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        with all_or_nothing(self):
            require_targets(self, y)
            X = check_table(self, X, reset=True)
            y = check_numeric_targets(y)
            check_consistent_length(X, y)
            self._is_single_output = y.ndim == 1
            rows, weight = kept_rows(sample_weight, X.shape[0])
            if rows is not None:
                X, y = take_rows(X, rows), y[rows]
            y = y.reshape(len(y), -1)
            table, y, weight, of_given = self._read_rows(X, y, weight)
            targets, self._exponent = rescale_targets(y, weight.sum())
            self._target_ranges = Ranges.of(targets)
            standardized = standardize(targets, weight)[0]
            fitted = self._fit_network(table, targets, standardized, weight)
            self._keep_training_rows((*fitted, of_given), sample_weight)
            if "loo_results_" in vars(self):
                rescale_squares(self.loo_results_, self._exponent)
        return self

    @property
    def center_coef_(self):
        """Return β."""
        return self._squeeze_output(np.ldexp(self._coef, self._exponent))

    @property
    def intercept_(self):
        """Return β₀."""
        intercept = self._squeeze_output(np.ldexp(self._intercept, self._exponent))
        return float(intercept) if self._is_single_output else intercept

    def _squeeze_output(self, values):
        return values[0] if self._is_single_output else values

    def predict(self, X):
        """Return the predictions.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features), or None
            Queries. None: the rows of the last call of `fit` of weight above 0, each by
            the network without it and its copies (:ref:`left-out-predictions`).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        predictions = restore_targets(self._network_outputs(X), self._exponent)
        return predictions[:, 0] if self._is_single_output else predictions

    def _network_outputs(self, X):
        outputs = super()._network_outputs(X)
        return outputs if X is None else self._target_ranges.clip(outputs)

    def _clip_each(self, outputs, rows):
        """Return outputs (…, n, V), in the ranges of the targets without each row."""
        return self._target_ranges.clip_each(outputs, rows)

    def _left_out_numbers(self):
        rows, targets, weight, _ = self._rows_to_leave_out()
        outputs = self._left_out_outputs(rows, targets, weight, slice(None))
        some = rows_to_leave_out(
            len(targets), self.loo_max_samples, self.random_state or 0
        )
        search = point_search(rows[np.arange(len(targets))])
        return LeftOutNumbers(
            some,
            restore_targets(outputs[some], self._exponent),
            restore_targets(targets[some], self._exponent),
            weight,
            search,
            search.training_queries(),
            self._inflation,
        )

    def _predictor_without(self, rows):
        points, targets, weight, _ = self._rows_to_leave_out()
        own_places = np.empty(0, dtype=np.int64), points[:0]
        outputs = self._outputs_without(points, targets, weight, own_places)
        ridge = BasisRidge(self._basis, points, targets, weight)
        errors = weight[rows, None] * (targets[rows] - outputs[rows])

        def predict(queries, errors=errors, points=points[rows]):
            """Return the outputs at queries, (m, n, V), without each of some rows."""
            changes = ridge.influence(self.ridge_, queries, points)
            fitted = self._basis.values(queries) @ self._coef.T + self._intercept
            return fitted[:, None] - changes[:, :, None] * errors

        def predict_in_ranges(queries):
            found = predict(queries)
            for j in self._ranges.extremes_among(rows):
                here = self._ranges.clip(queries, without=rows[j])
                moved = (here != queries).any(axis=1)
                one = np.array([j])
                of_row = errors[one], points[rows[one]]
                found[moved, j] = predict(here[moved], *of_row)[:, 0]
            return restore_targets(self._clip_each(found, rows), self._exponent)

        return predict_in_ranges

    def _predictions_and_queries(self, X):
        predictions = restore_targets(self._network_outputs(X), self._exponent)
        return predictions, frozen(self._queries(X), np.float64)

    def explain(self, X):
        """Return what each basis function adds to the predictions.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        Explanation
            A part is a center k, with the value φ_k(x) and the contribution β_k φ_k(x);
            `centers_[k]` is where it is. The last part is what keeping the prediction
            in the range of y adds. The sum is :meth:`predict`.
        """
        values = self._basis_values(X)
        coef = np.ldexp(self._coef, self._exponent)
        intercept = np.ldexp(self._intercept, self._exponent)
        outputs = values @ self._coef.T + self._intercept
        outputs = self._target_ranges.clip(outputs)
        predictions = restore_targets(outputs, self._exponent)
        outputs = np.arange(len(coef))
        return explain_centers(
            values, coef, intercept, predictions, outputs, "target units"
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
