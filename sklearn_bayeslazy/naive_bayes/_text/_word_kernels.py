"""Loops over the stored cells of documents: count words, add up scores of words.

Cells of 0 are passed over: 0 · log 0 is 0. `counts` is (C, V), as it is shown; what is
looked up word by word is (V, C), so that the classes of a word lie side by side.
"""

import math

import numpy as np

from ..._kernel import kernel


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
def stores_words_twice(indptr, column, n_words):
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
def count_words(indptr, column, data, classes, weight, presence, counts):
    """Add w x, or w where x > 0, by (class, word); return the least and largest x."""
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        c = np.uint64(classes[i])
        w = weight[i]
        for k in range(indptr[i], indptr[i + 1]):
            x = float(data[k])
            low, high = min(low, x), max(high, x)
            if presence:
                x = 1.0 if x > 0 else 0.0
            counts[c, np.uint64(column[k])] += w * x
    return low, high


@kernel
def add_word_scores(indptr, column, data, presence, scores, out):
    """Add x s, or s where x > 0, to each row of `out`; return the least and largest x.

    s is the row of `scores` (V, C) of the cell's word. Words are taken in fours, where
    none of the four has 0: sums are then read and written a fourth as often.
    """
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
                if presence:
                    x0 = x1 = x2 = x3 = 1.0
                for c in range(n_classes):
                    out[i, c] += (x0 * scores[w0, c] + x1 * scores[w1, c]) + (
                        x2 * scores[w2, c] + x3 * scores[w3, c]
                    )
                k += 4
                continue
            if x0 > 0:
                if presence:
                    x0 = 1.0
                for c in range(n_classes):
                    out[i, c] += x0 * scores[w0, c]
            k += 1
    return low, high


@kernel
def add_presence_scores(indptr, column, data, scores, sure, out):
    """Add the scores of words that are there, where words can be sure: of score +inf.

    A class whose `sure` (C,) words are not all there cannot be.
    """
    n_classes = out.shape[1]
    missing = np.empty(n_classes)
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        missing[:] = sure
        for k in range(indptr[i], indptr[i + 1]):
            x = float(data[k])
            low, high = min(low, x), max(high, x)
            if x > 0:
                for c in range(n_classes):
                    score = scores[column[k], c]
                    if score == np.inf:
                        missing[c] -= 1
                    else:
                        out[i, c] += score
        for c in range(n_classes):
            if missing[c] > 0:
                out[i, c] = -np.inf
    return low, high


@kernel
def word_log_estimates(counts, total, virtual, prior, log_virtual, out, silent):
    """Set `out` (V, C) to log (n + virtual p) / total, and flag the silent words.

    A word is silent, and 0 here, if its estimate is 0 in every class.
    Shapes: counts (C, V); total, virtual (C,); prior (1 or C, V); log_virtual (V,)
    holds log (virtual p) where all classes share it, else it is empty: most counts
    are 0, and need no logarithm then.
    """
    n_classes, n_words = counts.shape
    log_total = np.log(total)
    own_prior = prior.shape[0] > 1
    shared = log_virtual.shape[0] > 0
    for w in range(n_words):
        possible = shared and log_virtual[w] > -np.inf
        for c in range(n_classes):
            n = counts[c, w]
            if n == 0 and shared:
                out[w, c] = log_virtual[w] - log_total[c]
            else:
                p = prior[c if own_prior else 0, w]
                estimate = (n + virtual[c] * p) / total[c]
                out[w, c] = math.log(estimate)
                possible |= estimate > 0
        if not possible:
            silent[w] = True
            for c in range(n_classes):
                out[w, c] = 0.0


@kernel
def presence_log_odds(counts, mass, total, virtual, prior, out, absent, sure, silent):
    """Set `out` (V, C) to log P / (1 - P), and add log (1 - P) to `absent` (C,).

    P = (n + virtual p) / total is the share of the documents that hold the word. Where
    P = 1, `out` is +inf and the word counts in `sure` (C,). A word is silent, and 0
    here, if it is impossible or sure in every class: `silent` is set to -1 or 1.
    Shapes: counts (C, V); mass, total, virtual (C,); prior (1 or C, V); silent (V,).
    """
    n_classes, n_words = counts.shape
    own_prior = prior.shape[0] > 1
    present = np.empty(n_classes)
    lacking = np.empty(n_classes)
    # Most words are in no document of a class: those of the same p have the same terms.
    last_p = np.full(n_classes, np.nan)
    last_odds = np.empty(n_classes)
    last_absent = np.empty(n_classes)
    for w in range(n_words):
        any_present, any_lacking = False, False
        for c in range(n_classes):
            p = prior[c if own_prior else 0, w]
            n = counts[c, w]
            present[c] = n + virtual[c] * p
            lacking[c] = max(mass[c] - n, 0.0) + virtual[c] * (1 - p)
            any_present |= present[c] > 0
            any_lacking |= lacking[c] > 0
        if not (any_present and any_lacking):
            silent[w] = 1 if any_present else -1
        for c in range(n_classes):
            p = prior[c if own_prior else 0, w]
            if silent[w] != 0:
                out[w, c] = 0.0
            elif lacking[c] == 0:
                out[w, c] = np.inf
                sure[c] += 1
            elif counts[c, w] == 0 and p == last_p[c]:
                out[w, c] = last_odds[c]
                absent[c] += last_absent[c]
            else:
                odds = math.log(present[c] / lacking[c])
                without = math.log(lacking[c] / total[c])
                out[w, c] = odds
                absent[c] += without
                if counts[c, w] == 0:
                    last_p[c], last_odds[c], last_absent[c] = p, odds, without
