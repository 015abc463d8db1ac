"""Contingency tables: weighted counts of the values of a few nodes together."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, inlined, kernel
from .._core._parallel import slices_of
from ..tabular import CellRows, add_counts
from ._network import cell_strides

# A larger table raises an error.
MAX_TABLE_CELLS = 2**26
# So do larger tables of a network together: 1 GiB of counts, and as much for the
# probabilities.
MAX_NETWORK_CELLS = 2**27
# A structure search skips families with larger tables.
MAX_SEARCHED_CELLS = 2**20
# Larger tables, and columns of more values, are counted row by row. The bits of a
# column then take at most as much memory as its codes.
MAX_CELLS_BY_BITS, MAX_VALUES_BY_BITS = 256, 32
# Rows that are counted together, so that the numbers of their cells stay in the cache.
ROWS_PER_BLOCK = 2**14


class TablesOfCounts(NamedTuple):
    """Tables one after the other: the first is ``counts[starts[0] : starts[1]]``."""

    counts: np.ndarray
    starts: np.ndarray


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Coded rows with weights, from which families are counted."""

    # (n_nodes, n_rows), int32; below 0 where a value is missing.
    codes: np.ndarray
    weight: np.ndarray  # (n_rows,)
    names: tuple  # of the nodes, for error messages
    sizes: tuple  # the number of values of each node

    @classmethod
    def of(cls, codes, weight, names, sizes):
        """Return the rows of codes of shape (n_rows, n_nodes)."""
        columns = frozen(np.asarray(codes).T, np.int32)
        return cls(
            columns, frozen(weight, np.float64), tuple(names), tuple(map(int, sizes))
        )

    @property
    def n_nodes(self):
        """Return the number of nodes."""
        return len(self.sizes)

    @cached_property
    def largest_weight(self):
        """Return the largest weight of a row, of which 1 is a finite multiple."""
        return float(self.weight.max(initial=np.finfo(np.float64).tiny))

    @property
    def rows_per_weight(self):
        """Return the number of rows of weight 1, above 1 if weights are shares."""
        return 1.0 / min(1.0, self.largest_weight)

    @cached_property
    def has_missing(self):
        """Return whether any value is missing."""
        return bool(self.codes.size and self.codes.min() < 0)

    @cached_property
    def total_weight(self):
        """Return the sum of the weights."""
        return float(self.weight.sum())

    @cached_property
    def _bits(self):
        """Return the rows as `count_bits` takes them: the bits, and `value_starts`."""
        packed = [size if size <= MAX_VALUES_BY_BITS else 0 for size in self.sizes]
        starts = np.cumsum([0, *packed])
        n_words = (self.codes.shape[1] + 63) // 64
        in_bytes = np.zeros((starts[-1], 8 * n_words), dtype=np.uint8)
        for column, start, size in zip(self.codes, starts, packed):
            of_values = np.packbits(column == np.arange(size)[:, None], axis=1)
            in_bytes[start : start + size, : of_values.shape[1]] = of_values
        return frozen(in_bytes.view(np.uint64), np.uint64), frozen(starts, np.int64)

    @cached_property
    def _weights_are_1(self):
        return bool((self.weight == 1).all())

    def _max_size_by_bits(self, nodes):
        """Return the maximum size of another node counted with `nodes` by bits."""
        sizes = [self.sizes[node] for node in nodes]
        if max(sizes, default=1) > MAX_VALUES_BY_BITS or not self._weights_are_1:
            return 0
        return min(MAX_CELLS_BY_BITS // math.prod(sizes), MAX_VALUES_BY_BITS)

    def observing(self, node):
        """Return the rows in which the value of a node is observed."""
        observed = self.codes[node] >= 0
        if observed.all():
            return self
        return self.take(observed)

    def take(self, rows):
        """Return some of the rows, by a mask or by indices."""
        return replace(self, codes=self.codes[:, rows], weight=self.weight[rows])

    def is_small(self, family):
        """Return whether a family's table is small enough for a structure search."""
        return math.prod(self.sizes[node] for node in family) <= MAX_SEARCHED_CELLS

    def searched_batches(self, nodes, others):
        """Yield lists of other nodes to be counted with a few nodes at a time.

        >>> sizes = 2, 2**9, 2**11, 2**10
        >>> rows = CodedRows.of(np.zeros((1, 4)), np.ones(1), "abcd", sizes)
        >>> list(rows.searched_batches((0,), (1, 2, 3)))
        [[1, 2, 3]]
        >>> list(rows.searched_batches((2,), (0, 1, 3)))
        [[0], [1]]
        """
        # Nodes whose table would have more than MAX_SEARCHED_CELLS cells are left out.
        # The tables of one list together have at most that number of cells.
        max_size = MAX_SEARCHED_CELLS // math.prod(self.sizes[node] for node in nodes)
        others = [other for other in others if self.sizes[other] <= max_size]
        if others:
            step = max_size // max(self.sizes[other] for other in others)
            for some in slices_of(range(len(others)), step):
                yield others[some]

    def count(self, family):
        """Return the total weight of each combination of values, of shape (*sizes).

        >>> rows = CodedRows.of([[0, 1], [0, 1], [1, -1]], np.ones(3), "ab", (2, 2))
        >>> rows.count((0, 1))
        array([[0., 2.],
               [0., 0.]])
        """
        # Rows in which one of the values is missing are not counted.
        shape = tuple(self.sizes[node] for node in family)
        if (cells := math.prod(shape)) > MAX_TABLE_CELLS:
            raise ValueError(
                f"The table of {[self.names[node] for node in family]} would have "
                f"{cells:,} cells, above the limit of {MAX_TABLE_CELLS:,}: give its "
                "last node fewer parents, or reduce the number of values of these "
                "columns."
            )
        return self.count_with_each(family[1:], family[:1]).counts.reshape(shape)

    def count_with_each(self, nodes, others):
        """Return the counts of a few nodes together with each of several other nodes.

        >>> rows = CodedRows.of([[0, 1], [0, 1], [1, 1]], np.ones(3), "ab", (2, 2))
        >>> rows.count_with_each((1,), (0, 1)).counts.reshape(2, 2, 2)
        array([[[0., 2.],
                [0., 1.]],
        <BLANKLINE>
               [[0., 0.],
                [0., 3.]]])
        """
        # Table t has the axes (others[t], *nodes). The columns of the nodes are read
        # once for all tables.
        sizes = [self.sizes[other] for other in others]
        n_cells = math.prod(self.sizes[node] for node in nodes)
        starts = np.cumsum([0, *sizes]) * n_cells
        counts = np.zeros(starts[-1])
        max_size = self._max_size_by_bits(nodes)
        by_bits = [t for t, size in enumerate(sizes) if size <= max_size]
        if by_bits:
            count_bits(
                *self._bits,
                frozen(nodes, np.int64),
                frozen([others[t] for t in by_bits], np.int64),
                frozen(starts[by_bits], np.int64),
                counts,
            )
        by_rows = [t for t, size in enumerate(sizes) if size > max_size]
        tables = self._count_row_by_row([others[t] for t in by_rows], nodes, n_cells)
        for t, table in zip(by_rows, tables):
            counts[starts[t] : starts[t + 1]] = table
        return TablesOfCounts(counts, starts)

    def _count_row_by_row(self, others, nodes, n_cells):
        """Return the counts of a few nodes together with each of several others."""
        # Rows in which the other node is missing are counted in front of its table.
        tables = [np.zeros((1 + self.sizes[other]) * n_cells) for other in others]
        strides = cell_strides([self.sizes[node] for node in nodes])
        n_rows = len(self.weight) if others else 0
        for rows in slices_of(range(n_rows), ROWS_PER_BLOCK):
            weight = self.weight[rows]
            cell = np.zeros(len(weight), np.int64)
            for node, stride in zip(nodes, strides):
                codes = self.codes[node, rows]
                if self.has_missing:
                    codes, weight = (
                        np.where(codes < 0, 0, one) for one in (codes, weight)
                    )
                cell += codes * np.int64(stride)
            for other, table in zip(others, tables):
                positions = frozen(self.codes[other, rows] + 1, np.int32)
                add_counts(CellRows(None, positions), cell, weight, n_cells, table)
        return [table[n_cells:] for table in tables]


def check_table_sizes(parents, sizes, names):
    """Raise an error if the tables of a network would be too large together."""
    cells = [
        math.prod(sizes[other] for other in (*node_parents, node))
        for node, node_parents in enumerate(parents)
    ]
    if sum(cells) <= MAX_NETWORK_CELLS:
        return
    node = max(range(len(cells)), key=cells.__getitem__)
    message = (
        f"The tables of the network would have {sum(cells):,} cells, above the limit "
        f"of {MAX_NETWORK_CELLS:,}. The largest is that of {names[node]!r}, with "
        f"{cells[node]:,} cells. "
    )
    if parents[node]:
        parent = max(parents[node], key=sizes.__getitem__)
        message += (
            f"Drop the arc {(names[parent], names[node])!r}, which makes it "
            f"{sizes[parent]:,} times as large, or reduce the number of values of "
            "these columns."
        )
    else:
        message += "Reduce the number of values of this column."
    raise ValueError(message)


def count_families(rows, parents):
    """Return the counts of each family; the last axis is the node itself."""
    check_table_sizes(parents, rows.sizes, rows.names)
    return [
        rows.count((*node_parents, node)) for node, node_parents in enumerate(parents)
    ]


def count_marginals(rows):
    """Return the counts of each node's values."""
    tables = rows.count_with_each((), range(rows.n_nodes))
    return np.split(tables.counts, tables.starts[1:-1])


def expand_counts(counts, positions, sizes):
    """Return counts in a larger table, in which some values are new.

    >>> expand_counts(np.array([[1.0, 2.0]]), [np.array([1]), np.array([0, 2])], [2, 3])
    array([[0., 0., 0.],
           [1., 0., 2.]])
    """
    # positions: for each axis, the new position of each old value. sizes: the new
    # shape.
    expanded = np.zeros(sizes)
    expanded[np.ix_(*positions)] = counts
    return expanded


# Small tables of rows of weight 1 are counted by bits: hill climbing on 20 000 × 21 is
# not three times as fast as pyAgrum without it (DESIGN.md, section 5).
#
# Each value of a column has a bit for each row. The rows with a combination of values
# have the bits that all these values have, and one instruction counts 64 of them.


# The bits of a block of rows stay in the processor's cache, in words of 64.
WORDS_PER_BLOCK = 128


@inlined
def _n_bits(word):
    """Return the number of bits of a word that are 1; LLVM makes it one instruction."""
    ones = np.uint64(0x5555555555555555)
    twos = np.uint64(0x3333333333333333)
    fours = np.uint64(0x0F0F0F0F0F0F0F0F)
    word -= (word >> np.uint64(1)) & ones
    word = (word & twos) + ((word >> np.uint64(2)) & twos)
    word = (word + (word >> np.uint64(4))) & fours
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def count_bits(bits, value_starts, nodes, others, starts, counts):
    """Count rows of a few nodes together with each of several other nodes."""
    # bits: (n_values, n_words), whether each row has each value; 0 after the last row.
    # The values of column j are ``bits[value_starts[j] : value_starts[j + 1]]``.
    # starts: (n_tables,), where the table of each of `others` begins in counts
    # (n_cells,). In it the other node varies slowest, and the last of `nodes` fastest.
    # The numbers of rows are added to counts.
    n_combinations = 1
    for node in nodes:
        n_combinations *= value_starts[node + 1] - value_starts[node]
    rows_with = np.empty((n_combinations, WORDS_PER_BLOCK), np.uint64)
    for start in range(0, bits.shape[1], WORDS_PER_BLOCK):
        size, n_known = min(WORDS_PER_BLOCK, bits.shape[1] - start), 1
        for w in range(size):
            rows_with[0, w] = ~np.uint64(0)
        for node in nodes:
            # From the last combination to the first: the row of the first is free
            # when all others have been read.
            first, n_values = value_starts[node], value_starts[node + 1]
            n_values -= first
            for known in range(n_known - 1, -1, -1):
                for k in range(n_values - 1, -1, -1):
                    value, cell = bits[first + k], known * n_values + k
                    for w in range(size):
                        rows_with[cell, w] = rows_with[known, w] & value[start + w]
            n_known *= n_values
        for t in range(len(others)):
            cell = starts[t]
            for v in range(value_starts[others[t]], value_starts[others[t] + 1]):
                value = bits[v][start : start + size]
                for known in range(n_known):
                    n, row = np.uint64(0), rows_with[known]
                    for w in range(size):
                        n += _n_bits(row[w] & value[w])
                    counts[cell] += n
                    cell += 1
