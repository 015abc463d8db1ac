"""MEstimateNB: naive Bayes for mixed tables, with a prior on every estimate."""

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._core._compat import Interval, StrOptions, fit_context
from ..tabular import (
    CLASS_WEIGHTS,
    check_mergeable,
    class_log_prior,
)
from ._columns import (
    BINNINGS,
    DISTRIBUTIONS,
    SPARSE_DISTRIBUTIONS,
    ColumnModel,
    ColumnSettings,
)
from ._table_classifier import TableClassifier


class MEstimateNB(TableClassifier):
    r"""Naive Bayes for mixed tables with missing cells, by m-estimates.

    The table may mix strings, categories, booleans and numbers, and may have missing
    values. A missing cell is left out of the counts in `fit` and out of the product in
    `predict`; nothing is imputed and no row is dropped. By default, leave-one-out
    chooses the distributions, m and the weights of the columns, and the columns whose
    missing cells tell the class. The classical method is
    ``MEstimateNB(m=1.0, distribution="auto", feature_weights=None)``. Each probability
    is estimated with `m` virtual examples drawn from a prior,

    .. math:: \hat P(a \mid c) = \frac{n_{ac} + m\,p_a}{n_c + m},

    with :math:`n_c` the class's rows in which the column is observed,
    :math:`n_{ac}` those that hold the value a, and :math:`p_a` the prior estimate; the
    Poisson and Gaussian columns have estimates of the same kind (see Notes).

    Parameters
    ----------
    m : float, array-like of shape (n_features,), "laplace" or "loo", default="loo"
        The number of virtual examples, ≥ 0. 0 keeps the plain frequencies, zeros
        included. "laplace": the number of values of each column (1 for Poisson and
        Gaussian columns), which with the uniform prior adds one to each count.
        "loo": chosen by exact leave-one-out: for each column separately if
        `feature_weights` is "loo", otherwise one m for all columns together.

    prior : {"uniform", "marginal"}, list or dict, default="uniform"
        The distribution of the virtual examples: uniform over the values, or the
        frequencies in the whole table. A list with an entry for each column, or a
        dictionary {column: prior}, may also hold arrays: of shape (K,) over the
        column's sorted categories, or (n_classes, K) with a row for each class. These
        are pseudo-counts per virtual example and need not sum to 1. Poisson columns
        take a rate, (1,), and Gaussian columns a mean and a variance, (2,); by default
        these are the whole column's.

    distribution : str, list or dict, default="loo"
        The distribution of the columns: "categorical", "bernoulli" (x > 0), "poisson"
        (counts), "gaussian", "quantized" (numbers in bins), "auto" (strings,
        categories and booleans are categorical, numbers Gaussian) or "loo" (chosen for
        each column separately, by the best exact leave-one-out score of that column
        with the class prior, each candidate at its best m; on at most 1500 rows). One
        for all, a list, or a
        dictionary {column: distribution}.

    feature_weights : "loo", array-like of shape (n_features,) or None, default="loo"
        Exponents w ≥ 0 of the columns' likelihoods (see Notes). "loo": the weights and
        class offsets that maximise the leave-one-out conditional likelihood. None: all
        weights are 1.

    categories : "auto", list or dict, default="auto"
        The values of the categorical columns. They count in K, even if no row has them.
        "auto": the values in the training data, and those that the dtype of a pandas
        Categorical or a polars Enum declares. A list with an array of values, or None
        for "auto", for each column, or a dictionary {column: array}; then any other
        value in the training data is an error, and numbers are categorical.

    n_bins : int or "loo", default="loo"
        The number of bins of quantized columns, for `binning` "quantile",
        "frequent_values" and "uniform". "loo": chosen for each column by leave-one-out,
        as its distribution is; of the usual candidates those with which no row fills a
        bin alone by its weight; nor a quarter of one, where weights differ so much that
        Σw² / Σw is at least four times their median.

    binning : str, default="loo"
        How quantized columns are cut: "quantile", bins of equal weight;
        "frequent_values", the same with a bin for each value that fills one alone;
        "uniform", bins of equal width; "mdlp", the minimum description length principle
        of Fayyad and Irani; "binary", one cut in two; or "loo". "mdlp" and "binary" use
        y; leave-one-out scores under them are optimistic, because the cuts depend on
        the row that is left out. So "loo" compares "frequent_values" only, unless
        `loo_candidates` names more.

    fit_prior : bool, default=True
        Whether class priors are the class frequencies; otherwise they are equal.

    class_prior : array-like of shape (n_classes,), default=None
        Class priors to be used instead.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same; not for
        `partial_fit`.

    unknown : {"ignore", "error"}, default="ignore"
        How `predict` treats a category that `fit` has not seen: as a missing cell, or
        as an error. A number below 0 in a column for which leave-one-out has chosen
        "poisson" is a missing cell; where "poisson" is given it is an error.

    missing_indicators : bool, default=True
        Whether columns whose missing cells tell the class have an indicator: one more
        column, which says whether the cell is missing. Leave-one-out chooses these
        columns (see Notes), where `feature_weights` is "loo" and no other parameter is
        a list with an entry for each column. Otherwise a missing cell tells nothing.

    loo_candidates : dict, default=None
        Candidates for the parameters set to "loo": {"m": list, "distribution": list,
        "n_bins": list, "binning": list, "var_smoothing": list}. By default a 1-2-5
        series from 0.01 to 10 000 for m (ten values from 0.5 with weights "loo"), all
        distributions that the column's numbers allow, 4, 6, 10, 16 or 25 bins, and
        eight shares of the variance from 0 to 1.

    loo_scoring : {"log_loss", "accuracy"}, default="log_loss"
        The score that leave-one-out optimises; log loss breaks ties in accuracy.

    loo_max_samples : int or None, default=10000
        The maximum number of rows that are left out one by one, a random subset where
        there are more; each is predicted from all other rows. None: every row. (Only
        here a weight differs from repetition: rows are drawn regardless of weight.)
        Wide tables with many classes leave out fewer: 2³⁵ / (d · n_classes ·
        candidates of m), but at least 500. Weights are fitted to evenly spaced ones of
        these rows if their terms, n · n_classes · d numbers, are more than 2²⁵.

    var_smoothing : float or "loo", default=0.0
        The share ≥ 0 of the largest variance among the Gaussian columns (of all
        classes together) that is added to every Gaussian variance, as GaussianNB does.
        "loo": chosen by leave-one-out, together with m or with weights fitted to each
        candidate. While the distributions of a column are compared, the share is that
        of its variance alone, none if it is still to be chosen. A variance that is
        still zero is replaced by 1e-9 of the largest.

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
    m_ : float or ndarray of shape (n_features,)
        The number of virtual examples, chosen or given; an array where it differs
        from column to column.
    distributions_ : list of str
        The distribution of each column.
    categories_ : list of ndarray or None
        The sorted categories of each categorical column, with those that are declared.
    bin_edges_ : list of ndarray or None
        The cut points of each quantized or Bernoulli column; a number x is in the bin
        whose index is the number of cut points ≤ x.
    category_count_ : list of ndarray of shape (n_classes, K) or None
        The total weight of each class and category, bin or outcome.
    feature_log_prob_ : list of ndarray of shape (n_classes, K) or None
        log P(value | c) of each discrete column.
    rate_ : ndarray of shape (n_classes, n_features)
        Poisson rates; NaN for other columns.
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Means and variances of Gaussian columns; NaN for other columns.
    var_smoothing_ : float
        The share of the largest variance that is added, chosen or given.
    epsilon_ : float
        The variance that is added, the share times the largest variance.
    loo_results_ : dict
        Only if a parameter was set to "loo". "params", "mean_log_loss",
        "standard_error_log_loss", "mean_accuracy", "standard_error_accuracy" and
        "rank" of the candidates of m and `var_smoothing`, as pandas.DataFrame takes
        them; with ``feature_weights="loo"`` those of the models without and with
        weights.
    loo_columns_ : list of dict or None
        Only if a parameter was set to "loo". The same for the distributions of each
        column, None where nothing was chosen.
    feature_weights_ : ndarray of shape (n_features,)
        The weights w, chosen or given.
    class_offset_ : ndarray of shape (n_classes,)
        The offsets b; 0 unless leave-one-out has chosen the weights.
    feature_importances_ : ndarray of shape (n_features,)
        Only if leave-one-out has chosen the weights: how much each column's weighted
        term, centred over the classes, varies between the left-out rows (root mean
        square), as shares of their sum. A column of weight 0 has importance 0. That
        of an indicator of missing cells is added to that of its column.
    missing_indicators_ : ndarray of shape (n_indicators,)
        The indices of the columns that have an indicator of missing cells. The other
        attributes with an entry for each column have further ones, one for each of
        the indicators.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    sklearn.naive_bayes.CategoricalNB : Categorical columns only, already encoded.
    sklearn.naive_bayes.GaussianNB : Numbers only, without missing values.

    Notes
    -----
    With n observed cells of a class, mean x̄ and sum of squares SS:

    - Poisson: λ = (Σx + m λ₀) / (n + m);
    - Gaussian: μ = (n x̄ + m μ₀) / (n + m), σ² = SS' / (n + m - 1) with
      SS' = SS + m σ₀² + n m / (n + m) (x̄ - μ₀)², or SS' / (n + m) where n + m ≤ 1.
      λ₀, μ₀ and σ₀² (divided by n) are those of the whole column. m = 0 gives the
      sample mean and the sample variance with n - 1. Where something is chosen by
      leave-one-out, and the weights of the first batch have a mean below 1, such as
      shares, that mean takes the place of 1.

    With weights, the model is log-linear (WANBIA-C),

    .. math:: P(c \mid x) \propto e^{b_c} P(c) \prod_j P(x_j \mid c)^{w_j}.

    The terms log P(x_j | c) of a training row are those without that row, so their
    likelihood is that of leave-one-out. It is concave in (w, b). One row in all counts
    as of any class (Platt 1999): few rows may be told apart without an error by
    chance. With sample weights, a row is the weight Σv² / Σv: a few rows of large
    weights v tell no more than as many rows. The penalty 1/2 Σ (w_j - 1/2)² + 1/2 Σ
    b_c² limits the weights of small tables; w_j = 1/2 counts a column that occurs
    twice once. With fewer than 20 distinct rows for each column, of which at most
    eight count for each row that is not of the most frequent class, this penalty is
    compared with λ/2 (Σ w_j² + Σ b_c²) for λ from 4 to 1024, which leaves little
    but the class prior. Four folds are predicted, each by what the other folds have
    chosen; the penalty is that of the least log loss, or the next stronger one if
    its loss is within one standard error. Ratios beyond e^60 between classes are
    cut. A column of weight 0 is not read by `predict`; columns whose term hardly
    varies between the rows (by less than 0.01 nats) get weight 0. The weights have
    seen the rows that they are scored on, so the `loo_results_` with weights are
    optimistic.

    A column's missing cells tell the class if the shares of the classes among the other
    rows in which its cell is missing, or present, as well predict a left-out row with a
    lower squared error than those of all others, by more than two standard errors. The
    model with the indicators of all these columns is taken if its log loss of the
    left-out rows is lower by 1/n for each of them, n the number of rows.

    ``predict_proba(None)`` predicts each training row by the counts without it, as
    chosen. With weights chosen by leave-one-out, all choices are cross-fitted: those
    for a row come from the seven eighths of the rows that lack it and rows like it.

    With m = 0 zeros are kept: a class with a zero factor has probability 0. If every
    class has one, the prediction is the class prior. If nothing was observed,
    n = m = 0, the estimate is its limit, the prior.

    Leave-one-out is exact given the bin edges and category lists of the whole table,
    and the two constants of `var_smoothing`: what is added, and what replaces zero. A
    category that occurs only in the row left out stays in the list, while `predict`
    ignores unseen categories. So columns that identify a row, such as names, score
    worse than they predict: remove them.

    With ``distribution="gaussian"``, rows of float32 in the first fit and in `predict`
    give probabilities and their logarithms as float32, as GaussianNB does. They are
    computed, and the attributes kept, in float64.

    References
    ----------
    T. Mitchell (1997), Machine Learning, section 6.9.

    J. Platt (1999), Probabilistic outputs for support vector machines and comparisons
    to regularized likelihood methods. Advances in Large Margin Classifiers, MIT Press.

    N. Zaidi, J. Cerquides, M. Carman and G. Webb (2013), Alleviating naive Bayes
    attribute independence assumption by attribute weighting. Journal of Machine
    Learning Research 14, 1947-1988.

    Examples
    --------
    Should we play tennis on a sunny, cool, humid and windy day (Mitchell's example)?
    Plain frequencies, m = 0:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import MEstimateNB
    >>> from sklearn_bayeslazy.datasets import load_play_tennis
    >>> X, y = load_play_tennis(return_X_y=True)
    >>> nb = MEstimateNB(m=0, feature_weights=None).fit(X, y)
    >>> day = [["sunny", "cool", "high", "strong"]]
    >>> joint = np.exp(nb.predict_joint_log_proba(day))
    >>> joint.round(4)  # no, yes
    array([[0.0206, 0.0053]])
    >>> bool(np.isclose(joint[0, 0], 5/14 * 3/5 * 1/5 * 4/5 * 3/5))
    True
    >>> bool(np.isclose(joint[0, 1], 9/14 * 2/9 * 3/9 * 3/9 * 3/9))
    True
    >>> nb.predict(day)
    array(['no'], dtype='<U3')

    Does a student of at most 30 years with a medium income buy a computer?

    >>> from sklearn_bayeslazy.datasets import load_buys_computer, load_evade
    >>> nb = MEstimateNB(m=0, feature_weights=None)
    >>> nb = nb.fit(*load_buys_computer(return_X_y=True))
    >>> customer = [["<=30", "medium", "yes", "fair"]]
    >>> joint = np.exp(nb.predict_joint_log_proba(customer))
    >>> joint.round(3)  # no, yes
    array([[0.007, 0.028]])
    >>> bool(np.isclose(joint[0, 0], 5/14 * 3/5 * 2/5 * 1/5 * 2/5))
    True
    >>> bool(np.isclose(joint[0, 1], 9/14 * 2/9 * 4/9 * 6/9 * 6/9))
    True

    Does a married taxpayer with an income of 120 and no refund evade? Two columns hold
    strings and one numbers, whose mean and sample variance are 110 and 2975 in class
    No. No evader is married, so with m = 0 the class Yes is impossible:

    >>> nb = MEstimateNB(m=0, distribution="auto", feature_weights=None)
    >>> nb = nb.fit(*load_evade(return_X_y=True))
    >>> terms = np.exp(nb.explain([["No", "Married", 120.0]]).terms[0])
    >>> float(terms[2, 0].round(4))  # the density of 120 in class No
    0.0072
    >>> density = np.exp(-(120 - 110)**2 / (2 * 2975)) / np.sqrt(2 * np.pi * 2975)
    >>> bool(np.isclose(terms[2, 0], density))
    True
    >>> bool(np.allclose(terms[:2, 0], [4/7, 4/7]))
    True
    >>> round(4/7 * 4/7 * 0.0072, 4), float(terms[:, 1].prod())  # P(x | No), P(x | Yes)
    (0.0024, 0.0)
    """

    _parameter_constraints = {
        "m": [
            Interval(Real, 0, None, closed="left"),
            "array-like",
            StrOptions({"laplace", "loo"}),
        ],
        "prior": [StrOptions({"uniform", "marginal"}), list, dict],
        "distribution": [
            StrOptions({*DISTRIBUTIONS, "auto", "loo"}),
            "array-like",
            dict,
        ],
        "feature_weights": [StrOptions({"loo"}), "array-like", None],
        "categories": [StrOptions({"auto"}), list, dict],
        "n_bins": [Interval(Integral, 2, None, closed="left"), StrOptions({"loo"})],
        "binning": [StrOptions({*BINNINGS, "loo"})],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "class_weight": CLASS_WEIGHTS,
        "unknown": [StrOptions({"ignore", "error"})],
        "missing_indicators": ["boolean"],
        "loo_candidates": [dict, None],
        "loo_scoring": [StrOptions({"log_loss", "accuracy"})],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "var_smoothing": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        m: ArrayLike = "loo",
        *,
        prior: str | list | dict = "uniform",
        distribution: ArrayLike | dict = "loo",
        feature_weights: ArrayLike | None = "loo",
        categories: str | list | dict = "auto",
        n_bins: str | int = "loo",
        binning="loo",
        fit_prior=True,
        class_prior=None,
        class_weight=None,
        unknown="ignore",
        missing_indicators=True,
        loo_candidates=None,
        loo_scoring="log_loss",
        loo_max_samples=10_000,
        var_smoothing=0.0,
        random_state=None,
        n_jobs=None,
    ):
        self.m = m
        self.prior = prior
        self.distribution = distribution
        self.feature_weights = feature_weights
        self.categories = categories
        self.n_bins = n_bins
        self.binning = binning
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.unknown = unknown
        self.missing_indicators = missing_indicators
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.var_smoothing = var_smoothing
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Estimate class priors and the columns' distributions.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Numbers, strings, categories and booleans; missing cells are NaN, None or
            pandas.NA. Sparse rows if all columns are categorical, Bernoulli or
            Poisson.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : MEstimateNB

        Raises
        ------
        ValueError, TypeError
            If a parameter or a column cannot be used; a former fit stays usable.
        """
        return self._fit(X, y, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from one more batch of rows; any split gives the model of one `fit`.

        Column kinds, bin edges, and what leave-one-out chooses are those of the first
        batch (or of `fit`); any batch may hold new categories. The priors, `unknown`,
        and m, `var_smoothing` and weights that are given, are read anew.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes of all batches; required at the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : MEstimateNB

        Raises
        ------
        ValueError, TypeError
            If `classes` are missing or differ, or a column has changed its kind; the
            model stays as it was.
        """
        return self._partial_fit(X, y, classes, sample_weight)

    _settings_type, _model_type = ColumnSettings, ColumnModel

    def _read(self, X, y, sample_weight, *, reset, **options):
        read = super()._read(X, y, sample_weight, reset=reset, **options)
        if reset:
            self._learnt_from_float32 = _is_float32(X)
        return read

    def merge(self, other):
        """Add the statistics of another model, as if this one had learnt its rows too.

        m, the priors and the weights stay this model's. What leave-one-out has chosen
        must be equal in both.

        Parameters
        ----------
        other : MEstimateNB
            A fitted model of the same columns, distributions and bin edges. Its
            classes and categories may differ. It stays as it is.

        Returns
        -------
        self : MEstimateNB

        Raises
        ------
        ValueError, TypeError
            If the two models do not match; the model stays as it was.
        """
        check_mergeable(self, other, MEstimateNB)
        first, second = self._model.names, other._model.names
        if first != second or self.distributions_ != other.distributions_:
            raise ValueError(
                "The two models differ in their columns or distributions: "
                f"{dict(zip(first, self.distributions_))} and "
                f"{dict(zip(second, other.distributions_))}."
            )
        self._model.check_same_choices(other._model, ColumnSettings.of(self))
        self._merge(other)
        self._learnt_from_float32 &= other._learnt_from_float32
        return self

    def explain(self, X):
        """Return what each cell adds to the log odds of the classes.

        The contribution of a cell is w log P(x_i | a) / P(x_i | b): 0 where it is
        missing, or holds a category that was not in the training data. That of the
        indicator of missing cells, where a column has one, is added.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            With the weighted log likelihoods `terms` of shape (n_samples, n_features,
            n_classes), and as `base` the log prior with the class offsets; their sum
            over the columns is :meth:`predict_joint_log_proba`.
        """
        check_is_fitted(self)
        return self._explain(X, self.class_log_prior_ + self.class_offset_)

    @property
    def categories_(self):
        """Sorted categories of each categorical column, None for the others."""
        return self._model.discrete_values(lambda group: group.codebook.categories)

    @property
    def bin_edges_(self):
        """Cut points of each quantized or Bernoulli column, None for the others."""
        return self._model.bin_edges

    @property
    def category_count_(self):
        """Weight by class and value of each discrete column, None for the others."""
        return self._model.discrete_values(lambda group: group.by_column(group.counts))

    @property
    def feature_log_prob_(self):
        """Log P(value | class) of each discrete column, None for the others."""
        return self._model.discrete_values(
            lambda group: group.by_column(group.log_prob)
        )

    @property
    def rate_(self):
        """Poisson rates, of shape (n_classes, n_features)."""
        return self._model.numeric_values("rate")

    @property
    def theta_(self):
        """Gaussian means, of shape (n_classes, n_features)."""
        return self._model.numeric_values("theta")

    @property
    def var_(self):
        """Gaussian variances, of shape (n_classes, n_features)."""
        return self._model.numeric_values("variance")

    @property
    def var_smoothing_(self):
        """The share of the largest variance that is added to Gaussian variances."""
        return self._model.var_smoothing

    @property
    def epsilon_(self):
        """The constant that is added to Gaussian variances."""
        return self._model.epsilon

    def _set_model(self, columns):
        """Set the fitted attributes from a model with statistics."""
        self.class_count_ = columns.class_count
        self.class_log_prior_ = class_log_prior(
            self.class_count_, self.fit_prior, self.class_prior
        )
        self._model = columns.estimate(self.class_log_prior_)
        m = columns.m_per_column
        self.m_ = float(m[0]) if np.all(m == m[0]) else m
        self.distributions_ = columns.distributions
        vars(self).pop("feature_importances_", None)
        if columns.weights is None:
            self.feature_weights_ = np.ones(len(m))
            self.class_offset_ = np.zeros(columns.n_classes)
        else:
            self.feature_weights_ = columns.weights.weights
            self.class_offset_ = columns.weights.class_offset
            if columns.weights.importance is not None:
                n_features = self.n_features_in_
                importance = columns.weights.importance[:n_features].copy()
                of_indicators = columns.weights.importance[n_features:]
                importance[self.missing_indicators_] += of_indicators
                total = importance.sum()
                self.feature_importances_ = importance / (total if total > 0 else 1.0)
        # Scores of leave-one-out belong to the rows of one fit, and so do its rows.
        self._training_rows = None
        vars(self).pop("loo_results_", None)
        vars(self).pop("loo_columns_", None)
        if columns.loo_results is not None:
            self.loo_results_ = columns.loo_results
            self.loo_columns_ = columns.loo_columns

    def _result_dtype(self, X):
        """Return float32 where GaussianNB does, otherwise float64."""
        is_gaussian = _named_distributions(self.distribution) == {"gaussian"}
        keeps_float32 = is_gaussian and self._learnt_from_float32 and _is_float32(X)
        return np.float32 if keeps_float32 else np.float64

    def _bytes_per_row(self, X):
        # A frame's cells as numbers or codes, and NumPy's temporaries for them.
        return 24 * (X.shape[1] + len(self.classes_))

    def _accepts_sparse(self):
        """Return whether no distribution of the parameter needs dense data."""
        named = _named_distributions(self.distribution)
        return named <= {*SPARSE_DISTRIBUTIONS, "loo"}

    def _accepts_categories(self):
        """Return whether a distribution of the parameter may be categorical."""
        named = _named_distributions(self.distribution)
        return bool(named & {"categorical", "auto", "loo"})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        named = _named_distributions(self.distribution)
        tags.input_tags.positive_only = named == {"poisson"}
        # scikit-learn checks the score on continuous numbers: as categories they hardly
        # repeat, and their sign carries little information.
        tags.classifier_tags.poor_score = named <= {"categorical", "bernoulli"}
        return tags


def _is_float32(X):
    """Return whether all cells of an array or a frame are float32."""
    dtypes = getattr(X, "dtypes", [getattr(X, "dtype", None)])
    return all(str(dtype).lower() == "float32" for dtype in dtypes)


def _named_distributions(distribution):
    """Return the set of distributions that the parameter names, "auto" included."""
    if isinstance(distribution, dict):
        return {"auto", *map(str, distribution.values())}
    # One name or many; fit rejects what is not a name.
    return set(map(str, np.ravel(np.asarray(distribution, dtype=object))))
