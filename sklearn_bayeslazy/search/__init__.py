"""Engine 2, rows to nearest rows: metrics, and one contract with many searches."""

from ._brute_search import BruteSearch, MixedSearch
from ._brute_space import brute_space
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
    MAX_EXHAUSTIVE_ROWS,
    BalancedTree,
    BucketSearch,
    ColumnSearch,
    DenseRows,
    HashTable,
    RecallCurve,
    RecallReport,
    SparseRows,
    TransformerHash,
    interval,
    rows_within,
)
from ._heap_kernels import heap_push, remaining_weight, sort_heap
from ._inverted_index import InvertedIndex
from ._inverted_index_kernels import COSINE, DOT, EUCLIDEAN
from ._kd_tree import build_tree
from ._kd_tree_kernels import select
from ._list_kernels import share_weights
from ._metrics import (
    METRICS,
    PAIRWISE_METRICS,
    SPARSE_METRICS,
    Metric,
    check_metric_params,
    learn_metric,
    transform_sparse,
)
from ._mixed_rows import (
    FARTHEST,
    EncodedRows,
    MixedSpace,
    TableColumns,
    TableEmbedding,
    ValueMeans,
    column_relevance,
    relevance_weights,
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
from ._numeric_space import (
    EngineSpace,
    NumericSpace,
    TransformedRows,
    in_chunks,
    search_points,
)
from ._row_kernels import project
from ._sparse_kernels import exact_distance, sparse_distances
from ._sparse_search import SparseSearch
from ._table_space import TableSpace
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
    "FARTHEST",
    "MAX_EXHAUSTIVE_ROWS",
    "MAX_ROWS_TO_LIST",
    "METRICS",
    "PAIRWISE_METRICS",
    "ROWS_LISTED_FOR_TIES",
    "SPARSE_METRICS",
    "SQUARED",
    "TILE",
    "BalancedTree",
    "BruteSearch",
    "BucketSearch",
    "ColumnSearch",
    "DenseRows",
    "DenseSearch",
    "EncodedRows",
    "EngineSearch",
    "EngineSpace",
    "HashTable",
    "InvertedIndex",
    "Metric",
    "MixedSearch",
    "MixedSpace",
    "NeighborLists",
    "NumericSpace",
    "RecallCurve",
    "RecallReport",
    "SparseRows",
    "SparseSearch",
    "TableColumns",
    "TableEmbedding",
    "TableSpace",
    "TransformedRows",
    "TransformerHash",
    "ValueMeans",
    "WeightedK",
    "block_distances",
    "brute_space",
    "build_tree",
    "can_sort_all",
    "check_metric_params",
    "column_relevance",
    "drop_excluded",
    "empty_lists",
    "exact_distance",
    "full_lists",
    "heap_push",
    "in_chunks",
    "interval",
    "lack_ties",
    "learn_metric",
    "least_of_block",
    "lists_with_ties",
    "nearest_of_all",
    "no_exclusions",
    "project",
    "refuse_sample_weight",
    "relevance_weights",
    "remaining_weight",
    "replace_lists",
    "rows_beyond",
    "rows_within",
    "search_points",
    "select",
    "share_weights",
    "snap_right_angle",
    "sort_heap",
    "sparse_distances",
    "transform_sparse",
    "wants_tree",
]
