"""From n-gram counts to probabilities: one formula, nine smoothings.

The word w follows the history h with probability

    P(w | h) = a · max(c - D, 0) / (T + μ) + backoff(h) · P(w | h'),
    backoff(h) = (μ + (1 - a) T + a Σ min(c, D)) / (T + μ),

where c is the count of h w, T the sum of the counts of all words after h, and h' is h
without its first word. a is the weight of the counts, D the discount, and μ the number
of virtual words. After the empty history comes the base, which is the same for all
words that can occur, the unknown word included. a, D and μ take some probability from
the words seen, and the backoff distributes exactly this much, so the probabilities sum
to one. The backoff of a history that was never seen is 1.

==================  =====================================  ========================
smoothing           a, D, μ                                parameter (default)
==================  =====================================  ========================
none                1, 0, 0                                none
laplace             1, 0, |V|; P(w | h') is the base       none
lidstone            1, 0, α |V|; P(w | h') is the base     α (0.1)
m_estimate          1, 0, m; P(w | h') is the base         m (1)
jelinek_mercer      1 - λ, 0, 0                            λ (0.5)
dirichlet           1, 0, μ                                μ (100)
absolute_discount   1, D, 0                                D (0.75)
witten_bell         1, 0, number of words seen after h     none
kneser_ney          1, D of the count, 0; other counts c   D (estimated)
==================  =====================================  ========================

The comment on discounts, below, explains the counts and the discounts of Kneser–Ney.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ._counts import START
from ._kernels import NO_FLOATS

# After every history, these add μ virtual words from the base distribution.
ADDITIVE_SMOOTHINGS = ("laplace", "lidstone", "m_estimate")
# The parameter's default and largest value; all must be at least 0.
PARAMETERS = {
    "lidstone": (0.1, 1e300),  # times |V| it must be finite
    "m_estimate": (1.0, np.inf),
    "jelinek_mercer": (0.5, 1.0),
    "dirichlet": (100.0, np.inf),
    "absolute_discount": (0.75, 1.0),
    "kneser_ney": (None, np.inf),
}
SMOOTHINGS = (
    "none",
    "laplace",
    "lidstone",
    "m_estimate",
    "jelinek_mercer",
    "dirichlet",
    "absolute_discount",
    "witten_bell",
    "kneser_ney",
)
# Default candidates of leave-one-out.
CANDIDATES = {
    "lidstone": [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
    "m_estimate": [1.0, 10.0, 100.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5],
    "jelinek_mercer": [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98],
    "dirichlet": [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5],
    "absolute_discount": [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99],
}


class SmoothingStatistics(NamedTuple):
    """The numbers in the formula, from which leave-one-out subtracts a document."""

    # Float arrays of shape (n_pairs,), as kernels take them: c, and of the pair as a
    # history T, Σ min(c, D) and the number of distinct words after it.
    count: np.ndarray
    total: np.ndarray
    total_discount: np.ndarray
    n_types: np.ndarray  # if not empty, it is μ (Witten–Bell)
    count_weight: float  # a
    virtual_words: float  # μ
    discount: float  # D


@dataclass(frozen=True)
class SmoothedNGrams:
    """The terms of the formula, ready for look-ups."""

    # Float arrays of shape (n_pairs,): the first term for the pair's n-gram, and the
    # backoff of the pair as a history.
    discounted_prob: np.ndarray
    backoff: np.ndarray
    base_prob: float  # of each word that can occur, before anything is known
    additive: bool  # whether every history backs off to the base, not to h'
    discounts: np.ndarray | None  # D by class, length and count, (n_classes, order, 3)
    statistics: SmoothingStatistics | None  # only for leave-one-out
    # Whether the terms of a history are shares ≥ 0 that sum to 1, as here; those of
    # models that other programs wrote may not be.
    is_mixture: bool = True


def check_smoothing_parameter(smoothing, parameter, order):
    """Return the parameter of a smoothing, its default for None; or raise an error."""
    # Returns a float, an array (order,) or (order, 3), or None. With `order` None, as
    # for leave-one-out, discounts by length are refused.
    if smoothing not in PARAMETERS:
        if parameter is not None:
            raise ValueError(
                f"smoothing={smoothing!r} has no parameter; leave smoothing_parameter "
                f"at None, got {parameter!r}."
            )
        return None
    default, largest = PARAMETERS[smoothing]
    if parameter is None:
        return default
    try:
        value = np.asarray(parameter, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # strings, ragged rows, 10**400
        value = np.array(np.nan)
    shapes = [()]
    if order and smoothing in ("kneser_ney", "absolute_discount"):
        shapes += [(order,), (order, 3)]
    if value.shape not in shapes or not np.all((value >= 0) & (value <= largest)):
        shape = " or an array of shape (order,) or (order, 3)" * (len(shapes) > 1)
        where = "" if order else " where leave-one-out removes documents"
        raise ValueError(
            f"smoothing_parameter of {smoothing} must be a number{shape} between 0 and "
            f"{largest}{where}; got {parameter!r}."
        )
    if not np.all(np.isfinite(value)):
        raise ValueError(f"smoothing_parameter must be finite; got {parameter!r}.")
    return value if value.ndim else float(value)


def smooth(
    counts,
    smoothing,
    parameter,
    n_outcomes,
    suffix=None,
    history=None,
    with_statistics=False,
):
    """Return the smoothed probabilities of n-gram counts."""
    # smoothing: one of SMOOTHINGS; parameter: of `check_smoothing_parameter`;
    # n_outcomes: |V|, the number of words that can occur, END and UNKNOWN included;
    # suffix: int (n_nodes,), as `suffixes_of` returns it, and history: int (n_pairs,),
    # as `history_pairs` returns it, computed if None. Returns SmoothedNGrams, with the
    # statistics if leave-one-out needs them.
    history = history_pairs(counts) if history is None else history
    count, discounts = counts.count, None
    if smoothing == "kneser_ney":
        count = continuation_counts(counts, suffix)
    if smoothing in ("kneser_ney", "absolute_discount"):
        discounts = discounts_by_count(counts, count, parameter)
    discount = discount_of_pairs(counts, count, discounts)
    n_pairs = len(count)
    total = np.bincount(history, count, n_pairs)
    total_discount = np.bincount(history, np.minimum(count, discount), n_pairs)
    n_types = np.bincount(history, count > 0, n_pairs)  # of distinct words after each
    count_weight = 1.0 - parameter if smoothing == "jelinek_mercer" else 1.0
    virtual = _virtual_words(smoothing, parameter, n_outcomes, n_types)
    denominator, backoff = denominator_and_backoff(
        total, total_discount, count_weight, virtual
    )
    discounted_prob = np.maximum(count - discount, 0.0) / denominator[history]
    statistics = None
    if with_statistics:
        virtual_is_n_types = smoothing == "witten_bell"
        sums = (frozen(each, np.float64) for each in (count, total, total_discount))
        statistics = SmoothingStatistics(
            *sums,
            frozen(n_types, np.float64) if virtual_is_n_types else NO_FLOATS,
            count_weight,
            0.0 if virtual_is_n_types else float(virtual),
            parameter if smoothing == "absolute_discount" else 0.0,
        )
    return SmoothedNGrams(
        discounted_prob=count_weight * discounted_prob,
        backoff=backoff,
        base_prob=1.0 / n_outcomes,
        additive=smoothing in ADDITIVE_SMOOTHINGS,
        discounts=discounts,
        statistics=statistics,
    )


def _virtual_words(smoothing, parameter, n_outcomes, n_types):
    """Return μ: a number, or one for each history."""
    if smoothing == "witten_bell":
        return n_types
    if smoothing == "laplace":
        return float(n_outcomes)
    if smoothing == "lidstone":
        return parameter * n_outcomes
    return parameter if smoothing in ("m_estimate", "dirichlet") else 0.0


def history_pairs(counts):
    """Return, for each pair, the pair of its history in the same class."""
    # The history of the empty n-gram is itself; its counts are 0.
    return counts.pairs(counts.history[counts.pair_node], counts.pair_class)


def denominator_and_backoff(total, total_discount, count_weight, virtual):
    """Return T + μ and the backoff of each history; infinity and 1 where T = 0."""
    seen = total > 0
    denominator = np.where(seen, total + virtual, np.inf)
    terms = (term / denominator for term in (virtual, total, total_discount))
    virtual_term, total_term, discount_term = terms
    backoff = (
        virtual_term + (1.0 - count_weight) * total_term + count_weight * discount_term
    )
    return denominator, np.where(seen, backoff, 1.0)


# Discounts of n-gram counts, and the counts of Kneser–Ney.
#
# Kneser–Ney replaces the counts of n-grams that are shorter than the order. It does not
# count occurrences but the distinct words that come before (n-grams that begin a
# sentence keep their count). Its three discounts, for counts of 1, 2 and more, follow
# from the numbers of n-grams with the counts 1 to 4, for each class and length (Chen &
# Goodman 1998, equation 26). If one of these numbers is 0, or if a discount lies
# outside [0, count], the discounts are ½, 1 and 1½.


_DEFAULT_DISCOUNTS = np.array([0.5, 1.0, 1.5])
# The sum of ten weights of 0.1 may differ from 1 by less than this.
_ROUNDING = 1e-9
# Larger counts are tabulated as this one; only those up to 4 are used.
_MAX_TABULATED = 5


def suffixes_of(counts):
    """Return the node of each n-gram without its first word."""
    # The pair (node of the history, last word) ascends over all levels from node 1 on.
    history, suffix = counts.history, np.zeros(len(counts.word), np.int64)
    keys = history[1:] * counts.n_codes + counts.word[1:]
    for length in range(2, counts.order + 1):
        nodes = slice(*counts.level_start[length : length + 2])
        wanted = suffix[history[nodes]] * counts.n_codes + counts.word[nodes]
        suffix[nodes] = 1 + np.searchsorted(keys, wanted)
    return suffix


def continuation_counts(counts, suffix=None):
    """Return the counts of Kneser–Ney: of distinct words before, if there are any."""
    # Returns (n_pairs,). The longest n-grams, those that begin with START, and those
    # before which no word ever comes (a document begins with them) keep their counts.
    history = counts.history
    suffix = suffixes_of(counts) if suffix is None else suffix
    begins = counts.word == START  # whether the first word is START
    for length in range(2, counts.order):
        first, last = counts.level_start[length : length + 2]
        begins[first:last] = begins[history[first:last]]
    node = counts.pair_node
    longer = slice(counts.pairs_of(2).start, None) if counts.order > 1 else slice(0, 0)
    shorter = counts.pairs(suffix[node[longer]], counts.pair_class[longer])
    n_before = np.bincount(shorter, counts.count[longer] > 0, len(node))
    keeps_count = begins[node] | (n_before == 0)
    keeps_count[counts.pairs_of(counts.order)] = True
    return np.where(keeps_count, counts.count, n_before)


def estimate_discounts(n_with_count):
    """Return the discounts for counts of 1, 2 and more (Chen & Goodman 1998, eq. 26).

    >>> estimate_discounts([10, 5, 3, 2]).round(3)
    array([0.5  , 1.1  , 1.667])
    """
    # n_with_count: the numbers of n-grams with the counts 1, 2, 3 and 4. In the example
    # Y = 10 / (10 + 2 · 5) = ½ and the discounts are 1 - 2 Y 5/10, 2 - 3 Y 3/5 and
    # 3 - 4 Y 2/3.
    n = np.asarray(n_with_count, dtype=np.float64)
    if np.any(n <= 0):
        return _DEFAULT_DISCOUNTS
    k = np.arange(1.0, 4.0)
    y = n[0] / (n[0] + 2 * n[1])
    discounts = k - (k + 1) * y * n[1:] / n[:-1]
    valid = np.all((discounts >= 0) & (discounts <= k))
    return discounts if valid else _DEFAULT_DISCOUNTS


def discounts_by_count(counts, count, parameter):
    """Return the discounts of shape (n_classes, order, 3): given, or estimated."""
    # count: (n_pairs,), the counts to be discounted; parameter: the given discounts, a
    # float, (order,) or (order, 3); None to estimate them.
    shape = (counts.n_classes, counts.order, 3)
    if parameter is not None:
        given = np.asarray(parameter)
        given = given[:, None] if given.ndim == 1 else given
        return np.broadcast_to(given, shape).copy()
    discounts = np.empty(shape)
    n_columns = _MAX_TABULATED + 1
    for length in range(1, counts.order + 1):
        pairs = counts.pairs_of(length)
        rounded = _round_up(count[pairs]).clip(0, _MAX_TABULATED)
        key = counts.pair_class[pairs] * n_columns + rounded
        table = np.bincount(key, minlength=n_columns * counts.n_classes)
        for c, n_with_count in enumerate(table.reshape(-1, n_columns)[:, 1:5]):
            discounts[c, length - 1] = estimate_discounts(n_with_count)
    return discounts


def discount_of_pairs(counts, count, discounts):
    """Return the discount of each pair; 0 where there are no discounts."""
    if discounts is None:
        return 0.0
    discount = np.zeros(len(count))
    for length in range(1, counts.order + 1):
        pairs = counts.pairs_of(length)
        column = _round_up(count[pairs]).clip(1, 3) - 1
        discount[pairs] = discounts[counts.pair_class[pairs], length - 1, column]
    return discount


def _round_up(count):
    """Return counts up to 9 rounded up; weights that differ by rounding error agree."""
    return np.ceil(np.minimum(count, 9.0) * (1 - _ROUNDING)).astype(np.int64)
