"""Nearest by any object with ``kneighbors``, such as `LSHNeighbors`."""

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ._neighbor_lists import drop_excluded, full_lists


class EngineSearch:
    """Nearest by an object with ``kneighbors``, whose distances are taken as they are.

    Parameters
    ----------
    engine : estimator
        A fitted one is used as it is, another is cloned and fitted.
    metric : Metric
    rows : {ndarray, sparse matrix} of shape (n, n_features)
    """

    def __init__(self, engine, metric, rows):
        self.engine = _fitted(engine, rows)
        self.metric = metric
        self.rows = rows

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.rows.shape[0]

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.rows

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, leaving out own."""
        left_out = bool(np.any(exclude >= 0))
        width = min(int(weighted_k.k) + left_out, self.n_rows)
        distances, ids = self._ask(queries[rows], width)
        if left_out:
            distances, ids = drop_excluded(distances, ids, exclude)
        return full_lists(distances * self.metric.divisor, ids)

    def _ask(self, queries, width):
        """Return distances and row numbers, of which kernels trust every one."""
        name = type(self.engine).__name__
        answer = self.engine.kneighbors(queries, n_neighbors=width)
        distances, ids = (np.asarray(part) for part in answer)
        wanted = queries.shape[0], width
        if distances.shape != wanted or ids.shape != wanted:
            raise ValueError(
                f"The engine ({name}) was asked for {width} neighbors of "
                f"{wanted[0]} rows and returned distances of shape {distances.shape} "
                f"and row numbers of shape {ids.shape}; both must be {wanted}."
            )
        numbers = ids.dtype.kind in "iu"
        if not numbers or np.any(ids < 0) or np.any(ids >= self.n_rows):
            raise ValueError(
                f"The engine ({name}) returned row numbers that are no integers from 0 "
                f"to {self.n_rows - 1}: a list must be full, and of rows of X."
            )
        distances = distances.astype(np.float64)
        if not np.all(distances >= 0):
            raise ValueError(
                f"The engine ({name}) returned distances that are NaN or negative."
            )
        return distances, ids.astype(np.int64)


def _fitted(engine, rows):
    """Return a fitted engine, and raise an error if it was fitted to other rows."""
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
            f"{rows.shape[0]}: fit it to the same rows, or give it unfitted."
        )
    return engine


def refuse_sample_weight(engine, sample_weight):
    """Raise the error of sample weights beside an engine."""
    if sample_weight is not None:
        raise ValueError(
            f"sample_weight cannot be used with an engine ({type(engine).__name__}), "
            "which counts rows and not masses: set algorithm='auto'."
        )
