"""Given counts of n-grams, instead of documents, to a trie.

The trie holds n-grams of all lengths. A length that is not given follows from the next
longer n-grams. In texts, an n-gram occurs as often as it has a word before it, plus
once wherever a text begins with it; and as often as it has a word after it, plus once
wherever a text ends with it. So the larger of the two sums over words is its count,
unless it is a whole text or, without boundaries, begins some texts and ends others.
"""

from collections import defaultdict
from itertools import chain

import numpy as np

from ._counts import END, N_SYMBOLS, START, UNKNOWN_WORD, Level, build_trie
from ._document_reader import assign_codes

SYMBOLS = {"<unk>": UNKNOWN_WORD, "</s>": END, "<s>": START}


def read_ngrams(ngrams, counts=None):
    """Return the counts above 0 as a dictionary {tuple of words: float}.

    >>> read_ngrams({"a": 2, ("a", "b"): 1, ("b", "a"): 0})
    {('a',): 2.0, ('a', 'b'): 1.0}
    """
    # ngrams: as in `NGramLanguageModel.from_counts`; counts: (n_ngrams,), those of an
    # array of n-grams.
    if counts is not None:
        rows = np.asarray(ngrams, dtype=object)
        if rows.ndim not in (1, 2) or np.shape(counts) != (len(rows),):
            raise ValueError(
                f"ngrams of shape {rows.shape} and counts of shape {np.shape(counts)} "
                "do not fit: give one n-gram in each row, and one count for each row."
            )
        pairs = zip(rows.tolist(), np.asarray(counts).tolist())
    elif hasattr(ngrams, "iloc") and ngrams.ndim == 2:  # a table of bigrams
        cells = np.asarray(ngrams, dtype=object)
        pairs = (
            ((first, second), cells[i, j])
            for i, first in enumerate(ngrams.index)
            for j, second in enumerate(ngrams.columns)
        )
    elif hasattr(ngrams, "items"):
        pairs = ngrams.items()
    else:
        raise TypeError(
            "ngrams must be a dictionary {n-gram: count}, a table of bigrams, or an "
            f"array with counts=, got {type(ngrams).__name__}."
        )
    found = defaultdict(float)
    for ngram, count in pairs:
        words = (ngram,) if isinstance(ngram, str) else _as_words(ngram)
        if (number := _as_count(count, words)) > 0:
            found[words] += number
    if not found:
        raise ValueError("ngrams holds no n-gram with a count above 0.")
    return dict(found)


def _as_words(ngram):
    """Return an n-gram as a tuple of strings."""
    words = tuple(ngram) if hasattr(ngram, "__iter__") else ()
    if not words or not all(isinstance(word, str) for word in words):
        raise TypeError(
            f"An n-gram must be a word or a tuple of words, which are strings; got "
            f"{ngram!r:.60}."
        )
    return words


def _as_count(count, words):
    """Return a count as a float."""
    try:
        number = float(count)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 <= number < np.inf:
        raise ValueError(f"The count of {words!r:.60} must be ≥ 0, got {count!r:.60}.")
    return number


def given_counts(ngrams, vocabulary, has_boundaries):
    """Return the counts of all n-grams as a trie."""
    # ngrams: {tuple of words: float}, as `read_ngrams` returns it; vocabulary: {word:
    # code}; has_boundaries: whether texts begin with <s> and end with </s>. Returns
    # NGramCounts.
    order = max(map(len, ngrams))
    tables = [defaultdict(float) for _ in range(order + 1)]
    for words, count in ngrams.items():
        _check_symbols(words, has_boundaries)
        codes = (SYMBOLS.get(w, vocabulary.get(w, UNKNOWN_WORD)) for w in words)
        tables[len(words)][tuple(codes)] += count
    if has_boundaries and not any(
        ngram[-1] == END for ngram in chain.from_iterable(tables)
    ):
        raise ValueError(
            "No n-gram ends with '</s>', so no text ever ends: count '<s>' and '</s>' "
            "too, or set boundaries=None."
        )
    names = {code: word for word, code in {**SYMBOLS, **vocabulary}.items()}
    for length in range(order - 1, 0, -1):
        if not tables[length]:
            tables[length] = _counts_of_shorter(tables[length + 1])
        if length == 1 and has_boundaries:
            tables[1][(START,)] = 0.0  # it is never predicted
        _check_parts(tables[length + 1], tables[length], names)
    if has_boundaries:
        tables[1][(START,)] = 0.0
    return trie_of(tables[1:], len(vocabulary) + N_SYMBOLS)


def _check_symbols(words, has_boundaries):
    """Raise an error if <s> or </s> cannot stand where it does."""
    problem = None
    if "<s>" in words[1:] or "</s>" in words[:-1]:
        problem = "'<s>' can only be its first word, and '</s>' its last"
    elif not has_boundaries and {"<s>", "</s>"} & set(words):
        problem = "with boundaries=None there are no '<s>' and '</s>'"
    if problem:
        raise ValueError(f"The n-gram {words!r:.80} is impossible: {problem}.")


def _counts_of_shorter(longer):
    """Return the counts of the n-grams that are one word shorter."""
    before, after = defaultdict(float), defaultdict(float)
    for ngram, count in longer.items():
        before[ngram[1:]] += count
        after[ngram[:-1]] += count
    return {g: max(before[g], after[g]) for g in [*before, *after]}


def _check_parts(longer, shorter, names):
    """Raise an error if an n-gram has a count and its beginning or end has none."""
    for ngram in longer:
        for part in (ngram[:-1], ngram[1:]):
            if part not in shorter:
                whole, missing = (tuple(names[c] for c in g) for g in (ngram, part))
                raise ValueError(
                    f"The n-gram {whole!r:.80} has a count, and its part "
                    f"{missing!r:.80} has none: give the counts of all "
                    f"n-grams of {len(part)} words, or of none."
                )


def trie_of(tables, n_codes):
    """Return the trie of the n-grams of each length."""
    # tables: {codes of an n-gram: count} for each length.
    levels, position = [], {(): 0}
    for table in tables:
        ngrams = sorted(table)
        number = np.arange(len(ngrams))
        levels.append(
            Level(
                np.array([position[ngram[:-1]] for ngram in ngrams], np.int64),
                np.array([ngram[-1] for ngram in ngrams], np.int64),
                number,
                np.zeros(len(ngrams), np.int64),
                np.array([table[ngram] for ngram in ngrams]),
            )
        )
        position = dict(zip(ngrams, number.tolist()))
    return build_trie([levels], len(levels), n_codes, 1)


def vocabulary_of(ngrams, given, check):
    """Return the codes of the words: those given, by default those of the n-grams."""
    words = {word for ngram in ngrams for word in ngram} - SYMBOLS.keys()
    words = words if given is None else check(given)
    if not words:
        raise ValueError("ngrams holds no word besides <s>, </s> and <unk>.")
    return assign_codes(words)
