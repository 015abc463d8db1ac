"""Bernoulli model of text: the words that a document holds, and those that it lacks.

P_cw = (n_cw + m p_cw) / (N_c + m) is the share of the documents of class c that hold
word w. n_cw is the weight of the documents that hold it, N_c that of all documents, and
m virtual documents hold it with probability p_cw. A document scores
log P(c) + Σ_held log P + Σ_lacking log (1 - P). This is computed as the score of an
empty document plus the log odds of each word that the document holds.

With m = 0, P may be 0 or 1, so that a class can be impossible. Only a word that every
class gives P = 0 is ignored where a document holds it, and one that every class gives
P = 1 where a document lacks it.
"""

from functools import cached_property

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import slices_of
from ._left_out_kernels import (
    correct_left_out_documents,
    left_out_arrays,
    zero_if_rounding,
)
from ._scores import WordScores

# Words whose terms are summed together. Another size would change the last bits.
_WORDS_PER_BLOCK = 2**12


class BernoulliModel:
    """Bernoulli estimates from the weights of the documents that hold a word."""

    def __init__(self, class_count, document_count, prior):
        # (n_classes,), the weight of the documents of each class; (n_classes, V), that
        # of those that hold a word.
        self.class_count = class_count
        self.document_count = document_count
        self.prior = prior
        self.table = prior.table
        # Added in the order of `overall`, so that a word of all documents leaves 0.
        self.n_documents = _sum_in_order(class_count)

    def scores(self, m, log_prior):
        """Return the :class:`WordScores` of all words."""
        n_classes, n_words = self.document_count.shape
        p = self.table
        if self.prior.kind == "background" and self.n_documents > 0:
            p = self.overall[None] / self.n_documents
        total, virtual = (each[:, None] for each in _denominators(m, self.class_count))
        scores = np.empty((n_words, n_classes))
        log_absent, n_required = np.zeros(n_classes), np.zeros(n_classes)
        # 1 for words that every document holds in every class, -1 for those that none
        # holds in any.
        ignored = np.zeros(n_words, dtype=np.int8)
        for words in slices_of(range(n_words), _WORDS_PER_BLOCK):
            count, q = self.document_count[:, words], p[:, words]
            present = count + virtual * q
            absent = np.maximum(self.class_count[:, None] - count, 0.0)
            absent += virtual * (1 - q)
            ignored[words] -= ~(present > 0).any(axis=0)
            ignored[words] += ~(absent > 0).any(axis=0)
            is_used = ignored[words] == 0
            n_required += (is_used & (absent == 0)).sum(axis=1)
            log_absent += _sum_finite_logs(np.where(is_used, absent, 0.0), total)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores[words] = np.where(is_used, np.log(present / absent), 0.0).T
        words = np.flatnonzero(ignored)
        log_prob = np.where(ignored[words] > 0, 0.0, -np.inf)
        return WordScores(scores, log_prior + log_absent, n_required, words, log_prob)

    def leave_one_out(self, ms, true_class, removed):
        """Return the scorer of documents that are left out one by one."""
        # ms: the candidates of m; true_class, removed: (n,), the class of each document
        # and the weight that is removed with it.
        return _LeftOutScorer(self, ms, true_class, removed)

    def rows_held_to_leave_out(self, n_documents):
        """Return how many numbers of each class are held for each candidate of m."""
        return n_documents + self.document_count.shape[1]

    @cached_property
    def overall(self):
        """The weight of the documents that hold each word."""
        return _sum_in_order(self.document_count)

    def class_count_without(self, true_class, removed):
        """Return the weight of each document's class without the document."""
        weight = self.class_count[true_class]
        return zero_if_rounding(weight - removed, weight)

    def collection_prior(self, removed):
        """Return (n,) collections and factors: p = t / collection + factor · table."""
        infinite = np.full(np.shape(removed), np.inf)
        if self.prior.kind != "background":
            return infinite, np.ones(np.shape(removed))
        collection = zero_if_rounding(self.n_documents - removed, self.n_documents)
        known = collection > 0
        return np.where(known, collection, infinite), np.where(known, 0.0, 1.0)

    def other_classes_unchanged(self, m):
        """Return whether a document changes the estimates of its true class only."""
        fixed = self.prior.kind != "background"
        return fixed and m * self.table.min() > 0 and m * (1 - self.table.max()) > 0


class _LeftOutScorer:
    """Scores of documents, each under the models without it, one for each m."""

    def __init__(self, model, ms, true_class, removed):
        self.model = model
        self.true_class, self.removed = true_class, removed
        # With the classes of a word adjacent.
        counts = np.ascontiguousarray(model.document_count.T)
        self.counts = frozen(counts, np.float64)
        self.empty = [_EmptyDocuments(model, m, true_class, removed) for m in ms]
        # Of all documents, where that of one changes its true class only.
        no_prior = np.zeros(len(model.class_count))
        self.all_scores = [
            model.scores(m, no_prior) if model.other_classes_unchanged(m) else None
            for m in ms
        ]

    def add_to(self, part, cells, joint):
        """Add the scores of a slice of the documents to their class priors."""
        # joint: (n_candidates, n_documents, n_classes).
        model = self.model
        true_class, removed = self.true_class[part], self.removed[part]
        truth = np.arange(len(true_class)), true_class
        class_count = np.repeat(model.class_count[None], len(true_class), axis=0)
        class_count[truth] = model.class_count_without(true_class, removed)
        left_out, prior = left_out_arrays(
            model, true_class, removed, *model.collection_prior(removed)
        )
        for empty, all_scores, out in zip(self.empty, self.all_scores, joint):
            total, virtual = _denominators(empty.m, class_count)
            finite, n_infinite = empty.scores(part)
            correct_left_out_documents(
                cells,
                left_out,
                self.counts,
                frozen(model.class_count, np.float64),
                model.n_documents,
                prior,
                frozen(total, np.float64),
                frozen(virtual, np.float64),
                all_scores is not None,
                finite,
                n_infinite,
            )
            if all_scores is None:
                out += np.where(n_infinite > 0, -np.inf, finite)
            else:
                score = out[truth] + finite[truth]
                all_scores.add_to(cells, out)
                out[truth] = score


class _EmptyDocuments:
    """Scores of left-out documents, as if they held no word: Σ log (1 - P)."""

    # They depend only on the true class and on the weight that is removed, so each
    # distinct weight is computed once. Infinite terms are counted, not added.

    def __init__(self, model, m, true_class, removed):
        self.model, self.m = model, m
        self.true_class = true_class
        weights, self.group = np.unique(removed, return_inverse=True)
        shape = len(weights), len(model.class_count)
        self.finite, self.n_infinite = np.zeros(shape), np.zeros(shape)
        self.true_finite, self.true_n_infinite = np.zeros(shape), np.zeros(shape)
        self.n_ignored = np.zeros(shape)
        order = np.argsort(self.group, kind="stable")
        starts = np.searchsorted(self.group[order], np.arange(1, len(weights)))
        for g, rows in enumerate(np.split(order, starts)):
            self._add_up(g, weights[g], np.unique(true_class[rows]))

    def scores(self, part):
        """Return the sums of the finite terms of some rows, and the numbers of -inf."""
        group, true_class = self.group[part], self.true_class[part]
        truth = np.arange(len(true_class)), true_class
        finite, n_infinite = self.finite[group], self.n_infinite[group]
        finite[truth] = self.true_finite[group, true_class]
        n_infinite[truth] = self.true_n_infinite[group, true_class]
        return finite, n_infinite - self.n_ignored[group, true_class][:, None]

    def _add_up(self, g, removed, truth):
        """Sum over all words, for one removed weight and the classes that lose it."""
        model, m = self.model, self.m
        true_class_only = model.other_classes_unchanged(m)
        total, virtual = _denominators(m, model.class_count)
        true_total, true_virtual = _denominators(
            m, model.class_count_without(truth, removed)
        )
        collection, factor = model.collection_prior(removed)
        n_classes, n_words = model.document_count.shape
        for words in slices_of(range(n_words), _WORDS_PER_BLOCK):
            overall, counts = model.overall[words], model.document_count[:, words]
            lacking = model.n_documents - removed - overall
            lacking = zero_if_rounding(lacking, model.n_documents) / collection
            q = lacking + factor * (1 - model.table[:, words])
            true_q = q if len(q) == 1 else q[truth]
            weight = model.class_count[truth, None]
            rest = zero_if_rounding(weight - counts[truth] - removed, weight)
            true_absent = rest + true_virtual[:, None] * true_q
            true_finite = _sum_finite_logs(true_absent, true_total[:, None])
            self.true_finite[g, truth] += true_finite
            self.true_n_infinite[g, truth] += (true_absent == 0).sum(axis=1)
            if true_class_only:
                continue
            rest = np.maximum(model.class_count[:, None] - counts, 0.0)
            absent = rest + virtual[:, None] * q
            self.finite[g] += _sum_finite_logs(absent, total[:, None])
            zero = absent == 0
            self.n_infinite[g] += zero.sum(axis=1)
            in_all_others = zero.sum(axis=0) - zero[truth] == n_classes - 1
            ignored = in_all_others & (true_absent == 0)
            self.n_ignored[g, truth] += ignored.sum(axis=1)


def _denominators(m, class_count):
    """Return N + m and the number of virtual documents."""
    # Where both are 0, one virtual document gives the limit.
    nothing = class_count + m == 0
    return np.where(nothing, 1.0, class_count + m), np.where(nothing, 1.0, m)


def _sum_finite_logs(values, total):
    logs = np.log(np.where(values > 0, values / total, 1.0))
    return logs.sum(axis=1)


def _sum_in_order(rows):
    total = np.zeros_like(rows[0])
    for row in rows:
        total = total + row
    return total
