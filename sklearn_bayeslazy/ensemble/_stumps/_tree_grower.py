"""A table that is binned once, its folds, and the growth of trees on some of its rows.

Trees have a part for each set of rows that they are grown to: first all rows, then the
rows outside of each fold, whose trees predict the rows of the fold.
"""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from ..._core._compat import Interval, StrOptions
from ..._core._kernel import frozen
from ..._core._parallel import jobs_for, map_tasks
from ...tabular import (
    LANES,
    MAX_BINS,
    MergedRows,
    code_table,
    number_copies,
    read_table,
    row_weight,
)
from .._held_out_rows import positions_of_rows
from ._stump_kernels import TOLERANCE, WeightedRows
from ._tree_kernels import TreeLimits, TreeNodes, TreeWork, grow_tree
from ._trees import Tree, TreeBins

_AUTO = StrOptions({"auto"})
# The parameters of estimators that say how trees are grown.
TREE_CONSTRAINTS = {
    "max_depth": [Interval(Integral, 1, 12, closed="both"), _AUTO],
    "min_leaf_weight": [Interval(Real, 0, None, closed="left")],
    "max_features": [Interval(Real, 0, 1, closed="right")],
    "n_folds": [Interval(Integral, 2, None, closed="left"), None],
    "max_bins": [Interval(Integral, 2, 255, closed="both"), _AUTO],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}
_MAX_DEPTH = 6  # max_depth="auto"
# Weight of the node's mean in the means by which categories are ordered.
_SMOOTHING = 10.0
# Of K categories whose means differ by chance alone, the best cut of the ordered means
# has this share of the sum of squares between them: 2/π, for means that are normal. For
# rows of equal weight that sum is K - 1 in the mean.
_CATEGORY_SCORE = 2 / np.pi
# Small tables need smaller leaves: the least weight is at most this share of the rows.
_MAX_LEAF_SHARE = 0.1
# Numbers of neighbouring codes that count as one where columns are put in order.
_CODES_PER_SCORE = (1, 4, 16)
# Folds are left out until this number of rows has been.
_MIN_HELD_OUT = 3000


class TreeGrower:
    """The codes of a table, and the limits of the trees that are grown on them."""

    # X, y, weight: rows that were checked; classes: int (n_rows,), whose rows each fold
    # shares out; model: MyAdaBoost or MyAdaBoostRegressor; former: BoostedTrees of a
    # former fit, whose bins are kept, or None; max_entries: how often a row may be
    # given to `grow`.
    def __init__(self, X, y, weight, classes, model, former=None, max_entries=1):
        self._model, self._max_rows = model, max_entries * len(weight)
        table = read_table(X, n_jobs=model.n_jobs)
        # A common factor of all weights, or copies of all rows, choose nothing.
        merged = MergedRows.of(number_copies(table, y, weight), weight)
        self.copy_of, self.unit = merged.of_row, 1.0 / row_weight(merged.weight)
        n_rows = self.unit * weight.sum()
        if former is None:
            max_bins = MAX_BINS if model.max_bins == "auto" else model.max_bins
            coded = code_table(table, max_bins, weight, model.n_jobs)
            self.bins = TreeBins(coded)
            self.codes = self.bins.codes_of(coded)
        else:
            self.bins = former.bins
            self.codes = self.bins.reader(table)(slice(0, table.n_rows))
        self._is_label = frozen([cuts is None for cuts in self.bins.cuts], np.bool_)
        rounding = TOLERANCE * n_rows
        min_weight = min(model.min_leaf_weight, _MAX_LEAF_SHARE * n_rows) - rounding
        min_weight = max(min_weight, rounding)
        max_depth = _MAX_DEPTH if model.max_depth == "auto" else model.max_depth
        self._limits = TreeLimits(
            np.int64(max_depth), min_weight, _SMOOTHING, _CATEGORY_SCORE, rounding
        )
        # The rows of each part that trees are grown to; first all.
        self.parts, self.held_out = [np.arange(len(classes))], []
        coded = self.codes, self._is_label, classes
        self._position = positions_of_rows(*coded, merged, X, y)
        # More folds would be empty; and n_folds may exceed 64 bits.
        n_folds = min(model.n_folds or 0, int(self._position.max()) + 1)
        for k in range(n_folds):
            in_fold = self._position % n_folds == k
            n_held_out = sum(map(len, self.held_out))
            if in_fold.any() and not in_fold.all() and n_held_out < _MIN_HELD_OUT:
                self.parts.append(np.flatnonzero(~in_fold))
                self.held_out.append(np.flatnonzero(in_fold))
        self._work = []  # TreeNodes and TreeWork for each thread, between trees

    def order_columns(self, rows, classes, weight):
        """Put the columns first whose codes tell most about the class of some rows."""
        # rows, classes, weight: (n,). Of splits that are equally good the first is
        # chosen, so the order must not depend on names. Columns that tell the same
        # about the class are ordered by what they tell about the positions of rows.
        # The first of equally good cuts of categories depends on which of two classes
        # puts them in order. It is the one that frequent categories have more of.
        n_codes, scores, leaning = self.bins.n_codes, [], 0.0
        weight = weight / weight.max()
        weight /= weight.sum()
        position = self._position[rows] / (1.0 + self._position.max())
        n_pairs = (int(classes.max()) + 1) * n_codes
        for j, is_label in enumerate(self._is_label):
            code = self.codes[j // LANES, :, j % LANES][rows]
            of_class = np.bincount(classes * n_codes + code, weight, n_pairs)
            of_class = of_class.reshape(-1, n_codes)
            before = np.bincount(code, weight * position, n_codes)
            of_position = np.stack([before, of_class.sum(axis=0) - before])
            scores.append([_told(one, is_label) for one in (of_position, of_class)])
            if is_label and len(of_class) == 2:
                leaning += (of_class[1] - of_class[0]) @ of_class.sum(axis=0) ** 2
        self._column_order = np.lexsort(-np.round(scores, 9).T)
        self._is_reversed = leaning < -TOLERANCE

    def draw_columns(self, seed):
        """Return the columns that the trees of a round may split."""
        n_columns = len(self._is_label)
        n_used = max(round(self._model.max_features * n_columns), 1)
        used = np.arange(n_columns)
        if n_used < n_columns:
            rng = check_random_state(seed)
            used = np.sort(rng.choice(n_columns, n_used, replace=False))
        return frozen(self._column_order[used], np.int64)

    def grow_all(self, grow, n_targets):
        """Call ``grow(part, target)`` for each of them over threads; return trees."""
        tasks = [(p, t) for p in range(len(self.parts)) for t in range(n_targets)]
        n_jobs = jobs_for(self.codes.size * len(tasks), self._model.n_jobs)
        return map_tasks(lambda task: grow(*task), tasks, n_jobs=n_jobs)

    def grow(self, rows, is_class, weight, used, mean_factor=1.0):
        """Return the nodes of a tree grown to some rows, and the leaf of every row."""
        # rows, is_class, weight: (n,); used: what `draw_columns` returns; mean_factor:
        # the weighted mean of the factors by which boosting multiplies sample weights.
        # What chance gives a cut of categories is in proportion to it. The leaves are
        # those of all rows of the table.
        start = np.int32(LANES * self.bins.n_codes)
        class_start = (is_class ^ self._is_reversed) * start
        sorted_rows = WeightedRows(rows.astype(np.int32), class_start, weight)
        work = self._work.pop() if self._work else self._new_work()
        limits = self._limits._replace(category_score=_CATEGORY_SCORE * mean_factor)
        n_nodes = grow_tree(
            self.codes, self._is_label, used, sorted_rows, limits, *work
        )
        nodes = TreeNodes(*(array[:n_nodes].copy() for array in work[0]))
        if self._is_reversed:
            nodes = nodes._replace(weights=nodes.weights[:, ::-1])
        leaf = work[1].leaf.copy()
        self._work.append(work)
        return nodes, leaf

    def _new_work(self):
        """Return the arrays of the nodes of a tree, and those that it is grown in."""
        n_codes, depth = self.bins.n_codes, int(self._limits.max_depth)
        leaf = np.empty(self.codes.shape[1], np.int32)
        return new_nodes(2 ** (depth + 1)), TreeWork(
            WeightedRows.empty(self._max_rows),
            np.empty((depth, len(self.codes), 2 * LANES * n_codes)),
            np.empty((depth + 1, 5), np.int64),
            leaf,
            np.empty(n_codes, np.int64),
            np.empty(n_codes),
        )


def _told(of_pair, is_label):
    """Return Σ W² / Σ W over codes and classes; of numbers of wider codes, too."""
    # of_pair: (n_classes, n_codes), the weight W of each. If each row has its own code,
    # or all rows share one, all columns tell the same.
    score = 0.0
    for width in (1,) if is_label else _CODES_PER_SCORE:
        starts = np.arange(0, of_pair.shape[1], width)
        of_codes = np.add.reduceat(of_pair, starts, axis=1)
        score += np.sum(of_codes**2 / np.maximum(of_codes.sum(axis=0), TOLERANCE))
    return score / (1 if is_label else len(_CODES_PER_SCORE))


def new_nodes(n_nodes):
    """Return a `TreeNodes` of leaves."""
    column, child = np.zeros((2, n_nodes), np.int32)
    goes_left = np.zeros((n_nodes, 256), np.bool_)
    return TreeNodes(
        column, child, np.zeros(n_nodes), goes_left, np.zeros((n_nodes, 2))
    )


def tree_of(nodes, value):
    """Return a tree of some nodes, with the value of each."""
    goes_left = np.packbits(nodes.goes_left, axis=1, bitorder="little")
    return Tree(nodes.column, nodes.child, nodes.gain, goes_left, value)
