"""ShardedNeighbors: rows are divided among several engines, and lists are merged."""

from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import refuse_unreadable_targets
from .._core._compat import HasMethods, Interval, fit_context
from .._core._estimator import all_or_nothing
from .._core._parallel import row_chunks
from ..search import drop_excluded
from ..tabular import check_rows
from ._neighbor_engine import NeighborEngine
from ._shard_clusters import DaskShards, LocalShards, PartitionShards, dask_rows


class ShardedNeighbors(NeighborEngine):
    """Neighbours of rows that are divided among several engines: map and reduce.

    Each shard of the rows has an engine, which finds the nearest of its rows. The
    lists are merged by (distance, row). With an exact engine the lists are those of one
    engine over all rows. The shards are in this process, or on the workers of a dask
    cluster.

    Parameters
    ----------
    engine : estimator
        With ``fit`` and ``kneighbors``, for example `LSHNeighbors`. It is cloned for
        each shard.
    n_shards : int, default=2
        Number of shards; there are never more shards than rows.
    client : dask.distributed.Client or str, default=None
        A client of a cluster, or the address of its scheduler. Shards are sent to its
        workers once. If a worker is lost, its shards are sent and fitted again. A
        pickle keeps the rows and the address.
    n_neighbors : int, default=None
        Number of neighbours; by default that of the engine.
    mode : {"distance", "connectivity"}, default="distance"
        What `transform` writes into the graph.
    n_jobs : int, default=None
        Threads over the shards, if there is no client.

    Attributes
    ----------
    n_shards_ : int
        Number of shards.
    n_samples_fit_ : int
        Number of training rows.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if X had names that are all strings.

    See Also
    --------
    InvertedIndexNeighbors : An exact engine for sparse rows.
    LSHNeighbors : An approximate engine with a given recall.

    References
    ----------
    Dean and Ghemawat, "MapReduce", *OSDI* (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bayeslazy import LSHNeighbors, ShardedNeighbors
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> shards = ShardedNeighbors(LSHNeighbors(n_neighbors=2), n_shards=2).fit(X)
    >>> distances, indices = shards.kneighbors([[1.6]])
    >>> indices  # one row of each shard
    array([[2, 1]])
    >>> distances.round(2)
    array([[0.4, 0.6]])
    """

    _parameter_constraints = {
        **NeighborEngine._parameter_constraints,
        "engine": [HasMethods(["fit", "kneighbors"])],
        "n_shards": [Interval(Integral, 1, None, closed="left")],
        "client": [None, str, HasMethods(["submit", "scatter"])],
        "n_neighbors": [None, Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        engine,
        n_shards=2,
        *,
        client=None,
        n_neighbors=None,
        mode="distance",
        n_jobs=None,
    ):
        self.engine = engine
        self.n_shards = n_shards
        self.client = client
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit an engine to each shard.

        Parameters
        ----------
        X : {array-like, sparse matrix, dask array or dask dataframe} of shape \
(n_samples, n_features)
            A shard has consecutive rows. The partitions of a dask collection are the
            shards, whatever `n_shards`; their engines are fitted by the current dask
            scheduler, where they lie.
        y : array-like or dask array of shape (n_samples,), default=None
            Passed on to the engines.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            partitions = dask_rows(X)
            if partitions is not None:
                return self._fit_partitions(partitions, y)
            X = self._validate(X, reset=True)
            n = X.shape[0]
            self.n_shards_ = min(self.n_shards, n)
            bounds = n * np.arange(self.n_shards_ + 1) // self.n_shards_
            parts = [slice(*bounds[i : i + 2]) for i in range(self.n_shards_)]
            is_local = self.client is None
            self._shards = (
                LocalShards(self.n_jobs) if is_local else DaskShards(self.client)
            )
            targets = None
            if y is not None:
                refuse_unreadable_targets(y)
                check_consistent_length(X, y)
                targets = np.asarray(y)
            self._shards.fit(clone(self.engine), X, targets, parts)
            self._fit_X = X
            self._starts = bounds[:-1]
            self.n_samples_fit_ = n
        return self

    def _fit_partitions(self, X, y):
        if X.ndim != 2:
            raise ValueError(f"Expected a 2D dask array, got one of shape {X.shape}.")
        if y is not None and dask_rows(y) is None:
            raise ValueError(
                "X is a dask collection and y is not: give y as one with the same "
                "partitions, for example by dask.array.from_array."
            )
        y = dask_rows(y)
        if y is not None and y.chunks[0] != X.chunks[0]:
            raise ValueError(
                f"The partitions of X have {X.chunks[0]} rows, those of y "
                f"{y.chunks[0]}: give both the same partitions."
            )
        self.n_features_in_, self.n_samples_fit_ = X.shape[1], X.shape[0]
        vars(self).pop("feature_names_in_", None)
        self._shards = PartitionShards()
        self._shards.fit(self.engine, X, y)
        self.n_shards_ = len(self._shards.sizes)
        self._starts = np.cumsum([0, *self._shards.sizes[:-1]])
        self._fit_X = None
        return self

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, dask array or dask dataframe} of shape \
(n_samples, n_features), default=None
            By default the training rows; a row is then not a neighbour of itself. After
            a fit to a dask collection, queries are needed. If they are a dask
            collection, too, the answers are dask arrays, computed by partitions.
        n_neighbors : int, default=None
            By default the parameter `n_neighbors`.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending. Only with `return_distance`.
        indices : int ndarray of shape (n_samples, n_neighbors)
            Indices of the training rows; rows at equal distances are in ascending
            order.

        Raises
        ------
        ValueError
            If there are fewer training rows than neighbours.
        """
        check_is_fitted(self)
        partitions = dask_rows(X)
        if partitions is not None:
            return self._partition_neighbors(partitions, n_neighbors, return_distance)
        return super().kneighbors(X, n_neighbors, return_distance)

    def _fitted_search(self):
        check_is_fitted(self)
        return self._shards

    def _training_numbers(self, search):
        return np.arange(self.n_samples_fit_)

    def _list_neighbors(self, search, X, n_neighbors, filter=None):
        """Return the distances (m, k) and the indices of the nearest rows."""
        if X is None and self._fit_X is None:
            raise ValueError(
                "X=None needs the training rows, which stay in their partitions after "
                "a fit to a dask collection: pass X."
            )
        exclude_self = X is None
        queries = self._fit_X if exclude_self else self._transform_queries(X)
        m = queries.shape[0]
        k = self._checked_n_neighbors(n_neighbors, self.n_samples_fit_ - exclude_self)
        distances, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        width = k + exclude_self
        for rows in row_chunks(m, 48 * width * self.n_shards_, min_rows=m):
            lists = search.kneighbors(queries[rows], width)
            near, found = _merged_lists(lists, self._starts, width)
            if exclude_self:
                near, found = drop_excluded(near, found, np.arange(m)[rows])
            distances[rows], indices[rows] = near, found
        return distances, indices

    def _partition_neighbors(self, X, n_neighbors, return_distance):
        """Return distances and indices as dask arrays with the partitions of X."""
        import dask
        import dask.array as da

        if not isinstance(self._shards, PartitionShards):
            raise ValueError(
                "Queries in a dask collection need a fit to a dask collection: compute "
                "the queries, or fit to one."
            )
        k = self._checked_n_neighbors(n_neighbors, self.n_samples_fit_)
        merged = dask.delayed(_merged_lists, nout=2)
        near, found = [], []
        for part, size in zip(X.to_delayed().ravel(), X.chunks[0]):
            both = merged(self._shards.lists(part, k), self._starts, k)
            shape = size, k
            near.append(da.from_delayed(both[0], shape, np.float64))
            found.append(da.from_delayed(both[1], shape, np.int64))
        distances, indices = da.concatenate(near), da.concatenate(found)
        return (distances, indices) if return_distance else indices

    def _default_neighbors(self):
        if self.n_neighbors is not None:
            return self.n_neighbors
        return getattr(self.engine, "n_neighbors", 5)

    def _validate(self, X, *, reset):
        return check_rows(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            reset=reset,
        )

    def _transform_queries(self, X):
        return self._validate(X, reset=False)

    def __getstate__(self):
        state = super().__getstate__().copy()
        if not isinstance(self.client, (str, type(None))):
            state["client"] = self.client.scheduler.address
        return state


def _merged_lists(lists, starts, width):
    """Return the nearest of the lists of all shards, by (distance, row)."""
    # lists: (distances, indices) of each shard, both (m, k); starts: (n_shards,),
    # numbers of the first rows of the shards. Returned are distances and rows, both
    # (m, width).
    near = np.hstack([distances for distances, _ in lists])
    found = np.hstack([start + found for start, (_, found) in zip(starts, lists)])
    order = np.lexsort((found, near), axis=1)[:, :width]
    return tuple(np.take_along_axis(values, order, axis=1) for values in (near, found))
