"""A search whose rows are added, removed and replaced, in a part that stays small."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._core._kernel import frozen
from .._neighbor_lists import (
    NeighborLists,
    WeightedK,
    count_alive,
    merged_lists,
    no_exclusions,
)
from ._hashed_search import measure_all

# Each query measures the added rows. They are indexed once there are `_MIN_ADDED` of
# them and they are `_ADDED_SHARE` of the rows before.
_MIN_ADDED, _ADDED_SHARE = 256, 1 / 256
# The index is built anew once there are `_GROWTH` times the rows that it was built of,
# or once more of its rows are removed than this share, and than this number.
_GROWTH, _REMOVED_SHARE, _MIN_REMOVED = 2, 1 / 4, 256
# Memory of a query for each added row: its number and distance, twice.
_BYTES_PER_ADDED_ROW = 32


@dataclass(frozen=True, eq=False)
class RowNames:
    """What users call rows: their positions in the order of adding, and ids."""

    positions: np.ndarray  # (n,), int64, ascending
    ids: np.ndarray | None = None  # (n,), of integers or objects

    def __len__(self):
        return len(self.positions)

    def __getitem__(self, rows):
        """Return the names of some of the rows."""
        ids = None if self.ids is None else self.ids[rows]
        return RowNames(self.positions[rows], ids)

    def joined(self, other):
        """Return these names and others."""
        ids = None if self.ids is None else np.concatenate([self.ids, other.ids])
        return RowNames(np.concatenate([self.positions, other.positions]), ids)


class PositionsOfIds:
    """Where the row of an id is; it serves all versions of an index at once."""

    # The later row of an id hides those before, which are removed. A search that does
    # not have the later row yet finds the earlier one.

    def __init__(self, names):
        self.latest = dict(zip(names.ids.tolist(), names.positions.tolist()))
        self.earlier = {}
        self.end = int(names.positions[-1]) + 1

    def add(self, names):
        """Add rows, some perhaps with ids of removed rows."""
        self.end = int(names.positions[-1]) + 1
        for name, position in zip(names.ids.tolist(), names.positions.tolist()):
            if name in self.latest:
                self.earlier[position] = self.latest[name]
            self.latest[name] = position

    def extended(self, added, all_names):
        """Return positions with those of added rows; all_names(): those of all rows."""
        if self.end > added.positions[0]:  # rows were added to a copy of the search
            return PositionsOfIds(all_names())
        self.add(added)
        return self

    def find(self, ids, n_positions):
        """Return the position of each id in a search of n_positions, -1 for none."""
        positions = np.full(len(ids), -1)
        for i, name in enumerate(ids.tolist()):
            position = self.latest.get(name, -1)
            while position >= n_positions:
                position = self.earlier.get(position, -1)
            positions[i] = position
        return positions


class RowRegister:
    """Names of the rows of a search, and which rows are removed."""

    # A search has `n_rows`, `n_positions`, the number of rows that were ever added,
    # `names`, `alive` and `positions` as in `ChangingSearch`.

    @cached_property
    def n_alive(self):
        """Return the number of rows that are not removed."""
        return self.n_rows if self.alive is None else count_alive(self.alive)

    @property
    def name_parts(self):
        """Return the `RowNames` of the rows, and of those added later if there are."""
        return [self.names]

    def positions_of(self, numbers):
        """Return the positions of rows, given their numbers."""
        return self._take(numbers, "positions")

    def ids_of(self, numbers):
        """Return the ids of rows; the positions if they have none."""
        return self._take(numbers, "positions" if self.names.ids is None else "ids")

    def _take(self, numbers, field_name):
        values, *others = (getattr(part, field_name) for part in self.name_parts)
        if not others:
            return values[numbers]
        n = len(values)
        found = values[np.minimum(numbers, n - 1)]
        return np.where(numbers < n, found, others[0][np.maximum(numbers - n, 0)])

    def numbers_of(self, ids):
        """Return the number of the row of each id, or position; -1 for none."""
        # ids: (m,), integers or objects.
        positions, n = ids, 0
        if self.names.ids is not None:
            positions = self.positions.find(ids, self.n_positions)
        numbers = np.full(len(ids), -1)
        for part in self.name_parts:
            places = _sorted_positions(part.positions, positions)
            numbers = np.where(places >= 0, places + n, numbers)
            n += len(part)
        if self.alive is not None:
            numbers = np.where(self.alive[numbers] > 0, numbers, -1)
        return numbers

    def alive_at(self, mask):
        """Return which rows of a mask over positions are not removed, as uint8."""
        parts = [_values_at(mask, part.positions) for part in self.name_parts]
        passing = np.concatenate(parts, dtype=np.uint8)
        return passing if self.alive is None else passing & self.alive

    def training_numbers(self):
        """Return the numbers of the rows that are not removed."""
        if self.alive is None:
            return np.arange(self.n_rows)
        return np.flatnonzero(self.alive.view(np.bool_))

    def alive_after(self, removed=None, n_added=0):
        """Return `alive` once rows are removed, and others are added."""
        alive = self.alive
        if removed is not None:
            alive = np.ones(self.n_rows, np.uint8) if alive is None else alive.copy()
            alive[removed] = 0
        if alive is None:
            return None
        if n_added:
            alive = np.append(alive, np.ones(n_added, np.uint8))
        return frozen(alive, np.uint8)


@dataclass(frozen=True, eq=False)
class ChangingSearch(RowRegister):
    """The nearest of the rows of an index and of rows after it, less removed rows."""

    # Nothing of it changes: a change is another search. So threads that use this one
    # see the rows before, and others those after a change. Rows are numbered: those of
    # the index, then those added.

    # A search with `rows` (DenseRows or SparseRows), `n_rows` and `extended(rows)`;
    # its lists leave out rows of weight 0.
    index: object
    names: RowNames  # of the rows of the index
    n_positions: int  # the number of rows that were ever added
    added: object = None  # further rows, which each query measures; None if none
    added_names: RowNames | None = None
    alive: np.ndarray | None = None  # (n_rows,) uint8: 0 for removed; None: all alive
    n_built: int = 0  # number of rows of the index when it was built
    positions: PositionsOfIds | None = None  # None if rows have no ids

    @classmethod
    def of_rows(cls, index, names, n_positions, added=None, added_names=None):
        """Return a search of the rows of an index that was just built."""
        n = index.n_rows
        search = cls(index, names, n_positions, added, added_names, n_built=n)
        return replace(search, positions=search._positions_of_ids())

    def __getstate__(self):
        """Keep the names only; positions are looked up in them again."""
        return {**vars(self), "positions": None}

    def __setstate__(self, state):
        vars(self).update(state)
        vars(self)["positions"] = self._positions_of_ids()

    def _positions_of_ids(self):
        return None if self.names.ids is None else PositionsOfIds(self.all_names())

    @property
    def n_added(self):
        """Return the number of rows that are not in the index."""
        return 0 if self.added is None else self.added.shape[0]

    @property
    def n_rows(self):
        """Return the number of rows, with those removed and not yet dropped."""
        return self.index.n_rows + self.n_added

    @property
    def bytes_of_added(self):
        """Return the memory that a query takes for the added rows, in bytes."""
        return _BYTES_PER_ADDED_ROW * self.n_added

    def all_names(self):
        """Return the names of all rows."""
        return self.names if self.added is None else self.names.joined(self.added_names)

    @property
    def name_parts(self):
        """Return the `RowNames` of the rows of the index and of those added."""
        return [self.names] if self.added is None else [self.names, self.added_names]

    # Rows as queries, and lists.

    def training_queries(self):
        """Return the rows that are not removed, as queries."""
        return self._kept_rows().as_queries()

    def _kept_rows(self):
        rows = self.index.rows
        if self.added is not None:
            rows = rows.joined(self.added)
        return rows if self.alive is None else rows[self.training_numbers()]

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return near rows of a slice of queries, less the excluded rows."""
        if self.added is None:
            return self.index.nearest(queries, rows, weighted_k, exclude)
        n = self.index.n_rows
        first, rest = (weighted_k.of_slice(s) for s in (slice(0, n), slice(n, None)))
        left_out = np.where(exclude < n, exclude, -1)
        lists = self.index.nearest(queries, rows, first, left_out)
        left_out = np.maximum(exclude - n, -1)
        others = measure_all(self.added, queries[rows], rest, left_out)
        others.indices += n
        nearest = merged_lists([lists.padded(), others.padded()], lists.width)
        counts = np.minimum(lists.counts + others.counts, int(weighted_k.k))
        return NeighborLists(*nearest, counts)

    def exact_neighbors(self, queries, k, alive, n_jobs=None):
        """Return reduced distances and indices of the exact nearest rows."""
        n, m = self.index.n_rows, queries.shape[0]
        exclude = no_exclusions(m)
        some = k if alive is None else min(k, count_alive(alive[:n]))
        near = np.empty((m, 0)), np.empty((m, 0), dtype=np.int64)
        if some:
            of_index = None if alive is None else alive[:n]
            near = self.index.exact_neighbors(
                queries, min(some, n), exclude, n_jobs, alive=of_index
            )
        if self.added is None:
            return near
        of_added = WeightedK.of_rows(k, self.n_rows, alive).of_slice(slice(n, None))
        others = measure_all(self.added, queries, of_added, exclude)
        others.indices += n
        return merged_lists([near, others.padded()], k)

    # Changes.

    def changed(self, build, removed=None, rows=None, ids=None):
        """Return a search without the removed rows, and with others."""
        # removed: numbers; rows: DenseRows or SparseRows, with ids if rows have ids.
        # build(rows) returns an index of rows. Whether it is built anew, and which rows
        # are indexed, depends on their number only, not on the batches.
        other = self if removed is None else self._without(removed)
        if rows is not None:
            other = other._extended(rows, ids)
        other = other._merged_if_many(build)
        if other.positions is self.positions is not None and ids is not None:
            stop = self.n_positions + len(ids)
            added = RowNames(np.arange(self.n_positions, stop), ids)
            positions = self.positions.extended(added, other.all_names)
            other = replace(other, positions=positions)
        return other

    def _merged_if_many(self, build):
        """Return a search with a new index, or with more rows in it, if it is time."""
        n_alive = self.n_alive
        most_removed = max(_MIN_REMOVED, _REMOVED_SHARE * self.index.n_rows)
        is_longer = self.added is not None and self.added.bound > self.index.rows.bound
        if self.n_rows - n_alive > most_removed or is_longer:
            return self._rebuilt(build, n_alive)
        n_first = self.n_built
        while n_first * _GROWTH <= n_alive:
            n_first *= _GROWTH
        other = self if n_first == self.n_built else self._rebuilt(build, n_first)
        return other._with_rows_indexed()

    def _without(self, numbers):
        return replace(self, alive=self.alive_after(numbers))

    def _extended(self, rows, ids):
        n_new, before = rows.shape[0], self.index.rows
        if rows.bound != before.bound:
            rows = before[:0].joined(rows)
        stop = self.n_positions + n_new
        names = RowNames(np.arange(self.n_positions, stop), ids)
        added, added_names = rows, names
        if self.added is not None:
            added = self.added.joined(rows)
            added_names = self.added_names.joined(names)
        alive = self.alive_after(n_added=n_new)
        return replace(
            self, added=added, added_names=added_names, alive=alive, n_positions=stop
        )

    def _with_rows_indexed(self):
        """Return a search whose index holds the added rows if they are many."""
        n = self.index.n_rows
        while self.n_rows - n >= _most_added(n):
            n += _most_added(n)
        return self._indexed(n - self.index.n_rows)

    def _indexed(self, n_new):
        """Return a search whose index also holds the first of the added rows."""
        if n_new == 0:
            return self
        rest = slice(n_new, None)
        is_all = n_new == self.n_added
        return replace(
            self,
            index=self.index.extended(self.added[:n_new]),
            names=self.names.joined(self.added_names[:n_new]),
            added=None if is_all else self.added[rest],
            added_names=None if is_all else self.added_names[rest],
        )

    def _rebuilt(self, build, n_first):
        """Return a search with a new index of the first rows that are not removed."""
        rows, names = self._kept_rows(), self.all_names()
        if self.alive is not None:
            names = names[self.training_numbers()]
        first, rest = slice(0, n_first), slice(n_first, None)
        others = () if n_first == len(names) else (rows[rest], names[rest])
        return self.of_rows(build(rows[first]), names[first], self.n_positions, *others)

    def merged(self, build):
        """Return a search whose index holds all rows that are not removed."""
        if self.alive is None:
            return self._indexed(self.n_added)
        return self._rebuilt(build, self.n_alive)


def _most_added(n_indexed):
    """Return the number of added rows at which they are indexed."""
    return max(_MIN_ADDED, int(_ADDED_SHARE * n_indexed))


def _sorted_positions(positions, wanted):
    """Return where ascending positions hold the wanted ones, -1 for nowhere."""
    n = len(positions)
    if _are_consecutive(positions):
        places = wanted - positions[0]
        return np.where((places >= 0) & (places < n), places, -1)
    places = np.minimum(np.searchsorted(positions, wanted), n - 1)
    return np.where(positions[places] == wanted, places, -1)


def _values_at(values, positions):
    """Return the values at ascending positions, without a copy if that is a slice."""
    if _are_consecutive(positions):
        return values[positions[0] : positions[-1] + 1]
    return values[positions]


def _are_consecutive(positions):
    return positions[-1] - positions[0] == len(positions) - 1
