"""A row of the tables: what is timed, and the least that it must read and do."""

from collections.abc import Callable
from dataclasses import dataclass

from scipy import sparse
from sklearn.base import clone


@dataclass(frozen=True)
class Workload:
    """One row of the tables.

    `data` gets a number of rows and makes a table. `prepare` gets the table, fits what
    is not timed and returns the function to time. Any program must read the rows, and
    multiply and add `least_products` times for the same answer; the larger of the two
    times is the floor. `reason` states what takes the rest of the time.
    """

    name: str
    work: str
    rows: int
    data: Callable
    model: object
    prepare: Callable
    least_products: Callable
    reason: str

    def least_bytes(self, X):
        """Return the bytes of the rows."""
        if sparse.issparse(X):
            return X.data.nbytes + X.indices.nbytes
        if hasattr(X, "memory_usage"):
            return int(X.memory_usage(index=False, deep=True).sum())
        return sum(map(len, X)) if isinstance(X, list) else X.nbytes


def fit(model, X, y):
    """Return the fit as a function."""
    return lambda: model.fit(X, y)


def answer(method, n_queries=None):
    """Return a `prepare` that fits, and times a method on the first rows."""

    def prepare(model, X, y):
        model.fit(X, y)
        queries = X[:n_queries] if n_queries else X
        return lambda: getattr(model, method)(queries)

    return prepare


def no_products(X, n_classes):
    """Return 0: the work is reading."""
    return 0


def all_pairs(n_queries):
    """Return the products of the distances of queries from all rows."""
    return lambda X, n_classes: n_queries * X.shape[0] * X.shape[1]


def cells_by_class(X, n_classes):
    """Return a product for each cell and class."""
    return X.shape[0] * X.shape[1] * n_classes


def prepared(workload, rows, n_jobs):
    """Return the function to time."""
    X, y = workload.data(rows)
    model = clone(workload.model)
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    return workload.prepare(model, X, y)
