"""What the virtual words or documents of TextNB are drawn from, and how many there are.

====================  ====================  =====================  ===================
event model           m counts              prior "uniform"        "laplace"
====================  ====================  =====================  ===================
multinomial           words                 1/V                    m = V
poisson               documents             mean length / V        m = 1
bernoulli             documents             1/2                    m = 2
====================  ====================  =====================  ===================

"background" is the word's frequency, mean count or share of documents in the whole
collection. An array is used as it is: words need not sum to 1, their sum is the class
mass q(y) of seed 002.
"""

import numpy as np

from ..._arrays import as_float_array
from .._virtual_examples import MAX_VIRTUAL_EXAMPLES

# 1-2-5 series. Of virtual words, m is a multiple of the vocabulary: these are what each
# word gets on average. On 20 newsgroups the best are .0001 to .005 (uniform), 10 to 50
# (background), .2 to 1 (complement); virtual documents are best very few with a uniform
# prior, and up to thousands with the background.
_PER_WORD = [float(f"{c}e{e}") for e in range(-4, 3) for c in (1, 2, 5)] + [1e3]
_DOCUMENTS = [float(f"{c}e{e}") for e in range(-6, 4) for c in (1, 2, 5)] + [1e4]


def m_candidates(event_model, n_words):
    """Return the default candidates of m.

    >>> m_candidates("multinomial", 1000)[:3]
    [0.1, 0.2, 0.5]
    """
    if event_model == "multinomial":
        return [a * n_words for a in _PER_WORD]
    return list(_DOCUMENTS)


def virtual_mass(m, event_model, n_words):
    """Return m as a number, from a number or "laplace".

    >>> [virtual_mass("laplace", e, 9) for e in ("multinomial", "bernoulli", "poisson")]
    [9.0, 2.0, 1.0]
    """
    if isinstance(m, str) and m == "laplace":
        return float({"multinomial": n_words, "bernoulli": 2}.get(event_model, 1))
    value = as_float_array(m, "m", "a number ≥ 0, 'laplace' or 'loo'")
    if value.ndim or not 0 <= value <= MAX_VIRTUAL_EXAMPLES:  # nor NaN
        raise ValueError(
            f"m={m!r}: the mass of the virtual examples must be ≥ 0 (and ≤ "
            f"{MAX_VIRTUAL_EXAMPLES:g})."
        )
    return float(value)


class TextPrior:
    """The prior of each word: even · `table` + what the whole collection says.

    Attributes
    ----------
    table : ndarray of shape (1 or n_classes, V)
        The array given; otherwise what is said of a word of which nothing is known.
    kind : {"uniform", "background", "array"}
    """

    def __init__(self, prior, event_model, n_classes, n_words):
        self.kind = prior if isinstance(prior, str) else "array"
        if self.kind == "array":
            self.table = _check_array(prior, event_model, n_classes, n_words)
        else:
            even = 0.5 if event_model == "bernoulli" else 1 / n_words
            self.table = np.full((1, n_words), even)


def _check_array(prior, event_model, n_classes, n_words):
    meaning = "'uniform', 'background' or an array of one number a word"
    table = as_float_array(prior, "prior", meaning)
    if table.shape not in ((n_words,), (n_classes, n_words)):
        raise ValueError(
            f"prior has shape {table.shape}; it needs ({n_words},), one number a word, "
            f"or ({n_classes}, {n_words}), a row for each class."
        )
    table = np.atleast_2d(table)
    largest = 1.0 if event_model == "bernoulli" else MAX_VIRTUAL_EXAMPLES
    if not np.all((table >= 0) & (table <= largest)):  # nor NaN
        what = "probabilities, from 0 to 1" if largest == 1 else "finite and ≥ 0"
        raise ValueError(f"prior for event_model={event_model!r} must be {what}.")
    if event_model == "multinomial" and np.any(table.sum(axis=1) == 0):
        raise ValueError("prior gives no word anything: each row needs a sum above 0.")
    return table
