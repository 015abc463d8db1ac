"""Loops that score documents, each under the model that is fitted without it.

Only the words that a document holds are visited. Without the document, the counts of
its true class change there, and those of the other classes where they depend on it.
"""

import math

import numpy as np

from ..._core._kernel import copy_numbers, frozen, kernel
from ..._core._vectorized_math import log_positive

# A difference below this share of its minuend is rounding error.
ROUNDING = 1e-12
# Squares of numbers in this range neither overflow nor underflow, ...
_MIN_FACTOR, _MAX_FACTOR = 1e-150, 1e150
# ... and products are normal floats within these bounds.
_MIN_PRODUCT, _MAX_PRODUCT = 1e-305, 1e305
# Words that occur more often are not multiplied: one logarithm takes less time.
_MAX_FACTORS = 8
# Words of a document whose counts are copied ahead.
_WORDS_AT_ONCE = 32


def left_out_arrays(model, true_class, removed, collection, factor):
    """Return documents that are left out, and the prior, as the kernels take them."""
    # true_class, removed: (n,), the class of each document and the weight that is
    # removed with it. The prior of word w without document i is
    # t / collection[i] + factor[i] · table, with t the weight of the word in all other
    # documents. table: (1 or n_classes, V); overall: (V,), the weight of each word in
    # all documents, i included; collection: (n,), the size of the collection without
    # the document, infinite where the prior does not depend on it; factor: (n,).
    prior = model.table, model.overall, collection, factor
    return (
        (frozen(true_class, np.int32), frozen(removed, np.float64)),
        tuple(frozen(numbers, np.float64) for numbers in prior),
    )


def zero_if_rounding(difference, minuend):
    """Return a difference of weights, with rounding errors replaced by 0."""
    return np.where(difference < ROUNDING * minuend, 0.0, difference)


@kernel
def _rest(total, part):
    """Return what a part leaves of a total, 0 if that is a rounding error."""
    # Copies are counted one by one and left out at once: x + x + x may not be 3 x.
    rest = total - part
    return rest if rest > ROUNDING * total else 0.0


# Over eighty lines: in separate functions its loops take a third more time.
@kernel
def add_left_out_word_scores(
    cells, left_out, counts, prior, log_total, virtual, sign, out
):
    """Add sign · x log (n' + virtual p') / total for documents left out one by one."""
    # left_out, prior: of `left_out_arrays`. n' and p' are the count (`counts` is
    # (V, C)) and the prior without the document.
    # If `sign` is 1, the document belongs to the counts of its true class. If it is -1,
    # the counts are those of the complements, and it belongs to all but that of its
    # true class. Words that every class gives 0 are skipped.
    # out, log_total, virtual: (n_candidates, n, n_classes). The loops over candidates
    # and classes are one: only long loops gain from being vectorised.
    # A logarithm costs many times as much as a product. So the numerators of words that
    # occur a few times are multiplied, two at a time, while bounds of all products are
    # safe. The numbers of the next words are copied first, all at once: the processor
    # then waits for several of them at a time.
    indptr, column, data = cells
    true_class, removed = left_out
    table, overall, collection, factor = prior
    n_candidates, _, n_classes = out.shape
    size = n_candidates * n_classes
    prior_by_class = table.shape[0] > 1
    n, p = np.empty(n_classes), np.empty(n_classes)
    counts_of_all = np.empty(size)
    product, score, added = np.empty(size), np.empty(size), np.empty(size)
    n_words = np.empty(n_candidates)
    near_counts = np.empty((_WORDS_AT_ONCE, n_classes))
    near_overall, near_prior = np.empty(_WORDS_AT_ONCE), np.empty(_WORDS_AT_ONCE)
    for i in range(indptr.shape[0] - 1):
        truth = true_class[i]
        product[:], score[:], n_words[:] = 1.0, 0.0, 0.0
        smallest, largest, least, most = 1.0, 1.0, np.inf, 0.0
        for j in range(size):
            added[j] = virtual[j // n_classes, i, j % n_classes]
            least, most = min(least, added[j]), max(most, added[j])
        for k in range(indptr[i], indptr[i + 1]):
            at = (k - indptr[i]) % _WORDS_AT_ONCE
            if at == 0:
                for each in range(min(_WORDS_AT_ONCE, indptr[i + 1] - k)):
                    w = np.uint64(column[k + each])
                    near_overall[each], near_prior[each] = overall[w], table[0, w]
                    for c in range(n_classes):
                        near_counts[each, c] = counts[w, c]
            x = data[k]
            w = np.uint64(column[k])
            share = _rest(near_overall[at], removed[i] * x) / collection[i]
            from_true, from_others = removed[i] * x, 0.0
            if sign < 0:
                from_true, from_others = from_others, from_true
            for c in range(n_classes):
                n[c] = _rest(near_counts[at, c], from_others)
            n[truth] = _rest(near_counts[at, truth], from_true)
            p_of_word = share + factor[i] * near_prior[at]
            # No numerator is outside: a count is at most that of all classes.
            low, high = least * p_of_word, near_overall[at] + most * p_of_word
            if not prior_by_class and low >= _MIN_FACTOR and high <= _MAX_FACTOR:
                copy_numbers(n, counts_of_all)
                filled = n_classes
                while filled < size:
                    some = min(filled, size - filled)
                    target = counts_of_all[filled:]
                    for j in range(some):
                        target[j] = counts_of_all[j]
                    filled += some
                n_words += x
                if x > _MAX_FACTORS or x != int(x):
                    for j in range(size):
                        numerator = counts_of_all[j] + added[j] * p_of_word
                        score[j] += x * log_positive(numerator)
                    continue
                n_left = int(x)
                while n_left > 0:
                    smallest *= low * low if n_left > 1 else low
                    largest *= high * high if n_left > 1 else high
                    if smallest < _MIN_PRODUCT or largest > _MAX_PRODUCT:
                        for j in range(size):
                            score[j] += log_positive(product[j])
                            product[j] = 1.0
                        smallest, largest = 1.0, 1.0
                    elif n_left > 1:
                        for j in range(size):
                            numerator = counts_of_all[j] + added[j] * p_of_word
                            product[j] *= numerator * numerator
                        n_left -= 2
                    else:
                        for j in range(size):
                            product[j] *= counts_of_all[j] + added[j] * p_of_word
                        n_left -= 1
                continue
            for c in range(n_classes):
                p[c] = share + factor[i] * table[c if prior_by_class else 0, w]
            for m in range(n_candidates):
                start = m * n_classes
                any_positive = False
                for c in range(n_classes):
                    numerator = n[c] + added[start + c] * p[c]
                    any_positive |= numerator > 0
                if any_positive:
                    n_words[m] += x
                    for c in range(n_classes):
                        numerator = n[c] + added[start + c] * p[c]
                        score[start + c] += x * math.log(numerator)
        for j in range(size):
            score[j] += log_positive(product[j])
        for m in range(n_candidates):
            for c in range(n_classes):
                total = score[m * n_classes + c]
                if n_words[m] > 0:
                    total -= n_words[m] * log_total[m, i, c]
                out[m, i, c] += sign * total


@kernel
def correct_left_out_documents(
    cells,
    left_out,
    counts,
    class_count,
    n_documents,
    prior,
    total,
    virtual,
    true_class_only,
    finite,
    n_infinite,
):
    """Turn scores of empty documents into those of documents left out one by one."""
    # finite, n_infinite: (n, C), the sum of the finite log (1 - P) of all words, and
    # the number of infinite ones. At each word of a document log (1 - P) is subtracted
    # and log P is added. P are the estimates without the document.
    # counts: (V, C), weights of the documents that hold a word; class_count: (C,),
    # weights of all documents; n_documents is its sum. left_out, prior: of
    # `left_out_arrays`. total, virtual: (n, C), the numbers that turn counts into
    # estimates without the document, (n + virtual · p) / total.
    indptr, column, data = cells
    true_class, removed = left_out
    table, overall, collection, factor = prior
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
            share = _rest(overall[w], taken) / collection[i]
            share_lacking = lacking / collection[i]
            any_absent, any_present = False, False
            for c in range(first, last):
                n = counts[w, c]
                rest = class_count[c] - n
                if c == truth:
                    rest = rest - taken
                    if rest < ROUNDING * class_count[c]:
                        rest = 0.0
                    n = _rest(n, taken)
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
