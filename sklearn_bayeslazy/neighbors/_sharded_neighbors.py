"""ShardedNeighbors: rows are divided among several engines, and lists are merged."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from .._core._arrays import keep_labels, refuse_unreadable_targets
from .._core._compat import HasMethods, Interval, fit_context
from .._core._estimator import all_or_nothing
from .._core._parallel import row_chunks
from ..search import (
    STORED_TYPES,
    PositionsOfIds,
    RowNames,
    RowRegister,
    drop_excluded,
    merged_lists,
)
from ..tabular import check_rows, concatenate_rows
from ._changing_rows import ChangingRowsMixin, first_names
from ._neighbor_engine import NeighborEngine
from ._shard_clusters import DaskShards, LocalShards, PartitionShards, dask_rows


@dataclass(frozen=True, eq=False)
class ShardedSearch(RowRegister):
    """Engines over parts of the rows, and which rows each of them has."""

    # Nothing of it changes, as in `ChangingSearch`: a change is another search.

    shards: object  # LocalShards, DaskShards or PartitionShards
    names: RowNames
    parts: list  # the positions of the rows of each shard, ascending
    X: tuple | None  # the rows, in parts; None if they stay where they lie
    alive: np.ndarray | None = None  # (n_positions,) uint8: 0 for removed rows
    positions: PositionsOfIds | None = None  # None if rows have no ids

    @property
    def n_positions(self):
        """Return the number of rows that were ever added."""
        return len(self.names)

    n_rows = n_positions

    def training_queries(self):
        """Return the rows that are not removed."""
        X = concatenate_rows(self.X)
        return X if self.alive is None else X[self.training_numbers()]

    def lists(self, queries, k, passing):
        """Return distances and positions of the k nearest rows of each shard."""
        # passing: (n_positions,) uint8, the rows that may be found, or None.
        if passing is None:
            found = self.shards.kneighbors(queries, k)
        else:
            masks = [passing[part].astype(bool) for part in self.parts]
            found = self.shards.kneighbors(queries, k, masks)
        return positions_in(self.parts, found)

    def changed(self, removed=None, rows=None, ids=None):
        """Return a search without the removed rows, and with others in one shard."""
        n, names, X = self.n_positions, self.names, self.X
        alive = self.alive_after(removed, 0 if rows is None else rows.shape[0])
        parts, changes = list(self.parts), [(None, None)] * len(self.parts)
        if removed is not None:
            changes = [(np.flatnonzero(np.isin(part, removed)), None) for part in parts]
        if rows is not None:
            smallest = int(np.argmin(self.shards.sizes))
            added = RowNames(np.arange(n, n + rows.shape[0]), ids)
            changes[smallest] = changes[smallest][0], rows
            before = parts[smallest] if self.shards.sizes[smallest] else []
            parts[smallest] = np.append(before, added.positions).astype(np.int64)
            names, X = names.joined(added), (*X, rows)
        shards = self.shards.changed(changes)
        positions = self.positions
        if ids is not None:
            positions = positions.extended(added, lambda: names)
        return ShardedSearch(shards, names, parts, X, alive, positions)


class ShardedNeighbors(ChangingRowsMixin, NeighborEngine):
    """Neighbours of rows that are divided among several engines: map and reduce.

    Each shard of the rows has an engine, which finds the nearest of its rows. The
    lists are merged by (distance, row). With an exact engine the lists are those of one
    engine over all rows. The shards are in this process, or on the workers of a dask
    cluster. In this process, rows can be added, removed, replaced, named by ids and
    filtered if the engine can: an added row enters the smallest shard.

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
        Number of rows that were ever given: positions of rows are below it.
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
    def fit(self, X, y=None, *, ids=None):
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
        ids : array-like of shape (n_samples,), default=None
            Unique integers or strings, by which `remove`, `replace` and `filter` name
            rows. By default they name positions.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            partitions = dask_rows(X)
            if partitions is not None:
                return self._fit_partitions(partitions, y, ids)
            X = self._validate(X, reset=True)
            n = X.shape[0]
            self.n_shards_ = min(self.n_shards, n)
            bounds = n * np.arange(self.n_shards_ + 1) // self.n_shards_
            parts = [slice(*bounds[i : i + 2]) for i in range(self.n_shards_)]
            shards = LocalShards(self.n_jobs)
            if self.client is not None:
                shards = DaskShards(self.client)
            targets = None
            if y is not None:
                refuse_unreadable_targets(y)
                check_consistent_length(X, y)
                targets = np.asarray(keep_labels(y))
            names = first_names(n, ids)
            shards.fit(clone(self.engine), X, targets, parts)
            self._publish_first(shards, names, (X,))
        return self

    def _publish_first(self, shards, names, X):
        """Publish the search of the first rows; X: in parts, or None."""
        positions = None if names.ids is None else PositionsOfIds(names)
        parts = np.split(names.positions, np.cumsum(shards.sizes)[:-1])
        self._publish(ShardedSearch(shards, names, parts, X, positions=positions))

    def _publish(self, search):
        """Replace the search, all at once for other threads."""
        self._search = search
        self.n_samples_fit_ = search.n_positions

    def _changed(self, search, removed, rows, ids):
        return search.changed(removed, rows, ids)

    def _check_changeable(self, search):
        is_local = isinstance(search.shards, LocalShards)
        if is_local and all(hasattr(e, "remove") for e in search.shards.engines):
            return
        raise ValueError(
            "Rows change, and are filtered, in shards of this process whose engine can "
            "do so, such as LSHNeighbors: call fit again with client=None and such an "
            f"engine, got client={self.client!r} and {type(self.engine).__name__}."
        )

    def _read_rows(self, X):
        return self._validate(X, reset=False)

    def _fit_partitions(self, X, y, ids):
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
        shards = PartitionShards()
        names = first_names(X.shape[0], ids)
        shards.fit(self.engine, X, y)
        self.n_shards_ = len(shards.sizes)
        self._publish_first(shards, names, None)
        return self

    def kneighbors(
        self,
        X=None,
        n_neighbors=None,
        return_distance=True,
        *,
        filter=None,
        return_ids=False,
    ):
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
        filter : bool array-like of shape (`n_samples_fit_`,), or array-like of ids, \
default=None
            The rows that may be found, as in `LSHNeighbors.kneighbors`.
        return_ids : bool, default=False
            Whether to return ids instead of positions.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending. Only with `return_distance`.
        indices : ndarray of shape (n_samples, n_neighbors)
            Indices of the training rows, or ids; rows at equal distances are in the
            order of their indices.

        Raises
        ------
        ValueError
            If there are fewer training rows than neighbours.
        """
        partitions = dask_rows(X)
        if partitions is not None:
            return self._partition_neighbors(partitions, n_neighbors, return_distance)
        return super().kneighbors(
            X, n_neighbors, return_distance, filter=filter, return_ids=return_ids
        )

    def _list_neighbors(self, search, X, n_neighbors, filter=None):
        """Return the distances (m, k) and the positions of the nearest rows."""
        if X is None and search.X is None:
            raise ValueError(
                "X=None needs the training rows, which stay in their partitions after "
                "a fit to a dask collection: pass X."
            )
        if filter is not None:
            self._check_changeable(search)
        alive, queries, exclude, most = self._requested(search, X, filter)
        passing = None if filter is None else alive
        m, exclude_self = queries.shape[0], X is None
        k = self._checked_n_neighbors(n_neighbors, most)
        distances, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        width, n_shards = k + exclude_self, len(search.shards.sizes)
        for rows in row_chunks(m, 48 * width * n_shards, min_rows=m):
            lists = search.lists(queries[rows], width, passing)
            near, found = merged_lists(lists, width)
            if exclude_self:
                near, found = drop_excluded(near, found, exclude[rows])
            distances[rows], indices[rows] = near[:, :k], found[:, :k]
        return distances, indices

    def _partition_neighbors(self, X, n_neighbors, return_distance):
        """Return distances and indices as dask arrays with the partitions of X."""
        import dask
        import dask.array as da

        search = self._fitted_search()
        if not isinstance(search.shards, PartitionShards):
            raise ValueError(
                "Queries in a dask collection need a fit to a dask collection: compute "
                "the queries, or fit to one."
            )
        k = self._checked_n_neighbors(n_neighbors, self.n_samples_fit_)
        merged = dask.delayed(merged_lists, nout=2)
        near, found = [], []
        for part, size in zip(X.to_delayed().ravel(), X.chunks[0]):
            lists = dask.delayed(positions_in)(
                search.parts, search.shards.lists(part, k)
            )
            both = merged(lists, k)
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
            dtype=[*STORED_TYPES, np.dtype(bool)],
            reset=reset,
        )

    _transform_queries = _read_rows

    def __getstate__(self):
        state = super().__getstate__().copy()
        if not isinstance(self.client, (str, type(None))):
            state["client"] = self.client.scheduler.address
        return state


def positions_in(parts, found):
    """Return lists of positions, from lists of rows of each part."""
    return [(near, part[rows]) for part, (near, rows) in zip(parts, found)]
