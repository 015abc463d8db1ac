"""Similarities of single attributes, from 0 to 1."""

from ._graphs import GraphSimilarity, Match, SignedGraph, is_graph, match_graphs
from ._numbers import NumberSimilarity
from ._symbols import (
    CallableSimilarity,
    EqualitySimilarity,
    OrderedSimilarity,
    SetSimilarity,
    Similarity,
    TableSimilarity,
    ValueDifferenceSimilarity,
    WordSimilarity,
)
from ._taxonomy import TaxonomySimilarity

__all__ = [
    "CallableSimilarity",
    "EqualitySimilarity",
    "GraphSimilarity",
    "Match",
    "NumberSimilarity",
    "OrderedSimilarity",
    "SetSimilarity",
    "SignedGraph",
    "Similarity",
    "TableSimilarity",
    "TaxonomySimilarity",
    "ValueDifferenceSimilarity",
    "WordSimilarity",
    "is_graph",
    "match_graphs",
]
