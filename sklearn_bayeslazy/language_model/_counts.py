"""n-gram counts of one or more classes, as sorted integer arrays: a trie laid flat.

Every n-gram of up to `order` words is an entry. Entry 0 is the empty one; then come all
single words, then all pairs, and so on, each length sorted by the entry of all words
but the last (its history) and then by the last word. So the n-grams that go on from
an entry lie side by side, and a binary search among them finds the next word.

An entry has a *pair* for each class in which it occurs, with its count there: twenty
classes share one trie, and a look-up serves them all.
"""

from dataclasses import dataclass

import numpy as np

from .._kernel import frozen
from ._language_model_kernels import number_keys

# The codes of what is not a word. START is a history only, never an outcome.
UNKNOWN, END, START = 0, 1, 2
N_SYMBOLS = 3
# So many tokens are counted together (or one document, if it is longer): few enough for
# the memory, many enough that the n-grams of a piece repeat. Pieces are fixed, so that
# sums do not depend on threads.
PIECE = 2**20


@dataclass(frozen=True)
class NGramCounts:
    """Counts of n-grams by class.

    Attributes
    ----------
    n_codes : int
        Codes run from 0 to n_codes - 1.
    n_classes : int
    level : int array of shape (order + 2,)
        Entries level[k] … level[k + 1] - 1 have k words.
    word : int32 array of shape (n_entries,)
        The last word of each entry.
    first_child : int64 array of shape (n_entries + 1,)
        Entries first_child[e] … first_child[e + 1] - 1 go on from entry e.
    first_pair : int64 array of shape (n_entries + 1,)
        The pairs of each entry, in the order of the classes.
    pair_class : int32 array of shape (n_pairs,)
    count : float array of shape (n_pairs,)
        The mass of the occurrences. A START and the empty entry have 0.
    """

    n_codes: int
    n_classes: int
    level: np.ndarray
    word: np.ndarray
    first_child: np.ndarray
    first_pair: np.ndarray
    pair_class: np.ndarray
    count: np.ndarray

    @property
    def order(self):
        """The length of the longest n-grams."""
        return len(self.level) - 2

    @property
    def history(self):
        """The entry of all words but the last, for each entry; 0 for entry 0."""
        n_children = np.diff(self.first_child)
        return np.concatenate([[0], np.repeat(np.arange(len(self.word)), n_children)])

    @property
    def pair_entry(self):
        """The entry of each pair."""
        return np.repeat(np.arange(len(self.word)), np.diff(self.first_pair))

    def pairs_of(self, length):
        """Return the slice of the pairs whose entries have `length` words."""
        first, last = self.first_pair[self.level[length : length + 2]]
        return slice(first, last)


@dataclass(frozen=True)
class _Length:
    """The n-grams of one length, sorted: which go on from where, and their pairs."""

    history: np.ndarray  # among the n-grams one word shorter
    word: np.ndarray
    pair_entry: np.ndarray
    pair_class: np.ndarray
    count: np.ndarray


def count_ngrams(
    corpus,
    order,
    n_codes,
    classes=None,
    n_classes=1,
    weight=None,
    once=False,
    map_tasks=None,
):
    """Count all n-grams of up to `order` words.

    Parameters
    ----------
    corpus : Corpus
    order : int
    n_codes : int
    classes : int array of shape (n_documents,), default=None
        The class of each document.
    n_classes : int, default=1
    weight : float array of shape (n_documents,), default=None
        What an occurrence in a document counts; 1 by default.
    once : bool, default=False
        Whether an n-gram counts once in each document that holds it.
    map_tasks : callable, default=None
        ``map_tasks(function, tasks)`` runs the pieces; one after the other by default.

    Returns
    -------
    NGramCounts
    """
    n_documents = len(corpus.start) - 1
    classes = np.zeros(n_documents, np.int64) if classes is None else classes
    weight = np.ones(n_documents) if weight is None else weight

    def count(documents):
        piece = corpus.take(documents)
        return _count_piece(piece, order, n_codes, weight[documents], once)

    tasks, piece_class = _pieces(corpus, classes)
    parts = (map_tasks or _one_by_one)(count, tasks)
    parts = [
        [_of_class(length, c) for length in lengths]
        for lengths, c in zip(parts, piece_class, strict=True)
    ]
    return _join(parts, order, n_codes, n_classes)


def merge_counts(parts, codes, n_codes, classes, n_classes):
    """Return the counts of all parts together, in new codes and classes.

    Parameters
    ----------
    parts : list of NGramCounts
    codes, classes : lists of int arrays
        The new codes and classes of each part, both in increasing order.
    n_codes, n_classes : int

    Returns
    -------
    NGramCounts
    """
    apart = [_apart(*part) for part in zip(parts, codes, classes, strict=True)]
    return _join(apart, parts[0].order, n_codes, n_classes)


def pooled_counts(counts):
    """Return the counts of all classes together, as those of one class."""
    n_entries = len(counts.word)
    return NGramCounts(
        counts.n_codes,
        1,
        counts.level,
        counts.word,
        counts.first_child,
        np.arange(n_entries + 1),
        np.zeros(n_entries, dtype=np.int32),
        np.bincount(counts.pair_entry, counts.count, n_entries),
    )


def counts_of_class(counts, c):
    """Return the counts of one class alone."""
    lengths, place = [], np.zeros(1, np.int64)
    n_codes, one = counts.n_codes, np.zeros(counts.n_classes, np.int64)
    for length in _apart(counts, np.arange(n_codes), np.arange(counts.n_classes)):
        own = length.pair_class == c
        entry = length.pair_entry[own]  # all distinct
        before, place = place, np.full(len(length.word), -1)
        place[entry] = np.arange(len(entry))
        lengths.append(
            _Length(
                before[length.history[entry]],
                length.word[entry],
                np.arange(len(entry)),
                one[length.pair_class[own]],
                length.count[own],
            )
        )
    return _join([lengths], counts.order, n_codes, 1)


def _one_by_one(function, tasks):
    return [function(task) for task in tasks]


def _pieces(corpus, classes):
    """Return runs of documents of one class with about PIECE tokens, and the classes.

    Ordered by class, and by document within a class.
    """
    by_class = np.argsort(classes, kind="stable")
    length = np.diff(corpus.start)[by_class]
    ordered = classes[by_class]
    piece = np.cumsum(length) // PIECE
    new = np.flatnonzero((np.diff(ordered) != 0) | (np.diff(piece) != 0)) + 1
    tasks = np.split(by_class, new) if len(by_class) else []
    return tasks, [classes[documents[0]] for documents in tasks]


def _of_class(length, c):
    pair_class = np.full(len(length.count), c, np.int64)
    return _Length(
        length.history, length.word, length.pair_entry, pair_class, length.count
    )


def _count_piece(corpus, order, n_codes, weight, once):
    """Return the lengths 1 … order of documents of one class."""
    token = corpus.tokens.astype(np.int64)
    document = np.repeat(np.arange(len(corpus.start) - 1), np.diff(corpus.start))
    opens = np.ones(len(token), dtype=bool)  # whatever goes on from nothing
    opens[1:] = document[1:] != document[:-1]
    opens |= token == START
    place = np.arange(len(token))
    entry = np.zeros(len(token), np.int64)
    lengths = []
    for k in range(1, order + 1):
        if k > 1:
            # An n-gram goes on from the one a word shorter that ends a place before.
            place = place[~opens[place]]
            place = place[entry[place - 1] >= 0]
        before = entry[place - 1] if k > 1 else np.zeros(len(place), np.int64)
        key, found = distinct(before * n_codes + token[place])
        occurrence = weight[document[place]]
        if k == 1:
            occurrence = np.where(token == START, 0.0, occurrence)
        counted = found
        if once:
            n_documents = len(corpus.start) - 1
            held, copy = distinct(found * n_documents + document[place])
            where = np.empty(len(held), np.int64)
            where[copy] = np.arange(len(copy))  # any one place of each
            counted, occurrence = found[where], occurrence[where]
        count = np.bincount(counted, occurrence, len(key))
        history, word = np.divmod(key, n_codes)
        lengths.append(_Length(history, word, np.arange(len(key)), None, count))
        entry = np.full(len(token), -1, np.int64)
        entry[place] = found
    return lengths


def _apart(counts, code, class_code):
    """Return the lengths 1 … order of counts, in new codes."""
    history, pair_entry = counts.history, counts.pair_entry
    lengths = []
    for k in range(1, counts.order + 1):
        first, last = counts.level[k : k + 2]
        pairs = counts.pairs_of(k)
        lengths.append(
            _Length(
                history[first:last] - counts.level[k - 1],
                code[counts.word[first:last]],
                pair_entry[pairs] - first,
                class_code[counts.pair_class[pairs]],
                counts.count[pairs],
            )
        )
    return lengths


def _join(parts, order, n_codes, n_classes):
    """Return the counts of parts, each a list of lengths, added up."""
    place = [np.zeros(1, np.int64)] * len(parts)  # of each part's entries in the sum
    level, words, n_children = [0, 1], [np.zeros(1, np.int64)], []
    n_pairs, classes = [np.array([n_classes])], [np.arange(n_classes)]
    counts, n_shorter = [np.zeros(n_classes)], 1
    for k in range(order):
        lengths = [part[k] for part in parts]
        key, place = _union(
            [
                at[length.history] * n_codes + length.word
                for at, length in zip(place, lengths, strict=True)
            ]
        )
        history, word = np.divmod(key, n_codes)
        if n_classes == 1:  # an entry is a pair
            pair, found = np.arange(len(key)), place
        else:
            pair, found = _union(
                [
                    at[length.pair_entry] * n_classes + length.pair_class
                    for at, length in zip(place, lengths, strict=True)
                ]
            )
        count = np.zeros(len(pair))
        for at, length in zip(found, lengths, strict=True):
            count[at] += length.count
        for part in parts:
            part[k] = None  # done with, and as large as all that came out
        entry, pair_class = np.divmod(pair, n_classes)
        level.append(level[-1] + len(key))
        words.append(word)
        n_children.append(np.bincount(history, minlength=n_shorter))
        n_pairs.append(np.bincount(entry, minlength=len(key)))
        classes.append(pair_class)
        counts.append(count)
        n_shorter = len(key)
    n_children.append(np.zeros(n_shorter, np.int64))
    return NGramCounts(
        n_codes,
        n_classes,
        np.array(level),
        np.concatenate(words).astype(np.int32),
        1 + _starts(np.concatenate(n_children)),
        _starts(np.concatenate(n_pairs)),
        np.concatenate(classes).astype(np.int32),
        np.concatenate(counts),
    )


def _union(parts):
    """Return the sorted distinct keys of all parts, and each part's places in them."""
    if len(parts) == 1:
        return parts[0], [np.arange(len(parts[0]))]
    if not parts:
        return np.zeros(0, np.int64), []
    keys, places = distinct(np.concatenate(parts))
    return keys, np.split(places, np.cumsum([len(part) for part in parts])[:-1])


def distinct(keys):
    """Return the sorted distinct integers ≥ 0 and the place of each key in them."""
    found, number = number_keys(frozen(keys, np.int64))
    order = np.argsort(found)
    place = np.empty(len(found), np.int64)
    place[order] = np.arange(len(found))
    return found[order], place[number]


def _starts(sizes):
    return np.concatenate([[0], np.cumsum(sizes)])
