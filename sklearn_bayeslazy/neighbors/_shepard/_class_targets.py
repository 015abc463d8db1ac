"""Classes as the targets of training rows: m-estimates from votes, and their losses.

The votes for a query have an effective number n = (Σ w)² / Σ w², that of equal votes
with the same variance of a share. Together with m votes for the prior p they give

    P(c | x) = (n share_c + m p_c) / (n + m).

The m-estimate is that of Mitchell (1997), Machine Learning, section 6.9.1; the
effective number that of Kish (1965), Survey Sampling.
"""

from typing import NamedTuple

import numpy as np

from ..._core._arrays import as_float_array
from ..._core._kernel import frozen, kernel
from ...leave_one_out import CLASSIFICATION_SCORING, MAX_LOG_LOSS
from ...tabular import class_factors, frequent_class_indicators, m_estimate
from ._training_targets import TrainingTargets


class ClassTargets(TrainingTargets):
    """Classes, whose probabilities are m-estimates from the votes."""

    score_names = ("accuracy", "log_loss")

    def __init__(self, weight, codes, classes, class_weight=None, prior="marginal"):
        # weight, codes: (n,); classes: (n_classes,). class_weight, prior: as given to
        # the estimator. The votes and the prior of each class are multiplied by its
        # factor.
        numbers = np.empty((0, len(classes)))
        super().__init__(weight, codes.astype(np.int64), numbers)
        self.m = 0.0  # the weight of the prior, as a number of votes
        self.classes = classes
        self.is_balanced = isinstance(class_weight, str)
        self.factor = class_factors(class_weight, classes, self.sums()[0])
        self.is_marginal = isinstance(prior, str) and prior == "marginal"
        self.prior = prior_shares(prior, self.sums()[0])

    def segments(self):
        """Return the rows of each class."""
        order = np.argsort(self.codes, kind="stable")
        ends = np.cumsum(np.bincount(self.codes, minlength=self.n_outputs))
        return [part for part in np.split(order, ends[:-1]) if len(part)]

    def sums(self, weight=None):
        """Return the weight of each class, and of all."""
        weight = self.weight if weight is None else weight
        return np.bincount(self.codes, weight, self.n_outputs), weight.sum()

    def predictions(self, votes):
        """Return the m-estimates of the classes' probabilities, times the factors."""
        return self._m_estimates(votes, self.prior, self.factor)

    def left_out_predictions(self, votes, rows):
        """Return the same with the priors and factors that hold without each row."""
        without, each = self._without(rows), np.arange(len(rows))
        prior = self.prior * without.other_prior[:, None]
        factor = self.factor * without.other_factor[:, None]
        prior[each, without.codes] = without.true_prior
        factor[each, without.codes] = without.true_factor
        return self._m_estimates(votes, prior, factor)

    def _m_estimates(self, votes, prior, factor):
        shares = votes.sums / votes.totals[:, None]
        if self.m > 0:
            n_effective = (votes.totals * (votes.totals / votes.squares))[:, None]
            shares = m_estimate(n_effective * shares, n_effective, self.m, prior)
        shares *= factor
        return shares / shares.sum(axis=1, keepdims=True)

    def values(self, rows):
        """Return the labels of rows."""
        return self.classes[self.codes[rows]]

    def vote_shares(self, listed):
        """Return votes, times the factors, over the sum of all."""
        all_votes = (listed.sums * self.factor).sum(axis=1)
        factor = self.factor[self.codes[listed.rows]]
        return listed.votes * factor / all_votes[:, None]

    def labels(self):
        """Return the classes."""
        return self.classes

    def reference(self):
        """Return the prior times the factors, normalised."""
        weighed = self.prior * self.factor
        return weighed / weighed.sum()

    def weight_of_votes(self, votes):
        """Return 1 less the weight of the prior in the m-estimates."""
        shares = (votes.sums * self.factor).sum(axis=1) / votes.totals
        of_prior = self.m * (self.prior * self.factor).sum()
        n_effective = votes.totals * (votes.totals / votes.squares)
        weight = n_effective * shares / (n_effective * shares + of_prior)
        return np.tile(weight[:, None], self.n_outputs)

    def indicators(self, rows):
        """Return indicators of the rows' classes."""
        return np.eye(self.n_outputs)[self.codes[rows]]

    def left_out_losses(self, votes, rows, entries, ms):
        """Return accuracy and log loss of rows that were left out."""
        correct, log_loss = np.empty((2, len(ms), len(rows)))
        score_m_estimates(
            frozen(votes.sums, np.float64),
            frozen(votes.totals, np.float64),
            frozen(votes.squares, np.float64),
            self._without(rows),
            frozen(self.factor, np.float64),
            frozen(self.prior, np.float64),
            frozen(entries, np.int64),
            frozen(ms, np.float64),
            MAX_LOG_LOSS,
            correct,
            log_loss,
        )
        return {"accuracy": correct, "log_loss": log_loss}

    def _without(self, rows):
        """Return the classes of rows, with factors and priors without each row."""
        codes, (class_weight, total) = self.codes[rows], self.sums()
        removed = self.weight[rows]
        remaining = np.maximum(class_weight[codes] - removed, 0.0)
        # A weight may be so large that the others vanish beside it.
        rest = np.where(total > removed, total - removed, total)
        true_factor, true_prior = self.factor[codes], self.prior[codes]
        other_factor = other_prior = np.ones(len(rows))
        # Class frequencies, and factors computed from them, change without the row.
        if self.is_balanced:
            with np.errstate(divide="ignore"):
                balanced = rest / (np.count_nonzero(class_weight) * remaining)
            true_factor = np.where(remaining > 0, balanced, 1.0)
            other_factor = rest / total
        if self.is_marginal:
            true_prior = remaining / rest
            other_prior = total / rest
        parts = true_factor, true_prior, other_factor, other_prior
        return LeftOutClasses(
            frozen(codes, np.int64), *(frozen(part, np.float64) for part in parts)
        )

    def score_weight(self, rows):
        """Return the rows' weights, times the factors of their classes."""
        return self.weight[rows] * self.factor[self.codes[rows]]

    def scoring(self, loo_scoring):
        """Return the scores that decide: log loss and then accuracy by default."""
        if loo_scoring is None:
            return [("log_loss", -1), ("accuracy", 1)]
        return CLASSIFICATION_SCORING[loo_scoring]

    def treecode_inputs(self):
        """Return indicators of the classes, and weights times factors."""
        everything = slice(None)
        return self.indicators(everything), self.score_weight(everything)

    def embedding_targets(self):
        """Return indicators of the classes, of the most frequent ones if many."""
        return frequent_class_indicators(self.codes, self.sums()[0])


class MultiClassTargets(TrainingTargets):
    """Several outputs of classes, side by side: rows vote for indicators of all."""

    score_names = ClassTargets.score_names

    def __init__(self, outputs):
        # outputs: list of `ClassTargets` of the same rows.
        self.outputs = outputs
        indicators = np.hstack([np.eye(one.n_outputs)[one.codes] for one in outputs])
        super().__init__(outputs[0].weight, np.empty(0, dtype=np.int64), indicators)
        self.ends = np.cumsum([one.n_outputs for one in outputs])

    @property
    def m(self):
        """Return the weight of the prior."""
        return self.outputs[0].m

    @m.setter
    def m(self, value):
        for one in self.outputs:
            one.m = value

    def sums(self, weight=None):
        """Return the weight of each class of each output, and of all."""
        parts = [one.sums(weight) for one in self.outputs]
        return np.hstack([sums for sums, _ in parts]), parts[0][1]

    def predictions(self, votes):
        """Return the probabilities of all outputs, side by side."""
        return self._joined("predictions", votes)

    def left_out_predictions(self, votes, rows):
        """Return the same for training rows, from the votes of all other rows."""
        return self._joined("left_out_predictions", votes, rows)

    def values(self, rows):
        """Return the labels (..., n_outputs) of rows."""
        return stack_labels([one.values(rows) for one in self.outputs])

    def labels(self):
        """Return pairs of the number of the output and a class of it."""
        return [
            (v, label)
            for v, one in enumerate(self.outputs)
            for label in one.classes.tolist()
        ]

    def reference(self):
        """Return the priors of all outputs, side by side."""
        return np.hstack([one.reference() for one in self.outputs])

    def weight_of_votes(self, votes):
        """Return the weights of the outputs, side by side."""
        return self._joined("weight_of_votes", votes)

    def left_out_losses(self, votes, rows, entries, ms):
        """Return accuracy and log loss, averaged over the outputs."""
        losses = [
            one.left_out_losses(part, rows, entries, ms)
            for one, part in self._split(votes)
        ]
        return {
            name: np.mean([one[name] for one in losses], axis=0)
            for name in self.score_names
        }

    def scoring(self, loo_scoring):
        """Return the scores that decide, as for one output."""
        return self.outputs[0].scoring(loo_scoring)

    def embedding_targets(self):
        """Return indicators of the most frequent classes of each output."""
        return np.hstack([one.embedding_targets() for one in self.outputs])

    def _joined(self, method, votes, *given):
        """Return what a method returns for the votes of each output, side by side."""
        parts = [getattr(one, method)(part, *given) for one, part in self._split(votes)]
        return np.hstack(parts)

    def _split(self, votes):
        """Return each output with its part of the votes."""
        parts = np.split(votes.sums, self.ends[:-1], axis=-1)
        return [
            (one, votes._replace(sums=part)) for one, part in zip(self.outputs, parts)
        ]


def stack_labels(columns):
    """Return labels of several outputs as one array; of kind object if kinds differ."""
    kinds = {column.dtype.kind for column in columns}
    dtype = object if len(kinds) > 1 else np.result_type(*columns)
    return np.stack([column.astype(dtype) for column in columns], axis=-1)


def prior_shares(prior, weight_by_class):
    """Return the prior probability of each class, checked."""
    n_classes = len(weight_by_class)
    if isinstance(prior, str):
        equal = np.full(n_classes, 1 / n_classes)
        return equal if prior == "uniform" else weight_by_class / weight_by_class.sum()
    shares = as_float_array(prior, "prior", "one number per class")
    if shares.shape != (n_classes,):
        raise ValueError(
            f"prior has shape {shares.shape}; it needs ({n_classes},), one number per "
            "class."
        )
    if not np.all(shares >= 0) or not np.isclose(shares.sum(), 1.0):
        raise ValueError(f"prior must be ≥ 0 and sum to 1, got {prior!r}.")
    return shares


# Numba kernel that scores m-estimates from votes, for rows that were left out.


class LeftOutClasses(NamedTuple):
    """The classes of rows that were left out, and what changes without each row."""

    codes: np.ndarray  # (m,), the classes
    true_factor: np.ndarray  # (m,), factor of the row's class
    true_prior: np.ndarray  # (m,), prior of the row's class
    other_factor: np.ndarray  # (m,), multiplies the factors of other classes
    other_prior: np.ndarray  # (m,), multiplies the priors of other classes


@kernel
def score_m_estimates(
    sums,
    totals,
    squares,
    left_out,
    factor,
    prior,
    entries,
    ms,
    max_loss,
    correct,
    log_loss,
):
    """Write whether the true class is most probable, and its log loss."""
    # The same m-estimates for all candidates of m and k: for the row "choice of k in
    # 1…50 by leave-one-out, 20 000 × 8" of DESIGN.md, section 5.
    # sums, totals, squares: the votes for m rows, as in `VoteSums`, of several entries.
    # factor, prior: (n_classes,). entries: (n_settings,), ascending, the entry of each
    # setting, and ms its m. max_loss: log loss of a probability of 0. correct,
    # log_loss: (n_settings, m), output.
    codes, true_factor, true_prior, other_factor, other_prior = left_out
    n_classes = sums.shape[2]
    votes, priors = np.empty(n_classes), np.empty(n_classes)
    start = 0
    while start < len(ms):
        e, stop = entries[start], start + 1
        while stop < len(ms) and entries[stop] == e:
            stop += 1
        for q in range(sums.shape[1]):
            n_effective = totals[e, q] * (totals[e, q] / squares[e, q])
            all_votes = all_priors = 0.0
            for c in range(n_classes):
                by = factor[c] * other_factor[q]
                p = prior[c] * other_prior[q]
                if c == codes[q]:
                    by, p = true_factor[q], true_prior[q]
                votes[c] = by * (sums[e, q, c] / totals[e, q])
                priors[c] = by * p
                all_votes += votes[c]
                all_priors += priors[c]
            for i in range(start, stop):
                of_votes = n_effective / (n_effective + ms[i])
                of_prior = ms[i] / (n_effective + ms[i])
                best, largest = 0, -1.0
                for c in range(n_classes):
                    score = of_votes * votes[c] + of_prior * priors[c]
                    if score > largest:
                        best, largest = c, score
                true_score = of_votes * votes[codes[q]] + of_prior * priors[codes[q]]
                p = true_score / (of_votes * all_votes + of_prior * all_priors)
                correct[i, q] = 1.0 if best == codes[q] else 0.0
                log_loss[i, q] = min(-np.log(p), max_loss) if p > 0.0 else max_loss
        start = stop
