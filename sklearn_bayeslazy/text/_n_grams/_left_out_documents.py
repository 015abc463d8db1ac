"""Leave-one-out of n-gram models: candidates, scores, and the choice of a parameter.

A document is left out by subtracting it from the sums behind the estimates. Nothing is
counted again.
"""

from itertools import product
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..._core._kernel import frozen, inlined, kernel
from ..._core._parallel import map_chunks
from ...leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_lists,
    is_loo,
    rank_candidates,
    rows_to_leave_out,
)
from ...tabular import merge_copies
from ._counts import END
from ._kernels import NO_FLOATS, START, advance, find_ngrams
from ._smoothing import CANDIDATES, check_smoothing_parameter, history_pairs

_ALLOWED = {
    "length_normalization": (
        lambda v: v is None or (isinstance(v, Real) and 0 < v < np.inf),
        "numbers above 0, or None",
    )
}


def is_tuned(estimator, parameter="smoothing_parameter"):
    """Return whether a parameter is to be chosen by leave-one-out."""
    return is_loo(estimator._value(parameter))


def parameter_candidates(estimator, others=None):
    """Return the candidates of leave-one-out, each checked."""
    # estimator: NGramLanguageModel or LanguageModelNB; others: {parameter: list},
    # default candidates of further parameters. Returns {parameter: list}.
    smoothing = estimator._value("smoothing")
    given = estimator._value("smoothing_parameter")
    if is_tuned(estimator) and smoothing not in CANDIDATES:
        raise ValueError(
            f"smoothing_parameter='loo' does not go with smoothing={smoothing!r}: "
            f"leave-one-out chooses the parameter of {sorted(CANDIDATES)}."
        )
    if smoothing == "kneser_ney":
        raise ValueError(
            "length_normalization='loo' does not go with smoothing='kneser_ney', from "
            "whose counts no document can be subtracted: use another smoothing, such "
            "as 'absolute_discount', or a number for length_normalization."
        )
    defaults = {"smoothing_parameter": CANDIDATES.get(smoothing, [None])}
    lists = candidate_lists(
        defaults | (others or {}), estimator.loo_candidates, _ALLOWED
    )
    if not is_tuned(estimator):
        lists["smoothing_parameter"] = [given]
    lists["smoothing_parameter"] = [
        check_smoothing_parameter(smoothing, value, None)
        for value in lists["smoothing_parameter"]
    ]
    return lists


def choose_parameters(estimator, corpus, classes, weight):
    """Return the best value of each parameter that takes "loo", and all results."""
    # `estimator` has the counts of all documents, and `_left_out_losses`, which yields
    # the scores of documents from their log likelihoods under one parameter of the
    # smoothing, for each combination of the other parameters. classes, weight:
    # (n_documents,).
    corpus, classes, weight, _ = without_copied_documents(corpus, classes, weight)
    rows = rows_to_leave_out(
        len(corpus), estimator.loo_max_samples, estimator.random_state
    )
    lists = estimator._loo_candidates()
    candidates = list(product(*lists.values()))
    left_out = rows, classes[rows], weight[rows]
    parameters = lists["smoothing_parameter"]
    likelihoods = left_out_log_likelihoods(estimator, parameters, corpus, left_out)
    n_words = corpus.n_predicted[rows]
    losses = [
        loss
        for likelihood in likelihoods
        for loss in estimator._left_out_losses(likelihood, n_words, left_out, lists)
    ]
    best, results = rank_candidates(
        [dict(zip(lists, values)) for values in candidates],
        dict(zip(("log_loss", "accuracy"), map(np.array, zip(*losses)))),
        weight[rows],
        CLASSIFICATION_SCORING[estimator.loo_scoring],
    )
    return candidates[best], results


def without_copied_documents(corpus, classes, weight):
    """Return what `without_copies` returns, for documents in place of rows."""
    # A document is a row of the codes of its words, in their order. 0 is no code.
    length = np.diff(corpus.start)
    position = np.arange(len(corpus.tokens)) - np.repeat(corpus.start[:-1], length)
    rows = sparse.csr_array(
        (corpus.tokens + 1, position, corpus.start),
        shape=(len(corpus), max(length.max(initial=0), 1)),
    )
    # Documents of one word at most are equal by chance.
    n_before = np.append(0, np.cumsum(~np.isin(corpus.tokens, (START, END))))
    n_words = np.diff(n_before[corpus.start])
    merged = merge_copies(rows, classes, weight, n_words <= 1)
    if merged is None:
        return corpus, classes, weight, ...
    kept = merged.rows
    return corpus.take(kept), classes[kept], merged.weight, merged.of_row


def left_out_log_likelihoods(estimator, parameters, corpus, left_out):
    """Yield log P(document | class) of documents left out for each parameter."""
    # parameters: of the smoothing; left_out: the numbers, classes and weights of
    # documents, (n,) each. The log likelihoods are (n, n_classes).
    history, background = history_pairs(estimator._counts), None
    if estimator.background:
        background = estimator._smoothed_background(with_statistics=True)
    options = {"history": history, "with_statistics": True, "background": background}
    for each in parameters:
        model = estimator._smoothed_model(each, **options)
        yield _score_all(estimator, model, corpus, left_out)


def _score_all(estimator, model, corpus, left_out):
    """Return log P(document | class) of documents left out, (n, n_classes)."""
    rows, true_class, removed = left_out
    out = np.empty((len(rows), model.counts.n_classes))
    sums = (NO_FLOATS,) * 3
    if model.background is not None:
        of_all = model.background.statistics
        sums = of_all.count, of_all.total, of_all.n_types
    length, order = np.diff(corpus.start), model.counts.order

    def score(part):
        longest = length[rows[part]].max(initial=0)
        n_ngrams = longest * min(longest, order) + 1
        ngrams = DocumentNGrams(
            np.full(len(model.counts.word), -1, dtype=np.int32),
            *np.empty((2, n_ngrams), dtype=np.int64),
            np.empty((_N_SUMS, n_ngrams)),
        )
        score_left_out(
            frozen(corpus.tokens, np.int32),
            frozen(corpus.start, np.int64),
            (
                frozen(rows[part], np.int64),
                frozen(true_class[part], np.int64),
                frozen(removed[part], np.float64),
                estimator.binary,
            ),
            model.trie(),
            model.estimates(),
            model.smoothed.statistics,
            sums,
            ngrams,
            out[part],
        )

    map_chunks(score, len(rows), 48 * out.shape[1], n_jobs=estimator.n_jobs)
    return out


# Loops of leave-one-out for language models: documents scored without themselves.
#
# A document is removed by subtraction. Its n-grams are numbered, and the weights that
# it added to the counts are summed for each number (:class:`DocumentNGrams`).


# A difference below this share of its minuend is rounding error.
_ROUNDING = 1e-9
# The rows of DocumentNGrams.removed. Of the n-gram: its count. Of the n-gram as a
# history, in the document's class: T, Σ min(c, D) and the number of distinct words
# after it; and that number in all classes.
_COUNT, _TOTAL, _DISCOUNT, _N_TYPES, _N_TYPES_ALL = range(5)
_N_SUMS = 5


class DocumentNGrams(NamedTuple):
    """The distinct n-grams of a document, and the weights it added to the counts."""

    # int32 (n_nodes,): the number of each node among the document's n-grams, or -1.
    number: np.ndarray
    # int64: the node of each n-gram, and the number of its history.
    node: np.ndarray
    history: np.ndarray
    # float64 (5, n_ngrams): the sums to subtract; _COUNT, … are the names of the rows.
    removed: np.ndarray


@kernel(only_in_kernels=True)
def count_document(
    document, true_class, weight, binary, trie, statistics, all_count, ngrams
):
    """Sum the weights that a document added; return the number of its n-grams."""
    order, word, first_child, first_pair, pair_class = trie
    count, discount = statistics.count, statistics.discount
    number, ngram_node, ngram_history, removed = ngrams
    history = np.zeros(order + 1, dtype=np.int64)
    node = np.zeros(order + 1, dtype=np.int64)
    ngram_node[0] = 0
    ngram_history[0] = 0
    number[0] = 0
    removed[:, 0] = 0.0
    n_ngrams = 1
    known = 0
    for i in range(len(document)):
        found = find_ngrams(word, first_child, history, known, document[i], node)
        for k in range(found):
            e = node[k]
            if number[e] < 0:
                number[e] = n_ngrams
                ngram_node[n_ngrams] = e
                ngram_history[n_ngrams] = number[history[k]]
                removed[:, n_ngrams] = 0.0
                n_ngrams += 1
            m = number[e]
            if document[i] != START and (not binary or removed[_COUNT, m] == 0.0):
                removed[_COUNT, m] += weight
                removed[_TOTAL, ngram_history[m]] += weight
        known = advance(history, node, found, order)
    for m in range(1, n_ngrams):
        e = ngram_node[m]
        for j in range(first_pair[e], first_pair[e + 1]):
            if pair_class[j] == true_class:
                rest = count[j] - removed[_COUNT, m]
                if rest <= _ROUNDING * count[j]:
                    rest = 0.0
                    if removed[_COUNT, m] > 0.0:
                        removed[_N_TYPES, ngram_history[m]] += 1.0
                change = min(count[j], discount) - min(rest, discount)
                removed[_DISCOUNT, ngram_history[m]] += change
        if len(all_count) > 0:
            rest = all_count[e] - removed[_COUNT, m]
            if removed[_COUNT, m] > 0.0 and rest <= _ROUNDING * all_count[e]:
                removed[_N_TYPES_ALL, ngram_history[m]] += 1.0
    return n_ngrams


@inlined
def background_prob_without(base_prob, history, known, node, found, ngrams, sums):
    """Return P(w | h) in all classes, Witten–Bell, without the document."""
    number, _, _, removed = ngrams
    all_count, all_total, all_n_types = sums
    q = base_prob
    if len(all_count) > 0:
        for k in range(known + 1):
            h = history[k]
            total = all_total[h] - removed[_TOTAL, number[h]]
            if total > _ROUNDING * all_total[h]:
                n_types = all_n_types[h] - removed[_N_TYPES_ALL, number[h]]
                q *= n_types / (total + n_types)
                if k < found:
                    count = all_count[node[k]] - removed[_COUNT, number[node[k]]]
                    q += max(count, 0.0) / (total + n_types)
    return q


@inlined
def back_off_other_classes(p, q, h, true_class, trie, estimates):
    """Back off to history h in all classes but one; return the pair of that class."""
    # p: (n_classes,), changed. Returns -1 if the history does not occur in that class.
    backoff, true_pair = estimates.backoff, -1
    for j in range(trie.first_pair[h], trie.first_pair[h + 1]):
        c = trie.pair_class[j]
        if c == true_class:
            true_pair = j
        else:
            p[c] = (q if estimates.additive and backoff[j] < 1.0 else p[c]) * backoff[j]
    return true_pair


@inlined
def add_other_classes(p, e, true_class, trie, estimates):
    """Add the n-gram's probability in all classes but one; return that class's pair."""
    true_pair = -1
    for j in range(trie.first_pair[e], trie.first_pair[e + 1]):
        if trie.pair_class[j] == true_class:
            true_pair = j
        else:
            p[trie.pair_class[j]] += estimates.discounted_prob[j]
    return true_pair


@inlined
def backoff_without(pair, m, removed, statistics):
    """Return the backoff and T + μ of a history without the document."""
    # `m` is the number of the history. T + μ is 0 if nothing is left of it.
    _, total, total_discount, n_types, count_weight, mu, _ = statistics
    rest = total[pair] - removed[_TOTAL, m]
    if rest <= _ROUNDING * total[pair]:
        return 1.0, 0.0
    if len(n_types) > 0:
        mu = n_types[pair] - removed[_N_TYPES, m]
    denominator = rest + mu
    discount_left = max(total_discount[pair] - removed[_DISCOUNT, m], 0.0)
    set_free = mu + (1.0 - count_weight) * rest + count_weight * discount_left
    return set_free / denominator, denominator


@inlined
def is_unseen_without(node, found, number, removed, all_count):
    """Return whether no other document holds the word, where there is a background."""
    if len(all_count) == 0:
        return False
    if found == 0:
        return True
    rest = all_count[node[0]] - removed[_COUNT, number[node[0]]]
    return rest <= _ROUNDING * all_count[node[0]]


@kernel
def score_left_out(
    tokens, start, left_out, trie, estimates, statistics, sums, ngrams, out
):
    """Score documents as `score_documents`, each without itself in the counts."""
    # left_out: the numbers, classes and removed weights of the documents, (n,) each,
    # and whether an n-gram counts once in each document. statistics:
    # `SmoothingStatistics`; sums: of all classes together, by node, the count, T and
    # the number of distinct words; empty arrays: there is no background. ngrams:
    # `DocumentNGrams`, overwritten, with room for those of the longest document.
    # out: (n, n_classes), written. The estimates of the other classes stay. Those of
    # the document's true class and of the background are computed from the sums that
    # are left.
    documents, true_classes, weights, binary = left_out
    order, word, first_child, _, _ = trie
    all_count, _, _ = sums
    number, ngram_node, _, removed = ngrams
    p = np.empty(out.shape[1])
    history = np.zeros(order + 1, dtype=np.int64)
    node = np.zeros(order + 1, dtype=np.int64)
    for row in range(len(documents)):
        truth = true_classes[row]
        document = tokens[start[documents[row]] : start[documents[row] + 1]]
        n_ngrams = count_document(
            document, truth, weights[row], binary, trie, statistics, all_count, ngrams
        )
        out[row] = 0.0
        known = 0
        for i in range(len(document)):
            found = find_ngrams(word, first_child, history, known, document[i], node)
            if document[i] != START:
                q = background_prob_without(
                    estimates.base_prob, history, known, node, found, ngrams, sums
                )
                p[:] = q
                unseen = is_unseen_without(node, found, number, removed, all_count)
                for k in range(0 if unseen else known + 1):
                    h, e = history[k], node[k]
                    pair = back_off_other_classes(p, q, h, truth, trie, estimates)
                    denominator = 0.0
                    if pair >= 0:
                        true_backoff, denominator = backoff_without(
                            pair, number[h], removed, statistics
                        )
                        if denominator > 0.0:
                            p_shorter = q if estimates.additive else p[truth]
                            p[truth] = p_shorter * true_backoff
                    if k < found:
                        pair = add_other_classes(p, e, truth, trie, estimates)
                        if pair >= 0 and denominator > 0.0:
                            rest = statistics.count[pair] - removed[_COUNT, number[e]]
                            share = max(rest - statistics.discount, 0.0) / denominator
                            p[truth] += statistics.count_weight * share
                for c in range(out.shape[1]):
                    out[row, c] += np.log(p[c])
            known = advance(history, node, found, order)
        for m in range(n_ngrams):
            number[ngram_node[m]] = -1
