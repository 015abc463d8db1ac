"""Weights are no scale of what leave-one-out chooses, and no row vouches for itself.

Code under test: `tabular/_copies.py`, and what each family leaves out with a row.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import log_loss
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import (
    AODEClassifier,
    AxisStretcher,
    BayesianStackingClassifier,
    BayesianStackingRegressor,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    CaseBasedRegressor,
    LocallyWeightedRegressor,
    MEstimateNB,
    MyAdaBoost,
    MyAdaBoostRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    ShepardKNN,
    ShepardKNNRegressor,
    TextNB,
)
from sklearn_bayeslazy.neighbors import ValueDifferenceEncoder
from sklearn_bayeslazy.tabular import merge_copies, read_table
from tests.helpers.copies_by_hand import merged_rows

CLASSIFIERS = [
    AODEClassifier,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    MEstimateNB,
    MyAdaBoost,
    RBFNetworkClassifier,
    ShepardKNN,
    TextNB,
]
REGRESSORS = [
    CaseBasedRegressor,
    LocallyWeightedRegressor,
    MyAdaBoostRegressor,
    RBFNetworkRegressor,
    ShepardKNNRegressor,
]
every_default = pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
N = 200


def draw(kind, n=N + 400):
    """Return rows of numbers and a target; the first N rows are for the fit."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (n, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    if kind is TextNB:  # rates of words
        X = np.exp(X @ [[1.0, -1.0, 0.5, 0.0], [0.5, 1.0, -1.0, 0.2]])
    return X, (y if kind.__name__.endswith("Regressor") else (y > 0).astype(int))


def loss_of(kind, model, X, y):
    if kind.__name__.endswith("Regressor"):
        return np.mean((model.predict(X) - y) ** 2)
    return log_loss(y, model.predict_proba(X))


@every_default
def test_equal_weights_tell_nothing(kind):
    X, y = draw(kind)
    plain = kind().fit(X[:N], y[:N])
    expected = loss_of(kind, plain, X[N:], y[N:])
    for weight in (0.1, 1.2, 2.0, 5.0):
        weighted = kind().fit(X[:N], y[:N], sample_weight=np.full(N, weight))
        loss = loss_of(kind, weighted, X[N:], y[N:])
        assert loss <= 1.05 * expected, weight
        # The k of local regression is a whole number, also of weights.
        if weight > 1 and (kind is not LocallyWeightedRegressor or weight in (2, 5)):
            assert loss == pytest.approx(expected, rel=1e-3), weight
        if kind is LocallyWeightedRegressor:
            covered = []
            for model in (plain, weighted):
                lower, upper = model.prediction_interval(X[N:], 0.9)
                covered.append(np.mean((lower < y[N:]) & (y[N:] < upper)))
            assert abs(covered[1] - covered[0]) < 0.02, weight


@pytest.mark.parametrize("weight", [1 / N, 1e-6])
@pytest.mark.parametrize("scale", ["std", "trimmed"])
@pytest.mark.parametrize(
    "kind", [LocallyWeightedRegressor, RBFNetworkClassifier, RBFNetworkRegressor]
)
def test_columns_have_their_deviations_whatever_the_weights_sum_to(kind, scale, weight):
    X, y = draw(kind)
    X *= [1.0, 1000.0]
    plain = kind(scale=scale).fit(X[:N], y[:N])
    weighted = kind(scale=scale).fit(X[:N], y[:N], sample_weight=np.full(N, weight))
    assert_allclose(weighted.scale_, plain.scale_, rtol=1e-12)
    if kind is not LocallyWeightedRegressor:  # its k is whole
        losses = [loss_of(kind, model, X[N:], y[N:]) for model in (plain, weighted)]
        assert losses[1] == pytest.approx(losses[0], rel=1e-3)


TABLES_OF_SHARES = {
    *CLASSIFIERS,
    *REGRESSORS,
    BayesianStackingClassifier,
    BayesianStackingRegressor,
} - {TextNB}  # texts have no symbols


@pytest.mark.parametrize(
    "kind", sorted(TABLES_OF_SHARES, key=lambda kind: kind.__name__)
)
def test_shares_as_weights_tell_nothing(kind):
    """Their sum is 1, 2.1 or less, so that each class weighs about as much as a row."""
    rng = np.random.default_rng(1)
    X, y = draw(kind)
    signs = np.where(X < 0, "-", "+").astype(object)
    X = pd.DataFrame({"x": X[:, 0], "z": X[:, 1], "sign": signs[:, 0]})
    X["letter"] = rng.choice(list("abc"), len(X))
    plain = kind().fit(X[:N], y[:N])
    expected = loss_of(kind, plain, X[N:], y[N:])
    # Stacks give the weights to members that are tested here themselves.
    few = kind in (BayesianStackingClassifier, BayesianStackingRegressor)
    for weight in (2.1 / N, 1e-6) if few else (2.1 / N, 1 / N, 1e-6):
        model = kind().fit(X[:N], y[:N], sample_weight=np.full(N, weight))
        assert loss_of(kind, model, X[N:], y[N:]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("weight", [1 / N, 1e-6])
def test_mixed_distances_do_not_depend_on_the_sum_of_weights(weight):
    X, y = draw(ShepardKNN)
    encoder = ValueDifferenceEncoder().fit(X[:N], y[:N], np.full(N, weight))
    centered = X[N:] - X[:N].mean(axis=0)
    expected = centered / (4 * X[:N].std(axis=0, ddof=1))
    assert_allclose(encoder.transform(X[N:]), expected, rtol=1e-9)
    for metric in ("seuclidean", "mahalanobis"):
        model = ShepardKNN(3, metric=metric).fit(X[:N], y[:N], np.full(N, weight))
        nearest = NearestNeighbors(n_neighbors=3, metric="seuclidean")
        nearest.set_params(metric_params={"V": X[:N].var(axis=0, ddof=1)})
        if metric == "mahalanobis":
            nearest.set_params(metric=metric, metric_params={"V": np.cov(X[:N].T)})
        expected = nearest.fit(X[:N]).kneighbors(X[N:])[0]
        assert_allclose(model.kneighbors(X[N:], 3)[0], expected, rtol=1e-7)


@every_default
def test_random_weights_cost_little(kind):
    """In the mean over draws; such weights are worth some four fifths of the rows."""
    X, y = draw(kind)
    rng = np.random.default_rng(1)
    plain = loss_of(kind, kind().fit(X[:N], y[:N]), X[N:], y[N:])
    losses = []
    for _ in range(5):
        weight = rng.uniform(0.2, 3, N)
        model = kind().fit(X[:N], y[:N], sample_weight=weight)
        losses.append(loss_of(kind, model, X[N:], y[N:]))
    assert np.mean(losses) < 1.25 * plain


@every_default
def test_a_table_of_copies_is_the_table(kind):
    X, y = draw(kind)
    plain = kind().fit(X[:N], y[:N])
    twice = np.repeat(np.arange(N), 2)
    copied = kind().fit(X[twice], y[twice])
    losses = [loss_of(kind, model, X[N:], y[N:]) for model in (plain, copied)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)


@every_default
def test_integer_weights_equal_repetition(kind):
    """As where a class is oversampled by repetition."""
    X, y = draw(kind)
    times = np.where(y[:N] > 0, 3, 1) + np.arange(N) % 2
    rows = np.repeat(np.arange(N), times)
    weighted = kind().fit(X[:N], y[:N], sample_weight=times)
    repeated = kind().fit(X[rows], y[rows])
    answers = [
        model.predict(X[N:]) if kind in REGRESSORS else model.predict_proba(X[N:])
        for model in (weighted, repeated)
    ]
    assert_allclose(*answers, rtol=1e-6, atol=1e-9)


def test_axes_are_stretched_alike_by_copies_and_by_any_weights():
    X, y = draw(ShepardKNNRegressor, N)
    plain = AxisStretcher(random_state=0).fit(X, y).scale_
    twice = np.repeat(np.arange(N), 2)
    assert_allclose(AxisStretcher(random_state=0).fit(X[twice], y[twice]).scale_, plain)
    heavy = AxisStretcher(random_state=0).fit(X, y, sample_weight=np.full(N, 5.0))
    assert_allclose(heavy.scale_, plain)


@pytest.mark.parametrize("kind", [MEstimateNB, AODEClassifier, BeliefNetworkClassifier])
def test_rows_of_symbols_are_left_out_one_by_one(kind):
    """Different people have equal symbols: their copies stay."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (60, 2))
    y = (codes[:, 0] ^ (rng.random(60) < 0.2)).astype(int)
    X = pd.DataFrame(codes, columns=["a", "b"]).astype(str)
    params = {"m": "loo", "loo_candidates": {"m": [2.0]}}
    fixed = {"m": 2.0}
    if kind is MEstimateNB:
        fixed |= {"feature_weights": None, "distribution": "categorical"}
    elif kind is AODEClassifier:
        fixed |= {"weights": None, "n_bins": 2, "binning": "quantile"}
    else:
        arcs = [("class", "a"), ("class", "b")]
        fixed |= {"structure": arcs, "prior": "uniform", "calibration": None}
    tuned = kind(**{**fixed, **params}).fit(X, y)
    losses = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = kind(**fixed).fit(X[rest], y[rest])
        losses.append(-model.predict_log_proba(X.iloc[[i]])[0, y[i]])
    assert_allclose(tuned.loo_results_["mean_log_loss"], np.mean(losses), rtol=1e-9)


# Which rows are merged


TABLES = {
    "numbers": lambda rng: rng.integers(0, 40, (80, 2)).astype(float),
    "missing": lambda rng: rng.choice([np.nan, 0.0, -0.0, 1.5, 7.0], (80, 3)),
    "few integers": lambda rng: rng.integers(0, 2, (80, 2)).astype(float),
}


@pytest.mark.parametrize("container", [np.asarray, read_table, sparse.csr_array])
@pytest.mark.parametrize("kind", TABLES)
def test_merged_rows_are_those_of_all_pairs(kind, container):
    rng = np.random.default_rng(3)
    X, y = TABLES[kind](rng), rng.integers(0, 2, 80)
    if container is sparse.csr_array:
        X = np.nan_to_num(X)
    weight = rng.uniform(size=80)
    by_hand = merged_rows(X, y)
    merged = merge_copies(container(X), y, weight)
    if len(set(by_hand)) == 80:
        assert merged is None
        return
    assert_array_equal(merged.rows, sorted({by_hand.index(row) for row in by_hand}))
    for i, row in enumerate(by_hand):
        group = [j for j, other in enumerate(by_hand) if other == row]
        assert merged.rows[merged.of_row[i]] == group[0]
        assert_allclose(merged.weight[merged.of_row[i]], weight[group].sum())


def test_the_decision_does_not_see_how_often_rows_are_repeated():
    rng = np.random.default_rng(5)
    for n_values in (2, 3, 5, 9, 30):
        X = rng.integers(0, n_values, (60, 2)).astype(float)
        y = rng.integers(0, 2, 60)
        table = np.column_stack([X, y])
        distinct = np.unique(table, axis=0, return_index=True)[1]
        times = rng.integers(2, 5, len(distinct))
        rows = np.repeat(distinct, times)
        merged = merge_copies(X[rows], y[rows], np.ones(len(rows)))
        shared = [tuple(x) for x in X[distinct]]
        by_chance = np.mean([shared.count(x) > 1 for x in shared]) > 0.5
        assert (merged is None) == by_chance
        if merged is not None:
            assert len(merged.rows) == len(distinct)


def test_symbols_declared_categories_and_one_row_are_not_merged():
    y, ones = np.zeros(4), np.ones(4)
    symbols = read_table(pd.DataFrame({"a": list("ppqq")}))
    assert merge_copies(symbols, y, ones) is None
    gaps = read_table(pd.DataFrame({"a": ["p", None, None, "q"]}))
    assert merge_copies(gaps, y, ones) is None
    codes = pd.DataFrame({"a": pd.Categorical([1, 1, 2, 2])})
    assert merge_copies(read_table(codes), y, ones) is None
    assert merge_copies(np.ones((4, 2)), y, ones) is None
    empty = np.array([[np.nan, np.nan], [np.nan, np.nan], [1.0, 2.0], [1.0, 2.0]])
    assert_array_equal(merge_copies(empty, y, ones).rows, [0, 1, 2])
    assert_array_equal(merge_copies(read_table(empty), y, ones).rows, [0, 1, 2])
    mixed = read_table(pd.DataFrame({"a": list("ppqq"), "b": [1.5, 1.5, 3.5, 2.5]}))
    assert_array_equal(merge_copies(mixed, y, ones).rows, [0, 2, 3])
    # Of the three other distinct rows two have the number 1: it comes by chance.
    legs = pd.DataFrame({"a": list("ppqrs"), "b": [1.0, 1.0, 1.0, 1.0, 2.0]})
    assert merge_copies(read_table(legs), np.zeros(5), np.ones(5)) is None
    targets = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 1.0], [0.0, 1.0]])
    assert_array_equal(merge_copies(np.array([[1.0], [2.0]] * 2), targets, ones), None)


@pytest.mark.parametrize("kind", [k for k in CLASSIFIERS if k is not TextNB])
@pytest.mark.parametrize("cell", [np.nan, 0.0, -1.0])
def test_rows_of_both_classes_without_a_number_are_many_rows(kind, cell):
    # One row of each class in their place would be predicted by the other class alone,
    # and nothing would be better than the prior.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    is_empty = rng.random(900) < 0.4
    X[is_empty] = 0.0
    if cell == 0:  # and zeros among other cells
        X[rng.random(X.shape) < 0.3] = 0.0
    y = (3 * X.sum(axis=1) + rng.logistic(size=900) > 0).astype(int)
    X[is_empty] = cell
    model = kind().fit(X[:300], y[:300])
    new = log_loss(y[300:], model.predict_proba(X[300:]))
    assert log_loss(y[:300], model.predict_proba(None)) < new + 0.06
    assert new < 0.6


def test_rows_of_many_targets_without_a_number_are_many_rows():
    # One row of target 0 in place of all would be predicted by the other targets alone.
    rng = np.random.default_rng(0)
    X, is_empty = rng.normal(size=(900, 3)), rng.random(900) < 0.3
    is_zero = np.where(is_empty, 0, X.sum(axis=1)) + rng.logistic(size=900) / 2 > 0
    y = np.where(is_zero, 0.0, rng.gamma(8.0, size=900))
    X[is_empty] = -1.0
    model = ShepardKNNRegressor().fit(X[:300], y[:300])
    assert np.mean((y[300:] - model.predict(X[300:])) ** 2) < 0.85 * np.var(y)
    assert np.mean((y[:300] - model.predict(None)) ** 2) < 0.85 * np.var(y)
