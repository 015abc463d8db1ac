"""Understands the columns of raw tables: numbers, categories, dates, ids, text.

Free text becomes the scores of a `TextNB`, so this folder lies above the engines.
"""

from ._cells import is_missing
from ._decide import (
    category_columns,
    decide_columns,
    join_documents,
    number_columns,
)
from ._kinds import CATEGORY, DROP, KINDS, TEXT, Decision
from ._numbers import parse_numbers
from ._table_cleaner import TableCleaner
from ._words import MISSING_WORDS

__all__ = [
    "CATEGORY",
    "DROP",
    "KINDS",
    "MISSING_WORDS",
    "TEXT",
    "Decision",
    "TableCleaner",
    "category_columns",
    "decide_columns",
    "is_missing",
    "join_documents",
    "number_columns",
    "parse_numbers",
]
