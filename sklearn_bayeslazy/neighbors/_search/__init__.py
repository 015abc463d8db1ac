"""Search: metrics, and what finds the nearest training rows exactly."""

from ._dense_kernels import (
    PRESENT,
    SQUARED,
    TILE,
    mass_without,
    measure,
    offer,
    settle_unit,
    smallest,
    sort_heap,
    sort_heaps,
)
from ._dense_search import DenseSearch, wants_tree
from ._engine_search import EngineSearch, refuse_sample_weight
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
from ._list_kernels import cut_weights
from ._metrics import (
    METRICS,
    SPARSE_METRICS,
    Metric,
    learn_metric,
    refuse_overflow,
    transform_sparse,
)
from ._mixed_search import MixedSearch, MixedSpace
from ._neighbor_lists import (
    WeightedK,
    drop_excluded,
    empty_lists,
    full_lists,
    no_exclusions,
)
from ._row_kernels import project
from ._sparse_kernels import exact_distance, sparse_distances
from ._sparse_search import SparseSearch

__all__ = [
    "COSINE",
    "DOT",
    "EUCLIDEAN",
    "METRICS",
    "PRESENT",
    "SPARSE_METRICS",
    "SQUARED",
    "TILE",
    "DenseSearch",
    "EngineSearch",
    "InvertedIndex",
    "Metric",
    "MixedSearch",
    "MixedSpace",
    "SparseSearch",
    "WeightedK",
    "add_postings",
    "build_tree",
    "cut_weights",
    "drop_excluded",
    "empty_lists",
    "exact_distance",
    "full_lists",
    "learn_metric",
    "mass_without",
    "measure",
    "measure_sparse",
    "no_exclusions",
    "offer",
    "project",
    "refuse_overflow",
    "refuse_sample_weight",
    "select",
    "settle_unit",
    "smallest",
    "sort_heap",
    "sort_heaps",
    "sparse_distances",
    "transform_sparse",
    "wants_tree",
]
