"""Engine 2, rows to nearest rows: metrics, and one contract with many searches.

A metric transforms rows so that a simple *reduced* distance remains, and a search lists
the nearest of the training rows for transformed queries. Whatever has the method of
`Search` is a search. This one compares rows by their largest difference in a column:

>>> import numpy as np
>>> from sklearn_bayeslazy.search import WeightedK, nearest_of_all, no_exclusions
>>> class ChebyshevSearch:
...     def __init__(self, rows):
...         self.rows = rows
...     def nearest(self, queries, rows, weighted_k, exclude):
...         reduced = np.abs(queries[rows][:, None] - self.rows).max(axis=2)
...         return nearest_of_all(reduced, weighted_k, exclude)
>>> search = ChebyshevSearch(np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 1.0]]))
>>> queries, two = np.array([[0.0, 2.0]]), WeightedK(2, np.ones(3))
>>> lists = search.nearest(queries, slice(0, 1), two, no_exclusions(1))
>>> lists.indices[:, :2]  # at max(1, 1) = 1 and max(0, 2) = 2
array([[2, 0]])

A metric goes to `_metrics.py` (or, without a kernel, to `_brute_search.py`), how it
reads rows to `_row_spaces.py`, and a search to another file. The test
``tests/search/test_search_contract.py`` runs over all searches.
"""

from typing import Protocol, runtime_checkable

from ._brute_search import BruteSearch
from ._dense_kernels import (
    SQUARED,
    TILE,
    block_distances,
    least_of_block,
    snap_right_angle,
)
from ._dense_search import DenseSearch, wants_tree
from ._engine_search import EngineSearch, refuse_sample_weight
from ._hashed import (
    MAX_BITS,
    STORED_TYPES,
    BalancedTree,
    BitRows,
    BucketSearch,
    ChangingSearch,
    ColumnSearch,
    DenseRows,
    HashTable,
    PositionsOfIds,
    ProductRows,
    RecallCurve,
    RecallReport,
    RowNames,
    RowRegister,
    SparseRows,
    TransformerHash,
    interval,
)
from ._inverted_index import InvertedIndex
from ._kd_tree import build_tree
from ._lookup_search import (
    EqualityTable,
    LookupQueries,
    LookupSearch,
    NumberColumn,
    OverlapRows,
    range_of,
)
from ._metrics import (
    METRICS,
    PAIRWISE_METRICS,
    SPARSE_METRICS,
    Metric,
    check_metric_params,
    learn_metric,
    product_metric,
    project,
)
from ._mixed_rows import (
    MAX_CELLS_TO_KEEP,
    NORMAL_SCORE_DEVIATION,
    MeanRanks,
    TableEmbedding,
    TransformedRows,
    ValueMeans,
    column_relevance,
    relevance_weights,
)
from ._neighbor_lists import (
    NeighborLists,
    WeightedK,
    count_alive,
    drop_excluded,
    full_lists,
    heap_push,
    merged_lists,
    nearest_of_all,
    no_exclusions,
)
from ._row_spaces import (
    EngineSpace,
    NumericSpace,
    TableSpace,
    brute_space,
    search_points,
)
from ._sparse_kernels import exact_distance, sparse_distances
from ._sparse_search import SparseSearch
from ._ties import lack_ties, lists_with_ties, share_weights
from ._window_search import WindowRule, Windows, WindowSearch


@runtime_checkable
class Search(Protocol):
    """Finds the nearest training rows of queries."""

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the `NeighborLists` of a slice of queries."""
        # queries: rows as the search transforms them, which can be sliced; rows: the
        # slice, of m of them; weighted_k: a `WeightedK`, the total weight of rows at
        # which a list is full; exclude: int (m,), the training row that is left out, -1
        # for none. A list is sorted by (reduced distance, index); rows
        # equally far but for rounding have one distance (`merge_ties`). A list holds
        # rows until their weights sum to k, or more, and depends on its query alone.
        ...


@runtime_checkable
class VotingSearch(Search, Protocol):
    """A search whose rows vote: it has a metric, and sums up tied rows."""

    metric: Metric
    # (queries, reduced distances, exclude, weight, row targets) to the total weights
    # and sums of the targets of all rows at these distances; None if it has lists only.
    sum_ties: object

    @property
    def n_rows(self):
        """Return the number of training rows."""
        ...

    def training_queries(self):
        """Return the training rows, transformed as queries."""
        ...
