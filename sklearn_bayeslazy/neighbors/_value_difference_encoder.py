"""ValueDifferenceEncoder: tables as points whose Euclidean distance is a mixed one."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import (
    as_float_array,
    check_any_targets,
    check_feature_weights,
    kept_rows,
)
from .._core._compat import Interval, StrOptions, check_feature_names_in, fit_context
from .._core._estimator import DocLinkMixin, accepting_any_table, all_or_nothing
from .._core._parallel import map_chunks
from ..search import TableEmbedding
from ..tabular import check_table, columns_to_predict, read_table, without_copies


class ValueDifferenceEncoder(TransformerMixin, DocLinkMixin, BaseEstimator):
    r"""Map mixed tables to points at the distances of HVDM.

    The heterogeneous value difference metric (HVDM) measures numbers by their standard
    deviations, and symbols (strings, categories, booleans) by how differently the
    classes are distributed given each:

    .. math:: d(a, b)^2 = \sum_{\text{numbers}} \left(\frac{a_j - b_j}{4 σ_j}\right)^2
        + \sum_{\text{symbols}} \sum_c \left(P(c \mid a_j) - P(c \mid b_j)\right)^2

    with P(c | v) the m-estimate (n_vc + m P(c)) / (n_v + m). It is the Euclidean
    distance of points: a number becomes (x - mean) / 4σ, a symbol the vector of its
    P(c | v). For two classes √2 P(c | v) of the last is enough. For numeric targets, a
    symbol becomes the m-estimated mean (Σ y + m ȳ) / (n_v + m) of the standardised y.
    So any method for points works on mixed tables: neighbours, hashing, kernels,
    clustering, t-SNE.

    A missing cell tells nothing: it becomes the mean of its column, or the prior P(c)
    or ȳ. So does a symbol that `fit` has not seen.

    Parameters
    ----------
    m : float or "loo", default=1.0
        Weight of the prior in the m-estimates, ≥ 0. "loo": for each column that of .3,
        1, 3, 10, 30, 100 and ∞ with the least squared error when each row is left out,
        with its copies; ∞ removes what the column tells.

    numbers : {"deviations", "normal_scores"}, default="deviations"
        "deviations": (x - mean) / 4σ. "normal_scores": the normal quantile of the share
        of smaller cells, scaled to the same standard deviation 1/4; outliers and skewed
        columns then do not dominate.

    symbols : {"value_differences", "indicators"}, default="value_differences"
        "value_differences": the m-estimates. "indicators": a column for each value, so
        that unequal symbols are at distance 1 (two values: one column of ∓1/2). Without
        y, symbols become indicators.

    max_indicators : int, default=10
        A column of more values becomes m-estimates even for symbols="indicators";
        without y, indicators of its most frequent values.

    feature_weights : array-like of shape (n_features,), default=None
        Factors ≥ 0 of the differences in each column.

    task : {"auto", "classification", "regression"}, default="auto"
        Whether y holds classes or numbers. "auto": y is numeric if some of its numbers
        are not integers; otherwise, also for integers, it holds classes (as in
        :func:`sklearn.utils.multiclass.type_of_target`).

    n_folds : int, default=5
        Number of folds in `fit_transform`, at least 2.

    random_state : int, RandomState instance or None, default=None
        Which rows are in a fold.

    n_jobs : int, default=None
        Number of threads of `transform`. The answer does not depend on it.

    Attributes
    ----------
    m_ : dict of {int: float}
        The m of each column that became m-estimates.
    column_of_ : int ndarray of shape (n_features_out,)
        The column of X that each column of the output comes from.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNN : metric="hvdm" measures these distances.
    AxisStretcher : Learns how far each column should be stretched.
    sklearn.preprocessing.TargetEncoder : One m-estimated mean for each class, for
        linear models and trees.

    Notes
    -----
    ``fit_transform(X, y)`` is not ``fit(X, y).transform(X)`` where X has symbols. As in
    :class:`sklearn.preprocessing.TargetEncoder`, it encodes the training rows by cross
    fitting: the rows are dealt into `n_folds` folds, copies into the same
    (:ref:`weights-and-copies`), and a symbol becomes the m-estimate of the rows of the
    other folds. So a column of distinct strings tells nothing of the targets that it
    could only repeat, and a pipeline does not learn to trust it. Rows encoded without
    only themselves would do for neighbours as well; but trees find a row's target in
    what its point lacks. The scales of the numbers, the prior and m are those of all
    rows.

    In `fit` an integer `sample_weight` equals repetition, but for copies of rows of
    symbols where m is "loo". What it learns does not depend on the order of the rows.

    References
    ----------
    C. Stanfill and D. Waltz (1986), Toward memory-based reasoning, CACM 29.

    D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance functions,
    JAIR 6.

    Examples
    --------
    "a" has one row of class 0 and two of class 1, "b" one of class 0. The prior of
    class 1 is 1/2, and m = 1: √2 (2 + 1/2) / (3 + 1) and √2 (0 + 1/2) / (1 + 1).

    >>> import pandas as pd
    >>> from sklearn_bayeslazy.neighbors import ValueDifferenceEncoder
    >>> X = pd.DataFrame({"letter": ["a", "a", "a", "b"]})
    >>> encoder = ValueDifferenceEncoder().fit(X, [0, 1, 1, 0])
    >>> encoder.transform(X) / 2**0.5
    array([[0.625],
           [0.625],
           [0.625],
           [0.25 ]])

    With a fold for each row, a row is encoded by the three others, such as the second
    by (1 + 1/2) / (2 + 1). The last has no other row with its letter:

    >>> ValueDifferenceEncoder(n_folds=4).fit_transform(X, [0, 1, 1, 0]) / 2**0.5
    array([[0.83333333],
           [0.5       ],
           [0.5       ],
           [0.5       ]])
    """

    _parameter_constraints = {
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "numbers": [StrOptions({"deviations", "normal_scores"})],
        "symbols": [StrOptions({"value_differences", "indicators"})],
        "max_indicators": [Interval(Integral, 1, None, closed="left")],
        "feature_weights": ["array-like", None],
        "task": [StrOptions({"auto", "classification", "regression"})],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        m=1.0,
        *,
        numbers="deviations",
        symbols="value_differences",
        max_indicators=10,
        feature_weights=None,
        task="auto",
        n_folds=5,
        random_state=None,
        n_jobs=None,
    ):
        self.m = m
        self.numbers = numbers
        self.symbols = symbols
        self.max_indicators = max_indicators
        self.feature_weights = feature_weights
        self.task = task
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn the points of values and the scales of numbers.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers, strings, categories, booleans and dates; missing cells are NaN,
            None or pandas.NA.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition.

        Returns
        -------
        self : ValueDifferenceEncoder

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data cannot be used. A former fit stays usable.
        """
        with all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None, sample_weight=None):
        """Learn the points, and return those of the rows by cross fitting.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0. A row of weight 0 is encoded like a new one.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            The points; see Notes.
        """
        with all_or_nothing(self):
            table, rows, distinct, of_kept = self._learn(X, y, sample_weight)
            n = distinct[0].n_rows
            folds = check_random_state(self.random_state).permutation(n) % self.n_folds
            points = self._embedding.cross_fitted(*distinct, folds)[of_kept]
            if rows is not None:
                all_points = self._embedding.transform(table)
                all_points[rows] = points
                points = all_points
            return self._weighted(points)

    def _learn(self, X, y, sample_weight):
        """Fit; return the table, which rows have a weight, and these without copies."""
        # The latter as a table, targets and weights, and an index that repeats copies.
        X = check_table(self, X, reset=True)
        table = read_table(X, n_jobs=self.n_jobs)
        rows, weight = kept_rows(sample_weight, table.n_rows)
        targets = names = None
        if y is not None:
            y = check_any_targets(y)
            check_consistent_length(table, y)
            y = y if rows is None else y[rows]
            if self.task == "regression":
                y = as_float_array(y, "y", "numbers for task='regression'")
            targets, names = columns_to_predict(y, self.task, weight)
        weights = self.feature_weights
        if weights is not None:
            weights = check_feature_weights(weights, self.n_features_in_)
        self._feature_weights = weights
        kept = table if rows is None else table.take(rows)
        distinct, of_kept = (kept, targets, weight), ...
        if targets is not None:
            *distinct, of_kept = without_copies(*distinct)
        self._embedding = TableEmbedding(
            *distinct,
            numbers=self.numbers,
            symbols=self.symbols,
            m=self.m,
            max_indicators=self.max_indicators,
            target_names=names,
        )
        self.m_ = self._embedding.ms
        self.column_of_ = self._embedding.column_of
        return table, rows, distinct, of_kept

    def transform(self, X):
        """Return the points of rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Points, without missing values.
        """
        check_is_fitted(self)
        table = read_table(check_table(self, X, reset=False), n_jobs=self.n_jobs)
        points = np.empty((table.n_rows, len(self.column_of_)))

        def embed(rows):
            points[rows] = self._embedding.transform(table.slice_rows(rows))

        bytes_per_row = 8 * (2 * points.shape[1] + table.n_columns)
        map_chunks(embed, table.n_rows, bytes_per_row, n_jobs=self.n_jobs)
        return self._weighted(points)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of the output.

        A column with one output column keeps its name; otherwise the class, or the
        value that an indicator stands for, follows an underscore.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X; must be those of `fit`, if it saw names.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = check_feature_names_in(self, input_features)
        suffixes = self._embedding.suffixes
        named = [f"{names[j]}{suffix}" for j, suffix in zip(self.column_of_, suffixes)]
        return np.array(named, dtype=object)

    def _weighted(self, points):
        if self._feature_weights is not None:
            points *= self._feature_weights[self.column_of_]
        return points

    def __sklearn_tags__(self):
        tags = accepting_any_table(super().__sklearn_tags__())
        tags.target_tags.multi_output = True
        return tags
