"""Weights of attributes, learnt by leave-one-out.

The weights minimise the leave-one-out loss of an estimate in which every other case i
votes with exp(-Σ_j w_j (1 - s_j)^p), where s_j is its similarity along attribute j, and
p is 1, or 2 for the Euclidean aggregation. The estimate has a slope by each weight, as
votes of the nearest cases have not. A penalty draws the weights to a common one, the
best of a grid, and the mean of what is found and of equal weights is taken. Then the
votes that are used decide, also by leave-one-out, between these weights, equal ones and
those by relevance, of which the weights for a left-out case come from other folds.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ..._core._parallel import one_blas_thread
from ...leave_one_out import rows_to_leave_out, spread_folds
from ...search import column_relevance, relevance_weights
from ...tabular import row_weight
from .._shepard import best_weights, without_last

# Larger case bases learn the weights from a random subset of cases, of which some are
# left out.
MAX_CASES, MAX_LEFT_OUT = 1500, 500
# Similarities that are held at a time, in float32.
_MAX_SIMILARITIES = 2**25
# Cases that are left out to decide between the learnt and equal weights.
_MAX_LEFT_OUT_TO_DECIDE = 1000
# The common weights from which the search starts are the best of these.
_COMMON = 2.0 ** np.arange(-2, 7)
# The weight of the penalty: that of this number of cases' log losses.
_PENALTY = 10.0
# The prior counts as this share of the votes of an equal case.
_PRIOR = 1e-3
_MAX_ITER = 50
# Exponents of the relevance of an attribute alone, as other candidates.
_EXPONENTS = (0.5, 1.0)
# Larger total weights, in rows, are scaled to this one, so that slopes have a float32.
_MAX_WEIGHT = 1e9
# Decimals kept of weights, of which the largest is 1: the order of the cases, which
# changes the rounding of sums, must not matter.
_DECIMALS = 3


class AttributeWeights(NamedTuple):
    """Weights of the attributes for new cases, and for those that are left out."""

    weights: np.ndarray  # (d,)
    # Pairs of cases, None for all, and the weights where these are left out.
    of_parts: list

    @classmethod
    def same(cls, weights):
        """Return the same weights for all cases."""
        return cls(weights, [(None, weights)])

    def without_last(self, n_ignored):
        """Return the weights with 0 for the last attributes."""
        parts = [(rows, without_last(one, n_ignored)) for rows, one in self.of_parts]
        return type(self)(without_last(self.weights, n_ignored), parts)


class SoftVotes(NamedTuple):
    """What the leave-one-out loss of soft votes is computed from."""

    # d attributes, m cases that are left out, n cases that vote.
    apart: np.ndarray  # float32 (d, m, n): (1 - similarity)^p along each attribute
    counts: np.ndarray  # (m, n): weights of the votes; the case has none
    targets: np.ndarray  # (n, n_targets): indicators of the classes, or numbers
    truth: np.ndarray  # (m, n_targets): of the cases that are left out
    share: np.ndarray  # (m,): weights of the cases that are left out
    are_numbers: bool

    def loss(self, weights):
        """Return the loss and its gradient by the weights, of shape (d,)."""
        # For classes the log loss, for numbers half the squared error of the
        # standardised targets, each summed over the cases that are left out, with their
        # weights.
        d, m, n = self.apart.shape
        exponent = weights.astype(np.float32) @ self.apart.reshape(d, m * n)
        exponent = exponent.reshape(m, n).astype(np.float64)
        each = np.arange(m)
        nearest = np.argmin(np.where(self.counts > 0, exponent, np.inf), axis=1)
        least = exponent[each, nearest]
        votes = self.counts * np.exp(np.minimum(least[:, None] - exponent, 0.0))
        total = votes.sum(axis=1) + _PRIOR
        mean = (self.counts @ self.targets) / self.counts.sum(axis=1)[:, None]
        estimate = (votes @ self.targets + _PRIOR * mean) / total[:, None]
        if self.are_numbers:
            error = estimate - self.truth
            losses = (error**2).sum(axis=1) / 2
            pull = error
        else:
            p = np.maximum((estimate * self.truth).sum(axis=1), 1e-12)
            losses = -np.log(p)
            pull = -self.truth / p[:, None]
        # The slope by the vote of case i: Σ_v pull_v (target_iv - estimate_v) / total.
        slope = pull @ self.targets.T - (pull * estimate).sum(axis=1)[:, None]
        slope *= -votes * (self.share / total)[:, None]
        # The votes are relative to the nearest case, whose slope goes to the prior.
        slope[each, nearest] -= slope.sum(axis=1)
        gradient = self.apart.reshape(d, m * n) @ slope.ravel().astype(np.float32)
        return float(self.share @ losses), gradient.astype(np.float64)


def learn_weights(model, map_rows):
    """Return the `AttributeWeights` of a `CaseModel`, learnt by leaving cases out."""
    n, d = model.cases.shape
    options, equal = model.options, AttributeWeights.same(np.ones(d))
    if n < 3 or d == 1:
        return equal
    seed = 0 if options.random_state is None else options.random_state
    with one_blas_thread():
        learnt = minimise_loss(soft_votes(model, seed))
    if learnt is None:
        return equal
    candidates = [equal, *weights_by_relevance(model), AttributeWeights.same(learnt)]
    if model.n_indicators:
        fewer = [one.without_last(model.n_indicators) for one in candidates]
        candidates = [*fewer, *candidates]
    n_left_out = min(_MAX_LEFT_OUT_TO_DECIDE, options.loo_max_samples or n)
    left_out = rows_to_leave_out(n, n_left_out, seed)

    def leave_out(candidate):
        return model.leave_out(left_out, map_rows, candidate.of_parts)

    return best_weights(candidates, leave_out, model.targets, options.loo_scoring)


def weights_by_relevance(model):
    """Return candidates that are powers of the relevance of each attribute alone."""
    whole = _relevance_weights(model, np.arange(model.cases.n_rows))
    parts = []
    for fold in _folds(model):
        of_others = _relevance_weights(model, np.flatnonzero(~fold))
        parts.append((np.flatnonzero(fold), of_others))
    if not parts:
        return [AttributeWeights.same(weights) for weights in whole]
    return [
        AttributeWeights(weights, [(rows, found[i]) for rows, found in parts])
        for i, weights in enumerate(whole)
    ]


def _relevance_weights(model, cases):
    """Return the powers of the relevance that attributes have among some cases."""
    targets, weight = model.targets.embedding_targets()[cases], model.weight[cases]
    with np.errstate(over="ignore"):  # the variance can vanish beside an error
        relevance = column_relevance(model.cases.take(cases), targets, weight)
    n_codes = [column.n_codes or 1 for column in model.space.columns]
    n_values = np.array(n_codes) - 1
    return [relevance_weights(relevance, n_values, one) for one in _EXPONENTS]


def _folds(model):
    """Return folds of the cases as masks, none of many cases or of objects alone."""
    # The relevance of many cases hangs on none. Sets and graphs are numbered in the
    # order of the cases, so they tell no fold.
    columns = model.space.columns
    plain = [j for j, s in enumerate(model.similarities) if not s.reads_objects]
    if not plain or model.cases.n_rows > _MAX_LEFT_OUT_TO_DECIDE:
        return []
    codes = [
        np.unique(columns[j].cells, return_inverse=True)[1]
        if columns[j].n_codes is None
        else columns[j].codes
        for j in plain
    ]
    targets = model.targets
    folds = spread_folds(
        np.stack(codes, axis=1),
        [columns[j].n_codes is None for j in plain],
        targets.fold_codes,
        targets.embedding_targets(),
        targets.weight,
    )
    return [fold for fold in folds if not fold.all()]


def soft_votes(model, seed):
    """Return the `SoftVotes` of a model's cases, or of a random subset."""
    n, d = model.cases.shape
    some = rows_to_leave_out(n, MAX_CASES, seed)
    n_left_out = min(
        MAX_LEFT_OUT,
        model.options.loo_max_samples or n,
        _MAX_SIMILARITIES // (d * len(some)) + 1,
    )
    left_out = rows_to_leave_out(len(some), n_left_out, seed)
    queries = model.space.left_out_queries()[some[left_out]]
    apart = model.space.distances(queries, some)
    weight = model.weight[some]
    counts = np.tile(weight, (len(left_out), 1))
    counts[np.arange(len(left_out)), left_out] = 0.0
    # The factors of the classes, 1 without class_weight.
    share = model.targets.score_weight(some)
    counts *= share / weight
    unit = max(row_weight(weight), share.sum() / _MAX_WEIGHT)
    counts, share = counts / unit, share[left_out] / unit
    targets = model.targets.embedding_targets()[some]
    truth = targets[left_out]
    are_numbers = not model.targets.are_classes
    return SoftVotes(apart, counts, targets, truth, share, are_numbers)


def minimise_loss(votes):
    """Return the weights of least loss, None if a case has no votes or all are 0."""
    # Attributes along which all cases are equally far apart change no votes: the others
    # are weighted as without them.
    varies = np.ptp(votes.apart, axis=(1, 2)) > 0
    d = int(varies.sum())
    if d == 0 or not np.all(votes.counts.sum(axis=1) > 0):
        return None
    if d < len(varies):
        votes = votes._replace(apart=votes.apart[varies])
    losses = [votes.loss(np.full(d, w / np.sqrt(d)))[0] for w in _COMMON]
    start = np.full(d, _COMMON[int(np.argmin(losses))] / np.sqrt(d))

    def penalised(relative):
        loss, gradient = votes.loss(start * relative)
        gap = relative - 1
        return loss + _PENALTY / 2 * gap @ gap, gradient * start + _PENALTY * gap

    found = minimize(
        penalised,
        np.ones(d),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * d,
        options={"maxiter": _MAX_ITER},
    )
    if not found.x.any():
        return None
    # Half of the deviation from equal weights is kept: the weights fit the cases that
    # were left out better than others.
    weights = np.full(len(varies), 2.0)
    weights[varies] = 1 + found.x / found.x.mean()
    return np.round(weights / weights.max(), _DECIMALS)
