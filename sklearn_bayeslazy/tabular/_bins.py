"""A whole table as small codes, for learners that read it many times.

Numbers are encoded by ordered bins: one for each distinct value, or quantile bins.
Each category has a code. The last code stands for missing cells.
"""

from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config

from .._core._kernel import frozen
from .._core._parallel import map_tasks
from ._bin_kernels import bin_by_buckets, extent
from ._discretise import midpoint, quantile_cuts, weighted_unique
from ._table import infinity_error

# Columns whose codes are interleaved: one read of a row serves all of them.
LANES = 4
# One byte encodes 255 bins, or 254 categories and "other", and missing cells.
_N_BYTE_CODES = 256
_MAX_BINS = _N_BYTE_CODES - 1
_MAX_CATEGORIES = _N_BYTE_CODES - 2
# Fewer rows are sorted, which is then cheaper than buckets.
_MIN_ROWS_FOR_BUCKETS = 4096
_MAX_BUCKETS = 2**14  # their counts fit the cache
# Columns read together: the numbers of one cache line.
_MAX_COLUMNS_READ = 8


@dataclass
class CodeTable:
    """A table as codes."""

    # The codes of column j are codes[j // LANES, :, j % LANES], uint8 or uint16.

    codes: np.ndarray  # (ceil(n_columns / LANES), n_rows, LANES)
    n_codes: int  # of each column; the last is that of missing cells
    n_bins: np.ndarray  # (n_columns,): the codes below it are bins or categories
    cuts: list  # of each column: the cut points, as in `_discretise`; None for labels
    categories: list  # of each column: all categories; None for numbers
    category_of_code: list  # of each column: an index of categories; None for numbers

    @property
    def missing(self):
        """The code of missing cells."""
        return self.n_codes - 1

    def column(self, j):
        """Return the codes of a column."""
        return self.codes[j // LANES, :, j % LANES]


def code_table(table, max_bins=255, weight=None, n_jobs=None):
    """Return a :class:`CodeTable` of a table."""
    # max_bins: from 2 to 255; codes are then bytes. None: a bin for each value, of
    # which there must be fewer than 65 535; codes take two bytes if a column has more
    # than 255 values. weight: (n_rows,), for weighted quantiles, or None.
    n_rows, n_columns = table.n_rows, table.n_columns
    if weight is not None and np.all(weight == weight[0]):
        weight = None
    labels = [table.labels(j) for j in range(n_columns)]
    numeric = np.flatnonzero([column is None for column in labels])
    n_codes = _N_BYTE_CODES
    if max_bins is None:
        n_values = [len(np.unique(table.column(j))) for j in numeric]
        n_codes = max([n_codes, *(n + 1 for n in n_values)])
        max_bins = n_codes - 1
    coded = CodeTable(
        np.zeros(
            (-(-n_columns // LANES), n_rows, LANES),
            dtype=np.uint8 if n_codes == _N_BYTE_CODES else np.uint16,
        ),
        n_codes,
        np.zeros(n_columns, np.int64),
        *([None] * n_columns for _ in range(3)),
    )
    n_threads = max(min(effective_n_jobs(n_jobs), len(numeric)), 1)
    size = _columns_per_block(n_rows, n_threads)

    def encode_columns(share):
        block = np.empty((size, n_rows))  # reused, because fresh memory is slow
        for start in range(0, len(share), size):
            columns = share[start : start + size]
            table.read_by_column(columns, block[: len(columns)])
            for j, cells in zip(columns, block):
                x = frozen(cells, np.float64)
                low, high, n_present = span = extent(x)
                if n_present and np.isinf([low, high]).any():
                    raise infinity_error(table.names[j])
                codes = coded.column(j)
                cuts = _encode(x, span, max_bins, weight, coded.missing, codes)
                coded.cuts[j], coded.n_bins[j] = cuts, len(cuts) + 1

    map_tasks(encode_columns, np.array_split(numeric, n_threads), n_jobs=n_jobs)
    for j, column in enumerate(labels):
        if column is not None:
            _encode_labels(coded, j, column, weight)
    return coded


def _columns_per_block(n_rows, n_workers):
    """Return how many columns each thread may hold as numbers."""
    budget = get_config()["working_memory"] * 2**20 / n_workers
    return int(np.clip(budget // (8 * max(n_rows, 1)), 1, _MAX_COLUMNS_READ))


def _encode_labels(coded, j, labels, weight):
    """Write the codes of a column of labels; the rarest of many share a code."""
    n_categories = len(labels.categories)
    kept = np.arange(n_categories)
    if n_categories > _MAX_CATEGORIES:
        known = labels.codes >= 0
        label_weight = np.bincount(
            labels.codes[known],
            None if weight is None else weight[known],
            minlength=n_categories,
        )
        kept = np.sort(np.argsort(-label_weight, kind="stable")[:_MAX_CATEGORIES])
    other = coded.missing - 1
    code_of = np.full(n_categories + 1, other, dtype=coded.codes.dtype)
    code_of[kept] = np.arange(len(kept))
    code_of[-1] = coded.missing  # where a code is -1
    coded.column(j)[:] = code_of[labels.codes]
    coded.n_bins[j] = len(kept)
    coded.categories[j] = labels.categories
    coded.category_of_code[j] = kept


def split_points(x, max_bins, weight=None):
    """Return the cut points between all values, or quantiles if there are too many.

    >>> split_points(np.array([3.0, 1.0, 1.0, 2.0]), 3)
    array([1.5, 2.5])
    >>> split_points(np.array([3.0, 1.0, 1.0, 2.0]), 2)
    array([1.5])
    """
    values, value_weight = weighted_unique(x, weight)
    if len(values) <= max_bins:
        return midpoint(values[:-1], values[1:])
    return quantile_cuts(values, value_weight, max_bins)


def _encode(x, span, max_bins, weight, missing, codes):
    """Write the codes of a column's numbers; return its :func:`split_points`."""
    fits_buckets = len(x) >= _MIN_ROWS_FOR_BUCKETS and max_bins <= _MAX_BINS
    if weight is None and fits_buckets:
        cuts = _encode_by_buckets(x, span, max_bins, missing, codes)
        if cuts is not None:
            return cuts
    cuts = split_points(x, max_bins, weight)
    codes[:] = np.searchsorted(cuts, x, side="right")
    codes[np.isnan(x)] = missing
    return cuts


def _encode_by_buckets(x, span, max_bins, missing, codes):
    """Do as `_encode` without a sort; return None if values are spaced too unevenly."""
    low, high, n_present = span
    n_buckets = min(_MAX_BUCKETS, 2 ** int(np.log2(len(x))))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = (n_buckets - 1) / (np.float64(high) - low)
    if not 0 < scale < np.inf:
        return None
    sizes = n_present, n_buckets, max_bins
    last, least = bin_by_buckets(x, low, high, *sizes, missing, codes)
    return midpoint(last[:-1], least[1:]) if len(last) else None
