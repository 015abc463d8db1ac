"""Understands the columns of raw tables: numbers, categories, dates, text, ids."""

from ._cells import MISSING_WORDS, parse_numbers
from ._decide import (
    category_columns,
    decide_columns,
    is_missing,
    join_documents,
    number_columns,
)
from ._kinds import KINDS, Decision
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
