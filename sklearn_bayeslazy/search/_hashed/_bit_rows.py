"""Rows of bits as hashing stores them, packed, with the methods of `DenseRows`.

The squared distance of two rows is the number of bits in which they differ.
"""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import frozen, inlined, kernel
from .._neighbor_lists import empty_lists, heap_push, sort_heap
from ._dense_rows import DenseRows
from ._hashed_search import measure_all

_BYTES_PER_WORD = 8


@dataclass(frozen=True, eq=False)
class BitRows(DenseRows):
    """Rows of bits, 64 to a word: X is (n, n_words) uint64, the last word padded."""

    n_bits: int = 0
    given_type: np.dtype | None = None

    @classmethod
    def transformed(cls, X, metric):
        """Return rows of booleans, or of bytes that hold eight bits each."""
        n_bits, given_type = int(metric.divisor), X.dtype
        if given_type.kind == "b":
            X = np.packbits(X, axis=1)
        n_padding = -X.shape[1] % _BYTES_PER_WORD
        X = np.ascontiguousarray(np.pad(X, [(0, 0), (0, n_padding)]))
        return cls(
            frozen(X.view(np.uint64), np.uint64), np.empty(0), n_bits, given_type
        )

    @property
    def shape(self):
        """Return the numbers of rows and bits."""
        return len(self.X), self.n_bits

    @property
    def mean_cells(self):
        """Return the number of words of a row."""
        return self.X.shape[1]

    @property
    def cells(self):
        """Return the bits, (n, n_bits) uint8."""
        return np.unpackbits(self.X.view(np.uint8), axis=1, count=self.n_bits)

    def as_queries(self):
        """Return these rows as queries."""
        return self

    def arrays(self):
        """Return bits as cells, and no scales, as kernels that project read them."""
        return frozen(self.cells, np.uint8), self.scales

    def measure(self, queries, numbers, chosen, sizes, exclude, weighted_k):
        """Return lists of the nearest of the rows chosen for each of some queries."""
        lists = empty_lists(len(exclude), weighted_k.width)
        measure_bits(
            chosen,
            sizes,
            frozen(queries.X, np.uint64),
            numbers,
            frozen(exclude, np.int64),
            frozen(self.X, np.uint64),
            weighted_k.weight,
            int(weighted_k.k),
            lists.heaps(),
        )
        return lists

    def exact_search(self, projection, table):
        """Return a search that measures all rows."""
        return ExactBitSearch(self)


@dataclass(frozen=True, eq=False)
class ExactBitSearch:
    """Finds the exact nearest rows of bits: counting all bits is as fast as any way."""

    rows: BitRows

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded rows."""
        return measure_all(self.rows, queries[rows], weighted_k, exclude)


_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def _n_differing(x, y):
    """Return the number of bits in which words differ."""
    # LLVM knows this sum, of pairs, nibbles and bytes, as one instruction.
    total = np.uint64(0)
    for j in range(len(x)):
        t = x[j] ^ y[j]
        t -= (t >> _ONE) & _ODD
        t = (t & _PAIRS) + ((t >> _TWO) & _PAIRS)
        t = (t + (t >> _FOUR)) & _NIBBLES
        total += (t * _BYTES) >> _TOP
    return np.float64(total)


@kernel
def measure_bits(chosen, sizes, queries, numbers, exclude, X, weight, k, heaps):
    """Fill heaps with the nearest of the rows chosen for some queries, sorted."""
    # As `measure_candidates`; queries, X: words.
    reduced, indices, counts, totals = heaps
    for q in range(len(sizes)):
        query, worst = queries[numbers[q]], np.inf
        for c in range(sizes[q]):
            row = chosen[q, c]
            if row == exclude[q]:
                continue
            value = _n_differing(query, X[row])
            worst = heap_push(
                reduced, indices, counts, totals, q, value, row, weight, k, worst
            )
        sort_heap(reduced, indices, counts, q)
