"""Understands the columns of raw tables: numbers, categories, dates, ids, text.

Free text becomes the scores of a `TextNB`, so this folder lies above the engines.
"""

from ._cells import MIN_CODE, string_of_mixed
from ._decide_column import CATEGORY, DROP, NUMBER, TEXT
from ._decide_table import (
    decide_columns,
    join_documents,
    read_target,
)
from ._numbers import limit_of
from ._table_cleaner import TableCleaner
from ._words import MISSING_AMONG_NUMBERS, MISSING_WORDS
