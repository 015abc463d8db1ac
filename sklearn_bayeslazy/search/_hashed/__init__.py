"""Hashed searches: hash functions, tables of buckets, searches tuned to a recall."""

from ._bit_rows import BitRows
from ._bucket_search import BucketSearch
from ._changing_search import ChangingSearch, PositionsOfIds, RowNames, RowRegister
from ._column_search import ColumnSearch
from ._dense_rows import STORED_TYPES, DenseRows, ProductRows
from ._hash_functions import MAX_BITS, BalancedTree, TransformerHash
from ._hash_tables import HashTable
from ._hashed_search import (
    RecallCurve,
    RecallReport,
    interval,
)
from ._sparse_rows import SparseRows
