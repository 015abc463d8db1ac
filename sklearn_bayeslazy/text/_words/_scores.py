"""Scores of words by class: the linear function with which a text model predicts."""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import frozen
from ._word_kernels import add_binary_scores, add_word_scores


@dataclass
class WordScores:
    """joint = x @ scores + bias, of counts x (or of x > 0)."""

    # (V, n_classes): the classes of a word are adjacent, so that a cell of X adds a
    # short run of numbers.
    scores: np.ndarray
    bias: np.ndarray  # (n_classes,), the score of an empty document
    # None: each occurrence of a word counts. Otherwise its presence counts, and this is
    # the number (n_classes,) of words of score +inf, which a document of the class must
    # hold.
    n_required: np.ndarray | None
    # Indices of words that decide nothing, because every class gives them the same
    # extreme score. They are treated as if they were not in the vocabulary.
    ignored: np.ndarray
    ignored_log_prob: np.ndarray  # the log probability of each ignored word

    def add_to(self, cells, out):
        """Add scores and bias of documents to `out`; return the extremes of x."""
        out += self.bias
        scores = frozen(self.scores, np.float64)
        if self.n_required is None or not self.n_required.any():
            return add_word_scores(cells, self.n_required is not None, scores, out)
        n_required = frozen(self.n_required, np.float64)
        return add_binary_scores(cells, scores, n_required, out)

    def terms(self, words, counts):
        """Return what the words of a document add to each class, and what it lacks."""
        # words, counts: (n_words,). terms: (n_words, n_classes), 0 for words of score
        # +inf. lacks: (n_classes,) bool, whether the document lacks a required word of
        # the class.
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
