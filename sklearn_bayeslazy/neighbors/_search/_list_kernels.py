"""Numba kernel that cuts the weights of neighbours where their sum reaches k."""

from ..._kernel import kernel
from ._heap_kernels import remaining_weight


@kernel
def cut_weights(indices, counts, exclude, weight, k, weights):
    """Write the weights of listed rows; cut weights and lists where the sum reaches k.

    weight (n,) are those of the training rows, weights (m, width) those of the lists.
    """
    for q in range(indices.shape[0]):
        total = 0.0
        for c in range(counts[q]):
            row_weight = remaining_weight(weight, indices[q, c], exclude[q])
            weights[q, c] = min(row_weight, k[q] - total)
            total += row_weight
            if total >= k[q]:
                counts[q] = c + 1
                break
