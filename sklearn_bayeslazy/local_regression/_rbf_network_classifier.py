"""RBFNetworkClassifier: least-squares classification on radial basis functions."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from .._core._compat import fit_context
from .._core._estimator import (
    LogProbabilityMixin,
    TrainingRowsMixin,
    all_or_nothing,
    require_targets,
)
from ..leave_one_out import PredictionSetMixin, best_temperature, gaps_by_class
from ..tabular import (
    CLASS_WEIGHTS,
    check_table,
    encode_classes,
    row_weight,
    times_class_weight,
    weighted_rows,
)
from ._explanation import explain_centers
from ._rbf_base import RBFNetwork

# How far the logarithm of the Notes bends below 0. Of the widths from 0 to .3, this has
# the least mean log loss on the 26 tables of the accuracy page.
_WIDTH = 0.1


class RBFNetworkClassifier(
    PredictionSetMixin,
    TrainingRowsMixin,
    ClassifierMixin,
    LogProbabilityMixin,
    RBFNetwork,
):
    r"""Least-squares classification on Gaussian radial basis functions.

    For each class, a ridge regression of its indicator (1 or -1) is fitted as by
    :class:`RBFNetworkRegressor`. All classes share the basis functions; the class with
    the largest value is predicted. The number of centres, their widths and the ridge
    are chosen by the leave-one-out squared error, which is exact given the centres. Raw
    tables are read as they are, and columns may be weighted by their relevance; the
    classical network with equal weights is
    ``RBFNetworkClassifier(feature_weights=None)``.

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

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same.

    random_state : int, RandomState instance or None, default=None
        Seed of that subset.

    n_jobs : int, default=None
        Threads for leave-one-out and for predictions.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    center_coef_ : ndarray of shape (n_classes, `n_centers_`)
        Weights of the basis functions; a single row for two classes.
    intercept_ : ndarray of shape (n_classes,)
        Constants added to the weighted sums; a single number for two classes.
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
    temperature_ : float
        T of the probabilities (see Notes).
    loo_results_ : dict of arrays
        Only with "loo": the candidates ("params"), "mean_squared_error" and
        "mean_accuracy" with their standard errors, and "rank"; see
        :class:`LeaveOneOutDisplay`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNN : Weighted votes of the nearest rows.

    Notes
    -----
    X may hold strings, categories, booleans, numbers and missing cells. A missing
    number becomes the mean of the column. A column of at most 10 symbols becomes
    indicators: two symbols are 2 units apart, a missing or unknown one lies in their
    middle. More symbols become the m-estimated class frequencies at each symbol, times
    2, with m by leave-one-out, or the prior (m = ∞) if they differ by chance; those of
    a training row are computed from the two of three folds that lack it, so a column of
    distinct symbols adds nothing. A missing or unknown one becomes the prior. For a
    column with missing numbers one more encoded column sets the missing cells as far
    from the others as such frequencies over the ones and the others are, unless m = ∞.
    ρ is computed from such means, with numbers in ten quantile bins. Leave-one-out is
    exact given the centres, the encoding and the weights of columns. A number of a
    query beyond those of the training rows counts as the nearest of them (see
    :class:`RBFNetworkRegressor`).

    The regression f of a class estimates its probability by (1 + f) / 2, which may be
    below 0 or above 1. So

    .. math:: P(c \mid x) \propto \ln\bigl(1 + e^{5 (1 + f_c(x))}\bigr)^{1/T},

    for two classes with f and -f. The logarithm is nearly proportional to estimates
    above .1, and above 0 everywhere. T has the largest likelihood of the left-out rows.

    References
    ----------
    J. Moody and C. J. Darken (1989), Fast learning in networks of locally-tuned
    processing units, Neural Computation 1.

    Examples
    --------
    >>> from sklearn_bayeslazy import RBFNetworkClassifier
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    >>> model = RBFNetworkClassifier(4, ridge=0, overlap=1).fit(X, y)
    >>> model.predict(X)
    array([0, 0, 1, 1])
    """

    _parameter_constraints = {
        **RBFNetwork._parameter_constraints,
        "class_weight": CLASS_WEIGHTS,
    }

    def __init__(
        self,
        n_centers: str | int = "loo",
        *,
        centers: ArrayLike = "kmeans",
        width: ArrayLike = "global",
        overlap: str | float = "loo",
        ridge: str | float = "loo",
        scale: ArrayLike | None = "loo",
        feature_weights: ArrayLike | None = "loo",
        loo_candidates=None,
        loo_max_samples=10_000,
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_centers,
            centers=centers,
            width=width,
            overlap=overlap,
            ridge=ridge,
            scale=scale,
            feature_weights=feature_weights,
            loo_candidates=loo_candidates,
            loo_max_samples=loo_max_samples,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.class_weight = class_weight

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find the centres and fit the weights of the basis functions.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Training rows: numbers, strings, categories, booleans and missing cells.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : RBFNetworkClassifier

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        with all_or_nothing(self):
            require_targets(self, y)
            X = check_table(self, X, reset=True)
            X, y, weight = weighted_rows(X, y, sample_weight)
            self.classes_, codes = encode_classes(y)
            weight = times_class_weight(weight, self.class_weight, self.classes_, codes)
            truth = codes, weight
            table, codes, weight, of_given = self._read_rows(X, codes, weight)
            n_classes = len(self.classes_)
            columns = np.array([1]) if n_classes <= 2 else np.arange(n_classes)
            targets = np.where(codes[:, None] == columns, 1.0, -1.0)
            indicators = np.eye(n_classes)[codes]
            fitted = self._fit_network(table, targets, indicators, weight)
            self._keep_training_rows((*fitted, of_given), sample_weight, *truth)
        return self

    @property
    def center_coef_(self):
        """Return the weights of the basis functions."""
        return self._coef

    @property
    def intercept_(self):
        """Return the constants added to the weighted sums."""
        return self._intercept

    def decision_function(self, X):
        """Return the regressions of the class indicators.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features), or None
            Queries; None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Near 1 for a very likely class, near -1 for a very unlikely one; for two
            classes the values of the second.
        """
        outputs = self._network_outputs(X)
        return outputs[:, 0] if len(self.classes_) <= 2 else outputs

    def predict(self, X):
        """Return the class with the largest value of the decision function.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features), or None
            Queries; None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        predicted = _predicted_classes(self._network_outputs(X))
        return self.classes_[predicted]

    def predict_proba(self, X):
        """Return probabilities of the classes, from the decision function (see Notes).

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features), or None
            Queries. None: the rows of the last call of `fit` of weight above 0, each by
            the network without it and its copies (:ref:`left-out-predictions`).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        outputs = self._network_outputs(X)
        if len(self.classes_) == 1:
            return np.ones((len(outputs), 1))
        return softmax(_log_shares(outputs) / self.temperature_, axis=1)

    def _calibrate(self, regression, rows, targets, sample_weight):
        """Set the temperature of the largest likelihood of left-out rows."""
        some = self._left_out_sample(len(targets))
        outside = self._ranges.outside_of_others(rows, some)
        rows, targets, sample_weight = rows[some], targets[some], sample_weight[some]
        fitted = self._coef, self._intercept
        (outputs,) = regression.left_out(
            [self.ridge_], [fitted], rows, targets, sample_weight, outside
        )
        # Without others, a row has no output.
        known = ~np.isnan(outputs).any(axis=1)
        weight = sample_weight[known] / row_weight(sample_weight)
        shares = _log_shares(outputs[known])
        gaps, _ = gaps_by_class(shares, np.zeros(shares.shape[1]))
        codes = _predicted_classes(targets[known])
        self.temperature_ = float(best_temperature(gaps, codes, weight))

    def _copies_left_out(self):
        return self._rows_to_leave_out()[-1]

    def explain(self, X):
        """Return what each basis function adds to the decision function.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        Explanation
            A part is a center k, with the value φ_k(x) and the contribution β_k φ_k(x);
            `centers_[k]` is where it is. The sum for a class is its value of
            :meth:`decision_function`, and for the first of two classes the negative.
        """
        values = self._basis_values(X)
        coef, intercept = self._coef, self._intercept
        if len(self.classes_) == 2:
            coef, intercept = np.vstack([-coef, coef]), np.append(-intercept, intercept)
        outputs = self.classes_
        return explain_centers(values, coef, intercept, None, outputs, "decision value")

    def _loo_scores(self, predictions, targets):
        correct = _predicted_classes(predictions) == _predicted_classes(targets)
        scores = super()._loo_scores(predictions, targets)
        return {**scores, "accuracy": correct * 1.0}


def _log_shares(outputs):
    """Return the logarithms of what the probabilities are proportional to, (m, K)."""
    if outputs.shape[1] == 1:
        outputs = np.hstack([-outputs, outputs])
    share = (1 + outputs) / (2 * _WIDTH)
    # Below -30, ln(1 + e^x) differs from e^x by less than 1e-13 of it.
    return np.where(share > -30, np.log(np.logaddexp(0, np.maximum(share, -30))), share)


def _predicted_classes(outputs):
    """Return the class numbers that outputs (m, V) predict; two classes have V = 1."""
    if outputs.shape[1] == 1:
        return (outputs[:, 0] > 0).astype(int)
    return outputs.argmax(axis=1)
