"""The targets of the training rows: what rows vote for, and how votes become answers.

Rows vote for classes or for numbers. Each of the two classes below turns sums of votes
into answers, and scores the answers for rows that were left out.
"""

from abc import ABC, abstractmethod

import numpy as np

from ..._arrays import as_float_array
from ..._leave_one_out import CLASSIFICATION_SCORING, MAX_LOG_LOSS
from ..._target_scale import rescale_squares, rescale_targets
from .._stretching import class_indicators, standardize

# Products of these factors with sums of votes neither overflow nor underflow.
MIN_CLASS_FACTOR, MAX_CLASS_FACTOR = 1e-100, 1e100


class TrainingTargets(ABC):
    """Targets of the training rows, and the rows' weights.

    Attributes
    ----------
    weight : ndarray of shape (n,)
        Sample weights, above 0.
    codes : int array of shape (n,), or (0,)
        The class of each row; empty where the targets are numbers.
    numbers : ndarray of shape (n, n_targets), or (0, n_classes)
        The targets of each row; without rows where the targets are classes.
    """

    # Names of the scores that `left_out_losses` returns.
    score_names = ()

    def __init__(self, weight, codes, numbers):
        self.weight = weight
        self.codes = codes
        self.numbers = numbers

    @property
    def n_outputs(self):
        """Return the number of classes or targets."""
        return self.numbers.shape[1]

    @abstractmethod
    def segments(self):
        """Return the rows, as a list of int arrays, that a search keeps in blocks."""

    @abstractmethod
    def sums(self):
        """Return the sums of all votes, each of weight 1, and their total.

        Shape (n_outputs,), and a number.
        """

    @abstractmethod
    def sums_without(self, rows):
        """Return the same without one copy of a row, for each of several rows.

        Shapes (m, n_outputs) and (m,).
        """

    @abstractmethod
    def predictions(self, sums, totals):
        """Return the answers (m, n_outputs) for sums of votes and their totals."""

    @abstractmethod
    def in_units_of_y(self, means):
        """Return weighted means of the targets in the units of y."""

    @abstractmethod
    def values(self, rows):
        """Return the targets of rows as they were given to `fit`."""

    @abstractmethod
    def vote_shares(self, votes, rows, sums, totals):
        """Return the share of each vote (m, width) in the answer.

        Parameters
        ----------
        votes : ndarray of shape (m, width)
        rows : int array of shape (m, width)
            The rows that cast them.
        sums : ndarray of shape (m, n_outputs)
        totals : ndarray of shape (m,)
        """

    @abstractmethod
    def left_out_losses(self, sums, totals, rows):
        """Return the scores (m,) of rows that were left out, by name.

        sums and totals are of the votes of the other rows.
        """

    @abstractmethod
    def score_weight(self, rows):
        """Return the weight that the score of each row has in the mean score."""

    @abstractmethod
    def scoring(self, loo_scoring):
        """Return the scores that decide, as `summarise` takes them."""

    @abstractmethod
    def rescale_results(self, results):
        """Bring the scores in `loo_results_` to the units of y."""

    @abstractmethod
    def treecode_inputs(self):
        """Return the columns whose means are the answers, and the rows' weights."""

    @abstractmethod
    def stretching_targets(self):
        """Return the columns (n, n_columns) that `stretch` learns to predict."""


class ClassTargets(TrainingTargets):
    """Classes; each class's votes are multiplied by a factor.

    Parameters
    ----------
    weight : ndarray of shape (n,)
    codes : int array of shape (n,)
    classes : ndarray of shape (n_classes,)
    class_weight : dict, "balanced" or None
        As given to the estimator.
    """

    score_names = ("accuracy", "log_loss")

    def __init__(self, weight, codes, classes, class_weight):
        super().__init__(weight, codes, np.empty((0, len(classes))))
        self.classes = classes
        self.is_balanced = isinstance(class_weight, str)
        self.factor = class_factors(class_weight, classes, self.sums()[0])

    def segments(self):
        """Return the rows of each class."""
        order = np.argsort(self.codes, kind="stable")
        ends = np.cumsum(np.bincount(self.codes, minlength=self.n_outputs))
        return [part for part in np.split(order, ends[:-1]) if len(part)]

    def sums(self):
        """Return the weight of each class, and of all."""
        return np.bincount(self.codes, self.weight, self.n_outputs), self.weight.sum()

    def sums_without(self, rows):
        """Return the weights of the classes without one copy of each row."""
        sums, total = self.sums()
        copy = np.minimum(self.weight[rows], 1.0)
        sums = np.tile(sums, (len(rows), 1))
        sums[np.arange(len(rows)), self.codes[rows]] -= copy
        return sums, total - copy

    def predictions(self, sums, totals):
        """Return each class's share of the votes, times the factors."""
        return _shares(sums, self.factor)

    def in_units_of_y(self, means):
        """Return shares as they are."""
        return means

    def values(self, rows):
        """Return the labels of rows."""
        return self.classes[self.codes[rows]]

    def vote_shares(self, votes, rows, sums, totals):
        """Return votes, times the factors, over the sum of all."""
        all_votes = (sums * self.factor).sum(axis=1)
        return votes * self.factor[self.codes[rows]] / all_votes[:, None]

    def left_out_losses(self, sums, totals, rows):
        """Return accuracy and log loss of rows that were left out."""
        no_votes = totals == 0
        if no_votes.any():
            sums = np.where(no_votes[:, None], self.sums_without(rows)[0], sums)
        factor = self.factor
        codes = self.codes[rows]
        at = np.arange(len(rows))
        if self.is_balanced:  # the class frequencies change without the row too
            weight = np.maximum(self.sums_without(rows)[0][at, codes], 0.0)
            factor = np.tile(factor, (len(rows), 1))
            n_classes, total = factor.shape[1], self.weight.sum()
            with np.errstate(divide="ignore"):
                balanced = total / (n_classes * weight)
                factor[at, codes] = np.where(weight > 0, balanced, 1.0)
        shares = _shares(sums, factor)
        with np.errstate(divide="ignore"):
            log_loss = np.minimum(-np.log(shares[at, codes]), MAX_LOG_LOSS)
        return {"accuracy": np.argmax(shares, axis=1) == codes, "log_loss": log_loss}

    def score_weight(self, rows):
        """Return the rows' weights, times the factors of their classes."""
        return self.weight[rows] * self.factor[self.codes[rows]]

    def scoring(self, loo_scoring):
        """Return the scores that decide: accuracy by default."""
        return CLASSIFICATION_SCORING[loo_scoring or "accuracy"]

    def rescale_results(self, results):
        """Leave the scores as they are: they have no unit."""

    def treecode_inputs(self):
        """Return indicators of the classes, and weights times factors."""
        weight = self.weight * self.factor[self.codes]
        return np.eye(len(self.classes))[self.codes], weight

    def stretching_targets(self):
        """Return indicators of the classes."""
        return class_indicators(self.codes, self.n_outputs)


class NumberTargets(TrainingTargets):
    """One or several numbers a row, divided by a power of two if they are extreme.

    Parameters
    ----------
    weight : ndarray of shape (n,)
    y : ndarray of shape (n, n_targets)
    one_output : bool
        Whether answers about single rows are numbers and not arrays of one.
    """

    score_names = ("squared_error",)

    def __init__(self, weight, y, one_output):
        numbers, self.exponent = rescale_targets(y)
        super().__init__(weight, np.empty(0, dtype=np.int64), numbers)
        self.one_output = one_output

    def segments(self):
        """Return all rows in one segment."""
        return [np.arange(len(self.weight))]

    def sums(self):
        """Return the weighted sums of the targets, and the total weight."""
        return self.weight @ self.numbers, self.weight.sum()

    def sums_without(self, rows):
        """Return the sums and totals without one copy of each row."""
        sums, total = self.sums()
        copy = np.minimum(self.weight[rows], 1.0)
        sums = np.tile(sums, (len(rows), 1))
        sums -= copy[:, None] * self.numbers[rows]
        return sums, total - copy

    def predictions(self, sums, totals):
        """Return the weighted means of the targets."""
        return self.in_units_of_y(sums / totals[:, None])

    def in_units_of_y(self, means):
        """Return means times the power of two that the targets were divided by."""
        return np.ldexp(means, self.exponent)

    def values(self, rows):
        """Return the targets of rows."""
        values = self.in_units_of_y(self.numbers[rows])
        return values[..., 0] if self.one_output else values

    def vote_shares(self, votes, rows, sums, totals):
        """Return votes over their total."""
        return votes / totals[:, None]

    def left_out_losses(self, sums, totals, rows):
        """Return the squared error of rows that were left out."""
        no_votes = totals == 0
        if no_votes.any():
            all_sums, all_totals = self.sums_without(rows)
            sums = np.where(no_votes[:, None], all_sums, sums)
            totals = np.where(no_votes, all_totals, totals)
        errors = sums / totals[:, None] - self.numbers[rows]
        return {"squared_error": np.mean(errors**2, axis=1)}

    def score_weight(self, rows):
        """Return the rows' weights."""
        return self.weight[rows]

    def scoring(self, loo_scoring):
        """Return the one score that decides: the smaller error is better."""
        return [("squared_error", -1)]

    def rescale_results(self, results):
        """Bring squared errors to the squared units of y."""
        rescale_squares(results, self.exponent)

    def treecode_inputs(self):
        """Return the targets and the weights."""
        return self.numbers, self.weight

    def stretching_targets(self):
        """Return the targets, standardised."""
        return standardize(self.numbers, self.weight)[0]


def class_factors(class_weight, classes, weight_by_class):
    """Return the factor of each class's votes, checked."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        return weight_by_class.sum() / (len(classes) * weight_by_class)
    labels = classes.tolist()
    if unknown := [label for label in class_weight if label not in labels]:
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is not one of the classes "
            f"{labels}: drop it."
        )
    factors = [class_weight.get(label, 1.0) for label in labels]
    factors = as_float_array(factors, "class_weight")
    if not np.all((factors >= MIN_CLASS_FACTOR) & (factors <= MAX_CLASS_FACTOR)):
        raise ValueError(
            f"class_weight must hold numbers from {MIN_CLASS_FACTOR} to "
            f"{MAX_CLASS_FACTOR}, got {class_weight!r}."
        )
    return factors


def _shares(sums, factor):
    shares = sums * factor
    return shares / shares.sum(axis=1, keepdims=True)
