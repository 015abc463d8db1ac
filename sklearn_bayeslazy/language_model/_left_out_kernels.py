"""Loops of leave-one-out for language models: documents scored without themselves.

What a document brought to the counts is kept by the number of an n-gram among those
that the document holds: `met` are their entries, `before` the numbers of their
histories, `place` (n_entries,) leads from an entry to its number, or -1. The rows of
`gone` are named below.
"""

import numpy as np

from .._kernel import inlined, kernel
from ._language_model_kernels import START_CODE, advance, look_up

# What is left of a sum after all of it was taken away, for want of rounding.
_NOTHING = 1e-9
# Of the n-gram: its own count. Of the n-gram as a history, in the document's class: T,
# Σ min(c, D) and the number of words after it; and that number in all classes.
_COUNT, _TOTAL, _HELD, _TYPES, _ALL_TYPES = range(5)
_N_SUMS = 5


@kernel
def take_away(
    tokens,
    own,
    removed,
    once,
    order,
    word,
    first_child,
    first_pair,
    pair_class,
    count,
    discount,
    all_count,
    place,
    met,
    before,
    gone,
):
    """Add up what a document brought; return how many n-grams it holds."""
    history = np.zeros(order + 1, dtype=np.int64)
    entry = np.zeros(order + 1, dtype=np.int64)
    met[0] = 0
    before[0] = 0
    place[0] = 0
    gone[:, 0] = 0.0
    n_met = 1
    known = 0
    for i in range(len(tokens)):
        found = look_up(word, first_child, history, known, tokens[i], entry)
        for k in range(found):
            e = entry[k]
            if place[e] < 0:
                place[e] = n_met
                met[n_met] = e
                before[n_met] = place[history[k]]
                gone[:, n_met] = 0.0
                n_met += 1
            if tokens[i] != START_CODE and (not once or gone[_COUNT, place[e]] == 0.0):
                gone[_COUNT, place[e]] += removed
                gone[_TOTAL, before[place[e]]] += removed
        known = advance(history, entry, found, order)
    for m in range(1, n_met):
        e = met[m]
        for j in range(first_pair[e], first_pair[e + 1]):
            if pair_class[j] == own:
                rest = count[j] - gone[_COUNT, m]
                if rest <= _NOTHING * count[j]:
                    rest = 0.0
                    if gone[_COUNT, m] > 0.0:
                        gone[_TYPES, before[m]] += 1.0
                change = min(count[j], discount) - min(rest, discount)
                gone[_HELD, before[m]] += change
        if len(all_count) > 0:
            rest = all_count[e] - gone[_COUNT, m]
            if gone[_COUNT, m] > 0.0 and rest <= _NOTHING * all_count[e]:
                gone[_ALL_TYPES, before[m]] += 1.0
    return n_met


@inlined
def background_without(
    base, history, known, entry, found, place, gone, all_count, all_total, all_types
):
    """Return P(w | h) in all classes, Witten-Bell, without the document."""
    q = base
    if len(all_count) > 0:
        for k in range(known + 1):
            h = history[k]
            total = all_total[h] - gone[_TOTAL, place[h]]
            if total > _NOTHING * all_total[h]:
                n_types = all_types[h] - gone[_ALL_TYPES, place[h]]
                q *= n_types / (total + n_types)
                if k < found:
                    mass = all_count[entry[k]] - gone[_COUNT, place[entry[k]]]
                    q += max(mass, 0.0) / (total + n_types)
    return q


@kernel
def score_left_out(
    tokens,
    start,
    documents,
    classes,
    removed,
    once,
    order,
    word,
    first_child,
    first_pair,
    pair_class,
    count,
    weight,
    backoff,
    base,
    flat,
    keep,
    virtual,
    discount,
    total,
    held,
    types,
    all_count,
    all_total,
    all_types,
    out,
):
    """Score documents as `score_documents`, each without itself in the counts.

    The estimates of the other classes stay; those of its own class and of the
    background (none where `all_count` is empty) are worked out from their sums. Where
    `types` is not empty, the classes' models are Witten–Bell too, and it stands for
    `virtual`.
    """
    n_classes = out.shape[1]
    p = np.empty(n_classes)
    history = np.zeros(order + 1, dtype=np.int64)
    entry = np.zeros(order + 1, dtype=np.int64)
    longest = np.int64(0)
    for row in range(len(documents)):
        longest = max(longest, start[documents[row] + 1] - start[documents[row]])
    met = np.empty(longest * order + 1, dtype=np.int64)
    before = np.empty(longest * order + 1, dtype=np.int64)
    gone = np.empty((_N_SUMS, longest * order + 1))
    place = np.full(len(word), -1, dtype=np.int32)
    for row in range(len(documents)):
        own = classes[row]
        document = tokens[start[documents[row]] : start[documents[row] + 1]]
        n_met = take_away(
            document,
            own,
            removed[row],
            once,
            order,
            word,
            first_child,
            first_pair,
            pair_class,
            count,
            discount,
            all_count,
            place,
            met,
            before,
            gone,
        )
        out[row] = 0.0
        known = 0
        for i in range(len(document)):
            found = look_up(word, first_child, history, known, document[i], entry)
            if document[i] != START_CODE:
                q = background_without(
                    base,
                    history,
                    known,
                    entry,
                    found,
                    place,
                    gone,
                    all_count,
                    all_total,
                    all_types,
                )
                p[:] = q
                levels = known + 1
                if len(all_count) > 0 and (
                    found == 0
                    or all_count[entry[0]] - gone[_COUNT, place[entry[0]]]
                    <= _NOTHING * all_count[entry[0]]
                ):
                    levels = 0  # nothing but the background knows it
                for k in range(levels):
                    h = history[k]
                    denominator = 0.0
                    for j in range(first_pair[h], first_pair[h + 1]):
                        c = pair_class[j]
                        if c != own:
                            lower = q if flat and backoff[j] < 1.0 else p[c]
                            p[c] = lower * backoff[j]
                            continue
                        rest = total[j] - gone[_TOTAL, place[h]]
                        if rest > _NOTHING * total[j]:
                            mu = virtual
                            if len(types) > 0:
                                mu = types[j] - gone[_TYPES, place[h]]
                            denominator = rest + mu
                            kept_back = max(held[j] - gone[_HELD, place[h]], 0.0)
                            mass = mu + (1.0 - keep) * rest + keep * kept_back
                            p[c] = (q if flat else p[c]) * (mass / denominator)
                    if k < found:
                        e = entry[k]
                        for j in range(first_pair[e], first_pair[e + 1]):
                            c = pair_class[j]
                            if c != own:
                                p[c] += weight[j]
                            elif denominator > 0.0:
                                rest = count[j] - gone[_COUNT, place[e]] - discount
                                p[c] += keep * (max(rest, 0.0) / denominator)
                for c in range(n_classes):
                    out[row, c] += np.log(p[c])
            known = advance(history, entry, found, order)
        for m in range(n_met):
            place[met[m]] = -1
