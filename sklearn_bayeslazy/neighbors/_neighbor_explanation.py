"""Why neighbours answer as they do: which training rows decided, with their share."""

from dataclasses import dataclass

import numpy as np


@dataclass
class NeighborExplanation:
    """The training rows behind each answer, nearest first.

    Attributes
    ----------
    rows : int array of shape (n_samples, n_listed)
        Numbers of the training rows, as they were given to `fit`; -1 after the end of
        a list.
    distances : ndarray of shape (n_samples, n_listed)
        In units of the metric; NaN after the end.
    shares : ndarray of shape (n_samples, n_listed)
        What part of the whole vote each had. They sum to 1 where all voters are
        listed.
    targets : ndarray of shape (n_samples, n_listed) or (..., n_outputs)
        What each voted for.
    """

    rows: np.ndarray
    distances: np.ndarray
    shares: np.ndarray
    targets: np.ndarray

    def frame(self, row=0):
        """Return the list of one answer as a pandas frame."""
        import pandas as pd

        listed = self.rows[row] >= 0
        columns = {
            "distance": self.distances[row, listed],
            "share": self.shares[row, listed],
        }
        targets = self.targets[row, listed]
        if targets.ndim == 1:
            columns["target"] = targets
        else:
            columns |= {f"target {v}": targets[:, v] for v in range(targets.shape[1])}
        index = pd.Index(self.rows[row, listed], name="row")
        return pd.DataFrame(columns, index=index)
