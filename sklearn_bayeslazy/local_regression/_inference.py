"""What a local regression says of the mean: bands, an F test, and a summary.

Sources: W. S. Cleveland, E. Grosse and W. M. Shyu (1992), Local regression models, ch.
8 of Statistical Models in S; Z. Šidák (1967), Rectangular confidence regions for the
means of multivariate normal distributions, JASA 62.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_is_fitted

from .._core._parallel import slices_of
from ..leave_one_out import check_coverage

# Up to this number of queries, what all of them exceed together is drawn at random.
_MAX_QUERIES_TO_DRAW = 2000
_N_DRAWS = 20_000
# Directions whose variance is this share of the largest are rounding errors.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class LocalAnova:
    """An approximate F test of two nested local regressions, as `anova` returns it.

    Attributes
    ----------
    statistic, pvalue : float or ndarray of shape (n_outputs,)
    numerator_dof, denominator_dof : float
        Degrees of freedom of the F distribution.
    equivalent_parameters : ndarray of shape (2,)
        Of both models, the smaller first.
    residual_sum_of_squares : ndarray of shape (2,) or (2, n_outputs)
    """

    statistic: object
    pvalue: object
    numerator_dof: float
    denominator_dof: float
    equivalent_parameters: np.ndarray
    residual_sum_of_squares: np.ndarray

    def __str__(self):
        sums = np.atleast_2d(self.residual_sum_of_squares.T)
        lines = ["model  parameters  residual sum of squares"]
        for i, parameters in enumerate(self.equivalent_parameters):
            texts = ", ".join(f"{output[i]:.5g}" for output in sums)
            lines.append(f"{i + 1:5}  {parameters:10.2f}  {texts}")
        for F, p in zip(np.atleast_1d(self.statistic), np.atleast_1d(self.pvalue)):
            lines.append(
                f"F = {F:.4g} with {self.numerator_dof:.2f} and "
                f"{self.denominator_dof:.2f} degrees of freedom, p = {p:.3g}"
            )
        return "\n".join(lines)

    __repr__ = __str__


@dataclass(frozen=True)
class LocalSummary:
    """What a local regression has fitted, as `summary` returns it.

    Attributes
    ----------
    n_rows : int
        Number of training rows of weight above 0.
    parameters : dict
        The degree, the window and the ridge, given or chosen.
    equivalent_parameters, residual_dof : float
    residual_scale, r2 : float or ndarray of shape (n_outputs,)
        The residual standard error, and the share of the variance that the fit
        explains of the rows that it was fitted to; NaN where targets are constant.
    """

    n_rows: int
    parameters: dict
    equivalent_parameters: float
    residual_dof: float
    residual_scale: object
    r2: object

    def __str__(self):
        parameters = ", ".join(
            f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}"
            for name, value in self.parameters.items()
        )
        return "\n".join(
            [
                f"Local regression of {self.n_rows} rows: {parameters}",
                f"Equivalent number of parameters: {self.equivalent_parameters:.2f}",
                f"Residual standard error: {_text(self.residual_scale)} with "
                f"{self.residual_dof:.2f} degrees of freedom",
                f"R² (of the rows fitted): {_text(self.r2)}",
            ]
        )

    __repr__ = __str__


def _text(values):
    return ", ".join(f"{value:.4g}" for value in np.atleast_1d(values))


class MeanInferenceMixin:
    """Inference on the mean, of `LocallyWeightedRegressor`."""

    # The noise is assumed to be normal, the same everywhere, and the bias of the fit to
    # be small. `_traces` are those of the hat matrix.

    def confidence_interval(self, X, coverage=0.9, *, simultaneous=False):
        """Return bounds that hold the mean of the target with a given probability.

        The noise is assumed to be normal with the same variance everywhere, and the
        bias of the local polynomial to be small compared with it. The bounds are f(x) ±
        c s(x), with the standard error s(x) of :meth:`predict`; c is a quantile of
        Student's t with `residual_dof_` degrees of freedom. For a new observation, see
        :meth:`prediction_interval`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.
        coverage : float, default=0.9
            Probability that the mean lies within the bounds, between 0 and 1.
        simultaneous : bool, default=False
            Whether the probability is that all means at the rows of X lie within their
            bounds, and not each alone. c is then the quantile of the largest absolute t
            of all rows, in 20,000 random draws of the noise, the same at each call. For
            more than 2000 rows it is the bound of Šidák, which is larger.

        Returns
        -------
        lower, upper : ndarrays of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_coverage(coverage)
        predictions, errors = self.predict(X, return_std=True)
        level, m = coverage, len(predictions)
        if simultaneous:
            level = coverage ** (1 / max(m, 1))  # of independent errors: a bound
        factor = stats.t.ppf((1 + level) / 2, self.residual_dof_)
        if simultaneous and 1 < m <= _MAX_QUERIES_TO_DRAW:
            drawn = _largest_t(self._hat_rows_at(X), self.residual_dof_)
            factor = min(factor, np.quantile(drawn, coverage))
        return predictions - factor * errors, predictions + factor * errors

    def _hat_rows_at(self, X):
        """Return (m, n) times the noise of the rows, relative to that of one row."""
        model = self._model
        hat_rows = model.hat_rows(self._queries(X), self._map_rows)
        shares = model.solver.finder.sample_weight / model.row_weight
        return hat_rows / np.sqrt(np.where(shares > 0, shares, 1.0))

    def anova(self, other):
        r"""Test whether a larger model explains more than a smaller one of it.

        The models are fitted to the same rows, and the smaller one should be a special
        case of the larger, such as one of a larger span or a lower degree. With the
        residual sums of squares R, the traces δ1 and δ2 of :attr:`residual_dof_`, and
        the residual scale s of the larger model,

        .. math:: F = (R_1 - R_2) / (\delta_{1,1} - \delta_{1,2}) / s^2

        has approximately an F distribution. Its degrees of freedom are the square of
        the difference of δ1 over that of δ2, and `residual_dof_`; the first is the
        difference of δ1 alone where δ2 is not computed, for more than 1000 rows or
        statistics="approximate".

        Parameters
        ----------
        other : LocallyWeightedRegressor
            Fitted to the same rows. Which of both is larger is found out.

        Returns
        -------
        LocalAnova
            With `statistic` and `pvalue`; its text is a table. Both are NaN where the
            larger model leaves no residuals.
        """
        if not isinstance(other, MeanInferenceMixin):
            raise TypeError(
                "other must be a fitted LocallyWeightedRegressor, got "
                f"{type(other).__name__}."
            )
        for model in (self, other):
            _check_statistics(model)
        if not self._has_rows_of(other):
            raise ValueError(
                "other is fitted to other rows, targets or sample weights: compare "
                "models of the same rows, in the same order."
            )
        small, large = sorted((self, other), key=lambda m: m.equivalent_parameters_)
        sums = np.array([m._residual_sum_of_squares() for m in (small, large)])
        delta1 = small._traces.delta1 - large._traces.delta1
        if not delta1 > _ROUNDING * small._traces.total_weight:
            raise ValueError(
                "Both models use up as many degrees of freedom: compare models of "
                "different spans or degrees."
            )
        numerator_dof, deltas = delta1, (small._traces.delta2, large._traces.delta2)
        if None not in deltas and deltas[0] != deltas[1]:
            numerator_dof = delta1**2 / abs(deltas[0] - deltas[1])
        noise = np.atleast_1d(large.residual_scale_)
        noise = np.where(noise <= large._rounding_of_targets(), np.nan, noise)
        F = (sums[0] - sums[1]) / delta1 / np.square(noise)
        pvalue = stats.f.sf(F, numerator_dof, large.residual_dof_)
        return LocalAnova(
            self._float_or_array(F),
            self._float_or_array(pvalue),
            float(numerator_dof),
            float(large.residual_dof_),
            np.array([m.equivalent_parameters_ for m in (small, large)]),
            sums,
        )

    def summary(self):
        """Return the parameters, the residual standard error and R².

        Returns
        -------
        LocalSummary
            Its text has a line for each.
        """
        _check_statistics(self)
        targets = self._model.solver.targets
        weight = self._model.solver.finder.sample_weight
        variance = np.square(targets - weight @ targets / weight.sum())
        variance = np.ldexp(weight @ variance / weight.sum(), 2 * self._exponent)
        unexplained = self._residual_sum_of_squares() / self._traces.total_weight
        variance[np.sqrt(variance) <= self._rounding_of_targets()] = np.nan
        r2 = 1 - np.atleast_1d(unexplained) / variance
        names = ("degree", "n_neighbors", "bandwidth", "ridge")
        values = {name: getattr(self, f"{name}_") for name in names}
        return LocalSummary(
            len(targets),
            {name: value for name, value in values.items() if value is not None},
            float(self.equivalent_parameters_),
            float(self.residual_dof_),
            self.residual_scale_,
            self._float_or_array(r2),
        )

    def _rounding_of_targets(self):
        """Return the size of deviations of the targets that are rounding."""
        largest = np.abs(self._model.solver.targets).max(axis=0)
        return _ROUNDING * np.ldexp(largest, self._exponent)

    def _has_rows_of(self, other):
        solvers = self._model.solver, other._model.solver
        # Rows are kept divided by the scales only.
        rows = [s.finder.rows for s in solvers]
        if np.array_equal(self.scale_, other.scale_) and not np.array_equal(*rows):
            return False
        return np.array_equal(*(s.targets for s in solvers)) and np.array_equal(
            *(s.finder.sample_weight for s in solvers)
        )

    def _residual_sum_of_squares(self):
        """Return Σ r², of rows repeated by their weights."""
        return np.square(self.residual_scale_) * self._traces.delta1


def _check_statistics(model):
    """Raise an error unless the residual scale of a fitted model is known."""
    check_is_fitted(model)
    if model._traces is None:
        raise ValueError(
            "The residual scale is not estimated with statistics=None: fit with "
            "statistics='auto'."
        )
    if np.isnan(model.residual_scale_).any():
        raise ValueError(
            "No degrees of freedom are left to estimate the noise: fit more rows, or "
            "with a wider window."
        )


def _largest_t(hat_rows, dof):
    """Return draws of the largest |t| of the predictions at some queries.

    Of two independent predictions both are within 2 with probability .911, (.9545)²:

    >>> drawn = _largest_t(np.eye(2), 1e9)
    >>> bool(abs(np.mean(drawn < 2) - 0.911) < 0.01)
    True
    """
    # hat_rows: (m, n), whose products are the covariances of the predictions.
    lengths = np.linalg.norm(hat_rows, axis=1, keepdims=True)
    directions = hat_rows / np.where(lengths > 0, lengths, 1.0)
    values, vectors = np.linalg.eigh(directions @ directions.T)
    kept = values > _ROUNDING * values[-1]
    factors = vectors[:, kept] * np.sqrt(values[kept])
    # Of an eigenvector and its negative, one that does not depend on the order of rows.
    factors *= np.where(np.sum(factors**3, axis=0) < 0, -1.0, 1.0)
    rng = np.random.default_rng(0)
    largest = np.empty(_N_DRAWS)
    step = max(2**24 // len(factors), 1)
    for some in slices_of(range(_N_DRAWS), step):
        noise = rng.standard_normal((factors.shape[1], some.stop - some.start))
        largest[some] = np.abs(factors @ noise).max(axis=0)
    return largest / np.sqrt(rng.chisquare(dof, _N_DRAWS) / dof)
