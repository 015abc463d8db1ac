"""The priors of TextNB: where virtual words or documents come from, and their number.

====================  ====================  =====================  ===================
event model           m counts              prior "uniform"        "laplace"
====================  ====================  =====================  ===================
multinomial           words                 1/V                    m = V
poisson               documents             mean length / V        m = 1
bernoulli             documents             1/2                    m = 2
====================  ====================  =====================  ===================

"background" is the word's frequency, mean count or share of documents in the whole
collection. An array is used as it is. Its words need not sum to 1: their sum q(y) is
the prior weight of class y, and the estimate is (n + m q(w, y)) / (n_y + m q(y)).
"""

import numpy as np

from ..._core._arrays import as_float_array
from ..._core._virtual_examples import MAX_VIRTUAL_EXAMPLES

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
