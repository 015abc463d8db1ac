"""Tables: columns and their kinds, the target and the task."""

from ._read_table import read_table
from ._table import (
    CATEGORY,
    CLASSIFICATION,
    COLUMNS,
    DOCUMENTS,
    DROP,
    REGRESSION,
    TEXT,
    WHOLE,
    Column,
    Table,
    TableError,
)
from ._target import infer_task

__all__ = [
    "CATEGORY",
    "CLASSIFICATION",
    "COLUMNS",
    "DOCUMENTS",
    "DROP",
    "REGRESSION",
    "TEXT",
    "WHOLE",
    "Column",
    "Table",
    "TableError",
    "infer_task",
    "read_table",
]
