"""LSHNeighbors: near rows by hashing, with the recall that was asked for."""

import math
from copy import copy
from numbers import Integral, Real
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .._compat import HasMethods, Interval, StrOptions, fit_context
from .._estimator import all_or_nothing, require_targets
from .._parallel import map_chunks
from ._hashing import (
    BalancedTree,
    BucketSearch,
    ColumnSearch,
    DenseRows,
    HashTable,
    RecallCurve,
    RecallReport,
    SideCodes,
    SparseRows,
    interval,
)
from ._kneighbors import check_mode
from ._learned_hash import LearnedHash
from ._neighbor_engine import NeighborEngine
from ._random_projection_hash import RandomProjectionHash
from ._search import Metric, learn_metric, no_exclusions

_FAMILIES = {"balanced", "random_projection", "super_bit", "learned"}
# Beneath so many rows all are read and measured: nothing is to be spared.
_FEW = 256
# So many queries are worth handing to a thread.
_SMALLEST_CHUNK = 128


class LSHNeighbors(NeighborEngine):
    """Near rows by locality-sensitive hashing, with the recall that was asked for.

    Rows are put into buckets of similar rows. A query reads its own bucket and those
    whose means are nearest, compares short sketches of the rows there with its own,
    and measures those that seem nearest exactly: distances are true, but a neighbour
    can be missed. How much is read and measured is learnt in `fit`, from the exact
    neighbours of a sample of rows, as the cheapest effort that finds the share `recall`
    of them.

    Planes tell little of sparse rows such as documents. There each column is a bucket
    of the rows that fill it; a query reads those of its largest cells, and measures the
    rows with which it shares the largest products.

    Parameters
    ----------
    n_neighbors : int, default=5
        For so many neighbours the effort is learnt; for more it grows in proportion.
    metric : {"euclidean", "cosine"}, default="euclidean"
        ``|a - b|``; or 1 - cos(a, b), and 1 where a row is zero.
    hash_family : {"balanced", "random_projection", "super_bit", "learned"} or \
transformer, default="balanced"
        How buckets are made:

        - "balanced": a tree that halves the rows at the median, across directions of
          large variance; all buckets are equal. For sparse rows, the columns.
        - "random_projection": `RandomProjectionHash`, planes at random.
        - "super_bit": the same, orthogonal.
        - "learned": `LearnedHash`, from the classes y given to `fit`.
        - An object with ``fit`` and ``transform`` to at most 62 bits a row.
    n_tables : int or "auto", default="auto"
        How many times the rows are hashed; "auto" is once: a query that is to find more
        reads more buckets of the same table.
    n_bits : int or "auto", default="auto"
        2 to this power is the number of buckets, or the most there can be; "auto" takes
        about √n rows for each. What would leave fewer than 32 on average is not used.
    recall : float, default=0.95
        The share of true neighbours to be found on average, above 0. 1 reads and
        measures all rows.
    mode : {"distance", "connectivity"}, default="distance"
        What `transform` writes into the graph.
    radius : float, default=None
        If given, `transform` returns the graph of the rows within this distance, and
        `radius_neighbors` takes it by default.
    random_state : int, RandomState instance or None, default=None
        Draws the hash functions, and the sample that recall is learnt from.
    n_jobs : int, default=None
        Threads for queries.

    Attributes
    ----------
    n_tables_ : int
        How many hash tables there are.
    n_bits_ : int
        Bits of each.
    n_read_ : int
        How many rows a query reads in each table, at least; where columns are buckets,
        how many of their entries.
    n_candidates_ : int
        How many of these it measures.
    estimated_recall_ : float
        Mean recall of the sample.
    recall_interval_ : tuple of float
        95 % confidence interval of its expectation.
    n_samples_fit_ : int
        Number of training rows.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    InvertedIndexNeighbors : Finds the nearest of sparse rows exactly.
    ShepardKNN : Finds the nearest of dense rows exactly, and weighs their votes; takes
        this as its `algorithm`.

    Notes
    -----
    Training rows are kept as they are, without a copy where they are dense numbers in
    single or double precision: do not change them afterwards.

    References
    ----------
    Indyk and Motwani, "Approximate nearest neighbors", *STOC* (1998). Bawa, Condie and
    Ganesan, "LSH forest", *WWW* (2005). Lv et al., "Multi-probe LSH", *VLDB* (2007).
    Seed 002.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bayeslazy import LSHNeighbors
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> distances, ids = LSHNeighbors(n_neighbors=2).fit(X).kneighbors([[0.0, 0.0]])
    >>> ids
    array([[0, 1]])
    >>> distances  # √(3² + 4²)
    array([[0., 5.]])
    """

    _parameter_constraints = {
        **NeighborEngine._parameter_constraints,
        "metric": [StrOptions({"euclidean", "cosine"})],
        "hash_family": [StrOptions(_FAMILIES), HasMethods(["fit", "transform"])],
        "n_tables": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_bits": [StrOptions({"auto"}), Interval(Integral, 0, 62, closed="both")],
        "recall": [Interval(Real, 0, 1, closed="right")],
        "radius": [None, Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        metric="euclidean",
        hash_family="balanced",
        n_tables="auto",
        n_bits="auto",
        recall=0.95,
        mode="distance",
        radius=None,
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.hash_family = hash_family
        self.n_tables = n_tables
        self.n_bits = n_bits
        self.recall = recall
        self.mode = mode
        self.radius = radius
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Hash the rows, and learn what the recall takes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes, which hash_family="learned" needs; else ignored.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            if self.hash_family == "learned":
                require_targets(self, y)
            X = self._validate(X, reset=True)
            if y is not None:
                check_consistent_length(X, y)
            rng = check_random_state(self.random_state)
            self._metric = _learn(self.metric, X)
            rows = self._stored(X)
            if self.hash_family == "balanced" and sparse.issparse(X):
                self.n_bits_, self.n_tables_ = 0, 1
                self._search = ColumnSearch(rows)
            else:
                self._search = self._fill_tables(rows, y, rng)
            self._tune(rng)
        return self

    def _fill_tables(self, rows, y, rng):
        """Return a search in hash tables."""
        sketcher = rows.sketcher(rng)
        sketches, rest = sketcher.draw(rows, self.n_jobs)
        self.n_bits_ = self._choose_bits(rows.shape[0])
        self.n_tables_ = 1 if self.n_tables == "auto" else int(self.n_tables)
        tables = [
            HashTable(
                *self._hash(rows, y, sketches, rng), sketches, rest, n_jobs=self.n_jobs
            )
            for _ in range(self.n_tables_)
        ]
        return BucketSearch(rows, sketcher, tables)

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y=None):
        """Add rows; they are numbered from `n_samples_fit_` on.

        Hash functions were learnt from the first rows and stay; what is read and
        measured grows with the rows, and so does the time of a query: fit again where
        there are many times more.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored, except by the first call

        Returns
        -------
        self
        """
        if not hasattr(self, "_search"):
            return self.fit(X, y)
        with all_or_nothing(self):
            if self._metric.name != self.metric:
                raise ValueError(
                    f"metric={self.metric!r}, but rows were hashed for metric="
                    f"{self._metric.name!r}: call fit to hash them anew."
                )
            self._search = self._search.extended(self._transform_queries(X))
            self._show_effort()
        return self

    def radius_neighbors(self, X=None, radius=None, return_distance=True):
        """Return the rows within a distance, of those in the buckets that are read.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows, none of which is its own neighbour.
        radius : float, default=None
            By default the parameter.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples,) of float arrays
            Ascending. Only with `return_distance`.
        ids : ndarray of shape (n_samples,) of int arrays
            Numbers of the training rows.
        """
        distances, ids, starts = self._within(X, radius)
        distances, ids = _ragged(distances, starts), _ragged(ids, starts)
        return (distances, ids) if return_distance else ids

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity"):
        """Return the graph of the rows that `radius_neighbors` finds.

        Parameters
        ----------
        X, radius : as in `radius_neighbors`
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge is 1 or the distance.

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR; the entries of a row stand in the order of their distances.
        """
        check_mode(mode)
        distances, ids, starts = self._within(X, radius)
        values = distances if mode == "distance" else np.ones_like(distances)
        shape = len(starts) - 1, self.n_samples_fit_
        return sparse.csr_matrix((values, ids, starts), shape=shape)

    def transform(self, X):
        """Return the graph of the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR. With `radius`, as `radius_neighbors_graph` returns it; else as
            `kneighbors_graph` does, where with mode="distance" it has one neighbour
            more than `n_neighbors`: if X is the training table, each row finds itself.

        Raises
        ------
        ValueError
            Where there are fewer training rows than that.
        """
        check_is_fitted(self)
        if self.radius is None:
            return super().transform(X)
        return self.radius_neighbors_graph(X, mode=self.mode)

    def recall_report(self, X, n_neighbors=None):
        """Measure on other rows how many of their neighbours are found.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Each is compared with all training rows.
        n_neighbors : int, default=None
            By default the parameter.

        Returns
        -------
        RecallReport
        """
        distances = self.kneighbors(X, n_neighbors)[0]
        k = distances.shape[1]
        farthest, _ = self._exact(self._transform_queries(X), k)
        found = (distances <= farthest).mean(axis=1)
        return RecallReport(float(found.mean()), interval(found), k, len(found))

    def recall_curve(self, X, recalls=(0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)):
        """Measure on other rows what is found, and how soon, with other efforts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Each is compared with all training rows.
        recalls : sequence of float
            The efforts are the cheapest that find these shares of the neighbours of X.

        Returns
        -------
        RecallCurve
            The last effort is the one learnt in `fit`.

        See Also
        --------
        RecallDisplay : Draws it.
        """
        check_is_fitted(self)
        queries = self._transform_queries(X)
        k = self._how_many(None, self.n_samples_fit_)
        farthest, ids = self._exact(queries, k)
        exclude = no_exclusions(len(ids))
        judgement = self._search.judgement(queries, ids, exclude, self.n_jobs)
        self.kneighbors(X, k)  # the first call warms up
        rows = []
        for recall in [*recalls, None]:
            other = copy(self)
            other._search = search = copy(self._search)
            if recall is not None:
                search.tune(judgement, recall)
            start = perf_counter()
            found = other.kneighbors(X, k)[0]
            seconds = (perf_counter() - start) / len(found)
            share = float((found <= farthest).mean())
            rows.append((share, seconds, search.n_read, search.n_candidates))
        return RecallCurve(*map(np.array, zip(*rows)))

    def _exact(self, queries, k):
        """Return how far the k-th nearest rows are, and which rows are the nearest."""
        exclude = no_exclusions(queries.shape[0])
        reduced, ids = self._search.nearest_of_all(queries, k, exclude, self.n_jobs)
        return self._metric.distances(reduced[:, -1:]), ids

    def _within(self, X, radius):
        check_is_fitted(self)
        radius = self.radius if radius is None else radius
        if not isinstance(radius, Real) or not radius >= 0:
            raise ValueError(
                f"radius must be a number ≥ 0, got {radius!r}: give it here or as a "
                "parameter."
            )
        itself = X is None
        queries = (
            self._search.training_queries() if itself else self._transform_queries(X)
        )

        def find(rows):
            mine = np.arange(rows.start, rows.stop)
            exclude = mine if itself else no_exclusions(len(mine))
            reduced, ids, there = self._search.read(queries, rows, exclude)
            distances = self._metric.distances(np.where(there, reduced, np.inf))
            there &= distances <= radius
            order = np.lexsort((ids, distances), axis=1)
            distances, ids, there = (
                np.take_along_axis(a, order, axis=1) for a in (distances, ids, there)
            )
            return distances[there], ids[there], there.sum(axis=1)

        parts = map_chunks(
            find,
            queries.shape[0],
            self._search.bytes_to_read(),
            n_jobs=self.n_jobs,
            smallest=_SMALLEST_CHUNK,
        )
        distances, ids, counts = map(np.concatenate, zip(*parts))
        return distances, ids, np.append(0, np.cumsum(counts))

    def _choose_bits(self, n):
        if self.n_bits != "auto":
            leaves_rows = self.hash_family != "balanced" or 2**self.n_bits <= n
            return int(self.n_bits) if leaves_rows else int(math.log2(n))
        return max(round(math.log2(n / max(math.sqrt(n), 32))), 0)

    def _hash(self, rows, y, sketches, rng):
        """Return a hash function, and the codes of the rows."""
        family = self.hash_family
        if isinstance(family, str) and (family == "balanced" or self.n_bits_ == 0):
            return BalancedTree.grow(sketches, self.n_bits_, rng, self.n_jobs)
        seed = int(rng.randint(2**31 - 1))
        if family == "learned":
            hasher = LearnedHash(self.n_bits_, random_state=seed, n_jobs=self.n_jobs)
        elif isinstance(family, str):
            hasher = RandomProjectionHash(
                self.n_bits_,
                orthogonal=family == "super_bit",
                center=self.metric == "euclidean" and isinstance(rows, DenseRows),
                random_state=seed,
                n_jobs=self.n_jobs,
            )
        else:
            hasher = clone(family)
        function = SideCodes(hasher.fit(rows.X, y))
        return function, function.codes(rows, sketches)

    def _tune(self, rng):
        n = self._search.n_rows
        k = min(self.n_neighbors, n - 1)
        if self.recall == 1 or n <= _FEW:
            self._search.settle(max(k, 1), self._search.n_to_read, n)
            self.estimated_recall_, self.recall_interval_ = 1.0, (1.0, 1.0)
        else:
            judgement = self._search.judge(k, rng, self.n_jobs)
            found = self._search.tune(judgement, self.recall)
            self.estimated_recall_ = float(found.mean())
            self.recall_interval_ = interval(found)
        self._show_effort()

    def _show_effort(self):
        self.n_samples_fit_ = self._search.n_rows
        self.n_read_ = self._search.n_read
        self.n_candidates_ = self._search.n_candidates

    def _validate(self, X, *, reset):
        return validate_data(
            self,
            X,
            accept_sparse=self.hash_family != "learned" and "csr",
            dtype=[np.float64, np.float32],
            reset=reset,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        learned = self.hash_family == "learned"
        tags.target_tags.required = learned
        tags.input_tags.sparse = not learned
        return tags

    def _transform_queries(self, X):
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        if isinstance(self._search.rows, SparseRows):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return self._stored(X)

    def _stored(self, X):
        """Return rows where distances are measured."""
        store = SparseRows if sparse.issparse(X) else DenseRows
        return store.transformed(X, self._metric)

    def _map(self, function, n_rows, bytes_per_row):
        bytes_per_row += self._search.bytes_per_query(bytes_per_row / 24)
        map_chunks(
            function,
            n_rows,
            bytes_per_row,
            n_jobs=self.n_jobs,
            smallest=_SMALLEST_CHUNK,
            products=self._search.by_products,
        )


def _learn(name, X):
    """Return the metric; single precision needs no other unit."""
    if name == "euclidean" and X.dtype == np.float32:
        return Metric(name)
    return learn_metric(name, None, None, X, np.ones(X.shape[0]))


def _ragged(values, starts):
    """Return an array of arrays."""
    parts = np.empty(len(starts) - 1, dtype=object)
    for i in range(len(parts)):
        parts[i] = values[starts[i] : starts[i + 1]]
    return parts
