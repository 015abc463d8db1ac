"""The targets of the training rows: what rows vote for, and how votes become answers.

Rows vote for numbers (`NumberTargets`) or for classes (`_class_targets.py`). Each kind
turns sums of votes into answers, and scores the answers for rows that were left out.
"""

from abc import ABC, abstractmethod

import numpy as np

from ...tabular import merge_copies, rescale_squares, rescale_targets, standardize


class TrainingTargets(ABC):
    """Targets of the training rows, and the rows' weights."""

    # Names of the scores that `left_out_losses` returns.
    score_names = ()
    are_classes = True
    exponent = 0  # numbers are those given over 2 to this power

    def __init__(self, weight, codes, numbers):
        # weight: (n,), sample weights, above 0.
        # codes: (n,), the class of each row; (0,) where the targets are numbers.
        # numbers: (n, n_targets); (0, n_classes) where the targets are classes.
        self.weight = weight
        self.codes = codes
        self.numbers = numbers

    @property
    def n_outputs(self):
        """Return the number of classes or targets."""
        return self.numbers.shape[1]

    @property
    def fold_codes(self):
        """Return codes (n,) of which each fold should have its share."""
        return self.codes if len(self.codes) else np.zeros(len(self.weight), np.int64)

    def merge_copies(self, X):
        """Return the `MergedRows` of rows X with these targets, None without copies."""
        targets = self.codes if len(self.codes) else self.numbers
        return merge_copies(X, targets, self.weight)

    def segments(self):
        """Return the rows, as a list of int arrays, that a search keeps in blocks."""
        return [np.arange(len(self.weight))]

    @abstractmethod
    def sums(self, weight=None):
        """Return the sums of all votes and their total, by default by their weights."""
        # Shape (n_outputs,), and a number.

    def sums_without(self, rows):
        """Return the same without a row, for each of several rows."""
        # A row of -1 leaves nothing out. Shapes (m, n_outputs) and (m,).
        sums, total = self.sums()
        removed = np.where(rows >= 0, self.weight[rows], 0.0)
        sums, totals = np.tile(sums, (len(rows), 1)), total - removed
        if len(self.codes):
            sums[np.arange(len(rows)), self.codes[rows]] -= removed
        else:
            sums -= removed[:, None] * self.numbers[rows]
        # Where a row has most of the weight, the difference would be rounded, up to 0.
        heavy = np.argmax(self.weight)
        is_heavy = rows == heavy
        if is_heavy.any() and 2 * self.weight[heavy] > self.weight.sum():
            weight = self.weight.copy()
            weight[heavy] = 0.0
            sums[is_heavy], totals[is_heavy] = self.sums(weight)
        return sums, totals

    @abstractmethod
    def predictions(self, votes):
        """Return the answers (m, n_outputs) for the `VoteSums` of m queries."""

    def left_out_predictions(self, votes, rows):
        """Return the same for training rows, from the votes of all other rows."""
        return self.predictions(votes)

    def in_units_of_y(self, means):
        """Return means times the power of two that the targets were divided by."""
        return np.ldexp(means, self.exponent)

    @abstractmethod
    def values(self, rows):
        """Return the targets of rows as they were given to `fit`."""

    def vote_shares(self, listed):
        """Return the share (m, width) of each vote of `ListedVotes` in the answer."""
        return listed.votes / listed.totals[:, None]

    @abstractmethod
    def labels(self):
        """Return the label of each output: a class, or the number of the target."""

    @abstractmethod
    def reference(self):
        """Return the answer without votes, (n_outputs,) in units of y."""

    @abstractmethod
    def weight_of_votes(self, votes):
        """Return the weight A of `VoteSums` in an answer, shape (m, n_outputs)."""
        # The answer is reference + A Σ share (target - reference), with the shares of
        # `vote_shares` and the `indicators`.

    def indicators(self, rows):
        """Return the targets of rows as numbers, (n_rows, n_outputs) in units of y."""
        return self.in_units_of_y(self.numbers[rows])

    @abstractmethod
    def left_out_losses(self, votes, rows, entries, ms):
        """Return the scores (n_settings, m) of rows that were left out, by name."""
        # votes: `VoteSums` of the other rows, with several entries; rows: (m,).
        # entries: (n_settings,), ascending, the entry that a setting reads; ms: its m
        # of m-estimates, which numbers do not read.

    def score_weight(self, rows):
        """Return the weight that the score of each row has in the mean score."""
        return self.weight[rows]

    @abstractmethod
    def scoring(self, loo_scoring):
        """Return the scores that decide, as `rank_means` takes them."""

    def rescale_results(self, results):
        """Bring squared errors in `loo_results_` to the squared units of y."""
        rescale_squares(results, self.exponent)

    def treecode_inputs(self):
        """Return the columns whose means are the answers, and the rows' weights."""
        return self.numbers, self.weight

    @abstractmethod
    def embedding_targets(self):
        """Return the columns by which symbols are compared, and axes are stretched."""
        # (n, n_columns)


class NumberTargets(TrainingTargets):
    """One or several numbers a row, divided by a power of two if they are extreme."""

    score_names = ("squared_error",)
    are_classes = False

    def __init__(self, weight, y, one_output):
        # weight: (n,); y: (n, n_targets). one_output: whether answers about single rows
        # are numbers and not arrays of one.
        numbers, self.exponent = rescale_targets(y, weight.sum())
        super().__init__(weight, np.empty(0, dtype=np.int64), numbers)
        self.one_output = one_output

    def sums(self, weight=None):
        """Return the weighted sums of the targets, and the total weight."""
        weight = self.weight if weight is None else weight
        return weight @ self.numbers, weight.sum()

    def predictions(self, votes):
        """Return the weighted means of the targets."""
        return self.in_units_of_y(votes.sums / votes.totals[:, None])

    def values(self, rows):
        """Return the targets of rows."""
        values = self.in_units_of_y(self.numbers[rows])
        return values[..., 0] if self.one_output else values

    def labels(self):
        """Return the numbers of the targets."""
        return np.arange(self.n_outputs)

    def reference(self):
        """Return the means of the targets."""
        sums, total = self.sums()
        return self.in_units_of_y(sums / total)

    def weight_of_votes(self, votes):
        """Return 1: the answer is the mean of the votes."""
        return np.ones_like(votes.sums)

    def left_out_losses(self, votes, rows, entries, ms):
        """Return the squared error of rows that were left out, whatever m is."""
        errors = votes.sums / votes.totals[..., None] - self.numbers[rows]
        return {"squared_error": np.mean(errors**2, axis=-1)[entries]}

    def scoring(self, loo_scoring):
        """Return the one score that decides: the smaller error is better."""
        return [("squared_error", -1)]

    def embedding_targets(self):
        """Return the targets, standardised."""
        return standardize(self.numbers, self.weight)[0]
