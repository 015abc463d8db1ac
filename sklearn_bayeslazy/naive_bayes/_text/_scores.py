"""Scores of words by class: what a text model predicts with."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ._word_kernels import add_presence_scores, add_word_scores


@dataclass
class WordScores:
    """joint = x @ scores + bias, of counts x (or of x > 0).

    Attributes
    ----------
    scores : ndarray of shape (V, n_classes)
        Classes side by side, so that a cell of X adds a short run of numbers.
    bias : ndarray of shape (n_classes,)
        The score of an empty document.
    sure : ndarray of shape (n_classes,) or None
        None: words count as often as they occur. Otherwise their presence counts, and
        this is how many words of score +inf a document of the class must hold.
    silent : int array
        Words that every class scores alike, as if they were not in the vocabulary.
    silent_log_prob : ndarray
        What each of these would have said.
    """

    scores: np.ndarray
    bias: np.ndarray
    sure: np.ndarray | None
    silent: np.ndarray
    silent_log_prob: np.ndarray

    def add_to(self, cells, out):
        """Add the scores of words to `out`, the bias too; return the extremes of x."""
        out += self.bias
        scores = frozen(self.scores, np.float64)
        if self.sure is None or not self.sure.any():
            return add_word_scores(*cells, self.sure is not None, scores, out)
        sure = frozen(self.sure, np.float64)
        return add_presence_scores(*cells, scores, sure, out)

    def log_prob(self):
        """Return what the words say of each class, of shape (n_classes, V)."""
        log_prob = self.scores.T
        if self.sure is not None:
            log_prob = -np.logaddexp(0.0, -log_prob)  # from log odds
        if len(self.silent):
            log_prob = log_prob.copy()
            log_prob[:, self.silent] = self.silent_log_prob
        return log_prob

    def linear(self):
        """Return coef_ and intercept_; two classes: log odds of the second."""
        coef, intercept = self.scores.T, self.bias
        if len(intercept) != 2:
            return coef, intercept
        with np.errstate(invalid="ignore"):  # impossible for both: no odds
            coef, intercept = coef[1] - coef[0], intercept[1] - intercept[0]
        return np.nan_to_num(coef[None], nan=0.0, posinf=np.inf, neginf=-np.inf), (
            np.nan_to_num([intercept], nan=0.0, posinf=np.inf, neginf=-np.inf)
        )
