"""The contract `Vote`: Shepard's formula, whichever way rows are read and summed.

The expected predictions are those of plain loops over all rows.

Code under test: `neighbors/_shepard/_votes.py`.
"""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_bayeslazy.neighbors._shepard import (
    AllRowsVote,
    ClassTargets,
    ExactVote,
    ListVote,
    NumberTargets,
    TreecodeVote,
    Vote,
    Weighting,
    build_treecode,
)
from sklearn_bayeslazy.search import learn_metric, search_points
from tests.helpers.neighbors_by_hand import (
    means,
    metric_of,
    probabilities,
    table_of_distances,
    votes,
    without,
)

N_ROWS, N_QUERIES = 180, 30
POWER, TOL = 2.0, 0.02
K = 7


def draw():
    """Return rows, two of them equal, queries, two of them rows, and two targets."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 2)) * [1.0, 3.0]
    X[11] = X[2]
    Q = np.vstack([rng.normal(size=(N_QUERIES - 2, 2)) * [1.0, 3.0], X[2], X[5]])
    labels = rng.integers(3, size=N_ROWS)
    return X, Q, labels, rng.normal(10.0, size=(N_ROWS, 2))


X, Q, LABELS, NUMBERS = draw()
DISTANCES = table_of_distances(metric_of("euclidean", X), Q, X)
DISTANCES_OF_ROWS = table_of_distances(metric_of("euclidean", X), X, X)
WEIGHTS = {
    "ones": np.ones(N_ROWS),
    "fractions": np.random.default_rng(1).uniform(0.1, 2.5, size=N_ROWS),
}
# The k of the plain loops, and how the vote is made from a search of the rows.
VOTES = {
    "nearest rows": (K, lambda *parts: ListVote(*parts, K)),
    "lists of all rows": (None, lambda *parts: ListVote(*parts, None)),
    "all rows": (None, AllRowsVote),
    "treecode": (
        None,
        lambda *parts: TreecodeVote(
            *parts, build_treecode(X, *parts[-1].treecode_inputs()), POWER, TOL
        ),
    ),
}


class Case:
    """A vote, and what it votes for."""

    def __init__(self, vote, container, target, weighed):
        self.k, make = VOTES[vote]
        self.weight, self.are_classes = WEIGHTS[weighed], target == "classes"
        self.m = 0.0 if vote == "treecode" else 1.5  # it has no effective number
        self.container = {"dense": np.asarray, "sparse": csr_array}[container]
        targets = NumberTargets(self.weight, NUMBERS, one_output=False)
        if self.are_classes:
            targets = ClassTargets(self.weight, LABELS, np.arange(3))
            targets.m = self.m
        rows = self.container(X)
        metric = learn_metric("euclidean", None, None, rows, self.weight)
        search = search_points(metric, rows, targets.segments(), n_jobs=1)
        weighting = Weighting.from_parameters("inverse", POWER, metric)
        self.vote = make(search, weighting, targets)

    def by_hand(self, distances, weight):
        """Return the predictions of plain loops for a table of distances."""
        rule = {"k": self.k, "power": POWER}
        if self.are_classes:
            return probabilities(distances, LABELS, weight, m=self.m, **rule)
        return means(distances, NUMBERS, weight, **rule)

    def votes_by_hand(self):
        """Return the share of each row in the votes for each query."""
        cast = [votes(d, self.weight, self.k, power=POWER) for d in DISTANCES]
        return np.array([one / one.sum() for one in cast])


CASES = [
    case
    for case in product(VOTES, ["dense", "sparse"], ["classes", "numbers"], WEIGHTS)
    if case[:2] != ("treecode", "sparse")  # which does not exist
]


@pytest.fixture(scope="module", params=CASES, ids=", ".join)
def case(request):
    return Case(*request.param)


def slices_of(size):
    """Return `map_rows`, which calls a function for slices of `size` queries."""

    def map_rows(function, n_rows, bytes_per_row):
        for first in range(0, n_rows, size):
            function(slice(first, min(first + size, n_rows)))

    return map_rows


at_once = slices_of(N_ROWS)


def range_of_targets(case):
    return 1.0 if case.are_classes else np.ptp(NUMBERS, axis=0)


def test_predictions_are_those_of_shepards_formula(case):
    assert isinstance(case.vote, Vote)
    found = case.vote.predictions(case.container(Q), at_once)
    expected = case.by_hand(DISTANCES, case.weight)
    assert found.shape == expected.shape
    gap = np.abs(found - expected)
    if isinstance(case.vote, TreecodeVote):
        assert np.all(gap <= TOL * range_of_targets(case))
        assert gap.max() > 1e-9  # it does not read all rows
    else:
        np.testing.assert_array_less(gap, 1e-11)


def test_a_row_left_out_does_not_vote_for_itself(case):
    queries = case.vote.search.training_queries()
    found = case.vote.predictions(
        queries, at_once, left_out=np.arange(queries.shape[0])
    )
    for i in range(0, N_ROWS, 9):
        distances = DISTANCES_OF_ROWS[i : i + 1]
        expected = case.by_hand(distances, without(case.weight, i))[0]
        np.testing.assert_allclose(found[i], expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("left_out", [False, True])
def test_slices_of_queries_do_not_matter(case, left_out):
    queries = case.vote.search.training_queries() if left_out else case.container(Q)
    left_out = np.arange(queries.shape[0]) if left_out else None
    whole = case.vote.predictions(queries, at_once, left_out=left_out)
    for size in (1, 13):
        found = case.vote.predictions(queries, slices_of(size), left_out=left_out)
        np.testing.assert_array_equal(found, whole)


def test_the_exact_vote_predicts_the_same(case):
    exact = case.vote.exact()
    assert isinstance(exact, ExactVote)
    assert exact.exact() is exact
    found = exact.predictions(case.container(Q), at_once)
    expected = case.by_hand(DISTANCES, case.weight)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)


def list_votes(case, n_rows, rows=slice(0, N_QUERIES)):
    exact = case.vote.exact()
    width = N_ROWS if n_rows is None else n_rows
    k = exact.search_k(n_rows)
    return exact.list_votes(case.container(Q), rows, k, width)


def test_listed_votes_add_up_to_the_sums(case):
    listed, targets = list_votes(case, None), case.vote.targets
    cast = np.where(listed.present, listed.votes, 0.0)
    weighted = cast[:, :, None] * targets.indicators(listed.rows)
    np.testing.assert_allclose(cast.sum(axis=1), listed.totals, rtol=1e-10)
    np.testing.assert_allclose(weighted.sum(axis=1), listed.sums, rtol=1e-10)
    # Nearest first, each row once.
    steps = np.diff(listed.reduced, axis=1)[listed.present[:, 1:]]
    assert np.all(steps >= 0)
    shares = np.zeros((N_QUERIES, N_ROWS))
    for share, rows, votes_of_query, present, total in zip(
        shares, listed.rows, listed.votes, listed.present, listed.totals
    ):
        assert len(set(rows[present])) == present.sum()
        share[rows[present]] = votes_of_query[present] / total
    np.testing.assert_allclose(shares, case.votes_by_hand(), rtol=1e-9, atol=1e-13)


def test_fewer_rows_listed_have_the_same_votes(case):
    whole, some = list_votes(case, None), list_votes(case, 3)
    assert some.present.shape == (N_QUERIES, 3)
    of_all = whole.votes[:, :3] / whole.totals[:, None]
    np.testing.assert_array_equal(some.rows, whole.rows[:, :3])
    np.testing.assert_allclose(some.votes / some.totals[:, None], of_all, rtol=1e-10)
    for sums in ("sums", "totals", "squares"):  # of all rows, listed or not
        expected = getattr(whole, sums)
        np.testing.assert_allclose(getattr(some, sums), expected, rtol=1e-12)


def test_lists_do_not_depend_on_other_queries(case):
    whole = list_votes(case, None)
    rows = slice(N_QUERIES - 5, N_QUERIES)
    part = list_votes(case, None, rows)
    present, width = part.present, part.present.shape[1]
    for listed in ("rows", "present", "reduced", "votes"):
        of_all = getattr(whole, listed)[rows, :width]
        np.testing.assert_array_equal(getattr(part, listed)[present], of_all[present])
    for sums in ("sums", "totals", "squares"):
        of_all = getattr(whole, sums)[rows]
        np.testing.assert_array_equal(getattr(part, sums), of_all)
