"""The explanation of a naive Bayes prediction: a term for each column and class."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Explanation:
    """The log-likelihood terms behind joint log probabilities.

    Attributes
    ----------
    terms : ndarray of shape (n_samples, n_features, n_classes)
        log P(x_i | c) in nats; 0 where the cell is missing or unknown.
    log_prior : ndarray of shape (n_classes,)
        log P(c). ``log_prior + terms.sum(axis=1)`` are the joint log probabilities.
    feature_names : ndarray of shape (n_features,)
    classes : ndarray of shape (n_classes,)
    """

    terms: np.ndarray
    log_prior: np.ndarray
    feature_names: np.ndarray
    classes: np.ndarray

    def frame(self, row=0):
        """Return the terms of one row as a pandas frame, columns by classes.

        The first row of the frame is the class prior.
        """
        import pandas as pd

        values = np.vstack([self.log_prior, self.terms[row]])
        index = ["(prior)", *self.feature_names]
        return pd.DataFrame(values, index=index, columns=self.classes)
