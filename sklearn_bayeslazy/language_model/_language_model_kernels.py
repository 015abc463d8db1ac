"""Loops over n-gram tries and tokens; `_counts` and `_smoothing` explain the arrays."""

import numpy as np

from .._kernel import inlined, kernel

START_CODE = 2  # a history, never an outcome; START of `_counts`


@inlined
def child(word, first, last, wanted):
    """Return the entry of `wanted` among the entries first … last - 1, or -1."""
    end = last
    while first < last:
        middle = (first + last) >> 1
        if word[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    if first < end and word[first] == wanted:
        return first
    return -1


@inlined
def look_up(word, first_child, history, known, wanted, entry):
    """Find the n-grams of `wanted` after each history; return how many there are.

    ``history[k]`` is the entry of the last k words. If one is missing, so are all that
    are longer.
    """
    found = 0
    while found <= known:
        h = history[found]
        e = child(word, first_child[h], first_child[h + 1], wanted)
        if e < 0:
            break
        entry[found] = e
        found += 1
    return found


@inlined
def advance(history, entry, found, order):
    """Make the n-grams found the histories of the next word; return how many words."""
    for k in range(found):
        history[k + 1] = entry[k]
    return min(found, order - 1)


@inlined
def slot_of(key, shift):
    """Return the slot where a key is looked for first; mixed twice.

    Keys come in rows and in steps, which one multiplication would map to a single run.
    """
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(32)
    return np.int64((h * np.uint64(0xD6E8FEB86659FD93)) >> shift)


@kernel
def number_keys(keys):
    """Return the distinct keys as they first come, and the number of each key.

    A hash table with open addressing, at most half full: twice to ten times as fast as
    sorting where keys repeat, as n-grams do.
    """
    size = 1024
    shift = np.uint64(54)  # what is left are as many bits as slots have
    slot = np.full(size, -1, dtype=np.int32)
    distinct = np.empty(size // 2, dtype=np.int64)
    number = np.empty(len(keys), dtype=np.int32)
    n_distinct = 0
    for i in range(len(keys)):
        h = slot_of(keys[i], shift)
        while slot[h] >= 0 and distinct[slot[h]] != keys[i]:
            h = (h + 1) & (size - 1)
        if slot[h] < 0:
            slot[h] = n_distinct
            distinct[n_distinct] = keys[i]
            n_distinct += 1
        number[i] = slot[h]
        if n_distinct == len(distinct):
            size *= 2
            shift -= np.uint64(1)
            slot = np.full(size, -1, dtype=np.int32)
            larger = np.empty(size // 2, dtype=np.int64)
            larger[:n_distinct] = distinct
            distinct = larger
            for j in range(n_distinct):
                h = slot_of(distinct[j], shift)
                while slot[h] >= 0:
                    h = (h + 1) & (size - 1)
                slot[h] = j
    return distinct[:n_distinct], number


@kernel
def suffixes(word, first_child, history, first_pair_of_words):
    """Return the entry of each n-gram without its first word.

    Shorter n-grams come first, so a history is done before what goes on from it.
    `first_pair_of_words` is the first entry of two words.
    """
    suffix = np.zeros(len(word), dtype=np.int64)
    for e in range(first_pair_of_words, len(word)):
        h = suffix[history[e]]
        suffix[e] = child(word, first_child[h], first_child[h + 1], word[e])
    return suffix


@kernel
def score_documents(
    tokens,
    start,
    order,
    word,
    first_child,
    first_pair,
    pair_class,
    weight,
    backoff,
    base,
    flat,
    background_weight,
    background_backoff,
    out,
):
    """Add up the log probability of each document under each class.

    Where there is a background (its arrays are not empty), its P(w | h) is the base.
    """
    n_classes = out.shape[1]
    p = np.empty(n_classes)
    history = np.zeros(order + 1, dtype=np.int64)
    entry = np.zeros(order + 1, dtype=np.int64)
    with_background = len(background_weight) > 0
    for row in range(len(start) - 1):
        out[row] = 0.0
        known = 0
        for i in range(start[row], start[row + 1]):
            found = look_up(word, first_child, history, known, tokens[i], entry)
            if tokens[i] != START_CODE:
                q = base
                if with_background:
                    for k in range(known + 1):
                        q *= background_backoff[history[k]]
                        if k < found:
                            q += background_weight[entry[k]]
                for c in range(n_classes):
                    p[c] = q
                # With a background, what no class has shown costs all the same.
                levels = 0 if with_background and found == 0 else known + 1
                for k in range(levels):
                    h = history[k]
                    for j in range(first_pair[h], first_pair[h + 1]):
                        c = pair_class[j]
                        # A backoff of 1: nothing was seen after this history.
                        p[c] = (q if flat and backoff[j] < 1.0 else p[c]) * backoff[j]
                    if k < found:
                        for j in range(first_pair[entry[k]], first_pair[entry[k] + 1]):
                            p[pair_class[j]] += weight[j]
                for c in range(n_classes):
                    out[row, c] += np.log(p[c])
            known = advance(history, entry, found, order)


@kernel
def next_words(
    state, words, order, level, word, first_child, suffix, weight, backoff, base, flat
):
    """Return P(w | state) of words and the states after them, in a model of one class.

    A state is the entry of the longest history that is known.
    """
    chain = np.zeros(order + 1, dtype=np.int64)
    length = 0
    h = state
    while h > 0:
        length += 1
        h = suffix[h]
    h = state
    for k in range(length, 0, -1):
        chain[k] = h
        h = suffix[h]
    probability = np.empty(len(words))
    after = np.zeros(len(words), dtype=np.int64)
    for i in range(len(words)):
        p = base
        go_on = True
        for k in range(length + 1):
            h = chain[k]
            p = (base if flat and backoff[h] < 1.0 else p) * backoff[h]
            if go_on:
                e = child(word, first_child[h], first_child[h + 1], words[i])
                go_on = e >= 0
                if go_on:
                    p += weight[e]
                    if e < level[order]:
                        after[i] = e
        probability[i] = 0.0 if words[i] == START_CODE else p
    return probability, after
