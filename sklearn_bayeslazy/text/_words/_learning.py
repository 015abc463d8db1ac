"""The steps of TextNB: documents to counts, counts and a prior to a model."""

import functools

import numpy as np

from ..._core._arrays import as_float_array
from ..._core._parallel import map_tasks, summed_chunks
from ...tabular import MAX_VIRTUAL_EXAMPLES, add_counts
from ._bernoulli import BernoulliModel
from ._multinomial import MultinomialModel, sum_over_other_classes


def count_by_class(rows, classes, weight, n_classes, binary, n_jobs=None):
    """Return the weights of documents (n_classes,) and of words (n_classes, V)."""
    # With `binary`, a word counts once in each document that holds it. Within a chunk
    # rows are added one after the other, so that sums do not depend on blocks.
    shape = n_classes, rows.shape[1]
    first_word = classes.astype(np.int64) * rows.shape[1]  # of each row's class

    def count(chunk):
        counts = np.zeros(shape)
        for block, cells in rows.blocks(chunk):
            if binary:
                cells = cells._replace(values=None)
            add_counts(cells, first_word[block], weight[block], 1, counts)
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


# The priors of TextNB: where virtual words or documents come from, and their number.
#
# ====================  ====================  =====================  ===================
# event model           m counts              prior "uniform"        "laplace"
# ====================  ====================  =====================  ===================
# multinomial           words                 1/V                    m = V
# poisson               documents             mean length / V        m = 1
# bernoulli             documents             1/2                    m = 2
# ====================  ====================  =====================  ===================
#
# "background" is the word's frequency, mean count or share of documents in the whole
# collection. An array is used as it is. Its words need not sum to 1: their sum q(y) is
# the prior weight of class y, and the estimate is (n + m q(w, y)) / (n_y + m q(y)).


# Of virtual words, m is a multiple of the vocabulary: these are the average numbers for
# each word. On the text collections of the benchmarks the best are .0001 to 1
# (uniform), 1 to 100 (background) and .1 to 10 (complement). Of virtual documents the
# best are .1 to 100, except that very few are best for long texts. Steps are small
# where accuracy changes fast.
_VIRTUAL_WORDS_PER_WORD = [
    *(1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
]
_VIRTUAL_DOCUMENTS = [
    *(1e-6, 1e-4, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4)
]


def m_candidates(event_model, n_words):
    """Return the default candidates of m.

    >>> m_candidates("multinomial", 1000)[:3]
    [0.1, 1.0, 10.0]
    """
    if event_model == "multinomial":
        return [a * n_words for a in _VIRTUAL_WORDS_PER_WORD]
    return list(_VIRTUAL_DOCUMENTS)


def n_virtual_examples(m, event_model, n_words):
    """Return m as a number, from a number or "laplace".

    >>> events = ("multinomial", "bernoulli", "poisson")
    >>> [n_virtual_examples("laplace", event, 9) for event in events]
    [9.0, 2.0, 1.0]
    """
    if isinstance(m, str) and m == "laplace":
        return float({"multinomial": n_words, "bernoulli": 2}.get(event_model, 1))
    value = as_float_array(m, "m", "a number ≥ 0, 'laplace' or 'loo'")
    if value.ndim or not 0 <= value <= MAX_VIRTUAL_EXAMPLES:  # nor NaN
        raise ValueError(
            f"m={m!r}: the number of virtual examples must lie between 0 and "
            f"{MAX_VIRTUAL_EXAMPLES:g}."
        )
    return float(value)


class TextPrior:
    """The prior of each word: `table`, or its frequency in the whole collection."""

    def __init__(self, prior, event_model, n_classes, n_words):
        # "uniform", "background" or "array".
        self.kind = prior if isinstance(prior, str) else "array"
        # table: (1 or n_classes, V), the array given; otherwise the prior of a word
        # where nothing was observed.
        if self.kind == "array":
            self.table = _check_array(prior, event_model, n_classes, n_words)
        else:
            uniform = 0.5 if event_model == "bernoulli" else 1 / n_words
            self.table = np.full((1, n_words), uniform)


def _check_array(prior, event_model, n_classes, n_words):
    meaning = "'uniform', 'background' or an array with one number for each word"
    table = as_float_array(prior, "prior", meaning)
    if table.shape not in ((n_words,), (n_classes, n_words)):
        raise ValueError(
            f"prior has shape {table.shape}; it needs ({n_words},), one number for "
            f"each word, or ({n_classes}, {n_words}), a row for each class."
        )
    table = np.atleast_2d(table)
    largest = 1.0 if event_model == "bernoulli" else MAX_VIRTUAL_EXAMPLES
    if not np.all((table >= 0) & (table <= largest)):  # nor NaN
        needed = "probabilities, from 0 to 1" if largest == 1 else "finite and ≥ 0"
        raise ValueError(f"prior for event_model={event_model!r} must be {needed}.")
    if event_model == "multinomial" and np.any(table.sum(axis=1) == 0):
        raise ValueError(
            "prior has a row of zeros: each row needs at least one number above 0."
        )
    return table
