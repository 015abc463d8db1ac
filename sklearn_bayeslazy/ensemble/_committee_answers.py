"""Answers of a committee that follow from its votes, round by round or in the end.

A subclass has ``classes_`` and gives ``_votes(X)``, the votes for each class, of shape
(n_samples, n_classes), and ``_staged_votes(X)``, which yields them after each round,
always in the same array.
"""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..tabular import encode_classes


class CommitteeAnswers(ABC):
    """Labels, decisions, probabilities and margins from votes."""

    @abstractmethod
    def _votes(self, X):
        """Return the votes for each class, of shape (n_samples, n_classes)."""

    @abstractmethod
    def _staged_votes(self, X):
        """Yield the votes after each round, always in the same array."""

    def decision_function(self, X):
        """Return the mean of the votes.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: votes for the second less votes for the first, as shares of all
            in [-1, 1] (half of scikit-learn's). More: each vote counts 1 for its class
            and -1 / (n_classes - 1) for the others.
        """
        return _decision(self._votes(X))

    def staged_decision_function(self, X):
        """Yield the `decision_function` after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for votes in self._staged_votes(X):
            yield _decision(votes)

    def predict(self, X):
        """Return the class with most votes; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = self._votes(X).argmax(axis=1)
        return self.classes_[best]

    def staged_predict(self, X):
        """Yield what `predict` says after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for votes in self._staged_votes(X):
            yield self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X):
        r"""Return class probabilities.

        Boosting fits half log odds:
        :math:`P(c \mid x) \propto e^{2 \sum_t \alpha_t [C_t(x) = c]}` (Friedman, Hastie
        & Tibshirani 2000; with more classes Zhu et al. 2009). After many rounds they
        are too sure: see :class:`sklearn.calibration.CalibratedClassifierCV`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        return softmax(2 * self._votes(X), axis=1)

    def staged_predict_proba(self, X):
        """Yield the class probabilities after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for votes in self._staged_votes(X):
            yield softmax(2 * votes, axis=1)

    def predict_log_proba(self, X):
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return log_softmax(2 * self._votes(X), axis=1)

    def staged_score(self, X, y, sample_weight=None):
        """Yield the accuracy after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Yields
        ------
        float
        """
        for said in self.staged_predict(X):
            yield accuracy_score(y, said, sample_weight=sample_weight)

    def margins(self, X, y):
        """Return how clearly each row is right.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The rows' own classes.

        Returns
        -------
        ndarray of shape (n_samples,)
            Votes for the row's class less the most for another one, as shares of all:
            in [-1, 1], below 0 where the committee is wrong (Schapire, Freund, Bartlett
            & Lee 1998).
        """
        return _margins(self._votes(X), self._codes(y))

    def staged_margins(self, X, y):
        """Yield the margins after each round.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        codes = self._codes(y)
        for votes in self._staged_votes(X):
            yield _margins(votes, codes)

    def _codes(self, y):
        check_is_fitted(self)
        return encode_classes(y, self.classes_, "Leave those rows out.")[1]


def _margins(votes, codes):
    """Return the margins of rows by their votes and the codes of their classes."""
    check_consistent_length(votes, codes)
    own = np.arange(len(codes)), codes
    others = votes.copy()
    right, others[own] = votes[own], 0.0
    return (right - others.max(axis=1)) / _total(votes)


def _total(votes):
    """Return the sum of the votes of each row, 1 where there is none."""
    total = votes.sum(axis=1)
    total[total == 0.0] = 1.0
    return total


def _decision(votes):
    """Return the `decision_function` of votes."""
    n_classes = votes.shape[1]
    if n_classes <= 2:
        return (votes[:, -1] - votes[:, 0]) / _total(votes)
    share = votes / _total(votes)[:, None]
    return (n_classes * share - 1.0) / (n_classes - 1)
