"""Explanations: the training rows that decided an answer, and the share of each."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from ...tabular import take_rows


@dataclass
class NeighborExplanation:
    """The training rows behind each answer, nearest first.

    Attributes
    ----------
    rows : int array of shape (n_samples, n_listed)
        Indices of the training rows, as they were given to `fit`; -1 after the end of
        a list.
    distances : ndarray of shape (n_samples, n_listed)
        In units of the metric; NaN after the end.
    shares : ndarray of shape (n_samples, n_listed)
        The share of each row in all votes, times the factor of its class; the prior of
        an m-estimate has none. Shares sum to 1 if all votes are listed: all rows at the
        k-th distance share the last votes.
    targets : ndarray of shape (n_samples, n_listed) or (..., n_outputs)
        The class or the numbers that each row votes for.
    column_distances : ndarray of shape (n_samples, n_listed, n_features) or None
        How far each row is along each column; NaN after the end of a list. For
        Euclidean metrics, "auto" and "hvdm" included, their squares sum to the square
        of the distance. None if the distance has no parts by column, or n_rows=None.
    feature_names : list of str
        Names of the columns.
    """

    rows: np.ndarray
    distances: np.ndarray
    shares: np.ndarray
    targets: np.ndarray
    column_distances: np.ndarray | None = None
    feature_names: list | None = None

    def frame(self, row=0, X=None):
        """Return the list of one answer as a pandas frame.

        Parameters
        ----------
        row : int, default=0
            Which answer.
        X : {array-like, dataframe} of shape (n_samples_fit, n_features), default=None
            The training rows as they were given to `fit`. Their cells are added to the
            frame.
        """
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
        frame = pd.DataFrame(columns, index=index)
        if X is None:
            return frame
        cells = take_rows(X if hasattr(X, "shape") else pd.DataFrame(X), index)
        if hasattr(cells, "to_pandas"):  # polars
            cells = cells.to_pandas()
        cells = pd.DataFrame(cells).set_axis(self.feature_names, axis=1)
        return frame.join(cells.set_axis(index))

    def column_frame(self, row=0):
        """Return `column_distances` of one answer, a column of the frame for each of X.

        The columns that add most to the distances of the listed rows come first.
        """
        import pandas as pd

        if self.column_distances is None:
            raise ValueError(
                "There are no distances by column: explain fewer rows than "
                "n_rows=None, with a metric that adds up differences of columns."
            )
        listed = self.rows[row] >= 0
        distances = self.column_distances[row, listed]
        order = np.argsort(-np.nansum(distances**2, axis=0), kind="stable")
        index = pd.Index(self.rows[row, listed], name="row")
        names = [self.feature_names[j] for j in order]
        return pd.DataFrame(distances[:, order], index=index, columns=names)


def explain_votes(vote, queries, n_rows, map_rows):
    """Return the voting rows of transformed queries, nearest first.

    Parameters
    ----------
    vote : ExactVote
    queries : {ndarray, sparse array} of shape (n_samples, n_columns)
    n_rows : int or None
        The number of voting rows to list for each query; None for all.
    map_rows : callable
        ``map_rows(function, n_rows, bytes_per_row)`` calls ``function(rows)`` for
        slices of the queries.

    Returns
    -------
    NeighborExplanation
        Its rows count from the rows of the search, without those of weight 0.
    """
    if n_rows is not None and not (isinstance(n_rows, Integral) and n_rows >= 1):
        raise ValueError(f"n_rows must be an integer ≥ 1 or None, got {n_rows!r}.")
    n_rows = None if n_rows is None else int(n_rows)
    m, n = queries.shape[0], vote.search.n_rows
    metric, targets = vote.search.metric, vote.targets
    weighted_k = vote.search_k(n_rows)
    width = n if n_rows is None else min(n_rows, n)
    parts = {}

    def list_voters(rows):
        listed = vote.list_votes(queries, rows, weighted_k, width)
        share = targets.vote_shares(
            listed.votes, listed.rows, listed.sums, listed.totals
        )
        present = listed.present
        parts[rows.start] = (
            np.where(present, listed.rows, -1),
            np.where(present, metric.distances(listed.reduced), np.nan),
            np.where(present, share, np.nan),
        )

    map_rows(list_voters, m, 64 * weighted_k.width)
    longest = max(int((rows >= 0).sum(axis=1).max()) for rows, *_ in parts.values())
    indices = np.full((m, longest), -1)
    distances, shares = np.full((2, m, longest), np.nan)
    for start, found in parts.items():
        for whole, part in zip((indices, distances, shares), found):
            part = part[:, :longest]
            whole[start : start + len(part), : part.shape[1]] = part
    return NeighborExplanation(
        indices,
        distances,
        shares,
        targets.values(np.maximum(indices, 0)),
    )
