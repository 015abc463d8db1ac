"""Rows that are equally far but for rounding, against a loop over each list.

Code under test: `search/_ties.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.search import NeighborLists, full_lists
from sklearn_bayeslazy.search._ties import Rounding, merge_ties

# Some are within a tenth of the one before, but not of the one before that.
DISTANCES = [0.0, 1.0, 1.05, 1.09, 1.11, 1.16, 1.3, 2.0, np.inf]
M = 7


def grouped(reduced, indices, farthest):
    """Return (distance, index), each row at the distance of the first of its group."""
    found, first = [], None
    for distance, index in zip(reduced, indices):
        if first is None or distance > farthest(first):
            first = distance
        found.append((first, index))
    return sorted(found)


@pytest.mark.parametrize(
    "rounding",
    [Rounding(0.1), Rounding(0.02, np.full(M, 0.05), np.linspace(0.01, 0.03, M))],
    ids=["relative", "by query"],
)
def test_groups_begin_with_the_nearest_row_that_no_group_holds(rounding):
    rng = np.random.default_rng(0)
    for _ in range(100):
        width = rng.integers(2, 12)
        reduced = rng.choice(DISTANCES, size=(M, width))
        indices = np.array([rng.permutation(50)[:width] for _ in range(M)])
        lists = full_lists(reduced, indices)
        counts = rng.integers(0, width + 1, M)
        merged = merge_ties(
            NeighborLists(lists.reduced.copy(), lists.indices.copy(), counts), rounding
        )
        for q, count in enumerate(counts):
            alone = rounding.take(np.array([q]))
            expected = grouped(
                lists.reduced[q, :count],
                lists.indices[q, :count],
                lambda r, alone=alone: alone.farthest(np.array([r]))[0],
            )
            found = zip(merged.reduced[q, :count], merged.indices[q, :count])
            assert list(found) == expected


def test_the_largest_distances_overflow_without_a_warning():
    reduced = np.array([0.0, np.finfo(float).max])
    for rounding in (Rounding(1e-15), Rounding(1e-15, by_root=np.array([np.inf]))):
        np.testing.assert_array_equal(rounding.farthest(reduced), [0.0, np.inf])
