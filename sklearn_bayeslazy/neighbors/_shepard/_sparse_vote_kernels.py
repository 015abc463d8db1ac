"""Numba kernel of Shepard's method over all sparse rows, by postings."""

import numpy as np

from ..._kernel import kernel
from .._search import exact_distance, snap_right_angle, sparse_distances
from ._vote_kernels import count_block

# Below this share of |a|² + |b|² a difference has lost three digits.
_CLOSE = 1e-3


@kernel
def sum_all_postings(
    query,
    first,
    postings,
    rows,
    place_ids,
    squares,
    apart,
    own_block,
    own_place,
    mass,
    block_class,
    targets,
    kind,
    exponent,
    sums,
    totals,
    references,
):
    """Add up the weighted votes of all rows, as `sum_all_rows` does for dense ones."""
    width = mass.shape[1]
    everywhere = np.empty(len(place_ids))
    out = np.empty(width)
    references[:] = np.inf
    for q in range(sums.shape[0]):
        square = sparse_distances(
            query, first + q, postings, squares, apart, everywhere
        )
        for b in range(mass.shape[0]):
            for r in range(width):
                at = b * width + r
                out[r] = everywhere[at]
                if out[r] < _CLOSE * (square + squares[at]) and place_ids[at] >= 0:
                    out[r] = exact_distance(query, first + q, rows, place_ids[at])
                if apart:
                    out[r] = snap_right_angle(out[r])
            place = own_place[q] if own_block[q] == b else -1
            count_block(
                out,
                b,
                place,
                mass,
                block_class,
                targets,
                kind,
                exponent,
                sums,
                totals,
                references,
                q,
            )
