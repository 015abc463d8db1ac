"""Leave-one-out for local regression: each row is predicted from the other rows.

The row is taken out of its window and the polynomial is fitted again. This is exact
even if the window changes with the row, as that of the k nearest rows does. The windows
of all k are the beginnings of one sorted list.
"""

from collections import defaultdict

import numpy as np

from ...leave_one_out import choice_inflation, group_sums, loss_groups, rank_candidates
from ...tabular import row_weight
from ._fit_kernels import count_terms
from ._kernel_arguments import Queries
from ._local_fits import LocalFitSettings
from ._wide_fits import are_wide
from ._windows import WindowSize

# Leave-one-out is refused above this number of multiplications in the solution of
# systems of equations: about a quarter of an hour on one thread.
MAX_MULTIPLICATIONS = 1e12


class LeftOutFits:
    """Predicts left-out rows under candidates, and compares these by the errors."""

    # parameters: dict of those in LOO_PARAMETERS; candidates: dicts of the values that
    # replace some. map_rows(function, n_rows, bytes_per_row) calls function(slice of
    # the rows).
    # inflation: that of the last choice, see `choice_inflation`.

    inflation = 1.0

    def __init__(self, solver, kernel, parameters, map_rows, candidates=({},)):
        self.solver, self.kernel, self.map_rows = solver, kernel, map_rows
        self.candidates = candidates
        self._complete = [{**parameters, **candidate} for candidate in candidates]
        self._by_window = defaultdict(list)
        for i, candidate in enumerate(self._complete):
            window = candidate["n_neighbors"], candidate["bandwidth"]
            self._by_window[window].append(i)
        finder = solver.finder
        self._total_weight = finder.sample_weight.sum()
        sizes = {window: finder.size(*window) for window in self._by_window}
        self._listed = {w for w, size in sizes.items() if not finder.scans(size)}
        weighted_k = None  # up to which rows are listed, if any window needs a list
        if self._listed:
            max_k = max(sizes[window].k for window in self._listed)
            weighted_k = finder.weighted_k(WindowSize(max_k))
        self._weighted_k = weighted_k
        self._bytes_per_query = solver.bytes_per_query(weighted_k)

    def compare(self, left_out):
        """Return the best candidate and the results of all."""
        # left_out: (m,).
        finder = self.solver.finder
        left_out = left_out[finder.query_order(finder.take(left_out))]
        _refuse_too_many_terms(self._complete, finder, len(left_out))
        scores = np.empty((len(self.candidates), len(left_out)))

        def score(rows):
            some = left_out[rows]
            errors = self._predict(some, finder.take(some)) - self.solver.targets[some]
            scores[:, rows] = np.mean(errors**2, axis=2)  # over the targets

        self.map_rows(score, len(left_out), self._bytes_per_query)
        scores[np.isnan(scores)] = np.inf  # all weights vanish
        weight = finder.sample_weight[left_out]
        best, results = rank_candidates(
            self.candidates, {"squared_error": scores}, weight, [("squared_error", -1)]
        )
        self.inflation = choice_inflation(
            group_sums(scores, weight, loss_groups(scores))
        )
        if np.isinf(results["mean_squared_error"][best]):
            raise ValueError(
                "Under every candidate all weights underflow for some row that is left "
                "out: give a larger bandwidth (in loo_candidates, if bandwidth='loo'), "
                "or n_neighbors too."
            )
        return self.candidates[best], results

    def predictions(self, left_out, points=None):
        """Return predictions without each of some rows, (m, n_targets)."""
        # By the first candidate. points: (m, d), by default these rows.
        finder = self.solver.finder
        points = finder.take(left_out) if points is None else points
        order = finder.query_order(points)
        predictions = np.empty((len(order), self.solver.targets.shape[1]))

        def predict(rows):
            some = order[rows]
            predictions[some] = self._predict(left_out[some], points[some])[0]

        self.map_rows(predict, len(order), self._bytes_per_query)
        return predictions

    def _predict(self, left_out, points):
        """Return predictions without rows, of shape (n_candidates, m, n_targets)."""
        # left_out: (m,); points: (m, d). NaN if all weights vanish.
        finder = self.solver.finder
        queries = Queries.at(points, left_out, leave_one_out=True)
        lists = finder.neighbor_lists(queries.points, self._weighted_k, left_out)
        remaining = self._total_weight - finder.sample_weight[left_out]
        if finder.has_unit_weights:
            remaining = remaining[0]
        shape = len(self.candidates), len(left_out), self.solver.targets.shape[1]
        predictions = np.empty(shape)
        for window, numbers in self._by_window.items():
            size = finder.size(*window, remaining)
            polynomials = [_polynomial(self._complete[i]) for i in numbers]
            distinct = tuple(sorted(set(polynomials)))
            fits = self.solver.solve(
                queries,
                size,
                LocalFitSettings(self.kernel, distinct),
                lists if window in self._listed else None,
                may_vanish=True,
            )
            found = fits.predictions.reshape(shape[1], len(distinct), -1)
            which = [distinct.index(polynomial) for polynomial in polynomials]
            predictions[numbers] = found.swapaxes(0, 1)[which]
        return predictions


def _polynomial(candidate):
    """Return degree and ridge of a candidate; a mean has no slopes to shrink."""
    degree = int(candidate["degree"])
    return degree, float(candidate["ridge"]) if degree else 0.0


def _refuse_too_many_terms(candidates, finder, n_left_out):
    """Raise an error if the systems of equations would take too long to solve."""
    # Cholesky's method takes p³/6 multiplications for p unknowns.
    n_features = finder.shape[1]
    terms = [count_terms(n_features, candidate["degree"]) for candidate in candidates]
    unknowns = [_count_unknowns(candidate, finder) for candidate in candidates]
    n_multiplications = n_left_out * sum(p**3 / 6 for p in unknowns)
    if n_multiplications > MAX_MULTIPLICATIONS:
        largest = int(np.argmax(unknowns))
        raise ValueError(
            f"A polynomial of degree={candidates[largest]['degree']} in {n_features} "
            f"columns (symbols as indicators) has {terms[largest]} terms. Leave-one-"
            f"out would solve {n_left_out * len(terms)} systems of equations of up to "
            "this size. Set degree='loo', which leaves such polynomials out, or "
            "degree=0; or give fewer loo_candidates or a lower loo_max_samples."
        )


def _count_unknowns(candidate, finder):
    """Return the number of unknowns of a fit."""
    n_rows, n_features = finder.shape
    n_terms = count_terms(n_features, candidate["degree"])
    if not are_wide([(candidate["degree"], candidate["ridge"])], n_features):
        return n_terms
    k = finder.size(candidate["n_neighbors"], candidate["bandwidth"]).k
    if k is not None:
        n_rows = min(k / row_weight(finder.sample_weight), n_rows)
    return min(n_terms, n_rows)
