"""Loops over n-gram tries and tokens; `_counts` and `_smoothing` explain the arrays."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import copy_numbers, frozen, inlined, kernel

START = 2  # the code of <s>, which is part of histories only and is never predicted
NO_FLOATS = frozen(np.zeros(0), np.float64)


class Trie(NamedTuple):
    """The n-grams that a kernel looks up; :class:`NGramCounts` describes the arrays."""

    order: int
    word: np.ndarray
    first_child: np.ndarray
    first_pair: np.ndarray
    pair_class: np.ndarray


class Estimates(NamedTuple):
    """Smoothed probabilities; :class:`SmoothedNGrams` describes the fields."""

    discounted_prob: np.ndarray
    backoff: np.ndarray
    base_prob: float
    additive: bool


@inlined
def find_child(word, first, last, wanted):
    """Return the node of `wanted` among the nodes first … last - 1, or -1."""
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
def find_ngrams(word, first_child, history, known, wanted, node):
    """Find the n-grams of `wanted` after each history; return their number."""
    # history[k]: the node of the last k words, for k up to `known`; node[k] is written:
    # the node of these words and `wanted`. If one n-gram does not exist, no longer one
    # does.
    found = 0
    while found <= known:
        h = history[found]
        e = find_child(word, first_child[h], first_child[h + 1], wanted)
        if e < 0:
            break
        node[found] = e
        found += 1
    return found


@inlined
def advance(history, node, found, order):
    """Make the n-grams found the histories of the next word; return their length."""
    for k in range(found):
        history[k + 1] = node[k]
    return min(found, order - 1)


@inlined
def hash_slot(key, shift):
    """Return the first slot where a key is looked for; the key is mixed twice."""
    # Keys come in runs and in steps, which one multiplication would map to one run.
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(32)
    return np.int64((h * np.uint64(0xD6E8FEB86659FD93)) >> shift)


@kernel
def hash_unique(keys):
    """Return the distinct keys in order of appearance, and the number of each key."""
    # A hash table with open addressing, at most half full. It is two to ten times as
    # fast as sorting where keys repeat, as n-grams do.
    size = 1024
    shift = np.uint64(54)  # leaves as many bits as slots have
    slot = np.full(size, -1, dtype=np.int32)
    distinct = np.empty(size // 2, dtype=np.int64)
    number = np.empty(len(keys), dtype=np.int32)
    n_distinct = 0
    for i in range(len(keys)):
        h = hash_slot(keys[i], shift)
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
            copy_numbers(distinct, larger)
            distinct = larger
            for j in range(n_distinct):
                h = hash_slot(distinct[j], shift)
                while slot[h] >= 0:
                    h = (h + 1) & (size - 1)
                slot[h] = j
    return distinct[:n_distinct], number


@kernel
def count_documents(ngram, document, weight, n_ngrams):
    """Return the total weight of each n-gram, one occurrence in each document."""
    # ngram, document and weight: (n_occurrences,), in the order of the documents.
    # Returns (n_ngrams,).
    count = np.zeros(n_ngrams)
    last = np.full(n_ngrams, -1, dtype=np.int64)
    for i in range(len(ngram)):
        if last[ngram[i]] != document[i]:
            last[ngram[i]] = document[i]
            count[ngram[i]] += weight[i]
    return count


@inlined
def background_prob(base_prob, history, known, node, found, discounted_prob, backoff):
    """Return P(w | h) in all classes together; `base_prob` without a background."""
    q = base_prob
    if len(discounted_prob) > 0:
        for k in range(known + 1):
            q *= backoff[history[k]]
            if k < found:
                q += discounted_prob[node[k]]
    return q


@inlined
def back_off(p, q, h, first_pair, pair_class, backoff, additive):
    """Multiply P(w | shorter history) of each class by the backoff of history h."""
    # p: (n_classes,), changed. Additive smoothings back off to the base `q` instead. A
    # backoff of 1 means that nothing was seen after the history.
    for j in range(first_pair[h], first_pair[h + 1]):
        c = pair_class[j]
        p[c] = (q if additive and backoff[j] < 1.0 else p[c]) * backoff[j]


@kernel
def score_documents(tokens, start, trie, estimates, background, orders, out):
    """Add the log probability of documents, or of tokens, under each class to `out`."""
    # Document d is tokens[start[d]:start[d + 1]]; out: (n_documents, n_classes). If
    # `orders` is not empty, it is written by token, with the length of the n-gram that
    # was found, 0 for unknown words; then out is (n_tokens, n_classes). background: the
    # discounted probabilities and the backoffs of all classes together, by node; its
    # P(w | h) is the base probability. Empty arrays: there is none.
    order, word, first_child, first_pair, pair_class = trie
    discounted_prob, backoff, base_prob, additive = estimates
    all_prob, all_backoff = background
    n_classes = out.shape[1]
    p = np.empty(n_classes)
    history = np.zeros(order + 1, dtype=np.int64)
    node = np.zeros(order + 1, dtype=np.int64)
    with_background, by_token = len(all_prob) > 0, len(orders) > 0
    for row in range(len(start) - 1):
        known = 0
        for i in range(start[row], start[row + 1]):
            found = find_ngrams(word, first_child, history, known, tokens[i], node)
            if tokens[i] != START:
                q = background_prob(
                    base_prob, history, known, node, found, all_prob, all_backoff
                )
                for c in range(n_classes):
                    p[c] = q
                # With a background, an unseen word costs all classes the same.
                n_levels = 0 if with_background and found == 0 else known + 1
                for k in range(n_levels):
                    back_off(
                        p, q, history[k], first_pair, pair_class, backoff, additive
                    )
                    if k < found:
                        for j in range(first_pair[node[k]], first_pair[node[k] + 1]):
                            p[pair_class[j]] += discounted_prob[j]
                if by_token:
                    orders[i] = found
                for c in range(n_classes):
                    out[i if by_token else row, c] += np.log(p[c])
            known = advance(history, node, found, order)


@kernel
def step_states(state, words, trie, level_start, suffix, estimates):
    """Return P(w | state) of words and the next states, in a model of one class."""
    # A state is the node of the longest known history. words and both results: (n,).
    order, word, first_child, _, _ = trie
    discounted_prob, backoff, base_prob, additive = estimates
    histories = np.zeros(order + 1, dtype=np.int64)  # of 0, 1, … words
    length = 0
    h = state
    while h > 0:
        length += 1
        h = suffix[h]
    h = state
    for k in range(length, 0, -1):
        histories[k] = h
        h = suffix[h]
    probability = np.empty(len(words))
    next_state = np.zeros(len(words), dtype=np.int64)
    for i in range(len(words)):
        p = base_prob
        found = True
        for k in range(length + 1):
            h = histories[k]
            p = (base_prob if additive and backoff[h] < 1.0 else p) * backoff[h]
            if found:
                e = find_child(word, first_child[h], first_child[h + 1], words[i])
                found = e >= 0
                if found:
                    p += discounted_prob[e]
                    if e < level_start[order]:
                        next_state[i] = e
        probability[i] = 0.0 if words[i] == START else p
    return probability, next_state
