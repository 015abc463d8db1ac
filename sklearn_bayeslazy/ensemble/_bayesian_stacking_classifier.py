"""BayesianStackingClassifier: members pooled by the likelihood of rows not seen."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from .._core._compat import StrOptions, fit_context
from .._core._estimator import LogProbabilityMixin
from ..leave_one_out import (
    MAX_LOG_LOSS,
    PredictionSetMixin,
    best_temperature,
    geometric_terms,
    geometric_weights,
    log_losses,
    log_score_weights,
)
from ..local_regression import RBFNetworkClassifier
from ..naive_bayes import AODEClassifier, MEstimateNB
from ..neighbors import ShepardKNN
from ..tabular import CLASS_WEIGHTS, encode_classes
from ..text import LanguageModelNB, TextNB
from ._explanations import explain_mixture
from ._hypotheses import as_probabilities, raw_prediction
from ._my_ada_boost import MyAdaBoost
from ._stacking_base import StackingBase

# From this number of documents, words that only one of them holds are not counted; of
# fewer documents, few words would be left.
_MIN_DOCUMENTS_TO_PRUNE = 100


class BayesianStackingClassifier(
    PredictionSetMixin, ClassifierMixin, LogProbabilityMixin, StackingBase
):
    r"""Classifiers, weighted by the likelihood of rows that they have not seen.

    The class probabilities are

    .. math:: P(c \mid x) \propto \Bigl(\sum_k w_k \, P_k(c \mid x)\Bigr)^{1/T}, \quad
              w_k \ge 0, \quad \sum_k w_k = 1.

    The weights minimise :math:`-\sum_i \log \sum_k w_k P_{k,-i}(y_i \mid x_i) +
    20 \sum_k (w_k - 1/K)^2`, where :math:`P_{k,-i}` is member k without row i; then the
    temperature T maximises the likelihood of the same rows. With ``pool="log_linear"``
    the mean is geometric,

    .. math:: P(c \mid x) \propto \prod_k P_k(c \mid x)^{w_k / T},

    and w and T together maximise the likelihood, less 5 Σ (w_k / T - 1/K)². Evidence of
    several members then adds up, and one that finds a class unlikely counts much.
    Neither is better in general: over 26 tables the mean log loss of new rows is .219
    and .220, the accuracy .903 and .904.

    Members of this package leave each row out exactly, in one fit; others are fitted to
    the folds of `cv`.

    Parameters
    ----------
    estimators : list of (str, estimator), default=None
        The members, with the names by which searches set their parameters;
        "drop" instead of an estimator leaves it out. None:
        :class:`MyAdaBoost` ("ada_boost"), :class:`AODEClassifier` ("aode"),
        :class:`ShepardKNN` ("shepard"), :class:`RBFNetworkClassifier` ("rbf") and
        :class:`MEstimateNB` ("m_estimate"), as constructed without arguments, and the
        frequencies of the classes ("prior"). If X holds raw documents, None means
        :class:`TextNB` on n-grams of three to five characters within words
        ("characters"), on words and pairs of words ("word_pairs") and on words alone
        ("words"); :class:`LanguageModelNB` ("language_model"); and "prior".
        Give ("prior", DummyClassifier()) to your own members, too, if all of them may
        be too certain.

    pool : {"linear", "log_linear"}, default="linear"
        How predictions are pooled: by their weighted mean, or by their weighted
        geometric mean, in which probabilities below 1e-6 count as 1e-6.

    cv : int, splitter or list of (train, test), default=5
        The folds for members that cannot leave rows out exactly. Each row must be in
        one test part. An int is the number of folds; copies that are one row
        (:ref:`weights-and-copies`) are in the same fold.

    loo_max_samples : int, default=10_000
        Tables of more rows have one fold of `cv`, of at most this many rows, that the
        weights are learned from, with all members fitted to the other folds. None: no
        limit.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same.

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
    temperature_ : float
        T: below 1 makes the pool more certain, above 1 less; infinite if no member
        tells classes apart.
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
    Two members give the classes 0 and 1 opposite probabilities. Each class has half of
    the rows, so each member has half of the weight:

    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn_bayeslazy import BayesianStackingClassifier
    >>> members = [
    ...     ("zeros", DummyClassifier(strategy="constant", constant=0)),
    ...     ("ones", DummyClassifier(strategy="constant", constant=1)),
    ... ]
    >>> model = BayesianStackingClassifier(members, cv=2)
    >>> model = model.fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    >>> model.weights_.round(6), model.predict_proba([[5]]).round(6)
    (array([0.5, 0.5]), array([[0.5, 0.5]]))
    """

    _loss_name = "log loss"
    _parameter_constraints = {
        **StackingBase._parameter_constraints,
        "pool": [StrOptions({"linear", "log_linear"})],
        "class_weight": CLASS_WEIGHTS,
    }

    def __init__(
        self,
        estimators=None,
        *,
        pool="linear",
        cv=5,
        loo_max_samples=10_000,
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            estimators,
            pool=pool,
            cv=cv,
            loo_max_samples=loo_max_samples,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.class_weight = class_weight

    @staticmethod
    def _default_members():
        return [
            ("ada_boost", MyAdaBoost()),  # first, for it takes longest
            ("aode", AODEClassifier()),
            ("shepard", ShepardKNN()),
            ("rbf", RBFNetworkClassifier()),
            ("m_estimate", MEstimateNB()),
            ("prior", DummyClassifier()),
        ]

    @staticmethod
    def _members_of_texts(documents):
        min_df = 2 if len(documents) >= _MIN_DOCUMENTS_TO_PRUNE else 1

        def counted(**options):
            return make_pipeline(CountVectorizer(min_df=min_df, **options), TextNB())

        # All read the same words, single letters too, as of contractions: "what", "s".
        language_model = LanguageModelNB()
        pattern = language_model.token_pattern
        return [
            ("characters", counted(analyzer="char_wb", ngram_range=(3, 5))),
            ("word_pairs", counted(ngram_range=(1, 2), token_pattern=pattern)),
            ("words", counted(token_pattern=pattern)),
            ("language_model", language_model),
            ("prior", DummyClassifier()),
        ]

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit the members and learn their weights.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Whatever all members take; the default ones take numbers, strings,
            categories, booleans and missing cells. Raw documents are a list of strings,
            (n_samples,).
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
        return self._fit(X, y, sample_weight, self.class_weight)

    def _read_targets(self, y):
        self.classes_, codes = encode_classes(y)
        return y, codes

    def _predict_member(self, index, member, X):
        given = raw_prediction(member, X)
        classes = member.classes_, self.classes_
        subject = f"The estimator {self.names_[index]!r}"
        if X is not None:
            return as_probabilities(given, *classes, X.shape[0], subject)
        # Boosting leaves out some folds of a large table, and has NaN for other rows.
        known = ~np.isnan(given).any(axis=1)
        found = np.full((len(given), len(self.classes_)), np.nan)
        found[known] = as_probabilities(given[known], *classes, known.sum(), subject)
        return found

    def _learn_weights(self, unseen, codes, weight, copy_of):
        rows = np.arange(len(codes))
        densities = np.stack([found[rows, codes] for found in unseen], axis=1)
        if self.pool == "linear":
            self.weights_ = log_score_weights(densities, weight)
            gaps = self._gaps(zip(self.weights_, unseen))
            self.temperature_ = float(best_temperature(gaps, codes, weight))
        else:
            self.weights_, self.temperature_ = geometric_weights(unseen, codes, weight)
            gaps = self._gaps(zip(self.weights_, unseen))
        with np.errstate(divide="ignore"):
            losses = np.minimum(-np.log(densities).T, MAX_LOG_LOSS)
        pooled = log_losses(gaps / self.temperature_, codes)
        means = np.average([*losses, pooled], axis=1, weights=weight)
        self.loo_scores_ = dict(zip([*self.names_, "(pool)"], means.tolist()))
        self._left_out = self._calibrated(gaps), codes, weight, copy_of

    def _left_out_probabilities(self):
        return self._left_out

    def _gaps(self, predictions):
        """Return log pooled probabilities less the largest, (n_classes, n_rows)."""
        # predictions: pairs of the weight and the predictions of a member.
        if self.pool == "linear":
            pooled = sum(weight * found for weight, found in predictions)
            with np.errstate(divide="ignore"):
                logs = np.log(np.ascontiguousarray(pooled.T))
        else:
            logs = sum(
                weight * geometric_terms(found).T for weight, found in predictions
            )
        return logs - logs.max(axis=0)

    def _calibrated(self, gaps):
        """Return the probabilities of pooled members, at the temperature."""
        found = np.exp(gaps / self.temperature_).T
        return found / found.sum(axis=1, keepdims=True)

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Or documents, as in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        return self._calibrated(self._gaps(self._member_predictions(X)))

    def predict(self, X):
        """Return the most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Or documents, as in :meth:`fit`.

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
            Or documents, as in :meth:`fit`.

        Returns
        -------
        Explanation
            A part is a member of weight above 0, and its value the class that it
            predicts. Each has the share of the probability that it has of the weighted
            mean; the sum is :meth:`predict_proba`. With ``pool="log_linear"`` a part is
            the logarithm of the member's factor. `estimators_` explain by columns or
            rows.
        """
        members = list(self._member_predictions(X))
        weights, predictions = map(np.array, zip(*members))
        parts = self._used_names(), self.classes_, weights
        if self.pool == "log_linear":
            logs = geometric_terms(predictions) / self.temperature_
            return explain_mixture(*parts, logs, "member", "log odds")
        pooled = np.tensordot(weights, predictions, axes=1)
        found = self._calibrated(self._gaps(members))
        factor = found / np.where(pooled > 0, pooled, 1.0)
        return explain_mixture(*parts, predictions * factor, "member")
