"""Learning from blocks of rows that do not fit in memory together."""

from ._block_fit import (
    BlockFitMixin,
    check_max_sample_rows,
    choose_on_counts,
    choose_on_sample,
    learn_block,
    read_block,
)
from ._row_sample import RowSample

__all__ = [
    "BlockFitMixin",
    "RowSample",
    "check_max_sample_rows",
    "choose_on_counts",
    "choose_on_sample",
    "learn_block",
    "read_block",
]
