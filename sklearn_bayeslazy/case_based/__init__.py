"""Case-based reasoning: predictions from stored symbolic descriptions."""

from ._case_based_classifier import CaseBasedClassifier
from ._case_based_regressor import CaseBasedRegressor
from ._similarities import (
    EqualitySimilarity,
    GraphSimilarity,
    NumberSimilarity,
    OrderedSimilarity,
    SetSimilarity,
    TableSimilarity,
    TaxonomySimilarity,
    ValueDifferenceSimilarity,
    WordSimilarity,
)

__all__ = [
    "CaseBasedClassifier",
    "CaseBasedRegressor",
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
