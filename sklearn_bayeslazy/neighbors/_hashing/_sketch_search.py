"""The exact nearest of dense rows, by sketches or by products.

Recall is judged and reported by them: no row that may be among the nearest is left out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._kernel import frozen
from .._search import empty_lists, sort_heaps
from ._dense_rows_kernels import take_by_products

# For each neighbour wanted so many rows are tried, the likeliest of one in so many.
_TRIED, _TRIED_OF = 4, 16
# Products with all rows are cheaper than measuring more than one in so many.
_POSSIBLE = 4
# Products are taken with so many rows at a time.
_TILE = 4096
# The rounding of a number in single precision.
EPSILON = 2.0**-24


@dataclass(frozen=True, eq=False)
class SketchSearch:
    """Measures what sketches do not rule out: rows are never closer than they say.

    Attributes
    ----------
    rows : DenseRows
    sketcher : Sketcher
    table : HashTable
        Holds the sketches of the rows.
    error : float
        The sketcher's.
    """

    rows: Any
    sketcher: Any
    table: Any
    error: float

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, leaving out own."""
        queries, n, k = queries[rows], self.rows.shape[0], int(weighted_k.k)
        sketches, rest = self.sketcher.draw(queries, n_jobs=1)
        n_read, n_tried = max(n // _TRIED_OF, _TRIED * k), min(_TRIED * k, n)
        tried = self.table.choose(queries, sketches, exclude, n_read, n_tried)
        found = self.rows.measure(queries, *tried, exclude, weighted_k)
        reach = np.where(found.counts < k, np.inf, np.sqrt(found.reduced[:, k - 1]))
        reach *= self.sketcher.unit
        lengths = np.sqrt(np.einsum("ij,ij->i", sketches, sketches) + rest)
        reach += self.error * (2 * lengths + reach)
        width = min(max(n // _POSSIBLE, n_tried), n)
        chosen, sizes = self.table.within(sketches, exclude, np.square(reach), width)
        many = np.flatnonzero(sizes > width)
        sizes[many] = 0
        sequence = np.arange(len(exclude))
        lists = self.rows.measure(queries, chosen, sizes, sequence, exclude, weighted_k)
        if len(many):
            search = ProductSearch(self.rows, self.sketcher)
            found = search.nearest(
                queries[many], slice(None), weighted_k, exclude[many]
            )
            lists.reduced[many], lists.indices[many] = found.reduced, found.indices
            lists.counts[many] = found.counts
        return lists


@dataclass(frozen=True, eq=False)
class ProductSearch:
    """Finds the exact nearest rows by products of centered rows in single precision.

    What may be among the nearest within their error is measured.

    Attributes
    ----------
    rows : DenseRows
    sketcher : Sketcher
        Says where the center is.
    """

    rows: Any
    sketcher: Any

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, leaving out own."""
        queries = queries[rows]
        lists = empty_lists(len(exclude), weighted_k.width)
        transformed, empty = queries.as_queries()
        short, squares = self.sketcher.center_rows(queries)
        masses = np.zeros(len(transformed))
        X, scales = self.rows.arrays()
        for base in range(0, len(X), _TILE):
            some = self.rows[base : base + _TILE]
            tile, tile_squares = self.sketcher.center_rows(some)
            take_by_products(
                short @ tile.T,
                base,
                tile_squares,
                squares,
                (X.shape[1] + 8) * EPSILON,
                self.sketcher.unit,
                transformed,
                empty,
                frozen(exclude, np.int64),
                X,
                scales,
                weighted_k.weight,
                int(weighted_k.k),
                lists.reduced,
                lists.indices,
                lists.counts,
                masses,
            )
        sort_heaps(lists.reduced, lists.indices, lists.counts)
        return lists
