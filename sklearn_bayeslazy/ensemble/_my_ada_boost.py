"""MyAdaBoost: boosting as first published, with the reset of weights, on any table."""

from numbers import Integral, Real
from warnings import warn

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)
from tqdm import tqdm

from .._compat import HasMethods, Interval, StrOptions, check_method_params, fit_context
from .._estimator import DocLinkMixin, all_or_nothing, require_targets
from .._weights import kept_rows
from ..tabular import check_table, encode_classes, read_table, take_rows
from ._boosting import Committee, Rules, boost
from ._committee_answers import CommitteeAnswers
from ._folds import held_out_shares
from ._learners import AnyLearner, can_weigh
from ._members import label_codes, take_what_all_take
from ._reweighting import LEAST_ERROR, vote
from ._rows import Rows
from ._stump_learner import StumpLearner
from ._stumps import Stump, StumpArrays


class MyAdaBoost(
    CommitteeAnswers, ClassifierMixin, DocLinkMixin, MetaEstimatorMixin, BaseEstimator
):
    r"""AdaBoost: learners one after another, each for what the former got wrong.

    Every round fits a learner to weighted rows. One that errs on the share
    :math:`\epsilon` of the weight has the vote

    .. math:: \alpha = \tfrac12 \ln\frac{1 - \epsilon}{\epsilon}
        \;\left[ + \tfrac12 \ln(K - 1) \right],

    the bracket with `algorithm` "samme" and K classes. Weights are multiplied by
    :math:`e^{\alpha}` where it was wrong and :math:`e^{-\alpha}` where it was right,
    and the class with most votes is the answer. A round that is no better than the
    limit sets all weights back to where they began, and is repeated.

    Parameters
    ----------
    estimator : classifier, default=None
        What is boosted. By default stumps, trees of one split: numbers are binned once,
        categories are split one from the rest, missing cells go to the better side, so
        that any table will do. For deeper trees, or anything else, give a classifier
        (missing cells and strings are then up to it).

    n_estimators : int, default=50
        Rounds, at most.

    learning_rate : float, default=1.0
        Factor of each α, in the votes and in the weights: at most 100, and hardly ever
        more than 1.

    algorithm : {"samme", "m1"}, default="samme"
        With more than two classes: "samme" asks of a round to be better than guessing,
        :math:`\epsilon < 1 - 1/K`; "m1" for :math:`\epsilon < 1/2`.

    weighting : {"reweight", "resample"}, default="reweight"
        "reweight": learners are fitted with ``sample_weight``. "resample": to as many
        rows, drawn by their weights. Learners that take no weights are resampled in
        either case, with a warning.

    on_weak_round : {"reset", "stop", "raise"}, default="reset"
        What happens where a round is not below the limit: weights are set back and the
        round is repeated; boosting ends; a ValueError is raised. A learner without
        chance in it would only repeat its rounds after a reset, so it ends with a
        warning.

    max_resets : int, default=10
        Resets in a row that end boosting with a warning.

    criterion : {"error", "gini"}, default="error"
        What a stump's split makes small: the weight that it errs on, or the Gini
        impurity of its sides, as scikit-learn's trees do.

    max_bins : int or "auto", default="auto"
        Bins of a column of numbers, from 2 to 255: all distinct values, or quantiles
        where there are more. "auto" is 255, but up to 16 384 rows (or a sum of weights
        of that) each value has a bin, so that no split is passed over. Of categories,
        the 254 with most weight are split off.

    n_iter_no_change : int, default=None
        If so many rounds do not lower the error on rows that are held out, boosting
        ends, and the rounds after the best are forgotten.

    validation_fraction : float, default=0.1
        Part of the rows of each class that is held out for that, at most one half. The
        order of the rows does not count.

    warm_start : bool, default=False
        Whether `fit` adds rounds to those there are.

    verbose : bool, default=False
        Whether a progress bar is shown.

    random_state : int, RandomState instance or None, default=None
        Draws rows with "resample", and seeds learners that have a ``random_state``.

    n_jobs : int, default=None
        Threads for stumps. Other learners have their own ``n_jobs``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_classes_ : int
        Their number.
    estimators_ : list
        The learners; stumps tell what they say when printed. Where no round was below
        the limit, there is one that says the most frequent class.
    estimator_weights_ : ndarray of shape (n_rounds,)
        Their votes α, half of scikit-learn's. A learner without an error ends boosting
        and decides alone: its vote is more than those of all others together.
    estimator_errors_ : ndarray of shape (n_rounds,)
        Their weighted errors ε.
    error_bounds_ : ndarray of shape (n_rounds,)
        What the weighted error of the committee on the rows it has learnt from cannot
        exceed after each round: for two classes
        :math:`\prod_t 2\sqrt{\epsilon_t (1 - \epsilon_t)}`. NaN after a reset.
    n_resets_ : int
        How often weights were set back.
    validation_errors_ : ndarray
        Error on the rows held out after each round, with `n_iter_no_change`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Mean of the learners' importances, weighted by votes; a stump's are 1 for its
        column.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    References
    ----------
    Y. Freund, R. E. Schapire (1997), "A decision-theoretic generalization of on-line
    learning and an application to boosting", Journal of Computer and System Sciences
    55. J. Zhu, H. Zou, S. Rosset, T. Hastie (2009), "Multi-class AdaBoost", Statistics
    and Its Interface 2.

    Examples
    --------
    Of four rows the first stump gets one wrong, α = ½ ln 3, and that row then has half
    of the weight, each other a sixth. The second one errs on a sixth, α = ½ ln 5:

    >>> from sklearn_bayeslazy import MyAdaBoost
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"]
    >>> model = MyAdaBoost(n_estimators=3).fit(X, y)
    >>> model.estimator_errors_.round(4)  # 1/4, 1/6, 1/5
    array([0.25  , 0.1667, 0.2   ])
    >>> print(*model.estimators_, sep="; ")
    a if x0 < 1.5 else b; b if x0 < 3.5 or missing else a; always a
    >>> model.predict(X)
    array(['a', 'b', 'b', 'a'], dtype='<U1')
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 1e-10, 100, closed="both")],
        "algorithm": [StrOptions({"samme", "m1"})],
        "weighting": [StrOptions({"reweight", "resample"})],
        "on_weak_round": [StrOptions({"reset", "stop", "raise"})],
        "max_resets": [Interval(Integral, 0, None, closed="left")],
        "criterion": [StrOptions({"error", "gini"})],
        "max_bins": [Interval(Integral, 2, 255, closed="both"), StrOptions({"auto"})],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 0.5, closed="right")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=50,
        learning_rate=1.0,
        algorithm="samme",
        weighting="reweight",
        on_weak_round="reset",
        max_resets=10,
        criterion="error",
        max_bins="auto",
        n_iter_no_change=None,
        validation_fraction=0.1,
        warm_start=False,
        verbose=False,
        random_state=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.algorithm = algorithm
        self.weighting = weighting
        self.on_weak_round = on_weak_round
        self.max_resets = max_resets
        self.criterion = criterion
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, **params):
        """Boost.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Numbers and labels, with holes; or rows and columns as `estimator` takes
            them.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: a row of weight 2 is two rows, except for what is drawn with
            "resample".
        **params : dict
            More arguments for the fit of `estimator`, by scikit-learn's metadata
            routing.

        Returns
        -------
        self : MyAdaBoost

        Raises
        ------
        ValueError
            Where a parameter cannot be used, or a round is weak and `on_weak_round` is
            "raise".

        Warns
        -----
        ConvergenceWarning
            Where boosting ends before `n_estimators` rounds because one is weak.
        """
        require_targets(self, y)
        with all_or_nothing(self):
            self._fit(X, y, sample_weight, params)
        return self

    def _fit(self, X, y, sample_weight, params):
        former = self._former()
        X = check_table(
            self, X, y, reset=former is None, accept_sparse=self.estimator is not None
        )
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        params = self._routed(params)
        kept, weight = kept_rows(sample_weight, len(y))
        params = check_method_params(X, params, kept)
        if kept is not None:
            X, y = take_rows(X, kept), y[kept]
        self.classes_, codes = encode_classes(
            y,
            None if former is None else self.classes_,
            "With warm_start classes stay what they were.",
        )
        rows = Rows(X, y, codes, weight, params)
        self.n_classes_ = len(self.classes_)
        self._boosts_stumps = self.estimator is None
        self._committee = Committee() if former is None else former
        if former is None or self.n_iter_no_change is None:
            vars(self).pop("validation_errors_", None)  # of a former fit
        if self._committee.is_faultless:
            warn(
                "The last round erred nowhere and decides alone, so none is added.",
                UserWarning,
                stacklevel=2,
            )
        elif self.n_classes_ > 1:
            self._boost(rows)
        self._finish(rows)

    def _former(self):
        """Return a copy of the committee that rounds are added to, None at first."""
        if not self.warm_start or not hasattr(self, "_committee"):
            return None
        if self._boosts_stumps != (self.estimator is None):
            raise ValueError(
                f"estimator={self.estimator!r} is of another kind than what was boosted"
                " before: with warm_start it must stay as it was."
            )
        n_rounds = len(self._committee.members)
        if self.n_estimators < n_rounds:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least {n_rounds}, the "
                "number of rounds there are, with warm_start."
            )
        if self.n_estimators == n_rounds:
            warn(
                f"n_estimators={self.n_estimators} rounds have been boosted before: "
                "raise it to add some.",
                UserWarning,
                stacklevel=2,
            )
        return self._committee.copy()

    def _routed(self, params):
        """Return the arguments that are the estimator's own."""
        if not params:
            return {}
        if not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"{sorted(params)} are no arguments of fit. Is a name misspelt? For "
                "the estimator's own set sklearn.set_config("
                "enable_metadata_routing=True), and let it request them."
            )
        if self.estimator is None:
            raise TypeError(f"Stumps take no {sorted(params)}: give an estimator.")
        return process_routing(self, "fit", **params).estimator.fit

    def get_metadata_routing(self):
        """Return which metadata go where.

        Returns
        -------
        MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if self.estimator is not None:
            mapping = MethodMapping().add(caller="fit", callee="fit")
            router.add(estimator=self.estimator, method_mapping=mapping)
        return router

    def _boost(self, rows):
        """Add rounds to the committee."""
        committee, held_out = self._committee, None
        if self.n_iter_no_change is not None:
            rows, held_out = self._hold_out(rows)
        learner = self._learner(rows)
        n_former = len(committee.members)
        if n_former:
            self._resume(learner, rows)
        if held_out:
            for member, alpha in zip(committee.members, committee.votes):
                held_out(member, alpha)
        rng = check_random_state(self.random_state)
        rules = Rules(
            self.n_classes_,
            rows.weight.sum(),
            self.learning_rate,
            self.algorithm,
            self.on_weak_round,
            self.max_resets,
        )
        rounds = range(n_former, self.n_estimators)
        bar = tqdm(rounds, desc="boost", unit="round", disable=not self.verbose)
        boost(learner, committee, bar, rules, rng, held_out)
        if held_out:
            self.validation_errors_ = np.array(held_out.errors)
            committee.keep(held_out.n_best)

    def _hold_out(self, rows):
        """Return the rows to learn from, and those that judge each round."""
        fraction = self.validation_fraction
        share = held_out_shares(rows.X, rows.codes, rows.weight, fraction)
        parts = []
        for weight in rows.weight * (1.0 - share), rows.weight * share:
            kept = np.flatnonzero(weight)
            if not len(kept):
                raise ValueError(
                    f"validation_fraction={fraction} of {len(share)} rows is less than"
                    " a row of any class: raise it, or leave out n_iter_no_change."
                )
            parts.append(rows.take(kept, weight[kept]))
        return parts[0], _HeldOut(self, parts[1])

    def _learner(self, rows):
        """Return what fits the members."""
        resample = self.weighting == "resample"
        if self._boosts_stumps:
            settings = self.criterion, self.max_bins, self.n_jobs
            return StumpLearner(rows, self.classes_, resample, self._names(), *settings)
        resample = resample or not can_weigh(self.estimator)
        return AnyLearner(rows, self.classes_, resample, self.estimator)

    def _names(self):
        """Return how stumps call the columns."""
        numbered = [f"x{j}" for j in range(self.n_features_in_)]
        return list(getattr(self, "feature_names_in_", numbered))

    def _resume(self, learner, rows):
        """Set the weights to what the rounds since the last reset have made of them."""
        committee = self._committee
        members = committee.members[committee.first :]
        votes = committee.votes[committee.first :]
        log_weight = np.zeros(len(rows.codes))
        for alpha, said in zip(votes, self._answers(members, self._prepared(rows.X))):
            log_weight += np.where(said == rows.codes, -alpha, alpha)
        learner.restart(log_weight)

    def _finish(self, rows):
        """Write the attributes."""
        committee = self._committee
        if not committee.members:
            committee = self._constant(rows)
        self.estimators_ = committee.members
        self.estimator_weights_ = np.array(committee.votes)
        self.estimator_errors_ = np.array(committee.errors)
        self.error_bounds_ = committee.error_bounds()
        self.n_resets_ = committee.n_resets
        if self._boosts_stumps:
            self._stumps = StumpArrays(self.estimators_, self.classes_)

    def _constant(self, rows):
        """Return the committee of one that says the most frequent class."""
        mass = np.bincount(rows.codes, rows.weight)
        label = self.classes_.tolist()[np.argmax(mass)]
        error, alpha = 0.0, 1.0
        if self.n_classes_ > 1:
            others = np.delete(mass, np.argmax(mass)).sum()
            error = max(others / mass.sum(), LEAST_ERROR)
            alpha = max(vote(error, self.n_classes_), 0.0)
            warn(
                "No round was better than guessing, so all rows are given the most "
                f"frequent class, {label!r}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        if self._boosts_stumps:
            member = Stump.constant(self._names()[0], label)
        else:
            member = DummyClassifier().fit(rows.X, rows.y, rows.weight)
        constant = Committee(n_resets=self._committee.n_resets)
        constant.add(member, alpha, error)
        return constant

    def _prepared(self, X):
        """Return rows as members are asked about them: stumps read a table once."""
        return read_table(X) if self._boosts_stumps else X

    def _answers(self, members, X):
        """Yield the codes of the classes that each of some members says."""
        if self._boosts_stumps:
            for member in members:
                stump = StumpArrays([member], self.classes_)
                yield stump.votes(X, np.ones(1), self.n_jobs).argmax(axis=1)
        else:
            for member in members:
                name = type(member).__name__
                answer = member.predict(X)
                yield label_codes(answer, self.classes_, X.shape[0], name)

    def _check(self, X):
        check_is_fitted(self)
        return check_table(self, X, reset=False, accept_sparse=not self._boosts_stumps)

    def _votes(self, X):
        """Return the votes for each class, of shape (n_samples, n_classes)."""
        X = self._check(X)
        if self._boosts_stumps:
            weights = self.estimator_weights_
            return self._stumps.votes(read_table(X), weights, self.n_jobs)
        *_, votes = self._staged_votes(X)
        return votes

    def _staged_votes(self, X):
        """Yield the votes after each round, always in the same array."""
        X = self._check(X)
        votes = np.zeros((X.shape[0], self.n_classes_))
        every = np.arange(len(votes))
        answers = self._answers(self.estimators_, self._prepared(X))
        for alpha, said in zip(self.estimator_weights_, answers):
            votes[every, said] += alpha
            yield votes

    @property
    def feature_importances_(self):
        """Mean of the learners' importances, weighted by votes."""
        check_is_fitted(self)
        weights = self.estimator_weights_
        if self._boosts_stumps:
            columns = [stump.feature for stump in self.estimators_]
            asks = [not stump.is_constant for stump in self.estimators_]
            found = np.bincount(columns, weights * asks, self.n_features_in_)
        else:
            found = sum(
                weight * member.feature_importances_
                for weight, member in zip(weights, self.estimators_)
                if not isinstance(member, DummyClassifier)  # from rows of one class
            )
        return found / (weights.sum() or 1.0)

    def __sklearn_tags__(self):
        """Return the tags: rows may be what stumps take, or the estimator."""
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            for name in ("allow_nan", "categorical", "string"):
                setattr(tags.input_tags, name, True)
            return tags
        return take_what_all_take(tags, [self.estimator])


class _HeldOut:
    """Rows that a committee is judged by while it grows."""

    def __init__(self, model, rows):
        self._model, self._rows = model, rows
        self._X = model._prepared(rows.X)
        self._votes = np.zeros((len(rows.codes), model.n_classes_))
        self.errors = []

    def __call__(self, member, alpha):
        """Let a member vote; tell whether the error has not fallen for long enough."""
        (said,) = self._model._answers([member], self._X)
        self._votes[np.arange(len(said)), said] += alpha
        wrong = self._votes.argmax(axis=1) != self._rows.codes
        self.errors.append(np.average(wrong, weights=self._rows.weight))
        return len(self.errors) - self.n_best >= self._model.n_iter_no_change

    @property
    def n_best(self):
        """How many members err least."""
        return int(np.argmin(self.errors)) + 1 if self.errors else 0
