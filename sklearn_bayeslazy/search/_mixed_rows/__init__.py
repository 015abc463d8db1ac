"""Rows of mixed tables as numbers: embedded, scaled, encoded; relevance of columns."""

from ._cells import MixedSpace
from ._columns import ValueMeans
from ._embedding import TableEmbedding
from ._encoded_rows import EncodedRows
from ._number_columns import FARTHEST
from ._relevance import column_relevance
from ._relevance_weights import relevance_weights
from ._table_columns import TableColumns

__all__ = [
    "FARTHEST",
    "EncodedRows",
    "MixedSpace",
    "TableColumns",
    "TableEmbedding",
    "ValueMeans",
    "column_relevance",
    "relevance_weights",
]
