"""Search: metrics, and exact searches for the nearest training rows."""

from ._dense_kernels import (
    MANHATTAN,
    PRESENT,
    SQUARED,
    TILE,
    UNIT,
    block_distances,
    least_of_block,
    snap_right_angle,
)
from ._dense_search import DenseSearch, wants_tree
from ._engine_search import EngineSearch, refuse_sample_weight
from ._heap_kernels import heap_push, remaining_weight, sort_heap, sort_heaps
from ._inverted_index import InvertedIndex
from ._inverted_index_kernels import (
    COSINE,
    DOT,
    EUCLIDEAN,
    add_postings,
    measure_sparse,
)
from ._kd_tree import build_tree
from ._kd_tree_kernels import select
from ._list_kernels import share_weights
from ._metrics import (
    METRICS,
    PAIRWISE_METRICS,
    SPARSE_METRICS,
    Metric,
    check_metric_params,
    column_weights,
    learn_metric,
    refuse_overflow,
    transform_sparse,
)
from ._neighbor_lists import (
    MAX_ROWS_TO_LIST,
    NeighborLists,
    WeightedK,
    can_sort_all,
    drop_excluded,
    empty_lists,
    full_lists,
    nearest_of_all,
    no_exclusions,
)
from ._row_kernels import project
from ._sparse_kernels import exact_distance, sparse_distances
from ._sparse_search import SparseSearch
from ._ties import (
    ROWS_LISTED_FOR_TIES,
    lack_ties,
    lists_with_ties,
    replace_lists,
    rows_beyond,
)

__all__ = [
    "COSINE",
    "DOT",
    "EUCLIDEAN",
    "MANHATTAN",
    "MAX_ROWS_TO_LIST",
    "METRICS",
    "PAIRWISE_METRICS",
    "PRESENT",
    "ROWS_LISTED_FOR_TIES",
    "SPARSE_METRICS",
    "SQUARED",
    "TILE",
    "UNIT",
    "DenseSearch",
    "EngineSearch",
    "InvertedIndex",
    "Metric",
    "NeighborLists",
    "SparseSearch",
    "WeightedK",
    "add_postings",
    "block_distances",
    "build_tree",
    "can_sort_all",
    "check_metric_params",
    "column_weights",
    "drop_excluded",
    "empty_lists",
    "exact_distance",
    "full_lists",
    "heap_push",
    "lack_ties",
    "learn_metric",
    "least_of_block",
    "lists_with_ties",
    "measure_sparse",
    "nearest_of_all",
    "no_exclusions",
    "project",
    "refuse_overflow",
    "refuse_sample_weight",
    "remaining_weight",
    "replace_lists",
    "rows_beyond",
    "select",
    "share_weights",
    "snap_right_angle",
    "sort_heap",
    "sort_heaps",
    "sparse_distances",
    "transform_sparse",
    "wants_tree",
]
