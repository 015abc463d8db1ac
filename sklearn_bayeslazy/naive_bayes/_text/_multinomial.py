"""One m-estimate, three models of text: multinomial words, complement, Poisson counts.

With n_cw the mass of word w in class c, n_c = Σ_w n_cw and N_c the mass of documents:

============  =========================================  ============================
model         estimate                                   score of a document
============  =========================================  ============================
multinomial   θ = (n_cw + m p_cw) / (n_c + m q_c)        log P(c) + Σ x log θ
complement    θ = (n_¬cw + m p_¬cw) / (n_¬c + m q_¬c)    -Σ x log θ
Poisson       λ = (n_cw + m λ0_cw) / (N_c + m)           log P(c) - Σ λ + Σ x log λ
============  =========================================  ============================

¬c is all classes but c; a prior with a row a class gives p_¬c as the mean of the other
rows. Without documents and virtual ones, n + m q = 0, the estimate is its limit for
m → 0, the prior. A word to which every class gives 0 is as good as none of the
vocabulary: it is passed over.

Sources: seed 000 (LEARN_NAIVE_BAYES_TEXT), seed 002 (class masses), Rennie et al.
(2003) for the complement.
"""

from functools import cached_property

import numpy as np

from ..._kernel import frozen
from ._leave_one_out_kernels import add_left_out_words
from ._scores import WordScores
from ._word_kernels import word_log_estimates

# A sum of which less than this share is left lost its digits: it is taken anew.
_SAFE_SHARE = 1e-3


class WordModel:
    """Multinomial, complement or Poisson estimates from the counts of words.

    Parameters
    ----------
    class_count : ndarray of shape (n_classes,)
        Mass of the documents of each class.
    words : ndarray of shape (n_classes, V)
        Mass of each word in each class.
    prior : TextPrior
    poisson, complement : bool
        At most one of them.
    """

    presence = False

    def __init__(self, class_count, words, prior, *, poisson=False, complement=False):
        self.class_count = class_count
        self.words = words
        self.prior = prior
        self.poisson = poisson
        self.complement = complement
        self.tokens = words.sum(axis=1)
        if not np.isfinite(self.tokens.sum()):
            raise ValueError(
                "The counts of words add up to more than float64 holds: rescale X or "
                "sample_weight."
            )
        self.table = all_but_own(prior.table, mean=True) if complement else prior.table
        self.uses_class_prior = not complement or len(class_count) == 1

    def scores(self, m, log_prior):
        """Return the :class:`WordScores` of all words."""
        p = self._word_prior(m)
        mass, total, virtual = self._denominators(m, *self._masses())
        shared = len(p) == 1 and bool(np.all(virtual == m))
        with np.errstate(divide="ignore"):
            log_virtual = np.log(m * p[0]) if shared else np.empty(0)
        n_classes, n_words = self.words.shape
        scores = np.empty((n_words, n_classes))
        silent = np.zeros(n_words, dtype=bool)
        word_log_estimates(
            frozen(self.counts, np.float64),
            frozen(total[0], np.float64),
            frozen(virtual[0], np.float64),
            frozen(p, np.float64),
            frozen(log_virtual, np.float64),
            scores,
            silent,
        )
        silent = np.flatnonzero(silent)
        silent_log_prob = np.full(len(silent), -np.inf)
        if self.complement:
            for values in (scores, silent_log_prob):
                np.negative(values, out=values)
        bias = np.zeros(n_classes)
        if self.uses_class_prior:
            bias = bias + log_prior
        if self.poisson:
            bias = bias - ((self.tokens + virtual * mass) / total)[0]
        return WordScores(scores, bias, None, silent, silent_log_prob)

    def left_out(self, m, classes, removed):
        """Return ``add(part, cells, out)`` for documents left out one by one.

        It adds to `out`, which holds the class priors of a part (a slice) of them.
        """
        self._word_prior(m)  # raises where m is too large for it
        own_only = self._others_keep_theirs(m)
        if own_only:
            table = self.scores(m, np.zeros(len(self.class_count)))
        sign = -1.0 if self.complement else 1.0

        def add(part, cells, out):
            own, gone = classes[part], removed[part]
            each = np.arange(len(own)), own
            if own_only:
                start = out[each]
                table.add_to(cells, out)
                out[each] = start
            tokens, documents = self._masses_without(cells, own, gone)
            mass, total, virtual = self._denominators(m, tokens, documents)
            whole, even = self._collection(tokens, documents)
            if not self.uses_class_prior:
                out[:] = 0.0
            if self.poisson:
                rates = (tokens + virtual * mass) / total
                where = each if own_only else ...
                out[where] -= rates[where]
            add_left_out_words(
                *cells,
                frozen(own, np.int32),
                frozen(gone, np.float64),
                frozen(self.by_word, np.float64),
                frozen(self.overall, np.float64),
                frozen(self.table, np.float64),
                frozen(total, np.float64),
                frozen(virtual, np.float64),
                frozen(whole, np.float64),
                frozen(even, np.float64),
                sign,
                own_only,
                out,
            )

        return add

    @cached_property
    def counts(self):
        """Return what is counted for each class, of shape (n_classes, V)."""
        return all_but_own(self.words) if self.complement else self.words

    @cached_property
    def by_word(self):
        """Return `counts` with the classes of a word side by side."""
        return np.ascontiguousarray(self.counts.T)

    @cached_property
    def overall(self):
        """Return the mass of each word in the whole collection."""
        return self.words.sum(axis=0)

    def _word_prior(self, m):
        """Return the prior of each word (1 or n_classes, V); m times it is finite."""
        whole, even = (each[0] for each in self._collection(*self._masses()))
        p = even * self.table
        if np.isfinite(whole):
            p = p + self.overall / whole
        with np.errstate(over="ignore"):
            if not np.isfinite(m * p.sum(axis=1)).all():
                raise ValueError(
                    f"m={m:g} times the prior overflows: make one smaller."
                )
        return p

    def _others_keep_theirs(self, m):
        """Return whether a document changes the estimates of its own class only.

        And no estimate is 0, so that it changes no other word's being passed over.
        """
        fixed = self.prior.kind == "array" or (
            self.prior.kind == "uniform" and not self.poisson
        )
        return fixed and not self.complement and m * self.table.min() > 0

    def _masses(self):
        """Return tokens and documents of each class, of shape (1, n_classes)."""
        return self.tokens[None], self.class_count[None]

    def _masses_without(self, cells, classes, removed):
        """Return tokens and documents by (document left out, class)."""
        indptr, column, data = cells
        n, each = len(classes), np.arange(len(classes))
        row = np.repeat(each, np.diff(indptr))
        gone = removed * np.bincount(row, data, n)
        tokens = np.repeat(self.tokens[None], n, axis=0)
        tokens[each, classes] -= gone
        unsafe = (gone > 0) & (
            tokens[each, classes] < _SAFE_SHARE * self.tokens[classes]
        )
        for i in np.flatnonzero(unsafe):
            stored = slice(indptr[i], indptr[i + 1])
            left = self.words[classes[i]].copy()
            left[column[stored]] -= removed[i] * data[stored]
            tokens[i, classes[i]] = np.maximum(left, 0.0).sum()
        documents = np.repeat(self.class_count[None], n, axis=0)
        documents[each, classes] = np.maximum(documents[each, classes] - removed, 0.0)
        return tokens, documents

    def _denominators(self, m, tokens, documents):
        """Return Σ prior, n + m q and the virtual mass, by (row, class).

        Where nothing is known and m = 0, one virtual example stands for the limit.
        """
        mass = self.table.sum(axis=1)[None] if self.prior.kind == "array" else 1.0
        if self.poisson:
            base, unit = documents, 1.0
            if self.prior.kind != "array":
                whole = documents.sum(axis=1, keepdims=True)
                known = whole > 0
                mass = tokens.sum(axis=1, keepdims=True) / np.where(known, whole, 1.0)
        else:
            base = all_but_own(tokens.T).T if self.complement else tokens
            unit = mass
        total = base + m * unit
        nothing = total == 0
        virtual = np.where(nothing, 1.0, m)
        return mass, np.where(nothing, unit, total), virtual

    def _collection(self, tokens, documents):
        """Return what makes priors: p = t / whole + even · table; each (n,)."""
        n = len(tokens)
        nothing, all_ = np.full(n, np.inf), np.ones(n)
        if self.prior.kind == "array":
            return nothing, all_
        tokens, documents = tokens.sum(axis=1), documents.sum(axis=1)
        whole = documents if self.poisson else tokens
        known = whole > 0
        if self.prior.kind == "background":
            return np.where(known, whole, np.inf), np.where(known, 0.0, 1.0)
        if self.poisson:
            return nothing, np.where(known, tokens, 0.0) / np.where(known, whole, 1.0)
        return nothing, all_


def all_but_own(values, mean=False):
    """Return, for each row, the sum (or mean) of the other rows.

    Nothing is subtracted: a word that one class alone holds leaves exactly 0. The mean
    over no other row is the row itself.

    >>> all_but_own(np.array([[1.0, 2.0], [3.0, 0.0], [5.0, 0.0]]))
    array([[8., 0.],
           [6., 2.],
           [4., 2.]])
    """
    if mean and len(values) == 1:
        return values
    others = np.zeros_like(values)
    for order in (range(len(values)), range(len(values) - 1, -1, -1)):
        running = np.zeros(values.shape[1:])
        for c in order:
            others[c] += running
            running = running + values[c]
    return others / (len(values) - 1) if mean else others
