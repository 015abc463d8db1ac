r"""The weak learner of real-valued boosting: a tree for each class, by least squares.

Let :math:`y = \pm 1` tell whether a row is of the class, and F be the sum of the votes
so far. A row has the weight :math:`e^{-yF}`, at most `max_weight`, times its sample
weight. A tree is fitted to y by weighted least squares, and a leaf with the weights p
of y = 1 and q of y = -1 votes

.. math:: \frac{p - q}{p + q} \;\text{("gentle")}, \qquad
    \tfrac12 \ln \frac{p + 1/2}{q + 1/2} \;\text{("real")},

where weights sum to the number of rows (Friedman, Hastie & Tibshirani 2000, algorithms
4 and 2). The first member votes half the log odds of the class for all rows. Trees are
grown to all rows, and to the rows outside of each fold, which predict its rows.
"""

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_random_state

from ..._core._estimator import names_of_columns
from ..._core._kernel import frozen
from ..._core._parallel import map_tasks
from ...leave_one_out import best_temperatures, gaps_by_class, log_losses
from ...tabular import LANES, code_table, read_table
from .._held_out_rows import ValidationError, folds_of_rows
from .._reweighting import MIN_ERROR
from .._weak_learners import WeakLearner
from ._stump_kernels import TOLERANCE, WeightedRows
from ._tree_kernels import TreeLimits, TreeNodes, TreeWork, grow_tree
from ._trees import BoostedTrees, Tree, TreeBins

_MAX_BINS = 255  # max_bins="auto"
# Weight of the node's mean in the means by which categories are ordered.
_SMOOTHING = 10.0
# Added to the weights in log odds.
_HALF_ROW = 0.5
# Small tables need smaller leaves: the least weight is at most this share of the rows.
_MAX_LEAF_SHARE = 0.1
# Neighbouring codes of numbers that count as one where columns are put in order.
_CODES_PER_SCORE = 16
# Folds are left out until this number of rows has been.
_MIN_HELD_OUT = 3000
# Of the tail of the weights: rows of less than 2 to this power weigh nothing.
_MAX_STEPS = 1100
# Fewer cells (milliseconds a round) take one thread.
_MIN_CELLS_FOR_THREADS = 2**20
# By default boosting ends after this number of rounds that do not reduce the loss.
_PATIENCE = 50


class TreeLearner(WeakLearner):
    """Fits a tree for each class, or for the second of two."""

    # rows: TrainingRows; model: MyAdaBoost; max_depth: its parameter as a number;
    # n_rows: the number of rows that the weights stand for; former: BoostedTrees of a
    # former fit, whose bins are kept, or None.
    def __init__(self, rows, model, max_depth, n_rows, former):
        self._model, self.is_random = model, model.max_features < 1.0
        is_class = rows.codes == np.arange(model.n_classes_)[:, None]
        is_class = is_class[int(model.n_classes_ == 2) :]
        self._sign = np.where(is_class, 1.0, -1.0)
        table = read_table(rows.X, n_jobs=model.n_jobs)
        if former is None:
            max_bins = _MAX_BINS if model.max_bins == "auto" else model.max_bins
            coded = code_table(table, max_bins, rows.weight, model.n_jobs)
            self._bins = TreeBins(coded, names_of_columns(model))
            self._codes = self._bins.codes_of(coded)
        else:
            self._bins = former.bins
            self._codes = self._bins.reader(table)(slice(0, table.n_rows))
        self._is_label = frozen([cuts is None for cuts in self._bins.cuts], np.bool_)
        self._class_start = (is_class * (LANES * self._bins.n_codes)).astype(np.int32)
        rounding = TOLERANCE * n_rows
        min_weight = min(model.min_leaf_weight, _MAX_LEAF_SHARE * n_rows) - rounding
        min_weight = max(min_weight, rounding)
        self._limits = TreeLimits(np.int64(max_depth), min_weight, _SMOOTHING, rounding)
        max_weight = np.inf if model.max_weight is None else model.max_weight
        self._least_margin = -float(np.log(max_weight))
        self._unit = n_rows / rows.weight.sum()
        # The rows of each part that trees are grown to; first all.
        self._parts, self.held_out = [np.arange(len(rows.codes))], []
        n_folds = model.n_folds or 0
        if n_folds:
            fold = folds_of_rows(self._codes, self._is_label, rows.codes, n_folds)
        for k in range(n_folds):
            in_fold = fold == k
            if in_fold.any() and not in_fold.all() and self._n_held_out < _MIN_HELD_OUT:
                self._parts.append(np.flatnonzero(~in_fold))
                self.held_out.append(np.flatnonzero(in_fold))
        n_cells = self._codes.size * len(is_class) * len(self._parts)
        self._n_jobs = model.n_jobs if n_cells >= _MIN_CELLS_FOR_THREADS else 1
        self._column_order = self._by_score(rows)
        self._work = []  # TreeNodes and TreeWork for each thread, between trees
        super().__init__(rows, model.classes_, False)

    def _by_score(self, rows):
        """Return the columns from the one whose codes tell most about the class."""
        # Of splits that are equally good the first is chosen, so the order must not
        # depend on names. The score is Σ W² / Σ W over codes and classes. Numbers have
        # few codes here: if each row had its own, all columns would tell the same.
        n_codes, scores = self._bins.n_codes, []
        for j in range(len(self._is_label)):
            code = self._codes[j // LANES, :, j % LANES]
            if not self._is_label[j]:
                code = code // _CODES_PER_SCORE
            pair = rows.codes * n_codes + code
            weight = np.bincount(pair, rows.weight / rows.weight.max())
            weight = np.pad(weight, (0, -len(weight) % n_codes)).reshape(-1, n_codes)
            total = weight.sum(axis=0)
            scores.append(np.sum(weight**2 / np.maximum(total, TOLERANCE)))
        return np.argsort(-np.round(scores / np.max(scores), 9), kind="stable")

    @property
    def _n_held_out(self):
        return sum(map(len, self.held_out))

    def restart(self, scores=None):
        """Set the weights to those after members with the given scores."""
        # scores: (n_rows, n_classes), the sum of the members' votes; None: no members.
        shape = len(self._parts), *self._sign.shape
        self._scores, self._votes = np.zeros(shape), np.zeros(shape)
        self._has_members = scores is not None
        if scores is not None:
            self._scores[0] = scores.T[-len(self._sign) :]
        self._weigh_pairs()

    def _weigh_pairs(self):
        """Compute the weights of the pairs of a row and a class; they sum to 1."""
        log_weight = self._log_sample_weight - self._sign * self._scores[0]
        weight = np.exp(log_weight - log_weight.max())
        self._pair_weight = weight / weight.sum()

    def fit_member(self, seed):
        """Fit a tree for each class; return them and their weighted error."""
        n_columns, n_targets = len(self._is_label), len(self._sign)
        n_used = max(round(self._model.max_features * n_columns), 1)
        used = np.arange(n_columns)
        if n_used < n_columns:
            rng = check_random_state(seed)
            used = np.sort(rng.choice(n_columns, n_used, replace=False))
        used = frozen(self._column_order[used], np.int64)

        def fit_tree(task):
            return (
                self._grow(*task, used) if self._has_members else self._constant(*task)
            )

        tasks = [(p, t) for p in range(len(self._parts)) for t in range(n_targets)]
        trees = map_tasks(fit_tree, tasks, n_jobs=self._n_jobs)[:n_targets]
        if self._has_members and not any(tree.child[0] for tree in trees):
            return None, 1.0
        self._has_members = True
        wrong = self._sign * self._votes[0] < 0.0
        error = max(float(self._pair_weight[wrong].sum()), MIN_ERROR)
        classes = tuple(self._classes.tolist())
        return BoostedTrees(self._bins, classes, tuple(trees)), error

    def _constant(self, part, target):
        """Return the tree of one leaf that votes half the log odds of a class."""
        rows = self._parts[part]
        weight, sign = self._unit * self._sample_weight[rows], self._sign[target, rows]
        share = weight[sign > 0].sum() + _HALF_ROW, weight[sign < 0].sum() + _HALF_ROW
        value = 0.5 * np.log(share[0] / share[1])
        self._votes[part, target] = value
        leaf = _new_nodes(1)
        return Tree(leaf.column, leaf.child, leaf.gain, _bits(leaf), np.array([value]))

    def _grow(self, part, target, used):
        """Return a tree grown to a part of the rows; set its votes for all rows."""
        rows = self._parts[part]
        margin = self._sign[target, rows] * self._scores[part, target, rows]
        margin = np.maximum(margin, self._least_margin)
        log_weight = self._log_sample_weight[rows] - margin
        weight = np.exp(log_weight - log_weight.max())
        kept = _without_tail(margin, weight, self._model.weight_trimming)
        total = self._unit * self._sample_weight[rows].sum()
        rows, weight = rows[kept], weight[kept]
        weight *= total / weight.sum()
        class_start = self._class_start[target, rows]
        sorted_rows = WeightedRows(rows.astype(np.int32), class_start, weight)
        work = self._work.pop() if self._work else self._new_work()
        n_nodes = grow_tree(
            self._codes, self._is_label, used, sorted_rows, self._limits, *work
        )
        nodes = TreeNodes(*(array[:n_nodes].copy() for array in work[0]))
        self._work.append(work)
        against, in_favour = nodes.weights.T
        if self._model.algorithm_ == "gentle":
            value = (in_favour - against) / (in_favour + against)
        else:
            value = 0.5 * np.log((in_favour + _HALF_ROW) / (against + _HALF_ROW))
        tree = Tree(nodes.column, nodes.child, nodes.gain, _bits(nodes), value)
        self._votes[part, target] = tree.votes(self._codes)
        return tree

    def _new_work(self):
        """Return the arrays of the nodes of a tree, and those that it is grown in."""
        n_rows, n_codes = len(self._sample_weight), self._bins.n_codes
        depth = int(self._limits.max_depth)
        indices, class_start = np.empty((2, n_rows), np.int32)
        return _new_nodes(2 ** (depth + 1)), TreeWork(
            WeightedRows(indices, class_start, np.empty(n_rows)),
            np.empty((depth, len(self._codes), 2 * LANES * n_codes)),
            np.empty((depth + 1, 5), np.int64),
            np.empty(n_codes, np.int64),
            np.empty(n_codes),
        )

    def misclassified(self):
        """Return nothing: this learner is never reset."""
        return b""

    def log_bound_factor(self, alpha, error):
        """Return the log of the factor by which the last votes change the loss."""
        loss = self._pair_weight * np.exp(-alpha * self._sign * self._votes[0])
        return float(np.log(loss.sum()))

    def _reweight(self, alpha):
        """Multiply the weights of the pairs by e to the votes against their sign."""
        self._scores += alpha * self._votes
        self._weigh_pairs()

    def left_out_scores(self):
        """Return the scores of the rows of all folds by the trees without them."""
        scores = [s[:, rows] for s, rows in zip(self._scores[1:], self.held_out)]
        return np.concatenate(scores, axis=1)


def _new_nodes(n_nodes):
    """Return a `TreeNodes` of leaves."""
    column, child = np.zeros((2, n_nodes), np.int32)
    goes_left = np.zeros((n_nodes, 256), np.bool_)
    return TreeNodes(
        column, child, np.zeros(n_nodes), goes_left, np.zeros((n_nodes, 2))
    )


def _bits(nodes):
    """Return which codes go to the left, a bit for each."""
    return np.packbits(nodes.goes_left, axis=1, bitorder="little")


def _without_tail(margin, weight, share):
    """Return which rows remain without those of largest margin, a share of the weight.

    >>> _without_tail(np.array([0.0, 2.0, 2.0]), np.array([8.0, 1.0, 1.0]), 0.3)
    array([ True, False, False])
    """
    # Rows within a step of ln 2, in which e^(-margin) halves, remain or go together.
    step = np.minimum((margin - margin.min()) / np.log(2), _MAX_STEPS).astype(int)
    weight_from = np.cumsum(np.bincount(step, weight)[::-1])[::-1]
    return weight_from[step] > share * weight_from[0]


class CrossFittedLoss(ValidationError):
    """The log loss of a growing ensemble on rows that its trees were not fitted to."""

    # learner: TreeLearner; rows: TrainingRows.
    def __init__(self, learner, rows, n_iter_no_change):
        self._learner = learner
        held_out = np.concatenate(learner.held_out)
        self._rows, self._n_rows = held_out, len(rows.codes)
        self._codes, self._weight = rows.codes[held_out], rows.weight[held_out]
        self._n_iter_no_change = n_iter_no_change or _PATIENCE
        # After each round the mean loss, by the temperature that makes it least.
        self.errors, self._temperatures = [], []

    def add(self, member, alpha):
        """Measure the ensemble after a round; return whether boosting should stop."""
        scores = self._learner.left_out_scores()
        if len(scores) == 1:
            scores = np.concatenate([-scores, scores])
        gaps, _ = gaps_by_class(scores.T, np.zeros(len(scores)))
        one = np.ones(gaps.shape[1])
        (temperature,) = best_temperatures(gaps, self._codes, self._weight, [one])
        self._temperatures.append(temperature)
        loss = log_losses(gaps / temperature, self._codes)
        stop = self._append(np.average(loss, weights=self._weight))
        if self.n_best == len(self.errors):
            self._best_logits = gaps / temperature
        return stop

    @property
    def temperature(self):
        """The temperature of the ensemble that has the least loss."""
        return self._temperatures[self.n_best - 1]

    def left_out_proba(self):
        """Return the best probabilities (n_rows, n_classes); NaN for other rows."""
        proba = np.full((self._n_rows, len(self._best_logits)), np.nan)
        proba[self._rows] = softmax(self._best_logits.T, axis=1)
        return proba
