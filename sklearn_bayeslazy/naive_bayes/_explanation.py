"""Explanations of naive Bayes: a log-likelihood term for each row, column and class."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Explanation:
    """The log-likelihood terms. With the log prior they sum to joint log probabilities.

    Attributes
    ----------
    terms : ndarray of shape (n_samples, n_features, n_classes)
        log P(x_i | c) in nats, or the log density of a Gaussian column; 0 where the
        cell is missing or holds a category that was not in the training data.
    log_prior : ndarray of shape (n_classes,)
        log P(c). ``log_prior + terms.sum(axis=1)`` are the joint log probabilities.
    feature_names : ndarray of shape (n_features,)
        The names, in the order of axis 1 of `terms`.
    classes : ndarray of shape (n_classes,)
        The class labels, in the order of axis 2 of `terms`.
    """

    terms: np.ndarray
    log_prior: np.ndarray
    feature_names: np.ndarray
    classes: np.ndarray

    def frame(self, row=0):
        """Return the terms of one sample as a pandas DataFrame, features by classes.

        Parameters
        ----------
        row : int, default=0
            The position of the sample in X.

        Returns
        -------
        DataFrame
            A row for each feature and a column for each class. The first row,
            "(prior)", holds the log priors log P(c).
        """
        import pandas as pd

        values = np.vstack([self.log_prior, self.terms[row]])
        index = ["(prior)", *self.feature_names]
        return pd.DataFrame(values, index=index, columns=self.classes)
