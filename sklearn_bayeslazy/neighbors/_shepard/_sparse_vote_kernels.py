"""Numba kernel that adds up the weighted votes of all rows, sparse ones by postings."""

import numpy as np

from ..._core._kernel import kernel
from ...search import exact_distance, snap_right_angle, sparse_distances
from ._dense_vote_kernels import count_block

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
    excluded_block, excluded_position = excluded
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
            position = excluded_position[q] if excluded_block[q] == b else -1
            count_block(
                out,
                weights,
                b,
                position,
                block_targets,
                kind,
                exponents,
                vote_sums,
                q,
            )
