"""Shards of the rows and their engines: in this process, or on a dask cluster."""

from copy import copy

import numpy as np
from sklearn.base import clone

from .._core._parallel import map_tasks

# Attempts to send the shards, if workers are lost, before the error is raised.
_MAX_ATTEMPTS = 3


def shard_of(X, y, part):
    """Return the rows and targets of a part."""
    return X[part], None if y is None else y[part]


def fit_shard(engine, shard):
    """Return an engine fitted to the rows and targets of a shard."""
    X, y = shard
    return engine.fit(X) if y is None else engine.fit(X, y)


def shard_neighbors(engine, queries, k, mask=None):
    """Return distances and indices of the k nearest rows of a shard."""
    # mask: of the rows that may be found.
    if mask is not None:
        k = min(k, int(np.count_nonzero(mask)))
    if k == 0:
        m = queries.shape[0]
        return np.empty((m, 0)), np.empty((m, 0), dtype=np.int64)
    filtered = {} if mask is None else {"filter": mask}
    return engine.kneighbors(queries, n_neighbors=k, **filtered)


class LocalShards:
    """Shards in this process, searched by threads."""

    # Engines may start threads too, such as those of OpenMP in scikit-learn: each then
    # has one, since more than there are cores would wait for one another.

    def __init__(self, n_jobs):
        self.n_jobs = n_jobs

    def fit(self, engine, X, y, parts):
        """Fit an engine to each part of the rows."""
        self.sizes = [part.stop - part.start for part in parts]
        self.engines = map_tasks(
            lambda part: fit_shard(clone(engine), shard_of(X, y, part)),
            parts,
            n_jobs=self.n_jobs,
            uses_blas=True,
        )

    def kneighbors(self, queries, k, masks=None):
        """Return distances and indices of the k nearest rows, for each shard."""
        masks = [None] * len(self.sizes) if masks is None else masks

        def find(shard):
            size, mask = self.sizes[shard], masks[shard]
            return shard_neighbors(self.engines[shard], queries, min(k, size), mask)

        shards = list(range(len(self.sizes)))
        return map_tasks(find, shards, n_jobs=self.n_jobs, uses_blas=True)

    def changed(self, changes):
        """Return shards without some rows, and with others; these stay as they are."""
        # changes: of each shard, the indices of removed rows and the added rows, or
        # None.
        other = copy(self)
        other.engines, other.sizes = list(self.engines), list(self.sizes)
        for shard, (removed, rows) in enumerate(changes):
            engine = copy(self.engines[shard])
            if rows is not None:
                is_empty = self.sizes[shard] == 0
                engine = (
                    clone(engine).fit(rows) if is_empty else engine.partial_fit(rows)
                )
                other.sizes[shard] += rows.shape[0]
            n_removed = 0 if removed is None else len(removed)
            other.sizes[shard] -= n_removed
            if n_removed and other.sizes[shard]:
                engine.remove(removed)  # the last row stays, in a shard of size 0
            other.engines[shard] = engine
        return other


class DaskShards:
    """Shards on the workers of a dask cluster."""

    # Rows are sent once, and an engine is fitted on the worker that holds them. Dask
    # repeats the computations of a lost worker. The rows that it held are sent again.

    def __init__(self, client):
        self.client = client
        self.models = None

    def fit(self, engine, X, y, parts):
        """Send the parts of the rows, and fit an engine to each."""
        self.engine, self.X, self.y, self.parts = engine, X, y, parts
        self.sizes = [part.stop - part.start for part in parts]
        self._repeat(_wait_for_fits)

    def kneighbors(self, queries, k):
        """Return distances and indices of the k nearest rows, for each shard."""

        def find(client, models):
            sent = client.scatter(queries, broadcast=True, hash=False)
            return client.gather(
                [
                    client.submit(
                        shard_neighbors, model, sent, min(k, size), pure=False
                    )
                    for model, size in zip(models, self.sizes)
                ]
            )

        return self._repeat(find)

    def _repeat(self, work):
        """Return ``work(client, models)``; after losses, send the shards again."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        client = self._connected()
        for attempt in range(_MAX_ATTEMPTS):
            if self.models is None:
                self.models = [self._send(client, part) for part in self.parts]
            try:
                return work(client, self.models)
            except (CancelledError, KilledWorker, OSError):
                self.models = None
                if attempt == _MAX_ATTEMPTS - 1:
                    raise

    def _send(self, client, part):
        shard = client.scatter(shard_of(self.X, self.y, part), hash=False)
        return client.submit(fit_shard, self.engine, shard, pure=False)

    def _connected(self):
        if isinstance(self.client, str):
            from distributed import Client

            self.client = Client(self.client, set_as_default=False)
        return self.client

    def __getstate__(self):
        """Keep the rows and the address; models are fitted again when needed."""
        state = {**vars(self), "models": None}
        if not isinstance(self.client, str):
            state["client"] = self.client.scheduler.address
        return state


class PartitionShards:
    """Shards that are the partitions of a dask array, on the current dask scheduler."""

    # Dask repeats the computations of a lost worker, from the graph of the array.

    def fit(self, engine, X, y):
        """Fit an engine to each partition that has rows."""
        import dask

        rows, targets = (None if a is None else a.to_delayed().ravel() for a in (X, y))
        used = [i for i, size in enumerate(X.chunks[0]) if size]
        self.sizes = [X.chunks[0][i] for i in used]
        shards = [(rows[i], None if y is None else targets[i]) for i in used]
        fits = [dask.delayed(fit_shard)(clone(engine), shard) for shard in shards]
        self.models = dask.persist(*fits)

    def kneighbors(self, queries, k):
        """Return distances and indices of the k nearest rows, for each shard."""
        import dask

        return dask.compute(*self.lists(queries, k))

    def lists(self, queries, k):
        """Return the same for rows or a partition of rows, not yet computed."""
        import dask

        queries = dask.delayed(queries)
        find = dask.delayed(shard_neighbors)
        return [
            find(model, queries, min(k, n)) for model, n in zip(self.models, self.sizes)
        ]

    def __getstate__(self):
        """Keep the fitted engines, without the scheduler."""
        import dask

        models = [dask.delayed(model) for model in dask.compute(*self.models)]
        return {**vars(self), "models": models}


def dask_rows(data):
    """Return a dask array or frame as an array with known chunks of whole rows."""
    # None if the data are no dask collection.
    if not hasattr(data, "__dask_graph__"):
        return None
    if not hasattr(data, "chunks"):
        data = data.to_dask_array(lengths=True)
    if any(np.isnan(data.chunks[0])):
        data = data.compute_chunk_sizes()
    return data.rechunk({1: -1}) if data.ndim == 2 else data


def _wait_for_fits(client, models):
    """Wait until models are fitted, or raise their error; they stay on the workers."""
    client.gather(client.map(_done, models, pure=False))


def _done(model):
    return True
