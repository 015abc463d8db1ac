"""Classifiers with one hook, the joint log likelihood; all predictions follow from it.

A subclass has ``class_log_prior_`` and defines ``_joint_blocks(X, rows)``, which yields
log P(c) + log P(x | c) of a slice of rows in blocks. Each block becomes a prediction
while it is in the cache. So `predict` needs no table of all rows and classes.
"""

from abc import ABCMeta, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._estimator import DocLinkMixin, TrainingRowsMixin
from ._kernel import kernel
from ._parallel import map_chunks


class JointLogLikelihoodClassifier(
    TrainingRowsMixin, ClassifierMixin, DocLinkMixin, BaseEstimator, metaclass=ABCMeta
):
    """Bayes' rule on top of a joint log likelihood."""

    # If every class gives a row the joint probability 0, the prediction is the class
    # prior. Scores that are not log probabilities may be +inf: classes with that score
    # are certain, and share the probability 1.

    n_jobs = None

    @abstractmethod
    def _check(self, X):
        """Return the checked input, which can be sliced by rows."""

    @abstractmethod
    def _joint_blocks(self, X, rows, tempered=False):
        """Yield ``(rows of the block, joint log likelihoods)`` over a slice of rows."""
        # tempered: as Bayes' rule normalises them, where a model has a temperature.

    @abstractmethod
    def _left_out_joint(self, tempered):
        """Return the joint log likelihoods of the training rows, each left out."""
        # And log P(c) without the row, both (n, n_classes). tempered: as above.

    def _bytes_per_row(self, X):
        """Return the bytes of temporaries per row while rows are scored."""
        return 8 * (X.shape[1] + len(self.classes_))

    def _result_dtype(self, X):
        """Return the dtype of probabilities and their logarithms for a checked X."""
        return np.float64

    def _predict_rows(self, X, finish, width, dtype=None, tempered=False):
        """Return ``finish(joint log likelihoods)`` of all rows, block by block."""
        # Result: (n_samples, *width), by default of the type that `_result_dtype`
        # returns. tempered: as in `_joint_blocks`.
        if X is None:
            return finish(self._decided_left_out(tempered))
        X = self._check(X)
        dtype = self._result_dtype(X) if dtype is None else dtype
        result = np.empty((X.shape[0], *width), dtype=dtype)

        def fill(rows):
            for block, joint in self._joint_blocks(X, rows, tempered):
                finished = finish(joint)
                with np.errstate(over="ignore"):  # float32 has -inf below -3e38
                    result[block] = finished

        map_chunks(fill, len(result), self._bytes_per_row(X), n_jobs=self.n_jobs)
        return result

    def _decided_left_out(self, tempered):
        """Return left-out scores; those of impossible rows are the class prior."""
        joint, log_prior = self._as_fitted()._left_out_joint(tempered)
        impossible = np.all(np.isneginf(joint), axis=1)
        return np.where(impossible[:, None], log_prior, joint)

    def predict_joint_log_proba(self, X):
        """Return the joint log probabilities log P(c, x).

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Input of the kind that `fit` takes, possibly an iterable of raw documents;
            None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats, columns in the order of `classes_`; -inf where P(c, x) = 0.
        """
        check_is_fitted(self)
        if X is None:
            return self._as_fitted()._left_out_joint(tempered=False)[0]
        return self._predict_rows(X, lambda joint: joint, self.classes_.shape)

    def predict_log_proba(self, X):
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Input of the kind that `fit` takes, possibly an iterable of raw documents;
            None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            log P(c | x), columns in the order of `classes_`.
        """
        check_is_fitted(self)

        def finish(joint):
            return log_posterior(joint, self.class_log_prior_)

        return self._predict_rows(X, finish, self.classes_.shape, tempered=True)

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Input of the kind that `fit` takes, possibly an iterable of raw documents.
            None: the rows of the last call of `fit` of weight above 0, each by the
            model without it and its copies (:ref:`left-out-predictions`).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P(c | x), columns in the order of `classes_`.
        """
        check_is_fitted(self)

        def finish(joint):
            log_proba = log_posterior(joint, self.class_log_prior_)
            return np.exp(log_proba, out=log_proba)

        return self._predict_rows(X, finish, self.classes_.shape, tempered=True)

    def predict(self, X):
        """Return the most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Input of the kind that `fit` takes, possibly an iterable of raw documents;
            None as in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        fallback = np.argmax(self.class_log_prior_)

        def finish(joint):
            best = np.empty(len(joint), dtype=np.int64)
            most_probable(joint, fallback, best)
            return self.classes_[best]

        return self._predict_rows(X, finish, (), self.classes_.dtype)


def log_posterior(joint, class_log_prior):
    """Return joint log likelihoods (n, n_classes) normalised to log probabilities."""
    # Rows to which every class gives probability 0 get the class prior.

    # One row per class: sums over classes then run over long rows.
    joint = np.ascontiguousarray(joint.T)
    largest = joint.max(axis=0)
    if np.any(impossible_everywhere := largest == -np.inf):
        joint[:, impossible_everywhere] = class_log_prior[:, None]
        largest[impossible_everywhere] = np.max(class_log_prior)
    if np.any(certain := largest == np.inf):
        joint[:, certain] = np.where(joint[:, certain] == np.inf, 0.0, -np.inf)
        largest[certain] = 0.0
    # Subtract the largest and the log of the sum separately: next to -1e9, their sum
    # would lose the digits of the second.
    joint -= largest
    joint -= np.log(np.exp(joint).sum(axis=0))
    return joint.T


# The decision of a classifier with joint log likelihoods, as a kernel.


@kernel
def most_probable(joint, otherwise, best):
    """Write the first of the largest in each row, `otherwise` where all are -inf."""
    for i in range(joint.shape[0]):
        position, largest = otherwise, -np.inf
        for c in range(joint.shape[1]):
            # A selection instead of a branch: the processor cannot predict the winner.
            better = joint[i, c] > largest
            largest = joint[i, c] if better else largest
            position = c if better else position
        best[i] = position
