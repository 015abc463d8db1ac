"""The error that the search lowers: of the Shepard estimate of rows left out."""

import numpy as np

from ..._kernel import frozen
from ..._parallel import map_tasks
from ._kernels import Estimate, LeftOut, RowBlocks, leave_rows_out

# Blocks so narrow that the gradient's sums of up to 50 columns stay in the first cache.
_BLOCK_WIDTH = 64
# Differences of cells that make a task worth a thread.
_DIFFERENCES_PER_TASK = 4e6
# As good as none, but a row at distance 0 has a finite weight, beside which all other
# rows' weights vanish.
NO_SOFTENING = 1e-24


class LeaveOneOutError:
    """Squared error of the estimate of rows left out, relative to the mean's.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Standardised rows.
    targets : ndarray of shape (n, V)
    weight : ndarray of shape (n,)
        A row of weight w is w rows, of which one is left out.
    left_out : int array of shape (m,)
        The rows that are left out, one by one.
    n_neighbors : int or None
        The total weight of the neighbours; None for all rows.
    n_jobs : int or None

    Attributes
    ----------
    d : int
        The number of axes.
    weight : ndarray of shape (m,)
        Of the rows left out.
    error_of_mean : float
        The squared error of the mean of the other rows.
    """

    def __init__(self, X, targets, weight, left_out, n_neighbors=None, n_jobs=None):
        n, self.d = X.shape
        self.weight = weight[left_out]
        removed = np.minimum(self.weight, 1.0)
        self._left_out = frozen(left_out, np.int64), frozen(removed, np.float64)
        total = float(np.ceil(weight.sum()))
        self._k = 0.0 if n_neighbors is None else float(min(n_neighbors, total))
        # At most one copy of a row is left out: a weight above k + 1 changes nothing.
        capped = weight if n_neighbors is None else np.minimum(weight, self._k + 1)
        self._rows = _row_blocks(X, targets, capped)
        self._n_jobs = n_jobs
        size = max(int(_DIFFERENCES_PER_TASK / (n * self.d)), 1)
        m = len(left_out)
        self._tasks = [slice(i, min(i + size, m)) for i in range(0, m, size)]
        excluded = targets[left_out]
        rest = weight.sum() - removed
        if not np.all(rest > 0):
            raise ValueError(
                "sample_weight: without one of the rows no weight is left to predict "
                "that row from; leave-one-out needs two rows."
            )
        others = (weight @ targets - removed[:, None] * excluded) / rest[:, None]
        self.error_of_mean = self.weight @ ((others - excluded) ** 2).sum(axis=1)

    def losses(self, s, power, softening, *, gradient=False):
        """Return each row's share in the error, and its gradient (m, d + 2) or None."""
        left_out, removed = self._left_out
        m = len(left_out)
        loss = np.empty(m)
        slopes = np.empty((m if gradient else 0, self.d + 2))
        s = frozen(s, np.float64)
        estimate = Estimate(s, float(softening), float(power), self._k)

        def leave_out(rows):
            leave_rows_out(
                self._rows,
                LeftOut(left_out[rows], removed[rows]),
                estimate,
                loss[rows],
                slopes[rows],
            )

        map_tasks(leave_out, self._tasks, n_jobs=self._n_jobs)
        share = self.weight / self.error_of_mean
        return share * loss, share[:, None] * slopes if gradient else None

    def value(self, s, power, softening=NO_SOFTENING):
        """Return the error: 1 if it is the mean's."""
        return float(self.losses(s, power, softening)[0].sum())

    def value_and_gradient(self, s, power, softening):
        """Return the error and its gradient by s, power and softening, (d + 2,)."""
        loss, gradient = self.losses(s, power, softening, gradient=True)
        return float(loss.sum()), gradient.sum(axis=0)


def _row_blocks(X, targets, weight):
    """Return rows in blocks of equal width, filled up with rows of weight 0."""
    n, d = X.shape
    n_blocks = -(-n // _BLOCK_WIDTH)
    n_empty = n_blocks * _BLOCK_WIDTH - n
    rows = np.pad(X, ((0, n_empty), (0, 0))).reshape(n_blocks, _BLOCK_WIDTH, d)
    return RowBlocks(
        frozen(rows.transpose(0, 2, 1), np.float64),
        frozen(np.pad(targets, ((0, n_empty), (0, 0))), np.float64),
        frozen(np.pad(weight, (0, n_empty)), np.float64),
    )
