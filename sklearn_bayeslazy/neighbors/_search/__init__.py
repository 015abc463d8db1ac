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
from ._engine_search import EngineSearch, refuse_masses
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
from ._list_kernels import cut_masses
from ._metrics import (
    METRICS,
    SPARSE_METRICS,
    Metric,
    learn_metric,
    place_sparse,
    refuse_overflow,
)
from ._mixed_search import MixedSearch, MixedSpace
from ._neighbor_lists import Demand, empty_lists, full_lists, nobody, without_own
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
    "Demand",
    "DenseSearch",
    "EngineSearch",
    "InvertedIndex",
    "Metric",
    "MixedSearch",
    "MixedSpace",
    "SparseSearch",
    "add_postings",
    "build_tree",
    "cut_masses",
    "empty_lists",
    "exact_distance",
    "full_lists",
    "learn_metric",
    "mass_without",
    "measure",
    "measure_sparse",
    "nobody",
    "offer",
    "place_sparse",
    "project",
    "refuse_masses",
    "refuse_overflow",
    "select",
    "settle_unit",
    "smallest",
    "sort_heap",
    "sort_heaps",
    "sparse_distances",
    "wants_tree",
    "without_own",
]
