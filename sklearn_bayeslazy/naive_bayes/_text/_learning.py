"""How TextNB learns: documents to counts, counts to models, models to words."""

import numpy as np

from ..._kernel import frozen
from ._bernoulli import PresenceModel
from ._multinomial import WordModel, all_but_own
from ._priors import TextPrior
from ._rows import check_counts
from ._word_kernels import count_words


def loo_needs_all_documents(estimator):
    """Return why the estimator cannot learn in batches, None if it can."""
    if estimator._tunes_m():
        return (
            "m='loo' needs all rows at once and excludes partial_fit and merge: call "
            "fit on a sample of rows, read m_, and give that to the model that learns "
            "in batches."
        )
    return None


def count_documents(rows, classes, weight, n_classes, presence):
    """Return the mass of documents (n_classes,) and of words (n_classes, V).

    Rows are added one after the other, so that sums do not depend on blocks.
    """
    words = np.zeros((n_classes, rows.shape[1]))
    classes, weight = frozen(classes, np.int32), frozen(weight, np.float64)
    for block, cells in rows.blocks(slice(0, rows.shape[0])):
        check_counts(
            *count_words(*cells, classes[block], weight[block], presence, words)
        )
    return np.bincount(classes, weight, n_classes), words


def text_model(class_count, words, prior, *, event_model, complement):
    """Return the model of documents with these statistics."""
    prior = TextPrior(prior, event_model, *words.shape)
    if event_model == "bernoulli":
        return PresenceModel(class_count, words, prior)
    return WordModel(
        class_count,
        words,
        prior,
        poisson=event_model == "poisson",
        complement=complement,
    )


def spread(class_count, words, classes, among):
    """Return statistics of `classes` with zeros for those of `among` that are new."""
    places = np.searchsorted(among, classes)
    more_count = np.zeros(len(among))
    more_words = np.zeros((len(among), words.shape[1]))
    more_count[places], more_words[places] = class_count, words
    return more_count, more_words


def top_words(prob, class_prior, n):
    """Return the n words of each class that add most to its divergence from the rest.

    Parameters
    ----------
    prob : ndarray of shape (n_classes, V)
    class_prior : ndarray of shape (n_classes,)
    n : int

    >>> prob = np.array([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3]])
    >>> [words.tolist() for words in top_words(prob, np.array([0.5, 0.5]), 2)]
    [[1, 0], [2, 0]]
    """
    gain = prob
    if len(prob) > 1:
        weight = all_but_own(class_prior)
        # Classes beside an only possible one count alike.
        share = np.where(weight > 0, all_but_own(class_prior[:, None] * prob).T, 0.0)
        even = all_but_own(prob, mean=True).T
        rest = np.where(weight > 0, share / np.where(weight > 0, weight, 1.0), even).T
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(prob > 0, prob * np.log(prob / rest), 0.0)
    # Ties: the more frequent word, then the first.
    return [np.lexsort((-p, -g))[:n] for p, g in zip(prob, gain)]
