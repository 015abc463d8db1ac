"""InvertedIndexNeighbors: exact nearest neighbours of sparse rows."""

import numpy as np
from scipy import sparse

from .._core._compat import StrOptions, fit_context
from .._core._estimator import all_or_nothing
from ..search import InvertedIndex, SparseRows, learn_metric, product_metric
from ..tabular import check_rows
from ._changing_rows import ChangingRowsEngine


class InvertedIndexNeighbors(ChangingRowsEngine):
    """Exact nearest neighbours of sparse rows, by an inverted index.

    For each column the index lists the rows that fill it. So a query reads only the
    rows with which it shares a column. Columns that many rows fill are multiplied as a
    dense table. Distances are estimated in single precision first. Every row that may
    be among the nearest, within the error of the estimates, is then measured again term
    by term. So lists are exact, rows at equal distances are in ascending order, and the
    neighbours of a query do not depend on the other queries.

    Rows can be added (`partial_fit`), removed and replaced, named by ids and filtered.

    Use it as an engine (``ShepardKNN(algorithm=InvertedIndexNeighbors())``), or as a
    transformer in front of an estimator that takes a precomputed graph.

    Parameters
    ----------
    n_neighbors : int, default=5
    metric : {"cosine", "euclidean", "dot"}, default="cosine"
        The distance is 1 - cos(a, b), which is 1 if a row is empty; ``|a - b|``; or
        -a·b, which puts the largest product first.
    mode : {"distance", "connectivity"}, default="distance"
        What `transform` writes into the graph.
    n_jobs : int, default=None
        Threads for queries.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of rows that were ever given: positions of rows are below it.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if X had names that are all strings.

    See Also
    --------
    ShepardKNN : Weighs neighbours; with metric="cosine" it takes sparse rows itself.

    References
    ----------
    Manning, Raghavan and Schütze, *Introduction to Information Retrieval* (2008),
    chapters 1 and 6.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from sklearn_bayeslazy import InvertedIndexNeighbors
    >>> X = csr_array([[3.0, 4.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 2.0]])
    >>> index = InvertedIndexNeighbors(n_neighbors=2).fit(X)
    >>> distances, indices = index.kneighbors(csr_array([[0.0, 1.0, 0.0]]))
    >>> indices
    array([[1, 0]])
    >>> distances.round(3)  # 1 - 4/5
    array([[0. , 0.2]])
    """

    _parameter_constraints = {
        **ChangingRowsEngine._parameter_constraints,
        "metric": [StrOptions({"cosine", "euclidean", "dot"})],
    }

    def __init__(self, n_neighbors=5, *, metric="cosine", mode="distance", n_jobs=None):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.mode = mode
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, ids=None):
        """Build the index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        ids : array-like of shape (n_samples,), default=None
            Unique integers or strings, by which `remove`, `replace` and `filter` name
            rows. By default they name positions.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            X = self._validate(X, reset=True)
            self._metric = _fit_metric(self.metric, X)
            index = self._build_index(self._transform_rows(X))
            self._publish(self._first_search(index, ids))
        return self

    def _build_index(self, rows):
        return InvertedIndex(rows)

    @property
    def _min_radius(self):
        return -np.inf if self.metric == "dot" else 0.0

    def _validate(self, X, *, reset):
        return check_rows(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)

    def _read_rows(self, X):
        self._fitted_search()
        return self._transform_rows(self._validate(X, reset=False))

    def _transform_rows(self, X):
        return SparseRows.transformed(sparse.csr_array(X), self._metric)


def _fit_metric(name, X):
    """Return the metric; a power of two scales rows to a size near 1."""
    if name == "dot":
        return product_metric(name, X)
    return learn_metric(name, None, None, X, np.ones(X.shape[0]))
