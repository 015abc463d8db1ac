"""Codebook: the union of the categories of two codebooks."""

import numpy as np
import pytest

from tests.helpers.codebooks import book


@pytest.mark.parametrize(
    ("earlier", "later", "both"),
    [
        ([1, 5], [2, 5, 9], [1, 2, 5, 9]),
        (["b"], ["a", "c"], ["a", "b", "c"]),
        (["a", "b"], ["a", "b"], ["a", "b"]),
        ([False], [True], [False, True]),
        ([], ["a"], ["a"]),
        (["a"], [], ["a"]),
        ([], [], []),
    ],
)
def test_the_union_holds_the_categories_of_both(earlier, later, both):
    # Columns before and after it shift the positions of its codes.
    first, second = book([0, 1], earlier, ["x"]), book([1, 2], later, ["y"])
    union = first.union(second, ["a", "b", "c"])
    assert [v.tolist() for v in union.values] == [[0, 1, 2], both, ["x", "y"]]
    everything = np.concatenate([v.astype(object) for v in union.values])
    for part in (first, second):
        values = np.concatenate([v.astype(object) for v in part.values])
        assert everything[part.positions_in(union)].tolist() == values.tolist()


@pytest.mark.parametrize(
    ("earlier", "later", "message"),
    [
        (["a"], [1], "kind str and now holds number"),
        ([1], ["a"], "kind number and now holds str"),
        ([True], ["a"], "kind bool and now holds str"),
    ],
)
def test_codebooks_of_different_kinds_have_no_union(earlier, later, message):
    with pytest.raises(TypeError, match=f"'x' held categories of {message}"):
        book(earlier).union(book(later), ["x"])


def test_only_equal_cut_points_have_a_union():
    names, cut = ["x"], book([1, 2], is_cut=True)
    union = cut.union(book([1, 2], is_cut=True), names)
    assert union.values[0].tolist() == [1, 2]
    assert union.is_cut.tolist() == [True]
    assert cut.positions_in(union).tolist() == [0, 1, 2]
    for other in ([1, 3], [1], []):
        with pytest.raises(ValueError, match="'x' is cut into different bins"):
            cut.union(book(other, is_cut=True), names)
