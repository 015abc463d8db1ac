"""Classifiers with one hook, the joint log likelihood; all predictions follow from it.

A subclass gives ``_joint_log_likelihood(X)``, an array of shape (n_samples, n_classes)
of log P(c) + log P(x | c), and ``class_log_prior_``.
"""

from abc import ABCMeta, abstractmethod

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._estimator import DocLinkMixin


class JointLogLikelihoodClassifier(
    ClassifierMixin, DocLinkMixin, BaseEstimator, metaclass=ABCMeta
):
    """Bayes' rule on top of a joint log likelihood.

    Where no class can explain a row (every joint probability is 0), the row says
    nothing, and the answer is the class prior.
    """

    @abstractmethod
    def _joint_log_likelihood(self, X):
        """Return log P(c) + log P(x | c), of shape (n_samples, n_classes)."""

    def predict_joint_log_proba(self, X):
        """Return the joint log probabilities log P(c, x).

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats, columns in the order of `classes_`; -inf where P(c, x) = 0.
        """
        check_is_fitted(self)
        return self._joint_log_likelihood(X)

    def predict_log_proba(self, X):
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            log P(c | x), columns in the order of `classes_`.
        """
        joint = self.predict_joint_log_proba(X)
        hopeless = joint.max(axis=1) == -np.inf
        joint[hopeless] = self.class_log_prior_
        joint -= logsumexp(joint, axis=1, keepdims=True)
        return joint

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P(c | x), columns in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        """Return the most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        joint = self.predict_joint_log_proba(X)
        best = joint.argmax(axis=1)
        hopeless = joint[np.arange(len(joint)), best] == -np.inf
        best[hopeless] = np.argmax(self.class_log_prior_)
        return self.classes_[best]
