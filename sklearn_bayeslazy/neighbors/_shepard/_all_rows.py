"""Sums of the votes of all training rows, which a search keeps in blocks."""

import numpy as np

from ..._core._arrays import csr_arrays
from ..._core._kernel import frozen, kernel
from ...search import (
    SQUARED,
    SparseSearch,
    exact_distance,
    snap_right_angle,
    sparse_distances,
)
from ._dense_vote_kernels import (
    BlockTargets,
    Progress,
    VoteSums,
    count_block,
    sum_all_rows,
    sum_inverse_squares,
)
from ._weighting import POWER, UNIFORM


class AllRows:
    """The targets and weights of all rows, in the order of a search's blocks."""

    # weight, block_class, targets: as in `BlockTargets`; position: (n,), where each row
    # is in the blocks, one after the other.

    def __init__(self, search, targets):
        # search: `DenseSearch` or `SparseSearch`; a block holds rows of one segment.
        self.search = search
        self._all_sums = targets.sums_without
        sparse = isinstance(search, SparseSearch)
        indices = search.indices if sparse else search.blocks.indices
        present = indices >= 0
        self.weight = np.where(present, targets.weight[indices], 0.0)
        self.block_class = np.full(len(indices), -1)
        self.targets = np.zeros((len(indices), 0, indices.shape[1]))
        if len(targets.codes):
            self.block_class = targets.codes[indices[:, 0]]
        else:
            numbers = np.where(present[:, :, None], targets.numbers[indices], 0.0)
            self.targets = np.ascontiguousarray(numbers.transpose(0, 2, 1))
        self.n_outputs = targets.n_outputs
        self.position = np.empty(search.n_rows, dtype=np.int64)
        self.position[indices[present]] = np.flatnonzero(present.ravel())

    def sums(self, queries, rows, weightings, exclude):
        """Return the sums of votes for a slice of transformed queries."""
        # queries: (n_queries, n_columns), dense or sparse; rows: slice of m to answer.
        # weightings: of the same kind, so that distances are measured once for all.
        # exclude: (m,), the training row that each query is, which does not vote, or
        # -1. Returns `VoteSums` with one entry for each weighting. Where all weights
        # are 0, rows have equal weights.
        m, n_weightings = rows.stop - rows.start, len(weightings)
        found = VoteSums(
            np.zeros((n_weightings, m, self.n_outputs)),
            np.zeros((n_weightings, m)),
            np.zeros((n_weightings, m)),
            np.ones(m),
        )
        if weightings[0].kind != UNIFORM:
            self._add_votes(queries, rows, weightings, exclude, found)
        no_votes = found.totals == 0
        if no_votes.any():
            sums, totals = self._all_sums(exclude)
            found.sums[no_votes] = np.broadcast_to(sums, found.sums.shape)[no_votes]
            for alike in (found.totals, found.squares):
                alike[no_votes] = np.broadcast_to(totals, alike.shape)[no_votes]
        return found

    def _add_votes(self, queries, rows, weightings, exclude, found):
        search = self.search
        excluded = np.where(exclude >= 0, self.position[exclude], -1)
        excluded = frozen(excluded, np.int64)
        block_targets = BlockTargets(
            frozen(self.weight, np.float64),
            frozen(self.block_class, np.int64),
            frozen(self.targets, np.float64),
        )
        exponents = np.array([weighting.exponent for weighting in weightings])
        votes = weightings[0].kind, frozen(exponents, np.float64)
        found.references[:] = np.inf
        if isinstance(search, SparseSearch):
            sum_all_postings(
                csr_arrays(queries.indptr, queries.indices, queries.data),
                rows.start,
                search.arrays(),
                excluded,
                block_targets,
                *votes,
                found,
            )
        else:
            some = frozen(queries[rows], np.float64)
            self._read_blocks(some, excluded, block_targets, *votes, found)

    def _read_blocks(self, queries, excluded, block_targets, kind, exponents, found):
        """Add the votes of dense rows to the sums."""
        metric, n_targets = self.search.metric, self.targets.shape[1]
        # The usual weights are the fastest, once a row that is no exact hit is known.
        is_usual = metric.kind == SQUARED and kind == POWER and n_targets <= 1
        is_usual &= exponents.tolist() == [1.0]
        cells, m = frozen(self.search.blocks.cells, np.float64), len(queries)
        progress = Progress(np.zeros(m, dtype=np.int64), np.zeros(m, dtype=bool))
        rows = cells, queries, excluded, block_targets
        while np.any(progress.next_block < len(cells)):
            sum_all_rows(
                *rows, metric.kind, metric.p, kind, exponents, is_usual, progress, found
            )
            if progress.is_near.any():
                sum_inverse_squares(*rows, progress, found)


# Numba kernel that adds up the weighted votes of all rows, sparse ones by postings.


# Below this share of |a|² + |b|² the difference |a - b|² has lost three digits.
_CLOSE = 1e-3


@kernel
def sum_all_postings(
    query, first, arrays, excluded, block_targets, kind, exponents, vote_sums
):
    """Add up the weighted votes of all rows, as `sum_all_rows` does for dense ones."""
    # query: the CSR triple of the queries, of which those from first on are answered.
    # arrays: those of a `SparseSearch`; with cosine, rows of zeros have the squared
    # distance 2 from all others.
    postings, rows, row_indices, squares, cosine = arrays
    n_blocks, width = block_targets.weight.shape
    reduced = np.empty(len(row_indices))
    out, weights = np.empty(width), np.empty(width)
    for q in range(len(vote_sums.references)):
        square = sparse_distances(query, first + q, postings, squares, cosine, reduced)
        for b in range(n_blocks):
            for r in range(width):
                at = b * width + r
                out[r] = reduced[at]
                if out[r] < _CLOSE * (square + squares[at]) and row_indices[at] >= 0:
                    out[r] = exact_distance(query, first + q, rows, row_indices[at])
                if cosine:
                    out[r] = snap_right_angle(out[r])
            position = excluded[q] - b * width
            count_block(
                out, weights, b, position, block_targets, kind, exponents, vote_sums, q
            )
