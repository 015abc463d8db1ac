"""Documents to log likelihoods: the arrays of a model, as the kernels take them."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_chunks
from ._counts import NGramCounts
from ._kernels import NO_FLOATS, Estimates, Trie, score_documents
from ._smoothing import SmoothedNGrams


class NGramModel(NamedTuple):
    """n-gram models of one or more classes."""

    counts: NGramCounts
    smoothed: SmoothedNGrams
    # Of all classes together, on the same nodes. It replaces the base probability.
    background: SmoothedNGrams | None = None

    def trie(self):
        """Return the arrays with which a kernel looks n-grams up."""
        counts = self.counts
        return Trie(
            counts.order,
            frozen(counts.word, np.int32),
            frozen(counts.first_child, np.int64),
            frozen(counts.first_pair, np.int64),
            frozen(counts.pair_class, np.int32),
        )

    def estimates(self):
        """Return the smoothed probabilities of the classes."""
        smoothed = self.smoothed
        return Estimates(
            frozen(smoothed.discounted_prob, np.float64),
            frozen(smoothed.backoff, np.float64),
            smoothed.base_prob,
            smoothed.additive,
        )

    def background_estimates(self):
        """Return the smoothed probabilities of all classes together."""
        if self.background is None:
            return NO_FLOATS, NO_FLOATS
        estimates = self.background.discounted_prob, self.background.backoff
        return tuple(frozen(each, np.float64) for each in estimates)


def log_likelihoods(model, corpus, n_jobs=None):
    """Return log P(document | class), of shape (n_documents, n_classes), in nats."""
    out = np.zeros((len(corpus), model.counts.n_classes))
    no_orders = np.zeros(0, dtype=np.int64)

    def score(rows):
        _add_scores(model, corpus, rows, no_orders, out[rows])

    map_chunks(score, len(corpus), 8 * out.shape[1], n_jobs=n_jobs)
    return out


def score_tokens(model, corpus):
    """Return log P(w | h) of each token by class, and the length of its n-gram."""
    n_tokens = len(corpus.tokens)
    orders = np.zeros(n_tokens, dtype=np.int64)
    out = np.zeros((n_tokens, model.counts.n_classes))
    _add_scores(model, corpus, slice(0, len(corpus)), orders, out)
    return out, orders


def token_length_factor(n_words, length):
    """Return the factor of each document's log P(c, d), of shape (n, 1).

    >>> token_length_factor(np.array([2, 10]), 5.0)
    array([[1. ],
           [0.5]])
    """
    if length is None:
        return np.ones((len(n_words), 1))
    return np.minimum(1.0, length / np.maximum(n_words, 1))[:, None]


def _add_scores(model, corpus, rows, orders, out):
    score_documents(
        frozen(corpus.tokens, np.int32),
        frozen(corpus.start[rows.start : rows.stop + 1], np.int64),
        model.trie(),
        model.estimates(),
        model.background_estimates(),
        orders,
        out,
    )
