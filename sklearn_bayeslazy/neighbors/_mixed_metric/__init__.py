"""Distances between rows of a table: numbers, symbols and missing cells."""

from ._embedding import TableEmbedding
from ._relevance import column_relevance

__all__ = ["TableEmbedding", "column_relevance"]
