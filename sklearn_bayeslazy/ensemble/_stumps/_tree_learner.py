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

from ...leave_one_out import best_temperature, log_losses
from .._held_out_rows import ErrorsOfRounds
from .._reweighting import MIN_ERROR
from .._weak_learners import WeakLearner
from ._tree_grower import TreeGrower, new_nodes, tree_of
from ._trees import BoostedTrees

# Added to the weights in log odds.
_HALF_ROW = 0.5
# Of the tail of the weights: rows of less than 2 to this power weigh nothing.
_MAX_STEPS = 1100
_TINY = np.finfo(np.float64).tiny
# By default boosting ends after this number of rounds that do not reduce the loss.
_PATIENCE = 50


class TreeLearner(WeakLearner):
    """Fits a tree for each class, or for the second of two."""

    _auto_rate = 0.1

    # rows: TrainingRows; model: MyAdaBoost; former: BoostedTrees of a former fit, whose
    # bins are kept, or None.
    def __init__(self, rows, model, former):
        is_class = rows.codes == np.arange(model.n_classes_)[:, None]
        self._is_class = is_class[int(model.n_classes_ == 2) :]
        self._sign = np.where(self._is_class, 1.0, -1.0)
        self.grower = TreeGrower(
            rows.X, rows.codes, rows.weight, rows.codes, model, former
        )
        self.grower.order_columns(slice(None), rows.codes, rows.weight)
        max_weight = np.inf if model.max_weight is None else model.max_weight
        self._least_margin = -float(np.log(max_weight))
        super().__init__(rows, model)

    def restart(self, scores=None):
        """Set the weights to those after members with the given scores."""
        # scores: (n_rows, n_classes), the sum of the members' votes; None: no members.
        shape = len(self.grower.parts), *self._sign.shape
        self._scores, self._votes = np.zeros(shape), np.zeros(shape)
        self._has_members = scores is not None
        if scores is not None:
            self._scores[0] = scores.T[-len(self._sign) :]
        self._weigh_pairs()

    def _weigh_pairs(self):
        """Compute the weights of the pairs of a row and a class; they sum to 1."""
        log_weight = self._log_sample_weight - self._sign * self._scores[0]
        self._pair_weight = softmax(log_weight)

    def fit_member(self, seed):
        """Fit a tree for each class; return them and their weighted error."""
        used = self.grower.draw_columns(seed)

        def fit_tree(part, target):
            if self._has_members:
                return self._grow(part, target, used)
            return self._constant(part, target)

        n_targets = len(self._sign)
        trees = self.grower.grow_all(fit_tree, n_targets)[:n_targets]
        if self._has_members and not any(tree.child[0] for tree in trees):
            return None, 1.0
        self._has_members = True
        wrong = self._sign * self._votes[0] < 0.0
        error = max(float(self._pair_weight[wrong].sum()), MIN_ERROR)
        classes = tuple(self._classes.tolist())
        return BoostedTrees(self.grower.bins, classes, tuple(trees)), error

    def _constant(self, part, target):
        """Return the tree of one leaf that votes half the log odds of a class."""
        rows = self.grower.parts[part]
        weight = self.grower.unit * self._sample_weight[rows]
        sign = self._sign[target, rows]
        share = weight[sign > 0].sum() + _HALF_ROW, weight[sign < 0].sum() + _HALF_ROW
        value = 0.5 * np.log(share[0] / share[1])
        self._votes[part, target] = value
        return tree_of(new_nodes(1), np.array([value]))

    def _grow(self, part, target, used):
        """Return a tree grown to a part of the rows; set its votes for all rows."""
        rows = self.grower.parts[part]
        margin = self._sign[target, rows] * self._scores[part, target, rows]
        margin = np.maximum(margin, self._least_margin)
        log_weight = self._log_sample_weight[rows] - margin
        weight = np.exp(log_weight - log_weight.max())
        total = self.grower.unit * self._sample_weight[rows].sum()
        if self._model.weight_trimming:
            kept = _without_tail(margin, weight, self._model.weight_trimming)
            rows, weight = rows[kept], weight[kept]
        weight *= total / weight.sum()
        own_weight = self.grower.unit * self._sample_weight[rows]
        with np.errstate(over="ignore"):
            factor = weight / np.maximum(own_weight, _TINY)  # it may underflow to 0
            mean_factor = min(total, float(factor @ (weight / total)))
        is_class = self._is_class[target, rows]
        nodes, leaf = self.grower.grow(rows, is_class, weight, used, mean_factor)
        against, in_favour = nodes.weights.T
        if self._model.algorithm_ == "gentle":
            value = (in_favour - against) / (in_favour + against)
        else:
            value = 0.5 * np.log((in_favour + _HALF_ROW) / (against + _HALF_ROW))
        self._votes[part, target] = value[leaf]
        return tree_of(nodes, value)

    def vote_weight(self, error, alphas):
        """Return the factor of the votes; the first are the shares of the classes."""
        return self._rate if alphas else 1.0

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
        scores = [s[:, rows] for s, rows in zip(self._scores[1:], self.grower.held_out)]
        return np.concatenate(scores, axis=1)


def _without_tail(margin, weight, share):
    """Return which rows remain without those of largest margin, a share of the weight.

    >>> _without_tail(np.array([0.0, 2.0, 2.0]), np.array([8.0, 1.0, 1.0]), 0.3)
    array([ True, False, False])
    """
    # Rows within a step of ln 2, in which e^(-margin) halves, remain or go together.
    step = np.minimum((margin - margin.min()) / np.log(2), _MAX_STEPS).astype(int)
    weight_from = np.cumsum(np.bincount(step, weight)[::-1])[::-1]
    return weight_from[step] > share * weight_from[0]


class CrossFittedLoss(ErrorsOfRounds):
    """The log loss of a growing ensemble on rows that its trees were not fitted to."""

    # learner: TreeLearner; rows: TrainingRows.
    def __init__(self, learner, rows, n_iter_no_change):
        # The losses are those by the temperature that makes the mean loss least.
        super().__init__(n_iter_no_change or _PATIENCE)
        self._learner = learner
        held_out = np.concatenate(learner.grower.held_out)
        self._rows, self._n_rows = held_out, len(rows.codes)
        self._codes = rows.codes[held_out]
        self._weight = learner.grower.unit * rows.weight[held_out]

    def add(self, member, alpha):
        """Measure the ensemble after a round; return whether boosting should stop."""
        scores = self._learner.left_out_scores()
        if len(scores) == 1:
            scores = np.concatenate([-scores, scores])
        gaps = scores - scores.max(axis=0)
        temperature = best_temperature(gaps, self._codes, self._weight)
        loss = log_losses(gaps / temperature, self._codes)
        stop = self.append(np.average(loss, weights=self._weight))
        if self.n_best == len(self.errors):
            self.temperature, self._best_logits = temperature, gaps / temperature
        return stop

    def left_out_proba(self):
        """Return the best probabilities (n_rows, n_classes); NaN for other rows."""
        proba = np.full((self._n_rows, len(self._best_logits)), np.nan)
        proba[self._rows] = softmax(self._best_logits.T, axis=1)
        return proba
