"""Scores of words by class: the linear function with which a text model predicts."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ._word_kernels import add_binary_scores, add_word_scores


@dataclass
class WordScores:
    """joint = x @ scores + bias, of counts x (or of x > 0).

    Attributes
    ----------
    scores : ndarray of shape (V, n_classes)
        The classes of a word are adjacent, so that a cell of X adds a short run of
        numbers.
    bias : ndarray of shape (n_classes,)
        The score of an empty document.
    n_required : ndarray of shape (n_classes,) or None
        None: each occurrence of a word counts. Otherwise its presence counts, and this
        is the number of words of score +inf, which a document of the class must hold.
    ignored : int array
        Words that decide nothing, because every class gives them the same extreme
        score. They are treated as if they were not in the vocabulary.
    ignored_log_prob : ndarray
        The log probability of each ignored word.
    """

    scores: np.ndarray
    bias: np.ndarray
    n_required: np.ndarray | None
    ignored: np.ndarray
    ignored_log_prob: np.ndarray

    def add_to(self, cells, out):
        """Add scores and bias of documents to `out`; return the extremes of x."""
        out += self.bias
        scores = frozen(self.scores, np.float64)
        if self.n_required is None or not self.n_required.any():
            return add_word_scores(cells, self.n_required is not None, scores, out)
        n_required = frozen(self.n_required, np.float64)
        return add_binary_scores(cells, scores, n_required, out)

    def terms(self, words, counts):
        """Return what the words of a document add to each class.

        Returns
        -------
        terms : ndarray of shape (n_words, n_classes)
            0 for words of score +inf.
        lacks : bool array of shape (n_classes,)
            Whether the document lacks a required word of the class.
        """
        scores = self.scores[words]
        if self.n_required is None:
            return counts[:, None] * scores, np.zeros(len(self.bias), bool)
        required = scores == np.inf
        return np.where(required, 0.0, scores), required.sum(axis=0) < self.n_required

    def log_prob(self):
        """Return the log probability of each word, of shape (n_classes, V)."""
        log_prob = self.scores.T
        if self.n_required is not None:
            log_prob = -np.logaddexp(0.0, -log_prob)  # from log odds
        if len(self.ignored):
            log_prob = log_prob.copy()
            log_prob[:, self.ignored] = self.ignored_log_prob
        return log_prob

    def linear(self):
        """Return coef_ and intercept_; two classes: log odds of the second."""
        coef, intercept = self.scores.T, self.bias
        if len(intercept) != 2:
            return coef, intercept
        with np.errstate(invalid="ignore"):  # impossible in both classes
            coef, intercept = coef[1] - coef[0], intercept[1] - intercept[0]
        return np.nan_to_num(coef[None], nan=0.0, posinf=np.inf, neginf=-np.inf), (
            np.nan_to_num([intercept], nan=0.0, posinf=np.inf, neginf=-np.inf)
        )
