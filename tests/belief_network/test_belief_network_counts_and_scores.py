"""Counts, tables and scores of families, against loops and closed forms.

Code under test: `belief_network/_counts.py`, `belief_network/_structure/_scores.py`.
"""

from itertools import permutations, product
from math import exp, lgamma, log

import numpy as np
import pytest

from sklearn_bayeslazy import BeliefNetwork
from sklearn_bayeslazy.belief_network import _counts
from sklearn_bayeslazy.belief_network._counts import CodedRows, check_table_sizes
from sklearn_bayeslazy.belief_network._structure import _scores
from sklearn_bayeslazy.belief_network._tables import Smoothing, estimate_table


def some_rows(missing=0.0, n=300):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, [2, 3, 4], size=(n, 3))
    codes[rng.random(codes.shape) < missing] = -1
    return codes, rng.integers(0, 4, size=n).astype(float)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("family", [(0,), (1, 0), (2, 0, 1)])
def test_counts_equal_those_of_a_loop(missing, family):
    codes, weight = some_rows(missing, n=3000)
    sizes = (2, 3, 4)
    found = CodedRows.of(codes, weight, "abc", sizes).count(family)
    expected = np.zeros([sizes[node] for node in family])
    for row, w in zip(codes[:, family], weight):
        if row.min() >= 0:
            expected[tuple(row)] += w
    np.testing.assert_array_equal(found, expected)


def test_too_large_a_table_raises_an_error_with_its_nodes():
    rows = CodedRows.of(np.zeros((2, 3)), np.ones(2), "abc", (10**4, 10**4, 2))
    with pytest.raises(ValueError, match=r"\['a', 'b'\] would have 100,000,000 cells"):
        rows.count((0, 1))
    assert not rows.is_small((0, 1))
    assert _scores.FamilyScores(rows, "bic")(1, (0,)) == -np.inf


def test_tables_too_large_together_name_the_arc_to_drop():
    """Each of the five tables is allowed alone."""
    sizes, names = (20,) * 4 + (19,) + (20,) * 5, "abcdefghij"
    parents = [()] * 5 + [(0, 1, 2, 3, 4)] * 4 + [(0, 1, 2, 3, 8)]
    with pytest.raises(ValueError, match="would have 307,200,099 cells") as raised:
        check_table_sizes(parents, sizes, names)
    # 4 · 20 + 19 + 4 · 20⁵ · 19 + 20⁶ cells. 'a' is the first of the largest parents.
    assert "is that of 'j', with 64,000,000 cells" in str(raised.value)
    assert "Drop the arc ('a', 'j'), which makes it 20 times as large" in str(
        raised.value
    )
    check_table_sizes([()] * 5 + [(0, 1, 2, 3)] * 5, sizes, names)
    with pytest.raises(ValueError, match="Reduce the number of values of this column"):
        check_table_sizes([()], (2**28,), "a")


def test_a_batch_whose_new_categories_make_the_tables_too_large_changes_nothing(
    monkeypatch,
):
    monkeypatch.setattr(_counts, "MAX_NETWORK_CELLS", 12)
    few, more = [["a", "x"], ["b", "y"]], [[letter, "x"] for letter in "cde"]
    model = BeliefNetwork([("0", "1")]).partial_fit(few)
    before = model.network_
    # Five values of the parent: 5 + 5 · 2 cells.
    with pytest.raises(ValueError, match="15 cells, above the limit of 12"):
        model.partial_fit(more)
    assert model.network_ is before
    with pytest.raises(ValueError, match="15 cells, above the limit of 12"):
        BeliefNetwork([("0", "1")]).fit(few + more)


def test_tables_are_m_estimates():
    counts = np.array([[6.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    marginal = np.array([1.0, 2.0, 1.0])
    np.testing.assert_allclose(
        estimate_table(counts, Smoothing(1.0))[0],
        [(6 + 1 / 3) / 9, (2 + 1 / 3) / 9, 1 / 27],
    )
    np.testing.assert_allclose(
        estimate_table(counts, Smoothing(2.0, "marginal"), marginal),
        [[6.5 / 10, 3 / 10, 0.5 / 10], [0.25, 0.5, 0.25]],
    )
    np.testing.assert_allclose(
        estimate_table(counts, Smoothing(3.0, "bdeu")),
        [[6.5 / 9.5, 2.5 / 9.5, 0.5 / 9.5], [1 / 3] * 3],
    )
    np.testing.assert_array_equal(
        estimate_table(counts, Smoothing(0.0)), [[0.75, 0.25, 0.0], [1 / 3] * 3]
    )


def by_hand(score, counts, n, sample_size):
    """Return the score of a family, cell by cell."""
    q, size = counts.shape
    total = 0.0
    for row in counts:
        n_j = row.sum()
        if score in ("k2", "bdeu"):
            alpha = 1.0 if score == "k2" else sample_size / (q * size)
            total += lgamma(size * alpha) - lgamma(n_j + size * alpha)
            total += sum(lgamma(c + alpha) - lgamma(alpha) for c in row)
        else:
            total += sum(c * log(c / n_j) for c in row if c)
    n_parameters = q * (size - 1)
    penalty = {"aic": n_parameters, "bic": 0.5 * log(n) * n_parameters}
    return total - penalty.get(score, 0.0)


@pytest.mark.parametrize("score", _scores.SCORES)
def test_scores_equal_their_definitions(score):
    codes, weight = some_rows()
    rows = CodedRows.of(codes, weight, "abc", (2, 3, 4))
    scores = _scores.FamilyScores(rows, score, sample_size=2.5)
    for node, parents in product(range(3), [(), (0,), (1,), (0, 1), (2, 1)]):
        if node in parents:
            continue
        counts = rows.count((*parents, node)).reshape(-1, rows.sizes[node])
        expected = by_hand(score, counts, weight.sum(), 2.5)
        np.testing.assert_allclose(scores(node, parents), expected, rtol=1e-10)


@pytest.mark.parametrize("score", ["log_likelihood", "aic", "bic", "bdeu"])
def test_equivalent_graphs_have_the_same_score(score):
    codes, weight = some_rows()
    scores = _scores.FamilyScores(
        CodedRows.of(codes, weight, "abc", (2, 3, 4)), score, 2.0
    )
    chain, fork = scores.total([(), (0,), (1,)]), scores.total([(1,), (), (1,)])
    np.testing.assert_allclose(chain, fork, rtol=1e-12)


def test_k2_is_the_probability_of_the_rows():
    """Laplace's rule of succession, row by row."""
    values = [0, 1, 1, 2, 1]
    p, seen = 1.0, [0, 0, 0]
    for n_before, value in enumerate(values):
        p *= (seen[value] + 1) / (n_before + 3)
        seen[value] += 1
    rows = CodedRows.of(np.array(values)[:, None], np.ones(5), "a", (3,))
    assert np.isclose(exp(_scores.FamilyScores(rows, "k2")(0, ())), p)


def test_parents_with_missing_values_are_scored_on_the_rows_that_observe_them():
    """The parent with fewer missing values first; each gain on its observed rows."""
    codes, weight = some_rows(missing=0.2)
    codes[:150, 0] = -1
    scores = _scores.FamilyScores(CodedRows.of(codes, weight, "abc", (2, 3, 4)), "bic")
    total = weight.sum()

    def score(rows, parents):
        sizes = [(2, 3, 4)[parent] for parent in parents]
        counts = np.zeros((*sizes, 4))
        np.add.at(counts, tuple(codes[rows][:, [*parents, 2]].T), weight[rows])
        counts = counts.reshape(-1, 4)
        return by_hand("bic", counts[counts.any(axis=1)], 1.0, 0) - 0.5 * np.log(
            weight[rows].sum()
        ) * 3 * np.prod(sizes)

    node, b, a = (codes[:, column] >= 0 for column in (2, 1, 0))
    expected = total / weight[node].sum() * score(node, [])
    both = node & b
    gain = score(both, [1]) - score(both, [])
    expected += total / weight[both].sum() * gain
    np.testing.assert_allclose(scores(2, (1,)), expected, rtol=1e-12)
    whole = both & a
    gain = score(whole, [0, 1]) - score(whole, [1])
    expected += total / weight[whole].sum() * gain
    np.testing.assert_allclose(scores(2, (0, 1)), expected, rtol=1e-12)


def test_an_empty_column_is_never_a_parent():
    codes, weight = some_rows()
    codes[:, 1] = -1
    scores = _scores.FamilyScores(CodedRows.of(codes, weight, "abc", (2, 3, 4)), "bdeu")
    assert scores(0, (1,)) == scores(2, (0, 1)) == scores(1, (0,)) == -np.inf
    assert scores(1, ()) == 0.0


def test_mutual_information_of_independent_nodes_is_zero():
    counts = np.outer([1.0, 3.0], [2.0, 5.0])
    assert _scores.mutual_information(counts) < 1e-15
    assert _scores.mutual_information(np.zeros((2, 2))) == 0.0
    given = np.stack([counts, np.diag([4.0, 4.0])])
    expected = 8 / (28 + 8) * np.log(2)
    np.testing.assert_allclose(_scores.mutual_information(given), expected)


def test_information_beyond_chance_by_all_permutations():
    a, b = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 1, 1, 1, 0])

    def table(b):
        counts = np.zeros((3, 2))
        np.add.at(counts, (a, b), 1.0)
        return counts

    def chi_square(counts):
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        return ((counts - expected) ** 2 / expected).sum()

    mean = np.mean([chi_square(table(np.array(p))) for p in permutations(b)])
    share = 1 - mean / chi_square(table(b))
    assert share > 0.3
    expected = share * _scores.mutual_information(table(b))
    # Under the other condition the nodes are less dependent than by chance.
    tables = np.stack([table(b), table(b)[:, ::-1] + table(b)])
    found = _scores.informations_beyond_chance(np.stack([tables, tables]))
    np.testing.assert_allclose(found, expected * 7 / 21, rtol=1e-12)
    # Weights that are fractions of a row.
    found = _scores.informations_beyond_chance(tables[None] / 8, 8.0)
    np.testing.assert_allclose(found, expected * 7 / 21, rtol=1e-12)


def test_counts_of_many_rows_do_not_depend_on_the_blocks():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, size=(5000, 2))
    weight = rng.random(5000)
    rows = CodedRows.of(codes, weight, "ab", (5, 5))
    expected = np.bincount(codes[:, 0] * 5 + codes[:, 1], weight, 25).reshape(5, 5)
    np.testing.assert_array_equal(rows.count((0, 1)), expected)


@pytest.mark.parametrize("n_rows", [9001, 130])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weight", [1.0, 2.0])
@pytest.mark.parametrize("nodes", [(), (1,), (2, 0), (3, 1), (4, 2)])
def test_tables_with_each_other_node_equal_the_sums_of_the_rows(
    nodes, weight, missing, n_rows
):
    """Rows of weight 1 and small tables are counted by bits, the others row by row.

    Some sizes are above the limit of bits, alone or together with others. The number of
    rows is no multiple of 64 and exceeds a block.
    """
    rng, sizes = np.random.default_rng(2), (2, 3, 31, 33, 5)
    codes = rng.integers(0, sizes, size=(n_rows, 5))
    codes[rng.random(codes.shape) < missing] = -1
    others = [node for node in range(5) if node not in nodes]
    rows = CodedRows.of(codes, np.full(len(codes), weight), "abcde", sizes)
    counts, starts = rows.count_with_each(nodes, others)
    for other, start, stop in zip(others, starts[:-1], starts[1:], strict=True):
        family = [other, *nodes]
        expected = np.zeros([sizes[node] for node in family])
        known = codes[(codes[:, family] >= 0).all(axis=1)]
        np.add.at(expected, tuple(known[:, family].T), weight)
        np.testing.assert_array_equal(counts[start:stop], expected.ravel())


@pytest.mark.parametrize("n_rows", [150, 40_000])
def test_rows_of_any_weight_are_added_in_their_order(n_rows):
    rng, sizes = np.random.default_rng(4), (3, 2, 4)
    codes, weight = rng.integers(-1, sizes, size=(n_rows, 3)), rng.random(n_rows)
    rows = CodedRows.of(codes, weight, "abc", sizes)
    counts, starts = rows.count_with_each((2, 1), (0, 1))
    for other, start, stop in zip((0, 1), starts[:-1], starts[1:], strict=True):
        family = [other, 2, 1]
        expected = np.zeros([sizes[node] for node in family])
        known = (codes[:, family] >= 0).all(axis=1)
        np.add.at(expected, tuple(codes[known][:, family].T), weight[known])
        np.testing.assert_array_equal(counts[start:stop], expected.ravel())


def test_families_that_are_scored_together_equal_those_scored_alone():
    rng, sizes = np.random.default_rng(3), (3, 2, 4, 3)
    rows = CodedRows.of(
        rng.integers(0, sizes, size=(500, 4)), np.ones(500), "abcd", sizes
    )
    for score in _scores.SCORES:
        scores, counts = _scores.FamilyScores(rows, score, 2.0), rows.count
        scores.set_graph([(), (0,), (), ()])
        gains = scores.gains_of_parents(1, [2, 3])
        alone = by_hand(score, counts((0, 1)).reshape(-1, 2), 500, 2.0)
        for other, gain in zip((2, 3), gains):
            both = by_hand(score, counts((0, other, 1)).reshape(-1, 2), 500, 2.0)
            np.testing.assert_allclose(gain, both - alone, atol=1e-9)
