"""Loops that score documents under the model that has not seen them.

Only what a document holds is looked at: its words' counts, without the document, in
its own class and, where they change too, in the others.
"""

import math

import numpy as np

from ..._kernel import kernel


@kernel
def add_left_out_words(
    indptr,
    column,
    data,
    classes,
    removed,
    counts,
    overall,
    prior,
    total,
    virtual,
    whole,
    even,
    sign,
    own_only,
    out,
):
    """Add sign · x log (n' + virtual p') / total for documents left out one by one.

    n' is the count without the document: of its own class where `sign` is 1, of the
    complements of the other classes where it is -1. p' = t' / whole + even · p, with
    t' the word's `overall` count without the document. Words that every class gives 0
    are passed over. `own_only`: the score of the document's own class alone.

    Shapes: classes, removed, whole, even (n,); counts (V, C); overall (V,); prior
    (1 or C, V); total, virtual (n, C).
    """
    n_classes = out.shape[1]
    own_prior = prior.shape[0] > 1
    estimate = np.empty(n_classes)
    for i in range(indptr.shape[0] - 1):
        own = classes[i]
        first, last = (own, own + 1) if own_only else (0, n_classes)
        for k in range(indptr[i], indptr[i + 1]):
            x = data[k]
            if x == 0:
                continue
            w = column[k]
            taken = removed[i] * x
            share = max(overall[w] - taken, 0.0) / whole[i]
            possible = False
            for c in range(first, last):
                n = counts[w, c]
                if (c == own) == (sign > 0):
                    n = max(n - taken, 0.0)
                p = share + even[i] * prior[c if own_prior else 0, w]
                estimate[c] = (n + virtual[i, c] * p) / total[i, c]
                possible |= estimate[c] > 0
            if possible:
                for c in range(first, last):
                    out[i, c] += sign * x * math.log(estimate[c])


@kernel
def add_left_out_presence(
    indptr,
    column,
    data,
    classes,
    removed,
    counts,
    overall,
    everything,
    mass,
    prior,
    total,
    virtual,
    whole,
    even,
    least,
    own_only,
    finite,
    infinite,
):
    """Correct the score of an empty document at the words that are there.

    `finite` and `infinite` (n, C) hold the sum of the finite log (1 - P) of all words,
    and how many are -inf, under the model without a document that has no words. Each
    word that is there takes its term back and adds log P.

    Shapes: classes, removed, whole, even (n,); counts (V, C); overall (V,); mass (C,)
    of all documents, `everything` its sum; prior (1 or C, V); total, virtual (n, C).
    What is left of a mass below its share `least` is rounding.
    """
    n_classes = finite.shape[1]
    own_prior = prior.shape[0] > 1
    lacking, present = np.empty(n_classes), np.empty(n_classes)
    for i in range(indptr.shape[0] - 1):
        own = classes[i]
        gone = removed[i]
        first, last = (own, own + 1) if own_only else (0, n_classes)
        for k in range(indptr[i], indptr[i + 1]):
            if data[k] == 0:
                continue
            w = column[k]
            before = overall[w]
            others = everything - gone - before
            if others < least * everything:
                others = 0.0
            share, share_lacking = max(before - gone, 0.0) / whole[i], others / whole[i]
            any_lacking, any_present = False, False
            for c in range(first, last):
                n = counts[w, c]
                rest = mass[c] - n
                if c == own:
                    rest = rest - gone
                    if rest < least * mass[c]:
                        rest = 0.0
                    n = max(n - gone, 0.0)
                p = even[i] * prior[c if own_prior else 0, w]
                q = even[i] * (1 - prior[c if own_prior else 0, w])
                lacking[c] = max(rest, 0.0) + virtual[i, c] * (share_lacking + q)
                present[c] = n + virtual[i, c] * (share + p)
                any_lacking |= lacking[c] > 0
                any_present |= present[c] > 0
            for c in range(first, last):
                if any_lacking:
                    if lacking[c] > 0:
                        finite[i, c] -= math.log(lacking[c] / total[i, c])
                    else:
                        infinite[i, c] -= 1
                if any_present:
                    if present[c] > 0:
                        finite[i, c] += math.log(present[c] / total[i, c])
                    else:
                        infinite[i, c] += 1
