"""Understands the columns of raw tables: numbers, categories, dates, text, ids."""

from ._cells import MISSING_WORDS, parse_numbers
from ._decide import decide_columns
from ._documents import is_missing, join_documents
from ._kinds import KINDS, Decision
from ._selectors import category_columns, number_columns
from ._table_cleaner import TableCleaner

__all__ = [
    "KINDS",
    "MISSING_WORDS",
    "Decision",
    "TableCleaner",
    "category_columns",
    "decide_columns",
    "is_missing",
    "join_documents",
    "number_columns",
    "parse_numbers",
]
