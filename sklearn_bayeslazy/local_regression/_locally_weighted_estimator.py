"""LocallyWeightedEstimator: any estimator, fitted anew around each query."""

from copy import copy
from functools import partial
from itertools import chain
from numbers import Integral, Real

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_array, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    validate_data,
)
from tqdm import tqdm

from .._compat import HasMethods, Interval, StrOptions, fit_context
from .._estimator import DocLinkMixin, all_or_nothing, require_targets
from .._kernel import frozen
from .._parallel import map_results, row_chunks
from .._weights import kept_rows
from ..neighbors._search import (
    DenseSearch,
    MixedSearch,
    MixedSpace,
    WeightedK,
    learn_metric,
    no_exclusions,
    wants_tree,
)
from ..tabular import check_table, encode_classes, read_table, take_rows
from ._fits import Size, prefixes
from ._scales import column_scales
from ._smoothing_kernels import KERNELS, weigh

# So many queries are worth handing to a process.
_LEAST_ROWS = 32


def _estimator_has(method):
    return lambda self: hasattr(self.estimator, method)


class LocallyWeightedEstimator(DocLinkMixin, MetaEstimatorMixin, BaseEstimator):
    """Fit an estimator to the neighbourhood of each query, near rows weighing more.

    With :class:`~sklearn_bayeslazy.MEstimateNB` this is locally weighted naive Bayes:
    independence of the columns need only hold near the query.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor whose ``fit`` takes ``sample_weight``; it is cloned
        for each query.

    n_neighbors : int, float or None, default=50
        How many of the nearest rows a local fit sees, with sample weights their mass. A
        float is the part of all rows. None: all.

    kernel : str, default="triangular"
        How a row's weight falls with u, its distance over that of the farthest
        neighbour: "triangular" 1 - u, "tricube" (1 - u³)³, "biweight" (1 - u²)²,
        "epanechnikov" 1 - u², "uniform" 1, "gaussian" exp(-u²/2), "inverse_square"
        1/u². Weights are multiplied so that they sum to the number of rows that have
        any: an m-estimate inside is then worth as much as it would be without weights.

    scale : {"range", "std", "trimmed"}, array-like or None, default="range"
        What a column of numbers is divided by before distances are measured; None:
        nothing. Strings, categories and booleans are 0 or 1 apart, and a missing cell
        is 1 away from any.

    verbose : bool, default=False
        Whether to show how many of the queries are done.

    n_jobs : int, default=None
        Processes (or what :func:`joblib.parallel_config` says) for predictions.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted; for classifiers.
    scale_ : ndarray of shape (n_features,)
        What each column is divided by; 1 for those that hold no numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    LocallyWeightedRegressor : Local polynomials, many times faster.

    Notes
    -----
    Where all weights vanish, as those of "triangular" do if all neighbours are equally
    far, all rows of the neighbourhood count alike. Where they are all of one class,
    that is the answer, and nothing is fitted.

    References
    ----------
    C. G. Atkeson, A. W. Moore and S. Schaal (1997), Locally weighted learning,
    Artificial Intelligence Review 11.

    E. Frank, M. Hall and B. Pfahringer (2003), Locally weighted naive Bayes, UAI.

    Examples
    --------
    The two rows nearest to 1.25 are 0.25 and 0.75 away; with u measured by the third,
    1.25 away, they weigh 0.8 and 0.4:

    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn_bayeslazy import LocallyWeightedEstimator
    >>> X, y = [[1.0], [2.0], [0.0], [9.0]], [6.0, 3.0, 50.0, 90.0]
    >>> model = LocallyWeightedEstimator(DummyRegressor(), n_neighbors=3, scale=None)
    >>> model.fit(X, y).predict([[1.25]])  # (0.8 · 6 + 0.4 · 3) / 1.2
    array([5.])
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"])],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "kernel": [StrOptions(set(KERNELS))],
        "scale": [StrOptions({"range", "std", "trimmed"}), "array-like", None],
        "verbose": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator,
        *,
        n_neighbors=50,
        kernel="triangular",
        scale="range",
        verbose=False,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.scale = scale
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Keep the rows.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Training rows: numbers, and what else the estimator takes (strings,
            categories, missing cells).
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : LocallyWeightedEstimator

        Raises
        ------
        ValueError, TypeError
            Where a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            if not has_fit_parameter(self.estimator, "sample_weight"):
                raise ValueError(
                    f"estimator={self.estimator!r} takes no sample_weight in fit, by "
                    "which near rows weigh more: choose one that does."
                )
            require_targets(self, y)
            X = self._check(X, reset=True)
            y = self._encode(y)
            check_consistent_length(X, y)
            rows, weight = kept_rows(sample_weight, len(y))
            # What the caller writes into them later is none of the model's business.
            rows = np.arange(len(y)) if rows is None else rows
            self._X, self._y = take_rows(X, rows), y[rows]
            self._keep(read_table(self._X), weight.copy())
        return self

    def predict(self, X):
        """Return what the local estimators say.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or targets.
        """
        answers = self._answer(X, _predict)
        return self.classes_[answers] if is_classifier(self) else answers

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X):
        """Return the local probabilities of the classes.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            0 for classes that a neighbourhood does not hold.
        """
        return self._answer(X, _predict_proba)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy of a classifier, R² of a regressor.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            What is true of them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        float
        """
        score = accuracy_score if is_classifier(self) else r2_score
        return score(y, self.predict(X), sample_weight=sample_weight)

    def local_estimator(self, X):
        """Return the estimator that is fitted around one query, to look at.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (1, n_features)
            The query.

        Returns
        -------
        estimator
            Classes are numbered as in `classes_`.
            :class:`~sklearn.dummy.DummyClassifier` where all neighbours are of one.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        if X.shape[0] != 1:
            raise ValueError(f"X must be one row, got {X.shape[0]}.")
        return self._fit_around(*next(self._neighbourhoods(X)))

    def _check(self, X, *, reset):
        """Return the rows, checked: as they are, if labels may be among them."""
        tags = get_tags(self.estimator).input_tags
        if reset:
            self._takes_labels = tags.categorical
        if self._takes_labels:
            return check_table(self, X, reset=reset)
        return validate_data(
            self,
            X,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if tags.allow_nan else True,
            reset=reset,
        )

    def _encode(self, y):
        if is_classifier(self):
            self.classes_, codes = encode_classes(y)
            return codes.astype(np.int64)
        several = get_tags(self.estimator).target_tags.multi_output
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return y if several and y.ndim == 2 else column_or_1d(y, warn=True)

    def _keep(self, table, weight):
        """Keep where distances are measured."""
        self._weight = weight
        labelled = [table.labels(j) is not None for j in range(table.n_columns)]
        numbers = np.flatnonzero(~np.array(labelled))
        cells = np.zeros((table.n_rows, table.n_columns))
        cells[:, numbers] = table.numbers(numbers, slice(0, table.n_rows))
        self.scale_ = column_scales(self.scale, cells, weight)
        if any(labelled) or get_tags(self.estimator).input_tags.allow_nan:
            space = MixedSpace(table, self.scale_)
            self._transform_queries = space.transform
            self._search = MixedSearch(space.transform(table), space.labelled)
            return
        metric = learn_metric("euclidean", None, 1 / self.scale_, cells, weight)
        rows = metric.transform(cells)
        self._transform_queries = partial(_transform_numbers, metric)
        everybody = [np.arange(len(rows))]
        self._search = DenseSearch(metric, rows, everybody, wants_tree(*rows.shape))

    def _answer(self, X, ask):
        """Return what ``ask(local, query, n_classes)`` says of each query."""
        check_is_fitted(self)
        X = self._check(X, reset=False)
        m, n_tasks = X.shape[0], 4 * effective_n_jobs(self.n_jobs)
        size = max(-(-m // n_tasks), _LEAST_ROWS)
        tasks = [slice(i, min(i + size, m)) for i in range(0, m, size)]
        n_classes = len(self.classes_) if is_classifier(self) else 0

        def answer(rows):
            queries = take_rows(X, rows)
            return [
                ask(
                    self._fit_around(*found),
                    take_rows(queries, slice(q, q + 1)),
                    n_classes,
                )
                for q, found in enumerate(self._neighbourhoods(queries))
            ]

        bar = tqdm(tasks, desc="predict", unit="part", disable=not self.verbose)
        return np.array(list(chain(*map_results(answer, bar, n_jobs=self.n_jobs))))

    def _neighbourhoods(self, X):
        """Yield the rows around each query and their weights."""
        n_neighbors, mass = self.n_neighbors, self._weight.sum()
        if n_neighbors is None:
            n_neighbors = int(np.ceil(mass))
        size = Size.of(n_neighbors, None, mass)
        weighted_k = WeightedK(size.k, self._weight)
        for rows in row_chunks(X.shape[0], 80 * weighted_k.width):
            queries = self._transform_queries(read_table(take_rows(X, rows)))
            exclude = no_exclusions(len(queries))
            lists = self._search.nearest(
                queries, slice(0, len(exclude)), weighted_k, exclude
            )
            windows = prefixes(lists, size, self._weight, exclude)
            for q in range(len(exclude)):
                yield self._weigh(windows, q)

    def _weigh(self, windows, q):
        """Return the rows of a window that have any weight, and their weights."""
        here = slice(windows.starts[q], windows.starts[q] + windows.counts[q])
        ids, masses = windows.indices[here], windows.masses[here]
        weights = np.empty(len(ids))
        kind = KERNELS[self.kernel]
        weigh(
            frozen(windows.squared[here], np.float64),
            frozen(masses, np.float64),
            windows.reaches[q],
            kind,
            weights,
        )
        some = weights > 0
        if not some.any():
            weights, some = masses, masses > 0
        ids, weights = ids[some], weights[some]
        return ids, weights * (masses[some].sum() / weights.sum())

    def _fit_around(self, ids, weights):
        """Return the estimator fitted to weighted rows."""
        X, y = take_rows(self._X, ids), self._y[ids]
        if is_classifier(self) and np.all(y == y[0]):  # which many would refuse
            return DummyClassifier().fit(X, y)
        return clone(self.estimator).fit(X, y, sample_weight=weights)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = copy(inner.classifier_tags)
        tags.regressor_tags = copy(inner.regressor_tags)
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        tags.target_tags.required = True
        several = inner.target_tags.multi_output
        tags.target_tags.multi_output = several and not is_classifier(self.estimator)
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.categorical = inner.input_tags.categorical
        tags.non_deterministic = inner.non_deterministic
        return tags


def _transform_numbers(metric, table):
    rows = table.numbers(np.arange(table.n_columns), slice(0, table.n_rows))
    return metric.transform(rows, query=True)


def _predict(local, query, n_classes):
    return local.predict(query)[0]


def _predict_proba(local, query, n_classes):
    probabilities = np.zeros(n_classes)
    probabilities[local.classes_] = local.predict_proba(query)[0]
    return probabilities
