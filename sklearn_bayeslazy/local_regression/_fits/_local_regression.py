"""A local regression with its size and recipe settled: answers, robustness, noise."""

from dataclasses import dataclass

import numpy as np

from ...neighbors._search import no_exclusions
from ._inference import bisquare, hat_matrix, pseudovalues, second_delta
from ._local_fits import Fits, LocalFitter
from ._windows import nearby_order

# A residual below this share of the targets says nothing but how sums were rounded.
_ROUNDING = 1e-12
# Fewer degrees of freedom than this are none.
_NO_FREEDOM = 1e-9


@dataclass
class Noise:
    """What the residuals say of each target.

    Attributes
    ----------
    hat : HatMatrix
    scale, gcv, aicc : ndarrays of shape (n_targets,)
    """

    hat: object
    scale: np.ndarray
    gcv: np.ndarray
    aicc: np.ndarray


class LocalRegression:
    """Answers queries by local fits.

    Parameters
    ----------
    fitter : LocalFitter
    size : Size
    recipe : Recipe

    Attributes
    ----------
    care : ndarray of shape (n, n_targets), or (0, n_targets)
        Robustness weights.
    """

    def __init__(self, fitter, size, recipe):
        self.fitter = fitter
        self.size = size
        self.recipe = recipe
        self.weighted_k = fitter.finder.weighted_k(size)
        self.care = np.empty((0, fitter.targets.shape[1]))

    def at(self, queries, map_rows, *, variance=False, slopes=False):
        """Return the fits at queries.

        ``map_rows(function, n_rows, bytes_per_row)`` calls a function for slices. The
        variance is that of the fit that is not robust, as in loess.
        """
        order = nearby_order(queries)
        queries = queries[order]
        (m, d), (n, n_targets) = queries.shape, self.fitter.targets.shape
        whole = Fits.empty(m, n, d, n_targets, slopes, variance, hats=False)
        robust = len(self.care) > 0
        columns = self.fitter.targets.T[:, :, None] if robust else ()
        fitters = [LocalFitter(self.fitter.finder, column) for column in columns]

        def fit(rows):
            at, lists = queries[rows], self._lists(queries[rows])
            if variance or not robust:
                fits = self._fit(at, lists, spreads=variance, slopes=slopes)
                whole.put(order[rows], fits)
            for v, one in enumerate(fitters):
                fits = one.fit(
                    at,
                    self.size,
                    self.recipe,
                    lists=lists,
                    care=self.care[:, v],
                    slopes=slopes,
                )
                whole.answers[order[rows], v] = fits.answers[:, 0]
                if slopes:
                    whole.slopes[order[rows], :, v] = fits.slopes[:, :, 0]

        map_rows(fit, m, self.fitter.bytes_per_query(self.weighted_k))
        return whole

    def _lists(self, queries):
        exclude = no_exclusions(len(queries))
        return self.fitter.finder.lists(queries, self.weighted_k, exclude)

    def _fit(self, queries, lists, **wanted):
        return self.fitter.fit(queries, self.size, self.recipe, lists=lists, **wanted)

    def make_robust(self, iterations, map_rows):
        """Weigh rows down whose residuals are large, then by the new residuals."""
        finder, targets = self.fitter.finder, self.fitter.targets
        rounding = _ROUNDING * np.abs(targets).max(axis=0)
        for _ in range(iterations):
            residuals = targets - self.at(finder.rows, map_rows).answers
            self.care = np.column_stack(
                [
                    bisquare(r, finder.weight, least)
                    for r, least in zip(residuals.T, rounding)
                ]
            )

    def noise(self, sample, exact, map_rows):
        """Return what the residuals say.

        Parameters
        ----------
        sample : int array of shape (m,)
            The rows that stand for all.
        exact : bool
            Whether to compute δ2, from all rows.
        map_rows : callable
        """
        finder, fitter = self.fitter.finder, self.fitter
        sample = sample[nearby_order(finder.rows[sample])]
        queries, mine = finder.rows[sample], finder.weight[sample]
        plain = np.empty((len(sample), self.care.shape[1]))
        spreads = np.empty((len(sample), 2))

        def fit(rows):
            at, exclude = queries[rows], sample[rows]
            fits = self._fit(at, self._lists(at), exclude=exclude, spreads=True)
            plain[rows], spreads[rows] = fits.answers, fits.spreads

        map_rows(fit, len(sample), fitter.bytes_per_query(self.weighted_k))
        mass = finder.weight.sum()
        delta2 = second_delta(self._hat_rows, finder.weight) if exact else None
        hat = hat_matrix(*spreads.T, mine, mass, delta2)
        residuals = fitter.targets[sample] - plain
        if len(self.care):
            residuals = self._robust_residuals(map_rows)[sample]
        squares = mass / mine.sum() * (mine @ residuals**2)
        scale = np.full_like(squares, np.nan)
        gcv, aicc = np.full((2, len(squares)), np.inf)
        free = mass - hat.trace
        if hat.delta1 > _NO_FREEDOM:
            scale = np.sqrt(squares / hat.delta1)
        if free > _NO_FREEDOM:
            gcv = mass * squares / free**2
        if free > 2:
            with np.errstate(divide="ignore"):  # of an exact fit
                aicc = np.log(squares / mass)
            aicc = aicc + 1 + 2 * (hat.trace + 1) / (free - 2)
        return Noise(hat, scale, gcv, aicc)

    def _robust_residuals(self, map_rows):
        """Return the residuals of a plain fit to the pseudovalues of the robust one."""
        finder, targets = self.fitter.finder, self.fitter.targets
        answers = self.at(finder.rows, map_rows).answers
        columns = zip(targets.T, answers.T, self.care.T)
        pseudo = np.column_stack(
            [pseudovalues(*column, finder.weight) for column in columns]
        )
        plain = LocalRegression(LocalFitter(finder, pseudo), self.size, self.recipe)
        return pseudo - plain.at(finder.rows, map_rows).answers

    def _hat_rows(self, rows):
        """Return a slice of rows of the hat matrix, dense."""
        queries = self.fitter.finder.rows[rows]
        return self._fit(queries, self._lists(queries), hats=True).hats
