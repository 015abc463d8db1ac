"""Leave-one-out of AODE equals a model fitted without each row, on the same codes.

Code under test: `naive_bayes/_columns/_left_out_cells.py`,
`naive_bayes/_pairs/_choices.py`, `naive_bayes/_pairs/_left_out_pairs.py`,
`naive_bayes/_pairs/_pair_counts.py`, `naive_bayes/_pairs/_pair_model.py`.
"""

import math
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import log_loss

from sklearn_bayeslazy import AODEClassifier
from sklearn_bayeslazy.naive_bayes._columns._batch import Batch
from sklearn_bayeslazy.naive_bayes._pairs import _left_out_pairs
from sklearn_bayeslazy.naive_bayes._pairs._pair_counts import PairCounts
from sklearn_bayeslazy.naive_bayes._pairs._pair_model import PairModel
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers import aode_by_hand
from tests.helpers.aode_tables import CLASSES, nominal_table, values_of

WEIGHTS = {
    "unit": [1.0],
    "fractions": [0.25, 0.5, 1.0],
    "large": [1.0, 1.5, 2.0, 3.25],
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("m", [0.0, 0.3, 4.0, "laplace"])
@pytest.mark.parametrize("min_count", [0.5, 1, 5])
@pytest.mark.parametrize("n_rows", [1, 10**6])  # from counts, and from a table
def test_pairs_without_a_row_are_those_of_the_other_rows(weights, m, min_count, n_rows):
    rows, y = nominal_table(3, n_rows=30)
    weight = np.random.default_rng(1).choice(WEIGHTS[weights], size=len(y))
    parents = np.array([2, 0, 3])
    batch = Batch(read_table(np.array(rows, dtype=object)), np.array(y), weight, 3)
    codebook = batch.codebook("quantile", 2)
    counts = PairCounts.of(batch, codebook, parents, None)
    positions = codebook.reader(batch.table, as_positions=True)(slice(None))
    removed = weight
    naive = np.random.default_rng(2).normal(size=(len(y), 3))
    joint = PairModel(counts, np.ones(len(counts.sizes), bool), m, min_count).leave_out(
        n_rows
    )
    found = joint(positions, batch.classes, removed, naive)
    assert found.shape == (len(y), 3, 3)
    values, n_without_parents = values_of(rows), 0
    for i, row in enumerate(rows):
        rest = aode_by_hand.without_row(i, rows, y, weight.tolist())
        for k in range(3):
            used = [
                j
                for j in parents[: k + 1]
                if row[j] is not None
                and sum(w for r, w in zip(rest[0], rest[2]) if r[j] == row[j])
                >= min_count
            ]
            expected = naive[i]
            n_without_parents += not used
            if used:
                expected = aode_by_hand.joint_log_proba(
                    row, *rest, CLASSES, values, m=m, parents=used, min_count=0
                )
            np.testing.assert_allclose(found[i, k], expected, rtol=1e-9, atol=1e-9)
    assert 0 < n_without_parents < 3 * len(y)


def losses_by_hand(rows, y, weight, m):
    """Return the losses and correctness of each row without one copy of it."""
    losses, correct = [], []
    for i, row in enumerate(rows):
        joint = aode_by_hand.joint_log_proba(
            row,
            *aode_by_hand.without_row(i, rows, y, weight),
            CLASSES,
            values_of(rows),
            m=m,
        )
        losses.append(np.log(np.sum(np.exp(joint))) - joint[y[i]])
        correct.append(np.argmax(joint) == y[i])
    return np.array(losses), np.array(correct)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_results_are_the_losses_of_refitting(weights):
    rows, y = nominal_table(4, n_rows=60, missing=0.1)
    rng = np.random.default_rng(1)
    weight = rng.choice(WEIGHTS[weights], size=len(y)).tolist()
    candidates = [0.5, 2.0, "laplace"]
    # All values occur often enough to remain super-parents without a row.
    model = AODEClassifier(
        weights=None, min_count=0, loo_candidates={"m": candidates}
    ).fit(np.array(rows, dtype=object), y, weight)
    results = model.loo_results_
    assert sorted(p["m"] for p in results["params"] if p["m"] != "laplace") == [0.5, 2]
    by_m = {}
    for params, loss, accuracy in zip(
        results["params"], results["mean_log_loss"], results["mean_accuracy"]
    ):
        losses, correct = losses_by_hand(rows, y, weight, params["m"])
        np.testing.assert_allclose(loss, np.average(losses, weights=weight), rtol=1e-9)
        np.testing.assert_allclose(accuracy, np.average(correct, weights=weight))
        by_m[params["m"]] = loss
    assert len(by_m) == 3
    assert model.m_ == min(by_m, key=by_m.get)


def test_the_terms_of_left_out_columns_are_those_of_the_other_rows(monkeypatch):
    seen = {}
    fit = _left_out_pairs.fit_log_linear

    def remember(rows, *args, **kwargs):
        seen["rows"] = rows
        return fit(rows, *args, **kwargs)

    monkeypatch.setattr(_left_out_pairs, "fit_log_linear", remember)
    rows, y = nominal_table(8, n_rows=120)
    model = AODEClassifier(1.0, min_count=0).fit(np.array(rows, dtype=object), y)
    values, weight = values_of(rows), [1] * len(y)
    for i, row in enumerate(rows):
        rest = aode_by_hand.without_row(i, rows, y, weight)
        average = aode_by_hand.joint_log_proba(
            row,
            *rest,
            CLASSES,
            values,
            m=1.0,
            parents=model.super_parents_,
            predicted=model.predicted_columns_,
            min_count=0,
        )
        terms = [np.zeros(3) for _ in values]
        for j in np.flatnonzero([x is not None for x in row]):
            for c in CLASSES:
                of_class = [(r, w) for r, k, w in zip(*rest) if k == c]
                p = aode_by_hand.conditional(row[j], j, of_class, values, 1.0)
                terms[j][c] = np.log(p)
        expected = np.array([*terms, average])
        expected -= expected.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(seen["rows"].terms[i].T, expected, atol=1e-9)


def test_bins_and_super_parents_are_chosen_by_their_scores():
    rng = np.random.default_rng(0)
    # Sixteen alternating stripes of 100 rows: only sixteen bins can separate them.
    stripe = np.arange(1600) % 16
    y = stripe % 2
    X = np.column_stack([stripe + rng.random(1600), rng.normal(size=(1600, 3))])
    model = AODEClassifier(loo_candidates={"n_bins": [2, 16]}).fit(X, y)
    assert model.n_bins_ == 16
    assert model.score(X, y) > 0.95
    assert model.super_parents_[0] == 0
    assert len(model.super_parents_) < 4
    tried = {p["n_bins"] for p in model.loo_results_["params"]}
    assert tried == {2, 16}
    assert model.loo_results_["rank"].min() == 1


def test_few_rows_fit_the_weights_where_terms_are_many(monkeypatch):
    seen = []
    fit = _left_out_pairs.fit_log_linear
    monkeypatch.setattr(
        _left_out_pairs,
        "fit_log_linear",
        lambda rows, *args, **kwargs: seen.append(rows) or fit(rows, *args, **kwargs),
    )
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=2000)
    X = (y[:, None] + rng.integers(4, size=(2000, 20))).astype(str)
    order = rng.permutation(2000)
    monkeypatch.setattr(_left_out_pairs, "MAX_TERMS", 2**17)
    model = AODEClassifier(1.0, max_pair_counts=10_000).fit(X, y)
    other = AODEClassifier(1.0, max_pair_counts=10_000).fit(X[order], y[order])
    assert 600 < len(seen[0].classes) < 700  # of 10 · 21 · 8 bytes each
    assert seen[0].terms.nbytes <= 2**20
    np.testing.assert_allclose(
        model.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-7
    )
    # Evenly spaced rows: the shares of the classes are those of all rows.
    shares = np.bincount(seen[0].classes) / len(seen[0].classes)
    np.testing.assert_allclose(shares, np.bincount(y) / 2000, atol=0.04)


def test_a_value_of_one_row_is_unknown_when_the_row_is_left_out():
    rows, y = nominal_table(10, n_rows=40, missing=0.1)
    with_id = [[*row, f"row {i}"] for i, row in enumerate(rows)]
    missing = [[*row, None] for row in rows]
    params = {"weights": None, "loo_candidates": {"m": [0.5, 2.0]}}
    unique = AODEClassifier(**params).fit(with_id, y).loo_results_
    absent = AODEClassifier(**params).fit(missing, y).loo_results_
    for name in ("mean_log_loss", "mean_accuracy"):
        np.testing.assert_allclose(unique[name], absent[name], rtol=1e-12)


def test_a_sample_of_rows_is_left_out():
    rows, y = nominal_table(9, n_rows=300)
    X = np.array(rows, dtype=object)
    few = AODEClassifier(loo_max_samples=50, random_state=0).fit(X, y)
    again = AODEClassifier(loo_max_samples=50, random_state=0).fit(X, y)
    np.testing.assert_array_equal(few.predict_proba(X), again.predict_proba(X))
    assert few.class_count_.sum() == 300


def test_columns_that_predict_equally_well_are_chosen_in_any_order():
    # In small tables columns tie. The first super-parents were those of a tie that
    # came first in the table.
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, size=(8, 5)), rng.integers(0, 2, size=8)
        aode = AODEClassifier(m=1.0, categories=[[0, 1]] * 5, random_state=0)
        proba = aode.fit(X, y).predict_proba(X)
        mirrored = aode.fit(X[:, ::-1], y).predict_proba(X[:, ::-1])
        np.testing.assert_allclose(mirrored, proba, atol=1e-9)


def information_by_hand(x, y, given):
    """Return the information of x on y given a third column, and its parameters."""
    information, n_parameters = 0.0, 0
    for g in sorted(set(given)):
        here = [(a, c) for a, c, b in zip(x, y, given) if b == g]
        of_pair, of_x, of_y = Counter(here), *map(Counter, zip(*here))
        for (a, c), n in of_pair.items():
            information += n * math.log(n * len(here) / of_x[a] / of_y[c])
        n_parameters += (len(of_x) - 1) * (len(of_y) - 1)
    return information, n_parameters


@pytest.mark.parametrize("seed", range(8))
def test_predicted_columns_tell_of_the_class_alone_or_given_another(seed):
    # Two columns tell of the class together only; the others are noise.
    rng = np.random.default_rng(seed)
    n = 120
    first, second, coarse, fine = (rng.integers(0, k, n) for k in (2, 2, 3, 40))
    y = np.where(rng.random(n) < 0.9, first ^ second, 1 - (first ^ second))
    X = np.column_stack([first, second, coarse, fine]).astype(str)
    model = AODEClassifier(1.0).fit(X, y)
    expected = [
        j
        for j in range(4)
        if any(
            np.subtract(*information_by_hand(X[:, j], y, X[:, i])) > 0
            for i in range(4)
            if i != j
        )
        or np.subtract(*information_by_hand(X[:, j], y, [0] * n)) > 0
    ]
    assert {0, 1} <= set(expected)
    assert 3 not in expected
    np.testing.assert_array_equal(model.predicted_columns_, expected)
    # Weights in another unit are as many rows.
    scaled = AODEClassifier(1.0).fit(X, y, np.full(n, 7.0))
    np.testing.assert_array_equal(scaled.predicted_columns_, expected)
    published = AODEClassifier(1.0, weights=None).fit(X, y)
    np.testing.assert_array_equal(published.predicted_columns_, range(4))


def test_a_column_of_many_values_that_tell_nothing_costs_little():
    # Pairs with a column of names had hidden what two columns tell together.
    losses = []
    for n_names in (1, 100, 2000):
        rng = np.random.default_rng(0)
        X = rng.integers(0, 2, (6000, 4))
        y = np.where(rng.random(6000) < 0.8, X[:, 0] ^ X[:, 1], X[:, 2])
        names = rng.integers(0, n_names, 6000)
        X = np.column_stack([X, names]).astype(str)
        model = AODEClassifier().fit(X[:2000], y[:2000])
        losses.append(log_loss(y[2000:], model.predict_proba(X[2000:])))
    assert max(losses) < losses[0] + 0.01


@pytest.mark.parametrize(
    ("weight", "allowed"),
    [
        (np.ones(12), [4, 6, 10]),
        (np.full(12, 7.0), [4, 6, 10]),
        (np.full(10, 0.1), [4, 6, 10]),  # their sum is below 1
        # The heaviest has a 26th of all weight, the median is 1.
        (np.repeat([10.0, 1.0], [20, 60]), [4, 6]),
        (np.repeat([100.0, 1.0], [2, 100]), [4]),  # one candidate is left
    ],
)
def test_a_bin_holds_several_rows_that_weigh_much(weight, allowed):
    n = len(weight)
    table = read_table(np.arange(float(n))[:, None])
    batch = Batch(table, np.zeros(n, np.int32), weight, n_classes=1)
    assert batch.numbers_of_bins([4, 6, 10, 16]) == allowed


@pytest.mark.parametrize("seed", range(3))
def test_ten_rows_of_half_the_weight_predict_better_than_the_prior(seed):
    """Three columns tell; each row of the rare class would fill a bin of sixteen."""
    rng = np.random.default_rng(seed)
    y = (np.arange(22_000) % 200 == 0).astype(int)
    X = rng.normal(size=(22_000, 10))
    X[:, :3] += 1.5 * y[:, None]
    model = AODEClassifier(class_weight="balanced").fit(X[:2000], y[:2000])
    proba, y = model.predict_proba(X[2000:]), y[2000:]
    loss = -np.log(proba[np.arange(len(y)), y])
    assert np.mean([loss[y == 0].mean(), loss[y == 1].mean()]) < 0.85 * np.log(2)
