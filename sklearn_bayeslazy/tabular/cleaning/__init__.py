"""Understands the columns of raw tables: numbers, categories, dates, ids, text.

Free text becomes the scores of a `TextNB`, so this folder lies above the engines.
"""

from ._cells import (
    MIN_CODE,
    is_marker,
    read_columns,
    string_of_mixed,
    usual_decimal,
)
from ._columns import join_documents
from ._decide_column import CATEGORY, DROP, NUMBER, TEXT, decide, decide_target
from ._numbers import is_bound, learn_numbers
from ._table_cleaner import TableCleaner
from ._words import MISSING_AMONG_NUMBERS, MISSING_WORDS
