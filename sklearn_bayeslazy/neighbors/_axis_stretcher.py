"""AxisStretcher: columns stretched so that near rows have similar targets."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_any_targets, kept_rows
from .._core._compat import CallbackSupportMixin, Interval, StrOptions, fit_context
from .._core._estimator import DocLinkMixin, accepting_any_table, all_or_nothing
from .._core._fit_tasks import FitTasks, Iterations
from .._core._warnings import warn_caller
from ..search import TableEmbedding
from ..tabular import check_table, columns_to_predict, read_table, without_copies
from ._stretching import stretch


class AxisStretcher(
    CallbackSupportMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
    DocLinkMixin,
    BaseEstimator,
):
    r"""Stretch each axis by how much it helps to predict from near rows.

    Near rows predict badly if many axes are irrelevant: rows that agree in the relevant
    axes then lie far apart. Each axis l, a column of numbers or of symbols, is
    multiplied by a z_l ≥ 0; z_l = 0 removes it. The z have a low leave-one-out error of
    the Shepard estimate, plus a penalty (see Notes):

    .. math:: \hat y_i = \frac{\sum_{j \ne i} w_{ij} y_j}{\sum_{j \ne i} w_{ij}},
       \qquad w_{ij} = d_{ij}^{-p}, \qquad
       d_{ij}^2 = \sum_l z_l^2 (x_{il} - x_{jl})^2.

    Any method that measures distances can gain: put it behind this transformer in a
    pipeline. Columns need not be standardised before, and must not be after.

    Strings, categories and booleans are symbols. A column of symbols becomes one column
    for each class (for two classes, or a number to predict, one in all): the estimates
    of P(class | symbol), or of the mean target of the symbol (the value difference
    metric). All of them get the same z. A missing number becomes the mean of its
    column, a missing or unknown symbol the mean target.

    Parameters
    ----------
    n_neighbors : int, default=None
        How many nearest rows an estimate takes (with `sample_weight`, their total
        weight). None: all other rows.

    power : float or "auto", default="auto"
        p, how fast a row's weight falls with its distance, in (0, 1000]. "auto": the
        search learns another p together with the axes, from a start near the number of
        axes. Afterwards `power_` is chosen for the final axes.

    task : {"auto", "classification", "regression"}, default="auto"
        Whether y holds classes or numbers. "auto": y is numeric if some of its numbers
        are not integers; otherwise, also for integers, it holds classes (as in
        :func:`sklearn.utils.multiclass.type_of_target`). Classes are scored by the
        Brier score, numbers by the squared error over the variance of each output.

    alpha : float, default=0.2
        Weight of the sparsity penalty, ≥ 0. The penalty is 0 if only one axis is kept,
        and alpha if all axes are stretched equally. It is added to the error, which is
        1 for predicting the mean.

    parsimony : float, default=0.05
        At the end axes are removed, those stretched least first, as long as the error
        rises by no more than this share of itself, ≥ 0.

    n_starts : int, default=2
        How many searches; the best one counts. The first starts with all axes
        stretched equally. The second starts from what each axis predicts alone, or at
        random if no axis predicts alone. The others start at random.

    max_iter : int, default=100
        The largest number of iterations of each search.

    tol : float, default=1e-3
        A search ends when an iteration lowers its objective by less than tol times the
        smaller of two errors: the one at its start, and that of predicting the mean.

    loo_max_samples : int or None, default=1000
        If there are more rows, a random subset of this size is left out one by one;
        the others still serve as neighbours. None: every row.

    max_samples : int or None, default=10000
        If there are more rows, the axes are learnt from a random subset of this size.
        None: from all.

    random_state : int, RandomState instance or None, default=None
        For the random subsets of `loo_max_samples` and `max_samples`, and for random
        starts.

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        The factor of each column; for a column of symbols, of all columns that encode
        it. ``scale_ * X.std(axis=0)``, the factors of standardised columns, has a
        maximum of 1 and compares the axes. (With `sample_weight` the standard deviation
        is the weighted one. That of a column of symbols is the root of the sum of the
        variances of the columns that encode it.) Constant columns get 0. Nothing is
        learnt if y or each column is constant, or if the targets of the sampled rows
        are equal: each varying column then gets 1 over its standard deviation.
    power_ : float
        p for the stretched columns: the given one or, for "auto", one of 1, 1.5, 2, 3,
        4, 6, … 32, found by a local search for the lowest `loss_`. For "auto" it is 2
        if nothing was learnt.
    loss_ : float
        Leave-one-out error of the estimate with `power_` on the stretched columns, as
        a share of the error of the mean of the other rows. NaN if nothing was learnt.
    initial_loss_ : float
        The same for columns that are only standardised; with power="auto", at the power
        chosen for them.
    n_iter_ : int
        Iterations of the best search; 0 if there was nothing to search.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    Warns
    -----
    ConvergenceWarning
        If the best search did not converge within `max_iter` iterations.

    See Also
    --------
    ShepardKNN : Predicts classes by distance-weighted votes of neighbours.
    ShepardKNNRegressor : The same method for numeric targets.
    sklearn.neighbors.NeighborhoodComponentsAnalysis : Learns a linear map.

    Notes
    -----
    The search adds a constant to each squared distance, at least 1.5 % of the mean
    one, and learns it with the rest. Without it, the nearest row decides, however noisy
    the targets are, and useless axes are kept because they make the estimate average
    more rows. `loss_`, `initial_loss_` and `power_` are those of the estimate without
    it.

    The penalty is alpha (‖z‖₁/‖z‖₂ - 1) / (√d - 1): like the estimate, it does not
    depend on the scale of z. The search is L-BFGS-B with the exact gradient; with
    `n_neighbors` the neighbours are found anew at each step, and are fixed for its
    gradient.

    Copies of a row are left out with it (:ref:`weights-and-copies`), so that an integer
    `sample_weight` equals repetition. The random subsets of `loo_max_samples` and
    `max_samples` are of distinct rows.

    Symbols are encoded by m-estimates, with m chosen for each column by leave-one-out.
    They depend on y. So a row that is left out is encoded without its target, and a
    column of distinct strings gets z = 0. The codes of the other rows contain that
    target, and m and the means of columns are those of the whole table: in these
    respects `loss_` is not exact leave-one-out. (If the other rows too were encoded
    without themselves, the rows of a symbol would have one code for each class, and a
    column of symbols could predict its training rows by chance.) For tables of numbers
    without missing cells `loss_` is exact, given the deviations of the columns.

    If an evaluation is expensive and not all rows are left out, the starts are compared
    after a few iterations on half of the rows left out; the best goes on with all.

    From scikit-learn 1.9, each iteration is a task of `set_callbacks`. A callback gets
    the stretcher of the best point so far, and ends the search, without removing
    further axes, if it returns True.

    Each evaluation of the error takes O(m n d) time for m left-out rows, n rows and d
    columns.

    References
    ----------
    A. W. Moore and M. S. Lee (1994), Efficient algorithms for minimizing cross
    validation error, ICML.

    T. Mitchell (1997), Machine Learning, section 8.2.3.

    Examples
    --------
    The target depends on the first of five columns only:

    >>> import numpy as np
    >>> from sklearn_bayeslazy.neighbors import AxisStretcher
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> stretcher = AxisStretcher().fit(X, np.sin(3 * X[:, 0]))
    >>> stretcher.scale_ * X.std(axis=0)
    array([1., 0., 0., 0., 0.])
    """

    _parameter_constraints = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "power": [Interval(Real, 0, 1000, closed="right"), StrOptions({"auto"})],
        "task": [StrOptions({"auto", "classification", "regression"})],
        "alpha": [Interval(Real, 0, 1000, closed="both")],
        "parsimony": [Interval(Real, 0, 1000, closed="both")],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, 1, closed="left")],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "max_samples": [Interval(Integral, 2, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_neighbors=None,
        *,
        power: str | float = "auto",
        task="auto",
        alpha=0.2,
        parsimony=0.05,
        n_starts=2,
        max_iter=100,
        tol=1e-3,
        loo_max_samples=1000,
        max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.power = power
        self.task = task
        self.alpha = alpha
        self.parsimony = parsimony
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.loo_max_samples = loo_max_samples
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn how far to stretch each axis.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows: numbers, strings, categories or booleans; NaN, None or NA where
            missing.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : AxisStretcher

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. A former fit stays usable.
        """
        tasks = FitTasks(self, X, y, sample_weight)
        with all_or_nothing(self):
            # No warning of ids: useless columns are dropped.
            X = check_table(self, X, y, reset=True, warns=False)
            y = check_any_targets(y)
            check_consistent_length(X, y)
            rows, weight = kept_rows(sample_weight, len(X))
            table = read_table(X)
            if rows is not None:
                table, y = table.take(rows), y[rows]
            targets, _ = columns_to_predict(y, self.task, weight)
            *rows, _ = without_copies(table, targets, weight)
            self._learn(*rows, tasks)
            tasks.end_fit()
        return self

    def _learn(self, table, targets, weight, tasks):
        columns = TableEmbedding(table, targets, weight, numbers="given", m="loo")
        queries = None
        if columns.has_symbols:
            queries = columns.training_rows(table, targets, weight)

        def set_attributes(model, learnt):
            model._columns = columns
            first = np.searchsorted(columns.column_of, np.arange(table.n_columns))
            model.scale_ = learnt.scale[first]
            model.power_ = learnt.power
            model.loss_ = learnt.loss
            model.initial_loss_ = learnt.initial_loss
            model.n_iter_ = learnt.n_iter

        learnt = stretch(
            columns.transform(table),
            targets,
            weight,
            column_of=columns.column_of,
            queries=queries,
            n_neighbors=self.n_neighbors,
            power=self.power,
            alpha=self.alpha,
            parsimony=self.parsimony,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            tol=self.tol,
            loo_max_samples=self.loo_max_samples,
            max_samples=self.max_samples,
            rng=check_random_state(self.random_state),
            n_jobs=self.n_jobs,
            iterations=Iterations(tasks, "iteration", set_attributes),
        )
        set_attributes(self, learnt)
        if not learnt.converged:
            warn_caller(
                f"The search did not converge within max_iter={self.max_iter} "
                "iterations: raise max_iter or tol.",
                ConvergenceWarning,
            )

    def transform(self, X):
        """Stretch the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_encoded)
            ``X * scale_`` if all columns hold numbers; otherwise the encoded columns
            times their factors.
        """
        check_is_fitted(self)
        X = self._columns.transform(read_table(check_table(self, X, reset=False)))
        with np.errstate(over="ignore"):
            return X * self.scale_[self._columns.column_of]

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of `transform`.

        A column keeps its name; if it becomes several, their names end in the index of
        the class, or of the column that is predicted: "colour_0", "colour_1".

        Parameters
        ----------
        input_features : array-like of str, default=None
            The names of the columns of X; by default `feature_names_in_`, or "x0",
            "x1", … if there are none.

        Returns
        -------
        ndarray of str objects
        """
        features = super().get_feature_names_out(input_features)
        names = zip(features[self._columns.column_of], self._columns.suffixes)
        return np.array([name + suffix for name, suffix in names], dtype=object)

    def __sklearn_tags__(self):
        tags = accepting_any_table(super().__sklearn_tags__())
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
