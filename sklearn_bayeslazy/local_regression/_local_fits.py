"""Local fits at many queries: polynomials fitted, and empty windows mended."""

from dataclasses import dataclass

import numpy as np

from .._kernel import frozen
from ._local_fit_kernels import count_terms, fit_windows
from ._smoothing_kernels import GAUSSIAN, KERNELS
from ._windows import Size

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
    """What is known of the fits at some queries.

    Attributes
    ----------
    answers : ndarray of shape (m, n_targets)
    slopes : ndarray of shape (m, n_features, n_targets) or None
    own_hat : ndarray of shape (m,) or None
        How much the answer at a training row moves with its own target.
    hat_square : ndarray of shape (m,) or None
        Σ hat² / mass: the variance of the answer in units of that of a target.
    hats : ndarray of shape (size,) or None
        The answer as a sum over the window, Σ hat * target.
    """

    answers: np.ndarray
    slopes: np.ndarray | None = None
    own_hat: np.ndarray | None = None
    hat_square: np.ndarray | None = None
    hats: np.ndarray | None = None


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

    def fit(
        self,
        queries,
        windows,
        recipe,
        *,
        own=None,
        care=_NOTHING,
        slopes=False,
        variance=False,
        hats=False,
        may_vanish=False,
    ):
        """Return the fits at queries in their windows.

        An empty window is replaced by the nearest rows; with hats, in `windows` too.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
        windows : Windows
        recipe : Recipe
        own : int array of shape (m,) or None
            Which training row each query is: for `own_hat`.
        care : ndarray of shape (n,)
            Factors of the weights of the rows; of length 0 for none.
        slopes, variance, hats : bool
            What is wanted beside the answers.
        may_vanish : bool
            Whether answers are NaN, and no error is raised, where all weights
            underflow.
        """
        m, d = queries.shape
        n_targets = self.targets.shape[1]
        fits = Fits(np.empty((m, n_targets)))
        if slopes:
            fits.slopes = np.zeros((m, d, n_targets))
        if variance:
            fits.own_hat, fits.hat_square = np.zeros((2, m))
        if hats:
            fits.hats = np.zeros(len(windows.ids))
        own = np.full(m, -1) if own is None else own
        empty = self._run(queries, windows, recipe, own, care, fits)
        endless = KERNELS[recipe.kernel] == GAUSSIAN
        if empty and endless and not may_vanish:
            q = int(np.flatnonzero(np.isnan(fits.answers[:, 0]))[0])
            self._complain(queries[q], windows.bandwidths[q])
        if empty and not endless:
            self._mend(queries, windows, recipe, own, fits)
        return fits

    def _run(self, queries, windows, recipe, own, care, fits):
        return fit_windows(
            frozen(self.finder.rows, np.float64),
            frozen(self.targets, np.float64),
            frozen(queries, np.float64),
            frozen(windows.starts, np.int64),
            frozen(windows.counts, np.int64),
            frozen(windows.ids, np.int64),
            frozen(windows.squared, np.float64),
            frozen(windows.masses, np.float64),
            frozen(care, np.float64),
            frozen(windows.bandwidths, np.float64),
            KERNELS[recipe.kernel],
            recipe.degree,
            float(recipe.ridge),
            frozen(own, np.int64),
            fits.answers,
            np.empty((0, 0, 0)) if fits.slopes is None else fits.slopes,
            _NOTHING.copy() if fits.hats is None else fits.hats,
            _NOTHING.copy() if fits.own_hat is None else fits.own_hat,
            _NOTHING.copy() if fits.hat_square is None else fits.hat_square,
        )

    def _mend(self, queries, windows, recipe, own, fits):
        """Fit empty windows again, to the nearest rows, all of them weighing alike."""
        empty = np.flatnonzero(np.isnan(fits.answers[:, 0]))
        n_terms = count_terms(queries.shape[1], recipe.degree)
        k = float(min(n_terms, np.ceil(self.finder.weight.sum())))
        recipe = Recipe("uniform", recipe.degree, recipe.ridge)
        demand = self.finder.demand(Size(k))
        for q in empty:
            here = slice(q, q + 1)
            window = self.finder.nearest(queries, here, Size(k), demand, own[here])
            alone = Fits(fits.answers[here])
            alone.slopes = None if fits.slopes is None else fits.slopes[here]
            if fits.own_hat is not None:
                alone.own_hat = fits.own_hat[here]
                alone.hat_square = fits.hat_square[here]
            if fits.hats is not None:
                alone.hats = np.zeros(len(window.ids))
            self._run(queries[here], window, recipe, own[here], _NOTHING, alone)
            if fits.hats is not None:  # the window is another one now
                windows.starts[q], windows.counts[q] = len(windows.ids), window.counts
                windows.ids = np.append(windows.ids, window.ids)
                fits.hats = np.append(fits.hats, alone.hats)

    def _complain(self, query, bandwidth):
        gaps = self.finder.rows - query
        nearest = np.sqrt(np.einsum("ij,ij->i", gaps, gaps).min())
        raise ValueError(
            f"All weights vanish: the nearest row is {nearest:.3g} away, that is "
            f"{nearest / bandwidth:.3g} times bandwidth={bandwidth:.3g}. Raise "
            "bandwidth, give n_neighbors too, or take a kernel that ends."
        )
