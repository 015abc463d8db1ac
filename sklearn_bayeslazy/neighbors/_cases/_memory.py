"""Changes of the stored cases: cases are added, removed, or get another answer."""

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from ..._core._arrays import keep_labels, kept_rows
from ..._core._estimator import all_or_nothing
from ._read_cases import append_cases

# The kinds of dtypes that have a common dtype.
_KIND_OF = dict.fromkeys("biufc", "number") | dict.fromkeys("US", "label")
_KIND_OF |= {"m": "duration", "M": "date", "V": "other"}


class CaseMemoryMixin:
    """Methods that change the stored cases."""

    # What `fit` chose stays: the kinds of similarity, `weights_`, `n_neighbors_`,
    # `power_` and `m_`. Ranks, value differences and class frequencies are those of
    # all cases that are stored afterwards.

    def retain(self, X, y, sample_weight=None):
        """Add cases to the stored ones.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
            The new cases, with the attributes of the stored ones.
        y : array-like of shape (n_samples,)
            Their answers; a classifier may learn new classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self
            The new cases have the indices after those of the stored ones.
        """
        check_is_fitted(self)
        table, y = self._read_cases(X), self._check_targets(y)
        n_added, n_before = table.n_rows, self.n_samples_fit_
        check_consistent_length(np.empty(n_added), y)
        kept, weight = kept_rows(sample_weight, n_added)
        if kept is not None:
            table, y = table.take(kept), y[kept]
        dtype = _common_dtype(self._answers, y)
        added = n_before + (np.arange(n_added) if kept is None else kept)
        with all_or_nothing(self):
            self._store(
                append_cases(self._model.cases, table),
                np.concatenate([self._answers, y], dtype=dtype),
                np.concatenate([self._model.weight, weight]),
                np.concatenate([self._stored(), added]),
                n_before + n_added,
            )
        return self

    def forget(self, indices):
        """Remove stored cases.

        Parameters
        ----------
        indices : int or array-like of int
            As `retrieve` returns them. The remaining cases are numbered anew, in their
            order.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        n = self.n_samples_fit_
        indices = np.unique(self._checked_indices(indices))
        remains = np.ones(n, dtype=bool)
        remains[indices] = False
        stored = self._stored()
        rows = np.flatnonzero(remains[stored])
        if not len(rows):
            raise ValueError(
                f"forget would remove all {len(stored)} stored cases: keep one at "
                "least."
            )
        number = np.cumsum(remains) - 1
        with all_or_nothing(self):
            self._store(
                self._model.cases.take(rows),
                self._answers[rows],
                self._model.weight[rows],
                number[stored[rows]],
                int(remains.sum()),
            )
        return self

    def revise(self, indices, y):
        """Replace the answers of stored cases.

        Parameters
        ----------
        indices : int or array-like of int
            As `retrieve` returns them.
        y : array-like of shape (n_indices,), or one answer
            The new answers.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        indices = self._checked_indices(indices)
        y = self._check_targets(np.atleast_1d(keep_labels(y)))
        check_consistent_length(indices, y)
        stored = self._stored()
        rows = np.searchsorted(stored, indices)
        is_stored = np.append(stored, -1)[rows] == indices
        if not is_stored.all():
            raise ValueError(
                f"Case {indices[~is_stored][0]} was given a sample_weight of 0 and is "
                "not stored: retain it with a weight above 0."
            )
        answers = self._answers.astype(_common_dtype(self._answers, y))
        answers[rows] = y
        with all_or_nothing(self):
            model, n_cases = self._model, self.n_samples_fit_
            self._store(model.cases, answers, model.weight, stored, n_cases)
        return self

    def _store(self, cases, answers, weight, kept, n_cases):
        """Replace the stored cases, and learn anew how they compare."""
        self._answers = answers
        self._kept = None if len(kept) == n_cases else kept
        self.n_samples_fit_ = n_cases
        self._set_model(self._model.with_cases, cases, answers, weight)

    def _stored(self):
        """Return the indices of the stored cases among those given."""
        if self._kept is None:
            return np.arange(self.n_samples_fit_)
        return self._kept

    def _checked_indices(self, indices):
        given = np.atleast_1d(np.asarray(indices))
        is_integer = given.ndim == 1 and len(given) and given.dtype.kind in "iu"
        n = self.n_samples_fit_
        if isinstance(indices, bool) or not is_integer:
            raise ValueError(
                f"indices must be integers from 0 to {n - 1}, got {indices!r}."
            )
        if given.min() < 0 or given.max() >= n:
            raise ValueError(
                f"indices must be from 0 to {n - 1}, got {indices!r}: there are {n} "
                "cases."
            )
        return given


def _common_dtype(stored, added):
    """Return a dtype for both answers; labels, numbers and dates have none together."""
    if object in (stored.dtype, added.dtype):
        return np.dtype(object)
    if _KIND_OF[stored.dtype.kind] != _KIND_OF[added.dtype.kind]:
        raise ValueError(
            f"The stored answers are {stored.dtype}, such as {stored[0]!r}, and the "
            f"new ones {added.dtype}, such as {added[0]!r}: convert one of them."
        )
    return np.result_type(stored, added)
