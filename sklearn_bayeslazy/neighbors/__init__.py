"""Predictions from nearest rows and from similar cases; engines that find them."""

from ._axis_stretcher import AxisStretcher
from ._case_based_classifier import CaseBasedClassifier
from ._case_based_regressor import CaseBasedRegressor
from ._cases import (
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
from ._inverted_index_neighbors import InvertedIndexNeighbors
from ._learned_hash import LearnedHash
from ._lsh_neighbors import LSHNeighbors
from ._random_projection_hash import RandomProjectionHash
from ._sharded_neighbors import ShardedNeighbors
from ._shepard_knn import ShepardKNN
from ._shepard_knn_regressor import ShepardKNNRegressor
from ._value_difference_encoder import ValueDifferenceEncoder
