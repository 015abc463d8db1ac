"""Bernoulli model of text: which words a document holds, and which it lacks.

P_cw = (n_cw + m p_cw) / (N_c + m) is the share of the documents of class c that hold
word w, of N_c in all, with m virtual documents that hold it with probability p_cw. A
document scores log P(c) + Σ_held log P + Σ_lacking log (1 - P), which is worked as the
score of an empty document and the log odds of each word that is there.

With m = 0, P = 0 and P = 1 are kept: a class may be impossible. Only where all classes
agree that a word cannot be there, or cannot be missing, is the word passed over.
"""

from functools import cached_property

import numpy as np

from ..._kernel import frozen
from ._leave_one_out_kernels import add_left_out_presence
from ._scores import WordScores
from ._word_kernels import presence_log_odds

# What a subtraction leaves of a mass below this share of it is rounding.
_LEAST_SHARE = 1e-12
# Words that are summed side by side; a part of the answer's last bits.
_BLOCK_WORDS = 2**12


class PresenceModel:
    """Bernoulli estimates from the mass of the documents that hold a word.

    Parameters
    ----------
    class_count : ndarray of shape (n_classes,)
        Mass of the documents of each class.
    words : ndarray of shape (n_classes, V)
        Mass of those that hold a word.
    prior : TextPrior
    """

    presence = True
    uses_class_prior = True

    def __init__(self, class_count, words, prior):
        self.class_count = class_count
        self.words = words
        self.prior = prior
        self.table = prior.table
        # In the order of `overall`, so that a word of all documents leaves exactly 0.
        self.everything = _sum_in_order(class_count)

    def scores(self, m, log_prior):
        """Return the :class:`WordScores` of all words."""
        n_classes, n_words = self.words.shape
        p = self.table
        if self.prior.kind == "background" and self.everything > 0:
            p = self.overall[None] / self.everything
        total, virtual = _denominators(m, self.class_count)
        scores = np.empty((n_words, n_classes))
        absent, sure = np.zeros(n_classes), np.zeros(n_classes)
        silent = np.zeros(n_words, dtype=np.int8)
        presence_log_odds(
            frozen(self.words, np.float64),
            frozen(self.class_count, np.float64),
            frozen(total, np.float64),
            frozen(virtual, np.float64),
            frozen(p, np.float64),
            scores,
            absent,
            sure,
            silent,
        )
        quiet = np.flatnonzero(silent)
        quiet_log_prob = np.where(silent[quiet] > 0, 0.0, -np.inf)
        return WordScores(scores, log_prior + absent, sure, quiet, quiet_log_prob)

    def left_out(self, m, classes, removed):
        """Return ``add(part, cells, out)`` for documents left out one by one.

        It adds to `out`, which holds the class priors of a part (a slice) of them.
        """
        own_only = self._others_keep_theirs(m)
        if own_only:
            table = self.scores(m, np.zeros(len(self.class_count)))
        empty = _EmptyDocuments(self, m, classes, removed, own_only)

        def add(part, cells, out):
            own, gone = classes[part], removed[part]
            each = np.arange(len(own)), own
            mass = np.repeat(self.class_count[None], len(own), axis=0)
            mass[each] = self.mass_left(own, gone)
            total, virtual = _denominators(m, mass)
            whole, even = self.collection_without(gone)
            finite, infinite = empty.of(part)
            add_left_out_presence(
                *cells,
                frozen(own, np.int32),
                frozen(gone, np.float64),
                frozen(self.by_word, np.float64),
                frozen(self.overall, np.float64),
                self.everything,
                frozen(self.class_count, np.float64),
                frozen(self.table, np.float64),
                frozen(total, np.float64),
                frozen(virtual, np.float64),
                frozen(whole, np.float64),
                frozen(even, np.float64),
                _LEAST_SHARE,
                own_only,
                finite,
                infinite,
            )
            if own_only:
                score = out[each] + finite[each]
                table.add_to(cells, out)
                out[each] = score
            else:
                out += np.where(infinite > 0, -np.inf, finite)

        return add

    @cached_property
    def by_word(self):
        """Return the counts with the classes of a word side by side."""
        return np.ascontiguousarray(self.words.T)

    @cached_property
    def overall(self):
        """Return the mass of the documents that hold each word."""
        return _sum_in_order(self.words)

    def mass_left(self, classes, removed):
        """Return the mass of classes without so much of a document."""
        mass = self.class_count[classes]
        return left_over(mass - removed, mass)

    def collection_without(self, removed):
        """Return what makes priors: p = t / whole + even · table."""
        nothing = np.full(np.shape(removed), np.inf)
        if self.prior.kind != "background":
            return nothing, np.ones(np.shape(removed))
        whole = left_over(self.everything - removed, self.everything)
        known = whole > 0
        return np.where(known, whole, nothing), np.where(known, 0.0, 1.0)

    def _others_keep_theirs(self, m):
        """Return whether a document changes the estimates of its own class only."""
        fixed = self.prior.kind != "background"
        return fixed and m * self.table.min() > 0 and m * (1 - self.table.max()) > 0


class _EmptyDocuments:
    """Scores of documents left out, as if they held no word: Σ log (1 - P).

    They depend on the class and on the mass that is left out alone. Terms that are
    -inf are counted apart.
    """

    def __init__(self, model, m, classes, removed, own_only):
        self.model, self.m, self.own_only = model, m, own_only
        self.classes = classes
        masses, self.group = np.unique(removed, return_inverse=True)
        n_classes = len(model.class_count)
        shape = len(masses), n_classes
        self.finite, self.infinite = np.zeros(shape), np.zeros(shape)
        self.own_finite, self.own_infinite = np.zeros(shape), np.zeros(shape)
        self.silent = np.zeros(shape)
        order = np.argsort(self.group, kind="stable")
        starts = np.searchsorted(self.group[order], np.arange(1, len(masses)))
        for g, rows in enumerate(np.split(order, starts)):
            self._add_up(g, masses[g], np.unique(classes[rows]))

    def of(self, part):
        """Return the sums of the finite terms, and how many are not, of some rows."""
        group, own = self.group[part], self.classes[part]
        each = np.arange(len(own)), own
        finite, infinite = self.finite[group], self.infinite[group]
        finite[each] = self.own_finite[group, own]
        infinite[each] = self.own_infinite[group, own]
        return finite, infinite - self.silent[group, own][:, None]

    def _add_up(self, g, removed, own):
        """Sum over all words for one mass and the classes that lose it."""
        model, m = self.model, self.m
        total, virtual = _denominators(m, model.class_count)
        own_total, own_virtual = _denominators(m, model.mass_left(own, removed))
        whole, even = model.collection_without(removed)
        n_classes, n_words = model.words.shape
        for first in range(0, n_words, _BLOCK_WORDS):
            words = slice(first, first + _BLOCK_WORDS)
            overall, counts = model.overall[words], model.words[:, words]
            others = model.everything - removed - overall
            others = left_over(others, model.everything) / whole
            q = others + even * (1 - model.table[:, words])
            own_q = q if len(q) == 1 else q[own]
            mass = model.class_count[own, None]
            rest = left_over(mass - counts[own] - removed, mass)
            lacking = rest + own_virtual[:, None] * own_q
            self.own_finite[g, own] += _finite_logs(lacking, own_total)
            self.own_infinite[g, own] += (lacking == 0).sum(axis=1)
            if self.own_only:
                continue
            rest = np.maximum(model.class_count[:, None] - counts, 0.0)
            of_others = rest + virtual[:, None] * q
            self.finite[g] += _finite_logs(of_others, total)
            zero = of_others == 0
            self.infinite[g] += zero.sum(axis=1)
            in_all_others = zero.sum(axis=0) - zero[own] == n_classes - 1
            self.silent[g, own] += (in_all_others & (lacking == 0)).sum(axis=1)


def left_over(left, before):
    """Return what a subtraction has left of a mass; what is rounding is 0."""
    return np.where(left < _LEAST_SHARE * before, 0.0, left)


def _denominators(m, mass):
    """Return N + m and the virtual mass; one virtual document stands for the limit."""
    nothing = mass + m == 0
    return np.where(nothing, 1.0, mass + m), np.where(nothing, 1.0, m)


def _finite_logs(values, total):
    logs = np.log(np.where(values > 0, values / total[:, None], 1.0))
    return logs.sum(axis=1)


def _sum_in_order(rows):
    total = np.zeros_like(rows[0])
    for row in rows:
        total = total + row
    return total
