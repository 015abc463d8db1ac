r"""The weak learner of boosting by squares: a tree fitted to residuals.

The kernels of trees fit y = ±1, given the weights p of y = 1 and q of y = -1. A
residual r of weight w, with the root mean square s of all residuals, is two such rows:

.. math:: p = \frac w2 \left(1 + \frac rs\right), \qquad
    q = \frac w2 \left(1 - \frac rs\right).

Then p + q = w and p - q = w r / s, so the splits of least squares about the means of ±1
are those about the means of the residuals. Weights may be negative: the kernels only
need p + q > 0.
"""

import numpy as np

from .._held_out_rows import ErrorsOfRounds
from ._tree_grower import TreeGrower, new_nodes, tree_of
from ._trees import BoostedTrees

# Residuals that are smaller than this share of the deviation of y are rounding.
_ROUNDING = 1e-12


class SquaresLearner:
    """Fits trees to the residuals of all rows, and of the rows outside of each fold."""

    # X, y, weight: rows that were checked; model: MyAdaBoostRegressor.
    def __init__(self, X, y, weight, model):
        self._y, self._sample_weight, self._rate = y, weight, model.learning_rate
        is_large = (y > y.min() / 2 + y.max() / 2).astype(np.int64)
        self._grower = TreeGrower(X, y, weight, is_large, model, max_entries=2)
        # Errors are those on the rows of the folds, which trees without them predict.
        # `left_out` has these rows, their predictions by the best members, and a number
        # for each row, the same for copies.
        self.validation = ErrorsOfRounds(model.n_iter_no_change)
        self._members, self.left_out = [], None
        means = [self._mean(y[rows], rows) for rows in self._grower.parts]
        self._fitted = np.repeat(np.array(means)[:, None], len(y), axis=1)
        residuals, self._deviation = self._residuals(0)
        ratio = residuals / (self._deviation or 1.0)
        self._grower.order_columns(*self._entries(0, ratio))
        self._add(tree_of(new_nodes(1), np.array(means[:1])))

    def best_members(self):
        """Return the members with the least error; without folds all."""
        return self._members[: self.validation.n_best or None]

    def add_member(self, seed):
        """Fit a tree to each part; return whether boosting should go on."""
        used = self._grower.draw_columns(seed)
        trees = self._grower.grow_all(lambda part, _: self._grow(part, used), 1)
        if not any(tree.child[0] for tree in trees):
            return False
        return not self._add(trees[0])

    def _mean(self, values, rows):
        """Return the weighted mean of a value of each of some rows."""
        weight = self._sample_weight[rows]
        return np.average(values, weights=weight / weight.max())

    def _residuals(self, part):
        """Return the residuals of a part, and their root mean square."""
        rows = self._grower.parts[part]
        residuals = self._y[rows] - self._fitted[part, rows]
        return residuals, np.sqrt(self._mean(residuals**2, rows))

    def _entries(self, part, ratio):
        """Return the two rows of each residual of a part, as `grow` takes them."""
        # ratio: the residuals by their root mean square.
        rows = self._grower.parts[part]
        weight = self._grower.unit * self._sample_weight[rows]
        weight = 0.5 * weight * np.stack([1.0 - ratio, 1.0 + ratio])
        is_above = np.tile([False, True], len(rows))
        return np.repeat(rows, 2), is_above, weight.T.ravel()

    def _grow(self, part, used):
        """Return a tree grown to a part of the rows; add what it predicts for all."""
        residuals, unit = self._residuals(part)
        rows, is_above, weight = self._entries(part, residuals / (unit or 1.0))
        # Beside weights of 1e300, the weights of all rows of a part may be 0.
        if unit <= _ROUNDING * self._deviation or not weight.any():
            return tree_of(new_nodes(1), np.zeros(1))
        nodes, leaf = self._grower.grow(rows, is_above, weight, used)
        below, above = nodes.weights.T
        value = unit * (above - below) / (above + below)
        tree = tree_of(nodes._replace(gain=nodes.gain * unit**2), value)
        self._fitted[part] += self._rate * value[leaf]
        return tree

    def _add(self, tree):
        """Add a member and measure all; return whether boosting should stop."""
        self._members.append(BoostedTrees(self._grower.bins, (), (tree,)))
        folds = self._grower.held_out
        if not folds:
            return False
        rows = np.concatenate(folds)
        found = np.concatenate([f[some] for f, some in zip(self._fitted[1:], folds)])
        squares = (self._y[rows] - found) ** 2
        stop = self.validation.append(self._mean(squares, rows))
        if self.validation.n_best == len(self._members):
            self.left_out = rows, found, self._grower.copy_of[rows]
        return stop
