"""ShepardKNN: classes by weighted votes of the nearest training rows, or of all."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core._arrays import keep_labels, label_column
from .._core._compat import fit_context
from .._core._estimator import (
    all_or_nothing,
    require_targets,
    unavailable_because,
)
from ..tabular import encode_classes
from ._shepard import (
    ClassTargets,
    MultiClassTargets,
    ShepardBase,
    StoredClassesMixin,
    stack_labels,
)


def _why_no_decision_function(estimator):
    """Return why there is no decision_function, or None."""
    if not isinstance(getattr(estimator, "classes_", None), list):
        return None
    return (
        "decision_function is for one output, and y in fit had several: use "
        "predict_proba, a list of arrays."
    )


class ShepardKNN(StoredClassesMixin, ShepardBase):
    r"""Classification by distance-weighted votes of k neighbours, or of every row.

    The k nearest training rows vote with weights :math:`w_i = d(x, x_i)^{-p}`, or all
    rows do. The probabilities are m-estimates from the shares of the votes,

    .. math:: \hat P(c \mid x) = \frac{n\, v_c + m\, P(c)}{n + m}, \qquad
        v_c = \frac{\sum_{i:\, y_i = c} w_i}{\sum_i w_i}, \qquad
        n = \frac{\left(\sum_i w_i\right)^2}{\sum_i w_i^2},

    where n is the effective number of votes. By default k, p and m are chosen by
    leave-one-out. Shepard's method is ``ShepardKNN(None, power=2, m=0,
    metric="euclidean")``, and the classical k-NN rule ``ShepardKNN(k,
    weights="uniform", m=0, metric="euclidean")``.

    Parameters
    ----------
    n_neighbors : float, None or "loo", default="loo"
        How many of the nearest training rows vote; all of them for None (Shepard's
        method), or where there are fewer. Rows at equal distances share what is left of
        k, so that the order of the rows does not matter. With sample weights k is a
        total weight: rows vote in order of distance until their weights sum to it.
        "loo": chosen by leave-one-out.

    power : float, "auto" or "loo", default="loo"
        The exponent of the distance in the weights, ≥ 0. 0 gives equal
        weights. "auto": the number of columns that are not removed by
        `feature_weights`. "loo": chosen by leave-one-out. Only weights="inverse" reads
        it. If all rows vote and the
        power is below the number of columns, the many far rows outweigh the near
        ones: answers move towards the class frequencies.

    weights : {"inverse", "uniform", "cosine"} or callable, default="inverse"
        "inverse": 1 / d^power; where rows are at distance 0 (exact hits), only these
        vote. "uniform": equal weights. "cosine": max(0, cos), for metric="cosine". A
        callable turns an array of distances of shape (n_samples, n_neighbors) into an
        array of weights ≥ 0, element by element; where weights are infinite, only
        these rows vote. Where all weights are 0, they have equal weights.

    m : float or "loo", default="loo"
        The weight of the prior, ≥ 0, as a number of votes. 0 gives the plain shares of
        the votes. With m > 0 no probability is 0 where the prior is not, even where
        exact hits vote. "loo": chosen by leave-one-out (see Notes). With `tol`, which
        has no effective numbers, "loo" means 0.

    prior : {"marginal", "uniform"} or array-like, default="marginal"
        The class probabilities P(c) of the m-estimate. "marginal": class frequencies.
        "uniform": equal ones. An array of shape (n_classes,): in the order of
        `classes_`, with the sum 1.

    metric : str or callable, default="auto"
        "auto": raw tables, frames or arrays, of numbers, symbols (strings, categories,
        booleans), dates and missing cells. Numbers are replaced by their normal scores,
        so that neither units nor outliers matter. Symbols are compared as by "hvdm".
        Each column is multiplied by a power of its relevance, or by a learnt stretch,
        chosen by leave-one-out (see Notes). Sparse rows have the metric "euclidean".

        For rows of numbers: "euclidean" (or "l2"), "seuclidean" (each column over its
        standard deviation), "mahalanobis" (directions over the covariance, with a
        pseudo-inverse where it is singular), "manhattan" (or "cityblock", "l1"),
        "minkowski", "chebyshev", "cosine" (1 - cos; a row of zeros is at distance 1
        from all), "correlation" (the cosine distance of rows less their means), or
        "nan_euclidean", which accepts missing values: the mean square over the columns
        that both rows have stands in for the others. "euclidean", "seuclidean",
        "cosine" and "manhattan" accept sparse rows. "braycurtis", "canberra" and
        "hamming", and of cells that are 0 or not "dice", "jaccard" and
        "rogerstanimoto", are those of `scipy.spatial.distance`.

        For tables that mix numbers with symbols (strings, categories, booleans) and
        missing cells:

        "hvdm" (Wilson and Martinez, 1997): numbers add ((a - b) / 4σ)² to the squared
        distance, symbols Σ_c (P(c | a) - P(c | b))², where P(c | v) is the m-estimate
        (n_vc + m P(c)) / (n_v + m). A missing cell is the mean number or has the
        prior P(c); so has a symbol that no training row has. "heom" (same source):
        ((a - b) / range)² for numbers, 0 for equal and 1 for different symbols, 1 if a
        cell is missing. "gower" (Gower, 1971): the mean of abs(a - b) / range and of
        the same 0 and 1, over the columns that are present in both rows.

        Rows without a common column are infinitely far apart by "gower" and
        "nan_euclidean". "precomputed": X holds distances, of shape (n_samples,
        n_samples) in `fit` and (n_queries, n_samples) afterwards. A callable
        ``metric(query, row, **metric_params)`` returns the distance of two rows of
        numbers; it is called for every pair of rows, and is slow. "heom", "gower",
        scipy's metrics, distances and callables read all rows for each query.

    metric_params : dict, default=None
        {"p": …, "w": …} for "minkowski", (Σ w abs(a - b)^p)^(1/p) with p ≥ 1, 2 by
        default, and weights w ≥ 0 of the columns; {"w": …} for scipy's metrics;
        {"V": …}, variances for
        "seuclidean"; {"V": …} or {"VI": …}, the covariance for "mahalanobis" or its
        inverse; {"m": …} for "auto" and "hvdm" (≥ 0, 1 by default, or "loo": for each
        column the best of .3, 1, 3, 10, 30, 100 and ∞ by leave-one-out). Variances and
        covariances that are not given are learnt; a variance of 0 counts as 1.
        Arguments of a callable.

    feature_weights : array-like of shape (n_features,) or "loo", default=None
        Each column is multiplied by its weight ≥ 0 before distances are measured; 0
        removes it. "loo": learnt as by :class:`AxisStretcher` with its defaults, for k
        neighbours if `n_neighbors` is a number and for all rows otherwise
        (for dense X and the metrics "auto", "hvdm" and "euclidean"). None: equal
        weights; for metric="auto", powers of the relevance or a stretch. For "hvdm"
        and "heom" a weight multiplies the difference of two cells, for "gower" the
        weights are those of the mean.

    class_weight : dict or "balanced", default=None
        Factors of the votes and of the prior of each class, {class: factor}, from
        1e-100 to 1e100; 1 for classes that are not named. "balanced": n / (n_classes
        n_c), so that a frequent class does not outvote the others. The factors do not
        change which rows vote, nor their effective number. Leave-one-out weights the
        score of a row by its class's factor.

    missing_indicators : bool, default=True
        Whether columns whose missing cells tell of y have an indicator: one more
        column, which says whether the cell is missing (see Notes). Only with
        metric="auto", and where `feature_weights` and `tol` are None.

    algorithm : {"auto", "brute", "kd_tree"} or estimator, default="auto"
        How neighbours are found; the three names give the same answers to the last
        bit. An estimator with ``kneighbors``, fitted or not, finds them instead, and
        measures distances itself. Rows at equal distances share votes within its lists
        only.

    tol : float, default=None
        For n_neighbors=None and up to three columns: the largest error allowed in a
        probability (with m=0). Far rows are then summed up by boxes, and a query takes
        little more time in a larger table. None: exact answers.

    loo_candidates : dict, default=None
        {"n_neighbors": list, "power": list, "m": list}, the candidates for parameters
        that are "loo". By default 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80 and, up
        to 10 000 rows, None for `n_neighbors` (None reads the whole table for each row
        that is left out), 0, 1, 2, 4, 8, 16 for `power`, and 0.001, 0.003, 0.01, …,
        10, 30 for `m`, of which those below 2 / n are left out. All combinations of
        the parameters that are "loo" are tried.

    loo_scoring : {"accuracy", "log_loss"}, default=None
        The score that leave-one-out maximises (accuracy, with ties broken by log loss)
        or minimises (log loss). None means log loss, with ties broken by accuracy.

    loo_max_samples : int or None, default=10000
        If there are more rows, a random subset of this size is left out one by one;
        all other rows still vote. None: every row.

    random_state : int, RandomState instance or None, default=None
        For the random subset of `loo_max_samples`, and for the random starts of
        feature_weights="loo".

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of ndarrays
        The classes, sorted; of each output if there are several.
    n_neighbors_ : float or None
        How many neighbours vote, chosen or given.
    power_ : float or None
        The exponent of the distance, chosen or given. None for power="loo" with
        `weights` that do not read it.
    m_ : float
        The weight of the prior, chosen or given.
    feature_weights_ : ndarray of shape (n_features + n_indicators,) or None
        The factor of each column, learnt or given.
    missing_indicators_ : ndarray of shape (n_indicators,)
        The indices of the columns that have an indicator of missing cells. Where
        distances by column are told, the indicators follow the columns of X.
    loo_results_ : dict
        Only where n_neighbors, power or m is "loo". "params", "mean_accuracy",
        "standard_error_accuracy", "mean_log_loss", "standard_error_log_loss" and
        "rank" of the candidates; ``pandas.DataFrame(loo_results_)`` works.
    n_samples_fit_ : int
        Number of rows given to `fit`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNNRegressor : The same method for numeric targets.
    AxisStretcher : Learns how far each column should be stretched.
    sklearn.neighbors.KNeighborsClassifier : weights="distance" is power=1 here.

    Notes
    -----
    Weights are computed relative to that of the nearest row, so that no power of a
    distance overflows. Votes of all rows are summed as they are read: the temporary
    memory does not grow with the number of rows.

    Leave-one-out lists the neighbours of each row once, for the largest k; the sums of
    votes for smaller k are those over the first rows of the list. It is exact, given
    the variances, covariance and feature weights learnt from the whole table. A row is
    left out with all its weight, and with its copies if columns hold numbers (see
    :ref:`weights-and-copies`).

    m is chosen last, for the best n_neighbors and power: by the log loss of the
    left-out rows and of half a row more, for whose class no row votes. Its loss, beyond
    that of its prior, is the mean of log(1 + n / m) over the rows, n the effective
    number of votes. Where all rows are predicted rightly, as the few of a rare class
    may be, they cannot tell how often that happens.

    Where the metric learns from the targets, from symbols under "auto" and "hvdm", and
    from columns of which each has fewer than five rows under "auto", a row is left out
    by a metric that has not seen its target. The rows form eight folds; those of a fold
    are compared with all rows by the estimates of symbols and the relevance of columns
    that the other folds give. So names of rows tell nothing, equal rows are at distance
    0 as they are for new rows, and columns are not relevant by chance. In tables of
    more than 5000 rows, or points of 2²¹ coordinates, a row that is left out only gets
    m-estimates without itself.

    Under metric="auto" the normal score of a number is Φ⁻¹ of the share of smaller
    training cells, scaled to a standard deviation of 1/4, as numbers have in "hvdm"; a
    missing cell has the mean score. The relevance of a column is the share of the
    variance of the indicators of the classes that it explains alone: the rows with the
    same symbol, or with a number in the same of ten quantile bins, predict each row by
    their m-estimated mean without the row itself. The exponent of the relevance is 0,
    1/4, 1/2 or 1, whichever has the best candidate on up to 1000 rows that are left
    out. A column of more than ten symbols without relevance, such as names of rows, is
    dropped.

    Missing cells tell of y if the shares of the classes among the other rows in which
    the cell is missing as well, or present as well, predict a left-out row with a lower
    squared error than those of all others, by more than two standard errors. Weights of
    0 for all indicators are among the candidates.

    Columns may matter only together. So with at least 50 rows, and at most 100 columns
    that encode X and y, one more candidate is the stretch that `feature_weights="loo"`
    learns, from at most 1000 rows. That for a left-out row is learnt from the rows of
    other folds, that for new rows is the mean over the folds; in the larger tables
    above, from rows that do not decide about it.

    `kneighbors` lists rows at equal distances in the order of their indices, which does
    not affect the votes.

    As the number n of rows grows, one neighbour errs at most twice as often as the best
    possible classifier. The error of k neighbours converges to the least possible one
    if k grows without bound and k / n converges to 0 (Cover and Hart, 1967).

    References
    ----------
    D. Shepard (1968), A two-dimensional interpolation function for irregularly-spaced
    data, ACM National Conference.

    T. Mitchell (1997), Machine Learning, section 8.2.

    D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance functions,
    JAIR 6.

    J. C. Gower (1971), A general coefficient of similarity and some of its properties,
    Biometrics 27.

    Examples
    --------
    For a query at 2, the row at 0 is at distance 2, and those at 1 and 3 at distance 1:

    >>> from sklearn_bayeslazy import ShepardKNN
    >>> X, y = [[0.0], [1.0], [3.0]], ["a", "b", "b"]
    >>> model = ShepardKNN(n_neighbors=None, power=2, m=0, metric="euclidean")
    >>> model.fit(X, y).predict_proba([[2.0]])  # 1/4 against 1 + 1
    array([[0.11111111, 0.88888889]])
    >>> model.predict_proba([[0.0]])  # only the exact hit votes
    array([[1., 0.]])

    The exact hit is one vote, beside which m = 1 puts the class frequencies 1/3, 2/3:

    >>> model = model.set_params(m=1).fit(X, y)
    >>> model.predict_proba([[0.0]])  # (1 + 1/3) / 2, (0 + 2/3) / 2
    array([[0.66666667, 0.33333333]])
    >>> model.predict_proba([[2.0]])  # n = (9/4)² / (33/16) = 27/11
    array([[0.1754386, 0.8245614]])
    """

    _parameter_constraints = {
        **ShepardBase._parameter_constraints,
        **StoredClassesMixin._parameter_constraints,
    }

    def __init__(
        self,
        n_neighbors: str | float | None = "loo",
        *,
        power: str | float = "loo",
        weights: str | Callable = "inverse",
        m: str | float = "loo",
        prior: ArrayLike = "marginal",
        metric: str | Callable = "auto",
        metric_params=None,
        feature_weights=None,
        missing_indicators=True,
        class_weight=None,
        algorithm: object = "auto",
        tol=None,
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.power = power
        self.weights = weights
        self.m = m
        self.prior = prior
        self.metric = metric
        self.metric_params = metric_params
        self.feature_weights = feature_weights
        self.missing_indicators = missing_indicators
        self.class_weight = class_weight
        self.algorithm = algorithm
        self.tol = tol
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Store the rows, learn the metric, and choose parameters that are "loo".

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; a table with strings and missing cells if the metric takes
            them; distances for metric="precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels. With several outputs the same rows vote for each, and
            leave-one-out minimises the mean loss of the outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : ShepardKNN

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. A former fit stays usable.
        """
        with all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    def predict_proba(self, X) -> Any:
        """Return the m-estimates of the classes' probabilities from the votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or None
            Rows to classify. None: the training rows of weight above 0, each from all
            others (leave-one-out). That equals a fit without the row, given the
            chosen parameters, the feature weights and what the metric has learnt from
            the whole table, or from other folds (see Notes). Copies of a row are left
            out with it (:ref:`weights-and-copies`). Never within `tol`, but exact.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of ndarrays
            P(c | x), columns in the order of `classes_`; for each output if there are
            several.
        """
        shares = self._predictions(X)
        if not isinstance(self.classes_, list):
            return shares
        ends = np.cumsum([len(classes) for classes in self.classes_])
        return np.split(shares, ends[:-1], axis=1)

    def predict(self, X):
        """Return the most probable class; ties go to the first one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or None
            Rows to classify; None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Of the shape of y in `fit`.
        """
        shares = self.predict_proba(X)
        if not isinstance(self.classes_, list):
            return self.classes_[np.argmax(shares, axis=1)]
        best = [np.argmax(one, axis=1) for one in shares]
        return stack_labels([c[at] for c, at in zip(self.classes_, best)])

    @unavailable_because(_why_no_decision_function)
    def decision_function(self, X):
        """Return how far each class leads the others, as a difference of probabilities.

        Class c has P(c | x) less the largest probability of another class, from -1 to
        1; only the class that `predict` returns is above 0, unless classes tie. Unlike
        log odds, that is finite where all votes are for one class. There must be one
        output.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or None
            Rows to classify; None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes that of ``classes_[1]`` alone: P(1 | x) - P(0 | x), above 0
            where `predict` returns it.
        """
        shares = self.predict_proba(X)
        if shares.shape[1] == 1:  # a second class would have the probability 0
            return -shares[:, 0]
        second, first = np.partition(shares, -2, axis=1)[:, -2:].T
        leads = shares - first[:, None]
        best = np.argmax(shares, axis=1)
        leads[np.arange(len(shares)), best] = first - second
        return leads[:, 1] if shares.shape[1] == 2 else leads

    def _check_targets(self, y):
        require_targets(self, y)
        labels = np.asarray(keep_labels(y))
        if labels.ndim == 2 and labels.shape[1] > 1:
            return labels
        return label_column(labels)

    def _build_targets(self, y, weight):
        if y.ndim == 2:
            return self._build_outputs(y, weight)
        self.classes_, codes = encode_classes(y)
        given = self.class_weight, self.prior
        return ClassTargets(weight, codes, self.classes_, *given)

    def _build_outputs(self, y, weight):
        """Return the targets of several outputs."""
        given = {"class_weight": self.class_weight}
        given |= {} if isinstance(self.prior, str) else {"prior": self.prior}
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"{name}={value!r} is for one output, and y has {y.shape[1]}: "
                    "drop it, or fit one estimator for each output."
                )
        # A column of objects gets the dtype of its labels.
        columns = [
            keep_labels(one.tolist()) if one.dtype == object else one for one in y.T
        ]
        pairs = [encode_classes(column) for column in columns]
        self.classes_ = [classes for classes, _ in pairs]
        return MultiClassTargets(
            [
                ClassTargets(weight, codes, classes, None, self.prior)
                for classes, codes in pairs
            ]
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        one_output = self.class_weight is not None or not isinstance(self.prior, str)
        tags.target_tags.multi_output = not one_output
        # scikit-learn's checks of scores pass similarities as precomputed distances.
        tags.classifier_tags.poor_score = tags.input_tags.pairwise
        return tags
