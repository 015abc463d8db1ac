"""The decision of a classifier with joint log likelihoods, as a kernel."""

import numpy as np

from ._kernel import kernel


@kernel
def most_probable(joint, otherwise, best):
    """Write the first of the largest in each row, `otherwise` where all are -inf."""
    for i in range(joint.shape[0]):
        position, largest = otherwise, -np.inf
        for c in range(joint.shape[1]):
            # A selection instead of a branch: the processor cannot predict the winner.
            better = joint[i, c] > largest
            largest = joint[i, c] if better else largest
            position = c if better else position
        best[i] = position
