"""Tables read by column: kinds, categories, codes, missing cells, discretisation."""

from ._bins import LANES, CodeTable, code_table, split_points
from ._categories import find_categories, per_column_list
from ._classes import encode_classes, kind_of_classes
from ._codebook import Codebook
from ._discretise import (
    binary_edge,
    cut_points,
    frequent_value_cuts,
    frequent_value_edges,
    mdlp_edges,
    merge_equal_rows,
    midpoint,
    quantile_edges,
    uniform_edges,
    weighted_unique,
)
from ._frames import (
    concatenate_rows,
    import_pandas,
    is_frame,
    is_missing_cell,
    is_pandas,
    take_rows,
)
from ._labels import EXACT_INTEGER_LIMIT, MISSING, Labels, factorize, object_array
from ._raw_columns import are_ids, count_words, is_free_text, is_id
from ._read import check_table, keep_kinds, read_table
from ._rows import check_rows, naming_unreadable_cells
from ._table import ColumnTable, Table
from ._tabular_kernels import UNKNOWN

__all__ = [
    "EXACT_INTEGER_LIMIT",
    "LANES",
    "MISSING",
    "UNKNOWN",
    "CodeTable",
    "Codebook",
    "ColumnTable",
    "Labels",
    "Table",
    "are_ids",
    "binary_edge",
    "check_rows",
    "check_table",
    "code_table",
    "concatenate_rows",
    "count_words",
    "cut_points",
    "encode_classes",
    "factorize",
    "find_categories",
    "frequent_value_cuts",
    "frequent_value_edges",
    "import_pandas",
    "is_frame",
    "is_free_text",
    "is_id",
    "is_missing_cell",
    "is_pandas",
    "keep_kinds",
    "kind_of_classes",
    "mdlp_edges",
    "merge_equal_rows",
    "midpoint",
    "naming_unreadable_cells",
    "object_array",
    "per_column_list",
    "quantile_edges",
    "read_table",
    "split_points",
    "take_rows",
    "uniform_edges",
    "weighted_unique",
]
