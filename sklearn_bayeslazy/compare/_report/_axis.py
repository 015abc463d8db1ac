"""Axes of figures: limits that an outlier cannot stretch, positions, and ticks."""

from dataclasses import dataclass

import numpy as np

# Values farther from the quartiles than this multiple of their range are outliers.
OUTLIER_RANGES, MIN_VALUES_FOR_OUTLIERS = 5, 5
# Above this ratio of the largest to the smallest value the axis is logarithmic.
MIN_LOG_SCALE_RATIO = 20
N_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """Limits of an axis; positions on it are per cents of its length."""

    low: float
    high: float
    is_log: bool = False

    def position(self, values):
        """Return the positions; those outside the limits are below 0 or above 100."""
        low, high = self._scale(np.array([self.low, self.high]))
        return 100 * (self._scale(np.asarray(values, dtype=float)) - low) / (high - low)

    def clipped(self, values):
        """Return the positions, moved to the nearest end where they are outside."""
        return self.position(values).clip(0, 100)

    def contains(self, values):
        """Return a mask of the values within the limits."""
        values = np.asarray(values, dtype=float)
        return (values >= self.low) & (values <= self.high)

    def ticks(self):
        """Return the round values on the axis, with their labels."""
        if self.is_log:
            powers = np.arange(np.floor(np.log10(self.low)), np.log10(self.high) + 1)
            values = np.outer(10**powers, [1, 2, 5]).ravel()
            inside = values[self.contains(values)]
            # Powers of ten alone, if there are enough.
            whole = inside[np.isin(inside, 10**powers)]
            inside = whole if len(whole) >= 3 else inside
            return [(value, f"{value:g}") for value in inside]
        step = _round_up((self.high - self.low) / N_TICKS)
        first = np.ceil(self.low / step - 1e-9)
        count = int(self.high / step - first + 1e-9) + 1
        decimals = max(0, -int(np.floor(np.log10(step) + 1e-9)))
        values = (first + np.arange(count)) * step
        if max(map(abs, (self.low, self.high))) >= 1e6 or decimals > 5:
            return [(value, f"{value:.3g}") for value in values]
        return [(value, f"{value + 0.0:.{decimals}f}") for value in values]

    def _scale(self, values):
        if not self.is_log:
            return values
        return np.log10(np.maximum(values, np.finfo(float).tiny))


def axis_of(values, *, reference=None, log=False, low=-np.inf, high=np.inf):
    """Return an axis on which values that are no outliers spread over the length."""
    # Values that are not finite do not count. reference: values whose quartiles define
    # the outliers; by default `values`. log: whether the axis is logarithmic if the
    # values are positive and far apart. low, high: a linear axis does not pass these,
    # as no score does.
    values = np.asarray(values, dtype=float).ravel()
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return Axis(0, 1)
    if log and values.min() > 0 and values.max() > MIN_LOG_SCALE_RATIO * values.min():
        return Axis(values.min() / 1.2, values.max() * 1.2, is_log=True)
    values = without_outliers(values, reference)
    margin = 0.04 * (values.max() - values.min())
    if margin == 0:
        margin = abs(values[0]) / 10 or 1
    return Axis(
        max(values.min() - margin, low), min(values.max() + margin, high), is_log=False
    )


def without_outliers(values, reference=None):
    """Return the values that are no outliers of the reference; all, if none is left."""
    # Outliers are more than `OUTLIER_RANGES` interquartile ranges away from the
    # quartiles of the reference, by default the values themselves. If the quartiles are
    # equal, they are those of the values that differ from them.
    reference = values if reference is None else np.asarray(reference, dtype=float)
    for _ in range(2):
        if len(reference) < MIN_VALUES_FOR_OUTLIERS:
            return values
        first, third = np.quantile(reference, [0.25, 0.75])
        if first < third:
            break
        reference = reference[reference != first]
    limit = OUTLIER_RANGES * (third - first)
    inside = (values >= first - limit) & (values <= third + limit)
    return values[inside] if inside.any() and limit > 0 else values


def _round_up(step):
    """Return the next of 1, 2, 5, 10, 20, ... and of 0.5, 0.2, ..."""
    power = 10.0 ** np.floor(np.log10(step))
    return power * next(n for n in (1, 2, 5, 10) if step <= n * power * (1 + 1e-9))
