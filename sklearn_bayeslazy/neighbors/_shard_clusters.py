"""Shards of the rows and their engines: in this process, or on a dask cluster."""

from sklearn.base import clone

from .._parallel import map_tasks

# Attempts to send the shards, if workers are lost, before the error is raised.
_MAX_ATTEMPTS = 3


def shard_of(X, y, part):
    """Return the rows and targets of a part."""
    return X[part], None if y is None else y[part]


def fit_shard(engine, shard):
    """Return an engine fitted to the rows and targets of a shard."""
    X, y = shard
    return engine.fit(X) if y is None else engine.fit(X, y)


def shard_neighbors(engine, queries, k):
    """Return distances and indices of the k nearest rows of a shard."""
    return engine.kneighbors(queries, n_neighbors=k)


class LocalShards:
    """Shards in this process, searched by threads."""

    def __init__(self, n_jobs):
        self.n_jobs = n_jobs

    def fit(self, engine, X, y, parts):
        """Fit an engine to each part of the rows."""
        self.sizes = [part.stop - part.start for part in parts]
        self.engines = map_tasks(
            lambda part: fit_shard(clone(engine), shard_of(X, y, part)),
            parts,
            n_jobs=self.n_jobs,
        )

    def kneighbors(self, queries, k):
        """Return distances and indices of the k nearest rows, for each shard."""
        shards = list(zip(self.engines, self.sizes))
        return map_tasks(
            lambda shard: shard_neighbors(shard[0], queries, min(k, shard[1])),
            shards,
            n_jobs=self.n_jobs,
        )


class DaskShards:
    """Shards on the workers of a dask cluster.

    Rows are sent once, and an engine is fitted on the worker that holds them. Dask
    repeats the computations of a lost worker. The rows that it held are sent again.
    """

    def __init__(self, client):
        self.client = client
        self.models = None

    def fit(self, engine, X, y, parts):
        """Send the parts of the rows, and fit an engine to each."""
        self.engine, self.X, self.y, self.parts = engine, X, y, parts
        self.sizes = [part.stop - part.start for part in parts]
        self._repeat(lambda client, models: client.gather(_ready(client, models)))

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


def _ready(client, models):
    """Return futures that end when models are fitted; models stay on the workers."""
    return [client.submit(_done, model, pure=False) for model in models]


def _done(model):
    return True
