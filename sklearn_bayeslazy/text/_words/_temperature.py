"""The temperature of TextNB: a divisor of the log likelihoods of a document.

Naive Bayes adds up words as if they were independent. They are not, so the evidence is
too strong, and the more so the longer the document. With a temperature,

    P(c | x) ∝ P(c, x)^(1 / T(x)),    T(x) = T · max(1, n)^a,

with n the number of words of the document. T = 1 and a = 0 is Bayes' rule. The order of
the classes, and so the prediction, does not depend on T and a.

T maximises the leave-one-out likelihood of the classes; documents whose true class has
P(c, x) = 0 have the same loss at every temperature, and are left out of the sum.
"""

import numpy as np

# Lengths above it would make powers overflow.
_MAX_LENGTH = 1e300
_TINY = float(np.finfo(np.float64).tiny)


def document_lengths(cells, binary):
    """Return the number of words of each document, with `binary` of distinct words."""
    # Cells are added in order, so that a row's length does not depend on the block.
    n_rows = len(cells.starts) - 1
    row = np.repeat(np.arange(n_rows), np.diff(cells.starts))
    words = cells.values > 0 if binary else cells.values
    return np.bincount(row, words, n_rows)


def length_factor(lengths, exponent):
    """Return max(1, n)^-a for documents of n words.

    >>> length_factor(np.array([0.0, 1.0, 4.0]), 0.5)
    array([1. , 1. , 0.5])
    """
    return np.clip(lengths, 1.0, _MAX_LENGTH) ** -exponent


def temper(joint, factor):
    """Multiply joint log likelihoods by a factor for each row, in place."""
    # joint: (n, n_classes); factor: (n,). The largest of a row is subtracted first,
    # which keeps the digits of the gaps.

    # Where rows are short, several times faster than ``joint.max(axis=1)``.
    largest = np.ascontiguousarray(joint.T).max(axis=0)[:, None]
    joint -= np.where(np.isfinite(largest), largest, 0.0)
    joint *= positive(factor)[:, None]
    return joint


def positive(factor):
    """Return a factor that is not 0, whose product with -inf is undefined."""
    return np.maximum(factor, _TINY)
