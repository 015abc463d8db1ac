"""Distances between rows of a table: numbers, symbols and missing cells."""

from ._brute_search import BruteSearch, MixedSearch
from ._cells import MixedSpace
from ._distances import (
    CallableDistances,
    PairwiseDistances,
    SparseManhattanDistances,
    check_distances,
    given_distances,
)
from ._embedding import TableEmbedding
from ._encoded_rows import EncodedRows
from ._number_columns import FARTHEST
from ._relevance import column_relevance
from ._relevance_weights import relevance_weights
from ._symbol_columns import ValueMeans
from ._table_columns import TableColumns

__all__ = [
    "FARTHEST",
    "BruteSearch",
    "CallableDistances",
    "EncodedRows",
    "MixedSearch",
    "MixedSpace",
    "PairwiseDistances",
    "SparseManhattanDistances",
    "TableColumns",
    "TableEmbedding",
    "ValueMeans",
    "check_distances",
    "column_relevance",
    "given_distances",
    "relevance_weights",
]
