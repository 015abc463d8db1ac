"""What an estimator of neighbours tells about them: lists, graphs, explanations."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._neighbor_explanation import NeighborExplanation
from ._searches import Demand, nobody
from ._voting import vote_of_lists


class NeighborListsMixin:
    """Methods of estimators that hold a search, its metric and their voters."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows that `fit` kept, none of which is its own
            neighbour.
        n_neighbors : int, default=None
            How many rows; by default `n_neighbors_`, or all where that is None. Sample
            weights do not matter here.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending, in units of the metric. Only with `return_distance`.
        ids : int ndarray of shape (n_samples, n_neighbors)
            Numbers of the training rows, as they were given to `fit`; of equally
            distant ones the first comes first.

        Raises
        ------
        ValueError
            Where there are fewer training rows than neighbours wanted.
        """
        check_is_fitted(self)
        itself = X is None
        queries = self._search.training_queries() if itself else self._place(X)
        m, n = queries.shape[0], self._search.n_rows
        k = self._how_many(n_neighbors, n - itself)
        demand = Demand(k, np.ones(n))
        distances, ids = np.empty((m, k)), np.empty((m, k), dtype=np.int64)

        def find(rows):
            mine = np.arange(rows.start, rows.stop)
            own = mine if itself else nobody(len(mine))
            lists = self._search.nearest(queries, rows, demand, own)
            distances[rows] = self._metric.distances(lists.reduced[:, :k])
            ids[rows] = self._original(lists.ids[:, :k])

        self._map(find, m, 24 * demand.width)
        return (distances, ids) if return_distance else ids

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Return the graph of the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            As in `kneighbors`.
        n_neighbors : int, default=None
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge is 1 or the distance.

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR; the entries of a row stand in the order of their distances. Without X
            it is square, and rows that `fit` did not keep are empty.
        """
        if mode not in ("connectivity", "distance"):
            raise ValueError(
                f"mode must be 'connectivity' or 'distance', got {mode!r}."
            )
        distances, ids = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        m, k = ids.shape
        if X is None and self._kept is not None:
            sizes = np.zeros(self.n_samples_fit_, dtype=np.int64)
            sizes[self._kept] = k
        else:
            sizes = np.full(m, k)
        starts = np.append(0, np.cumsum(sizes))
        shape = len(sizes), self.n_samples_fit_
        return sparse.csr_matrix((values.ravel(), ids.ravel(), starts), shape=shape)

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
        queries = self._place(X)
        m, n = queries.shape[0], self._search.n_rows
        all_rows = self._ballot_of_all()
        if all_rows is None:
            demand = self._demand()
            k = self._mass()
        else:  # a part of the voters is listed
            k = n if n_rows is None else min(n_rows, n)
            demand = Demand(k, np.ones(n))
        width = min(n, demand.width) if n_rows is None else min(n_rows, n, demand.width)
        ids = np.full((m, width), -1)
        distances, shares = np.full((2, m, width), np.nan)

        def list_voters(rows):
            own = nobody(rows.stop - rows.start)
            lists = self._search.nearest(queries, rows, demand, own)
            sums, totals, votes = vote_of_lists(
                lists, self._weighting, self._metric, self._voters, demand, k, own
            )
            size = min(width, lists.ids.shape[1])
            there = np.arange(size) < lists.counts[:, None]
            some = np.where(there, lists.ids[:, :size], 0)
            votes = votes[:, :size]
            if all_rows is not None:
                sums, totals, references = all_rows.sum(
                    queries, rows, self._weighting, own
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

        self._map(list_voters, m, 64 * demand.width)
        longest = int((ids >= 0).sum(axis=1).max())
        ids, distances, shares = (a[:, :longest] for a in (ids, distances, shares))
        targets = self._targets_of(np.maximum(ids, 0))
        ids = np.where(ids >= 0, self._original(np.maximum(ids, 0)), -1)
        return NeighborExplanation(ids, distances, shares, targets)

    def _how_many(self, n_neighbors, most):
        if n_neighbors is None:
            return most if self.n_neighbors_ is None else min(self.n_neighbors_, most)
        if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
            raise ValueError(
                f"n_neighbors must be an integer ≥ 1, got {n_neighbors!r}."
            )
        if n_neighbors > most:
            raise ValueError(
                f"n_neighbors={n_neighbors}, but there are only {most} training rows "
                "to be found."
            )
        return int(n_neighbors)

    def _original(self, ids):
        """Return the numbers that rows had in `fit`, before those of weight 0 went."""
        return ids if self._kept is None else self._kept[ids]
