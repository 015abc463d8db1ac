"""HypothesisClassifier: a committee of hypotheses, each weighed by its posterior."""

from collections.abc import Mapping
from itertools import product
from numbers import Integral, Real

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    clone,
)
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from .._compat import HasMethods, Interval, StrOptions, fit_context
from .._estimator import DocLinkMixin, all_or_nothing, require_targets
from .._parallel import map_results
from .._weights import kept_rows
from ..tabular import check_table, encode_classes, kind_of_classes, take_rows
from ._folds import folds_of_distinct_rows
from ._hypotheses import log_likelihood, log_posterior, mixture, soften


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
        self.names_, hypotheses = _named(self.hypotheses)
        self._noise = float(self.noise)
        log_prior = _log_shares(self.prior, len(hypotheses))
        X, y, weight, splits = self._rows(X, y, sample_weight)
        if self.cv == "prefit":
            _check_fitted(hypotheses, self.names_)
        known = [
            _labels_of(hypothesis, X)
            for hypothesis in hypotheses
            if self.cv == "prefit" or not hasattr(hypothesis, "fit")
        ]
        if self.classes is not None:
            known.append(encode_classes(self.classes)[0])
        self.classes_ = _union(encode_classes(y)[0], known)
        _, codes = encode_classes(y, self.classes_)
        if self.cv == "prefit":
            self.hypotheses_ = hypotheses
            answers = [
                self._answer(hypothesis, name, X)
                for hypothesis, name in zip(hypotheses, self.names_)
            ]
        else:
            given = None if sample_weight is None else weight
            _check_weighable(hypotheses, self.names_, given)
            if splits is None:
                splits = folds_of_distinct_rows(X, codes, self.cv)
            answers = self._cross_answers(hypotheses, X, y, given, splits)
            self.hypotheses_ = map_results(
                lambda hypothesis: _fitted(hypothesis, X, y, given),
                hypotheses,
                n_jobs=self.n_jobs,
            )
        self.log_likelihood_ = np.array(
            [log_likelihood(answer, codes, weight) for answer in answers]
        )
        self._weigh(log_posterior(log_prior, self.log_likelihood_))

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

    def _rows(self, X, y, sample_weight):
        """Return rows, labels, weights and the user's splits; rows of weight 0 go."""
        X = check_table(self, X, y, reset=True, accept_sparse=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        kept, weight = kept_rows(sample_weight, len(y))
        splits = None
        if not isinstance(self.cv, Integral | str):
            splits = list(check_cv(self.cv, y, classifier=True).split(X, y))
        if kept is not None:
            X, y = take_rows(X, kept), y[kept]
            splits = splits and [
                tuple(np.flatnonzero(np.isin(kept, part)) for part in pair)
                for pair in splits
            ]
        splits = splits and [pair for pair in splits if len(pair[1])]
        return X, y, weight, splits

    def _cross_answers(self, hypotheses, X, y, weight, splits):
        """Return the answers of copies that have not seen the rows."""
        judged = np.concatenate([np.empty(0, int), *(test for _, test in splits)])
        if not np.array_equal(np.sort(judged), np.arange(len(y))):
            raise ValueError(
                "cv must have each row in one test part: take a splitter like "
                f"StratifiedKFold. Got {self.cv!r}."
            )

        def judge(task):
            (hypothesis, name), (train, test) = task
            w = None if weight is None else weight[train]
            fitted = _fitted(hypothesis, take_rows(X, train), y[train], w)
            return self._answer(fitted, name, take_rows(X, test))

        tasks = list(product(zip(hypotheses, self.names_), splits))
        parts = map_results(judge, tasks, n_jobs=self.n_jobs)
        back, step = np.argsort(judged), len(splits)
        return [
            np.concatenate(parts[start : start + step])[back]
            for start in range(0, len(parts), step)
        ]

    def _answer(self, hypothesis, name, X):
        """Return P(class | row, hypothesis), columns in the order of `classes_`."""
        labels = self.classes_
        if isinstance(hypothesis, Mapping):
            row = [float(hypothesis.get(label, 0.0)) for label in labels.tolist()]
            found = np.tile(row, (X.shape[0], 1))
        elif hasattr(hypothesis, "predict_proba"):
            found, labels = hypothesis.predict_proba(X), hypothesis.classes_
        else:
            answer = (
                hypothesis.predict if hasattr(hypothesis, "predict") else hypothesis
            )
            found = np.asarray(answer(X))
        return soften(self._checked(found, labels, name, X.shape[0]), self._noise)

    def _checked(self, found, labels, name, n_rows):
        """Return labels, or probabilities of some classes, as those of all classes."""
        answer = np.zeros((n_rows, len(self.classes_)))
        if found.shape == (n_rows,):
            codes = np.searchsorted(self.classes_, found) % len(self.classes_)
            if np.any(strange := self.classes_[codes] != found):
                raise ValueError(
                    f"The hypothesis {name!r} answers {found[strange].tolist()[0]!r}, "
                    f"which is none of the classes {self.classes_.tolist()}: name all "
                    "that may come in classes."
                )
            answer[np.arange(n_rows), codes] = 1.0
            return answer
        if found.shape != (n_rows, len(labels)):
            raise ValueError(
                f"The hypothesis {name!r} answers in shape {found.shape}: give "
                f"{n_rows} labels, or probabilities of {labels.tolist()}."
            )
        if not np.all(found >= 0) or np.any(np.abs(found.sum(axis=1) - 1) > _ROUNDING):
            raise ValueError(
                f"What the hypothesis {name!r} answers are no probabilities: they must "
                "be ≥ 0, and sum to 1 over the classes."
            )
        answer[:, np.searchsorted(self.classes_, labels)] = found
        return answer

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
        given = [h[1] if isinstance(h, tuple) else h for h in self.hypotheses]
        inputs = [get_tags(h).input_tags for h in given if hasattr(h, "fit")]
        for name in ("allow_nan", "sparse", "categorical", "string"):
            setattr(tags.input_tags, name, all(getattr(i, name) for i in inputs))
        return tags


# What sums of probabilities may miss 1 by; some learners count in single precision.
_ROUNDING = 1e-4


def _named(hypotheses):
    """Return names and hypotheses of a list of hypotheses, or of pairs with names."""
    if not len(hypotheses):
        raise ValueError("hypotheses is empty: give one at least.")
    names, found = [], []
    for place, some in enumerate(hypotheses):
        if isinstance(some, tuple) and len(some) == 2 and isinstance(some[0], str):
            name, some = some
        else:
            kind = some if hasattr(some, "__name__") else type(some)
            name = f"{kind.__name__} {place}"
        is_classifier = hasattr(some, "fit") and hasattr(some, "predict")
        if not (is_classifier or isinstance(some, Mapping) or callable(some)):
            raise TypeError(
                f"hypotheses[{place}] is {some!r}: give a classifier, a function from "
                "X to labels, or a mapping {class: probability}."
            )
        names.append(name)
        found.append(some)
    return names, found


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


def _check_fitted(hypotheses, names):
    for hypothesis, name in zip(hypotheses, names):
        if not hasattr(hypothesis, "fit"):
            continue
        try:
            check_is_fitted(hypothesis)
        except NotFittedError as error:
            raise NotFittedError(
                f"The hypothesis {name!r} is not fitted: fit it, or give cv=5, say, to "
                "have it fitted here. Cross-validation and searches forget what an "
                "estimator has learnt, unless it is in a FrozenEstimator."
            ) from error


def _check_weighable(hypotheses, names, weight):
    for hypothesis, name in zip(hypotheses, names):
        takes = has_fit_parameter(hypothesis, "sample_weight")
        if weight is not None and hasattr(hypothesis, "fit") and not takes:
            raise ValueError(
                f"The hypothesis {name!r} takes no sample_weight: fit without, or give "
                'it fitted with cv="prefit".'
            )


def _labels_of(hypothesis, X):
    """Return the labels that a hypothesis is known to use, None if y has them all."""
    if isinstance(hypothesis, Mapping):
        return encode_classes(np.array(list(hypothesis)))[0]
    if hasattr(hypothesis, "fit"):
        return getattr(hypothesis, "classes_", None)
    found = np.asarray(hypothesis(X))
    return encode_classes(found)[0] if found.ndim == 1 else None


def _union(classes, more):
    """Return all labels, sorted; they must be of one kind."""
    for labels in more:
        if labels is None:
            continue
        if kind_of_classes(labels) != kind_of_classes(classes):
            raise TypeError(
                f"y holds the labels {classes.tolist()}, and a hypothesis "
                f"{labels.tolist()}, of another kind."
            )
        classes = np.union1d(classes, labels)
    return classes


def _fitted(hypothesis, X, y, weight):
    if not hasattr(hypothesis, "fit"):
        return hypothesis
    more = {} if weight is None else {"sample_weight": weight}
    return clone(hypothesis).fit(X, y, **more)
