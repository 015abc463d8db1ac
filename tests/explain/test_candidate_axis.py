"""The order, the labels and the positions of candidates along an axis.

Code under test: `explain/_candidates.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.explain._candidates import axis_layout, label_of, sorted_distinct


def test_candidates_are_sorted_and_distinct():
    values = [True, None, np.float64(2), 2, "2", np.inf, 1, "b", "a"]
    assert sorted_distinct(values) == [
        1,
        np.float64(2),
        np.inf,
        None,
        True,
        "2",
        "b",
        "a",
    ]
    assert [label_of(v) for v in (3, 1e-5, 12345.6, np.inf, np.int64(7), len)] == [
        "3",
        "1e-05",
        "12346",
        "∞",
        "7",
        "len",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_positions_keep_the_order_of_candidates(seed):
    """Equal candidates have equal positions, others do not, on every scale."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice([0.0, 1e-3, 0.1, 2.0, 30.0, 4e3, -1.0], rng.integers(1, 8))
    others = rng.permutation(np.array([None, np.inf, "string"], dtype=object))
    values = [*numbers.tolist(), *others[: rng.integers(4)]]
    layout = axis_layout([values[i] for i in rng.permutation(len(values))])
    assert len(np.unique(layout.x)) == len(sorted_distinct(values))
    assert layout.on_scale.any() == (len(np.unique(numbers)) > 1)
    if layout.on_scale.any() and not layout.on_scale.all():
        assert layout.x[layout.on_scale].max() < layout.x[~layout.on_scale].min()
        assert {x for x, _ in layout.ticks} == set(layout.x[~layout.on_scale])
