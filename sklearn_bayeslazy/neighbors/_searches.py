"""Searches: which training rows are nearest to a query, whatever finds them.

Each has ``nearest(queries, rows, demand, own)``, which returns `Lists` for a slice of
placed queries. All break ties by (distance, row); all but engines, which measure by
themselves, give the same bits.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .._kernel import frozen
from ._blocks import LANES, block_ids, in_blocks, width_for
from ._kd_tree import build_tree
from ._neighbor_kernels import (
    SQUARED,
    UNIT,
    nearest_in_blocks,
    nearest_in_tree,
    sort_heaps,
    take_products,
)
from ._sparse_neighbor_kernels import nearest_in_postings

# Rows in a leaf: more cost distances, fewer cost boxes (measured at 2 to 10 columns).
LEAF = 64
# Where a kd-tree beats reading every row (measured with k = 10).
TREE_LEAST_ROWS, TREE_MOST_COLUMNS = 2000, 10
# From so many columns on, a matrix product tells faster which rows are worth measuring.
PRODUCT_LEAST_COLUMNS = 11
# So many queries at a time: their products with a block stay in the second cache.
PRODUCT_TILE = 512
# Fractional masses are added up in any order: their sums are trusted to this share.
_SLACK = 1e-6


@dataclass
class Lists:
    """The nearest rows of queries.

    Attributes
    ----------
    reduced : ndarray of shape (m, width)
        Reduced distances, ascending.
    ids : int array of shape (m, width)
    counts : int array of shape (m,)
        How many of a query's list are there; what comes after means nothing.
    """

    reduced: np.ndarray
    ids: np.ndarray
    counts: np.ndarray


class Demand:
    """How much mass of neighbours is wanted, and what that takes.

    Attributes
    ----------
    weight : ndarray of shape (n,)
        Masses of the rows; more than what is wanted is not counted.
    enough : float
        The mass at which a search may stop.
    width : int
        How long a list can become.
    """

    def __init__(self, k, weight):
        whole = bool(np.all(weight == np.floor(weight)))
        self.enough = float(k) if whole else k * (1 + _SLACK)
        # One copy may be left out: a row needs to hold one more than what is wanted.
        self.weight = frozen(np.minimum(weight, self.enough + 1), np.float64)
        reached = np.cumsum(np.sort(self.weight))
        limit = self.enough if whole else self.enough * (1 + _SLACK)
        needed = int(np.searchsorted(reached, limit)) + 1
        # One row at most is left out, and one comes in before another goes.
        self.width = min(needed + 1, len(weight)) + 1


def empty_lists(m, width):
    """Return lists to be filled."""
    return Lists(
        np.empty((m, width)),
        np.empty((m, width), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
    )


def full_lists(reduced, ids):
    """Return lists of rows that are all there, sorted by (distance, row)."""
    order = np.lexsort((ids, reduced), axis=-1)
    return Lists(
        np.take_along_axis(reduced, order, axis=1),
        np.take_along_axis(ids, order, axis=1),
        np.full(len(ids), ids.shape[1], dtype=np.int64),
    )


def wants_tree(n_rows, n_columns):
    """Tell whether a kd-tree finds the nearest of dense rows sooner than a scan."""
    return n_rows >= TREE_LEAST_ROWS and n_columns <= TREE_MOST_COLUMNS


class DenseSearch:
    """Nearest among dense rows: all are read, or the leaves of a kd-tree.

    Parameters
    ----------
    metric : Metric
    rows : ndarray of shape (n, n_features)
        Placed by the metric.
    segments : list of int arrays
        Kept apart in blocks, for votes by class.
    tree : bool
    """

    def __init__(self, metric, rows, segments, tree):
        self.metric = metric
        self.lower = self.upper = None
        width = width_for(segments)
        if tree:
            boxes = build_tree(rows, LEAF)
            self.lower, self.upper = boxes.lower, boxes.upper
            leaves = slice(boxes.first_leaf, None)
            starts, stops = boxes.start[leaves], boxes.stop[leaves]
            segments = [boxes.order[i:j] for i, j in zip(starts, stops)]
            width = -(-int((stops - starts).max()) // LANES) * LANES
        self.blocks = in_blocks(rows, segments, width)
        many = rows.shape[1] >= PRODUCT_LEAST_COLUMNS
        self.by_products = not tree and metric.kind in (SQUARED, UNIT) and many
        if self.by_products:
            squares = np.einsum("ij,ij->i", rows, rows)
            self.row_squares = self.blocks.spread(squares)

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.blocks.n_rows

    def placed_rows(self):
        """Return the training rows."""
        return self.blocks.rows()

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.metric.as_queries(self.placed_rows())

    def nearest(self, queries, rows, demand, own):
        """Return the nearest rows of a slice of queries, without one copy of own."""
        queries = frozen(queries[rows], np.float64)
        lists = empty_lists(len(queries), demand.width)
        if self.by_products:
            return self._nearest_by_products(queries, demand, own, lists)
        cells = frozen(self.blocks.cells, np.float64)
        ids = frozen(self.blocks.ids, np.int64)
        rest = (
            queries,
            frozen(own, np.int64),
            demand.weight,
            demand.enough,
            self.metric.kind,
            self.metric.p,
            lists.reduced,
            lists.ids,
            lists.counts,
        )
        if self.lower is None:
            nearest_in_blocks(cells, ids, *rest)
        else:
            boxes = frozen(self.lower, np.float64), frozen(self.upper, np.float64)
            nearest_in_tree(cells, ids, *boxes, *rest)
        return lists

    def _nearest_by_products(self, queries, demand, own, lists):
        cells = frozen(self.blocks.cells, np.float64)
        ids = frozen(self.blocks.ids, np.int64)
        row_squares = frozen(self.row_squares, np.float64)
        own = frozen(own, np.int64)
        # Both squares and the product are sums of d terms, each off by a rounding.
        slack = 4 * (queries.shape[1] + 64) * np.finfo(np.float64).eps
        products = np.empty((min(len(queries), PRODUCT_TILE), cells.shape[2]))
        for first in range(0, len(queries), PRODUCT_TILE):
            tile = slice(first, min(first + PRODUCT_TILE, len(queries)))
            some = queries[tile]
            squares = np.einsum("ij,ij->i", some, some)
            masses = np.zeros(len(some))
            for b, block in enumerate(cells):
                with np.errstate(invalid="ignore", over="ignore"):  # where is no row
                    np.matmul(some, block, out=products[: len(some)])
                take_products(
                    products[: len(some)],
                    slack,
                    cells,
                    ids,
                    b,
                    row_squares,
                    some,
                    squares,
                    own[tile],
                    demand.weight,
                    demand.enough,
                    self.metric.kind == UNIT,
                    lists.reduced[tile],
                    lists.ids[tile],
                    lists.counts[tile],
                    masses,
                )
        sort_heaps(lists.reduced, lists.ids, lists.counts)
        return lists


class SparseSearch:
    """Nearest among sparse rows, by postings; the parameters are those above."""

    def __init__(self, metric, rows, segments):
        self.metric = metric
        self.rows = rows = sparse.csr_array(rows)
        self.ids = block_ids(segments, width_for(segments))
        places = self.ids.ravel()
        there = places >= 0
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        self.squares = np.where(there, squares[places], np.inf)
        place_of = np.empty(rows.shape[0], dtype=np.int64)
        place_of[places[there]] = np.flatnonzero(there)
        columns = rows.tocsc()
        places = place_of[columns.indices]
        self.postings = columns.indptr.astype(np.int64), places, columns.data

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.rows.shape[0]

    @property
    def apart(self):
        """Tell whether rows of zeros lie apart from all others."""
        return self.metric.name == "cosine"

    def placed_rows(self):
        """Return the training rows."""
        return self.rows

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.rows

    def arrays(self):
        """Return what the kernels read: postings, rows, places, squares, apart."""
        rows = self.rows
        return (
            frozen_triple(*self.postings),
            frozen_triple(rows.indptr, rows.indices, rows.data),
            frozen(self.ids.ravel(), np.int64),
            frozen(self.squares, np.float64),
            self.apart,
        )

    def nearest(self, queries, rows, demand, own):
        """Return the nearest rows of a slice of queries, without one copy of own."""
        lists = empty_lists(rows.stop - rows.start, demand.width)
        nearest_in_postings(
            frozen_triple(queries.indptr, queries.indices, queries.data),
            rows.start,
            *self.arrays(),
            frozen(own, np.int64),
            demand.weight,
            demand.enough,
            lists.reduced,
            lists.ids,
            lists.counts,
        )
        return lists


class EngineSearch:
    """Nearest by an object with ``kneighbors``, whose distances are taken as they are.

    Parameters
    ----------
    engine : estimator
        A fitted one is used as it is, another is cloned and fitted.
    metric : Metric
    rows : {ndarray, sparse matrix} of shape (n, n_features)
    """

    def __init__(self, engine, metric, rows):
        self.engine = _fitted(engine, rows)
        self.metric = metric
        self.rows = rows

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.rows.shape[0]

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.rows

    def nearest(self, queries, rows, demand, own):
        """Return the nearest rows of a slice of queries, leaving out own."""
        left_out = bool(np.any(own >= 0))
        width = min(int(demand.enough) + left_out, self.n_rows)
        distances, ids = self._ask(queries[rows], width)
        if left_out:
            distances, ids = without_own(distances, ids, own)
        return full_lists(distances * self.metric.divisor, ids)

    def _ask(self, queries, width):
        """Return distances and row numbers, of which kernels trust every one."""
        name = type(self.engine).__name__
        answer = self.engine.kneighbors(queries, n_neighbors=width)
        distances, ids = (np.asarray(part) for part in answer)
        wanted = queries.shape[0], width
        if distances.shape != wanted or ids.shape != wanted:
            raise ValueError(
                f"The engine ({name}) was asked for {width} neighbors of "
                f"{wanted[0]} rows and returned distances of shape {distances.shape} "
                f"and row numbers of shape {ids.shape}; both must be {wanted}."
            )
        numbers = ids.dtype.kind in "iu"
        if not numbers or np.any(ids < 0) or np.any(ids >= self.n_rows):
            raise ValueError(
                f"The engine ({name}) returned row numbers that are no integers from 0 "
                f"to {self.n_rows - 1}: a list must be full, and of rows of X."
            )
        distances = distances.astype(np.float64)
        if not np.all(distances >= 0):
            raise ValueError(
                f"The engine ({name}) returned distances that are NaN or negative."
            )
        return distances, ids.astype(np.int64)


def _fitted(engine, rows):
    """Return a fitted engine, and raise an error if it was fitted to other rows."""
    name = type(engine).__name__
    try:
        check_is_fitted(engine)
    except NotFittedError:
        return clone(engine).fit(rows)
    except AttributeError as error:
        raise TypeError(
            f"The engine ({name}) is no scikit-learn estimator ({error}): derive it "
            "from sklearn.base.BaseEstimator."
        ) from error
    n_rows = getattr(engine, "n_samples_fit_", rows.shape[0])
    if n_rows != rows.shape[0]:
        raise ValueError(
            f"The engine ({name}) was fitted to {n_rows} rows, and X has "
            f"{rows.shape[0]}: fit it to the same rows, or give it unfitted."
        )
    return engine


def refuse_masses(engine, sample_weight):
    """Raise the error of sample weights beside an engine."""
    if sample_weight is not None:
        raise ValueError(
            f"sample_weight cannot be used with an engine ({type(engine).__name__}), "
            "which counts rows and not masses: set algorithm='auto'."
        )


def without_own(distances, ids, own):
    """Return lists without the query itself, or without the last if it is not there."""
    kept = ids != own[:, None]
    kept[kept.all(axis=1), -1] = False
    shape = len(ids), ids.shape[1] - 1
    return distances[kept].reshape(shape), ids[kept].reshape(shape)


def nobody(n_queries):
    """Return that no query is a training row."""
    return np.full(n_queries, -1)


def frozen_triple(starts, places, values):
    """Return the arrays of a sparse matrix as kernels read them."""
    return (
        frozen(starts, np.int64),
        frozen(places, np.int64),
        frozen(values, np.float64),
    )
