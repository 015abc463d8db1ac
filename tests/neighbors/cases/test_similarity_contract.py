"""The contract `Similarity`, for every public similarity of an attribute's values."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields

import networkx
import numpy as np
import pandas as pd
import pytest

import sklearn_bayeslazy
from sklearn_bayeslazy import (
    CaseBasedClassifier,
    EqualitySimilarity,
    GraphSimilarity,
    NumberSimilarity,
    OrderedSimilarity,
    SetSimilarity,
    TableSimilarity,
    TaxonomySimilarity,
    ValueDifferenceSimilarity,
    WordSimilarity,
)
from sklearn_bayeslazy.neighbors._cases import Similarity

# A tree of kinds, and a table that lists a pair in both directions.
PARENT = {"car": "motor", "truck": "motor", "motor": "vehicle", "bicycle": "vehicle"}
TABLE = {("a", "b"): 0.6, ("c", "a"): 0.1, ("a", "c"): 0.2, ("d", "d"): 0.7}
NETWORK = networkx.DiGraph([("a", "b", {"sign": "+"}), ("b", "a", {"sign": -1})])
SETS = [set(), {"x"}, ["x", "y", "x"], ("y", "z"), frozenset("xyz"), {1, 2.5}]
GRAPHS = [
    {},
    {("a", "b"): "+", ("b", "c"): "-"},
    [(1, 2, "increases"), (2, 3, "decreases"), (3, 1, 1)],
    [("a", "b", "-")],
    NETWORK,
]
# Similarities with cells that they compare.
CASES = [
    (EqualitySimilarity(), ["a", "b", True, 2.5, 3]),
    (NumberSimilarity(scale=8), [0.0, 1.5, -3.0, 1e308, 7]),
    (OrderedSimilarity(["low", "medium", "high"]), ["low", "medium", "high"]),
    (OrderedSimilarity([3, 1, 2]), [3, 1, 2]),
    (TableSimilarity(TABLE, default=0.3), ["a", "b", "c", "d", "e"]),
    (TaxonomySimilarity(PARENT), [*PARENT, "vehicle"]),
    (TaxonomySimilarity(PARENT, "ancestor"), [*PARENT, "vehicle"]),
    (TaxonomySimilarity({"a": "x", "b": "y"}, "path"), ["a", "b", "x", "y"]),
    (SetSimilarity(), SETS),
    (SetSimilarity("dice"), SETS),
    (SetSimilarity("contained"), SETS),
    (WordSimilarity(), ["", "Error on startup", "error, ERROR on disk", "disk on"]),
    (GraphSimilarity(), GRAPHS),
    (GraphSimilarity("dice", labels={"a": "Q", "b": "T"}, budget=50), GRAPHS),
]
# Their `pairwise` depends on all values, or needs an estimator.
LEARNT = [
    (NumberSimilarity(), [0.0, 1.5, -3.0]),
    (ValueDifferenceSimilarity(m=0.5, q=2, root=2), ["a", "b", True, 2.5]),
]


def ids(cases):
    return [str(similarity)[:60] for similarity, _ in cases]


every_case = pytest.mark.parametrize(
    ("similarity", "cells"), CASES + LEARNT, ids=ids(CASES + LEARNT)
)
every_comparison = pytest.mark.parametrize(
    ("similarity", "cells"), CASES, ids=ids(CASES)
)


def test_every_public_similarity_is_here():
    public = {
        one
        for one in map(sklearn_bayeslazy.__dict__.get, sklearn_bayeslazy.__all__)
        if isinstance(one, type) and issubclass(one, Similarity)
    }
    assert {type(similarity) for similarity, _ in CASES + LEARNT} == public


# Values


@every_comparison
def test_similarities_are_from_0_to_1(similarity, cells):
    values = [similarity.read(cell) for cell in cells]
    found = similarity.pairwise(values, values[1:])
    assert found.shape == (len(values), len(values) - 1)
    assert found.dtype == np.float64
    assert np.all((found >= 0) & (found <= 1))
    assert len(np.unique(found)) > 1  # the cells differ


@every_comparison
def test_equal_values_have_similarity_1(similarity, cells):
    values = [similarity.read(cell) for cell in cells]
    same = [similarity.read(cell) for cell in copy.deepcopy(cells)]
    assert values == same
    expected = np.ones(len(values))
    if isinstance(similarity, TableSimilarity):
        expected[3] = TABLE["d", "d"]  # unless the table lists them
    found = similarity.pairwise(values, same).diagonal()
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@every_comparison
def test_no_pair_depends_on_other_pairs(similarity, cells):
    values = [similarity.read(cell) for cell in cells]
    whole = similarity.pairwise(values, values)
    for rows in (slice(0, 1), slice(1, None), slice(0, 0), slice(None, None, -1)):
        for columns in (slice(0, 2), slice(2, None), slice(0, 0)):
            part = similarity.pairwise(values[rows], values[columns])
            expected = whole[rows, columns]
            assert part.shape == expected.shape
            # Texts are compared by a product of matrices, which rounds.
            np.testing.assert_allclose(part, expected, rtol=1e-12)


def test_numbers_without_a_scale_depend_on_all_numbers():
    similarity = NumberSimilarity()
    assert similarity.pairwise([0.0], [1.0, 4.0]).tolist() == [[1 - 1 / 4, 0]]
    assert similarity.pairwise([0.0], [1.0]).tolist() == [[0]]


def test_value_differences_are_learnt_in_a_fit():
    with pytest.raises(TypeError, match="give the similarity to an estimator, fit it"):
        ValueDifferenceSimilarity().pairwise(["a"], ["b"])


# Cells


@every_case
def test_cells_are_read_as_hashable_values(similarity, cells):
    values = [similarity.read(cell) for cell in cells]
    for value, cell in zip(values, cells):
        assert hash(value) == hash(similarity.read(copy.deepcopy(cell)))
        # What is stored with a model is read again.
        assert similarity.read(value) == value
        assert similarity.reads_objects or value is cell
    similarity.check(values, "colour")


@pytest.mark.parametrize(
    ("similarity", "cell", "error", "message"),
    [
        (SetSimilarity(), "xy", TypeError, "a set, list .* got 'xy'"),
        (SetSimilarity(), 3, TypeError, "a set, list .* got 3"),
        (
            SetSimilarity(),
            {"x": 1},
            TypeError,
            r"a set, list .* got \{'x': 1\}",
        ),
        (SetSimilarity(), [["x"]], TypeError, "unhashable type: 'list'"),
        (WordSimilarity(), 3, TypeError, "texts, got 3"),
        (WordSimilarity(), b"on", TypeError, "texts, got b'on'"),
        (GraphSimilarity(), "a->b", TypeError, "signed graphs.* got 'a->b'"),
        (
            GraphSimilarity(),
            {"a": "+"},
            TypeError,
            r"signed graphs.* got \{'a'",
        ),
        (GraphSimilarity(), [("a", "b")], ValueError, r"\(u, v, sign\), got \('a'"),
        (GraphSimilarity(), {("a", "b"): []}, ValueError, r"'a' -> 'b' .* got \[\]"),
        (GraphSimilarity(), [(["a"], 1, "+")], TypeError, "unhashable type: 'list'"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_named(similarity, cell, error, message):
    assert similarity.reads_objects
    with pytest.raises(error, match=message):
        similarity.read(cell)


@pytest.mark.parametrize(
    "similarity",
    [OrderedSimilarity(["low", "high"]), TaxonomySimilarity(PARENT)],
    ids=lambda one: type(one).__name__,
)
def test_a_value_that_cannot_be_compared_is_named(similarity):
    with pytest.raises(ValueError, match=r"'colour' has the value 'mid'.*not list"):
        similarity.check(["mid"], "colour")


def test_a_number_that_an_order_does_not_list_is_named():
    similarities = {"size": OrderedSimilarity([1, 2, 3])}
    frame = pd.DataFrame({"size": [1, 2, 3, 1]})
    cases = CaseBasedClassifier(similarities=similarities).fit(frame, [0, 1, 1, 0])
    assert cases.predict(pd.DataFrame({"size": [3]})).tolist() == [1]
    with pytest.raises(ValueError, match=r"'size' has the value 4.*not list"):
        cases.predict(pd.DataFrame({"size": [4]}))


# Objects


@every_case
def test_copies_are_equal_and_compare_equally(similarity, cells):
    same_parameters = type(similarity)(**vars(similarity))
    pickled = pickle.loads(pickle.dumps(similarity))
    values = [similarity.read(cell) for cell in cells]
    for other in (copy.deepcopy(similarity), pickled, same_parameters):
        assert other is not similarity
        assert other == similarity
        assert hash(other) == hash(similarity)
        assert [other.read(cell) for cell in cells] == values
        if not isinstance(similarity, ValueDifferenceSimilarity):
            np.testing.assert_array_equal(
                other.pairwise(values, values), similarity.pairwise(values, values)
            )


@pytest.mark.parametrize(
    ("make", "given"), [(TableSimilarity, TABLE), (TaxonomySimilarity, PARENT)]
)
def test_the_order_of_a_dict_does_not_matter(make, given):
    one, other = make(given), make(dict(reversed(given.items())))
    assert one == other
    assert hash(one) == hash(other)


def test_other_parameters_are_another_similarity():
    similarities = [similarity for similarity, _ in CASES + LEARNT]
    assert len(set(similarities)) == len(similarities)


@every_case
def test_a_similarity_is_frozen(similarity, cells):
    for name in [*(field.name for field in fields(similarity)), "cells"]:
        with pytest.raises(FrozenInstanceError):
            setattr(similarity, name, None)
