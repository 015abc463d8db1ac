"""Lazy learners: the nearest training rows, or all of them, answer for a new one."""

from ._axis_stretcher import AxisStretcher
from ._inverted_index_neighbors import InvertedIndexNeighbors
from ._shepard_knn import ShepardKNN
from ._shepard_knn_regressor import ShepardKNNRegressor

__all__ = [
    "AxisStretcher",
    "InvertedIndexNeighbors",
    "ShepardKNN",
    "ShepardKNNRegressor",
]
