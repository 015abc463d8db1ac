"""What the networks of radial basis functions share: centres, widths, the choice."""

from abc import ABCMeta
from collections import defaultdict
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..._arrays import as_float_array
from ..._compat import Interval, StrOptions
from ..._estimator import DocLinkMixin
from ..._kernel import frozen
from ..._leave_one_out import (
    candidate_grid,
    check_rows_remain,
    rank_candidates,
    rows_to_leave_out,
)
from ..._parallel import map_chunks
from .._scales import column_scales
from ._basis_ridge import Basis, BasisRidge
from ._centers import find_centers, local_widths
from ._rbf_kernels import answers_of

DEFAULTS = {
    "n_centers": (10, 30, 100),
    "overlap": (1.0, 2.0, 4.0),
    "ridge": (1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
}
_ALLOWED = {
    "n_centers": (lambda k: isinstance(k, Integral) and k >= 1, "integers ≥ 1"),
    "overlap": (
        lambda factor: isinstance(factor, Real) and 0 < factor < np.inf,
        "finite numbers above 0",
    ),
    "ridge": (
        lambda ridge: isinstance(ridge, Real) and 0 <= ridge < np.inf,
        "finite numbers ≥ 0",
    ),
}


class RBFNetwork(DocLinkMixin, BaseEstimator, metaclass=ABCMeta):
    """A ridge regression on radial basis functions."""

    _parameter_constraints = {
        "n_centers": [Interval(Integral, 1, None, closed="left"), StrOptions({"loo"})],
        "centers": [StrOptions({"kmeans"}), "array-like"],
        "width": [
            StrOptions({"global", "local"}),
            Interval(Real, 0, None, closed="neither"),
            "array-like",
        ],
        "overlap": [Interval(Real, 0, None, closed="neither"), StrOptions({"loo"})],
        "ridge": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "scale": [StrOptions({"std", "trimmed", "range"}), "array-like", None],
        "loo_candidates": [dict, None],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_centers="loo",
        *,
        centers="kmeans",
        width="global",
        overlap="loo",
        ridge="loo",
        scale="std",
        loo_candidates=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.overlap = overlap
        self.ridge = ridge
        self.scale = scale
        self.loo_candidates = loo_candidates
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, X, targets, weight):
        """Find centres and widths, choose what is to be chosen, keep the answer."""
        self.scale_ = column_scales(self.scale, X, weight)
        with np.errstate(over="ignore"):
            rows = X / self.scale_
        if not np.isfinite(rows).all():
            raise ValueError(
                "Rows overflow once divided by scale: give a larger scale."
            )
        vars(self).pop("loo_results_", None)
        bases = _Bases(self, rows, weight)
        settled = {name: getattr(self, name) for name in DEFAULTS}
        if bases.given is not None:
            settled["n_centers"] = len(bases.given)
        if not isinstance(self.width, str):
            settled["overlap"] = 1.0
        tuned = [name for name, value in settled.items() if value == "loo"]
        if tuned:
            settled |= self._choose(settled, tuned, bases, targets)
        basis = bases.of(settled["n_centers"], settled["overlap"])
        ridge = BasisRidge(basis, rows, targets, weight)
        self._basis = basis
        self._coef, self._intercept = ridge.coefficients(settled["ridge"])
        self.n_centers_ = len(basis.centers)
        self.overlap_, self.ridge_ = float(settled["overlap"]), float(settled["ridge"])
        self.centers_, self.widths_ = basis.centers * self.scale_, basis.widths

    def _choose(self, settled, tuned, bases, targets):
        """Return the candidate that is best by leave-one-out, and keep the curve."""
        rows, weight = bases.rows, bases.weight
        check_rows_remain(len(weight), tuned)
        candidates = self._candidates(tuned, weight.sum())
        left_out = rows_to_leave_out(len(rows), self.loo_max_samples, self.random_state)
        some = rows[left_out], targets[left_out], weight[left_out]
        by_basis = defaultdict(dict)
        for place, one in enumerate(candidates):
            now = settled | one
            by_basis[now["n_centers"], now["overlap"]][place] = now["ridge"]
        scores = defaultdict(lambda: np.empty((len(candidates), len(left_out))))
        for (n_centers, overlap), ridges in by_basis.items():
            regression = BasisRidge(bases.of(n_centers, overlap), rows, targets, weight)
            answers = regression.left_out(list(ridges.values()), *some)
            for place, answer in zip(ridges, answers):
                for name, values in self._scores(answer, some[1]).items():
                    scores[name][place] = values
        best, self.loo_results_ = rank_candidates(
            candidates, scores, some[2], [("squared_error", -1)]
        )
        return candidates[best]

    def _candidates(self, tuned, mass):
        defaults = {name: list(DEFAULTS[name]) for name in tuned}
        if "n_centers" in tuned:
            few = [k for k in DEFAULTS["n_centers"] if k <= mass / 2]
            defaults["n_centers"] = few or [1]
        return candidate_grid(defaults, self.loo_candidates, _ALLOWED)

    def _scores(self, answers, targets):
        """Return the scores of left-out answers (m, V), by name; NaN is worst."""
        with np.errstate(over="ignore"):
            squares = np.mean((answers - targets) ** 2, axis=1)
        return {"squared_error": np.where(np.isnan(squares), np.inf, squares)}

    def _outputs(self, X):
        """Return the outputs of the network, of shape (m, V)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        outputs = np.empty((len(X), len(self._coef)))

        def answer(rows):
            with np.errstate(over="ignore"):
                here = X[rows] / self.scale_
            if not np.isfinite(here).all():
                raise ValueError("Queries overflow once divided by scale_.")
            answers_of(
                frozen(self._basis.values(here), np.float64),
                frozen(self._coef, np.float64),
                frozen(self._intercept, np.float64),
                outputs[rows],
            )

        bytes_per_row = 8 * (len(self._basis.centers) + 2 * X.shape[1])
        map_chunks(answer, len(X), bytes_per_row, n_jobs=self.n_jobs)
        return outputs


class _Bases:
    """Basis functions for training rows: centres are found once for each number."""

    def __init__(self, network, rows, weight):
        self.rows, self.weight = rows, weight
        self._width = network.width
        if not isinstance(self._width, str):
            self._width = as_float_array(self._width, "width")
            if not np.all((self._width > 0) & (self._width < np.inf)):
                raise ValueError("width must hold finite numbers above 0.")
        self.given = None
        if not isinstance(network.centers, str):
            self.given = self._scaled(network.centers, network.scale_)
        self._found = {}

    def _scaled(self, centers, scale):
        centers = as_float_array(centers, "centers")
        d = len(scale)
        if centers.ndim != 2 or centers.shape[1] != d or not len(centers):
            raise ValueError(
                f"centers has shape {centers.shape}; X has {d} columns: give an array "
                f"of shape (n_centers, {d})."
            )
        if not np.isfinite(centers).all():
            raise ValueError("centers must hold finite numbers.")
        return centers / scale

    def of(self, n_centers, overlap):
        """Return the basis functions of so many centres."""
        if n_centers not in self._found:
            centers = self.given
            if centers is None:
                centers = find_centers(self.rows, self.weight, n_centers)
            self._found[n_centers] = centers
        centers = self._found[n_centers]
        return Basis(centers, self._widths(centers) * overlap)

    def _widths(self, centers):
        if not isinstance(self._width, str):
            if self._width.shape not in ((), (len(centers),)):
                raise ValueError(
                    f"width has shape {self._width.shape}: give a number, or one for "
                    f"each of the {len(centers)} centers."
                )
            return np.broadcast_to(self._width, len(centers))
        widths = local_widths(centers)
        if self._width == "global":
            widths = np.full(len(widths), np.sqrt(np.mean(widths**2)))
        return np.where(widths > 0, widths, 1.0)
