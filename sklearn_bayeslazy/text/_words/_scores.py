"""Scores of words by class: the linear function with which a text model predicts."""

from dataclasses import dataclass

import numpy as np

from ...tabular import add_table_rows


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
        """Add scores and bias of documents, without cells of 0, to `out`."""
        out += self.bias
        if self.n_required is None:
            add_table_rows(cells, self.scores, out)
            return
        words, scores = cells._replace(values=None), self.scores
        if not self.n_required.any():
            add_table_rows(words, scores, out)
            return
        required, n_held = scores == np.inf, np.zeros_like(out)
        add_table_rows(words, np.where(required, 0.0, scores), out)
        add_table_rows(words, required, n_held)
        out[n_held < self.n_required] = -np.inf

    def add(self, scores, bias):
        """Add others (V, n_classes), and their bias."""
        self.scores += scores
        self.bias += bias

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
