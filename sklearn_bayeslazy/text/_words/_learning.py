"""The steps of TextNB: documents to counts, counts to a model, a model to top words."""

import functools

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks, summed_chunks
from ._bernoulli import BernoulliModel
from ._multinomial import MultinomialModel, sum_over_other_classes
from ._priors import TextPrior
from ._rows import check_counts
from ._word_kernels import count_words


def count_documents(rows, classes, weight, n_classes, binary, n_jobs=None):
    """Return the weights of documents (n_classes,) and of words (n_classes, V)."""
    # With `binary`, a word counts once in each document that holds it. Within a chunk
    # rows are added one after the other, so that sums do not depend on blocks.
    shape = n_classes, rows.shape[1]
    classes, weight = frozen(classes, np.int32), frozen(weight, np.float64)

    def count(chunk):
        counts = np.zeros(shape)
        for block, cells in rows.blocks(chunk):
            extremes = count_words(cells, classes[block], weight[block], binary, counts)
            check_counts(*extremes)
        return np.bincount(classes[chunk], weight[chunk], n_classes), counts

    chunks = summed_chunks(rows.shape[0], shape[0] * shape[1])
    class_counts, counts = zip(*map_tasks(count, chunks, n_jobs=n_jobs))
    return functools.reduce(np.add, class_counts), functools.reduce(np.add, counts)


def build_text_model(
    class_count, feature_count, prior, *, event_model, complement, norm=False
):
    """Return the model of documents with these statistics."""
    prior = TextPrior(prior, event_model, *feature_count.shape)
    if event_model == "bernoulli":
        return BernoulliModel(class_count, feature_count, prior)
    return MultinomialModel(
        class_count,
        feature_count,
        prior,
        poisson=event_model == "poisson",
        complement=complement,
        norm=norm,
    )


def expand_classes(class_count, feature_count, classes, all_classes):
    """Return the statistics of `classes` as those of `all_classes`, zero where new."""
    position = np.searchsorted(all_classes, classes)
    all_class_count = np.zeros(len(all_classes))
    all_feature_count = np.zeros((len(all_classes), feature_count.shape[1]))
    all_class_count[position] = class_count
    all_feature_count[position] = feature_count
    return all_class_count, all_feature_count


def top_words(prob, class_prior, n):
    """Return the n words of each class that add most to its divergence from the rest.

    >>> prob = np.array([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3]])
    >>> [words.tolist() for words in top_words(prob, np.array([0.5, 0.5]), 2)]
    [[1, 0], [2, 0]]
    """
    # prob: (n_classes, V); class_prior: (n_classes,).
    gain = prob
    if len(prob) > 1:
        weight = sum_over_other_classes(class_prior)
        joint = sum_over_other_classes(class_prior[:, None] * prob).T
        # If the other classes all have prior 0, they count alike.
        mean = sum_over_other_classes(prob, mean=True).T
        joint = np.where(weight > 0, joint, 0.0)
        rest = np.where(weight > 0, joint / np.where(weight > 0, weight, 1.0), mean).T
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(prob > 0, prob * np.log(prob / rest), 0.0)
    # Ties: the more frequent word, then the first.
    return [np.lexsort((-p, -g))[:n] for p, g in zip(prob, gain)]
