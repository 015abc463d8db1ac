"""Loops over the stored cells of documents: count words, sum the scores of words.

C is the number of classes, V the number of words. Cells of 0 are skipped: 0 · log 0 is
0. `counts` is (C, V), like the fitted attribute. Tables that are read word by word are
(V, C), so that the scores of a word are adjacent in memory.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._core._kernel import copy_numbers, kernel


class StoredWords(NamedTuple):
    """The stored cells of some documents: the arrays of a CSR matrix."""

    indptr: np.ndarray  # int64, (n_documents + 1,)
    column: np.ndarray  # int32, (n_cells,), the word of each cell
    data: np.ndarray  # int64 or float64, (n_cells,)


@kernel
def store_nonzero(block):
    """Return indptr, column and data of the non-zero cells of dense rows."""
    n_rows, n_words = block.shape
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    for i in range(n_rows):
        n = 0
        for w in range(n_words):
            n += block[i, w] != 0
        indptr[i + 1] = indptr[i] + n
    column = np.empty(indptr[n_rows], dtype=np.int32)
    data = np.empty(indptr[n_rows], dtype=block.dtype)
    k = 0
    for i in range(n_rows):
        for w in range(n_words):
            if block[i, w] != 0:
                column[k], data[k] = w, block[i, w]
                k += 1
    return indptr, column, data


@kernel
def has_duplicate_words(indptr, column, n_words):
    """Return whether a row stores a word more than once."""
    last_row = np.full(n_words, -1, dtype=np.int64)
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            word = np.uint64(column[k])
            if last_row[word] == i:
                return True
            last_row[word] = i
    return False


@kernel
def add_word_counts(cells, classes, weight, binary, counts):
    """Add weight · x by (class, word); return the least and largest of 0 and all x."""
    # classes, weight: (n,); counts: (C, V). With `binary`, add the weight where x > 0.
    indptr, column, data = cells
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        c = np.uint64(classes[i])
        w = weight[i]
        for k in range(indptr[i], indptr[i + 1]):
            x = float(data[k])
            low, high = min(low, x), max(high, x)
            if binary:
                x = 1.0 if x > 0 else 0.0
            counts[c, np.uint64(column[k])] += w * x
    return low, high


@kernel
def add_word_scores(cells, binary, scores, out):
    """Add x · score to each row of `out`; return the least and largest of 0 and x."""
    # scores: (V, C); out: (n, C). With `binary`, add the score where x > 0. Where four
    # consecutive counts are all above 0, the four words are added in one pass, which
    # reads and writes `out` a quarter as often.
    indptr, column, data = cells
    n_classes = out.shape[1]
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        k, stop = indptr[i], indptr[i + 1]
        while k < stop:
            x0 = float(data[k])
            low, high = min(low, x0), max(high, x0)
            w0 = np.uint64(column[k])
            if k + 3 < stop and min(data[k], data[k + 1], data[k + 2], data[k + 3]) > 0:
                x1, x2, x3 = float(data[k + 1]), float(data[k + 2]), float(data[k + 3])
                high = max(high, x1, x2, x3)
                w1, w2 = np.uint64(column[k + 1]), np.uint64(column[k + 2])
                w3 = np.uint64(column[k + 3])
                if binary:
                    x0 = x1 = x2 = x3 = 1.0
                for c in range(n_classes):
                    out[i, c] += (x0 * scores[w0, c] + x1 * scores[w1, c]) + (
                        x2 * scores[w2, c] + x3 * scores[w3, c]
                    )
                k += 4
                continue
            if x0 > 0:
                if binary:
                    x0 = 1.0
                for c in range(n_classes):
                    out[i, c] += x0 * scores[w0, c]
            k += 1
    return low, high


@kernel
def add_binary_scores(cells, scores, n_required, out):
    """Add the scores of the words of each document, where a score may be +inf."""
    # A word of score +inf is required: every document of the class must hold it. A
    # class of which a document lacks one of the `n_required` (C,) words gets -inf.
    # scores: (V, C); out: (n, C). Returns the smallest and largest of 0 and all x.
    indptr, column, data = cells
    n_classes = out.shape[1]
    n_missing = np.empty(n_classes)
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        copy_numbers(n_required, n_missing)
        for k in range(indptr[i], indptr[i + 1]):
            x = float(data[k])
            low, high = min(low, x), max(high, x)
            if x > 0:
                for c in range(n_classes):
                    score = scores[column[k], c]
                    if score == np.inf:
                        n_missing[c] -= 1
                    else:
                        out[i, c] += score
        for c in range(n_classes):
            if n_missing[c] > 0:
                out[i, c] = -np.inf
    return low, high


@kernel
def word_log_estimates(counts, total, n_virtual, prior, log_virtual, out, ignored):
    """Set `out` (V, C) to log((n + m p) / total), and flag the ignored words."""
    # A word is ignored, and 0 here, if its estimate is 0 in every class. m is
    # `n_virtual`, p the prior. counts: (C, V); total, n_virtual: (C,); prior:
    # (1 or C, V); ignored: (V,) bool. log_virtual: (V,), log(m p) if that is the same
    # for all classes, else empty. Most counts are 0, and need no logarithm then.
    n_classes, n_words = counts.shape
    log_total = np.log(total)
    prior_by_class = prior.shape[0] > 1
    shared = log_virtual.shape[0] > 0
    for w in range(n_words):
        possible = shared and log_virtual[w] > -np.inf
        for c in range(n_classes):
            n = counts[c, w]
            if n == 0 and shared:
                out[w, c] = log_virtual[w] - log_total[c]
            else:
                p = prior[c if prior_by_class else 0, w]
                estimate = (n + n_virtual[c] * p) / total[c]
                out[w, c] = math.log(estimate)
                possible |= estimate > 0
        if not possible:
            ignored[w] = True
            for c in range(n_classes):
                out[w, c] = 0.0


@kernel
def bernoulli_log_odds(
    counts, class_count, total, n_virtual, prior, out, log_absent, n_required, ignored
):
    """Set `out` (V, C) to log(P / (1 - P)), and add log(1 - P) to `log_absent` (C,)."""
    # P = (n + m p) / total is the m-estimate of the probability that a document of the
    # class holds the word; m is `n_virtual`, p the prior. Where P = 1, `out` is +inf
    # and `n_required` (C,) counts the word. A word is ignored, and 0 here, if P is 0 in
    # every class or 1 in every class: `ignored` is then -1 or 1. In both cases
    # `log_absent` stays.
    # counts: (C, V); class_count, total, n_virtual: (C,); prior: (1 or C, V); ignored:
    # (V,).
    n_classes, n_words = counts.shape
    prior_by_class = prior.shape[0] > 1
    present = np.empty(n_classes)
    absent = np.empty(n_classes)
    # Most counts are 0. Words of a class with count 0 and equal p have equal terms.
    last_p = np.full(n_classes, np.nan)
    last_log_odds = np.empty(n_classes)
    last_log_absent = np.empty(n_classes)
    for w in range(n_words):
        any_present, any_absent = False, False
        for c in range(n_classes):
            p = prior[c if prior_by_class else 0, w]
            n = counts[c, w]
            present[c] = n + n_virtual[c] * p
            absent[c] = max(class_count[c] - n, 0.0) + n_virtual[c] * (1 - p)
            any_present |= present[c] > 0
            any_absent |= absent[c] > 0
        if not (any_present and any_absent):
            ignored[w] = 1 if any_present else -1
        for c in range(n_classes):
            p = prior[c if prior_by_class else 0, w]
            if ignored[w] != 0:
                out[w, c] = 0.0
            elif absent[c] == 0:
                out[w, c] = np.inf
                n_required[c] += 1
            elif counts[c, w] == 0 and p == last_p[c]:
                out[w, c] = last_log_odds[c]
                log_absent[c] += last_log_absent[c]
            else:
                log_odds = math.log(present[c] / absent[c])
                log_p_absent = math.log(absent[c] / total[c])
                out[w, c] = log_odds
                log_absent[c] += log_p_absent
                if counts[c, w] == 0:
                    last_p[c], last_log_odds[c], last_log_absent[c] = (
                        p,
                        log_odds,
                        log_p_absent,
                    )
