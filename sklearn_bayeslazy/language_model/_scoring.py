"""Documents to log likelihoods: the arrays of a model handed to the kernels."""

from typing import NamedTuple

import numpy as np

from .._kernel import frozen
from .._parallel import map_chunks
from ._counts import NGramCounts
from ._language_model_kernels import score_documents
from ._left_out_kernels import score_left_out
from ._smoothing import Smoothed

_NO_FLOATS = frozen(np.zeros(0), np.float64)


class Model(NamedTuple):
    """n-gram models of one or more classes.

    Attributes
    ----------
    counts : NGramCounts
    smoothed : Smoothed
    background : Smoothed or None
        Of all classes together, on the same entries; where the classes' shortest
        histories back off to.
    """

    counts: NGramCounts
    smoothed: Smoothed
    background: Smoothed | None = None

    @property
    def trie(self):
        """What a kernel needs to look n-grams up."""
        counts = self.counts
        return (
            counts.order,
            frozen(counts.word, np.int32),
            frozen(counts.first_child, np.int64),
            frozen(counts.first_pair, np.int64),
            frozen(counts.pair_class, np.int32),
        )

    @property
    def estimates(self):
        """What a kernel needs to smooth."""
        smoothed = self.smoothed
        return (
            _floats(smoothed.weight),
            _floats(smoothed.backoff),
            smoothed.base,
            smoothed.flat,
        )


def log_likelihoods(model, corpus, n_jobs=None):
    """Return log P(document | class), of shape (n_documents, n_classes), in nats."""
    out = np.empty((len(corpus), model.counts.n_classes))

    def score(rows):
        out[rows] = score_rows(model, corpus, rows)

    map_chunks(score, len(corpus), 8 * out.shape[1], n_jobs=n_jobs)
    return out


def score_rows(model, corpus, rows):
    """Return log P(document | class) of a slice of the documents."""
    background = _NO_FLOATS, _NO_FLOATS
    if model.background is not None:
        smoothed = model.background
        background = _floats(smoothed.weight), _floats(smoothed.backoff)
    tokens, start = _frozen(corpus)
    out = np.empty((rows.stop - rows.start, model.counts.n_classes))
    score_documents(
        tokens,
        start[rows.start : rows.stop + 1],
        *model.trie,
        *model.estimates,
        *background,
        out,
    )
    return out


def score_rows_left_out(
    model, corpus, documents, classes, removed, discount=0.0, once=False
):
    """Return log P(document | class), each document without itself in the counts.

    Parameters
    ----------
    model : Model
        Of all documents, with sums, smoothed by one discount (or none) for all counts.
    corpus : Corpus
    documents, classes, removed : arrays of shape (n,)
        Which documents, the class of each, and the mass that is left out.
    discount : float, default=0
    once : bool, default=False
        Whether an n-gram counts once a document.

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    own = model.smoothed.sums
    types = _floats(own.types) if own.by_types else _NO_FLOATS
    background = _NO_FLOATS, _NO_FLOATS, _NO_FLOATS
    if model.background is not None:
        sums = model.background.sums
        background = _floats(sums.count), _floats(sums.total), _floats(sums.types)
    out = np.empty((len(documents), model.counts.n_classes))
    score_left_out(
        *_frozen(corpus),
        frozen(documents, np.int64),
        frozen(classes, np.int64),
        _floats(removed),
        once,
        *model.trie,
        _floats(own.count),
        *model.estimates,
        own.keep,
        own.virtual,
        discount,
        _floats(own.total),
        _floats(own.held),
        types,
        *background,
        out,
    )
    return out


def _frozen(corpus):
    return frozen(corpus.tokens, np.int32), frozen(corpus.start, np.int64)


def _floats(array):
    return frozen(array, np.float64)
