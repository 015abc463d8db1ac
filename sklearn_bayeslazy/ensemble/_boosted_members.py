"""The fitted members of a boosted ensemble, and how they vote: stumps or classifiers.

The estimator holds one of these objects. A subclass defines how a member votes, and
what follows from the sum of the votes.
"""

from abc import ABC, abstractmethod
from itertools import chain, islice

import numpy as np
from scipy.special import softmax
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import check_consistent_length

from ..tabular import read_table
from ._predicted_labels import predicted_codes
from ._reweighting import constant_member_vote, log_loss_factor, reweighted
from ._stumps import MHStump, Stump, StumpArrays, TreeVotes, constant_votes


class BoostedMembers(ABC):
    """Members and the weights of their votes."""

    # Whether rows may be a sparse matrix.
    accept_sparse = False

    # state: BoostingState; classes: (n_classes,).
    def __init__(self, state, classes):
        self.members, self.classes = state.members, classes
        self._alphas = np.array(state.alphas)
        resets = np.diff(state.resets_before, prepend=0)
        self._is_after_reset = resets > 0

    @staticmethod
    def decision_values(votes):
        """Return the mean vote of each row.

        >>> BoostedMembers.decision_values(np.array([[1.0, 3.0]]))
        array([0.5])
        >>> BoostedMembers.decision_values(np.array([[1.0, 3.0, 0.0]]))  # -1/2 of 1/4
        array([[-0.125,  0.625, -0.5  ]])
        """
        # votes: the sum of the weights α of the members that predict a class for a row,
        # (n_rows, n_classes). With two classes (n_rows,): the second column less the
        # first, as a share of all votes. With more (n_rows, n_classes): each vote
        # counts 1 for its class and -1 / (n_classes - 1) for the others.
        n_classes = votes.shape[1]
        if n_classes <= 2:
            return (votes[:, -1] - votes[:, 0]) / _total_votes(votes)
        shares = votes / _total_votes(votes)[:, None]
        return (n_classes * shares - 1.0) / (n_classes - 1)

    def logits(self, votes):
        """Return unnormalised log probabilities of the classes: twice the votes."""
        return 2.0 * votes

    @staticmethod
    def read(X):
        """Return rows in the form that `votes_of` takes, read only once."""
        return X

    @staticmethod
    @abstractmethod
    def votes_of(member, X, classes, n_jobs):
        """Return the votes of a member of weight 1, of shape (n_rows, n_classes)."""
        # X: what `read` returns; classes: (n_classes,); n_jobs: threads for stumps.

    @staticmethod
    @abstractmethod
    def constant_member(rows, column_name, label):
        """Return a member that predicts the most frequent class, `label`."""

    @classmethod
    def constant_vote(cls, rows, column_name, classes, class_weight):
        """Return a member that ignores the row, and α, error and log of the bound."""
        # class_weight: (n_classes,), the total weight of the rows of each class.
        label = classes.tolist()[np.argmax(class_weight)]
        error, alpha = constant_member_vote(class_weight, len(classes))
        member = cls.constant_member(rows, column_name, label)
        return member, alpha, error, log_loss_factor(error, alpha)

    def staged_votes(self, X, n_jobs):
        """Yield the votes (n_rows, n_classes) after each round, in the same array."""
        votes = np.zeros((X.shape[0], len(self.classes)))
        X = self.read(X)
        for alpha, member in zip(self._alphas, self.members):
            votes += alpha * self.votes_of(member, X, self.classes, n_jobs)
            yield votes

    def votes(self, X, n_jobs):
        """Return the votes of all members, of shape (n_rows, n_classes)."""
        *_, votes = self.staged_votes(X, n_jobs)
        return votes

    def staged_margins(self, X, codes, n_jobs):
        """Yield the margins of rows, whose true classes are given, after each round."""
        for t, votes in enumerate(self.staged_votes(X, n_jobs)):
            yield self._margins_of(votes, codes, t)

    def margins(self, X, codes, n_jobs):
        """Return the margins of rows, whose true classes are given."""
        return self._margins_of(self.votes(X, n_jobs), codes, -1)

    def _margins_of(self, votes, codes, t):
        """Return the margins from the votes of the members up to t."""
        return _lead(votes, codes, 0.0) / _total_votes(votes)

    def staged_weights(self, X, codes, log_weight, n_jobs):
        """Yield the weights of rows before each round; they sum to 1."""
        # codes: the true classes; log_weight: the logs of the initial weights; both
        # (n_rows,).
        X, current = self.read(X), log_weight
        last = len(self._alphas) - 1
        for t, (alpha, member) in enumerate(zip(self._alphas, self.members)):
            if self._is_after_reset[t]:
                current = log_weight
            yield softmax(current)
            if t < last:
                votes = self.votes_of(member, X, self.classes, n_jobs)
                current = reweighted(current, votes.argmax(axis=1) != codes, alpha)

    def importances(self, n_columns):
        """Return the mean of the members' importances, weighted by their votes."""
        return self._summed_importances(n_columns) / (self._alphas.sum() or 1.0)

    @abstractmethod
    def _summed_importances(self, n_columns):
        """Return the sum of the members' importances times their vote weights."""


class StumpMembers(BoostedMembers):
    """Stumps, which vote together in one pass over the rows."""

    arrays_of = StumpArrays

    def __init__(self, state, classes):
        super().__init__(state, classes)
        self._arrays = self.arrays_of(state.members, classes)

    read = staticmethod(read_table)

    @classmethod
    def votes_of(cls, member, X, classes, n_jobs):
        """Return the votes of a stump, of shape (n_rows, n_classes)."""
        return cls.arrays_of([member], classes).votes(X, np.ones(1), n_jobs)

    @staticmethod
    def constant_member(rows, column_name, label):
        """Return a stump that predicts one class."""
        return Stump.constant(column_name, label)

    def votes(self, X, n_jobs):
        """Return the votes of all stumps, of shape (n_rows, n_classes)."""
        return self._arrays.votes(self.read(X), self._alphas, n_jobs)

    def votes_by_column(self, table, n_jobs):
        """Return the votes of the splits of each column, and of no column."""
        # Shapes (n_rows, n_columns, n_classes) and (n_rows, n_classes). table: Table.
        column_of = [None if s.is_constant else s.feature for s in self.members]
        *terms, base = (
            self._arrays.votes(
                table, self._alphas * [of_stump == j for of_stump in column_of], n_jobs
            )
            for j in (*range(table.n_columns), None)
        )
        return np.stack(terms, axis=1), base

    def _summed_importances(self, n_columns):
        """Return the sum of the vote weights of the stumps that split each column."""
        columns = [stump.feature for stump in self.members]
        splits = [not stump.is_constant for stump in self.members]
        return np.bincount(columns, self._alphas * splits, n_columns)


class MHStumpMembers(StumpMembers):
    """Stumps that vote for and against each class."""

    # Their votes are called scores: the sum of what is for and against each class.

    def __init__(self, state, classes):
        super().__init__(state, classes)
        self._temperature = state.temperature
        self._gains = np.maximum(-np.array(state.log_bound_factors), 0.0)
        sizes = [stump.largest_vote for stump in state.members]
        self._largest = np.cumsum(self._alphas * sizes)

    @staticmethod
    def decision_values(scores):
        """Return the scores; with two classes those of the second class, (n_rows,)."""
        return scores[:, -1].copy() if scores.shape[1] <= 2 else scores.copy()

    def logits(self, scores):
        """Return unnormalised log probabilities: the scores by the temperature."""
        # With two classes, whose scores are f and -f, and the temperature 1 these are
        # the probabilities of real AdaBoost, 1 / (1 + exp(-2 f)).
        return scores / self._temperature

    @classmethod
    def constant_vote(cls, rows, column_name, classes, class_weight):
        """Return a stump that ignores the row, and α, error and log of the bound."""
        votes, error, log_z = constant_votes(class_weight)
        member = MHStump.constant(column_name, tuple(classes.tolist()), votes)
        return member, 1.0, error, log_z

    def _margins_of(self, votes, codes, t):
        """Return the margins from the votes of the members up to t."""
        largest = self._largest[t]  # the largest score that the members can give
        # With one class the lead is infinite: there is no other.
        return np.clip(_lead(votes, codes, -np.inf) / (2.0 * largest or 1.0), -1.0, 1.0)

    def staged_weights(self, X, codes, log_weight, n_jobs):
        """Yield the weights of rows for each class before each round; they sum to 1."""
        is_class = codes[:, None] == np.arange(len(self.classes))
        votes = np.zeros(is_class.shape)
        staged = chain([votes], self.staged_votes(X, n_jobs))
        for votes in islice(staged, len(self.members)):
            yield softmax(log_weight[:, None] - np.where(is_class, votes, -votes))

    def importances(self, n_columns):
        """Return each column's share in the decrease of the log of the bound."""
        columns = [stump.feature for stump in self.members]
        splits = [not stump.is_constant for stump in self.members]
        gains = self._gains * splits
        return np.bincount(columns, gains, n_columns) / (gains.sum() or 1.0)


class TreeMembers(MHStumpMembers):
    """Trees that vote for and against each class."""

    arrays_of = TreeVotes

    def __init__(self, state, classes):
        super().__init__(state, classes)
        self.members = self._arrays  # they hold the trees

    def staged_votes(self, X, n_jobs):
        """Yield the votes (n_rows, n_classes) after each round."""
        return self._arrays.staged_votes(self.read(X), self._alphas)

    def votes_by_column(self, table, n_jobs):
        """Return the votes of the splits of each column, and of no column."""
        return self._arrays.votes_by_column(table, self._alphas)

    def importances(self, n_columns):
        """Return each column's share in the decrease of the sums of squares."""
        return self._arrays.importances(n_columns)


class ClassifierMembers(BoostedMembers):
    """Fitted copies of a classifier."""

    accept_sparse = True

    @staticmethod
    def votes_of(member, X, classes, n_jobs):
        """Return 1 for the class that a classifier predicts, 0 for the others."""
        return np.eye(len(classes))[predicted_codes(member, X, classes)]

    @staticmethod
    def constant_member(rows, column_name, label):
        """Return a classifier that predicts the most frequent class."""
        return DummyClassifier().fit(rows.X, rows.y, rows.weight)

    def _summed_importances(self, n_columns):
        """Return the sum of the members' importances times their vote weights."""
        return sum(
            alpha * member.feature_importances_
            for alpha, member in zip(self._alphas, self.members)
            if not isinstance(member, DummyClassifier)  # fitted to one class
        )


def _lead(votes, codes, least):
    """Return the votes for the true class less the most for another, `least` if none.

    >>> _lead(np.array([[1.0, 3.0], [1.0, 3.0]]), np.array([0, 1]), 0.0)
    array([-2.,  2.])
    """
    # votes: (n_rows, n_classes); codes: the true classes, int (n_rows,).
    check_consistent_length(votes, codes)
    true_class = np.arange(len(codes)), codes
    others = votes.copy()
    others[true_class] = least
    return votes[true_class] - others.max(axis=1)


def _total_votes(votes):
    """Return the sum of the votes for each row, 1 where it is 0."""
    total = votes.sum(axis=1)
    total[total == 0.0] = 1.0
    return total
