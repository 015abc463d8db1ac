"""ShardedNeighbors: the rows over several engines, their lists merged."""

from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from .._compat import HasMethods, Interval, fit_context
from .._estimator import all_or_nothing
from .._parallel import row_chunks
from ._neighbor_engine import NeighborEngine
from ._search import drop_excluded
from ._shard_clusters import DaskShards, LocalShards


class ShardedNeighbors(NeighborEngine):
    """Neighbours of rows that are spread over several engines: map and reduce.

    Each shard of the rows has an engine of its own, which finds the nearest of its
    rows; the lists are merged by (distance, row). With an exact engine the answer is
    that of one engine over all rows. The shards lie in this process, or on the workers
    of a dask cluster.

    Parameters
    ----------
    engine : estimator
        With ``fit`` and ``kneighbors``, for instance `LSHNeighbors`; it is cloned for
        each shard.
    n_shards : int, default=2
        How many; never more than there are rows.
    client : dask.distributed.Client or str, default=None
        A client of a cluster, or the address of its scheduler. Shards are sent to its
        workers once; what a lost worker held is sent and built anew. A pickle keeps the
        rows and the address.
    n_neighbors : int, default=None
        How many neighbours; by default as many as the engine's parameter says.
    mode : {"distance", "connectivity"}, default="distance"
        What `transform` writes into the graph.
    n_jobs : int, default=None
        Threads over the shards, without a client.

    Attributes
    ----------
    n_shards_ : int
        How many shards there are.
    n_samples_fit_ : int
        Number of training rows.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    InvertedIndexNeighbors : An exact engine for sparse rows.
    LSHNeighbors : A fast one with a given recall.

    References
    ----------
    Dean and Ghemawat, "MapReduce", *OSDI* (2004). Seed 002.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bayeslazy import LSHNeighbors, ShardedNeighbors
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> shards = ShardedNeighbors(LSHNeighbors(n_neighbors=2), n_shards=2).fit(X)
    >>> distances, ids = shards.kneighbors([[1.6]])
    >>> ids  # one of each shard
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
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Row i belongs to a shard of neighbouring rows.
        y : array-like of shape (n_samples,), default=None
            Handed to engines that learn from it.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            X = self._validate(X, reset=True)
            n = X.shape[0]
            self.n_shards_ = min(self.n_shards, n)
            bounds = n * np.arange(self.n_shards_ + 1) // self.n_shards_
            parts = [slice(*bounds[i : i + 2]) for i in range(self.n_shards_)]
            at_home = self.client is None
            self._shards = (
                LocalShards(self.n_jobs) if at_home else DaskShards(self.client)
            )
            targets = None if y is None else np.asarray(y)
            self._shards.fit(clone(self.engine), X, targets, parts)
            self._fit_X = X
            self._starts = bounds[:-1]
            self.n_samples_fit_ = n
        return self

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows, none of which is its own neighbour.
        n_neighbors : int, default=None
            By default the parameter.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending. Only with `return_distance`.
        ids : int ndarray of shape (n_samples, n_neighbors)
            Numbers of the training rows; of equally distant ones the first comes first.

        Raises
        ------
        ValueError
            Where there are fewer training rows than neighbours wanted.
        """
        check_is_fitted(self)
        itself = X is None
        queries = self._fit_X if itself else self._transform_queries(X)
        m = queries.shape[0]
        k = self._how_many(n_neighbors, self.n_samples_fit_ - itself)
        distances, ids = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        wanted = k + itself
        for rows in row_chunks(m, 48 * wanted * self.n_shards_, smallest=m):
            lists = self._shards.ask(queries[rows], wanted)
            near = np.hstack([distance for distance, _ in lists])
            found = np.hstack(
                [start + part for start, (_, part) in zip(self._starts, lists)]
            )
            order = np.lexsort((found, near), axis=1)[:, :wanted]
            near, found = (
                np.take_along_axis(values, order, axis=1) for values in (near, found)
            )
            if itself:
                near, found = drop_excluded(near, found, np.arange(m)[rows])
            distances[rows], ids[rows] = near, found
        return (distances, ids) if return_distance else ids

    def _default_neighbors(self):
        if self.n_neighbors is not None:
            return self.n_neighbors
        return getattr(self.engine, "n_neighbors", 5)

    def _validate(self, X, *, reset):
        return validate_data(
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
