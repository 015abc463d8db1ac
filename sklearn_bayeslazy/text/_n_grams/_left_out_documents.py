"""Leave-one-out of n-gram models: candidates, scores, and the choice of a parameter.

A document is left out by subtracting it from the sums behind the estimates. Nothing is
counted again.
"""

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_chunks
from ...leave_one_out import candidate_lists, rank_candidates, rows_to_leave_out
from ._leave_one_out_kernels import (
    BackgroundStatistics,
    ClassStatistics,
    LeftOut,
    score_left_out,
)
from ._scoring import NO_FLOATS
from ._smoothing import CANDIDATES, check_parameter, history_pairs


def is_tuned(estimator, parameter="smoothing_parameter"):
    """Return whether a parameter is to be chosen by leave-one-out."""
    value = getattr(estimator, parameter)
    return isinstance(value, str) and value == "loo"


def parameter_candidates(estimator, others=None):
    """Return the candidates of leave-one-out, each checked."""
    # estimator: NGramLanguageModel or LanguageModelNB; others: {parameter: list},
    # default candidates of further parameters. Returns {parameter: list}.
    smoothing = estimator.smoothing
    given = estimator.smoothing_parameter
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
    lists = candidate_lists(defaults | (others or {}), estimator.loo_candidates)
    if not is_tuned(estimator):
        lists["smoothing_parameter"] = [given]
    lists["smoothing_parameter"] = [
        check_parameter(smoothing, value, None)
        for value in lists["smoothing_parameter"]
    ]
    return lists


def score_rows_left_out(
    model, corpus, documents, true_class, removed, discount=0.0, binary=False
):
    """Return log P(document | class), each document without itself in the counts."""
    # model: NGramModel of all documents, with statistics, smoothed by one discount (or
    # none) for all counts; documents, true_class, removed: (n,), the numbers of the
    # documents, their classes, and the weights to remove; binary: whether an n-gram
    # counts once in each document. Returns (n, n_classes).
    out = np.empty((len(documents), model.counts.n_classes))
    score_left_out(
        frozen(corpus.tokens, np.int32),
        frozen(corpus.start, np.int64),
        LeftOut(
            frozen(documents, np.int64),
            frozen(true_class, np.int64),
            frozen(removed, np.float64),
            binary,
        ),
        model.trie(),
        model.estimates(),
        _class_statistics(model.smoothed.statistics, discount),
        _background_statistics(model.background),
        out,
    )
    return out


def choose_parameter(estimator, corpus, weight):
    """Return the best parameter of the smoothing, and the results of all candidates."""
    # estimator: NGramLanguageModel, with the counts of all documents; weight:
    # (n_documents,).
    rows = rows_to_leave_out(
        len(corpus), estimator.loo_max_samples, estimator.random_state
    )
    candidates = parameter_candidates(estimator)["smoothing_parameter"]
    removed = np.minimum(1.0, weight[rows])
    only_class = np.zeros(len(rows), np.int64)
    losses = np.empty((len(candidates), len(rows)))
    history = history_pairs(estimator._counts)
    for loss, parameter in zip(losses, candidates):
        model = estimator._smoothed_model(
            parameter, history=history, with_statistics=True
        )
        discount = parameter if estimator.smoothing == "absolute_discount" else 0.0

        def score(part, loss=loss, model=model, discount=discount):
            scores = score_rows_left_out(
                model, corpus, rows[part], only_class[part], removed[part], discount
            )
            loss[part] = -scores[:, 0]

        map_chunks(score, len(rows), 8, n_jobs=estimator.n_jobs)
    best, results = rank_candidates(
        [{"smoothing_parameter": parameter} for parameter in candidates],
        {"log_loss": losses},
        weight[rows],
        [("log_loss", -1)],
    )
    return candidates[best], results


def _class_statistics(statistics, discount):
    n_types = statistics.n_types if statistics.virtual_is_n_types else NO_FLOATS
    return ClassStatistics(
        frozen(statistics.count, np.float64),
        frozen(statistics.total, np.float64),
        frozen(statistics.total_discount, np.float64),
        frozen(n_types, np.float64),
        statistics.count_weight,
        statistics.virtual_words,
        discount,
    )


def _background_statistics(background):
    if background is None:
        return BackgroundStatistics(NO_FLOATS, NO_FLOATS, NO_FLOATS)
    statistics = background.statistics
    return BackgroundStatistics(
        frozen(statistics.count, np.float64),
        frozen(statistics.total, np.float64),
        frozen(statistics.n_types, np.float64),
    )
