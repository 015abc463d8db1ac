"""Instance-based learners: predictions from the nearest training rows, or from all."""

from ._axis_stretcher import AxisStretcher
from ._inverted_index_neighbors import InvertedIndexNeighbors
from ._learned_hash import LearnedHash
from ._lsh_neighbors import LSHNeighbors
from ._random_projection_hash import RandomProjectionHash
from ._sharded_neighbors import ShardedNeighbors
from ._shepard_knn import ShepardKNN
from ._shepard_knn_regressor import ShepardKNNRegressor
from ._value_difference_encoder import ValueDifferenceEncoder

__all__ = [
    "AxisStretcher",
    "InvertedIndexNeighbors",
    "LSHNeighbors",
    "LearnedHash",
    "RandomProjectionHash",
    "ShardedNeighbors",
    "ShepardKNN",
    "ShepardKNNRegressor",
    "ValueDifferenceEncoder",
]
