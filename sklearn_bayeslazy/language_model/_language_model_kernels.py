"""Loops over n-gram tries and tokens; `_counts` and `_smoothing` explain the arrays."""

import numpy as np

from .._kernel import inlined, kernel

_START = 2  # a history, never an outcome; as in `_counts`
# What is left of a sum after all of it was taken away, for want of rounding.
_NOTHING = 1e-9


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


@kernel
def number_keys(keys):
    """Return the distinct keys as they first come, and the number of each key.

    A hash table with open addressing, at most half full: twice to ten times as fast as
    sorting where keys repeat, as n-grams do.
    """
    size = 1024
    shift = np.uint64(54)  # the highest bits of the product tell the slot
    slot = np.full(size, -1, dtype=np.int32)
    distinct = np.empty(size // 2, dtype=np.int64)
    number = np.empty(len(keys), dtype=np.int32)
    n_distinct = 0
    for i in range(len(keys)):
        key = keys[i]
        # Fibonacci hashing: 2^64 divided by the golden ratio.
        h = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while slot[h] >= 0 and distinct[slot[h]] != key:
            h = (h + 1) & (size - 1)
        if slot[h] < 0:
            slot[h] = n_distinct
            distinct[n_distinct] = key
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
                h = np.int64(
                    (np.uint64(distinct[j]) * np.uint64(0x9E3779B97F4A7C15)) >> shift
                )
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
    documents,
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
    """Add up the log probability of each of `documents` under each class.

    Where there is a background (its arrays are not empty), its P(w | h) is the base.
    """
    n_classes = out.shape[1]
    p = np.empty(n_classes)
    history = np.zeros(order + 1, dtype=np.int64)
    entry = np.zeros(order + 1, dtype=np.int64)
    with_background = len(background_weight) > 0
    for row in range(len(documents)):
        out[row] = 0.0
        known = 0
        for i in range(start[documents[row]], start[documents[row] + 1]):
            found = look_up(word, first_child, history, known, tokens[i], entry)
            if tokens[i] != _START:
                q = base
                if with_background:
                    for k in range(known + 1):
                        q *= background_backoff[history[k]]
                        if k < found:
                            q += background_weight[entry[k]]
                for c in range(n_classes):
                    p[c] = q
                for k in range(known + 1):
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
            for k in range(found):
                history[k + 1] = entry[k]
            known = min(found, order - 1)


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

    Two walks over a document: the first adds up what it brought to the counts of its
    n-grams and to the sums of their histories, the second scores with these taken away
    (from its own class and from the background, Witten–Bell of all classes; there is
    none where `all_count` is empty). Where `types` is not empty, the classes' models
    are Witten–Bell too, and it stands for `virtual`.
    """
    n_classes = out.shape[1]
    p = np.empty(n_classes)
    history = np.zeros(order + 1, dtype=np.int64)
    entry = np.zeros(order + 1, dtype=np.int64)
    with_background = len(all_count) > 0
    by_types = len(types) > 0
    mu = virtual
    place = np.full(len(word), -1, dtype=np.int32)  # of an entry among those met
    for row in range(len(documents)):
        first, last = start[documents[row]], start[documents[row] + 1]
        own = classes[row]
        largest = (last - first) * order + 1
        met = np.empty(largest, dtype=np.int64)
        before = np.empty(largest, dtype=np.int64)
        gone = np.zeros(largest)  # of the entry's own count
        gone_total = np.zeros(largest)  # of what the entry's sums hold as a history
        gone_held = np.zeros(largest)
        gone_types = np.zeros(largest)
        all_gone_types = np.zeros(largest)
        met[0] = 0
        before[0] = 0
        place[0] = 0
        n_met = 1
        known = 0
        for i in range(first, last):
            found = look_up(word, first_child, history, known, tokens[i], entry)
            for k in range(found):
                e = entry[k]
                if place[e] < 0:
                    place[e] = n_met
                    met[n_met] = e
                    before[n_met] = place[history[k]]
                    n_met += 1
                if tokens[i] != _START and (not once or gone[place[e]] == 0.0):
                    gone[place[e]] += removed[row]
                    gone_total[before[place[e]]] += removed[row]
            for k in range(found):
                history[k + 1] = entry[k]
            known = min(found, order - 1)
        for m in range(1, n_met):
            for j in range(first_pair[met[m]], first_pair[met[m] + 1]):
                if pair_class[j] == own:
                    rest = count[j] - gone[m]
                    if rest <= _NOTHING * count[j]:
                        rest = 0.0
                        if gone[m] > 0.0:
                            gone_types[before[m]] += 1.0
                    change = min(count[j], discount) - min(rest, discount)
                    gone_held[before[m]] += change
            if with_background and gone[m] > 0.0:
                rest = all_count[met[m]] - gone[m]
                if rest <= _NOTHING * all_count[met[m]]:
                    all_gone_types[before[m]] += 1.0

        out[row] = 0.0
        known = 0
        for i in range(first, last):
            found = look_up(word, first_child, history, known, tokens[i], entry)
            if tokens[i] != _START:
                q = base
                if with_background:
                    for k in range(known + 1):
                        h = history[k]
                        rest = all_total[h] - gone_total[place[h]]
                        if rest > _NOTHING * all_total[h]:
                            n_types = all_types[h] - all_gone_types[place[h]]
                            q *= n_types / (rest + n_types)
                            if k < found:
                                e = entry[k]
                                mass = max(all_count[e] - gone[place[e]], 0.0)
                                q += mass / (rest + n_types)
                for c in range(n_classes):
                    p[c] = q
                for k in range(known + 1):
                    h = history[k]
                    denominator = 0.0
                    for j in range(first_pair[h], first_pair[h + 1]):
                        c = pair_class[j]
                        if c != own:
                            lower = q if flat and backoff[j] < 1.0 else p[c]
                            p[c] = lower * backoff[j]
                            continue
                        rest = total[j] - gone_total[place[h]]
                        if rest > _NOTHING * total[j]:
                            if by_types:
                                mu = types[j] - gone_types[place[h]]
                            denominator = rest + mu
                            kept_back = held[j] - gone_held[place[h]]
                            mass = mu + (1.0 - keep) * rest + keep * kept_back
                            p[c] = (q if flat else p[c]) * (mass / denominator)
                    if k < found:
                        e = entry[k]
                        for j in range(first_pair[e], first_pair[e + 1]):
                            c = pair_class[j]
                            if c != own:
                                p[c] += weight[j]
                            elif denominator > 0.0:
                                rest = count[j] - gone[place[e]] - discount
                                p[c] += keep * (max(rest, 0.0) / denominator)
                for c in range(n_classes):
                    out[row, c] += np.log(p[c])
            for k in range(found):
                history[k + 1] = entry[k]
            known = min(found, order - 1)
        for m in range(n_met):
            place[met[m]] = -1


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
        probability[i] = 0.0 if words[i] == _START else p
    return probability, after
