"""The fitted members of a boosted ensemble, and how they vote: stumps or classifiers.

The estimator holds one of these objects. A subclass says how a member predicts.
"""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.dummy import DummyClassifier

from ..tabular import read_table
from ._predicted_labels import label_codes
from ._stumps import Stump, StumpArrays


class BoostedMembers(ABC):
    """Members and the weights of their votes.

    Parameters
    ----------
    members : list
    alphas : ndarray of shape (n_members,)
        The weights of the votes.
    classes : ndarray of shape (n_classes,)

    Attributes
    ----------
    accept_sparse : bool
        Whether rows may be a sparse matrix.
    """

    accept_sparse = False

    def __init__(self, members, alphas, classes):
        self._members, self._alphas, self._classes = members, alphas, classes

    @staticmethod
    def read(X):
        """Return rows in the form that `predict_codes` takes, read only once."""
        return X

    @staticmethod
    @abstractmethod
    def predict_codes(member, X, classes, n_jobs):
        """Return the index of the class that a member predicts for each row.

        Parameters
        ----------
        member : Stump or classifier
        X : what `read` returns
        classes : ndarray of shape (n_classes,)
        n_jobs : int or None
            Threads for stumps; classifiers have their own `n_jobs`.
        """

    @staticmethod
    @abstractmethod
    def constant_member(rows, column_name, label):
        """Return a member that predicts the most frequent class, `label`."""

    def staged_votes(self, X, n_jobs):
        """Yield the votes (n_rows, n_classes) after each round, in the same array."""
        votes = np.zeros((X.shape[0], len(self._classes)))
        every_row = np.arange(len(votes))
        X = self.read(X)
        for alpha, member in zip(self._alphas, self._members):
            codes = self.predict_codes(member, X, self._classes, n_jobs)
            votes[every_row, codes] += alpha
            yield votes

    def votes(self, X, n_jobs):
        """Return the votes of all members, of shape (n_rows, n_classes)."""
        *_, votes = self.staged_votes(X, n_jobs)
        return votes

    @abstractmethod
    def summed_importances(self, n_columns):
        """Return the sum of the members' importances times their vote weights."""


class StumpMembers(BoostedMembers):
    """Stumps, which vote together in one pass over the rows.

    Parameters
    ----------
    members, alphas, classes : see BoostedMembers
    """

    def __init__(self, members, alphas, classes):
        super().__init__(members, alphas, classes)
        self._arrays = StumpArrays(members, classes)

    read = staticmethod(read_table)

    @staticmethod
    def predict_codes(member, X, classes, n_jobs):
        """Return the index of the class that a stump predicts for each row."""
        votes = StumpArrays([member], classes).votes(X, np.ones(1), n_jobs)
        return votes.argmax(axis=1)

    @staticmethod
    def constant_member(rows, column_name, label):
        """Return a stump that predicts one class."""
        return Stump.constant(column_name, label)

    def votes(self, X, n_jobs):
        """Return the votes of all stumps, of shape (n_rows, n_classes)."""
        return self._arrays.votes(self.read(X), self._alphas, n_jobs)

    def summed_importances(self, n_columns):
        """Return the sum of the vote weights of the stumps that split each column."""
        columns = [stump.feature for stump in self._members]
        splits = [not stump.is_constant for stump in self._members]
        return np.bincount(columns, self._alphas * splits, n_columns)


class ClassifierMembers(BoostedMembers):
    """Fitted copies of a classifier.

    Parameters
    ----------
    members, alphas, classes : see BoostedMembers
    """

    accept_sparse = True

    @staticmethod
    def predict_codes(member, X, classes, n_jobs):
        """Return the index of the class that a classifier predicts for each row."""
        predicted = member.predict(X)
        return label_codes(predicted, classes, X.shape[0], type(member).__name__)

    @staticmethod
    def constant_member(rows, column_name, label):
        """Return a classifier that predicts the most frequent class."""
        return DummyClassifier().fit(rows.X, rows.y, rows.weight)

    def summed_importances(self, n_columns):
        """Return the sum of the members' importances times their vote weights."""
        return sum(
            alpha * member.feature_importances_
            for alpha, member in zip(self._alphas, self._members)
            if not isinstance(member, DummyClassifier)  # fitted to one class
        )
