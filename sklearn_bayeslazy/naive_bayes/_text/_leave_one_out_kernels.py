"""Loops that score documents, each under the model that is fitted without it.

Only the words that a document holds are visited. Without the document, the counts of
its true class change there, and those of the other classes where they depend on it.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._kernel import kernel

# A difference below this share of its minuend is rounding error.
ROUNDING = 1e-12
# Products of two numbers in this range neither overflow nor underflow.
MIN_FACTOR, MAX_FACTOR = 1e-150, 1e150


class LeftOut(NamedTuple):
    """The documents that are left out, one at a time.

    Attributes
    ----------
    true_class : int32 array of shape (n,)
    removed : float64 array of shape (n,)
        The weight that is removed with each document.
    """

    true_class: np.ndarray
    removed: np.ndarray


class LeftOutPrior(NamedTuple):
    """The prior of word w without document i: t / collection[i] + factor[i] · table.

    t is the weight of the word in all other documents.

    Attributes
    ----------
    table : float64 array of shape (1 or n_classes, V)
    overall : float64 array of shape (V,)
        The weight of each word in all documents, the left-out one included.
    collection : float64 array of shape (n,)
        The size of the collection without the document; infinite where the prior does
        not depend on the collection.
    factor : float64 array of shape (n,)
    """

    table: np.ndarray
    overall: np.ndarray
    collection: np.ndarray
    factor: np.ndarray


class Denominators(NamedTuple):
    """The numbers that turn counts into estimates: (n + virtual · p) / total.

    Attributes
    ----------
    total, virtual : float64 arrays of shape (n, n_classes)
        Without the left-out document.
    """

    total: np.ndarray
    virtual: np.ndarray


@kernel
def add_left_out_word_scores(cells, left_out, counts, prior, denominators, sign, out):
    """Add sign · x log (n' + virtual p') / total for documents left out one by one.

    n' and p' are the count (`counts` is (V, C)) and the prior without the document. If
    `sign` is 1, the document belongs to the counts of its true class. If it is -1, the
    counts are those of the complements, and it belongs to all but that of its true
    class. Words that every class gives 0 are skipped.

    A logarithm costs many times as much as a product. So the numerators of words that
    occur once are multiplied, while the smallest and the largest product are safe.
    """
    indptr, column, data = cells
    true_class, removed = left_out
    table, overall, collection, factor = prior
    total, virtual = denominators
    n_classes = out.shape[1]
    prior_by_class = table.shape[0] > 1
    numerator, product = np.empty(n_classes), np.empty(n_classes)
    score = np.empty(n_classes)
    for i in range(indptr.shape[0] - 1):
        truth = true_class[i]
        product[:] = 1.0
        score[:] = 0.0
        smallest, largest, n_words = 1.0, 1.0, 0.0
        for k in range(indptr[i], indptr[i + 1]):
            x = data[k]
            if x == 0:
                continue
            w = np.uint64(column[k])
            share = max(overall[w] - removed[i] * x, 0.0) / collection[i]
            from_true, from_others = removed[i] * x, 0.0
            if sign < 0:
                from_true, from_others = from_others, from_true
            p = share + factor[i] * table[0, w]
            for c in range(n_classes):
                n = max(counts[w, c] - from_others, 0.0)
                numerator[c] = n + virtual[i, c] * p
            if prior_by_class:
                for c in range(n_classes):
                    n = max(counts[w, c] - from_others, 0.0)
                    p = share + factor[i] * table[c, w]
                    numerator[c] = n + virtual[i, c] * p
                p = share + factor[i] * table[truth, w]
            n = max(counts[w, truth] - from_true, 0.0)
            numerator[truth] = n + virtual[i, truth] * p
            low, high = numerator[0], numerator[0]
            for c in range(1, n_classes):
                low, high = min(low, numerator[c]), max(high, numerator[c])
            if high == 0:
                continue
            n_words += x
            if x != 1 or low < MIN_FACTOR or high > MAX_FACTOR:
                for c in range(n_classes):
                    score[c] += x * math.log(numerator[c])
                continue
            smallest *= low
            largest *= high
            if smallest < MIN_FACTOR or largest > MAX_FACTOR:
                for c in range(n_classes):
                    score[c] += math.log(product[c])
                    product[c] = 1.0
                smallest, largest = low, high
            for c in range(n_classes):
                product[c] *= numerator[c]
        for c in range(n_classes):
            score[c] += math.log(product[c])
            if n_words > 0:
                score[c] -= n_words * math.log(total[i, c])
            out[i, c] += sign * score[c]


@kernel
def correct_left_out_documents(
    cells,
    left_out,
    counts,
    class_count,
    n_documents,
    prior,
    denominators,
    true_class_only,
    finite,
    n_infinite,
):
    """Turn scores of empty documents into those of the documents, left out one by one.

    `finite` and `n_infinite` (n, C) hold the sum of the finite log (1 - P) of all
    words, and the number of infinite ones. At each word of a document log (1 - P) is
    subtracted and log P is added. P are the estimates without the document.

    Shapes: counts (V, C), weights of the documents that hold a word; class_count (C,),
    weights of all documents; n_documents is its sum.
    """
    indptr, column, data = cells
    true_class, removed = left_out
    table, overall, collection, factor = prior
    total, virtual = denominators
    n_classes = finite.shape[1]
    prior_by_class = table.shape[0] > 1
    absent, present = np.empty(n_classes), np.empty(n_classes)
    for i in range(indptr.shape[0] - 1):
        truth = true_class[i]
        taken = removed[i]
        first, last = (truth, truth + 1) if true_class_only else (0, n_classes)
        for k in range(indptr[i], indptr[i + 1]):
            if data[k] == 0:
                continue
            w = column[k]
            lacking = n_documents - taken - overall[w]
            if lacking < ROUNDING * n_documents:
                lacking = 0.0
            share = max(overall[w] - taken, 0.0) / collection[i]
            share_lacking = lacking / collection[i]
            any_absent, any_present = False, False
            for c in range(first, last):
                n = counts[w, c]
                rest = class_count[c] - n
                if c == truth:
                    rest = rest - taken
                    if rest < ROUNDING * class_count[c]:
                        rest = 0.0
                    n = max(n - taken, 0.0)
                p = factor[i] * table[c if prior_by_class else 0, w]
                q = factor[i] * (1 - table[c if prior_by_class else 0, w])
                absent[c] = max(rest, 0.0) + virtual[i, c] * (share_lacking + q)
                present[c] = n + virtual[i, c] * (share + p)
                any_absent |= absent[c] > 0
                any_present |= present[c] > 0
            for c in range(first, last):
                if any_absent:
                    if absent[c] > 0:
                        finite[i, c] -= math.log(absent[c] / total[i, c])
                    else:
                        n_infinite[i, c] -= 1
                if any_present:
                    if present[c] > 0:
                        finite[i, c] += math.log(present[c] / total[i, c])
                    else:
                        n_infinite[i, c] += 1


@kernel
def slope_of_log_loss(gaps, true_class, weight, inverse):
    """Return the first and second derivative of a log loss in the inverse temperature.

    The loss is Σ_i weight_i (log Σ_c e^(inverse · gap_ic) - inverse · gap_iy), with y
    the true class. Its derivatives are Σ weight (E[gap] - gap_y) and Σ weight Var[gap]
    under the probabilities ∝ e^(inverse · gap). `gaps` (n, C) are ≤ 0, and 0 for the
    most probable class of a row; -inf is a class of probability 0.
    """
    first, second = 0.0, 0.0
    for i in range(gaps.shape[0]):
        if weight[i] == 0:
            continue
        total, total_gap, total_square = 0.0, 0.0, 0.0
        for c in range(gaps.shape[1]):
            gap = gaps[i, c]
            if gap > -np.inf:
                share = math.exp(inverse * gap)
                total += share
                total_gap += share * gap
                total_square += share * gap * gap
        mean = total_gap / total
        first += weight[i] * (mean - gaps[i, true_class[i]])
        second += weight[i] * max(total_square / total - mean * mean, 0.0)
    return first, second
