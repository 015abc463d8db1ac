"""LocallyWeightedEstimator: any estimator, fitted to the neighbours of each query."""

from copy import copy
from itertools import chain
from numbers import Integral, Real

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)
from tqdm import tqdm

from .._core._arrays import (
    check_numeric_targets,
    kept_rows,
    label_column,
    takes_weights,
)
from .._core._compat import HasMethods, Interval, RealNotInt, StrOptions, fit_context
from .._core._estimator import (
    DocLinkMixin,
    LogProbabilityMixin,
    all_or_nothing,
    names_of_columns,
    require_targets,
    unavailable_because,
)
from .._core._parallel import map_results, slices_of
from ..naive_bayes import MEstimateNB
from ..tabular import (
    CLASS_WEIGHTS,
    check_rows,
    check_table,
    encode_classes,
    read_table,
    take_rows,
    times_class_weight,
)
from ._explanation import explain_local, join_local
from ._neighborhoods import Neighborhoods
from ._smoothing_kernels import KERNELS

# Fewer queries are not worth a task for a process.
_MIN_QUERIES_PER_TASK = 32
# A row of a whole weight is repeated at most this many times in a local fit.
_MAX_COPIES = 100


def _why_no_explanation(model):
    """Return why there is no `explain`; None if there is."""
    base = model._base()
    if is_classifier(base) and hasattr(base, "explain") and model.m > 0:
        return None
    return (
        f"explain needs m above 0, got {model.m}, and a local classifier with explain, "
        f"such as MEstimateNB, got {base!r}. local_estimator returns the model around "
        "a row."
    )


class LocallyWeightedEstimator(
    LogProbabilityMixin, DocLinkMixin, MetaEstimatorMixin, BaseEstimator
):
    """Fit an estimator to the neighbours of each query, with more weight for near rows.

    By default this is locally weighted naive Bayes: the columns need to be
    conditionally independent only near the query. The method as published, with the
    plain local probabilities of 50 neighbours and a fixed m of naive Bayes, is
    ``LocallyWeightedEstimator(MEstimateNB(m=1.0, distribution="auto",
    feature_weights=None), n_neighbors=50, scale="range", m=0)``.

    Parameters
    ----------
    estimator : estimator or None, default=None
        A classifier or regressor whose ``fit`` takes ``sample_weight``; it is cloned
        for each query. None: ``MEstimateNB(m="loo", distribution="auto",
        feature_weights=None)``, whose m is chosen anew around each query.

    n_neighbors : int, float or None, default=100
        Number of nearest rows that a local fit uses; with sample weights, their total
        weight. A float is the fraction of all rows. None: all. Rows at the distance of
        the last neighbour all belong to the window and share what is left of the
        number, so the order of the training rows does not matter.

    kernel : str, default="triangular"
        Weight of a row as a function of u, its distance over that of the farthest
        neighbour: "triangular" 1 - u, "tricube" (1 - u³)³, "biweight" (1 - u²)²,
        "epanechnikov" 1 - u², "uniform" 1, "gaussian" exp(-u²/2), "inverse_square"
        1/u². Weights are multiplied so that their sum is the number of rows with weight
        above 0: an m-estimate then has the same influence as without weights.

    scale : {"ranks", "range", "std", "trimmed"}, array-like or None, default="ranks"
        How numbers are compared. "ranks": by their mean ranks among the training rows,
        interpolated for new numbers, and divided by the range of the ranks; so a few
        very large numbers do not make all others alike. The others are the divisors of
        the columns; None: columns are not scaled. The difference between strings,
        categories or booleans is 0 or 1, that between a missing value and any other
        is 1.

    m : float, default=1.0
        Weight of the class frequencies of all rows in the probabilities of a
        classifier: (n P + m p) / (n + m), with P the local probabilities, p these
        frequencies, and n the effective number of rows of the window, (Σw)² / Σw². So
        no class is impossible only because it is absent from a window. 0: the local
        probabilities.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same. For
        classifiers only.

    verbose : bool, default=False
        Whether to show a progress bar over the queries.

    n_jobs : int, default=None
        Number of processes for predictions (or of the workers of the backend set by
        :func:`joblib.parallel_config`).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted; for classifiers.
    class_prior_ : ndarray of shape (n_classes,)
        Their frequencies in the training rows; for classifiers.
    scale_ : ndarray of shape (n_features,), or "ranks"
        Divisors of the columns; 1 for those that hold no numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    LocallyWeightedRegressor : Local polynomials, many times faster.

    Notes
    -----
    All neighbours get the same weight if all weights are 0: those of "triangular" are,
    for example, if all neighbours are equally far. If all neighbours are of one class,
    that class is predicted, and nothing is fitted. A classifier without
    ``predict_proba`` predicts the class that the local classifier predicts, any other
    the most probable one by `predict_proba`.

    References
    ----------
    C. G. Atkeson, A. W. Moore and S. Schaal (1997), Locally weighted learning,
    Artificial Intelligence Review 11.

    E. Frank, M. Hall and B. Pfahringer (2003), Locally weighted naive Bayes, UAI.

    Examples
    --------
    The distances of the three rows nearest to 1.25 are 0.25, 0.75 and 1.25. Their u are
    1/5, 3/5 and 1, and their weights 0.8, 0.4 and 0:

    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn_bayeslazy import LocallyWeightedEstimator
    >>> X, y = [[1.0], [2.0], [0.0], [9.0]], [6.0, 3.0, 50.0, 90.0]
    >>> model = LocallyWeightedEstimator(DummyRegressor(), n_neighbors=3, scale=None)
    >>> model.fit(X, y).predict([[1.25]])  # (0.8 · 6 + 0.4 · 3) / 1.2
    array([5.])
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            None,
        ],
        "kernel": [StrOptions(set(KERNELS))],
        "scale": [
            StrOptions({"ranks", "range", "std", "trimmed"}),
            "array-like",
            None,
        ],
        "m": [Interval(Real, 0, None, closed="left")],
        "class_weight": CLASS_WEIGHTS,
        "verbose": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_neighbors=100,
        kernel="triangular",
        scale: ArrayLike | None = "ranks",
        m=1.0,
        class_weight=None,
        verbose=False,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.scale = scale
        self.m = m
        self.class_weight = class_weight
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Store the training rows.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Training rows: numbers, and strings, categories and missing values if the
            estimator takes them.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is equivalent to repetition.

        Returns
        -------
        self : LocallyWeightedEstimator

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        with all_or_nothing(self):
            if not takes_weights(self._base()):
                raise ValueError(
                    f"estimator={self.estimator!r} takes no sample_weight in fit, "
                    "which gives near rows more weight: choose an estimator that does. "
                    "A Pipeline does if metadata routing is enabled and its last step "
                    "requests them, by set_fit_request(sample_weight=True)."
                )
            if self.class_weight is not None and not is_classifier(self):
                raise ValueError(
                    f"class_weight={self.class_weight!r} is for classifiers, and "
                    f"estimator={self.estimator!r} is none: pass class_weight=None."
                )
            require_targets(self, y)
            X = self._check_X(X, reset=True)
            y = self._check_y(y)
            check_consistent_length(X, y)
            rows, weight = kept_rows(sample_weight, len(y))
            # Copies, so that later changes to the arguments do not change the model.
            rows = np.arange(len(y)) if rows is None else rows
            self._X, self._y = take_rows(X, rows), y[rows]
            if is_classifier(self):
                self.classes_, codes = encode_classes(self._y)
                self._y = codes.astype(np.int64)
                weight = times_class_weight(
                    weight, self.class_weight, self.classes_, self._y
                )
                counts = np.bincount(self._y, weight, len(self.classes_))
                self.class_prior_ = counts / counts.sum()
            is_whole = weight == np.floor(weight)
            copies = np.where(is_whole, np.minimum(weight, _MAX_COPIES), 1.0)
            self._copies = copies.astype(np.int64)
            _, allow_nan = self._reads()
            table = read_table(self._X)
            self._neighborhoods = Neighborhoods(
                table, self.scale, weight.copy(), allow_nan
            )
            self.scale_ = self._neighborhoods.scale
        return self

    def predict(self, X):
        """Return the predictions of the local estimators.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or targets.
        """
        check_is_fitted(self)
        if not is_classifier(self):
            return self._map_queries(X, _predict)
        if hasattr(self, "predict_proba"):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        return self.classes_[self._map_queries(X, _predict)]

    @available_if(lambda self: hasattr(self._base(), "predict_proba"))
    def predict_proba(self, X):
        """Return the local probabilities of the classes.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            With m = 0, 0 for classes that do not occur among the neighbours.
        """
        return self._map_queries(X, self._mix_probabilities)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy of a classifier, R² of a regressor.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        float
        """
        score = accuracy_score if is_classifier(self) else r2_score
        return score(y, self.predict(X), sample_weight=sample_weight)

    def local_estimator(self, X):
        """Return the estimator that is fitted around one query, for inspection.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (1, n_features)
            The query.

        Returns
        -------
        estimator
            Its classes are positions in `classes_`.
            :class:`~sklearn.dummy.DummyClassifier` if all neighbours are of one class.
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if X.shape[0] != 1:
            raise ValueError(f"X must be one row, got {X.shape[0]}.")
        return next(self._local_estimators(X))[0]

    @unavailable_because(_why_no_explanation)
    def explain(self, X):
        """Return what each cell adds to the log odds of the classes, from local models.

        The parts are those of the local classifier's ``explain``, which must be in
        log odds, as those of MEstimateNB and AODEClassifier are. One more part,
        "(all rows)", is the effect of the m-estimate, which pulls the local
        probabilities to the frequencies of all rows.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        Explanation
            Its scores are the logarithms of :meth:`predict_proba`.
        """
        check_is_fitted(self)
        rows = self._check_X(X, reset=False)
        queries = (take_rows(rows, slice(q, q + 1)) for q in range(rows.shape[0]))
        parts = [
            explain_local(
                local, query, np.log(self._mix_probabilities(local, query, n_effective))
            )
            for query, (local, n_effective) in zip(
                queries, self._local_estimators(rows)
            )
        ]
        return join_local(parts, X, names_of_columns(self), self.classes_)

    def _base(self):
        """Return the estimator that is cloned."""
        if self.estimator is not None:
            return self.estimator
        return MEstimateNB(m="loo", distribution="auto", feature_weights=None)

    def _reads(self):
        """Return whether the estimator reads labels, and whether missing values."""
        # A Pipeline does if its first step does, which its own tags do not tell. Nor do
        # those of a ColumnTransformer or a FeatureUnion tell what their parts do.
        first = self._base()
        tags = get_tags(first).input_tags
        while hasattr(first, "steps"):
            first = first.steps[0][1]
        if hasattr(first, "transformers") or hasattr(first, "transformer_list"):
            return True, True
        if first in (None, "passthrough") or not get_tags(first).input_tags.categorical:
            return tags.categorical, tags.allow_nan
        return True, get_tags(first).input_tags.allow_nan

    def _check_X(self, X, *, reset):
        """Return the checked rows, unchanged if columns may hold labels."""
        reads_labels, allow_nan = self._reads()
        if reset:
            self._takes_labels = reads_labels
        if self._takes_labels:
            return check_table(self, X, reset=reset)
        return check_rows(
            self,
            X,
            dtype=np.float64,
            order="C",  # as sums are rounded differently in another layout
            ensure_all_finite="allow-nan" if allow_nan else True,
            reset=reset,
        )

    def _check_y(self, y):
        """Return labels, or targets as floats."""
        if is_classifier(self):
            return label_column(y)
        multi_output = get_tags(self._base()).target_tags.multi_output
        y = check_numeric_targets(y)
        return y if multi_output and y.ndim == 2 else column_or_1d(y, warn=True)

    def _map_queries(self, X, predict_one):
        """Return an array of ``predict_one(local, query, n_effective)`` by query."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        m, n_tasks = X.shape[0], 4 * effective_n_jobs(self.n_jobs)
        size = max(-(-m // n_tasks), _MIN_QUERIES_PER_TASK)

        def predict(rows):
            queries = take_rows(X, rows)
            return [
                predict_one(local, take_rows(queries, slice(q, q + 1)), n_effective)
                for q, (local, n_effective) in enumerate(
                    self._local_estimators(queries)
                )
            ]

        tasks = slices_of(range(m), size)
        bar = tqdm(tasks, desc="predict", unit="part", disable=not self.verbose)
        results = list(chain(*map_results(predict, bar, n_jobs=self.n_jobs)))
        return self._check_finite(np.array(results))

    def _check_finite(self, results):
        """Return predictions or probabilities; raise an error if one is not finite."""
        # Those of an estimator may overflow, near numbers that float64 barely holds.
        if results.dtype.kind == "f" and not np.isfinite(results).all():
            finite = np.isfinite(results.reshape(len(results), -1)).all(axis=1)
            raise ValueError(
                f"The local fit of {self._base()!r} predicts values that are not "
                f"finite for row {np.argmin(finite)}: the numbers of X or y are too "
                "large or too small for it. Scale them, or use another estimator."
            )
        return results

    def _local_estimators(self, queries):
        """Yield the estimator around each query and its effective number of rows."""
        # A row of sample weight 2 is repeated, each copy with half of its local weight:
        # the estimator may leave out rows one by one, as m="loo" does.
        sample_weight = self._neighborhoods.sample_weight
        around = self._neighborhoods.around(queries, self.n_neighbors, self.kernel)
        for indices, weights in around:
            shares = weights / weights.sum()  # their squares do not overflow
            n_effective = weights.sum() / np.sum(
                shares * (weights / sample_weight[indices])
            )
            copies = self._copies[indices]
            indices = np.repeat(indices, copies)
            weights = np.repeat(weights / copies, copies)
            X, y = take_rows(self._X, indices), self._y[indices]
            if is_classifier(self) and np.all(y == y[0]):
                # Many classifiers refuse to fit a single class.
                yield DummyClassifier().fit(X, y), n_effective
            else:
                local = clone(self._base()).fit(X, y, sample_weight=weights)
                yield local, n_effective

    def _mix_probabilities(self, local, query, n_effective):
        """Return the probabilities of a local classifier as an m-estimate."""
        probabilities = self.m * self.class_prior_
        probabilities[local.classes_] += n_effective * local.predict_proba(query)[0]
        return probabilities / (n_effective + self.m)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = copy(inner.classifier_tags)
        tags.regressor_tags = copy(inner.regressor_tags)
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        tags.target_tags.required = True
        multi_output = inner.target_tags.multi_output
        is_regression = not is_classifier(self._base())
        tags.target_tags.multi_output = multi_output and is_regression
        inputs = tags.input_tags
        inputs.categorical, inputs.allow_nan = self._reads()
        tags.non_deterministic = inner.non_deterministic
        return tags


def _predict(local, query, n_effective):
    return local.predict(query)[0]
