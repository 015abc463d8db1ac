"""Understands the columns of raw tables: numbers, categories, dates, text, ids."""

from ._documents import count_words, is_free_text, is_missing, join_documents
from ._kinds import KINDS, Decision
from ._selectors import category_columns, number_columns
from ._table_cleaner import TableCleaner

__all__ = [
    "KINDS",
    "Decision",
    "TableCleaner",
    "category_columns",
    "count_words",
    "is_free_text",
    "is_missing",
    "join_documents",
    "number_columns",
]
