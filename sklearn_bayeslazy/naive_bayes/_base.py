"""Classifiers with one hook, the joint log likelihood; all predictions follow from it.

A subclass has ``class_log_prior_`` and gives ``_joint_blocks(X, rows)``, which yields
log P(c) + log P(x | c) of a slice of rows in blocks. Each block is turned into the
answer while it is in the cache, so that no table of all rows and classes is made
unless it is asked for.
"""

from abc import ABCMeta, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._estimator import DocLinkMixin
from .._parallel import map_chunks
from ._columns import most_probable


class JointLogLikelihoodClassifier(
    ClassifierMixin, DocLinkMixin, BaseEstimator, metaclass=ABCMeta
):
    """Bayes' rule on top of a joint log likelihood.

    Where no class can explain a row (every joint probability is 0), the row says
    nothing, and the answer is the class prior. Scores that are no log probabilities
    may be +inf: such classes are certain, and share the answer.
    """

    n_jobs = None

    @abstractmethod
    def _check(self, X):
        """Return the checked input, of which slices of rows can be taken."""

    @abstractmethod
    def _joint_blocks(self, X, rows):
        """Yield ``(rows of the block, joint log likelihoods)`` over a slice of rows."""

    def _bytes_per_row(self, X):
        """Return what a row needs in temporaries while it is scored."""
        return 8 * (X.shape[1] + len(self.classes_))

    def _answer(self, X, finish, width, dtype):
        """Return ``finish(joint log likelihoods)`` of all rows, block by block."""
        X = self._check(X)
        answer = np.empty((X.shape[0], *width), dtype=dtype)

        def answer_rows(rows):
            for block, joint in self._joint_blocks(X, rows):
                answer[block] = finish(joint)

        map_chunks(answer_rows, len(answer), self._bytes_per_row(X), n_jobs=self.n_jobs)
        return answer

    def predict_joint_log_proba(self, X):
        """Return the joint log probabilities log P(c, x).

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Of the kind that `fit` takes, which may be an iterable over raw documents.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats, columns in the order of `classes_`; -inf where P(c, x) = 0.
        """
        check_is_fitted(self)
        return self._answer(X, lambda joint: joint, self.classes_.shape, np.float64)

    def predict_log_proba(self, X):
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Of the kind that `fit` takes, which may be an iterable over raw documents.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            log P(c | x), columns in the order of `classes_`.
        """
        check_is_fitted(self)

        def normalise(joint):
            largest = joint.max(axis=1, keepdims=True)
            hopeless = largest[:, 0] == -np.inf
            joint[hopeless] = self.class_log_prior_
            largest[hopeless] = np.max(self.class_log_prior_)
            if np.any(certain := largest[:, 0] == np.inf):
                joint[certain] = np.where(joint[certain] == np.inf, 0.0, -np.inf)
                largest[certain] = 0.0
            # First the largest, then the sum: at -1e9 one would swallow the other.
            joint -= largest
            joint -= np.log(np.exp(joint).sum(axis=1, keepdims=True))
            return joint

        return self._answer(X, normalise, self.classes_.shape, np.float64)

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Of the kind that `fit` takes, which may be an iterable over raw documents.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P(c | x), columns in the order of `classes_`.
        """
        log_proba = self.predict_log_proba(X)
        return np.exp(log_proba, out=log_proba)

    def predict(self, X):
        """Return the most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Of the kind that `fit` takes, which may be an iterable over raw documents.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        likeliest = np.argmax(self.class_log_prior_)

        def decide(joint):
            return self.classes_[most_probable(joint, likeliest)]

        return self._answer(X, decide, (), self.classes_.dtype)
