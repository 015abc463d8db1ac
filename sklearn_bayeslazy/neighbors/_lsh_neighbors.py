"""LSHNeighbors: approximate nearest neighbours by hashing, with a given recall."""

from copy import copy, deepcopy
from dataclasses import replace
from numbers import Integral, Real
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._compat import HasMethods, Interval, StrOptions, fit_context
from .._core._estimator import all_or_nothing, require_targets
from ..search import (
    MAX_BITS,
    STORED_TYPES,
    BitRows,
    ColumnSearch,
    DenseRows,
    Metric,
    ProductRows,
    RecallCurve,
    RecallReport,
    SparseRows,
    interval,
    learn_metric,
    no_exclusions,
    product_metric,
)
from ..tabular import check_rows
from ._changing_rows import ChangingRowsEngine
from ._hash_families import (
    FAMILIES,
    UNSUPERVISED_FAMILIES,
    HashFamily,
    choose_n_bits,
    fill_tables,
    given_links,
)

_STORES = {"inner_product": ProductRows, "hamming": BitRows}


class LSHNeighbors(ChangingRowsEngine):
    """Approximate nearest neighbours, to a given recall, of rows that may change.

    A balanced tree halves the rows at medians until near rows share a bucket; or a hash
    family that is named, such as random hyperplanes, puts rows of the same code into a
    bucket (locality-sensitive hashing). A query reads the bucket of its code, and those
    whose means are nearest. It compares low-dimensional projections of the rows there
    with that of the query, and measures those that seem nearest exactly. So distances
    are true, but a neighbour can be missed. `fit` chooses how many rows to read and to
    measure: from the exact neighbours of a sample of rows, it learns the cheapest
    numbers that find the share `recall` of them. `radius_neighbors` lists the nearest
    rows in the same way, more of them until a list reaches beyond the radius.

    Sparse rows, such as documents, are not hashed by default: each column is a bucket
    of the rows that fill it. A query reads the columns of its largest cells, and
    measures the rows of largest products. Random hyperplanes separate them poorly.

    Rows can be added (`partial_fit`), removed and replaced, named by ids and filtered.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that the search is tuned for. For more neighbours it reads
        and measures more rows, in proportion.
    metric : {"euclidean", "cosine", "inner_product", "hamming"}, default="euclidean"
        ``|a - b|``; 1 - cos(a, b), which is 1 if a row is zero; -a·b, which puts the
        largest product first; or the share of bits that differ. For "hamming" X holds
        booleans, or, as uint8, eight bits a cell (`numpy.packbits`).
    hash_family : {"balanced", "random_projection", "super_bit", "learned"} or \
transformer, default="balanced"
        How rows are hashed into buckets:

        - "balanced": a tree that halves the rows at the median, along directions of
          large variance. From its leaves, which have the same size, each row moves to
          the nearest mean of a leaf nearby. For sparse rows, the columns.
        - "random_projection": `RandomProjectionHash`, random hyperplanes.
        - "super_bit": the same, with orthogonal hyperplanes.
        - "learned": `LearnedHash`, from the classes y or the pairs given to `fit`.
        - An object with ``fit`` and ``transform`` to at most 62 bits per row. A fitted
          one is used as it is (``clone`` forgets that it was fitted, unless it is a
          `sklearn.frozen.FrozenEstimator`), others are cloned for each table, with
          seeds from `random_state`. It gets rows as the metric compares them, of
          length one for "cosine".
    n_tables : int or "auto", default="auto"
        Number of times that the rows are hashed. "auto" is once: for a higher recall a
        query reads more buckets of the same table.
    n_bits : int or "auto", default="auto"
        2 to this power is the largest number of buckets. "auto" takes about √n rows per
        bucket, at least 32 and at most 256. Last bits that would leave fewer than 32
        rows per bucket are dropped.
    recall : float, default=0.95
        Share of the true neighbours to be found on average, above 0. With 1 all rows
        are read and measured. It takes the place of `M`, `ef` and `nprobe` elsewhere.
    mode : {"distance", "connectivity"}, default="distance"
        What `transform` writes into the graph.
    radius : float, default=None
        If given, `transform` returns the graph of the rows within this distance, and
        `radius_neighbors` takes it by default.
    random_state : int, RandomState instance or None, default=None
        Determines the hash functions, and the sample that recall is learnt from.
    n_jobs : int, default=None
        Threads for queries.

    Attributes
    ----------
    n_tables_ : int
        Number of hash tables.
    n_bits_ : int
        Number of bits of a hash function.
    n_read_ : int
        Smallest number of rows that a query reads in each table; if columns are
        buckets, of their entries.
    n_candidates_ : int
        Number of these rows that a query measures.
    estimated_recall_ : float
        Mean recall of the sample.
    recall_interval_ : tuple of float
        95 % confidence interval of the expected recall.
    n_samples_fit_ : int
        Number of rows that were ever given: positions of rows are below it.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if X had names that are all strings.

    See Also
    --------
    InvertedIndexNeighbors : Finds the nearest of sparse rows exactly.
    ShepardKNN : Votes of the nearest rows, found exactly or by this engine as its
        `algorithm`.

    Notes
    -----
    Training rows are stored without a copy if they are a dense array in double or
    single precision, or of int8 or uint8, so that distances of such integers are exact:
    do not change them afterwards. For "inner_product" there is a copy, in floats. Rows
    in half precision are stored in single precision, and booleans as bits. One query is
    answered in the time of what it reads, and one row is added in about a tenth of a
    millisecond, whatever the number of rows.

    References
    ----------
    Indyk and Motwani, "Approximate nearest neighbors", *STOC* (1998). Bawa, Condie and
    Ganesan, "LSH forest", *WWW* (2005). Lv et al., "Multi-probe LSH", *VLDB* (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bayeslazy import LSHNeighbors
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> engine = LSHNeighbors(n_neighbors=2).fit(X)
    >>> distances, indices = engine.kneighbors([[0.0, 0.0]])
    >>> indices
    array([[0, 1]])
    >>> distances  # √(3² + 4²)
    array([[0., 5.]])
    """

    _parameter_constraints = {
        **ChangingRowsEngine._parameter_constraints,
        "metric": [StrOptions({"euclidean", "cosine", "inner_product", "hamming"})],
        "hash_family": [StrOptions(FAMILIES), HasMethods(["fit", "transform"])],
        "n_tables": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_bits": [
            StrOptions({"auto"}),
            Interval(Integral, 0, MAX_BITS, closed="both"),
        ],
        "recall": [Interval(Real, 0, 1, closed="right")],
        "radius": [None, Interval(Real, None, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        metric="euclidean",
        hash_family: object = "balanced",
        n_tables: str | int = "auto",
        n_bits: str | int = "auto",
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
    def fit(self, X, y=None, *, must_link=None, cannot_link=None, ids=None):
        """Hash the rows, and tune the search to the recall.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes. hash_family="learned" needs classes or pairs; other names ignore
            them.
        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            As in `LearnedHash.fit`.
        ids : array-like of shape (n_samples,), default=None
            Unique integers or strings, by which `remove`, `replace` and `filter` name
            rows. By default they name positions.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            links = given_links(
                self.hash_family, must_link=must_link, cannot_link=cannot_link
            )
            if self.hash_family == "learned" and not links:
                require_targets(self, y)
            X = self._validate(X, reset=True)
            if y is not None:
                check_consistent_length(X, y)
            rng = check_random_state(self.random_state)
            self._metric = _fit_metric(self.metric, X)
            rows = self._transform_rows(X)
            index = self._hash_rows(rows, self.hash_family, rng, y, links)
            index = self._tuned(index, rng)
            self._seed = int(deepcopy(rng).randint(2**31 - 1))
            self._publish(self._first_search(index, ids))
        return self

    def _build_index(self, rows):
        """Return an index of other rows; hash functions that were learnt stay."""
        rng = np.random.RandomState(self._seed)
        family = self.hash_family
        if family not in UNSUPERVISED_FAMILIES:
            former = self._search.index
            if former.is_learned:
                return self._tuned(former.with_rows(rows), rng)
            family = "balanced"  # there were too few rows for the first bit
        return self._tuned(self._hash_rows(rows, family, rng), rng)

    def _hash_rows(self, rows, family, rng, y=None, links=None):
        """Return a search in hash tables, or in the columns of sparse rows."""
        is_sparse = isinstance(rows, SparseRows)
        if is_sparse and self.metric == "inner_product" and family != "balanced":
            raise ValueError(
                "metric='inner_product' of sparse rows needs hash_family='balanced', "
                f"got {family!r}: the hashes of sparse rows keep distances, and not "
                "products."
            )
        if is_sparse and family == "balanced":
            self.n_bits_, self.n_tables_ = 0, 1
            return ColumnSearch(rows)
        self.n_bits_ = choose_n_bits(self.n_bits, family, rows.shape[0])
        self.n_tables_ = 1 if self.n_tables == "auto" else int(self.n_tables)
        center = self.metric == "euclidean" and isinstance(rows, DenseRows)
        family = HashFamily(family, self.n_bits_, center, self.n_jobs, links or {})
        return fill_tables(rows, y, family, self.n_tables_, rng)

    def _tuned(self, index, rng):
        """Return an index after it is tuned to the recall."""
        index.tune_on_sample(self.n_neighbors, self.recall, rng, self.n_jobs)
        return index

    def transform(self, X):
        """Return the graph of the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR. With `radius`, as `radius_neighbors_graph` returns it. Otherwise as
            `kneighbors_graph` returns it; with mode="distance" it has one neighbour
            more than `n_neighbors`, because a training row finds itself.

        Raises
        ------
        ValueError
            If there are fewer training rows than that.
        """
        check_is_fitted(self)
        if self.radius is None:
            return super().transform(X)
        return self.radius_neighbors_graph(X, mode=self.mode)

    def recall_report(self, X, n_neighbors=None):
        """Measure the share of the neighbours of other rows that is found.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Each is compared with all training rows.
        n_neighbors : int, default=None
            By default the parameter `n_neighbors`.

        Returns
        -------
        RecallReport
        """
        search = self._fitted_search()
        distances, _ = self._list_neighbors(search, X, n_neighbors)
        k = distances.shape[1]
        farthest, _ = self._exact(search, self._transform_queries(X), k)
        found = (distances <= farthest).mean(axis=1)
        return RecallReport(float(found.mean()), interval(found), k, len(found))

    def recall_curve(self, X, recalls=(0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)):
        """Measure recall and time for other rows, with several search budgets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Each is compared with all training rows.
        recalls : sequence of float
            The budgets are the cheapest that find these shares of the neighbours of X.

        Returns
        -------
        RecallCurve
            The last budget is the one learnt in `fit`.

        See Also
        --------
        RecallDisplay : Draws it.
        """
        search = self._fitted_search().merged(self._build_index)
        queries = self._transform_queries(X)
        k = self._checked_n_neighbors(None, search.n_rows)
        farthest, indices = self._exact(search, queries, k)
        exclude = no_exclusions(len(indices))
        profile = search.index.recall_profile(queries, indices, exclude, self.n_jobs)
        self._list_neighbors(search, X, k)  # the first call warms up
        rows = []
        for recall in [*recalls, None]:
            index = copy(search.index)
            if recall is not None:
                index.tune(profile, recall)
            start = perf_counter()
            found, _ = self._list_neighbors(replace(search, index=index), X, k)
            seconds = (perf_counter() - start) / len(found)
            share = float((found <= farthest).mean())
            rows.append((share, seconds, index.n_read, index.n_candidates))
        return RecallCurve(*map(np.array, zip(*rows)))

    def _exact(self, search, queries, k):
        """Return the distance of the exact k-th nearest rows, and the nearest rows."""
        alive = self._alive(search, None)
        reduced, indices = search.exact_neighbors(queries, k, alive, self.n_jobs)
        return self._metric.distances(reduced[:, -1:]), indices

    def _set_attributes(self):
        index = self._search.index
        self.n_read_, self.n_candidates_ = index.n_read, index.n_candidates
        self.estimated_recall_ = float(index.found.mean())
        self.recall_interval_ = interval(index.found)

    def _validate(self, X, *, reset):
        metric = self.metric if reset else self._metric.name
        if metric == "hamming":
            return self._validate_bits(X, reset)
        dtype = STORED_TYPES
        if metric == "inner_product":
            dtype = [np.float64, np.float32]
        if getattr(X, "dtype", None) == np.float16:
            dtype = np.float32
        return check_rows(self, X, accept_sparse="csr", dtype=dtype, reset=reset)

    def _validate_bits(self, X, reset):
        X = check_rows(self, X, dtype=None, reset=reset)
        wanted = (bool, np.uint8) if reset else (self._search.index.rows.given_type,)
        if X.dtype not in wanted:
            raise ValueError(
                "metric='hamming' compares bits: X must be booleans, or uint8 with "
                "eight bits a cell (numpy.packbits)"
                + ("" if reset else f", and {wanted[0].name} as in fit")
                + f", got {X.dtype}. Of cells 0 and 1 take X.astype(bool)."
            )
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.hash_family == "learned"
        return tags

    def _read_rows(self, X):
        search = self._fitted_search()
        X = self._validate(X, reset=False)
        if isinstance(search.index.rows, SparseRows):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return self._transform_rows(X)

    def _transform_rows(self, X):
        """Return rows transformed by the metric."""
        if sparse.issparse(X):
            return SparseRows.transformed(X, self._metric)
        store = _STORES.get(self._metric.name, DenseRows)
        return store.transformed(X, self._metric)

    @property
    def _min_radius(self):
        return -np.inf if self.metric == "inner_product" else 0.0

    def _map(self, function, n_rows, bytes_per_row):
        search = self._search
        bytes_per_row += search.index.bytes_per_query(bytes_per_row / 24)
        super()._map(function, n_rows, bytes_per_row + search.bytes_of_added)


def _fit_metric(name, X):
    """Return the metric; rows in single precision need no other unit."""
    if name == "inner_product":
        if sparse.issparse(X):
            return product_metric(name, X)
        unit = ProductRows.unit_of(X)
        return Metric(name, root=1.0, divisor=unit, unit=unit)
    if name == "hamming":
        n_bits = X.shape[1] * (1 if X.dtype == bool else 8)
        return Metric(name, root=1.0, divisor=float(n_bits))
    if name == "euclidean" and X.dtype != np.float64:
        return Metric(name)
    return learn_metric(name, None, None, X, np.ones(X.shape[0]))
