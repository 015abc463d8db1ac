"""Numba kernel that cuts the weights of neighbours where their sum reaches k."""

from ..._kernel import kernel
from ._dense_kernels import mass_without


@kernel
def cut_weights(ids, counts, exclude, weight, k, masses):
    """Write the masses of listed rows; cut them, and the lists, where they reach k."""
    for q in range(ids.shape[0]):
        total = 0.0
        for c in range(counts[q]):
            mass = mass_without(weight, ids[q, c], exclude[q])
            masses[q, c] = min(mass, k[q] - total)
            total += mass
            if total >= k[q]:
                counts[q] = c + 1
                break
