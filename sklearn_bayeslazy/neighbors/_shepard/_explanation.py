"""Why neighbours answer as they do: which training rows decided, with their share."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._search import WeightedK, no_exclusions
from ._votes import vote_of_lists


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


class ExplanationMixin:
    """The method of estimators whose neighbours vote."""

    def explain(self, X, n_rows=10):
        """Return which training rows decided, and the share that each had.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows to be explained.
        n_rows : int, default=10
            How many of the nearest voters to list for each; None for all.

        Returns
        -------
        NeighborExplanation
            With ``rows``, ``distances``, ``shares`` and ``targets``, and
            ``frame(row)``, a pandas frame of one answer.
        """
        check_is_fitted(self)
        if n_rows is not None and not (isinstance(n_rows, Integral) and n_rows >= 1):
            raise ValueError(f"n_rows must be an integer ≥ 1 or None, got {n_rows!r}.")
        n_rows = None if n_rows is None else int(n_rows)
        queries = self._transform_queries(X)
        m, n = queries.shape[0], self._search.n_rows
        all_rows = self._ballot_of_all()
        if all_rows is None:
            weighted_k = self._demand()
            k = self._mass()
        else:  # a part of the voters is listed
            k = n if n_rows is None else min(n_rows, n)
            weighted_k = WeightedK(k, np.ones(n))
        width = (
            min(n, weighted_k.width)
            if n_rows is None
            else min(n_rows, n, weighted_k.width)
        )
        ids = np.full((m, width), -1)
        distances, shares = np.full((2, m, width), np.nan)

        def list_voters(rows):
            exclude = no_exclusions(rows.stop - rows.start)
            lists = self._search.nearest(queries, rows, weighted_k, exclude)
            sums, totals, votes = vote_of_lists(
                lists,
                self._weighting,
                self._metric,
                self._voters,
                weighted_k,
                k,
                exclude,
            )
            size = min(width, lists.indices.shape[1])
            there = np.arange(size) < lists.counts[:, None]
            some = np.where(there, lists.indices[:, :size], 0)
            votes = votes[:, :size]
            if all_rows is not None:
                sums, totals, references = all_rows.sum(
                    queries, rows, self._weighting, exclude
                )
                factor = self._weighting.relative(lists.reduced[:, 0], references)
                votes = votes * self._voters.weight[some] * factor[:, None]
                lost = totals == 0  # no row has any weight: all count alike
                sums[lost], totals[lost] = self._voters.sums()
            share = self._shares_of_voters(votes, some, sums, totals)
            apart = self._metric.distances(np.where(there, lists.reduced[:, :size], 0))
            ids[rows, :size] = np.where(there, some, -1)
            distances[rows, :size] = np.where(there, apart, np.nan)
            shares[rows, :size] = np.where(there, share, np.nan)

        self._map(list_voters, m, 64 * weighted_k.width)
        longest = int((ids >= 0).sum(axis=1).max())
        ids, distances, shares = (a[:, :longest] for a in (ids, distances, shares))
        targets = self._targets_of(np.maximum(ids, 0))
        ids = np.where(ids >= 0, self._original(np.maximum(ids, 0)), -1)
        return NeighborExplanation(ids, distances, shares, targets)
