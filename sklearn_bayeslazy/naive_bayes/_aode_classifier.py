"""AODEClassifier: averaged one-dependence estimators for mixed tables."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core._compat import Interval, StrOptions, fit_context
from ..tabular import CLASS_WEIGHTS, check_mergeable
from ._columns import BINNINGS
from ._pairs import AODEModel, AODESettings
from ._table_classifier import TableClassifier

AVERAGE = "(average)"
AVERAGE_NOTE = f"{AVERAGE}: the part of the averaged models of no single column"


class AODEClassifier(TableClassifier):
    r"""Averaged one-dependence estimators, pooled with the terms of single columns.

    Naive Bayes assumes that columns are independent given the class. AODE lets each
    column depend on one other column, the *super-parent*, and averages over all
    super-parents:

    .. math::
        P(c, x) = \sum_{i:\, n(x_i) \ge n_{min}} \hat P(c, x_i) \prod_{j \ne i}
        \hat P(x_j \mid c, x_i).

    By default the average is one term of a log-linear model beside the terms of single
    columns, with weights that maximise the leave-one-out conditional likelihood (see
    Notes). The published method is ``AODEClassifier(m=1.0, weights=None, n_bins=10,
    binning="quantile")``. Strings, categories, booleans and numbers may be mixed;
    numbers are binned. Missing cells are left out of the counts and of the products; by
    default leave-one-out chooses the columns whose missing cells tell the class.

    Parameters
    ----------
    m : float, "laplace" or "loo", default="loo"
        The number of virtual examples of each estimate, ≥ 0; they are spread evenly
        over the values. "laplace" adds one to each count. "loo": chosen by exact
        leave-one-out.

    weights : "loo" or None, default="loo"
        "loo": the weights of the columns and of the average, the offsets and the
        number of super-parents are chosen by leave-one-out, and super-parents predict
        the columns that tell of the class (see Notes). None: AODE as published.

    n_bins : int or "loo", default="loo"
        The number of bins of columns of numbers, for `binning` "frequent_values",
        "quantile" and "uniform".

    binning : str, default="loo"
        How numbers are cut: "frequent_values", "quantile", "uniform", "mdlp" or
        "binary", as in :class:`MEstimateNB`, or "loo". "mdlp" and "binary" use y;
        leave-one-out scores under them are optimistic, because the cuts depend on the
        row that is left out. So "loo" compares "frequent_values" only, unless
        `loo_candidates` names more.

    min_count : float, default=1
        A value of a super-parent counts only if the total weight of its rows is at
        least this; where something is "loo", at least this number of rows of median
        weight. A row without such values is classified by naive Bayes.

    categories : "auto", list or dict, default="auto"
        The values of the columns, as in :class:`MEstimateNB`.

    unknown : {"ignore", "error"}, default="ignore"
        How `predict` treats a category that `fit` has not seen: as a missing cell, or
        as an error.

    missing_indicators : bool, default=True
        Whether columns whose missing cells tell the class have an indicator, as in
        :class:`MEstimateNB`: chosen by leave-one-out, where `weights` is "loo".

    loo_candidates : dict, default=None
        Candidates of parameters set to "loo": {"m": list, "n_bins": list, "binning":
        list}. By default m from 0.1 to 30, and 4, 6, 10 or 16 bins. Bins are
        chosen first, at m = 1; then m.

    loo_scoring : {"log_loss", "accuracy"}, default="log_loss"
        The score that leave-one-out optimises; log loss breaks ties in accuracy. The
        weights always maximise the likelihood.

    loo_max_samples : int or None, default=10000
        The maximum number of rows that are left out one by one, a random subset where
        there are more; each is predicted from all other rows. Wide tables with many
        classes leave out fewer: 2³⁵ / (d · min(d, 64) · n_classes · candidates), with
        10 candidates by default, but at least 500. None: every row. If the
        terms of these rows, n · n_classes · (d + 1) numbers, are more than 2²⁵, weights
        are fitted to an evenly spaced part of the rows.

    max_pair_counts : int, default=2**25
        The maximum number of counts of pairs: 8 bytes each, and as much for their
        logarithms (more with fewer than four classes). If all columns would exceed it,
        the columns that each predict best alone become super-parents; with
        ``weights=None``, the first ones. New categories of later batches add to it.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same; not for
        `partial_fit`.

    random_state : int, RandomState instance or None, default=None
        Draws the rows of `loo_max_samples`.

    n_jobs : int, default=None
        Number of threads. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        The total weight of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(c).
    m_ : float or "laplace"
        The number of virtual examples, chosen or given.
    n_bins_, binning_ : int, str
        The bins, chosen or given.
    super_parents_ : ndarray of shape (n_super_parents,)
        The columns that are super-parents.
    predicted_columns_ : ndarray of shape (n_predicted,)
        The columns j of the product: all, or with ``weights="loo"`` those that tell of
        the class.
    feature_weights_ : ndarray of shape (n_features,) or None
        The weights w of single-column terms; None with ``weights=None``, as are the
        next three.
    averaged_weight_ : float or None
        The weight v of the average.
    class_offset_ : ndarray of shape (n_classes,) or None
        The offsets b.
    value_offset_ : list of ndarray of shape (n_classes, K) or None
        The offsets u of each column's values, by class; None for columns without.
    categories_ : list of ndarray or None
        The sorted categories of each column of labels.
    bin_edges_ : list of ndarray or None
        The cut points of each column of numbers.
    missing_indicators_ : ndarray of shape (n_indicators,)
        The indices of the columns that have an indicator of missing cells. Among the
        columns of the other attributes the indicators follow those of X.
    loo_results_ : dict
        Only if a parameter was set to "loo": "params", "mean_log_loss",
        "standard_error_log_loss", "mean_accuracy", "standard_error_accuracy" and
        "rank" of the candidates, before they are weighted.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    MEstimateNB : Naive Bayes, with more distributions of numbers.
    BeliefNetworkClassifier : One network instead of an average.

    Notes
    -----
    The m-estimates are, with C classes and K_j values in column j,

    .. math::
        \hat P(c, x_i) = \frac{N(c, x_i) + m / (C K_i)}{N_i + m}, \qquad
        \hat P(x_j \mid c, x_i) = \frac{N(c, x_i, x_j) + m / K_j}{N_j(c, x_i) + m}.

    ``predict_proba(None)`` predicts each training row by the counts without it, as
    chosen. With ``weights="loo"`` all choices are cross-fitted: those for a row come
    from the seven eighths of the rows that lack it and rows like it.

    With ``weights="loo"``,

    .. math::
        \log P(c \mid x) = b_c + \sum_j \bigl( w_j \log \hat P(x_j \mid c) + u_{jc}(x_j)
        \bigr) + v \log P_{AODE}(c \mid x) + const.

    The terms of a training row are those without that row: counts of pairs are
    additive, so the row is subtracted. A value that no other row holds is unknown to
    its row, and counts as missing. Terms are centred over the classes, and cut 60 nats
    below the best class. One row in all counts as of any class, since few rows may be
    told apart without an error by chance. The likelihood is concave in (w, v, b, u).
    Penalties λ/2 (Σ w² + (v - 1)² + Σ b²) and λ_u/2 Σ φ² keep small tables near AODE,
    where φ are the steps of u from bin to bin, or u itself for categories. λ and then
    λ_u are chosen by four-fold cross-validation over at most 4000 left-out rows; the
    offsets u may be left out entirely. With fewer than 120 distinct rows, or two for
    each column, of which at most eight count for each row that is not of the most
    frequent class, that is compared with models without u whose weights are pulled to 0
    and b to log P(c), by the log loss of folds that are predicted by what the other
    folds have chosen. Offsets distinguish at most 32 bins of numbers, and columns of at
    most 64 categories. If leave-one-out finds that the first super-parents predict
    best, in the order of their log loss as single columns, the others are dropped; at
    most 64 take part.

    The product leaves out each column whose mutual information with the class, alone
    and given each super-parent, is at most what as many parameters gain by chance:
    n I ≤ Σ (K - 1) (C - 1), over the values of the super-parent, with the numbers K of
    values and C of classes that occur with it (Akaike's criterion).

    `fit` reads each pair of cells once: O(n d²) additions. All statistics are additive:
    `partial_fit` and `merge` are exact. What leave-one-out chooses, weights and bin
    edges included, is chosen on the first batch and stays.

    References
    ----------
    H. Akaike (1974), A new look at the statistical model identification. IEEE
    Transactions on Automatic Control 19, 716-723.

    G. Webb, J. Boughton and Z. Wang (2005), Not so naive Bayes: aggregating
    one-dependence estimators. Machine Learning 58, 5-24.

    N. Zaidi, J. Cerquides, M. Carman and G. Webb (2013), Alleviating naive Bayes
    attribute independence assumption by attribute weighting. Journal of Machine
    Learning Research 14, 1947-1988.

    Examples
    --------
    The class is the exclusive or of two columns. Naive Bayes cannot tell the classes
    apart; AODE can. Without virtual examples and with the first column as super-parent,
    P(1, row) = P(class 1, a = 0) P(b = 1 | class 1, a = 0) = 1/4 · 1:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import AODEClassifier
    >>> X = [["a0", "b0"], ["a0", "b1"], ["a1", "b0"], ["a1", "b1"]]
    >>> y = [0, 1, 1, 0]
    >>> aode = AODEClassifier(m=0, weights=None, n_bins=2, binning="quantile").fit(X, y)
    >>> joint = np.exp(aode.predict_joint_log_proba([["a0", "b1"]]))
    >>> joint.round(3)  # the sum over two super-parents: 1/4 + 1/4
    array([[0. , 0.5]])
    >>> aode.predict(X)
    array([0, 1, 1, 0])
    """

    _parameter_constraints = {
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"laplace", "loo"})],
        "weights": [StrOptions({"loo"}), None],
        "n_bins": [Interval(Integral, 2, None, closed="left"), StrOptions({"loo"})],
        "binning": [StrOptions({*BINNINGS, "loo"})],
        "min_count": [Interval(Real, 0, None, closed="left")],
        "categories": [StrOptions({"auto"}), list, dict],
        "unknown": [StrOptions({"ignore", "error"})],
        "missing_indicators": ["boolean"],
        "loo_candidates": [dict, None],
        "loo_scoring": [StrOptions({"log_loss", "accuracy"})],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "max_pair_counts": [Interval(Integral, 1, None, closed="left")],
        "class_weight": CLASS_WEIGHTS,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        m: str | float = "loo",
        *,
        weights: str | None = "loo",
        n_bins: str | int = "loo",
        binning="loo",
        min_count=1,
        categories: str | list | dict = "auto",
        unknown="ignore",
        missing_indicators=True,
        loo_candidates=None,
        loo_scoring="log_loss",
        loo_max_samples=10_000,
        max_pair_counts=2**25,
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        self.m = m
        self.weights = weights
        self.n_bins = n_bins
        self.binning = binning
        self.min_count = min_count
        self.categories = categories
        self.unknown = unknown
        self.missing_indicators = missing_indicators
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.max_pair_counts = max_pair_counts
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Count values and pairs of values; choose what is set to "loo".

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Numbers, strings, categories and booleans; missing cells are NaN, None or
            pandas.NA.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : AODEClassifier

        Raises
        ------
        ValueError, TypeError
            If a parameter or a column cannot be used; a former fit stays usable.
        """
        return self._fit(X, y, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from one more batch of rows.

        Bin edges, super-parents, and all that leave-one-out chooses are those of the
        first batch (or of `fit`). Counts are exact: any split gives those of one `fit`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes of all batches; required at the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : AODEClassifier

        Raises
        ------
        ValueError, TypeError
            If `classes` are missing or differ, or a column has changed its kind; the
            model stays as it was.
        """
        return self._partial_fit(X, y, classes, sample_weight)

    _settings_type, _model_type = AODESettings, AODEModel

    def merge(self, other):
        """Add the counts of another model, as if this one had learnt its rows too.

        Parameters
        ----------
        other : AODEClassifier
            A fitted model of the same columns, bin edges and choices, such as a copy of
            this one that has learnt other batches. Its categories may differ, and with
            ``weights=None`` its classes. It stays as it is.

        Returns
        -------
        self : AODEClassifier

        Raises
        ------
        ValueError, TypeError
            If the two models do not match; the model stays as it was.
        """
        check_mergeable(self, other, AODEClassifier)
        self._model.check_same_choices(other._model)
        more_classes = np.setdiff1d(other.classes_, self.classes_)
        if self.feature_weights_ is not None and len(more_classes):
            raise ValueError(
                "Weights chosen by leave-one-out belong to the classes "
                f"{self.classes_.tolist()}; the other model's are "
                f"{other.classes_.tolist()}. Start both by partial_fit with the same "
                "`classes`, or set weights=None."
            )
        return self._merge(other)

    def explain(self, X):
        """Return what each cell adds to the log odds of the classes.

        A column's term is w log P(x_j | c) + u plus its part of the average: with the
        share q_i of super-parent i in the sum, v Σ_i q_i log P(x_j | c, x_i). The last
        entry, "(average)", is the part of the averaged models that belongs to no single
        column: the logarithm of their average exceeds the average of their logarithms,
        by the entropy of q, and there are constants.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            With `terms` of shape (n_samples, n_features + 1, n_classes), and as
            `base` the class offsets (with ``weights=None`` log P(c), 0 for a class
            without rows). Their sum is :meth:`predict_joint_log_proba`.
        """
        check_is_fitted(self)
        n_pairs = len(self.super_parents_) * len(self._model.names)
        bytes_per_row = 32 * n_pairs * (len(self.classes_) + 3)
        log_prior = self._model.log_prior()
        return self._explain(X, log_prior, [AVERAGE], AVERAGE_NOTE, bytes_per_row)

    @property
    def categories_(self):
        """Sorted categories of each column of labels, None for numbers."""
        return self._model.codebook.categories

    @property
    def bin_edges_(self):
        """Cut points of each column of numbers, None for labels."""
        return self._model.codebook.edges

    def _set_model(self, model):
        """Set the fitted attributes."""
        self._training_rows = None
        self._model = model
        choices = model.choices
        self.class_count_ = model.class_count
        self.class_log_prior_ = model.class_log_prior
        self.m_ = choices.m
        self.n_bins_ = choices.n_bins
        self.binning_ = choices.binning
        self.super_parents_ = model.counts.parents
        self.predicted_columns_ = np.flatnonzero(choices.predicted)
        weights = choices.weights
        if weights is None:
            self.feature_weights_ = self.averaged_weight_ = None
            self.class_offset_ = self.value_offset_ = None
        else:
            self.feature_weights_ = weights.weights[:-1]
            self.averaged_weight_ = float(weights.weights[-1])
            self.class_offset_ = weights.class_offset
            self.value_offset_ = model.value_offsets()
        vars(self).pop("loo_results_", None)
        if model.loo_results is not None:
            self.loo_results_ = model.loo_results

    def _bytes_per_row(self, X):
        return 32 * X.shape[1] * (len(self.classes_) + 1)
