"""Lower bounds of distances between cases, to measure only those that may be near.

Along each symbolic attribute a query has a nearest stored value; all other values are
farther by a step at least. The sum of the steps of a case bounds its distance from
below. For equality of symbols it is the distance. Steps are whole numbers of 16 bits:
their sums take a tenth of the time of looking up distances.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen, inlined, kernel

# The largest sum of the steps of a query.
_MAX_STEPS = 65_000
# More than the rounding of distances, relative.
_SLACK = 1 + 1e-9
# Cases that are skipped together if none of them may be near. With a fixed number the
# loops over them take half the time.
LANES = 128
# More steps than any limit.
_TOO_MANY_STEPS = np.uint16(65_535)


def as_symbols(codes):
    """Return the last eight bits of codes. If these differ, so do the codes."""
    return frozen(np.bitwise_and(codes, 255), np.uint8)


class QueryBounds(NamedTuple):
    """Lower bounds of the distances of queries to the stored cases."""

    nearest: np.ndarray  # uint8 (m, n_symbolic): the symbol of the nearest value
    steps: np.ndarray  # uint16 (m, n_symbolic): the step of all other values
    base: np.ndarray  # (m,): the sum of the distances of the nearest values
    steps_per_unit: np.ndarray  # (m,): of a distance of 1; 0 if values are equally far

    @classmethod
    def of(cls, distances, m):
        """Return the bounds for the distances to all values of each attribute.

        >>> first, second = np.array([[0.0, 2.0, 3.0]]), np.array([[1.0, 1.5]])
        >>> bounds = QueryBounds.of([first, second], m=1)
        >>> bounds.nearest, bounds.steps
        (array([[0, 0]], dtype=uint8), array([[52000, 13000]], dtype=uint16))
        >>> bounds.base, bounds.steps_per_unit
        (array([1.]), array([26000.]))
        """
        # distances: (m, n_values) for each attribute. In the example a query is at the
        # distances 0, 2 and 3 from the values of one attribute, and at 1 and 1.5 from
        # those of another. A step is the gap from the nearest value to the second
        # nearest, rounded down: base + (sum of steps) / steps_per_unit is at most the
        # distance.
        nearest = np.zeros((m, len(distances)), dtype=np.int64)
        least, gaps = np.zeros(nearest.shape), np.zeros(nearest.shape)
        for j, apart in enumerate(distances):
            nearest[:, j] = apart.argmin(axis=1)
            least[:, j] = apart.min(axis=1)
            if apart.shape[1] > 1:
                gaps[:, j] = np.partition(apart, 1, axis=1)[:, 1] - least[:, j]
        total = gaps.sum(axis=1)
        unit = np.divide(_MAX_STEPS, total, out=np.zeros(m), where=total > 0)
        steps = np.floor(gaps * unit[:, None])
        return cls(
            as_symbols(nearest),
            frozen(steps, np.uint16),
            frozen(least.sum(axis=1), np.float64),
            frozen(unit, np.float64),
        )


@inlined
def steps_within(bounds, q, distance):
    """Return the most steps that a distance allows; -1 if it allows any number."""
    unit = bounds.steps_per_unit[q]
    if unit == 0.0:
        return np.int64(-1)
    allowed = (distance * _SLACK - bounds.base[q]) * unit + 1.0
    return np.int64(max(allowed, 0.0)) if allowed < _MAX_STEPS else np.int64(-1)


@kernel
def list_possible(symbols, bounds, q, first, last, limit, total, rows):
    """List the cases first:last with at most `limit` steps; return their number."""
    # symbols: uint8 (n_symbolic, n). total: uint16 (width,), overwritten; its width is
    # a multiple of LANES. rows: int (width,), gets the cases.
    nearest, steps = bounds.nearest[q], bounds.steps[q]
    n_symbolic, width = len(symbols), last - first
    zero = np.uint16(0)
    for r in range(width):
        total[r] = zero
    fours = n_symbolic - n_symbolic % 4
    for j in range(0, fours, 4):  # total is read and written once for four attributes
        a, b, c, d = nearest[j], nearest[j + 1], nearest[j + 2], nearest[j + 3]
        s, t, u, v = steps[j], steps[j + 1], steps[j + 2], steps[j + 3]
        s_a, s_b = symbols[j, first:last], symbols[j + 1, first:last]
        s_c, s_d = symbols[j + 2, first:last], symbols[j + 3, first:last]
        for r in range(width):
            total[r] += (
                (zero if s_a[r] == a else s)
                + (zero if s_b[r] == b else t)
                + (zero if s_c[r] == c else u)
                + (zero if s_d[r] == d else v)
            )
    for j in range(fours, n_symbolic):
        a, s, s_a = nearest[j], steps[j], symbols[j, first:last]
        for r in range(width):
            total[r] += zero if s_a[r] == a else s
    for r in range(width, -(-width // LANES) * LANES):
        total[r] = _TOO_MANY_STEPS
    count, bound = np.uintp(0), np.uint16(limit)
    for begin in range(0, width, LANES):
        some, least = total[begin : begin + LANES], _TOO_MANY_STEPS
        for r in range(LANES):
            least = some[r] if some[r] < least else least
        for r in range(LANES if least <= bound else 0):
            rows[count] = first + begin + r  # no branch: the next case replaces another
            count += np.uintp(some[r] <= bound)
    return np.int64(count)
