"""RBFNetworkClassifier: classes told apart by sums of local bumps."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, validate_data

from .._compat import fit_context
from .._estimator import all_or_nothing, require_targets
from .._weights import kept_rows
from ..tabular import encode_classes
from ._rbf import RBFNetwork


class RBFNetworkClassifier(ClassifierMixin, RBFNetwork):
    r"""Least-squares classification on Gaussian bumps around a few centres.

    For each class a ridge regression of its indicator, 1 or -1, as
    :class:`RBFNetworkRegressor` fits it, all on the same bumps; the largest wins. How
    many centres, how wide and how much ridge is chosen by exact leave-one-out of the
    squared error (the centres being held).

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
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    coef_ : ndarray of shape (n_classes, `n_centers_`)
        Weights of the bumps; a single row for two classes.
    intercept_ : ndarray of shape (n_classes,)
        What is added to them; a single number for two classes.
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find the centres and fit the sums.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows, without missing cells.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : RBFNetworkClassifier

        Raises
        ------
        ValueError
            Where a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            require_targets(self, y)
            X = validate_data(self, X, dtype=np.float64)
            check_consistent_length(X, y)
            rows, weight = kept_rows(sample_weight, len(X))
            if rows is not None:
                X, y = X[rows], np.asarray(y)[rows]
            self.classes_, codes = encode_classes(y)
            few = len(self.classes_) <= 2
            columns = np.array([1]) if few else np.arange(len(self.classes_))
            targets = np.where(codes[:, None] == columns, 1.0, -1.0)
            self._learn(X, targets, weight)
            self._least = 1 / (weight.sum() + len(self.classes_))
        return self

    @property
    def coef_(self):
        """Return the weights of the bumps."""
        return self._coef

    @property
    def intercept_(self):
        """Return what is added to the bumps."""
        return self._intercept

    def decision_function(self, X):
        """Return the regressions of the classes' indicators.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Near 1 for a class that is sure, near -1 for one that is out of question;
            for two classes those of the second.
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) <= 2 else outputs

    def predict(self, X):
        """Return the class of the largest value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        chosen = _choose(self._outputs(X))
        return self.classes_[chosen]

    def predict_proba(self, X):
        """Return probabilities of the classes: (1 + f)/2, f being their regressions.

        Values below 1 / (n + K) are lifted to it, that of a class out of K that was
        never seen in n rows; then all are divided by their sum.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        outputs = self._outputs(X)
        if len(self.classes_) == 1:
            return np.ones((len(outputs), 1))
        if len(self.classes_) == 2:
            outputs = np.hstack([-outputs, outputs])
        likely = np.maximum((1 + outputs) / 2, self._least)
        return likely / likely.sum(axis=1, keepdims=True)

    def _scores(self, answers, targets):
        correct = _choose(answers) == _choose(targets)
        return {**super()._scores(answers, targets), "accuracy": correct * 1.0}


def _choose(outputs):
    """Return which class outputs (m, V) choose; a single one tells two apart."""
    if outputs.shape[1] == 1:
        return (outputs[:, 0] > 0).astype(int)
    return outputs.argmax(axis=1)
