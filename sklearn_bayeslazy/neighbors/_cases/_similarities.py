"""Similarities of symbols, numbers, sets and texts, learnt ones, and callables.

Each similarity is a small object. Its ``pairwise(a, b)`` returns the similarities of
all pairs of two sequences of values, from 0 to 1. Only that of
`ValueDifferenceSimilarity` raises an error: its values are learnt when an estimator is
fitted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from ..._core._arrays import as_float_array
from ...search import MeanRanks, range_of


class Similarity:
    """The interface of similarities of single attributes."""

    # A subclass implements `_of_pair(x, y)`, the similarity of two values, or
    # `pairwise`.

    # Whether `read` turns cells into hashable values. Other similarities take the
    # strings, booleans and numbers that tables hold.
    reads_objects = False

    def read(self, cell):
        """Return a cell as a hashable value, or raise a TypeError or ValueError."""
        # The message goes on from "Attribute …, case …: ". Here the cell is that of a
        # table, and hashable.
        return cell

    def pairwise(self, a, b):
        """Return the similarities (len(a), len(b)) of two lists of values."""
        rows = [[self._of_pair(x, y) for y in b] for x in a]
        return np.array(rows, dtype=np.float64).reshape(len(a), len(b))

    def check(self, values, name):
        """Raise an error if a value of the attribute `name` cannot be compared."""

    def _of_pair(self, x, y):
        raise NotImplementedError


@dataclass(frozen=True)
class EqualitySimilarity(Similarity):
    """1 for equal values, 0 for different ones.

    Examples
    --------
    >>> from sklearn_bayeslazy import EqualitySimilarity
    >>> EqualitySimilarity().pairwise(["a", "b"], ["a"])
    array([[1.],
           [0.]])
    """

    def _of_pair(self, x, y):
        return float(x == y)


@dataclass(frozen=True)
class OrderedSimilarity(Similarity):
    """Symbols with an order: 1 - abs(i - j) / (n - 1) for the positions i and j.

    Parameters
    ----------
    order : sequence
        All n symbols, from the least to the greatest.

    Examples
    --------
    >>> from sklearn_bayeslazy import OrderedSimilarity
    >>> OrderedSimilarity(["low", "medium", "high"]).pairwise(["low"], ["medium"])
    array([[0.5]])
    """

    order: tuple

    def __post_init__(self):
        if isinstance(self.order, str) or not isinstance(self.order, Iterable):
            raise ValueError(f"order must be a list of symbols, got {self.order!r}.")
        order = tuple(self.order)
        if len(set(order)) < len(order) or len(order) < 2:
            raise ValueError(
                f"order must list two or more symbols, each once, got {self.order!r}."
            )
        object.__setattr__(self, "order", order)

    def check(self, values, name):
        """Raise an error for a value that the order does not list."""
        _refuse_unlisted(values, self.order, name, "order")

    def pairwise(self, a, b):
        """Return the similarities (len(a), len(b)) of two lists of values."""
        at = {symbol: i for i, symbol in enumerate(self.order)}
        i, j = (np.array([at[x] for x in one], dtype=float) for one in (a, b))
        return 1 - np.abs(i[:, None] - j) / (len(self.order) - 1)


@dataclass(frozen=True)
class NumberSimilarity(Similarity):
    """Numbers: 1 - abs(a - b) / scale, and 0 for those that differ by more.

    Parameters
    ----------
    scale : float, "ranks" or None, default=None
        The difference at which two numbers have similarity 0. None: the range of the
        training cases; if they are all equal, any two numbers have similarity 1.
        "ranks": the same of their mean ranks among the training cases, so that few
        very large numbers do not make all others alike; the rank of a new number is
        interpolated.

    Examples
    --------
    >>> from sklearn_bayeslazy import NumberSimilarity
    >>> NumberSimilarity(scale=10.0).pairwise([1.0], [3.0, 20.0])
    array([[0.8, 0. ]])
    >>> NumberSimilarity("ranks").pairwise([1.0], [3.0, 900.0])  # ranks 1, 2 and 3
    array([[0.5, 0. ]])
    """

    scale: float | str | None = None

    def __post_init__(self):
        is_number = isinstance(self.scale, Real) and 0 < self.scale < np.inf
        is_known = self.scale is None or self.compares_ranks or is_number
        if not is_known:
            raise ValueError(
                f"scale must be a number above 0, 'ranks' or None, got {self.scale!r}."
            )

    @property
    def compares_ranks(self):
        """Return whether ranks are compared, not numbers."""
        return isinstance(self.scale, str) and self.scale == "ranks"

    def scale_for(self, numbers):
        """Return the scale for training numbers, or their ranks (NaN for missing)."""
        if self.scale is None or self.compares_ranks:
            return float(range_of(numbers))
        return float(self.scale)

    def pairwise(self, a, b):
        """Return the similarities (len(a), len(b)) of two lists of numbers."""
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        if self.compares_ranks:
            both = np.append(a, b)
            ranks = MeanRanks(both, np.ones(len(both)))
            a, b = ranks.transform(a), ranks.transform(b)
        gaps = np.abs(a[:, None] - b) / self.scale_for(np.append(a, b))
        return np.maximum(1 - gaps, 0.0)


@dataclass(frozen=True)
class TableSimilarity(Similarity):
    """Similarities that a table lists.

    Parameters
    ----------
    table : dict
        ``{(x, y): similarity}``, from 0 to 1. A pair stands for both directions unless
        both are listed. Equal symbols have 1 unless listed.
    default : float, default=0.0
        The similarity of pairs that are not listed.

    Examples
    --------
    >>> from sklearn_bayeslazy import TableSimilarity
    >>> TableSimilarity({("Windows", "DOS"): 0.6}).pairwise(
    ...     ["DOS"], ["DOS", "Windows", "MacOS"]
    ... )
    array([[1. , 0.6, 0. ]])
    """

    table: Mapping
    default: float = 0.0

    def __post_init__(self):
        if not isinstance(self.table, Mapping) or not all(
            isinstance(key, tuple) and len(key) == 2 for key in self.table
        ):
            raise ValueError(
                f"table must be a dict {{(x, y): similarity}}, got {self.table!r}."
            )
        _unit_interval([*self.table.values(), self.default], "table and default")

    def __hash__(self):
        """Return a hash of the pairs: dictionaries have none."""
        return hash((frozenset(self.table), self.default))

    def _of_pair(self, x, y):
        backwards = self.table.get((y, x), 1.0 if x == y else self.default)
        return self.table.get((x, y), backwards)


@dataclass(frozen=True)
class SetSimilarity(Similarity):
    """Overlap of sets: the share of common elements.

    A cell is a set, list or tuple of hashable elements, such as installed applications.

    Parameters
    ----------
    kind : {"jaccard", "dice", "contained"}, default="jaccard"
        "jaccard": common elements over those in either set. "dice": twice the common
        elements over the sum of both sizes. "contained": the share of the query's
        elements that the case has. Two empty sets have similarity 1.

    Examples
    --------
    >>> from sklearn_bayeslazy import SetSimilarity
    >>> a, b = {"Excel", "Netscape", "Virusscan"}, {"Excel", "Word"}
    >>> SetSimilarity().pairwise([a], [b])  # 1/4
    array([[0.25]])
    >>> SetSimilarity("contained").pairwise([b], [a])  # 1/2
    array([[0.5]])
    """

    kind: str = "jaccard"
    reads_objects = True

    def __post_init__(self):
        _one_of(self.kind, ("jaccard", "dice", "contained"))

    def read(self, cell):
        """Return a set, list or tuple as a frozenset."""
        if isinstance(cell, str | bytes | Mapping) or not isinstance(cell, Iterable):
            raise TypeError(
                f"it must hold a set, list or tuple of elements, got {cell!r}"
            )
        return frozenset(cell)

    def _of_pair(self, x, y):
        common = len(x & y)
        whole = {
            "jaccard": len(x | y),
            "dice": (len(x) + len(y)) / 2,
            "contained": len(x),
        }[self.kind]
        return common / whole if whole else 1.0


@dataclass(frozen=True)
class WordSimilarity(Similarity):
    r"""Words of texts: the cosine of the square roots of their counts.

    .. math:: \sum_w \sqrt{\frac{n_w}{n} \frac{n'_w}{n'}}

    with the counts n_w of the words, in lower case. It is the Bhattacharyya
    coefficient of the two distributions: 1 for the same words in any order, 0 without a
    common word. Two texts without words have similarity 1.

    Examples
    --------
    >>> from sklearn_bayeslazy import WordSimilarity
    >>> WordSimilarity().pairwise(["error on shutdown"], ["Error on startup"])  # 2/3
    array([[0.66666667]])
    """

    reads_objects = True

    def read(self, cell):
        """Return a text."""
        if not isinstance(cell, str):
            raise TypeError(f"it must hold texts, got {cell!r}")
        return cell

    def pairwise(self, a, b):
        """Return the similarities (len(a), len(b)) of two lists of texts."""
        words = [[_word_shares(text) for text in one] for one in (a, b)]
        known = {}
        for shares in words[0] + words[1]:
            for word in shares:
                known.setdefault(word, len(known))
        roots = [np.zeros((len(one), len(known) + 1)) for one in words]
        for root, one in zip(roots, words):
            for i, shares in enumerate(one):
                for word, share in shares.items():
                    root[i, known[word]] = np.sqrt(share)
                if not shares:
                    root[i, -1] = 1.0
        return np.clip(roots[0] @ roots[1].T, 0.0, 1.0)


@dataclass(frozen=True)
class ValueDifferenceSimilarity(Similarity):
    r"""Value difference learnt from the target: symbols alike in what they predict.

    .. math::
        s(a, b)
        = 1 - \left(\frac{1}{2} \sum_c |P(c \mid a) - P(c \mid b)|^q\right)^{1/r}

    where P(c | a) is the m-estimate of class c among the cases with the value a. For a
    numeric target, with the m-estimated means f of the target, half the sum becomes
    (abs(f(a) - f(b)) / R)^q, where R is the range of the means. A value that no case
    has, and a missing one, have the similarity `missing` of the estimator with all. In
    leave-one-out a row is compared without its target.

    Parameters
    ----------
    m : float, default=1.0
        The weight of the class frequencies in the m-estimates, ≥ 0.
    q : float, default=1.0
        The exponent, above 0.
    root : float, default=1.0
        The root r, above 0. With q = root = 2, 1 - s is the Euclidean distance of the
        two distributions over √2, the normalized difference of HVDM.

    References
    ----------
    Stanfill, C. and Waltz, D. (1986), Toward memory-based reasoning, CACM 29.

    Wilson, D. R. and Martinez, T. R. (1997), Improved heterogeneous distance
    functions, JAIR 6.

    Examples
    --------
    Of the class "a" are all red cases, half of the pink ones and no blue one. So red is
    at 1 - (1/2 + 1/2) / 2 from pink:

    >>> from sklearn_bayeslazy import CaseBasedClassifier, ValueDifferenceSimilarity
    >>> cases = [{"colour": c} for c in ("red", "red", "pink", "pink", "blue", "blue")]
    >>> similarities = {"colour": ValueDifferenceSimilarity(m=0)}
    >>> model = CaseBasedClassifier(similarities=similarities, weights=None)
    >>> model = model.fit(cases, ["a", "a", "a", "b", "b", "b"])
    >>> model.retrieve([{"colour": "red"}], 6).frame()["similarity"].tolist()
    [1.0, 1.0, 0.5, 0.5, 0.0, 0.0]
    """

    m: float = 1.0
    q: float = 1.0
    root: float = 1.0

    def __post_init__(self):
        given = as_float_array([self.m, self.q, self.root], "m, q, root", "numbers")
        if given[0] < 0 or min(given[1:]) <= 0 or not np.all(np.isfinite(given)):
            raise ValueError(
                "m must be ≥ 0, q and root above 0, all finite, got "
                f"m={self.m!r}, q={self.q!r}, root={self.root!r}."
            )

    def pairwise(self, a, b):
        """Raise an error: the similarities are learnt in the fit of an estimator."""
        raise TypeError(
            "Value differences are learnt from the answers of cases: give the "
            "similarity to an estimator, fit it, and call retrieve."
        )


@dataclass(frozen=True)
class CallableSimilarity(Similarity):
    """The similarity ``function(query_value, case_value)``, from 0 to 1."""

    function: object

    def pairwise(self, a, b):
        """Return the similarities (len(a), len(b)) of two lists of values."""
        found = [self.function(x, y) for x in a for y in b]
        found = _unit_interval(found, f"What the similarity {self.function!r} returned")
        return found.reshape(len(a), len(b))


def _word_shares(text):
    """Return the share of each word in a text."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return {word: n / len(words) for word, n in Counter(words).items()}


def _one_of(kind, kinds):
    if kind not in kinds:
        raise ValueError(f"kind must be one of {kinds}, got {kind!r}.")


def _refuse_unlisted(values, listed, name, parameter):
    known = set(listed)
    if unknown := [value for value in values if value not in known]:
        raise ValueError(
            f"Attribute {name!r} has the value {unknown[0]!r}, which its {parameter} "
            f"does not list: add it to {parameter}, or replace it by a missing value."
        )


def _unit_interval(values, name):
    values = as_float_array(values, name, "numbers from 0 to 1")
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError(f"{name} must be numbers from 0 to 1, got {values}.")
    return values
