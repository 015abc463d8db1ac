"""The nearest rows by any object with ``kneighbors``, such as `LSHNeighbors`."""

import math

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ._neighbor_lists import RowsSearch, drop_excluded, empty_lists, full_lists


class EngineSearch(RowsSearch):
    """Finds the nearest rows by an object with ``kneighbors``; trusts its distances."""

    sum_ties = None  # an engine returns lists only

    def __init__(self, engine, metric, rows):
        # engine: a fitted one is used as it is, an unfitted one is cloned and fitted.
        # rows: (n, n_features), dense or sparse.
        self.engine = _fitted(engine, rows)
        self.metric = metric
        self.rows = rows

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded rows."""
        any_excluded = bool(np.any(exclude >= 0))
        width = min(math.ceil(weighted_k.k) + any_excluded, self.n_rows)
        if rows.start == rows.stop:  # engines refuse to search for no queries
            return empty_lists(0, width)
        distances, indices = self._checked_neighbors(queries[rows], width)
        if any_excluded:
            distances, indices = drop_excluded(distances, indices, exclude)
        return full_lists(distances * self.metric.divisor, indices)

    def _checked_neighbors(self, queries, width):
        """Return the engine's distances and row numbers, safe for kernels to read."""
        name = type(self.engine).__name__
        answer = self.engine.kneighbors(queries, n_neighbors=width)
        distances, indices = (np.asarray(part) for part in answer)
        shape = queries.shape[0], width
        if distances.shape != shape or indices.shape != shape:
            raise ValueError(
                f"The engine ({name}) was asked for {width} neighbors of "
                f"{shape[0]} rows and returned distances of shape {distances.shape} "
                f"and indices of shape {indices.shape}; both must be {shape}."
            )
        whole = indices.dtype.kind in "iu"
        if not whole or np.any(indices < 0) or np.any(indices >= self.n_rows):
            raise ValueError(
                f"The engine ({name}) returned indices that are no integers from 0 to "
                f"{self.n_rows - 1}: it must return n_neighbors rows of X per query."
            )
        distances = distances.astype(np.float64)
        if not np.all(distances >= 0):
            raise ValueError(
                f"The engine ({name}) returned distances that are NaN or negative: "
                "distances must be ≥ 0."
            )
        return distances, indices.astype(np.int64)


def _fitted(engine, rows):
    """Return a fitted engine; raise an error if it was fitted to other rows."""
    name = type(engine).__name__
    try:
        check_is_fitted(engine)
    except NotFittedError:
        return clone(engine).fit(rows)
    except AttributeError as error:
        raise TypeError(
            f"The engine ({name}) is no scikit-learn estimator ({error}): derive it "
            "from sklearn.base.BaseEstimator."
        ) from error
    n_rows = getattr(engine, "n_samples_fit_", rows.shape[0])
    if n_rows != rows.shape[0]:
        raise ValueError(
            f"The engine ({name}) was fitted to {n_rows} rows, and X has "
            f"{rows.shape[0]}: fit it to the same rows, or pass it unfitted."
        )
    return engine


def refuse_sample_weight(engine, sample_weight):
    """Raise an error if there are sample weights: an engine cannot use them."""
    if sample_weight is not None:
        raise ValueError(
            f"sample_weight cannot be used with an engine ({type(engine).__name__}), "
            "which counts rows and not weights: set algorithm='auto'."
        )
