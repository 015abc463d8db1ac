"""HypothesisClassifier: a committee of hypotheses, each weighed by its posterior."""

from itertools import product
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._compat import HasMethods, Interval, StrOptions, fit_context
from .._estimator import DocLinkMixin, all_or_nothing, require_targets
from .._labelled_rows import weighted_rows
from .._parallel import map_results
from ..tabular import check_table, encode_classes, take_rows
from ._folds import folds_of_distinct_rows
from ._hypotheses import log_likelihood, log_posterior, mixture, soften
from ._members import (
    check_fitted,
    check_weighable,
    classifiers_of,
    fitted,
    labels_of,
    learns,
    named,
    probabilities,
    say,
    take_what_all_take,
    union,
)


class HypothesisClassifier(
    ClassifierMixin, DocLinkMixin, MetaEstimatorMixin, BaseEstimator
):
    r"""Finitely many hypotheses, weighed by what the rows say of each.

    The posterior of a hypothesis is

    .. math:: P(h \mid D) \propto P(h) \prod_i P(y_i \mid x_i, h),

    and a rule turns posteriors into an answer.

    Parameters
    ----------
    hypotheses : list
        Each is a classifier, or a pair (name, classifier); a function from X to labels,
        or to probabilities of shape (n_samples, n_classes) in the order of the sorted
        classes; or a mapping {class: probability} that holds for every row. The
        probabilities of a row must sum to 1.

    rule : {"bayes_optimal", "map", "ml", "gibbs"}, default="bayes_optimal"
        "bayes_optimal": all answer, in proportion to their posteriors; no other rule
        errs less on average. "map": the one with the largest posterior, the first of
        equals. "ml": the one that makes the rows most likely, whatever its prior.
        "gibbs": one drawn from the posterior at `fit`; on average it errs at most twice
        as often as "bayes_optimal".

    prior : array-like of shape (n_hypotheses,), default=None
        P(h), ≥ 0; divided by their sum. By default all alike.

    classes : array-like of shape (n_classes,), default=None
        Labels that may come beside those of y, of tables, of fitted classifiers, and of
        what functions say of the rows given to `fit`.

    cv : "prefit", int, splitter or list of splits, default="prefit"
        Where P(y | x, h) comes from. "prefit": classifiers are fitted already, and the
        rows given to `fit` are new to them. Otherwise classifiers are fitted here: rows
        are judged by a copy that has not seen them, as in cross-validation, and in the
        end each learns from all rows. An int is a number of folds; rows that are equal
        are in the same fold.

    noise : float, default=0.0
        The probability, in [0, 1], that an answer is replaced by one drawn from all
        classes alike. With 0 a hypothesis that calls impossible what has happened is
        out, which is fitting for rules and severe for anything that was learnt.

    random_state : int, RandomState instance or None, default=None
        Draws the hypothesis of "gibbs".

    n_jobs : int, default=None
        Processes (or what :func:`joblib.parallel_config` says) that classifiers are
        fitted in, with `cv`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        All class labels, sorted.
    hypotheses_ : list
        The hypotheses, fitted.
    names_ : list of str
        Their names, as given or by their kind and place.
    log_likelihood_ : ndarray of shape (n_hypotheses,)
        ln P(D | h); -inf for those that are out.
    posterior_ : ndarray of shape (n_hypotheses,)
        P(h | D).
    version_space_ : int array
        The hypotheses that nothing contradicts: P(D | h) and P(h) are above 0.
    map_, ml_ : int
        The place of the hypothesis with the largest posterior, and likelihood.
    drawn_ : int
        The place of the hypothesis that "gibbs" has drawn; with that rule.
    weights_ : ndarray of shape (n_hypotheses,)
        What each says counts so much, by the rule.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    References
    ----------
    T. Mitchell (1997), Machine Learning, sections 6.2 to 6.8.

    Examples
    --------
    A drawn bead is red or blue. Bags hold no, half or only red beads; after red, red:

    >>> from sklearn_bayeslazy import HypothesisClassifier
    >>> bags = [{"red": 0.0, "blue": 1.0}, {"red": 0.5, "blue": 0.5}, {"red": 1.0}]
    >>> model = HypothesisClassifier(bags).fit([[0], [0]], ["red", "red"])
    >>> model.posterior_  # 0 : .25 : 1
    array([0. , 0.2, 0.8])
    >>> model.predict_proba([[0]])  # blue: .2 · .5
    array([[0.1, 0.9]])

    Functions are hypotheses, too. Two of these three agree with the rows:

    >>> rules = [lambda X: X[:, 0] > 1, lambda X: X[:, 0] > 3, lambda X: X[:, 0] < 2]
    >>> model = HypothesisClassifier(rules)
    >>> _ = model.fit(np.array([[0.0], [4.0]]), [False, True])
    >>> model.posterior_, model.version_space_
    (array([0.5, 0.5, 0. ]), array([0, 1]))
    """

    _parameter_constraints = {
        "hypotheses": [list, tuple],
        "rule": [StrOptions({"bayes_optimal", "map", "ml", "gibbs"})],
        "prior": ["array-like", None],
        "classes": ["array-like", None],
        "cv": [
            Interval(Integral, 2, None, closed="left"),
            HasMethods(["split", "get_n_splits"]),
            list,
            tuple,
            StrOptions({"prefit"}),
        ],
        "noise": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        hypotheses,
        rule="bayes_optimal",
        *,
        prior=None,
        classes=None,
        cv="prefit",
        noise=0.0,
        random_state=None,
        n_jobs=None,
    ):
        self.hypotheses = hypotheses
        self.rule = rule
        self.prior = prior
        self.classes = classes
        self.cv = cv
        self.noise = noise
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Weigh the hypotheses by rows, and fit them before if `cv` says so.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Whatever the hypotheses take.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: a row of weight 2 is two rows. Classifiers fitted here must
            take them.

        Returns
        -------
        self : HypothesisClassifier

        Raises
        ------
        ValueError
            Where a parameter cannot be used, or no hypothesis allows what has happened.
        NotFittedError
            Where classifiers should be fitted and are not.
        """
        require_targets(self, y)
        with all_or_nothing(self):
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X, y, sample_weight):
        self.names_, members = named(self.hypotheses)
        self._noise = float(self.noise)
        log_prior = _log_shares(self.prior, len(members))
        X = check_table(self, X, y, reset=True, accept_sparse=True)
        splits = self._splits(X, y, sample_weight)
        X, y, weight = weighted_rows(X, y, sample_weight)
        given = None if sample_weight is None else weight
        learners = self._learners(members, given)
        said = {i: say(h, X) for i, h in enumerate(members) if i not in learners}
        known = [labels_of(members[i], answer) for i, answer in said.items()]
        if self.classes is not None:
            known.append(encode_classes(self.classes)[0])
        self.classes_ = union(encode_classes(y)[0], known)
        _, codes = encode_classes(y, self.classes_)
        answers = {
            i: self._soft(members[i], answer, self.names_[i], len(y))
            for i, answer in said.items()
        }
        self.hypotheses_ = list(members)
        if self.cv != "prefit":
            if splits is None:
                splits = folds_of_distinct_rows(X, codes, self.cv)
            answers |= self._cross_answers(learners, X, y, given, splits)
            learnt = map_results(
                lambda member: fitted(member, X, y, given),
                list(learners.values()),
                n_jobs=self.n_jobs,
            )
            for i, member in zip(learners, learnt):
                self.hypotheses_[i] = member
        self.log_likelihood_ = np.array(
            [log_likelihood(answers[i], codes, weight) for i in range(len(members))]
        )
        self._weigh(log_posterior(log_prior, self.log_likelihood_))

    def _learners(self, members, weight):
        """Return the classifiers that are to be fitted here, {place: classifier}."""
        found = {i: member for i, member in enumerate(members) if learns(member)}
        for i, member in found.items():
            if self.cv == "prefit":
                check_fitted(member, self.names_[i])
            elif weight is not None:
                check_weighable(member, self.names_[i])
        return {} if self.cv == "prefit" else found

    def _weigh(self, posterior):
        """Take the logarithms of posteriors."""
        if np.all(posterior == -np.inf):
            raise ValueError(
                "No hypothesis allows all rows, so none is left: add hypotheses, or "
                f"allow for errors by noise above {self.noise}."
            )
        self.posterior_ = np.exp(posterior)
        self.version_space_ = np.flatnonzero(posterior > -np.inf)
        self.map_ = int(np.argmax(posterior))
        self.ml_ = int(np.argmax(self.log_likelihood_))
        vars(self).pop("drawn_", None)  # of a former fit
        if self.rule == "gibbs":
            rng = check_random_state(self.random_state)
            self.drawn_ = int(rng.choice(len(posterior), p=self.posterior_))
        if self.rule == "bayes_optimal":
            self.weights_ = self.posterior_
        else:
            name = "drawn_" if self.rule == "gibbs" else f"{self.rule}_"
            self.weights_ = np.eye(len(posterior))[getattr(self, name)]

    def _splits(self, X, y, sample_weight):
        """Return the user's splits, of the rows that count; None if there are none."""
        if isinstance(self.cv, Integral | str):
            return None
        check_consistent_length(X, y)
        splits = list(check_cv(self.cv, y, classifier=True).split(X, y))
        kept = np.arange(X.shape[0])
        if sample_weight is not None:
            kept = np.flatnonzero(np.broadcast_to(sample_weight, X.shape[0]))
            splits = [
                tuple(np.flatnonzero(np.isin(kept, part)) for part in pair)
                for pair in splits
            ]
        judged = np.concatenate([kept[:0], *(test for _, test in splits)])
        if not np.array_equal(np.sort(judged), np.arange(len(kept))):
            raise ValueError(
                "cv must have each row in one test part: take a splitter like "
                f"StratifiedKFold. Got {self.cv!r}."
            )
        return [pair for pair in splits if len(pair[1])]

    def _cross_answers(self, learners, X, y, weight, splits):
        """Return the answers of copies that have not seen the rows, by place."""

        def judge(task):
            place, (train, test) = task
            w = None if weight is None else weight[train]
            member = fitted(learners[place], take_rows(X, train), y[train], w)
            return self._answer(member, self.names_[place], take_rows(X, test))

        parts = map_results(judge, list(product(learners, splits)), n_jobs=self.n_jobs)
        back = np.argsort(np.concatenate([test for _, test in splits]))
        step = len(splits)
        return {
            place: np.concatenate(parts[i * step : (i + 1) * step])[back]
            for i, place in enumerate(learners)
        }

    def _answer(self, member, name, X):
        """Return P(class | row, hypothesis), columns in the order of `classes_`."""
        return self._soft(member, say(member, X), name, X.shape[0])

    def _soft(self, member, said, name, n_rows):
        """Return what a hypothesis has said of rows as probabilities, with noise."""
        labels = getattr(member, "classes_", self.classes_)
        found = probabilities(said, labels, self.classes_, n_rows, name)
        return soften(found, self._noise)

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            By the rule; columns in the order of `classes_`.
        """
        check_is_fitted(self)
        X = check_table(self, X, reset=False, accept_sparse=True)
        members = np.flatnonzero(self.weights_)
        answers = (
            self._answer(self.hypotheses_[i], self.names_[i], X) for i in members
        )
        return mixture(self.weights_, answers)

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

    def __sklearn_tags__(self):
        """Return the tags: rows may be what all hypotheses take."""
        tags = super().__sklearn_tags__()
        return take_what_all_take(tags, classifiers_of(self.hypotheses))


def _log_shares(prior, n_hypotheses):
    """Return the logarithms of the prior's shares."""
    shares = np.ones(n_hypotheses) if prior is None else np.asarray(prior, np.float64)
    if shares.shape != (n_hypotheses,):
        raise ValueError(
            f"prior has shape {shares.shape}; there are {n_hypotheses} hypotheses."
        )
    if not np.all(shares >= 0) or not 0 < shares.sum() < np.inf:
        raise ValueError(f"prior={shares.tolist()} must be ≥ 0, finite, and not all 0.")
    with np.errstate(divide="ignore"):
        return np.log(shares / shares.sum())
