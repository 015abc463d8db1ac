"""One m-estimate, three event models: multinomial, complement and Poisson.

n_cw is the weight of word w in class c, n_c = Σ_w n_cw, and N_c the weight of the
documents of class c:

============  =========================================  ============================
model         estimate                                   score of a document
============  =========================================  ============================
multinomial   θ = (n_cw + m p_cw) / (n_c + m q_c)        log P(c) + Σ x log θ
complement    θ = (n_¬cw + m p_¬cw) / (n_¬c + m q_¬c)    -Σ x log θ
with norm     θ = (n_¬cw + m p_¬cw) / (n_¬c + m q_¬c)    Σ x log θ / Σ_w log θ_w
Poisson       λ = (n_cw + m λ0_cw) / (N_c + m)           log P(c) - Σ λ + Σ x log λ
============  =========================================  ============================

¬c is all classes but c. If the prior has a row for each class, p_¬c is the mean of the
other rows. Where there are neither documents nor virtual examples, n + m q = 0, the
estimate is its limit for m → 0, the prior. A word to which every class gives 0 is
ignored, as if it were not in the vocabulary.

Sources: Mitchell (1997), Machine Learning, section 6.10 (LEARN_NAIVE_BAYES_TEXT);
Rennie et al. (2003) for the complement.
"""

import math
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np

from ..._core._kernel import frozen, kernel
from ...tabular import without_each_row
from ._left_out_kernels import (
    add_left_out_word_scores,
    left_out_arrays,
    zero_if_rounding,
)
from ._scores import WordScores

# A difference below this share of its minuend has lost too many digits: the sum is
# computed again.
_MIN_SAFE_SHARE = 1e-3


@dataclass
class MultinomialModel:
    """Multinomial estimates from the counts of words; also complement and Poisson."""

    # At most one of `poisson` and `complement` is true. With `norm` the scores of the
    # complement are divided by their sums.

    class_count: np.ndarray  # (n_classes,), the weight of the documents
    word_count: np.ndarray  # (n_classes, V), the weight of each word
    prior: object  # TextPrior
    _: KW_ONLY
    poisson: bool = False
    complement: bool = False
    norm: bool = False

    def __post_init__(self):
        self.n_tokens = self.word_count.sum(axis=1)
        if not np.isfinite(self.n_tokens.sum()):
            raise ValueError(
                "The counts of words add up to more than float64 holds: rescale X or "
                "sample_weight."
            )
        self.table = self.prior.table
        if self.complement:
            self.table = sum_over_other_classes(self.table, mean=True)
        self.uses_class_prior = not self.complement or len(self.class_count) == 1

    def scores(self, m, log_prior):
        """Return the :class:`WordScores` of all words."""
        p = self.word_prior(m)
        prior_total, total, virtual = self.denominators(m, *self._class_sizes())
        shared = len(p) == 1 and bool(np.all(virtual == m))
        with np.errstate(divide="ignore"):
            log_virtual = np.log(m * p[0]) if shared else np.empty(0)
        n_classes, n_words = self.word_count.shape
        scores = np.empty((n_words, n_classes))
        ignored = np.zeros(n_words, dtype=bool)
        _word_log_estimates(
            frozen(self.counts, np.float64),
            frozen(total[0], np.float64),
            frozen(virtual[0], np.float64),
            frozen(p, np.float64),
            frozen(log_virtual, np.float64),
            scores,
            ignored,
        )
        ignored = np.flatnonzero(ignored)
        ignored_log_prob = np.full(len(ignored), -np.inf)
        if self.complement:
            for values in (scores, ignored_log_prob):
                np.negative(values, out=values)
        if self.norm:
            scores /= divisors(scores.sum(axis=0))
        bias = np.zeros(n_classes)
        if self.uses_class_prior:
            bias = bias + log_prior
        if self.poisson:
            bias = bias - ((self.n_tokens + virtual * prior_total) / total)[0]
        return WordScores(scores, bias, None, ignored, ignored_log_prob)

    def leave_one_out(self, ms, true_class, removed):
        """Return the scorer of documents that are left out one by one."""
        # ms: the candidates of m; true_class, removed: (n,), the class of each document
        # and the weight that is removed with it.
        return _LeftOutScorer(self, ms, true_class, removed)

    def rows_held_to_leave_out(self, n_documents):
        """Return how many numbers of each class are held for each candidate of m."""
        return n_documents + (self.word_count.shape[1] if self.norm else 0)

    @cached_property
    def counts(self):
        """The weight of each word in the estimates of each class, (n_classes, V)."""
        if self.complement:
            return sum_over_other_classes(self.word_count)
        return self.word_count

    @cached_property
    def overall(self):
        """The weight of each word in the whole collection."""
        return self.word_count.sum(axis=0)

    def word_prior(self, m):
        """Return the prior of each word (1 or n_classes, V); m times it is finite."""
        sizes = self._class_sizes()
        collection, factor = (each[0] for each in self.collection_prior(*sizes))
        p = factor * self.table
        if np.isfinite(collection):
            p = p + self.overall / collection
        with np.errstate(over="ignore"):
            if not np.isfinite(m * p.sum(axis=1)).all():
                raise ValueError(
                    f"m={m:g} times the prior overflows: make one of them smaller."
                )
        return p

    def class_sizes_without(self, cells, true_class, removed):
        """Return tokens and documents by (left-out document, class)."""
        indptr, column, data = cells
        n, each = len(true_class), np.arange(len(true_class))
        row = np.repeat(each, np.diff(indptr))
        taken = removed * np.bincount(row, data, n)
        tokens = np.repeat(self.n_tokens[None], n, axis=0)
        tokens[each, true_class] -= taken
        unsafe = (taken > 0) & (
            tokens[each, true_class] < _MIN_SAFE_SHARE * self.n_tokens[true_class]
        )
        for i in np.flatnonzero(unsafe):
            stored = slice(indptr[i], indptr[i + 1])
            before = self.word_count[true_class[i]]
            left = before.copy()
            left[column[stored]] -= removed[i] * data[stored]
            tokens[i, true_class[i]] = zero_if_rounding(left, before).sum()
        return tokens, without_each_row(self.class_count, true_class, removed)

    def denominators(self, m, tokens, documents):
        """Return Σ prior, n + m q, and how many virtual examples, by (row, class)."""
        # tokens, documents: (n_rows, n_classes). Where nothing was observed and m = 0,
        # one virtual example gives the limit.
        prior_total = 1.0
        if self.prior.kind == "array":
            prior_total = self.table.sum(axis=1)[None]
        if self.poisson:
            n, q = documents, 1.0
            if self.prior.kind != "array":
                collection = documents.sum(axis=1, keepdims=True)
                collection = np.where(collection > 0, collection, 1.0)
                prior_total = tokens.sum(axis=1, keepdims=True) / collection
        else:
            n = sum_over_other_classes(tokens.T).T if self.complement else tokens
            q = prior_total
        total = n + m * q
        nothing = total == 0
        virtual = np.where(nothing, 1.0, m)
        return prior_total, np.where(nothing, q, total), virtual

    def collection_prior(self, tokens, documents):
        """Return (n,) collections and factors: p = t / collection + factor · table."""
        n = len(tokens)
        infinite, ones = np.full(n, np.inf), np.ones(n)
        if self.prior.kind == "array":
            return infinite, ones
        tokens, documents = tokens.sum(axis=1), documents.sum(axis=1)
        collection = documents if self.poisson else tokens
        known = collection > 0
        if self.prior.kind == "background":
            return np.where(known, collection, np.inf), np.where(known, 0.0, 1.0)
        if self.poisson:
            mean_length = np.where(known, tokens, 0.0) / np.where(
                known, collection, 1.0
            )
            return infinite, mean_length
        return infinite, ones

    def _class_sizes(self):
        """Return tokens and documents of each class, of shape (1, n_classes)."""
        return self.n_tokens[None], self.class_count[None]


@kernel
def _word_log_estimates(counts, total, n_virtual, prior, log_virtual, out, ignored):
    """Set `out` (V, C) to log((n + m p) / total), and flag the ignored words."""
    # For TextNB's fit and predict on 20 newsgroups, 1.5 times as fast as MultinomialNB
    # (DESIGN.md, section 5). `log_m_estimate` takes several times as long on a large
    # vocabulary, of which each class holds a few words: most counts are 0, and need no
    # logarithm here.
    # A word is ignored, and 0 here, if its estimate is 0 in every class. m is
    # `n_virtual`, p the prior. counts: (C, V); total, n_virtual: (C,); prior:
    # (1 or C, V); ignored: (V,) bool. log_virtual: (V,), log(m p) if that is the same
    # for all classes, else empty.
    n_classes, n_words = counts.shape
    log_total = np.log(total)
    prior_by_class = prior.shape[0] > 1
    shared = log_virtual.shape[0] > 0
    for w in range(n_words):
        possible = shared and log_virtual[w] > -np.inf
        for c in range(n_classes):
            n = counts[c, w]
            if n == 0 and shared:
                out[w, c] = log_virtual[w] - log_total[c]
            else:
                p = prior[c if prior_by_class else 0, w]
                estimate = (n + n_virtual[c] * p) / total[c]
                out[w, c] = math.log(estimate)
                possible |= estimate > 0
        if not possible:
            ignored[w] = True
            for c in range(n_classes):
                out[w, c] = 0.0


class _LeftOutScorer:
    """Scores of documents, each under the models without it, one for each m."""

    def __init__(self, model, ms, true_class, removed):
        for m in ms:
            model.word_prior(m)  # raises where m is too large for it
        self.model, self.ms = model, ms
        self.true_class, self.removed = true_class, removed
        # With the classes of a word adjacent. Computed before threads share it.
        self.counts = frozen(np.ascontiguousarray(model.counts.T), np.float64)
        self.norms = [
            LeftOutNorms(self.counts, m * model.table, model.prior.kind)
            for m in (ms if model.norm else [])
        ]

    def add_to(self, part, cells, joint):
        """Add the scores of a slice of the documents to their class priors."""
        # joint: (n_candidates, n_documents, n_classes).
        model = self.model
        true_class, removed = self.true_class[part], self.removed[part]
        sizes = model.class_sizes_without(cells, true_class, removed)
        total, virtual = np.empty((2, *joint.shape))
        if not model.uses_class_prior:
            joint[:] = 0.0
        for i, m in enumerate(self.ms):
            prior_total, total[i], virtual[i] = model.denominators(m, *sizes)
            if model.poisson:
                joint[i] -= (sizes[0] + virtual[i] * prior_total) / total[i]
        left_out, prior = left_out_arrays(
            model, true_class, removed, *model.collection_prior(*sizes)
        )
        with np.errstate(divide="ignore"):
            log_total = np.log(total)
        add_left_out_word_scores(
            cells,
            left_out,
            self.counts,
            prior,
            frozen(log_total, np.float64),
            frozen(virtual, np.float64),
            -1.0 if model.complement else 1.0,
            joint,
        )
        for norm, scores, of_candidate in zip(self.norms, joint, total):
            scores /= norm.of_documents(cells, true_class, removed, of_candidate)


def sum_over_other_classes(values, mean=False):
    """Return, for each row, the sum (or mean) of the other rows.

    >>> sum_over_other_classes(np.array([[1.0, 2.0], [3.0, 0.0], [5.0, 0.0]]))
    array([[8., 0.],
           [6., 2.],
           [4., 2.]])
    """
    # Nothing is subtracted: a word that one class alone holds leaves exactly 0. If
    # there is no other row, the mean is the row itself.
    if mean and len(values) == 1:
        return values
    others = np.zeros_like(values)
    for order in (range(len(values)), range(len(values) - 1, -1, -1)):
        running = np.zeros(values.shape[1:])
        for c in order:
            others[c] += running
            running = running + values[c]
    return others / (len(values) - 1) if mean else others


# The sums of the complement's scores, by which ComplementNB's `norm` divides them.
#
# The score of class c is Σ x log θ_w / Σ_w log θ_w, where the second sum is over the
# vocabulary: so the classes' weights have the same sum. Without a document, only the
# numerators of its words and the denominator of θ change.
#
# Source: Rennie et al. (2003), Tackling the poor assumptions of naive Bayes text
# classifiers, table 4, step 7, without the absolute value: no log θ is positive.


def divisors(sums):
    """Return sums of scores -log θ, 1 where there is only one word.

    >>> divisors(np.array([2.0, 0.0]))
    array([2., 1.])
    """
    if not np.isfinite(sums).all():
        raise ValueError(
            "norm=True divides by the sum of all words' scores, which is infinite: a "
            "word has probability 0 in all other classes. Choose m > 0 and a prior "
            "above 0."
        )
    return np.where(sums > 0, sums, 1.0)


class LeftOutNorms:
    """The divisors of documents that are left out one by one."""

    # counts: (V, n_classes), the weight of each word outside of each class; virtual:
    # (1 or n_classes, V), the virtual words, m p.

    def __init__(self, counts, virtual, prior_kind):
        if prior_kind == "background":
            raise ValueError(
                "norm=True has no leave-one-out with prior='background', which changes "
                "for every word: give m and temperature as numbers, or another prior."
            )
        self.counts, self.virtual = counts, virtual.T
        with np.errstate(divide="ignore"):
            self.log_numerators = np.log(counts + self.virtual).sum(axis=0)

    def of_documents(self, cells, true_class, removed, total):
        """Return the divisors (n, n_classes)."""
        # `cells` are indptr, words and counts of the documents, without duplicates.
        # true_class, removed: (n,); total: (n, n_classes), the denominators of θ.
        indptr, word, count = cells
        row = np.repeat(np.arange(len(true_class)), np.diff(indptr))
        virtual = self.virtual[word]
        before = self.counts[word]
        taken = (removed[row] * count)[:, None]
        is_other = np.arange(before.shape[1]) != true_class[row, None]
        after = zero_if_rounding(before - taken * is_other, before)
        with np.errstate(divide="ignore", invalid="ignore"):
            change = np.log(after + virtual) - np.log(before + virtual)
            sums = np.stack(
                [np.bincount(row, each, len(true_class)) for each in change.T], axis=1
            )
            log_total = np.log(total)
        scores = len(self.counts) * log_total - self.log_numerators - sums
        return divisors(scores)
