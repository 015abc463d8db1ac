"""Rows of mixed tables as numbers: embedded, scaled, encoded; relevance of columns."""

from ._columns import FARTHEST, NORMAL_SCORE_DEVIATION, MeanRanks, ValueMeans
from ._embedding import MAX_CELLS_TO_KEEP, TableEmbedding, TransformedRows
from ._relevance import column_relevance, relevance_weights
