"""From n-gram counts to probabilities: one formula, nine smoothings.

The word w follows the history h with probability

    P(w | h) = keep · max(c - D, 0) / (T + μ) + backoff(h) · P(w | h'),
    backoff(h) = (μ + (1 - keep) T + keep Σ min(c, D)) / (T + μ),

where c is the count of h w, T the sum of the counts of all words after h, and h' is h
without its first word. After the empty history comes the base, the same for all words
that may come, unknown ones included. What `keep`, D and μ take from the words seen is
just what the backoff hands on, so the probabilities sum to one. A history that was
never seen hands on everything (its backoff is 1).

==================  =====================================  ========================
smoothing           keep, D, μ                             parameter (default)
==================  =====================================  ========================
none                1, 0, 0                                none
laplace             1, 0, |V|; P(w | h') is the base       none
lidstone            1, 0, α |V|; P(w | h') is the base     α (0.1)
m_estimate          1, 0, m; P(w | h') is the base         m (1)
jelinek_mercer      1 - λ, 0, 0                            λ (0.5)
dirichlet           1, 0, μ                                μ (100)
absolute_discount   1, D, 0                                D (0.75)
witten_bell         1, 0, number of words seen after h     none
kneser_ney          1, D of the count, 0; c as below       D (estimated)
==================  =====================================  ========================

Kneser–Ney counts, of n-grams shorter than the order, not occurrences but the distinct
words that come before (n-grams that begin a sentence keep their count); its three
discounts, for counts of 1, 2 and more, follow from how many n-grams have the counts 1
to 4, for each class and length (Chen & Goodman 1998, equation 26). Where one of these
numbers is 0 or a discount falls outside [0, count], they are ½, 1 and 1½.
"""

from dataclasses import dataclass

import numpy as np

from .._kernel import frozen
from ._counts import START
from ._language_model_kernels import suffixes

FLAT = ("laplace", "lidstone", "m_estimate")
# The parameter's default and largest value; none of these takes less than 0.
PARAMETERS = {
    "lidstone": (0.1, 1e300),  # times |V| it must stay a number
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
# Candidates where the parameter is chosen by leave-one-out.
CANDIDATES = {
    "lidstone": [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
    "m_estimate": [1.0, 10.0, 100.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5],
    "jelinek_mercer": [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98],
    "dirichlet": [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5],
    "absolute_discount": [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99],
}
_FALLBACK = np.array([0.5, 1.0, 1.5])
# Ten weights of 0.1 are 1, whatever the order in which they are added.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Sums:
    """What the formula was worked out from, to take a document away again.

    Attributes
    ----------
    keep, virtual : float
        keep and μ.
    by_types : bool
        Whether the `types` of the history are its μ (Witten–Bell).
    count, total, held, types : float arrays of shape (n_pairs,)
        c, and of the pair as a history T, Σ min(c, D) and the number of words after it.
    """

    keep: float
    virtual: float
    by_types: bool
    count: np.ndarray
    total: np.ndarray
    held: np.ndarray
    types: np.ndarray


@dataclass(frozen=True)
class Smoothed:
    """What the formula needs, ready for look-ups.

    Attributes
    ----------
    weight, backoff : float arrays of shape (n_pairs,)
        The first term for the pair's n-gram, and the pair's backoff as a history.
    base : float
        The probability of each word that may come, before anything is known.
    flat : bool
        Whether every history rests on the base itself.
    discounts : float array of shape (n_classes, order, 3) or None
        D by class, length and count.
    sums : Sums or None
        Only wanted for leave-one-out.
    """

    weight: np.ndarray
    backoff: np.ndarray
    base: float
    flat: bool
    discounts: np.ndarray | None
    sums: Sums | None


def check_parameter(smoothing, parameter, order):
    """Return the parameter of a smoothing, its default for None; or raise.

    Where leave-one-out chooses (`order` None) there are no discounts by length.

    Returns
    -------
    float, array of shape (order, 3), or None
    """
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
    except (TypeError, ValueError):  # words, or rows of different lengths
        value = np.array(np.nan)
    shapes = [()]
    if order and smoothing in ("kneser_ney", "absolute_discount"):
        shapes += [(order,), (order, 3)]
    if value.shape not in shapes or not np.all((value >= 0) & (value <= largest)):
        shape = " or an array of shape (order,) or (order, 3)" * (len(shapes) > 1)
        raise ValueError(
            f"smoothing_parameter of {smoothing} must be a number{shape} between 0 and "
            f"{largest}{'' if order else ' where leave-one-out chooses'}; got "
            f"{parameter!r}."
        )
    if not np.all(np.isfinite(value)):
        raise ValueError(f"smoothing_parameter must be finite; got {parameter!r}.")
    return value if value.ndim else float(value)


def smooth(
    counts, smoothing, parameter, n_outcomes, suffix=None, history=None, sums=False
):
    """Return the smoothed probabilities of n-gram counts.

    Parameters
    ----------
    counts : NGramCounts
    smoothing : one of SMOOTHINGS
    parameter : as `check_parameter` returns it
    n_outcomes : int
        |V|: how many words may come, END and UNKNOWN among them.
    suffix : int array of shape (n_entries,), default=None
        As `suffixes_of` returns it, where it is known already.
    history : int array of shape (n_pairs,), default=None
        As `history_pairs` returns it, where it is known already.
    sums : bool, default=False
        Whether leave-one-out will be asked for.

    Returns
    -------
    Smoothed
    """
    history = history_pairs(counts) if history is None else history
    count, discounts = counts.count, None
    if smoothing == "kneser_ney":
        count = continuation_counts(counts, suffix)
    if smoothing in ("kneser_ney", "absolute_discount"):
        discounts = _discounts(counts, count, parameter)
    discount = _discount_of_pairs(counts, count, discounts)
    total, held, types = history_sums(count, discount, history)
    by_types = smoothing == "witten_bell"
    keep = 1.0 - parameter if smoothing == "jelinek_mercer" else 1.0
    virtual = _virtual(smoothing, parameter, n_outcomes, types)
    denominator, backoff = denominator_and_backoff(total, held, keep, virtual)
    mu = 0.0 if by_types else float(virtual)
    return Smoothed(
        weight=keep * (np.maximum(count - discount, 0.0) / denominator[history]),
        backoff=backoff,
        base=1.0 / n_outcomes,
        flat=smoothing in FLAT,
        discounts=discounts,
        sums=Sums(keep, mu, by_types, count, total, held, types) if sums else None,
    )


def _virtual(smoothing, parameter, n_outcomes, types):
    """Return μ: a number, or one for each history."""
    if smoothing == "witten_bell":
        return types
    if smoothing == "laplace":
        return float(n_outcomes)
    if smoothing == "lidstone":
        return parameter * n_outcomes
    return parameter if smoothing in ("m_estimate", "dirichlet") else 0.0


def history_pairs(counts):
    """Return, for each pair, the pair of its history in the same class.

    The pairs of the empty n-gram are given themselves; their counts are 0.
    """
    n = counts.n_classes
    key = counts.pair_entry * n + counts.pair_class
    wanted = counts.history[counts.pair_entry] * n + counts.pair_class
    return np.searchsorted(key, wanted)


def history_sums(count, discount, history):
    """Return T, Σ min(c, D) and the number of distinct words after each pair."""
    n = len(count)
    total = np.bincount(history, count, n)
    held = np.bincount(history, np.minimum(count, discount), n)
    types = np.bincount(history, count > 0, n)
    return total, held, types


def denominator_and_backoff(total, held, keep, virtual):
    """Return T + μ and the backoff of each history; infinity and 1 where T = 0."""
    seen = total > 0
    denominator = np.where(seen, total + virtual, np.inf)
    parts = (part / denominator for part in (virtual, total, held))
    from_virtual, from_total, from_held = parts
    backoff = from_virtual + (1.0 - keep) * from_total + keep * from_held
    return denominator, np.where(seen, backoff, 1.0)


def suffixes_of(counts):
    """Return the entry of each n-gram without its first word."""
    return suffixes(
        frozen(counts.word, np.int32),
        frozen(counts.first_child, np.int64),
        frozen(counts.history, np.int64),
        counts.level[2],
    )


def continuation_counts(counts, suffix=None):
    """Return the counts of Kneser–Ney: of distinct words before, where there are any.

    The longest n-grams, those that begin with START, and those before which nothing
    ever comes (a document begins with them) keep their own counts.
    """
    n, history = counts.n_classes, counts.history
    suffix = suffixes_of(counts) if suffix is None else suffix
    opens = counts.word == START  # whether the first word is START
    for length in range(2, counts.order):
        first, last = counts.level[length : length + 2]
        opens[first:last] = opens[history[first:last]]
    entry = counts.pair_entry
    key = entry * n + counts.pair_class
    longer = slice(counts.pairs_of(2).start, None) if counts.order > 1 else slice(0, 0)
    wanted = suffix[entry[longer]] * n + counts.pair_class[longer]
    shorter = np.searchsorted(key, wanted)
    before = np.bincount(shorter, counts.count[longer] > 0, len(key))
    # Nothing comes before an n-gram that begins a document without boundaries.
    own = opens[entry] | (before == 0)
    own[counts.pairs_of(counts.order)] = True
    return np.where(own, counts.count, before)


def estimate_discounts(n_with_count):
    """Return the discounts for counts of 1, 2 and more (Chen & Goodman 1998, eq. 26).

    Parameters
    ----------
    n_with_count : array of 4 numbers
        How many n-grams have the counts 1, 2, 3 and 4.

    Examples
    --------
    With Y = 10 / (10 + 2 · 5) = ½ the discounts are 1 - 2 Y 5/10, 2 - 3 Y 3/5 and
    3 - 4 Y 2/3:

    >>> estimate_discounts([10, 5, 3, 2]).round(3)
    array([0.5  , 1.1  , 1.667])
    """
    n = np.asarray(n_with_count, dtype=np.float64)
    if np.any(n <= 0):
        return _FALLBACK
    k = np.arange(1.0, 4.0)
    y = n[0] / (n[0] + 2 * n[1])
    discounts = k - (k + 1) * y * n[1:] / n[:-1]
    return discounts if np.all((discounts >= 0) & (discounts <= k)) else _FALLBACK


def _discounts(counts, count, parameter):
    shape = (counts.n_classes, counts.order, 3)
    if parameter is not None:
        given = np.asarray(parameter)
        given = given[:, None] if given.ndim == 1 else given
        return np.broadcast_to(given, shape).copy()
    discounts = np.empty(shape)
    for length in range(1, counts.order + 1):
        pairs = counts.pairs_of(length)
        size = _size_of(count[pairs]).clip(0, 5)
        key = counts.pair_class[pairs] * 6 + size
        table = np.bincount(key, minlength=6 * counts.n_classes).reshape(-1, 6)
        for c, numbers in enumerate(table[:, 1:5]):
            discounts[c, length - 1] = estimate_discounts(numbers)
    return discounts


def _size_of(count):
    """Return counts rounded up, sums of weights that differ by rounding alike."""
    return np.ceil(np.minimum(count, 9.0) * (1 - _ROUNDING)).astype(np.int64)


def _discount_of_pairs(counts, count, discounts):
    if discounts is None:
        return 0.0
    discount = np.zeros(len(count))
    for length in range(1, counts.order + 1):
        pairs = counts.pairs_of(length)
        size = _size_of(count[pairs]).clip(1, 3) - 1
        discount[pairs] = discounts[counts.pair_class[pairs], length - 1, size]
    return discount
