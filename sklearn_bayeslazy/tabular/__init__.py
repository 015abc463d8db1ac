"""Engine 1, rows to counts: tables by column, kinds, categories, codes and bins."""

from ._bins import LANES, MAX_BINS, code_table
from ._blocks import (
    BlockFitMixin,
    check_max_sample_rows,
    choose_on_counts,
    choose_on_sample,
    learn_block,
    read_block,
)
from ._categories import find_categories, per_column_list
from ._codebook import Codebook, learn_codebook, symbol_codebook
from ._copies import (
    HASH_STEP,
    MergedRows,
    merge_copies,
    mixed_keys,
    number_copies,
    number_keys,
    number_of_equal_rows,
    row_weight,
    without_copies,
)
from ._counts import (
    CellRows,
    add_counts,
    add_table_rows,
    log_m_estimate,
    m_estimate,
    sum_by_column,
    without_each_row,
)
from ._discretise import (
    cut_points,
    frequent_value_ends,
    mdlp_edges,
    merge_equal_rows,
    midpoint,
    quantile_edges,
    separate_frequent_values,
    weighted_unique,
)
from ._frames import (
    as_matrix,
    concatenate_rows,
    import_pandas,
    is_frame,
    is_missing_cell,
    is_pandas,
    take_columns,
    take_rows,
)
from ._labelled_rows import (
    CLASS_WEIGHTS,
    MAX_VIRTUAL_EXAMPLES,
    check_mergeable,
    class_factors,
    class_log_prior,
    encode_classes,
    kind_of_classes,
    known_classes,
    log_prior_without,
    refuse_balanced_batches,
    times_class_weight,
    weighted_rows,
)
from ._labels import (
    EXACT_INTEGER_LIMIT,
    MISSING,
    Labels,
    factorize,
    missing_cells,
    object_array,
)
from ._number_codes import UNKNOWN
from ._read import check_rows, check_table, naming_unreadable_cells, read_table
from ._row_sample import RowSample, row_keys
from ._table import ColumnTable, Table, missing_indicator
from ._targets import (
    columns_to_predict,
    frequent_class_indicators,
    rescale_squares,
    rescale_targets,
    restore_targets,
    standardize,
)
