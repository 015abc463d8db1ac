"""Metrics: each transforms the rows so that a simple distance between them remains.

Kernels compute few distances, in a *reduced* form without the root. The rest is a
transformation of the rows: stretched columns, the variances of seuclidean, the
covariance of mahalanobis, the unit length of cosine. For rows of length one,
1 - cos(a, b) = |a - b|²/2, which keeps its digits where the angle is small.
"""

import math
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from .._core._arrays import (
    as_float_array,
    at_least_rows,
    check_feature_weights,
    divide_by_largest,
    weighted_moments,
)
from .._core._kernel import frozen, kernel
from .._core._parallel import cache_sized_slices, jobs_for, map_chunks
from ._dense_kernels import CHEBYSHEV, MANHATTAN, MINKOWSKI, PRESENT, SQUARED, UNIT
from ._ties import UNIT_ROUNDOFF, Rounding

METRICS = (
    "euclidean",
    "seuclidean",
    "mahalanobis",
    "manhattan",
    "minkowski",
    "chebyshev",
    "cosine",
    "correlation",
    "nan_euclidean",
    "cityblock",
    "l1",
    "l2",
)
_SAME = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}
# Minkowski's metric by its exponent, unless another one is given.
_EXPONENTS = {"manhattan": 1, "minkowski": 2, "chebyshev": math.inf}
SPARSE_METRICS = ("euclidean", "seuclidean", "cosine", "manhattan", *_SAME)
# Metrics without a kernel, which scipy measures between pairs of rows.
PAIRWISE_METRICS = (
    "braycurtis",
    "canberra",
    "dice",
    "hamming",
    "jaccard",
    "rogerstanimoto",
)
_PARAMS = {
    "seuclidean": {"V"},
    "mahalanobis": {"V", "VI"},
    "minkowski": {"p", "w"},
    **{name: {"w"} for name in PAIRWISE_METRICS},
    "hvdm": {"m"},
    "auto": {"m"},
}
# Squares of numbers within these bounds neither overflow nor underflow.
_SAFE = (1e-75, 1e75)
# Rounding of the cells of a constant column about its mean, relative to the cells.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Metric:
    """A metric with the parameters that it has learnt from the training rows."""

    name: str
    kind: int = SQUARED  # of the reduced distance: a constant of the kernels
    p: float = 2.0  # the exponent of minkowski
    # The distance is (reduced / divisor) ** (1 / root) / unit.
    root: float = 2.0
    divisor: float = 1.0
    scale: np.ndarray | None = None  # (n_features,), factors of the columns
    # (n_features,) and (n_features, rank): rows become (row - center) @ matrix.
    center: np.ndarray | None = None
    matrix: np.ndarray | None = None
    # A power of two that brings the rows near 1, so that squares neither overflow nor
    # underflow. Products with it are exact.
    unit: float = 1.0
    # Largest absolute value of the transformed training rows; 1 for rows of length one.
    largest: float = 1.0
    is_rounded: bool = False  # whether transformed cells have rounding errors
    is_given: bool = False  # whether distances are compared as they are given

    def transform(self, X, *, query=False):
        """Return rows, dense or CSR, in the space of the reduced distance."""
        # An overflow is infinitely far away.
        with np.errstate(over="ignore", invalid="ignore"):
            if sparse.issparse(X):
                return self._transform_sparse(X)
            return self._transform_dense(X, query)

    def _transform_dense(self, X, query):
        given = X = frozen(X, np.float64)
        if self.scale is not None:  # a removed column has no missing values
            kept = self.scale > 0
            X = np.compress(kept, X, axis=1)  # in C order, unlike X[:, kept]
            X *= self.scale[kept]
        if self.matrix is not None:
            X = project(frozen(X, np.float64), self.center, self.matrix)
        if self.name == "correlation":
            X = _centered_rows(X)
        if self.kind == UNIT:
            return unit_rows(frozen(X, np.float64), int(query))
        if self.unit != 1.0:
            X = np.multiply(X, self.unit, out=None if X is given else X)
        return frozen(X, np.float64)

    def _transform_sparse(self, X):
        X = sparse.csr_array(X, dtype=np.float64, copy=True)
        X.sum_duplicates()
        X.indptr, X.indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
        if self.scale is not None:
            X.data *= self.scale[X.indices]
        if self.name == "cosine":
            _scale_rows(X)
            return normalize(X, copy=False)
        X.data *= self.unit
        return X

    def as_queries(self, rows):
        """Return transformed training rows as `transform` returns queries."""
        if self.kind != UNIT or sparse.issparse(rows):
            return rows
        return np.hstack([rows[:, :-2], rows[:, :-3:-1]])

    def rounding(self, queries, longest=0):
        """Return the `Rounding` of the distances of rows from transformed queries."""
        # longest: the largest number of entries of a training row, if rows are sparse.
        # A sum of d terms ≥ 0, each of a few operations, is off by about d roundings;
        # both distances may be, in opposite directions. Where cells are rounded, each
        # difference |q - x| is also off by roundings of |q| + |x| <= 2 |q| + |q - x|:
        # so a sum of squares r is off by √r |q| times that, and other distances by the
        # sum of all |q|.
        if self.is_given:
            return Rounding(0.0)
        is_sparse = sparse.issparse(queries)
        n_terms = queries.shape[1]
        if is_sparse:
            n_terms = np.diff(queries.indptr) + longest
        relative = (2 * n_terms + 16) * UNIT_ROUNDOFF
        if not self.is_rounded:
            return Rounding(relative)
        with np.errstate(over="ignore"):
            if self.kind in (SQUARED, UNIT, PRESENT):
                squares = queries.multiply(queries) if is_sparse else queries**2
                sizes = np.sqrt(_sums_of_present(squares)) + np.finfo(float).tiny
                return Rounding(relative, by_root=32 * UNIT_ROUNDOFF * sizes)
            sizes = _sums_of_present(np.abs(queries))
        return Rounding(relative, constant=16 * UNIT_ROUNDOFF * sizes)

    def distances(self, reduced):
        """Return distances from reduced ones, infinite where they overflow."""
        with np.errstate(over="ignore"):
            distances = reduced / self.divisor if self.divisor != 1.0 else reduced
            if self.root == 2.0:
                distances = np.sqrt(distances)
            elif self.root != 1.0:
                distances = distances ** (1 / self.root)
            return distances / self.unit if self.unit != 1.0 else distances


def longest_row(rows):
    """Return the largest number of entries of a sparse row; 0 for dense rows."""
    return np.diff(rows.indptr).max(initial=0) if sparse.issparse(rows) else 0


def _sums_of_present(rows):
    """Return the sum of each row, dense or sparse, over its present cells."""
    if sparse.issparse(rows):
        return np.asarray(rows.sum(axis=1)).ravel()
    return np.nansum(rows, axis=1)


def _is_rounding(scale):
    """Return whether products with some factors of columns are rounded."""
    # Products with powers of two are exact.
    return scale is not None and bool(np.any(~np.isin(np.frexp(scale)[0], (0.0, 0.5))))


def _scale_rows(X):
    """Divide each CSR row by its largest number."""
    # So no square overflows, and rows of one direction have equal numbers: quotients of
    # equal ratios are rounded alike.
    sizes = np.diff(X.indptr)
    filled = sizes > 0
    largest = np.maximum.reduceat(np.abs(X.data), X.indptr[:-1][filled])
    X.data /= np.repeat(np.where(largest > 0, largest, 1.0), sizes[filled])


def refuse_overflow(transformed, metric, given):
    """Raise an error if transformed rows overflow; given names what is too large."""
    if np.isinf(
        transformed.data if sparse.issparse(transformed) else transformed
    ).any():
        raise ValueError(
            f"Rows overflow in the space of metric={metric!r}: bring {given} to a "
            "smaller scale."
        )


def learn_metric(name, params, scale, X, weight, n_jobs=None):
    """Return a metric with parameters learnt from the training rows."""
    # name: one of `METRICS`. params: "V" for seuclidean (variances) and mahalanobis
    # (covariance) or "VI" (its inverse), learnt if they are not given; "p" and "w"
    # (weights of the columns) for minkowski.
    # scale: (n_features,), factors of the columns, or None.
    # X: (n, n_features), dense or sparse; weight: (n,), integers count as repetition.
    # n_jobs: number of threads that read dense rows.
    params = check_metric_params(name, params)
    name = _SAME.get(name, name)
    metric, p = {}, params.get("p", _EXPONENTS.get(name, 2))
    if name in _EXPONENTS:
        metric = _minkowski(p)
    elif name == "nan_euclidean":
        metric = {"kind": PRESENT}
    elif name in ("cosine", "correlation"):
        metric = {"kind": UNIT, "root": 1.0, "divisor": 2.0}
    elif name == "seuclidean":
        deviation = _deviation(params.get("V"), X, weight)
        scale = (1.0 if scale is None else scale) / deviation
    elif name == "mahalanobis":
        center, matrix = _whitening(params, X, weight)
        metric = {"center": center, "matrix": matrix}
    if "w" in params:
        w = check_feature_weights(params["w"], X.shape[1], "metric_params['w']", 1)
        scale = (1.0 if scale is None else scale) * np.where(w > 0, w ** (1 / p), 0)
    is_rounded = "matrix" in metric or metric.get("kind") == UNIT or _is_rounding(scale)
    metric = Metric(name, scale=scale, is_rounded=is_rounded, **metric)
    if metric.kind == UNIT:
        return metric
    sizes = _row_sizes(X, metric, n_jobs)
    unit = _unit(sizes)
    with np.errstate(over="ignore"):
        return replace(metric, unit=unit, largest=sizes.max(initial=0.0) * unit)


def product_metric(name, X):
    """Return the metric of minus the product of rows, which are scaled near 1."""
    metric = learn_metric("euclidean", None, None, X, np.ones(X.shape[0]))
    return replace(metric, name=name, root=1.0, divisor=metric.unit)


def check_metric_params(name, params):
    """Return the parameters of a metric that are given; refuse those of others."""
    params = {key: v for key, v in (params or {}).items() if v is not None}
    if unknown := sorted(set(params) - _PARAMS.get(name, set()), key=str):
        raise ValueError(
            f"metric_params has the key {unknown[0]!r}, but metric={name!r} takes "
            f"{sorted(_PARAMS.get(name, set())) or 'none'}: remove it."
        )
    return params


def _minkowski(p):
    if not isinstance(p, Real) or not p >= 1:
        raise ValueError(f"metric_params['p'] must be a number ≥ 1, got {p!r}.")
    p = float(p)
    if math.isinf(p):
        return {"kind": CHEBYSHEV, "p": p, "root": 1.0}
    if p == 2:
        return {}
    return {"kind": MANHATTAN if p == 1 else MINKOWSKI, "p": p, "root": 1.0}


def _centered_rows(X):
    """Return rows less the mean of their cells, over their largest cell."""
    size = np.abs(X).max(axis=1, initial=0.0, keepdims=True)
    X = X / np.where(size == 0, 1.0, size)  # so that no mean overflows
    centered = X - X.mean(axis=1, keepdims=True)
    centered[(X.min(axis=1) == X.max(axis=1))] = 0.0  # exactly, without rounding
    return centered


def _deviation(given, X, weight):
    """Return each column's standard deviation, given or learnt; 1 where it is 0."""
    if given is not None:
        variance = as_float_array(given, "metric_params['V']")
        allowed = (variance >= 0) & (variance < np.inf)
        if variance.shape != (X.shape[1],) or not np.all(allowed):
            raise ValueError(
                f"metric_params['V'] must hold {X.shape[1]} finite variances ≥ 0, one "
                f"for each column, got {given!r}."
            )
        return np.sqrt(np.where(variance == 0, 1.0, variance))
    weight = at_least_rows(weight)
    total = weight.sum()
    # Columns are scaled to [-1, 1], so that no square overflows.
    if sparse.issparse(X):
        size = abs(X).max(axis=0).toarray().ravel()
        X = X.multiply(1 / np.where(size == 0, 1.0, size)).tocsc()
        mean = X.T @ weight / total
        filled = X.copy()
        filled.data[:] = 1.0
        X.data -= np.repeat(mean, np.diff(X.indptr))
        X.data **= 2
        empty = np.where(np.diff(X.indptr) < X.shape[0], total - filled.T @ weight, 0.0)
        variance = (X.T @ weight + empty * mean**2) / total
    else:
        scaled, size = divide_by_largest(X)
        variance = weighted_moments(scaled, weight)[1] / total
    variance[variance < _ROUNDING**2] = 0.0
    deviation = np.sqrt(variance * (total / max(total - 1, 1.0))) * size
    return np.where(deviation == 0, 1.0, deviation)


def _whitening(params, X, weight):
    """Return center and matrix: |(a - b) @ matrix| is the Mahalanobis distance."""
    # center: (n_features,); matrix: (n_features, rank). Directions in which the rows do
    # not vary are dropped, as by a pseudo-inverse.
    if len(params) > 1:
        raise ValueError(
            "metric_params holds 'V' and 'VI': give the covariance or its inverse, "
            "not both."
        )
    total = weight.sum()
    center = weight @ X / total
    if "VI" in params:
        values, vectors = _symmetric("VI", params["VI"], X.shape[1])
        return center, vectors * np.sqrt(values)
    if "V" in params:
        values, vectors = _symmetric("V", params["V"], X.shape[1])
        deviations = np.sqrt(values)
    else:
        vectors, deviations = _principal_axes(X - center, weight)
    if not len(deviations):  # constant columns: every row is at distance 0
        return center, np.zeros((X.shape[1], 1))
    return center, vectors / deviations


def _principal_axes(centered, weight):
    """Return the principal axes as columns, and the standard deviations along them."""
    # centered: (n, n_features); weight: (n,). Returned: (n_features, rank) and (rank,),
    # without axes that have no variance. The singular values of the rows have twice the
    # digits of the eigenvalues of their covariance.
    weight = at_least_rows(weight)
    rows = centered * np.sqrt(weight / max(weight.sum() - 1, 1.0))[:, None]
    if not np.isfinite(rows).all():
        raise ValueError(
            "metric='mahalanobis': the covariance overflows; bring the columns to one "
            "scale, for example with StandardScaler."
        )
    _, deviations, axes = np.linalg.svd(np.linalg.qr(rows, mode="r"))
    largest = deviations.max(initial=0.0)
    kept = deviations > 8 * max(rows.shape) * np.finfo(np.float64).eps * largest
    return axes[: len(deviations)][kept].T, deviations[kept]


def _symmetric(name, given, n_features):
    """Return the positive eigenvalues of a matrix, and the eigenvectors as columns."""
    matrix = as_float_array(given, f"metric_params[{name!r}]")
    if not np.isfinite(matrix).all():
        raise ValueError(f"metric_params[{name!r}] must hold finite numbers.")
    if matrix.shape != (n_features, n_features) or not np.allclose(matrix, matrix.T):
        raise ValueError(
            f"metric_params[{name!r}] must be a symmetric matrix of shape "
            f"({n_features}, {n_features}), got shape {matrix.shape}."
        )
    values, vectors = np.linalg.eigh(matrix)
    rounding = n_features * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
    if values.min(initial=0.0) < -rounding:
        raise ValueError(
            f"metric_params[{name!r}] has a negative eigenvalue: give a positive "
            "semidefinite matrix."
        )
    return values[values > rounding], vectors[:, values > rounding]


def _row_sizes(X, metric, n_jobs):
    """Return the largest cell of each transformed row, or all cells of sparse rows."""
    if sparse.issparse(X):
        return np.abs(metric.transform(X).data)
    sizes = np.empty(X.shape[0])

    def measure(chunk):
        for some in cache_sized_slices(chunk, X.shape[1]):
            rows = metric.transform(X[some])
            sizes[some] = np.nanmax(np.abs(rows), axis=1, initial=0.0)

    map_chunks(measure, len(sizes), 1, n_jobs=jobs_for(np.prod(X.shape), n_jobs))
    return sizes


def _unit(sizes):
    """Return the power of two that brings the median near 1, or 1 if it is safe."""
    sizes = sizes[sizes > 0]
    # Not np.median, whose mean of two sizes may overflow.
    median = np.quantile(sizes, 0.5, method="higher") if len(sizes) else 1.0
    if _SAFE[0] < median < _SAFE[1]:
        return 1.0
    return math.ldexp(1.0, max(min(-math.frexp(median)[1], 1000), -1000))


# Numba kernels that transform rows one by one: no row depends on its batch.


@kernel
def project(X, center, matrix):
    """Return (X - center) @ matrix, summed in the order of the columns."""
    n, d = X.shape
    transformed = np.zeros((n, matrix.shape[1]))
    for i in range(n):
        for j in range(d):
            x = X[i, j] - center[j]
            for r in range(matrix.shape[1]):
                transformed[i, r] += x * matrix[j, r]
    return transformed


@kernel
def unit_rows(X, is_query):
    """Return rows divided by their lengths, and two more columns for rows of zeros."""
    # X: (n, d); the result: (n, d + 2). A row of zeros has no direction: its cosine
    # with every row is 0. The two columns, one for training rows and one for queries
    # (is_query = 1), put it at right angles to all rows.
    n, d = X.shape
    transformed = np.zeros((n, d + 2))
    for i in range(n):
        largest = 0.0
        for j in range(d):
            largest = max(largest, abs(X[i, j]))
        if largest == 0.0:
            transformed[i, d + is_query] = 1.0
            continue
        square = 0.0
        for j in range(d):
            transformed[i, j] = X[i, j] / largest
            square += transformed[i, j] * transformed[i, j]
        length = np.sqrt(square)
        for j in range(d):
            transformed[i, j] /= length
    return transformed
