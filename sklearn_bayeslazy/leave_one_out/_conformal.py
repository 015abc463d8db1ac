"""Intervals and sets that hold a new row with a given probability, by left-out rows.

The errors of left-out rows are like the error of a new row. So a bound that holds nine
tenths of the left-out rows should hold nine tenths of the new ones. An error is divided
by a local scale, the mean size of the errors of similar rows without the row itself.
So an interval is wide where the noise is.

Sources: V. Vovk, A. Gammerman and G. Shafer (2005), Algorithmic learning in a random
world; J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani and L. Wasserman (2018),
Distribution-free predictive inference for regression, JASA 113; Y. Romano, M. Sesia and
E. Candès (2020), Classification with valid and adaptive coverage, NeurIPS.
"""

from numbers import Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import as_float_array
from .._core._familiar_names import FamiliarNamesMixin
from .._core._kernel import frozen
from .._core._parallel import map_chunks, slices_of
from .._core._warnings import warn_caller
from ..search import (
    DenseSearch,
    EngineSearch,
    Metric,
    WeightedK,
    no_exclusions,
    wants_tree,
)
from ..tabular import row_weight

# Numbers of rows around a query whose errors may determine its scale, at most half of
# the rows. The errors of fewer rows say little.
_KS = (20, 40, 80, 160, 320)
# A scale counts the mean size of all errors like this number of rows: it is never 0.
_PRIOR_ROWS = 2.0
# Predictions of queries without each row that are held at a time.
_MAX_CELLS = 2**22
# Sums of weights are off by rounding errors.
_ROUNDING = 1e-12


def check_coverage(coverage):
    """Raise an error unless a coverage lies between 0 and 1."""
    if not (isinstance(coverage, Real) and 0 < coverage < 1):
        raise ValueError(f"coverage must lie between 0 and 1, got {coverage!r}.")


def within_bounds(found, bounds):
    """Return numbers cut to the smallest and the largest that a target can be.

    >>> within_bounds(np.array([-1.0, 3.0]), (0, np.inf))
    array([0., 3.])
    """
    # bounds: as given by the user, or None.
    if bounds is None:
        return found
    limits = as_float_array(bounds, "bounds", "two numbers, (lowest, highest)")
    if limits.shape != (2,) or not limits[0] < limits[1]:  # neither is NaN
        raise ValueError(
            "bounds must be the smallest and the largest number that the target can "
            f"be, in this order, such as (0, np.inf), got {bounds!r:.200}."
        )
    return np.clip(found, *limits)


class ScoreDistribution:
    """The scores of left-out rows, and where that of a new row lies.

    Of nine rows and a new one, each rank of the new one has probability 1/10:

    >>> scores = ScoreDistribution(np.arange(9.0), np.ones(9))
    >>> scores.bound(0.9), scores.bound(0.8), scores.bound(0.95)
    (8.0, 7.0, inf)
    >>> float(scores.quantile(0.25))  # rank .25 · 10: between second and third
    1.5
    """

    # scores, weight: (m,). The weight of the new row is that of one row.

    def __init__(self, scores, weight):
        order = np.argsort(scores, kind="stable")
        self.scores, self._reached = scores[order], np.cumsum(weight[order])
        self._total = self._reached[-1] + row_weight(weight)

    def bound(self, coverage):
        """Return the smallest score that a new one exceeds at most as often."""
        at = np.searchsorted(self._reached, self._rank(coverage))
        return float(self.scores[at]) if at < len(self.scores) else np.inf

    def are_within(self, coverage, scores, share):
        """Return whether scores, of one new row each, are among the smallest."""
        # share: how much of the new row and of those of the same score is smaller. At
        # 0, scores up to `bound` are among the smallest; uniformly random shares make
        # the probability of that exactly `coverage`.
        reached = np.append(0.0, self._reached)
        smaller, not_larger = (
            reached[np.searchsorted(self.scores, scores, side)]
            for side in ("left", "right")
        )
        unit = self._total - reached[-1]
        return smaller + share * (not_larger - smaller + unit) < self._rank(coverage)

    def _rank(self, coverage):
        return coverage * self._total * (1 - _ROUNDING)

    def quantile(self, q):
        """Return quantiles, interpolated between neighbouring scores."""
        return np.interp(q * self._total, self._reached, self.scores)


def bound_each(values, weight, coverage):
    """Return the bound of `ScoreDistribution` for each row of values.

    >>> bound_each(np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]]), np.ones(3), 0.5)
    array([2., 5.])
    """
    # values: (m, n); weight: (n,).
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(weight[order], axis=1)
    rank = coverage * (weight.sum() + row_weight(weight)) * (1 - _ROUNDING)
    at = np.sum(reached < rank, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    ordered = np.hstack([ordered, np.full((len(values), 1), np.inf)])
    return ordered[np.arange(len(values)), at]


# Local scales of errors.


class LeftOutNumbers(NamedTuple):
    """Left-out rows of a regression, and a search for the rows around a query."""

    rows: np.ndarray  # (m,), which of the n training rows were left out, ascending
    predictions: np.ndarray  # (m, V), each by the model without the row
    targets: np.ndarray  # (m, V)
    weight: np.ndarray  # (n,), of the training rows
    search: object  # among the training rows
    queries: object  # the training rows as its queries
    inflation: float = 1.0  # of the errors, see `choice_inflation`
    by_prediction: bool = False  # whether the search is among left-out predictions


def point_search(points):
    """Return a search by Euclidean distances, whose queries are points as well."""
    points = frozen(points, np.float64)
    metric = Metric("euclidean", largest=np.abs(points).max(initial=0.0))
    tree = wants_tree(*points.shape)
    return DenseSearch(metric, points, [np.arange(len(points))], tree)


def numbers_by_prediction(points, weights, y, weight, copy_of):
    """Return `LeftOutNumbers` of rows that are near where predictions are alike."""
    # points: (n, n_members), the left-out predictions of members; weights:
    # (n_members,), of which they are the sum; y, weight: (n,); copy_of: (n,), a number
    # for each row, the same for copies that were left out together.
    rows, weight = _merged(copy_of, weight)
    points, y = points[rows], y[rows]
    search = point_search(points)
    return LeftOutNumbers(
        np.arange(len(y)),
        (points @ weights)[:, None],
        y[:, None],
        weight,
        search,
        search.training_queries(),
        by_prediction=True,
    )


def _merged(copy_of, weight):
    """Return the first row of each number, and the weights of all its rows."""
    _, rows, of_row = np.unique(copy_of, return_index=True, return_inverse=True)
    return rows, np.bincount(of_row, weight)


class _LocalMeans:
    """The mean size of the errors around queries, over the best number of rows."""

    # queries, rows, errors, weight: of the m rows whose errors are known;
    # by_prediction: whether the search is among left-out predictions. left_out: (m,),
    # the mean around each of them, without its own error.

    def __init__(self, search, queries, rows, by_prediction, errors, weight, n_jobs):
        self.search, sizes = search, np.abs(errors)
        self._known = np.zeros((3, search.n_rows))
        self._known[:, rows] = sizes * weight, errors * weight, weight
        total, unit = weight.sum(), row_weight(weight)
        self._mean, self._prior = sizes @ weight / total, _PRIOR_ROWS * unit
        self.k, self.left_out = None, np.full(len(rows), self._mean)
        others = (sizes @ weight - sizes * weight) / np.maximum(total - weight, unit)
        if others.min() <= 0:  # no row has an error, or one has
            self._mean = self._mean or 1.0
            self.left_out[:] = self._mean
            return
        ks = [k for k in _KS if 2 * k <= len(rows)]
        found, shift = np.zeros((2, 1 + len(ks), len(rows)))
        found[0] = others
        self._fill(found[1:], shift[1:], queries, rows, ks, others, n_jobs)
        # Without a row its prediction moves away from its target. Among rows that are
        # alike the prediction then tells the error, though not that of a new row.
        # Errors of one sign show that: around their mean they spread little.
        spread = found - (1 - _ROUNDING) * np.abs(shift) if by_prediction else found
        # The log likelihood of errors that have Laplace's distribution.
        best = np.argmin((np.log(spread) + sizes / spread) @ weight)
        self.k, self.left_out = [None, *ks][best], found[best]

    def around(self, queries, n_jobs):
        """Return the mean around each query, (m,)."""
        m = queries.shape[0]
        found, shift, mean = np.full((3, 1, m), self._mean)
        ks = [] if self.k is None else [self.k]
        self._fill(found, shift, queries, no_exclusions(m), ks, mean[0], n_jobs)
        return found[0]

    def _fill(self, found, shift, queries, exclude, ks, mean, n_jobs):
        """Write mean sizes and errors over k rows, (m,) each, for ascending ks."""
        if not ks:
            return
        weighted_k = WeightedK.of_rows(ks[-1], self.search.n_rows)

        def fill(rows):
            lists = self.search.nearest(queries, rows, weighted_k, exclude[rows])
            for sizes, errors, k in zip(found, shift, ks):
                sizes[rows], errors[rows] = self._means(lists, k, mean[rows])

        is_engine = isinstance(self.search, EngineSearch)
        map_chunks(
            fill,
            len(exclude),
            80 * weighted_k.width,
            n_jobs=1 if is_engine else n_jobs,
            uses_blas=getattr(self.search, "by_products", False),
        )

    def _means(self, lists, k, mean):
        # A row counts the less the farther it is, and the last one nothing: so it does
        # not matter which of several rows at this distance are listed.
        present = np.arange(lists.indices.shape[1])[:k] < lists.counts[:, None]
        reduced = np.where(present, lists.reduced[:, :k], np.inf)
        indices = np.where(present, lists.indices[:, :k], 0)
        last = reduced[:, -1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(reduced < last, 1 - reduced / last, 0.0)
        sizes, errors, total = np.sum(self._known[:, indices] * share, axis=2)
        total += self._prior
        return (sizes + self._prior * mean) / total, errors / total


class ErrorModel:
    """The errors of one output: their scale at a query, and their distribution."""

    # The scale depends on the prediction, and what this leaves on the rows around.

    def __init__(self, left_out, output, n_jobs):
        rows, predictions = left_out.rows, left_out.predictions[:, [output]]
        errors = left_out.targets[:, output] - predictions[:, 0]
        weight, scale = left_out.weight[rows], np.ones(len(rows))
        search = point_search(predictions)
        spaces = [
            (search, search.training_queries(), np.arange(len(rows)), True),
            (left_out.search, left_out.queries[rows], rows, left_out.by_prediction),
        ]
        self._means = []
        for space in spaces:
            means = _LocalMeans(*space, errors / scale, weight, n_jobs)
            self._means.append(means)
            scale = scale * means.left_out
        self.scores, self._weight = errors / scale * left_out.inflation, weight
        self.rows = rows

    def scale(self, predictions, queries, n_jobs):
        """Return the scale of the errors, (m,), of some predictions and queries."""
        by_prediction, by_rows = self._means
        points = frozen(predictions[:, None], np.float64)
        return by_prediction.around(points, n_jobs) * by_rows.around(queries, n_jobs)

    def bounds(self, coverage, predictions=0.0, scale=1.0):
        """Return the lower and the upper bounds of m queries, (m,) each."""
        # predictions: (m, n), without the row of each score; scale: (m, 1). By default
        # the bounds are those of the scores, m = 1.
        # Each side may be exceeded by half of the rest. Where the rows are too few to
        # bound a side, both have the same size, infinite if this cannot be bounded.
        scores = scale * self.scores[None]
        half = (1 + coverage) / 2
        lower = -bound_each(-(predictions + scores), self._weight, half)
        upper = bound_each(predictions + scores, self._weight, half)
        if np.isinf(lower).any() or np.isinf(upper).any():
            sizes = np.abs(scores)
            lower = -bound_each(sizes - predictions, self._weight, coverage)
            upper = bound_each(predictions + sizes, self._weight, coverage)
        return lower, upper

    def bounds_around_0(self, coverage):
        """Return the bounds of the scores, which hold that of the prediction itself."""
        # Without its row a prediction moves away from the target, and the scale grows
        # where most errors are small: both by about one row's share. If nearly all
        # errors have one sign, bounds of them alone would miss most targets by that.
        lower, upper = self.bounds(coverage)
        if lower <= 0 <= upper:
            return lower, upper
        grown = 1 + row_weight(self._weight) / self._weight.sum()
        return np.minimum(grown * lower, 0), np.maximum(grown * upper, 0)

    def quantiles(self, q):
        """Return quantiles of the scores, of the shape of q."""
        return ScoreDistribution(self.scores, self._weight).quantile(q)


class PredictionIntervalMixin(FamiliarNamesMixin):
    """Intervals and quantiles of new observations, by the errors of left-out rows."""

    # A subclass has `n_jobs`, for y of one or two dimensions `_is_single_output`, and
    # - `_left_out_numbers()`, which returns `LeftOutNumbers`,
    # - `_predictions_and_queries(X)`: predictions (m, V), and X as queries of the
    #   search of the left-out rows,
    # - `_predictor_without(rows)`, if method="jackknife+" is to work: a function of m
    #   queries, whose predictions it returns by the models without each of n training
    #   rows, (m, n, V).
    # `all_or_nothing` drops what is kept in `_conformal`.

    _conformal = None
    _is_single_output = True

    def prediction_interval(self, X, coverage=0.9, method="jackknife", *, bounds=None):
        """Return bounds that hold a new observation with a given probability.

        The bounds are f(x) + s(x) a and f(x) + s(x) b. The scores a and b are those
        between which the scores (y - f(x)) / s(x) of left-out training rows lie, each
        predicted without itself: as many are below a as are above b. If a > 0 or b < 0,
        it becomes 0, so that the bounds hold f(x), and the other one grows by the share
        of one row. The scale s(x) is the mean size of the errors of rows with similar
        predictions, times that of the rows around x relative to it. How many rows are
        similar is chosen by leave-one-out; all rows may be.

        Parameters
        ----------
        X : object
            Queries, as `predict` takes them.
        coverage : float, default=0.9
            Probability that an observation lies within the bounds, between 0 and 1.
        method : {"jackknife", "jackknife+"}, default="jackknife"
            "jackknife+": in place of f(x) each score has the prediction at x by the
            model without its row, computed exactly [1]_. With fixed parameters and
            scales the bounds hold an observation with a probability of 2 coverage - 1
            at least, whatever the model. In tables of more than a hundred rows the
            bounds hardly differ, and take longer.
        bounds : (float, float), default=None
            The smallest and the largest number that the target can be, such as (0,
            np.inf).

        Returns
        -------
        lower, upper : ndarrays of the shape of the predictions
            Infinite if there are too few rows, fewer than coverage / (1 - coverage).

        References
        ----------
        .. [1] R. Barber, E. Candès, A. Ramdas and R. Tibshirani (2021), Predictive
           inference with the jackknife+, Annals of Statistics 49.
        """
        check_coverage(coverage)
        if method == "jackknife+":
            return self._jackknife_plus(X, coverage, bounds)
        if method != "jackknife":
            raise ValueError(
                f"method must be 'jackknife' or 'jackknife+', got {method!r}."
            )
        scores = [errors.bounds_around_0(coverage) for errors in self._error_models()]
        return self._at_scores(X, np.array(scores)[..., 0].T, bounds)

    def _predictor_without(self, rows):
        raise ValueError(
            f"method='jackknife+' needs predictions without each row, which "
            f"{type(self).__name__} cannot compute: use method='jackknife'."
        )

    def _jackknife_plus(self, X, coverage, bounds):
        models = self._error_models()
        predictions, queries = self._predictions_and_queries(X)
        m, n_outputs = predictions.shape
        found = np.empty((2, m, n_outputs))
        rows = models[0].rows
        predict_without = self._predictor_without(rows)
        step = max(_MAX_CELLS // (len(rows) * n_outputs), 1)
        for some in slices_of(range(m), step):
            without = predict_without(queries[some])
            for v, errors in enumerate(models):
                scale = errors.scale(predictions[some, v], queries[some], self.n_jobs)
                found[:, some, v] = errors.bounds(
                    coverage, without[..., v], scale[:, None]
                )
        found = within_bounds(found, bounds)
        return tuple(found[..., 0] if self._is_single_output else found)

    def predict_quantile(self, X, q=0.5):
        """Return quantiles of new observations.

        The quantile is f(x) + s(x) a, with the scale s(x) of
        :meth:`prediction_interval`, and a the quantile of the scores of the left-out
        training rows.

        Parameters
        ----------
        X : object
            Queries, as `predict` takes them.
        q : float or array-like of shape (n_quantiles,), default=0.5
            Probabilities that an observation is below the quantile, from 0 to 1.

        Returns
        -------
        ndarray of the shape of the predictions, one more axis at the end for several q
        """
        q = np.asarray(q, dtype=np.float64)
        if q.ndim > 1 or not np.all((q >= 0) & (q <= 1)):
            raise ValueError(f"q must be one or several numbers from 0 to 1, got {q}.")
        models = self._error_models()
        scores = np.array([errors.quantiles(q.ravel()) for errors in models]).T
        found = np.stack(self._at_scores(X, scores), axis=-1)
        return found if q.ndim else found[..., 0]

    def _error_models(self):
        """Return an `ErrorModel` for each output, kept until the next fit."""
        check_is_fitted(self)
        if self._conformal is None:
            left_out = self._left_out_numbers()
            outputs = range(left_out.targets.shape[1])
            self._conformal = [ErrorModel(left_out, v, self.n_jobs) for v in outputs]
        return self._conformal

    def _at_scores(self, X, scores, bounds=None):
        """Return what has each of some scores (n_scores, V), in the shape of y."""
        predictions, queries = self._predictions_and_queries(X)
        scale = np.column_stack(
            [
                errors.scale(column, queries, self.n_jobs)
                for errors, column in zip(self._error_models(), predictions.T)
            ]
        )
        found = within_bounds(predictions + scale * scores[:, None, :], bounds)
        return tuple(found[..., 0] if self._is_single_output else found)


# Sets of classes.


class PredictionSetMixin(FamiliarNamesMixin):
    """Sets of classes that hold the true one, by probabilities of left-out rows."""

    # A subclass has `classes_`, `predict_proba`, also of None, and
    # `_left_out_classes()`, which returns the codes and the weights (n,) of the rows of
    # ``predict_proba(None)``, and the index by which `without_copies` repeats copies;
    # or its own `_left_out_probabilities`. `all_or_nothing` drops what is kept in
    # `_conformal`.

    _conformal = None

    def prediction_set(
        self,
        X,
        coverage=0.9,
        method="adaptive",
        *,
        class_conditional=False,
        randomize=False,
        random_state=None,
    ):
        """Return sets of classes that hold the true one with a given probability.

        A class belongs to the set if the score of this class is at least a threshold.
        The threshold is the score that a share `coverage` of the training rows reaches
        for its true class, each predicted without itself and its copies
        (:ref:`weights-and-copies`), which count as one row.

        Parameters
        ----------
        X : object
            Rows, as `predict_proba` takes them.
        coverage : float, default=0.9
            Probability that the true class is in the set, between 0 and 1.
        method : {"adaptive", "least_ambiguous"}, default="adaptive"
            "least_ambiguous": the score of a class is its probability. The sets are as
            small as possible on average, and may be empty. "adaptive": the score is
            half of its probability and the sum of the probabilities of less probable
            classes, so that rows that are hard to classify have large sets. The most
            probable class is always in the set: where it is the true one more often
            than `coverage`, so is the true one in the set.
        class_conditional : bool, default=False
            Whether rows of each class have the coverage, and not only all together:
            each class then has a threshold by its own rows. A class of fewer than
            coverage / (1 - coverage) rows is in all sets, of which a warning tells,
            unless `randomize` takes some out.
        randomize : bool, default=False
            Whether chance decides on the classes at the threshold, so that sets hold
            the true class as often as `coverage` says, and not more often. The score of
            "adaptive" then has a random share of the probability instead of half of
            it, and its sets may be empty.
        random_state : int, RandomState instance or None, default=None
            Draws the shares of `randomize`; an int gives the same sets at each call.

        Returns
        -------
        bool ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        check_coverage(coverage)
        if method not in ("adaptive", "least_ambiguous"):
            raise ValueError(
                f"method must be 'adaptive' or 'least_ambiguous', got {method!r}."
            )
        check_is_fitted(self)
        probabilities = self.predict_proba(X)
        if isinstance(probabilities, list):
            raise ValueError("prediction_set needs one output, and y had several.")
        left_out, codes, weight = self._left_out_rows()
        share_of_equals, *shares = 0.0, 0.5, 0.5
        if randomize:
            rng = check_random_state(random_state)
            n_left_out, n = len(left_out), len(probabilities)
            shares = rng.uniform(size=(n_left_out, 1)), rng.uniform(size=(n, 1))
            share_of_equals = rng.uniform(size=(n, 1))
        known, scores = left_out, probabilities
        if method == "adaptive":
            known, scores = map(_adaptive_scores, (left_out, probabilities), shares)
        known = known[np.arange(len(codes)), codes]
        groups, rare = [(slice(None), slice(None))], []
        if class_conditional:
            groups = ((codes == c, [c]) for c in range(scores.shape[1]))
        found = np.ones(scores.shape, dtype=bool)
        for rows, columns in groups:
            if len(known[rows]):
                distribution = ScoreDistribution(-known[rows], weight[rows])
                if randomize or distribution.bound(coverage) < np.inf:
                    found[:, columns] = distribution.are_within(
                        coverage, -scores[:, columns], share_of_equals
                    )
                    continue
            rare.append(self.classes_[columns])
        if rare and class_conditional:
            warn_caller(
                f"The classes {np.concatenate(rare).tolist()} have too few rows for "
                f"coverage={coverage:g}, and are in all sets."
            )
        if method == "adaptive" and not randomize:
            found |= probabilities == probabilities.max(axis=1, keepdims=True)
        return found

    def _left_out_rows(self):
        """Return probabilities, codes and weights of left-out rows, copies as one."""
        if self._conformal is None:
            found, codes, weight, merged = self._left_out_probabilities()
            rows, weight = _merged(merged, weight)
            self._conformal = found[rows], codes[rows], weight
        return self._conformal

    def _left_out_probabilities(self):
        """Return the probabilities of left-out rows, their codes and their weights."""
        # And a number for each row, the same for copies that were left out together.
        probabilities = self.predict_proba(None)
        codes, weight, of_given = self._left_out_classes()
        merged = np.arange(len(codes))[of_given]
        known = ~np.isnan(probabilities).any(axis=1)
        return probabilities[known], codes[known], weight[known], merged[known]


def _adaptive_scores(probabilities, share):
    """Return a share of each probability and the sum of the smaller ones of the row.

    >>> _adaptive_scores(np.array([[0.5, 0.25, 0.25]]), 0.5)  # 1/4 + 1/2, 1/8, 1/8
    array([[0.75 , 0.125, 0.125]])
    """
    # (n, n_classes); share: a number or (n, 1). Sums of small probabilities keep digits
    # that 1 - sums would lose.
    order = np.argsort(probabilities, axis=1)
    ascending = np.take_along_axis(probabilities, order, axis=1)
    below = np.zeros_like(ascending)
    np.cumsum(ascending[:, :-1], axis=1, out=below[:, 1:])
    is_first = np.ones(below.shape, dtype=bool)  # of equal probabilities
    is_first[:, 1:] = ascending[:, 1:] > ascending[:, :-1]
    positions = np.where(is_first, np.arange(below.shape[1]), 0)
    first = np.maximum.accumulate(positions, axis=1)
    found = np.empty_like(probabilities)
    np.put_along_axis(found, order, np.take_along_axis(below, first, axis=1), axis=1)
    return found + share * probabilities
