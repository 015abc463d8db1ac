"""Cases: how they are read, stored, compared, completed and combined."""

from ._base import CaseBase
from ._graphs import GraphSimilarity
from ._similarities import (
    EqualitySimilarity,
    NumberSimilarity,
    OrderedSimilarity,
    SetSimilarity,
    TableSimilarity,
    ValueDifferenceSimilarity,
    WordSimilarity,
)
from ._taxonomy import TaxonomySimilarity

__all__ = [
    "CaseBase",
    "EqualitySimilarity",
    "GraphSimilarity",
    "NumberSimilarity",
    "OrderedSimilarity",
    "SetSimilarity",
    "TableSimilarity",
    "TaxonomySimilarity",
    "ValueDifferenceSimilarity",
    "WordSimilarity",
]
