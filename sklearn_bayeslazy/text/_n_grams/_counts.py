"""n-gram counts of one or more classes: a trie, stored in sorted integer arrays.

Every n-gram of up to `order` words is a node. Node 0 is the empty n-gram. Then come all
unigrams, then all bigrams, and so on. Each length is a level of the trie, sorted by the
node of all words but the last (its parent, the history) and then by the last word. So
the children of a node are adjacent, and a binary search among them finds the next word.

A node has a *pair* for each class in which it occurs, with its count there. All classes
share one trie, so that one look-up serves them all.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks
from ._kernels import START, count_documents, hash_unique

# The codes of the symbols. START, which kernels read too, is 2.
UNKNOWN_WORD, END = 0, 1
N_SYMBOLS = 3
# The number of tokens that are counted together (or one document, if it is longer).
# More would take more memory; in fewer, n-grams would repeat less. The blocks do not
# depend on the number of threads, so neither do the sums.
TOKENS_PER_BLOCK = 2**20


@dataclass(frozen=True)
class NGramCounts:
    """Counts of n-grams by class."""

    n_codes: int  # codes run from 0 to n_codes - 1
    n_classes: int
    # int (order + 2,): nodes level_start[k] … level_start[k + 1] - 1 have k words.
    level_start: np.ndarray
    word: np.ndarray  # int32 (n_nodes,), the last word of each node
    # int64 (n_nodes + 1,): nodes first_child[e] … first_child[e + 1] - 1 are the
    # children of node e.
    first_child: np.ndarray
    # int64 (n_nodes + 1,): the first pair of each node; pairs are in the order of the
    # classes.
    first_pair: np.ndarray
    pair_class: np.ndarray  # int32 (n_pairs,)
    # float (n_pairs,): the total weight of the occurrences; 0 for START and the empty
    # n-gram.
    count: np.ndarray

    @property
    def order(self):
        """The length of the longest n-grams."""
        return len(self.level_start) - 2

    @property
    def history(self):
        """The node of all words but the last, for each node; 0 for node 0."""
        # In a `Level` it is a number in the level above instead.
        n_children = np.diff(self.first_child)
        return np.concatenate([[0], np.repeat(np.arange(len(self.word)), n_children)])

    @property
    def pair_node(self):
        """The node of each pair."""
        return np.repeat(np.arange(len(self.word)), np.diff(self.first_pair))

    @property
    def has_no_counts(self):
        """Whether there are n-grams, but the file that they are from has no counts."""
        return len(self.word) > 1 and not self.count.any()

    def pairs(self, nodes, classes):
        """Return the pairs of nodes and classes, which exist."""
        if self.n_classes == 1:
            return nodes
        keys = self.pair_node * self.n_classes + self.pair_class  # ascending
        return np.searchsorted(keys, nodes * self.n_classes + classes)

    def pairs_of(self, length):
        """Return the slice of the pairs whose nodes have `length` words."""
        first, last = self.first_pair[self.level_start[length : length + 2]]
        return slice(first, last)


@dataclass(frozen=True)
class Level:
    """The sorted n-grams of one length, numbered from 0, and their pairs."""

    # int (n_ngrams,): the number of the parent in the level above; in `NGramCounts` it
    # is a node instead.
    history: np.ndarray
    word: np.ndarray  # int (n_ngrams,), the last word
    pair_ngram: np.ndarray  # int (n_pairs,), the number of the n-gram of each pair
    pair_class: np.ndarray  # int (n_pairs,)
    count: np.ndarray  # float (n_pairs,)


def count_ngrams(corpus, order, n_codes, classes, n_classes, weight, binary, n_jobs):
    """Count all n-grams of up to `order` words."""
    # corpus: Corpus; classes: int (n_documents,); weight: float (n_documents,), of each
    # occurrence in a document; binary: whether an n-gram counts once in each document
    # that holds it. Returns NGramCounts.

    def count(documents):
        block, c = corpus.take(documents), classes[documents[0]]
        return _count_block(block, order, n_codes, weight[documents], c, binary)

    parts = map_tasks(count, _blocks(corpus, classes), n_jobs=n_jobs)
    return build_trie(parts, order, n_codes, n_classes)


def merge_counts(parts, codes, n_codes, classes, n_classes):
    """Return the sum of the counts of all parts, in new codes and classes."""
    # parts: list of NGramCounts; codes, classes: for each part an int array of its new
    # codes, and of its new classes, in increasing order. Returns NGramCounts.
    levels = [_levels(*part) for part in zip(parts, codes, classes, strict=True)]
    return build_trie(levels, parts[0].order, n_codes, n_classes)


def no_counts(order, n_classes):
    """Return the counts of n-grams in no documents."""
    no_words = np.empty(0, dtype=np.int64)
    level = Level(no_words, no_words, no_words, no_words, np.empty(0))
    return build_trie([[level] * order], order, N_SYMBOLS, n_classes)


def pooled_counts(counts):
    """Return the counts of all classes together, as those of one class."""
    n_nodes = len(counts.word)
    return replace(
        counts,
        n_classes=1,
        first_pair=np.arange(n_nodes + 1),
        pair_class=np.zeros(n_nodes, dtype=np.int32),
        count=np.bincount(counts.pair_node, counts.count, n_nodes),
    )


def counts_of_class(counts, c):
    """Return the counts of one class alone."""
    chosen = counts.pair_class == c
    nodes = counts.pair_node[chosen]  # ascending
    n_nodes = len(nodes)
    position = np.zeros(len(counts.word), np.int64)  # of each node among the chosen
    position[nodes] = np.arange(n_nodes)
    history = position[counts.history[nodes]]
    return NGramCounts(
        counts.n_codes,
        1,
        np.searchsorted(nodes, counts.level_start),
        counts.word[nodes],
        1 + _starts(np.bincount(history[1:], minlength=n_nodes)),
        np.arange(n_nodes + 1),
        np.zeros(n_nodes, dtype=np.int32),
        counts.count[chosen],
    )


def _blocks(corpus, classes):
    """Return blocks of documents of one class each."""
    # A block has about TOKENS_PER_BLOCK tokens. Blocks are ordered by class, and by
    # document within a class.
    by_class = np.argsort(classes, kind="stable")
    length = np.diff(corpus.start)[by_class]
    ordered = classes[by_class]
    block = np.cumsum(length) // TOKENS_PER_BLOCK
    new = np.flatnonzero((np.diff(ordered) != 0) | (np.diff(block) != 0)) + 1
    return np.split(by_class, new) if len(by_class) else []


def _count_block(corpus, order, n_codes, weight, c, binary):
    """Return the levels 1 … order of documents of the class c."""
    token = corpus.tokens.astype(np.int64)
    document = np.repeat(np.arange(len(corpus.start) - 1), np.diff(corpus.start))
    first_token = np.ones(len(token), dtype=bool)  # no n-gram continues one before
    first_token[1:] = document[1:] != document[:-1]
    first_token |= token == START
    last = np.arange(len(token))  # the position of the last word of each n-gram
    ngram = np.zeros(len(token), np.int64)  # the n-gram that ends at each position
    levels = []
    for k in range(1, order + 1):
        if k > 1:
            # An n-gram continues the one of k - 1 words that ends one position before.
            last = last[~first_token[last]]
            last = last[ngram[last - 1] >= 0]
        history = ngram[last - 1] if k > 1 else np.zeros(len(last), np.int64)
        key, found = unique_inverse(history * n_codes + token[last])
        occurrence = weight[document[last]]
        if k == 1:
            occurrence = np.where(token == START, 0.0, occurrence)
        if binary:
            count = count_documents(
                frozen(found, np.int64),
                frozen(document[last], np.int64),
                frozen(occurrence, np.float64),
                len(key),
            )
        else:
            count = np.bincount(found, occurrence, len(key))
        key_history, word = np.divmod(key, n_codes)
        pair_class = np.full(len(key), c)
        levels.append(Level(key_history, word, np.arange(len(key)), pair_class, count))
        ngram = np.full(len(token), -1, np.int64)
        ngram[last] = found
    return levels


def _levels(counts, code, class_code):
    """Return the levels 1 … order of a trie, in new codes."""
    history, pair_node = counts.history, counts.pair_node
    levels = []
    for k in range(1, counts.order + 1):
        first, last = counts.level_start[k : k + 2]
        pairs = counts.pairs_of(k)
        levels.append(
            Level(
                history[first:last] - counts.level_start[k - 1],
                code[counts.word[first:last]],
                pair_node[pairs] - first,
                class_code[counts.pair_class[pairs]],
                counts.count[pairs],
            )
        )
    return levels


@np.errstate(over="ignore")  # an error below says it
def build_trie(parts, order, n_codes, n_classes):
    """Return the summed counts of parts, each a list of levels."""
    # Each level in `parts` is replaced by None when it has been added.
    position = [np.zeros(1, np.int64)] * len(parts)  # of each part's n-grams in the sum
    level_start, words, n_children = [0, 1], [np.zeros(1, np.int64)], []
    n_pairs, classes = [np.array([n_classes])], [np.arange(n_classes)]
    counts, n_parents = [np.zeros(n_classes)], 1
    for k in range(order):
        levels = [part[k] for part in parts]
        key, position = _union(
            [
                at[level.history] * n_codes + level.word
                for at, level in zip(position, levels, strict=True)
            ]
        )
        history, word = np.divmod(key, n_codes)
        if n_classes == 1:  # each n-gram has one pair
            pair, pair_position = np.arange(len(key)), position
        else:
            pair, pair_position = _union(
                [
                    at[level.pair_ngram] * n_classes + level.pair_class
                    for at, level in zip(position, levels, strict=True)
                ]
            )
        count = np.zeros(len(pair))
        for at, level in zip(pair_position, levels, strict=True):
            count[at] += level.count
        for part in parts:
            part[k] = None  # frees memory: a level is as large as its share of the sum
        ngram, pair_class = np.divmod(pair, n_classes)
        level_start.append(level_start[-1] + len(key))
        words.append(word)
        n_children.append(np.bincount(history, minlength=n_parents))
        n_pairs.append(np.bincount(ngram, minlength=len(key)))
        classes.append(pair_class)
        counts.append(count)
        n_parents = len(key)
    n_children.append(np.zeros(n_parents, np.int64))
    count = np.concatenate(counts)
    if not np.isfinite(count.sum()):
        raise ValueError(
            "The counts of all n-grams together overflow float64: divide them (or "
            "sample_weight) by a number."
        )
    return NGramCounts(
        n_codes,
        n_classes,
        np.array(level_start),
        np.concatenate(words).astype(np.int32),
        1 + _starts(np.concatenate(n_children)),
        _starts(np.concatenate(n_pairs)),
        np.concatenate(classes).astype(np.int32),
        count,
    )


def _union(parts):
    """Return the sorted distinct keys of sorted parts, and each part's positions."""
    if len(parts) == 1:
        return parts[0], [np.arange(len(parts[0]))]
    if not parts:
        return np.zeros(0, np.int64), []
    # With return_index NumPy sorts by merging, which is fast for runs that are sorted.
    keys, _, position = np.unique(
        np.concatenate(parts), return_index=True, return_inverse=True
    )
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return keys, np.split(position, ends)


def unique_inverse(keys):
    """Return the sorted distinct integers ≥ 0 and the position of each key there."""
    # As ``np.unique(keys, return_inverse=True)``, but by hashing.
    distinct, number = hash_unique(frozen(keys, np.int64))
    order = np.argsort(distinct)
    position = np.empty(len(distinct), np.int64)
    position[order] = np.arange(len(distinct))
    return distinct[order], position[number]


def _starts(sizes):
    return np.concatenate([[0], np.cumsum(sizes)])
