"""MyAdaBoost: AdaBoost on any table, with a reset of the weights at weak rounds."""

from numbers import Integral, Real

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._core._arrays import kept_rows, take_kept, without_weight_request
from .._core._compat import (
    CallbackSupportMixin,
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
)
from .._core._estimator import (
    DocLinkMixin,
    LeftOutScoreMixin,
    accepting_any_table,
    all_or_nothing,
    names_of_columns,
    require_targets,
)
from .._core._fit_tasks import FitTasks
from .._core._warnings import warn_caller
from ..explain import Cells, Explanation
from ..leave_one_out import PredictionSetMixin
from ..tabular import (
    CLASS_WEIGHTS,
    check_table,
    encode_classes,
    number_copies,
    read_table,
    take_rows,
    times_class_weight,
)
from ._boosted_members import (
    ClassifierMembers,
    MHStumpMembers,
    StumpMembers,
    TreeMembers,
)
from ._boosting import BoostingState, boost, with_progress
from ._explanations import explain_members
from ._held_out_rows import ValidationError, held_out_shares, split_off_validation_rows
from ._predicted_labels import restrict_input_tags
from ._reweighting import CONFIDENCE_RATED, TREE_ALGORITHMS, number_of_rows
from ._stumps import (
    TREE_CONSTRAINTS,
    CrossFittedLoss,
    MHStumpLearner,
    StumpLearner,
    TreeLearner,
)
from ._weak_learners import ClassifierLearner, check_training_rows

_AUTO = StrOptions({"auto"})


class MyAdaBoost(
    CallbackSupportMixin,
    LeftOutScoreMixin,
    PredictionSetMixin,
    ClassifierMixin,
    DocLinkMixin,
    MetaEstimatorMixin,
    BaseEstimator,
):
    r"""AdaBoost: each weak learner is fitted to the errors of the ones before it.

    AdaBoost as first published is ``MyAdaBoost(max_depth=1, algorithm="samme",
    criterion="error", n_estimators=50)``: it boosts stumps, trees of one split. By
    default trees of depth 6 are boosted by real AdaBoost, which needs no estimate of
    the errors of members: other folds choose the number of rounds and calibrate the
    probabilities.

    A row has for each class the weight :math:`\min(e^{-yF}, 1)` times its sample
    weight, where F is the sum of the votes for the class and y is 1 for rows of the
    class and -1 for all others. A round fits a tree to y for each class, or for the
    second of two, by weighted least squares. A leaf with the weights p of y = 1 and q
    of y = -1 votes

    .. math:: \nu\, \tfrac12 \ln \frac{p + 1/2}{q + 1/2} \;\text{("real")}, \qquad
        \nu\, \frac{p - q}{p + q} \;\text{("gentle")},

    where :math:`\nu` is `learning_rate` and all weights sum to the number of rows. The
    first member votes half the log odds of the class for all rows. Missing cells go to
    the better side. The categories of a column are ordered by their means of y, and
    split as numbers are; for each category beyond the second, the score is less by what
    chance gives, 2/π times the mean of the factors :math:`e^{-yF}` of the weights;
    unseen ones go where missing cells go.

    Every round of the other algorithms fits a member to weighted rows. A member with
    the weighted error :math:`\epsilon` has a vote of weight

    .. math:: \alpha = \tfrac12 \ln\frac{1 - \epsilon}{\epsilon}
        \;\left[ + \tfrac12 \ln(K - 1) \right],

    where the bracket is for `algorithm` "samme" with K classes. The weights of the rows
    that it misclassifies are multiplied by :math:`e^{\alpha}`, all others by
    :math:`e^{-\alpha}`. The ensemble predicts the class with most votes. If the error
    of a round is not below the limit, the weights are reset to their initial values and
    the round is repeated. Members after a reset are added as long as their votes reduce
    the exponential loss of the whole ensemble.

    AdaBoost.MH has a weight for each row and class. Let :math:`W_+^b(c)` be the total
    weight for class c of the rows of that class on side b of a split, and
    :math:`W_-^b(c)` that of all other rows. The side votes

    .. math:: h_b(c) = \tfrac12 \ln
        \frac{W_+^b(c) + \varepsilon}{W_-^b(c) + \varepsilon},
        \quad \varepsilon = 1/n,

    and the split minimises :math:`Z = 2 \sum_{b,c} \sqrt{W_+^b(c) W_-^b(c)}`. Missing
    cells are a third side. The weight for the class of a row is multiplied by
    :math:`e^{-h}`, those for the other classes by :math:`e^{h}`, and the class with the
    largest sum of votes is predicted.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. By default trees or stumps, which take any table: numbers are
        binned once. A stump splits one category from all others, and its missing cells
        go to the better side, or with "mh" to a third. A classifier gets the rows
        unchanged, missing cells and strings included.

    n_estimators : int or "auto", default="auto"
        The largest number of rounds. "auto": 300 for trees, of which `n_folds` chooses
        how many are kept; otherwise 50.

    learning_rate : float or "auto", default="auto"
        Factor of each vote, in the sums and in the weights: at most 100. Values above 1
        are seldom useful. After many rounds, smaller values give better probabilities.
        "auto": .1 for trees, otherwise 1.

    algorithm : {"auto", "real", "gentle", "mh", "samme", "m1"}, default="auto"
        "real" and "gentle" boost trees. "mh": AdaBoost.MH, for stumps that are fitted
        by weights. "samme" and "m1" boost any classifier and differ in the error limit
        with K classes: "samme" requires a member that is better than guessing,
        :math:`\epsilon < 1 - 1/K`; "m1" requires :math:`\epsilon < 1/2`. "auto":
        "samme" if `estimator` is given or `weighting` is "resample"; with
        ``max_depth=1`` "mh" for more than two classes and "samme" for two; otherwise
        "real".

    max_depth : int or "auto", default="auto"
        The depth of trees, from 1 to 12; "auto" is 6. 1 means stumps unless `algorithm`
        is "real" or "gentle".

    min_leaf_weight : float, default=10
        The least weight of a leaf of a tree, in units of the median weight of a row
        (:ref:`weights-and-copies`); at most a tenth of all.

    max_features : float, default=1.0
        The share of the columns, drawn in each round, that trees may split.

    max_weight : float or None, default=1.0
        The largest :math:`e^{-yF}` of a row for trees. None is AdaBoost without a
        limit, in which a few rows with wrong labels can have most of the weight. With 1
        all rows that are misclassified have their sample weights (Domingo & Watanabe
        2000).

    weight_trimming : float, default=0.0
        The share of the weight, in the rows of least weight, that a round leaves out
        when it fits trees.

    n_folds : int or None, default=5
        The number of folds of the rows that trees are fitted without, besides those
        fitted to all rows. The log loss on the rows of the folds chooses the number of
        rounds and the temperature. Folds are left out until 3000 rows have been. None:
        `n_estimators` rounds and the temperature 1.

    weighting : {"reweight", "resample"}, default="reweight"
        "reweight": members are fitted with ``sample_weight``. "resample": members are
        fitted to n_samples rows drawn by their weights. Classifiers whose fit takes no
        weights are always resampled, with a warning.

    on_weak_round : {"reset", "stop", "raise"}, default="reset"
        What to do if the error of a round is not below the limit. "reset": reset the
        weights and repeat the round. "stop": end boosting. "raise": raise a ValueError.
        After a reset, boosting ends at the first vote that would not reduce the
        exponential loss of the whole ensemble, which with two classes bounds the
        training error. A deterministic learner would repeat the same rounds, so
        boosting ends with a warning. With "mh" boosting ends where no split reduces Z.

    max_resets : int, default=10
        After this number of resets in a row boosting ends with a warning.

    criterion : {"error", "gini"}, default="gini"
        What the split of a stump minimises: the misclassified weight, or the Gini
        impurity of the two sides as in scikit-learn's trees. "mh" minimises Z instead.

    max_bins : int or "auto", default="auto"
        The largest number of bins of a numeric column for stumps, from 2 to 255. Each
        distinct value has a bin, or bins are quantiles if there are more values. "auto"
        is 255; but except for "mh", up to 16 384 rows (or that sum of weights) each
        value has a bin, so that no split is lost. Of the categories of a column only
        the 254 of largest weight are split from the others.

    n_iter_no_change : int, default=None
        If this number of rounds does not reduce the error on held-out rows, boosting
        ends, and the rounds after the best one are removed. With trees the log loss on
        the rows of other folds, and None is 50.

    validation_fraction : float, default=0.1
        The fraction of the rows of each class that is held out for `n_iter_no_change`,
        at most one half. It does not depend on the order of the rows. Not for trees.

    warm_start : bool, default=False
        Whether `fit` adds rounds to those of the former fit; with trees for
        ``n_folds=None`` only.

    verbose : bool, default=False
        Whether to show a progress bar.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same.

    random_state : int, RandomState instance or None, default=None
        Draws rows with "resample" and columns with `max_features`, and seeds every
        ``random_state`` of `estimator`.

    n_jobs : int, default=None
        Number of threads for stumps, and for the trees of classes and folds.
        Classifiers use the ``n_jobs`` given to them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_classes_ : int
        Number of classes.
    algorithm_ : str
        `algorithm`, with "auto" replaced by what was used.
    estimators_ : list
        The members. Stumps print as their rule. With trees each member has one for
        each class, or for the second of two. If no round was below the limit, the only
        member predicts the most frequent class.
    estimator_weights_ : ndarray of shape (n_rounds,)
        The weights α of the votes, half of scikit-learn's. A member without a training
        error ends boosting: its weight is larger than the sum of all others. With "mh"
        and trees all are `learning_rate`, because votes differ in size; that of the
        first member of trees is 1.
    estimator_errors_ : ndarray of shape (n_rounds,)
        The weighted errors ε. With "mh" and trees: the total weight
        :math:`e^{-yF}` of the pairs of a row and a class on which the member votes for
        the wrong side.
    error_bounds_ : ndarray of shape (n_rounds,)
        Upper bounds of the weighted training error of the ensemble after each round,
        for two classes :math:`\prod_t 2\sqrt{\epsilon_t (1 - \epsilon_t)}` before the
        first reset. With "mh" and trees :math:`\tfrac K2 \prod_t Z_t`, where
        :math:`Z_t` is the factor by which round t changes the total weight;
        :math:`\prod_t Z_t` bounds the Hamming loss, the share of wrong signs among all
        scores.
    n_resets_ : int
        How often the weights were reset.
    temperature_ : float
        What the sums of votes are divided by before they become probabilities: that of
        the least log loss on rows of other folds; without `n_folds` 1.
    validation_errors_ : ndarray
        The error on the held-out rows after each round, with `n_iter_no_change`. With
        trees the log loss on the rows of other folds, with `n_folds`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Mean of the members' importances, weighted by their votes; that of a stump is 1
        for its column. With "mh": each column's share in the decrease of the logarithm
        of the bound. With trees: its share in the decrease of the sums of squares.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    References
    ----------
    Y. Freund, R. E. Schapire (1997), "A decision-theoretic generalization of on-line
    learning and an application to boosting", Journal of Computer and System Sciences
    55. C. Domingo, O. Watanabe (2000), "MadaBoost: a modification of AdaBoost",
    Conference on Computational Learning Theory. J. Friedman, T. Hastie, R. Tibshirani
    (2000), "Additive logistic regression: a statistical view of boosting", Annals of
    Statistics 28. R. E. Schapire, Y. Singer (1999), "Improved boosting algorithms using
    confidence-rated predictions", Machine Learning 37. J. Zhu, H. Zou, S. Rosset, T.
    Hastie (2009), "Multi-class AdaBoost", Statistics and Its Interface 2.

    Examples
    --------
    The first stump misclassifies one of four rows, so α = ½ ln 3. That row then has
    half of the weight, each other row a sixth. The second stump errs on a sixth, so
    α = ½ ln 5:

    >>> from sklearn_bayeslazy import MyAdaBoost
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"]
    >>> model = MyAdaBoost(max_depth=1, n_estimators=3).fit(X, y)
    >>> model.estimator_errors_.round(4)  # 1/4, 1/6, 1/5
    array([0.25  , 0.1667, 0.2   ])
    >>> print(*model.estimators_, sep="; ")
    a if x0 < 1.5 else b; b if x0 < 3.5 or missing else a; always a
    >>> model.predict(X)
    array(['a', 'b', 'b', 'a'], dtype='<U1')

    Of trees the first member votes by the shares of the classes. Here they are equal,
    so it votes 0, and all weights are 1. The second member is a tree, whose left leaf
    has 15 rows of class b and 5 of class a: it votes ½ ln (15.5 : 5.5) for b.

    >>> X, y = [[0.0]] * 20 + [[1.0]] * 20, list("b" * 15 + "a" * 20 + "b" * 5)
    >>> model = MyAdaBoost(n_estimators=2, learning_rate=1, n_folds=None).fit(X, y)
    >>> model.predict_proba([[0.0]]).round(3)  # 5.5/21 and 15.5/21
    array([[0.262, 0.738]])

    With three classes all twelve pairs begin with the weight 1/12, and ε = 1/4. On the
    left two pairs are for a and none against it: the vote is ½ ln (5/12 : 3/12) = .26.

    >>> model = MyAdaBoost(max_depth=1, n_estimators=1)
    >>> model = model.fit([[0], [0], [1], [1]], list("aabc"))
    >>> print(*model.estimators_)
    (a 0.2554, b -0.2554, c -0.2554) if x0 < 0.5 else (a -0.2554, b 0, c 0)
    """

    _parameter_constraints = {
        **TREE_CONSTRAINTS,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), _AUTO],
        "learning_rate": [Interval(Real, 1e-10, 100, closed="both"), _AUTO],
        "algorithm": [StrOptions({"auto", "gentle", "real", "mh", "samme", "m1"})],
        "max_weight": [Interval(Real, 0, None, closed="neither"), None],
        "weight_trimming": [Interval(Real, 0, 1, closed="left")],
        "weighting": [StrOptions({"reweight", "resample"})],
        "on_weak_round": [StrOptions({"reset", "stop", "raise"})],
        "max_resets": [Interval(Integral, 0, None, closed="left")],
        "criterion": [StrOptions({"error", "gini"})],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 0.5, closed="right")],
        "warm_start": ["boolean"],
        "class_weight": CLASS_WEIGHTS,
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators: int | str = "auto",
        learning_rate: float | str = "auto",
        algorithm="auto",
        max_depth: int | str = "auto",
        min_leaf_weight=10.0,
        max_features=1.0,
        max_weight=1.0,
        weight_trimming=0.0,
        n_folds=5,
        weighting="reweight",
        on_weak_round="reset",
        max_resets=10,
        criterion="gini",
        max_bins: str | int = "auto",
        n_iter_no_change=None,
        validation_fraction=0.1,
        warm_start=False,
        verbose=False,
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.algorithm = algorithm
        self.max_depth = max_depth
        self.min_leaf_weight = min_leaf_weight
        self.max_features = max_features
        self.max_weight = max_weight
        self.weight_trimming = weight_trimming
        self.n_folds = n_folds
        self.weighting = weighting
        self.on_weak_round = on_weak_round
        self.max_resets = max_resets
        self.criterion = criterion
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.verbose = verbose
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, **params):
        """Fit the members round by round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Numbers and strings, possibly with missing cells; or whatever `estimator`
            takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for the rows that
            "resample" draws, and for copies of rows of symbols
            (:ref:`weights-and-copies`).
        **params : dict
            Further arguments for the fit of `estimator`, by scikit-learn's metadata
            routing. Members get the weights of their round, never those of the caller.

        Returns
        -------
        self : MyAdaBoost

        Raises
        ------
        ValueError
            If a parameter is invalid, or a round is weak and `on_weak_round` is
            "raise".

        Warns
        -----
        ConvergenceWarning
            If a weak round ends boosting before `n_estimators` rounds.
        """
        require_targets(self, y)
        self._check_algorithm()
        # Outside of the block, because scikit-learn ends callbacks after a failed fit.
        tasks = FitTasks(self, X, y, sample_weight, self._n_rounds)
        with all_or_nothing(self):
            state = self._state_to_continue()
            classes = None if state is None else self.classes_
            self.classes_, rows, self._rows_given = check_training_rows(
                self, X, y, sample_weight, params, classes
            )
            self.n_classes_ = len(self.classes_)
            self.algorithm_ = self._chosen_algorithm()
            self._left_out = None
            if state is None or self.n_iter_no_change is None:
                vars(self).pop("validation_errors_", None)  # of a former fit
            self._state = BoostingState() if state is None else state
            if self._state.has_perfect_member:
                warn_caller(
                    "The last member made no training error and outvotes all others, "
                    "so no round is added.",
                )
            elif self.n_classes_ > 1:
                is_weighted = not (sample_weight is None and self.class_weight is None)
                self._add_rounds(rows, tasks, is_weighted)
            self._set_members(rows)
            tasks.end_fit()
        return self

    @property
    def _boosts_trees(self):
        """Whether members are trees by least squares, which parameters alone decide."""
        if self.algorithm != "auto":
            return self.algorithm in TREE_ALGORITHMS
        is_own = self.estimator is None and self.weighting == "reweight"
        return is_own and self.max_depth != 1

    @property
    def _n_rounds(self):
        """The largest number of rounds: `n_estimators`, with "auto" replaced."""
        if self.n_estimators != "auto":
            return self.n_estimators
        return 300 if self._boosts_trees else 50

    def _check_algorithm(self):
        """Raise an error for parameters that `algorithm` does not support."""
        algorithm = self.algorithm
        if algorithm in CONFIDENCE_RATED and self.estimator is not None:
            raise ValueError(
                f'algorithm="{algorithm}" boosts its own trees, which vote for and '
                f"against each class, but estimator={self.estimator!r}: set "
                'estimator=None, or algorithm="samme" or "auto".'
            )
        if algorithm in CONFIDENCE_RATED and self.weighting == "resample":
            raise ValueError(
                f'algorithm="{algorithm}" has a weight for each row and class, so it '
                'cannot draw rows by their weights: set weighting="reweight", or '
                'algorithm="samme" or "auto".'
            )
        if not self._boosts_trees and self.max_depth not in (1, "auto"):
            raise ValueError(
                f"max_depth={self.max_depth} is for boosting of trees: set algorithm="
                '"gentle" or "real", or estimator=DecisionTreeClassifier(max_depth='
                f"{self.max_depth})."
            )

    def _chosen_algorithm(self):
        """Return `algorithm`, with "auto" replaced by what it stands for."""
        if self.algorithm != "auto":
            return self.algorithm
        if self._boosts_trees:
            return "real"
        can_do_mh = self.estimator is None and self.weighting == "reweight"
        return "mh" if can_do_mh and self.n_classes_ > 2 else "samme"

    def _member_type(self):
        """Return the class that holds the members: stumps, trees or classifiers."""
        if self.estimator is not None:
            return ClassifierMembers
        if self.algorithm_ in TREE_ALGORITHMS and self.n_classes_ > 1:
            return TreeMembers
        is_rated = self.algorithm_ in CONFIDENCE_RATED  # or there is one class
        return MHStumpMembers if is_rated else StumpMembers

    def _state_to_continue(self):
        """Return a copy of the former state with warm_start, otherwise None."""
        if not self.warm_start or not hasattr(self, "_state"):
            return None
        if isinstance(self._members, ClassifierMembers) == (self.estimator is None):
            raise ValueError(
                f"estimator={self.estimator!r} does not match the former fit: with "
                "warm_start=True, boost stumps (estimator=None) in all fits, or a "
                "classifier in all fits."
            )
        if self._chosen_algorithm() != self.algorithm_:
            raise ValueError(
                f"algorithm={self.algorithm!r} does not match the former fit, which "
                f"used {self.algorithm_!r}: with warm_start=True, use the same in all "
                "fits."
            )
        if self._boosts_trees and self.n_folds is not None:
            raise ValueError(
                "The trees that are fitted without each fold are not kept, so "
                "warm_start=True cannot add rounds: set n_folds=None in all fits."
            )
        self._state.check_can_grow(self._n_rounds)
        return self._state.copy()

    def _add_rounds(self, rows, tasks, is_weighted):
        """Add members to the state until `n_estimators` or the end of boosting."""
        state, validation = self._state, None
        rows_per_weight = number_of_rows(rows.weight) / rows.weight.sum()
        if self.n_iter_no_change is not None and not self._boosts_trees:
            rows, held_out = split_off_validation_rows(rows, self.validation_fraction)
            validation = ValidationError(held_out, self._member_type(), self)

        def set_members_so_far(model):
            model._state = state.copy()
            if validation:
                model._state.temperature = validation.temperature
            model._set_members(rows)

        learner = self._weak_learner(rows, rows_per_weight * rows.weight.sum())
        if self._boosts_trees and learner.grower.held_out:
            validation = CrossFittedLoss(learner, rows, self.n_iter_no_change)
        weight = rows.weight if is_weighted else None
        tasks.set_task_data(rows.X, rows.y, weight)

        def end_round(member, alpha):
            stop = validation and validation.add(member, alpha)
            return tasks.end(set_members_so_far) or stop

        n_former = len(state.members)
        if n_former:
            self._replay(learner, rows)
        if validation:
            for member, alpha in zip(state.members, state.alphas):
                validation.add(member, alpha)
        rounds = with_progress(range(n_former, self._n_rounds), self.verbose)
        boost(learner, state, rounds, self, tasks, end_round)
        if validation:
            self.validation_errors_ = np.array(validation.errors)
            state.truncate(validation.n_best)
            state.temperature = validation.temperature
            if self._boosts_trees:
                self._left_out = validation.left_out_proba(), rows

    def _weak_learner(self, rows, n_rows):
        """Return the weak learner, which holds the weights of the rows."""
        if self.estimator is not None:
            return ClassifierLearner(rows, self)
        if self._boosts_trees:
            former = self._state.members[0] if self._state.members else None
            return TreeLearner(rows, self, former)
        if self.algorithm_ == "mh":
            return MHStumpLearner(rows, self, n_rows)
        return StumpLearner(rows, self)

    def _replay(self, learner, rows):
        """Set the weights to those after the rounds of the former fit."""
        state, members = self._state, self._members
        if self.algorithm_ in CONFIDENCE_RATED:
            learner.restart(members.votes(rows.X, self.n_jobs))
            return
        X = members.read(rows.X)

        def log_factor(first):
            factor = np.zeros(len(rows.codes))
            for alpha, member in zip(state.alphas[first:], state.members[first:]):
                votes = members.votes_of(member, X, self.classes_, self.n_jobs)
                is_right = votes.argmax(axis=1) == rows.codes
                factor += np.where(is_right, -alpha, alpha)
            return factor

        if state.n_resets:
            learner.log_ensemble_factor = log_factor(0)
        learner.restart(log_factor(state.first_since_reset))

    def _set_members(self, rows):
        """Set the fitted attributes from the state, or from one constant member."""
        state = self._state if self._state.members else self._constant_state(rows)
        self.estimator_weights_ = np.array(state.alphas)
        self.estimator_errors_ = np.array(state.errors)
        # A row that AdaBoost.MH misclassifies counts for two of its K pairs at least.
        is_rated = self.algorithm_ in CONFIDENCE_RATED
        pairs = self.n_classes_ / 2 if is_rated else 1.0
        self.error_bounds_ = state.error_bounds(pairs)
        self.n_resets_, self.temperature_ = state.n_resets, state.temperature
        self._members = self._member_type()(state, self.classes_)
        state.members = self._members.members

    def _constant_state(self, rows):
        """Return a state with one member that predicts the most frequent class."""
        class_weight = np.bincount(rows.codes, rows.weight, self.n_classes_)
        if self.n_classes_ > 1:
            label = self.classes_.tolist()[np.argmax(class_weight)]
            warn_caller(
                "No round was better than guessing, so the model predicts the most "
                f"frequent class, {label!r}, for every row.",
                ConvergenceWarning,
            )
        state = BoostingState(n_resets=self._state.n_resets)
        vote = self._member_type().constant_vote
        name = names_of_columns(self)[0]
        state.add(*vote(rows, name, self.classes_, class_weight))
        return state

    def _check_rows(self, X):
        check_is_fitted(self)
        accept_sparse = self._members.accept_sparse
        return check_table(self, X, reset=False, accept_sparse=accept_sparse)

    def _votes(self, X):
        """Return the votes for each class, of shape (n_samples, n_classes)."""
        X = self._check_rows(X)  # first, as it raises NotFittedError
        return self._members.votes(X, self.n_jobs)

    def _staged_votes(self, X):
        """Yield the votes after each round, in the same array."""
        X = self._check_rows(X)
        return self._members.staged_votes(X, self.n_jobs)

    def _codes(self, y):
        return encode_classes(y, self.classes_, "Leave those rows out.")[1]

    def decision_function(self, X):
        """Return the mean vote of each row.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: votes for the second less votes for the first, divided by all
            votes, in [-1, 1] (half of scikit-learn's). More classes: each vote counts 1
            for its class and -1 / (n_classes - 1) for the others. With "mh" and trees
            the sum of the votes for each class, or for the second of two.
        """
        votes = self._votes(X)  # first, as it raises NotFittedError
        return self._members.decision_values(votes)

    def staged_decision_function(self, X):
        """Yield the `decision_function` after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for votes in self._staged_votes(X):
            yield self._members.decision_values(votes)

    def predict(self, X):
        """Return the class with most votes; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            None: as in :meth:`predict_proba`; an error if any row was not left out.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if X is None:
            proba = self.predict_proba(None)
            if n_unknown := int(np.isnan(proba[:, 0]).sum()):
                raise ValueError(
                    f"X=None: {n_unknown} of {len(proba)} rows were not left out, for "
                    "which predict_proba(None) has NaN. score(None, y) is that of the "
                    "others."
                )
            return self.classes_[proba.argmax(axis=1)]
        best = self._votes(X).argmax(axis=1)
        return self.classes_[best]

    def staged_predict(self, X):
        """Yield the predicted classes after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for votes in self._staged_votes(X):
            yield self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X):
        r"""Return class probabilities.

        Boosting fits half log odds:
        :math:`P(c \mid x) \propto e^{2 \sum_t \alpha_t [C_t(x) = c]}` (Friedman, Hastie
        & Tibshirani 2000; with more classes Zhu et al. 2009). With "mh" and the sums
        :math:`f_c` of the votes :math:`P(c \mid x) \propto e^{f_c}`, which with two
        classes, where :math:`f_1 = -f_2`, is the same model. After many rounds they
        are overconfident: see :class:`sklearn.calibration.CalibratedClassifierCV`. With
        trees :math:`P(c \mid x) \propto e^{f_c / T}`, with T in `temperature_`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            None: the rows of `fit` that had a weight above 0, each by the trees that
            were grown without its fold (see `n_folds`). NaN for rows of folds that were
            not left out. Saved models do not have them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        if X is None:
            check_is_fitted(self)
            if self._left_out is None:
                raise ValueError(
                    "X=None predicts the rows of the last call of fit by trees grown "
                    "without their folds, which a saved model, one of a single row or "
                    "class, one without n_folds and one without trees do not have. "
                    "Give X. (What prediction_set learns from them is saved once it "
                    "was called.)"
                )
            return self._left_out[0].copy()
        votes = self._votes(X)
        return softmax(self._members.logits(votes), axis=1)

    def _rows_of_fit(self):
        return self._rows_given

    def _left_out_score(self, y, sample_weight):
        proba = self.predict_proba(None)
        known = np.flatnonzero(~np.isnan(proba[:, 0]))
        y, sample_weight = take_kept(known, len(proba), y, sample_weight)
        found = self.classes_[proba[known].argmax(axis=1)]
        return accuracy_score(y, found, sample_weight=sample_weight)

    def _left_out_classes(self):
        _, rows = self._left_out
        table = read_table(rows.X, n_jobs=self.n_jobs)
        copy_of = number_copies(table, rows.codes, rows.weight)
        return rows.codes, rows.weight, copy_of

    def explain(self, X):
        """Return what each column, or each round, adds to the log odds of the classes.

        Boosted stumps vote by one column each, so the votes of all stumps of a column
        are its contribution. In a tree, each split on the path of a row adds to its
        column what the vote of the side would be more than that of the node, if the
        path ended there. So columns that act together share their effect, by the order
        of the splits. Other members are parts by themselves, with the class that they
        vote for as their value.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            Its log odds are those of :meth:`predict_proba`.
        """
        rows = self._check_rows(X)
        if self.estimator is not None:
            return explain_members(self._members, rows, self.n_jobs)
        table, names = self._members.read(rows), names_of_columns(self)
        parts = self._members.votes_by_column(table, self.n_jobs)
        terms, base = map(self._members.logits, parts)
        values = Cells(X, names)
        return Explanation(terms, base, self.classes_, names=names, values=values)

    def staged_predict_proba(self, X):
        """Yield the class probabilities after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for votes in self._staged_votes(X):
            yield softmax(self._members.logits(votes), axis=1)

    def predict_log_proba(self, X):
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            None: as in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if X is None:
            with np.errstate(divide="ignore"):
                return np.log(self.predict_proba(None))
        votes = self._votes(X)
        return log_softmax(self._members.logits(votes), axis=1)

    def staged_score(self, X, y, sample_weight=None):
        """Yield the accuracy after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Yields
        ------
        float
        """
        for predicted in self.staged_predict(X):
            yield accuracy_score(y, predicted, sample_weight=sample_weight)

    def margins(self, X, y):
        """Return the margin of each row.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The true classes of the rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Votes for the true class less the most votes for another class, divided by
            all votes: in [-1, 1], below 0 if the ensemble misclassifies the row
            (Schapire, Freund, Bartlett & Lee 1998). With "mh" and trees half the
            difference of the scores, divided by the largest score that the members can
            give.
        """
        rows, codes = self._check_rows(X), self._codes(y)
        return self._members.margins(rows, codes, self.n_jobs)

    def staged_margins(self, X, y):
        """Yield the margins after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        rows, codes = self._check_rows(X), self._codes(y)
        yield from self._members.staged_margins(rows, codes, self.n_jobs)

    def staged_weights(self, X, y, sample_weight=None):
        """Yield the weights of the training rows that each member was fitted with.

        They are computed anew: each round costs one prediction of the rows. The first
        weights are the sample weights times those of `class_weight`, and so are those
        after a reset. The rows that `n_iter_no_change` holds out have the weight 0.
        With `warm_start` the rows count as if they had been given to all fits. For
        trees they are :math:`e^{-yF}`, before `max_weight` and `weight_trimming`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            All as given to `fit`.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Weights that sum to 1; with "mh" and trees those of each row for each class.

        Examples
        --------
        The first stump misclassifies the fourth row, which then has half of the weight:

        >>> from sklearn_bayeslazy import MyAdaBoost
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"]
        >>> model = MyAdaBoost(max_depth=1, n_estimators=2).fit(X, y)
        >>> for weights in model.staged_weights(X, y):
        ...     print(weights.round(3))
        [0.25 0.25 0.25 0.25]
        [0.167 0.167 0.167 0.5  ]
        """
        rows, codes = self._check_rows(X), self._codes(y)
        check_consistent_length(rows, codes)
        kept, weight = kept_rows(sample_weight, len(codes))
        kept = np.arange(len(codes)) if kept is None else kept
        weight = times_class_weight(
            weight, self.class_weight, self.classes_, codes[kept]
        )
        if hasattr(self, "validation_errors_") and not self._boosts_trees:
            held_out = held_out_shares(
                take_rows(rows, kept), codes[kept], weight, self.validation_fraction
            )
            weight = weight * (1.0 - held_out)
        log_weight = np.full(len(codes), -np.inf)
        with np.errstate(divide="ignore"):
            log_weight[kept] = np.log(weight)
        yield from self._members.staged_weights(rows, codes, log_weight, self.n_jobs)

    @property
    def estimators_(self):
        """The members."""
        check_is_fitted(self)
        return list(self._members.members)

    @property
    def feature_importances_(self):
        """Mean of the members' importances, weighted by their votes."""
        check_is_fitted(self)
        return self._members.importances(self.n_features_in_)

    def get_metadata_routing(self):
        """Return how metadata are routed.

        Returns
        -------
        MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if self.estimator is not None:
            mapping = MethodMapping().add(caller="fit", callee="fit")
            requests = without_weight_request(self.estimator)
            router.add(estimator=requests, method_mapping=mapping)
        return router

    def __getstate__(self):
        return super().__getstate__() | {"_left_out": None}

    def __sklearn_tags__(self):
        """Return the tags: X may be what stumps accept, or what `estimator` accepts."""
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            return accepting_any_table(tags)
        return restrict_input_tags(tags, [self.estimator])
