"""Local fits at many queries: polynomials fitted, and empty windows mended."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from ..._kernel import frozen
from ...neighbors._search import no_exclusions
from .._smoothing_kernels import KERNELS
from ._answer_kernels import fit_listed, fit_scanned
from ._line_kernels import fit_on_line
from ._local_fit_kernels import count_terms
from ._windows import Size, prefixes

_NOTHING = np.empty(0)


@dataclass(frozen=True)
class Recipe:
    """How a polynomial is fitted.

    Attributes
    ----------
    kernel : str
    degree : int
    ridge : float
    """

    kernel: str
    degree: int
    ridge: float = 0.0


@dataclass
class Fits:
    """What is known of the fits at some queries; arrays of length 0 are not wanted.

    Attributes
    ----------
    answers : ndarray of shape (m, n_targets)
    slopes : ndarray of shape (m, n_features, n_targets)
    spreads : ndarray of shape (m, 2)
        How much the answer at a training row moves with its own target, and
        Σ hat² / mass: the variance of the answer in units of that of a target.
    hats : ndarray of shape (m, n)
        The answers as sums over the training rows, Σ hat * target.
    """

    answers: np.ndarray
    slopes: np.ndarray
    spreads: np.ndarray
    hats: np.ndarray

    @classmethod
    def empty(cls, m, n, d, n_targets, slopes, spreads, hats):
        """Return fits to be filled, of what is wanted."""
        return cls(
            np.empty((m, n_targets)),
            np.empty((m, d, n_targets) if slopes else (0, 0, 0)),
            np.empty((m, 2) if spreads else (0, 0)),
            np.zeros((m, n) if hats else (0, 0)),
        )

    def part(self, places):
        """Return fits to be filled for some of the queries, given by a mask."""
        arrays = [getattr(self, field.name) for field in fields(self)]
        return Fits(*(a[places] if len(a) else a for a in arrays))

    def put(self, places, fits):
        """Take over the fits of some of the queries."""
        for field in fields(self):
            mine = getattr(self, field.name)
            if len(mine):
                mine[places] = getattr(fits, field.name)


class Sorted:
    """The training rows in the order in which windows are found.

    Parameters
    ----------
    finder : WindowFinder
    targets : ndarray of shape (n, n_targets)
    order : int array of shape (n,)

    Attributes
    ----------
    rows, targets, masses, order : ndarrays
        All of n rows; masses are of length 0 where all are 1.
    columns, column_targets : ndarrays of shape (d, n) and (n_targets, n)
        The rows and the targets, column after column.
    place : int array of shape (n + 1,)
        Where each training row is; the last is -1, the place of nobody.
    """

    def __init__(self, finder, targets, order):
        place = np.full(len(order) + 1, -1)
        place[order] = np.arange(len(order))
        masses = _NOTHING if finder.alike else finder.weight[order]
        self.rows = frozen(finder.rows[order], np.float64)
        self.targets = frozen(targets[order], np.float64)
        self.columns = frozen(self.rows.T, np.float64)
        self.column_targets = frozen(self.targets.T, np.float64)
        self.masses = frozen(masses, np.float64)
        self.order = frozen(order, np.int64)
        self.position = frozen(place, np.int64)


class LocalFitter:
    """Fits polynomials to windows of training rows.

    Parameters
    ----------
    finder : WindowFinder
    targets : ndarray of shape (n, n_targets)
    """

    def __init__(self, finder, targets):
        self.finder = finder
        self.targets = targets

    def __getstate__(self):
        # Without the sorted copies, which are made again when they are asked for.
        return {"finder": self.finder, "targets": self.targets}

    def bytes_per_query(self, weighted_k):
        """Return about how much memory a query takes."""
        return 400 if weighted_k is None else 80 * weighted_k.width

    def fit(
        self,
        queries,
        size,
        recipe,
        *,
        lists=None,
        exclude=None,
        leave=False,
        care=_NOTHING,
        slopes=False,
        spreads=False,
        hats=False,
        may_vanish=False,
    ):
        """Return the fits at queries.

        An empty window is replaced by the nearest rows.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
            Quickest where those that follow each other lie together.
        size : Size
        recipe : Recipe
        lists : Lists or None
            The nearest rows, where the finder does not scan for them.
        own : int array of shape (m,) or None
            Which training row each query is, for `spreads`.
        leave : bool
            Whether one copy of it is left out.
        care : ndarray of shape (n,)
            Factors of the weights of the rows; of length 0 for none.
        slopes, spreads, hats : bool
            What is wanted beside the answers.
        may_vanish : bool
            Whether answers are NaN, and no error is raised, where all weights
            underflow.
        """
        (m, d), (n, n_targets) = queries.shape, self.targets.shape
        exclude = no_exclusions(m) if exclude is None else exclude
        absent = exclude if leave else no_exclusions(m)
        wanted = n, d, n_targets, slopes, spreads, hats

        def run(here, size, function, *found):
            fits = Fits.empty(len(exclude[here]), *wanted)
            at = queries[here], exclude[here]
            empty = function(*at, size, *found, recipe, care, leave, fits)
            if not empty:
                return fits
            if recipe.kernel != "gaussian":
                self._mend(*at, leave, recipe, fits)
            elif not may_vanish:
                self._complain(queries[here], fits, size)
            return fits

        if lists is None:
            return run(slice(None), size, self._fit_scanned)
        windows = prefixes(lists, size, self.finder.weight, absent)
        if size.bandwidth is None:
            return run(slice(None), size, self._fit_listed, windows)
        wide = windows.reaches < size.bandwidth**2  # the larger of the two windows
        fits = Fits.empty(m, *wanted)
        fits.put(wide, run(wide, Size(bandwidth=size.bandwidth), self._fit_scanned))
        fits.put(~wide, run(~wide, size, self._fit_listed, windows.of(~wide)))
        return fits

    def _fit_listed(self, queries, exclude, size, windows, recipe, care, leave, fits):
        return fit_listed(
            frozen(self.finder.rows, np.float64),
            frozen(self.targets, np.float64),
            frozen(queries, np.float64),
            frozen(exclude, np.int64),
            frozen(windows.starts, np.int64),
            frozen(windows.counts, np.int64),
            frozen(windows.indices, np.int64),
            frozen(windows.squared, np.float64),
            frozen(windows.masses, np.float64),
            frozen(windows.reaches, np.float64),
            frozen(care, np.float64),
            *self._how(recipe),
            fits.answers,
            fits.slopes,
            fits.spreads,
            fits.hats,
        )

    def _fit_scanned(self, queries, exclude, size, recipe, care, leave, fits):
        """Fit to windows that are found on the way; return how many are empty."""
        if self.finder.line is None or len(fits.hats):
            return self._fit_anywhere(queries, exclude, size, recipe, care, leave, fits)
        tied = np.zeros(len(queries), dtype=bool)
        here = queries, exclude, size, recipe, care, leave
        empty = self._fit_on_line(*here, fits, tied)
        if tied.any():
            some = fits.part(tied)
            at = queries[tied], exclude[tied]
            empty += self._fit_anywhere(*at, *here[2:], some)
            fits.put(tied, some)
        return empty

    def _fit_on_line(self, queries, exclude, size, recipe, care, leave, fits, tied):
        line = self._on_line
        return fit_on_line(
            line.columns,
            line.column_targets,
            frozen(queries, np.float64),
            frozen(line.position[exclude], np.int64),
            leave,
            *self._reach(size),
            line.masses,
            frozen(care[line.order] if len(care) else care, np.float64),
            *self._how(recipe),
            fits.answers,
            fits.slopes,
            fits.spreads,
            tied,
        )

    @cached_property
    def _on_line(self):
        return Sorted(self.finder, self.targets, self.finder.line)

    @cached_property
    def _in_blocks(self):
        return Sorted(self.finder, self.targets, self.finder.order)

    def _reach(self, size):
        """Return k, the widening, the least reach, whether the kernel is endless."""
        bandwidth = 0.0 if size.bandwidth is None else float(size.bandwidth)
        if size.k is None and size.bandwidth is None:
            bandwidth = np.inf
        k = 0 if size.k is None else int(size.k)
        return k, float(size.widening), bandwidth**2, self.finder.endless

    def _fit_anywhere(self, queries, exclude, size, recipe, care, leave, fits):
        finder, here = self.finder, self._in_blocks
        hats = np.zeros_like(fits.hats)
        empty = fit_scanned(
            here.rows,
            here.targets,
            here.columns,
            here.column_targets,
            frozen(finder.starts, np.int64),
            frozen(finder.boxes, np.float64),
            frozen(finder.coarse, np.float64),
            here.order,
            here.position,
            frozen(queries, np.float64),
            frozen(here.position[exclude], np.int64),
            leave,
            *self._reach(size),
            here.masses,
            frozen(care[here.order] if len(care) else care, np.float64),
            *self._how(recipe),
            fits.answers,
            fits.slopes,
            fits.spreads,
            hats,
        )
        if len(hats):
            fits.hats[:, here.order] = hats
        return empty

    def _how(self, recipe):
        degree, d = int(recipe.degree), self.finder.rows.shape[1]
        terms = count_terms(d, degree)
        return KERNELS[recipe.kernel], degree, terms, float(recipe.ridge)

    def _mend(self, queries, exclude, leave, recipe, fits):
        """Fit empty windows again, to the nearest rows, all of them weighing alike."""
        empty = np.isnan(fits.answers[:, 0])
        n_terms = count_terms(queries.shape[1], recipe.degree)
        size = Size(float(min(n_terms, np.ceil(self.finder.weight.sum()))))
        recipe = Recipe("uniform", recipe.degree, recipe.ridge)
        at, mine = queries[empty], exclude[empty]
        alone = fits.part(empty)
        absent = mine if leave else no_exclusions(len(at))
        alone.hats[:] = 0.0
        if self.finder.scans(size):
            self._fit_scanned(at, mine, size, recipe, _NOTHING, leave, alone)
        else:
            lists = self.finder.lists(at, self.finder.weighted_k(size), absent)
            windows = prefixes(lists, size, self.finder.weight, absent)
            self._fit_listed(at, mine, size, windows, recipe, _NOTHING, leave, alone)
        fits.put(empty, alone)

    def _complain(self, queries, fits, size):
        query = queries[np.flatnonzero(np.isnan(fits.answers[:, 0]))[0]]
        gaps, unit = self.finder.rows - query, self.finder.unit
        nearest = np.sqrt(np.einsum("ij,ij->i", gaps, gaps).min())
        raise ValueError(
            f"All weights vanish: the nearest row is {nearest * unit:.3g} away, which "
            f"is {nearest / size.bandwidth:.3g} times bandwidth="
            f"{size.bandwidth * unit:.3g}. Raise bandwidth, give n_neighbors too, or "
            "take a kernel that ends."
        )
