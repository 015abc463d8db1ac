"""Boosted trees: the trees of one round, and how the trees of all rounds vote."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_chunks, slices_of
from ...tabular import LANES, Codebook, object_array, read_table
from ._tree_kernels import add_paths, add_trees

# Rows per block whose codes stay in the cache.
_ROWS_PER_BLOCK = 4096
_N_BYTE_CODES = 256


class TreeBins:
    """The bins and categories by which trees read the columns of a table."""

    # table: CodeTable of bytes.
    def __init__(self, table):
        self.cuts = table.cuts
        # The last code is that of missing cells, the one before of rare categories.
        largest = int(table.n_bins.max())
        self.n_codes = min(largest + 2, _N_BYTE_CODES)
        values = [
            cuts if cuts is not None else object_array(labels.tolist())
            for cuts, labels in zip(table.cuts, table.categories)
        ]
        is_cut = [cuts is not None for cuts in table.cuts]
        self._codebook = Codebook(np.arange(len(values)), values, is_cut)
        self._code_of = {}
        for j in np.flatnonzero(np.logical_not(is_cut)):
            kept = table.category_of_code[j]
            # The last two are those of unknown and of missing cells.
            code_of = np.full(len(values[j]) + 2, self.n_codes - 2)
            code_of[kept], code_of[-2:] = np.arange(len(kept)), self.n_codes - 1
            self._code_of[int(j)] = code_of

    def codes_of(self, table):
        """Return the codes of a CodeTable, with as few codes as there are bins."""
        codes, dropped = table.codes, _N_BYTE_CODES - self.n_codes
        if dropped:
            codes = codes - np.uint8(dropped) * (codes >= _N_BYTE_CODES - 2)
        return frozen(codes, np.uint8)

    def reader(self, table):
        """Return a function from a slice of rows of a Table to their codes."""
        read = self._codebook.reader(table)

        def read_codes(rows):
            codes = read(rows)
            for j, code_of in self._code_of.items():
                codes[:, j] = code_of[codes[:, j]]
            codes[codes < 0] = self.n_codes - 1
            codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % LANES)))
            groups = codes.reshape(len(codes), -1, LANES).transpose(1, 0, 2)
            return frozen(groups, np.uint8)

        return read_codes


class Tree(NamedTuple):
    """The nodes of a tree, or of several; see `TreeNodes`."""

    column: np.ndarray
    child: np.ndarray
    gain: np.ndarray
    goes_left: np.ndarray  # uint8 (n_nodes, 32), a bit for each code
    value: np.ndarray  # the vote of a row that ends here


@dataclass(frozen=True)
class BoostedTrees:
    """The trees of a round: of each class, or of the second of two, or of numbers."""

    bins: TreeBins
    classes: tuple  # sorted; none where numbers are predicted
    trees: tuple  # of Tree

    @property
    def largest_vote(self):
        """The largest absolute value of a vote."""
        return max(float(np.abs(tree.value).max()) for tree in self.trees)

    def __str__(self):
        counts = [np.count_nonzero(tree.child) + 1 for tree in self.trees]
        return f"trees with {' + '.join(map(str, counts))} leaves"

    def votes(self, X):
        """Return the votes of each row, of shape (n_samples, n_classes or 1)."""
        # X: (n_samples, n_features), all columns of the rows given to `fit`.
        return TreeVotes([self], self.classes).votes(read_table(X), np.ones(1))

    def predict(self, X):
        """Return the class of the largest vote of each row, as objects; or numbers."""
        votes = self.votes(X)
        if not self.classes:
            return votes[:, 0]
        return object_array(self.classes)[votes.argmax(axis=1)]


class TreeVotes:
    """The trees of many rounds as arrays, for fast votes on many rows."""

    # members: list of BoostedTrees, which iteration yields again; classes:
    # (n_classes,), none for numbers. Votes for numbers have one column.
    def __init__(self, members, classes):
        self._bins, self._classes = members[0].bins, members[0].classes
        self._forests = [
            Tree(*map(np.concatenate, zip(*trees)))
            for trees in zip(*(member.trees for member in members))
        ]
        self._sizes = np.array([[len(t.value) for t in m.trees] for m in members]).T

    def __len__(self):
        return self._sizes.shape[1]

    def __iter__(self):
        ends = np.cumsum(self._sizes, axis=1)
        for of_member in zip(self._sizes.T, ends.T):
            trees = [
                Tree(*(array[end - size : end] for array in forest))
                for forest, size, end in zip(self._forests, *of_member)
            ]
            yield BoostedTrees(self._bins, self._classes, tuple(trees))

    def votes(self, table, alpha, n_jobs=None):
        """Return the total votes for each class, of shape (n_rows, n_classes)."""
        # table: Table; alpha: (n_members,), the weights of the votes.
        read, forests = self._bins.reader(table), list(self._weighted(alpha))
        sums = np.zeros((len(forests), table.n_rows))

        def add_chunk(rows):
            for block in slices_of(rows, _ROWS_PER_BLOCK):
                codes = read(block)
                for (*forest, starts), total in zip(forests, sums):
                    add_trees(codes, *forest, starts, total[block])

        map_chunks(add_chunk, table.n_rows, 8 * len(sums), n_jobs=n_jobs)
        return self._signed(sums)

    def staged_votes(self, table, alpha):
        """Yield the votes after each member, of shape (n_rows, n_classes)."""
        codes = self._bins.reader(table)(slice(0, table.n_rows))
        forests = list(self._weighted(alpha))
        sums = np.zeros((len(forests), table.n_rows))
        for t in range(len(alpha)):
            for (*forest, starts), total in zip(forests, sums):
                add_trees(codes, *forest, starts[t : t + 1], total)
            yield self._signed(sums)

    def votes_by_column(self, table, alpha):
        """Return what the splits of each column add to the votes, and what all get."""
        # Shapes (n_rows, n_columns, n_classes) and (n_rows, n_classes). A split adds
        # the value of the side of a row less that of the node.
        codes = self._bins.reader(table)(slice(0, table.n_rows))
        terms = np.zeros((len(self._forests), table.n_columns, table.n_rows))
        base = np.zeros((len(terms), table.n_rows))
        for k, (trees, value, starts) in enumerate(self._weighted(alpha)):
            add_paths(codes, trees, value, starts, terms[k])
            base[k] = value[starts].sum()
        by_column = [self._signed(of_column) for of_column in terms.swapaxes(0, 1)]
        return np.stack(by_column, axis=1), self._signed(base)

    def importances(self, n_columns):
        """Return each column's share of the gains of all splits."""
        gains = sum(
            np.bincount(forest.column, forest.gain * (forest.child > 0), n_columns)
            for forest in self._forests
        )
        return gains / (gains.sum() or 1.0)

    def _weighted(self, alpha):
        """Yield what kernels read of each forest: arrays, values times α, starts."""
        for forest, sizes in zip(self._forests, self._sizes):
            arrays = forest.column, forest.child, forest.goes_left
            arrays = tuple(frozen(array, array.dtype) for array in arrays)
            value = frozen(forest.value * np.repeat(alpha, sizes), np.float64)
            yield arrays, value, frozen(np.cumsum(sizes) - sizes, np.int64)

    def _signed(self, sums):
        """Return votes for each class, given those of the targets."""
        is_binary = len(self._classes) == 2
        return np.stack([-sums[0], sums[0]] if is_binary else sums, axis=1)
