"""Neighbour engines whose rows have ids, and are added, removed and filtered."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Set

import numpy as np
from sklearn.utils import check_consistent_length

from .._core._compat import fit_context
from .._core._estimator import all_or_nothing
from .._core._parallel import MIN_QUERIES_PER_TASK, map_chunks
from ..search import ChangingSearch, RowNames
from ..tabular import object_array
from ._neighbor_engine import NeighborEngine
from ._neighbor_lists import RadiusNeighborsMixin, ragged


class ChangingRowsMixin:
    """Methods of estimators with a `_search` that changes, such as `ChangingSearch`."""

    # The estimator has `_read_rows`, `_check_changeable`, `_publish`, and
    # `_changed(search, removed, rows, ids)`, which returns another search.

    # Changes.

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y=None, *, ids=None):
        """Add rows; their positions continue from `n_samples_fit_`.

        Each query compares added rows one by one. Once there are 256 of them, and 1/256
        as many as rows before, they enter the index; so most calls take no pass over
        all rows. Once there are twice the rows that the index was built for, it is
        built anew.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored, except by the first call
        ids : array-like of shape (n_samples,), default=None
            New ids, integers or strings, if rows have ids.

        Returns
        -------
        self
        """
        if not hasattr(self, "_search"):
            return self.fit(X, y) if ids is None else self.fit(X, y, ids=ids)
        return self._change(rows=X, ids=ids)

    def remove(self, ids):
        """Remove rows; no query finds them any more.

        Rows are marked as removed at once. Once they are a quarter of the index, it is
        built anew without them. Positions of other rows stay.

        Parameters
        ----------
        ids : int, str or array-like of shape (n_rows,)
            Ids; positions if rows have none.

        Returns
        -------
        self
        """
        return self._change(removed=check_ids(ids))

    def replace(self, ids, X):
        """Remove rows and add others under the same ids, in one step.

        A query of another thread finds all rows before the change, or all after it.

        Parameters
        ----------
        ids : int, str or array-like of shape (n_samples,)
            Ids; positions if rows have none, and the new rows then have new positions.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        self
        """
        search = self._fitted_search()
        has_ids = search.names.ids is not None
        return self._change(removed=ids, rows=X, ids=ids if has_ids else None)

    def _change(self, removed=None, rows=None, ids=None):
        search = self._fitted_search()
        with all_or_nothing(self):
            self._check_changeable(search)
            if removed is not None:
                removed = self._numbers(search, removed)
            if rows is not None:
                rows = self._read_rows(rows)
                if removed is not None:
                    check_consistent_length(removed, rows)
                ids = self._new_ids(search, ids, rows.shape[0], removed)
            n_removed = 0 if removed is None else len(removed)
            if rows is None and n_removed == search.n_alive:
                raise ValueError(
                    "ids holds all rows, and at least one must remain: to start anew, "
                    "call fit with other rows."
                )
            self._publish(self._changed(search, removed, rows, ids))
        return self

    def _new_ids(self, search, ids, n_rows, removed):
        """Return the ids of added rows, which no row that stays may have."""
        if (ids is None) != (search.names.ids is None):
            raise ValueError(
                "ids must be given to fit and to each partial_fit, or to none: "
                + ("give ids." if ids is None else "call fit with ids first.")
            )
        if ids is None:
            return None
        ids = check_ids(ids)
        check_consistent_length(ids, np.empty(n_rows))
        refuse_repeated(ids)
        numbers = search.numbers_of(ids)
        is_used = (numbers >= 0) & ~np.isin(numbers, [] if removed is None else removed)
        if is_used.any():
            used = ids[is_used].tolist()[0]
            raise ValueError(
                f"ids={used!r} is the id of a row: give another one, or call replace."
            )
        return ids

    def _numbers(self, search, ids):
        """Return the numbers of rows with given ids, or at given positions."""
        ids = self._checked_ids(search, ids)
        refuse_repeated(ids)
        numbers = search.numbers_of(ids)
        if np.any(numbers < 0):
            unknown = ids[numbers < 0].tolist()[0]
            raise ValueError(
                f"There is no row with id {unknown!r}: it was never added, or is "
                "removed."
            )
        return numbers

    def _checked_ids(self, search, ids):
        """Return ids as an array; integers if they are positions."""
        ids = check_ids(ids)
        if search.names.ids is None and ids.dtype == object:
            raise ValueError(
                f"{ids[0]!r} is no position, and rows have no ids: give the integers "
                "that kneighbors returns, or call fit with ids."
            )
        return ids

    # Queries.

    def kneighbors(
        self,
        X=None,
        n_neighbors=None,
        return_distance=True,
        *,
        filter=None,
        return_ids=False,
    ):
        """Return the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows that are not removed; a row is then not a
            neighbour of itself.
        n_neighbors : int, default=None
            By default the parameter `n_neighbors`.
        return_distance : bool, default=True
            Whether to return distances too.
        filter : bool array-like of shape (`n_samples_fit_`,), or array-like of ids, \
default=None
            The rows that may be found: a mask over positions, or the ids of rows
            (their positions if they have no ids). Ids of no row are passed over.
        return_ids : bool, default=False
            Whether to return ids instead of positions.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending, in units of the metric. Only with `return_distance`.
        indices : ndarray of shape (n_samples, n_neighbors)
            Positions of rows in the order in which they were added, or ids; rows at
            equal distances are in the order of their positions.

        Raises
        ------
        ValueError
            If fewer rows may be found.
        """
        search = self._fitted_search()
        distances, rows = self._list_neighbors(search, X, n_neighbors, filter)
        indices = search.ids_of(rows) if return_ids else search.positions_of(rows)
        return (distances, indices) if return_distance else indices

    def _alive(self, search, filter):
        if filter is None:
            return search.alive
        chosen = None if isinstance(filter, Set) else np.asarray(filter)
        if chosen is not None and chosen.dtype == bool:
            if chosen.shape != (search.n_positions,):
                raise ValueError(
                    f"filter is a mask of shape {chosen.shape}, and there are "
                    f"{search.n_positions} positions: give a mask of shape "
                    f"({search.n_positions},), or ids."
                )
            return search.alive_at(chosen)
        numbers = search.numbers_of(self._checked_ids(search, filter))
        passing = np.zeros(search.n_rows, dtype=np.uint8)
        passing[numbers[numbers >= 0]] = 1
        return passing

    def _training_numbers(self, search):
        return search.training_numbers()

    def _original(self, rows, search=None):
        return search.positions_of(rows)

    def _n_positions(self, search):
        return search.n_positions


class ChangingRowsEngine(ChangingRowsMixin, RadiusNeighborsMixin, NeighborEngine):
    """A neighbour engine over a `ChangingSearch`."""

    @abstractmethod
    def _read_rows(self, X):
        """Return new rows, checked and transformed by the metric."""

    @abstractmethod
    def _build_index(self, rows):
        """Return an index of transformed rows, with what `fit` has learnt."""

    def _set_attributes(self):
        """Set the public attributes that depend on the rows, by default none."""

    def _transform_queries(self, X):
        return self._read_rows(X).as_queries()

    def _map(self, function, n_rows, bytes_per_row):
        """Call ``function(rows)`` for slices of queries, over threads."""
        map_chunks(
            function,
            n_rows,
            bytes_per_row,
            n_jobs=self.n_jobs,
            min_rows=MIN_QUERIES_PER_TASK,
            uses_blas=self._search.index.by_products,
        )

    def _publish(self, search):
        """Replace the search, all at once for other threads, and the attributes."""
        self._search = search
        self.n_samples_fit_ = search.n_positions
        self._set_attributes()

    def _first_search(self, index, ids):
        """Return the search of the first rows; ids: as given to `fit`."""
        names = first_names(index.n_rows, ids)
        return ChangingSearch.of_rows(index, names, index.n_rows)

    def _changed(self, search, removed, rows, ids):
        return search.changed(self._build_index, removed, rows, ids)

    def _check_changeable(self, search):
        if self._metric.name != self.metric:
            raise ValueError(
                f"metric={self.metric!r}, but the rows were indexed for metric="
                f"{self._metric.name!r}: call fit to index them again."
            )

    def radius_neighbors(
        self,
        X=None,
        radius=None,
        return_distance=True,
        sort_results=False,
        *,
        filter=None,
        return_ids=False,
    ):
        """Return the training rows within a distance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            As in `kneighbors`.
        radius : float or array-like of shape (n_samples,), default=None
            The largest distance, one for all rows of X or one for each. None: the
            parameter `radius` of estimators that have it.
        return_distance : bool, default=True
            Whether to return distances too.
        sort_results : bool, default=False
            As in scikit-learn; without an effect, because lists are always sorted.
        filter, return_ids : as in `kneighbors`

        Returns
        -------
        distances : ndarray of shape (n_samples,) of float arrays
            Ascending. Only with `return_distance`.
        indices : ndarray of shape (n_samples,) of arrays
            As in `kneighbors`.
        """
        search = self._fitted_search()
        distances, rows, starts = self._within(search, X, radius, filter)
        names = search.ids_of(rows) if return_ids else search.positions_of(rows)
        names = ragged(names, starts)
        return (ragged(distances, starts), names) if return_distance else names


def first_names(n_rows, ids):
    """Return the names of the first rows; ids: as given to `fit`."""
    if ids is not None:
        ids = check_ids(ids)
        check_consistent_length(ids, np.empty(n_rows))
        refuse_repeated(ids)
    return RowNames(np.arange(n_rows), ids)


def check_ids(ids):
    """Return ids as an array of integers, or of strings and integers as objects."""
    if isinstance(ids, np.ndarray) and ids.ndim == 1 and ids.dtype.kind == "i":
        return ids.astype(np.int64, copy=False)
    ids = list(ids) if isinstance(ids, Set) else ids
    # Of a list numpy would make strings, or floats, of some integers.
    array = np.asarray(ids, dtype=object if isinstance(ids, list | tuple) else None)
    array = np.atleast_1d(array)
    if array.ndim == 1 and array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim == 1 and array.dtype.kind in "iuUTO":
        names = array.tolist()
        names = [int(n) if isinstance(n, np.integer) else n for n in names]
        kinds = {type(name) for name in names}
        if kinds == {int} and -(2**63) <= min(names) <= max(names) < 2**63:
            return array.astype(np.int64)
        if all(issubclass(kind, str | int) and kind is not bool for kind in kinds):
            return object_array(names)
    raise ValueError(
        f"ids must be integers or strings, in one dimension, got {ids!r:.100}."
    )


def refuse_repeated(ids):
    """Raise an error if an id occurs twice."""
    names = ids.tolist()
    if len(set(names)) < len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise ValueError(f"ids holds {repeated!r} more than once: ids are unique.")
