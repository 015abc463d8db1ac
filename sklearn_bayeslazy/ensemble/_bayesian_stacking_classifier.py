"""BayesianStackingClassifier: members pooled by the likelihood of rows not seen."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier

from .._core._compat import fit_context
from .._core._estimator import LogProbabilityMixin
from ..leave_one_out import log_score_weights
from ..local_regression import RBFNetworkClassifier
from ..naive_bayes import AODEClassifier
from ..neighbors import ShepardKNN
from ..tabular import encode_classes
from ._explanations import explain_mixture
from ._hypotheses import as_probabilities, raw_prediction
from ._my_ada_boost import MyAdaBoost
from ._stacking_base import StackingBase


class BayesianStackingClassifier(ClassifierMixin, LogProbabilityMixin, StackingBase):
    r"""Classifiers, weighted by the likelihood of rows that they have not seen.

    The class probabilities are the weighted mean

    .. math:: P(c \mid x) = \sum_k w_k \, P_k(c \mid x), \quad w_k \ge 0, \quad
              \sum_k w_k = 1,

    with the weights that maximise :math:`\sum_i \log \sum_k w_k P_{k,-i}(y_i \mid
    x_i)`, where :math:`P_{k,-i}` is member k without row i. Members of this package
    leave each row out exactly, in one fit; others are fitted to the folds of `cv`.

    Parameters
    ----------
    estimators : list of (str, estimator), default=None
        The members, with the names by which searches set their parameters. None:
        :class:`AODEClassifier` ("aode"), :class:`ShepardKNN` ("shepard"),
        :class:`RBFNetworkClassifier` ("rbf") and :class:`MyAdaBoost` ("ada_boost"), as
        constructed without arguments, and the frequencies of the classes ("prior").
        Give ("prior", DummyClassifier()) to your own members, too, if all of them may
        be too certain.

    pool : {"linear"}, default="linear"
        How predictions are pooled: "linear" is the weighted mean above.

    cv : int, splitter or list of (train, test), default=5
        The folds for members that cannot leave rows out exactly. Each row must be in
        one test part. An int is the number of folds; equal rows are in the same fold.

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
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    names_ : list of str
        The names of the members.
    estimators_ : list
        The members, fitted to all rows.
    weights_ : ndarray of shape (n_members,)
        Their weights; members of weight 0 are not asked.
    loo_scores_ : dict of {str: float}
        The mean log loss of each member by name, and of "(pool)", over rows not seen.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    HypothesisClassifier : Weights by the posteriors of hypotheses, of which one is
        assumed to be true.
    BayesianStackingRegressor : For numbers.

    References
    ----------
    Y. Yao, A. Vehtari, D. Simpson and A. Gelman (2018), Using stacking to average
    Bayesian predictive distributions, Bayesian Analysis 13.

    Examples
    --------
    A member that knows nothing of a balanced coin gets the whole weight if the others
    are never right:

    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn_bayeslazy import BayesianStackingClassifier
    >>> X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    >>> members = [
    ...     ("prior", DummyClassifier()),
    ...     ("always 0", DummyClassifier(strategy="constant", constant=0)),
    ... ]
    >>> cv = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    >>> model = BayesianStackingClassifier(members, cv=cv).fit(X, y)
    >>> model.weights_.round(6)
    array([1., 0.])
    >>> model.predict_proba([[5]]).round(6)
    array([[0.5, 0.5]])
    """

    @staticmethod
    def _default_members():
        return [
            ("aode", AODEClassifier()),
            ("shepard", ShepardKNN()),
            ("rbf", RBFNetworkClassifier()),
            ("ada_boost", MyAdaBoost()),
            ("prior", DummyClassifier()),
        ]

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit the members and learn their weights.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Whatever all members take; the default ones take numbers, strings,
            categories, booleans and missing cells.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: a row of weight 2 equals two rows. All members must take them.

        Returns
        -------
        self : BayesianStackingClassifier

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        return self._fit(X, y, sample_weight)

    def _read_targets(self, y):
        self.classes_, codes = encode_classes(y)
        return y, codes

    def _predict_member(self, index, member, X):
        found = raw_prediction(member, X)
        n_rows = len(found) if X is None else X.shape[0]
        subject = f"The estimator {self.names_[index]!r}"
        return as_probabilities(found, member.classes_, self.classes_, n_rows, subject)

    def _learn_weights(self, unseen, y, weight):
        codes = encode_classes(y, self.classes_)[1]
        rows = np.arange(len(codes))
        densities = np.stack([found[rows, codes] for found in unseen], axis=1)
        self.weights_ = log_score_weights(densities, weight)
        pooled = densities @ self.weights_
        with np.errstate(divide="ignore"):
            losses = -np.log(np.column_stack([densities, pooled]))
        means = np.average(losses, axis=0, weights=weight)
        self.loo_scores_ = dict(zip([*self.names_, "(pool)"], means.tolist()))

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The weighted mean over the members; columns in the order of `classes_`.
        """
        return self._pooled(X)

    def predict(self, X):
        """Return the most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def explain(self, X):
        """Return what each member adds to the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            A part is a member of weight above 0. Its contribution is its weight times
            P(class | row), its value the class that it predicts. The sum is
            :meth:`predict_proba`. `estimators_` explain by columns or rows.
        """
        weights, predictions = zip(*self._member_predictions(X))
        return explain_mixture(
            self._used_names(), self.classes_, np.array(weights), predictions, "member"
        )
