"""A whole table as small codes, for learners that pass over it often.

Numbers fall in ordered bins: one for each distinct value, or so many quantile bins.
Categories have a code each. The last code stands for missing cells.
"""

from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config

from .._kernel import frozen
from .._parallel import map_tasks
from ._bin_kernels import bin_by_buckets, extent
from ._discretise import distinct_masses, midpoint, quantile_cuts
from ._table import infinity_error

# Columns whose codes lie side by side: what is read of a row serves them all.
LANES = 4
# Codes of a byte: 255 bins, or 254 categories and the rest, and missing cells.
_N_BYTES = 256
_MOST_BINS = _N_BYTES - 1
_MOST_CATEGORIES = _N_BYTES - 2
# Below so many rows a sort costs less than buckets do.
_WORTH_BUCKETS = 4096
_LARGEST_N_BUCKETS = 2**14  # whose counts stay in the cache
# Columns read at a time: the numbers of one line of the cache.
_COLUMNS_READ = 8


@dataclass
class CodeTable:
    """A table as codes.

    Attributes
    ----------
    codes : uint8 or uint16 array of shape (ceil(n_columns / LANES), n_rows, LANES)
        The codes of column j are ``codes[j // LANES, :, j % LANES]``.
    n_codes : int
        How many codes there are for each column; the last is that of missing cells.
    n_bins : int array of shape (n_columns,)
        How many of them, from 0 on, are bins or categories to choose from.
    cuts : list
        The cut points of a column, as in :mod:`._discretise`; None of labels.
    categories : list
        The categories of a column, all of them; None of numbers.
    category_of_code : list
        Which category each code stands for; None of numbers.
    """

    codes: np.ndarray
    n_codes: int
    n_bins: np.ndarray
    cuts: list
    categories: list
    category_of_code: list

    @property
    def missing(self):
        """The code of missing cells."""
        return self.n_codes - 1

    def column(self, j):
        """Return the codes of a column."""
        return self.codes[j // LANES, :, j % LANES]


def code_table(table, max_bins=255, weight=None, n_jobs=None):
    """Return a :class:`CodeTable` of a table.

    Parameters
    ----------
    table : Table
    max_bins : int or None, default=255
        Between 2 and 255, and a code is a byte. None: a bin for each value, of which
        there must be fewer than 65 535, and two bytes if there are more than 255.
    weight : array of shape (n_rows,), default=None
        Masses of the rows, by which quantiles are taken.
    n_jobs : int, default=None
        Threads.
    """
    n_rows, n_columns = table.n_rows, table.n_columns
    if weight is not None and np.all(weight == weight[0]):
        weight = None
    labels = [table.labels(j) for j in range(n_columns)]
    numeric = np.flatnonzero([column is None for column in labels])
    n_codes = _N_BYTES
    if max_bins is None:
        n_values = [len(np.unique(table.column(j))) for j in numeric]
        n_codes = max([n_codes, *(n + 1 for n in n_values)])
        max_bins = n_codes - 1
    found = CodeTable(
        np.zeros(
            (-(-n_columns // LANES), n_rows, LANES),
            dtype=np.uint8 if n_codes == _N_BYTES else np.uint16,
        ),
        n_codes,
        np.zeros(n_columns, np.int64),
        *([None] * n_columns for _ in range(3)),
    )
    n_threads = max(min(effective_n_jobs(n_jobs), len(numeric)), 1)
    size = _columns_at_a_time(n_rows, n_threads)

    def read_numbers(share):
        block = np.empty((size, n_rows))  # one for all: fresh memory is slow
        for start in range(0, len(share), size):
            columns = share[start : start + size]
            table.read_by_column(columns, block[: len(columns)])
            for j, cells in zip(columns, block):
                x = frozen(cells, np.float64)
                low, high, n_present = span = extent(x)
                if n_present and np.isinf([low, high]).any():
                    raise infinity_error(table.names[j])
                codes = found.column(j)
                cuts = _encode(x, span, max_bins, weight, found.missing, codes)
                found.cuts[j], found.n_bins[j] = cuts, len(cuts) + 1

    map_tasks(read_numbers, np.array_split(numeric, n_threads), n_jobs=n_jobs)
    for j, column in enumerate(labels):
        if column is not None:
            _encode_labels(found, j, column, weight)
    return found


def _columns_at_a_time(n_rows, n_workers):
    """Return how many columns' numbers each thread may hold."""
    budget = get_config()["working_memory"] * 2**20 / n_workers
    return int(np.clip(budget // (8 * max(n_rows, 1)), 1, _COLUMNS_READ))


def _encode_labels(found, j, labels, weight):
    """Write the codes of a column of labels; the most frequent have one each."""
    n_categories = len(labels.categories)
    kept = np.arange(n_categories)
    if n_categories > _MOST_CATEGORIES:
        known = labels.codes >= 0
        mass = np.bincount(
            labels.codes[known],
            None if weight is None else weight[known],
            minlength=n_categories,
        )
        kept = np.sort(np.argsort(-mass, kind="stable")[:_MOST_CATEGORIES])
    other = found.missing - 1
    code_of = np.full(n_categories + 1, other, dtype=found.codes.dtype)
    code_of[kept] = np.arange(len(kept))
    code_of[-1] = found.missing  # where a code is -1
    found.column(j)[:] = code_of[labels.codes]
    found.n_bins[j] = len(kept)
    found.categories[j] = labels.categories
    found.category_of_code[j] = kept


def split_points(x, max_bins, weight=None):
    """Return the cut points between all values, or quantiles if there are too many.

    >>> split_points(np.array([3.0, 1.0, 1.0, 2.0]), 3)
    array([1.5, 2.5])
    >>> split_points(np.array([3.0, 1.0, 1.0, 2.0]), 2)
    array([1.5])
    """
    values, mass = distinct_masses(x, weight)
    if len(values) <= max_bins:
        return midpoint(values[:-1], values[1:])
    return quantile_cuts(values, mass, max_bins)


def _encode(x, span, max_bins, weight, missing, codes):
    """Write the codes of a column's numbers; return its :func:`split_points`."""
    in_buckets = len(x) >= _WORTH_BUCKETS and max_bins <= _MOST_BINS
    if weight is None and in_buckets:
        cuts = _encode_by_buckets(x, span, max_bins, missing, codes)
        if cuts is not None:
            return cuts
    cuts = split_points(x, max_bins, weight)
    codes[:] = np.searchsorted(cuts, x, side="right")
    codes[np.isnan(x)] = missing
    return cuts


def _encode_by_buckets(x, span, max_bins, missing, codes):
    """Do as `_encode` without a sort; return None where the values lie too unevenly."""
    low, high, n_present = span
    n_buckets = min(_LARGEST_N_BUCKETS, 2 ** int(np.log2(len(x))))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = (n_buckets - 1) / (np.float64(high) - low)
    if not 0 < scale < np.inf:
        return None
    sizes = n_present, n_buckets, max_bins
    last, least = bin_by_buckets(x, low, high, *sizes, missing, codes)
    return midpoint(last[:-1], least[1:]) if len(last) else None
