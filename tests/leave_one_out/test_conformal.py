"""Intervals, quantiles and sets against refits without each row, and their coverage.

The bounds hold a share of new rows that varies with the training rows. Tolerances are
of the mean over several tables, at least three standard errors.

Code under test: `leave_one_out/_conformal.py`, `choice_inflation`.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_bayeslazy import (
    AODEClassifier,
    BayesianStackingClassifier,
    BayesianStackingRegressor,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    CaseBasedRegressor,
    LanguageModelNB,
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
from sklearn_bayeslazy.leave_one_out import choice_inflation, group_sums, loss_groups
from sklearn_bayeslazy.leave_one_out._conformal import ScoreDistribution

# Nothing is chosen, and no column is scaled: a refit without the row is exact.
CENTERS = np.linspace(-2, 2, 5)[:, None]
GIVEN = [
    LocallyWeightedRegressor(1, n_neighbors=6, scale=None, ridge=0.01),
    ShepardKNNRegressor(3, power=2, metric="euclidean"),
    ShepardKNNRegressor(None, power=2, metric="euclidean"),
    RBFNetworkRegressor(
        centers=CENTERS, width=1.0, ridge=0.1, scale=None, feature_weights=None
    ),
]
DEFAULTS = [
    LocallyWeightedRegressor(),
    ShepardKNNRegressor(),
    RBFNetworkRegressor(),
    CaseBasedRegressor(),
    MyAdaBoostRegressor(),
    BayesianStackingRegressor(
        [("local", LocallyWeightedRegressor()), ("rbf", RBFNetworkRegressor())]
    ),
]
CLASSIFIERS = [
    MEstimateNB(),
    AODEClassifier(),
    ShepardKNN(),
    CaseBasedClassifier(),
    RBFNetworkClassifier(),
    BeliefNetworkClassifier(),
    MyAdaBoost(),
]


def small_table(n=24):
    """Return rows of one column with ties, targets, and weights."""
    rng = np.random.default_rng(0)
    X = rng.integers(-8, 9, size=(n, 1)) / 4
    return X, np.sin(2 * X[:, 0]) + rng.normal(size=n) / 3, rng.integers(1, 4, size=n)


def noisy(kind, n, seed):
    """Return rows, targets, and the noise's standard deviation, n and 500 new rows."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n + 500, 3))
    scale = 0.1 + 0.4 * np.abs(X[:, 0]) if kind == "growing" else np.full(len(X), 0.4)
    noise = (
        rng.exponential(size=len(X)) if kind == "skewed" else rng.normal(size=len(X))
    )
    y = np.sin(2 * X[:, 0]) + X[:, 1] + scale * noise
    return (X[:n], y[:n]), (X[n:], y[n:]), scale[n:]


def coverage_of(model, kind, n, n_tables):
    """Return the shares below and above the bounds, and that within by the noise."""
    outside, by_noise = [], []
    for seed in range(n_tables):
        train, (Z, new), scale = noisy(kind, n, seed)
        lower, upper = clone(model).fit(*train).prediction_interval(Z)
        outside.append([np.mean(new < lower), np.mean(new > upper)])
        thirds = np.array_split(np.argsort(scale, kind="stable"), 3)
        inside = (lower <= new) & (new <= upper)
        by_noise.append([inside[third].mean() for third in thirds])
    return *np.mean(outside, axis=0), np.mean(by_noise, axis=0)


# Bounds by hand.


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", GIVEN, ids=str)
def test_bounds_are_ranks_of_the_errors_of_refits(model, weighted):
    """With fewer than 40 rows no scale is local, so that all is by hand."""
    X, y, weight = small_table()
    if not weighted:
        weight = np.ones(len(y))
    errors = np.empty(len(y))
    for i in range(len(y)):
        others = np.flatnonzero((X[:, 0] != X[i, 0]) | (y != y[i]))
        refit = clone(model).fit(X[others], y[others], sample_weight=weight[others])
        errors[i] = y[i] - refit.predict(X[i : i + 1])[0]
    sizes = np.abs(errors)
    scale = (weight @ sizes - weight * sizes) / (weight.sum() - weight)
    relative = sizes / scale  # the second scale, by the rows around, is also of all
    rest = (weight @ relative - weight * relative) / (weight.sum() - weight)
    scores = errors / scale / rest
    of_query = weight @ sizes / weight.sum() * (weight @ relative / weight.sum())
    model = clone(model).fit(X, y, sample_weight=weight)
    Z = np.linspace(-2, 2, 7)[:, None]
    lower, upper = model.prediction_interval(Z, 0.8)
    ranks = 0.9 * (weight.sum() + np.median(weight)) - 1e-9
    ascending = np.argsort(scores)
    reached = np.cumsum(weight[ascending])
    highest = scores[ascending][np.searchsorted(reached, ranks)]
    assert_allclose(upper, model.predict(Z) + of_query * highest, rtol=1e-9)
    reached = np.cumsum(weight[ascending[::-1]])
    lowest = scores[ascending[::-1]][np.searchsorted(reached, ranks)]
    assert_allclose(lower, model.predict(Z) + of_query * lowest, rtol=1e-9)


def test_weights_are_repetition():
    (X, y), _, _ = noisy("growing", 60, 0)
    rows = np.repeat(np.arange(60), 2)
    model = LocallyWeightedRegressor(1, n_neighbors=24, scale=None, ridge=0.01)
    weighted = clone(model).fit(X, y, sample_weight=np.full(60, 2.0))
    repeated = clone(model).fit(X[rows], y[rows])
    for coverage in (0.6, 0.9):
        assert_allclose(
            weighted.prediction_interval(X, coverage),
            repeated.prediction_interval(X, coverage),
            rtol=1e-9,
        )


@pytest.mark.parametrize("stacked", [False, True])
def test_rows_of_equal_predictions_are_no_copies(stacked):
    # Trees predict a few numbers, so that equal predictions are no sign of chance.
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(40, 2)), rng.integers(1, 4, 40)
    y = np.round(X[:, 0] + rng.normal(size=40))
    model = MyAdaBoostRegressor(3)
    if stacked:
        model = BayesianStackingRegressor([("trees", model)])
    weighted = clone(model).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(40), weight)
    repeated = clone(model).fit(X[rows], y[rows])
    assert_allclose(
        weighted.prediction_interval(X, 0.8), repeated.prediction_interval(X, 0.8)
    )


def test_the_order_of_rows_does_not_matter():
    (X, y), (Z, _), _ = noisy("growing", 150, 0)
    order = np.random.default_rng(1).permutation(150)
    model = ShepardKNNRegressor(5, power=1, metric="euclidean")
    lower, upper = clone(model).fit(X, y).prediction_interval(Z)
    other = clone(model).fit(X[order], y[order]).prediction_interval(Z)
    assert_allclose((lower, upper), other, rtol=1e-9)


def test_a_rank_beyond_the_rows_is_infinite():
    scores = ScoreDistribution(np.arange(9.0), np.ones(9))
    assert [scores.bound(c) for c in (0.1, 0.11, 0.9, 0.91)] == [0.0, 1.0, 8.0, np.inf]
    X, y, _ = small_table(12)
    model = ShepardKNNRegressor(2, power=1, metric="euclidean").fit(X, y)
    lower, upper = model.prediction_interval(X, 0.99)
    assert np.all(np.isinf([lower, upper]))
    lower, upper = model.prediction_interval(X, 0.99, bounds=(0, 3))
    assert_array_equal((lower, upper), np.tile([[0.0], [3.0]], 12))


def test_targets_without_noise_have_bounds_without_width():
    X = np.linspace(0, 1, 50)[:, None]
    model = LocallyWeightedRegressor(1, n_neighbors=9, scale=None, ridge=0.0)
    lower, upper = model.fit(X, np.ones(50)).prediction_interval(X)
    assert_allclose((lower, upper), np.ones((2, 50)), atol=1e-12)


@pytest.mark.parametrize("model", [DEFAULTS[0], DEFAULTS[1], DEFAULTS[2]], ids=str)
def test_outputs_have_their_own_bounds(model):
    (X, y), (Z, _), _ = noisy("growing", 120, 0)
    Y = np.column_stack([y, 10 * y])
    lower, upper = clone(model).fit(X, Y).prediction_interval(Z)
    assert lower.shape == upper.shape == (500, 2)
    assert_allclose(lower[:, 1], 10 * lower[:, 0], rtol=1e-6)
    found = clone(model).fit(X, Y).predict_quantile(Z, [0.1, 0.5])
    assert found.shape == (500, 2, 2)


# Coverage.


@pytest.mark.parametrize("model", DEFAULTS, ids=lambda one: type(one).__name__)
def test_coverage_of_forty_rows(model):
    """Though parameters are chosen by the same rows; the standard error is .011."""
    below, above, _ = coverage_of(model, "equal", 40, 30)
    assert 1 - below - above == pytest.approx(0.9, abs=0.035)


@pytest.mark.parametrize("model", DEFAULTS[:4], ids=lambda one: type(one).__name__)
def test_bounds_are_wide_where_the_noise_is(model):
    """Bounds of one width would hold .99 of the least noisy third, .78 of the most."""
    below, above, by_noise = coverage_of(model, "growing", 400, 5)
    assert 1 - below - above == pytest.approx(0.9, abs=0.03)
    assert by_noise.min() > 0.82


@pytest.mark.parametrize("model", DEFAULTS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("n_values", [1, 6])
def test_bounds_are_no_narrower_where_left_out_predictions_tell_the_errors(
    model, n_values
):
    # Rows of equal cells are predicted by the mean of the others: it is the lower, the
    # higher their own target is.
    inside = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(620, 2))
        X[:, 0] = rng.integers(n_values, size=620)
        X[:, 1] *= n_values == 1
        y = X[:, 0] + rng.normal(size=620)
        model = clone(model).fit(X[:120], y[:120])
        lower, upper = model.prediction_interval(X[120:])
        inside.append((lower <= y[120:]) & (y[120:] <= upper))
    assert np.mean(inside) > 0.82


def test_skewed_noise_is_missed_on_both_sides():
    below, above, _ = coverage_of(LocallyWeightedRegressor(), "skewed", 300, 5)
    assert 1 - below - above == pytest.approx(0.9, abs=0.03)
    assert below == pytest.approx(0.05, abs=0.03)
    assert above == pytest.approx(0.05, abs=0.03)


@pytest.mark.parametrize("model", DEFAULTS[1:4], ids=lambda one: type(one).__name__)
def test_bounds_of_nearly_constant_targets_hold_the_prediction(model):
    # A row in 50 has a 1: without any other row the mean is farther from its 0 than the
    # mean of all, so that bounds by these errors alone lie below all zeros.
    X = np.random.default_rng(0).normal(size=(600, 4))
    y = np.where(np.arange(600) % 50 == 0, 1.0, 0.0)
    fitted = clone(model).fit(X[:300], y[:300])
    lower, upper = fitted.prediction_interval(X[300:])
    predictions = fitted.predict(X[300:])
    assert np.all((lower <= predictions) & (predictions <= upper))
    assert np.mean((lower <= y[300:]) & (y[300:] <= upper)) > 0.85


def test_copies_do_not_narrow_the_bounds():
    (X, y), (Z, _), _ = noisy("equal", 100, 0)
    twice = np.repeat(np.arange(100), 2)
    widths = []
    for rows in (np.arange(100), twice):
        lower, upper = (
            ShepardKNNRegressor().fit(X[rows], y[rows]).prediction_interval(Z)
        )
        widths.append(np.mean(upper - lower))
    assert widths[1] == pytest.approx(widths[0], rel=0.03)


@pytest.mark.parametrize("model", DEFAULTS[:2], ids=lambda one: type(one).__name__)
def test_quantiles_are_exceeded_as_often_as_they_say(model):
    (X, y), (Z, new), _ = noisy("growing", 500, 0)
    q = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    found = clone(model).fit(X, y).predict_quantile(Z, q)
    assert np.all(np.diff(found, axis=1) >= 0)
    assert_allclose(np.mean(new[:, None] <= found, axis=0), q, atol=0.05)
    assert_array_equal(clone(model).fit(X, y).predict_quantile(Z, 0.25), found[:, 1])


# The choice of parameters.


def test_the_inflation_is_that_of_choices_by_other_groups():
    losses = np.random.default_rng(0).exponential(size=(7, 60))
    weight = np.random.default_rng(1).uniform(size=60)
    groups = loss_groups(losses)
    assert set(np.bincount(groups)) == {6}
    chosen, product = np.argmin(losses @ weight), 1.0
    for g in range(10):
        others, here = groups != g, groups == g
        best = np.argmin(losses[:, others] @ weight[others])
        sizes = np.sqrt(losses[[best, chosen]])[:, here]
        honest, errors = sizes @ weight[here]
        product *= honest / errors
    found = choice_inflation(group_sums(losses, weight, groups))
    assert found == pytest.approx(product**0.1)
    assert choice_inflation(np.zeros((2, 2, 10))) == 1.0
    assert choice_inflation(np.full((2, 2, 10), np.inf)) == 1.0
    # Sums that overflow say nothing, without a warning.
    assert choice_inflation(group_sums(losses, weight * 1e308, groups)) == 1.0


def test_one_wild_row_does_not_widen_the_bounds_of_all():
    # The last group would be predicted by the second candidate, a thousand times worse.
    sums = np.ones((2, 10))
    sums[0, :-1] = 1.01
    sums[1, -1] = 1e6
    assert 1 < choice_inflation(np.stack([sums, np.sqrt(sums)], axis=1)) < 2.01


# Sets.


def labelled(n, seed=0, n_classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_classes)) + 1.3 * np.eye(n_classes)[y]
    return X, np.array(list("abcdefgh"))[y]


@pytest.mark.parametrize("method", ["adaptive", "least_ambiguous"])
@pytest.mark.parametrize("class_conditional", [False, True])
@pytest.mark.parametrize("copied", [False, True])
def test_sets_are_ranks_of_left_out_scores(method, class_conditional, copied):
    """Copies are one row of their weight; a new row weighs as much as the median."""
    X, y = labelled(80)
    rng = np.random.default_rng(1)
    times = rng.integers(1, 6, 80) if copied else np.ones(80, dtype=int)
    model = MEstimateNB(2.0, distribution="gaussian", feature_weights=None)
    model.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    left_out = model.predict_proba(None)[np.cumsum(times) - 1]
    found = model.predict_proba(X)

    def scores(row):
        if method == "least_ambiguous":
            return row
        return np.array([row[row < p].sum() + p / 2 for p in row])

    true = np.array(
        [scores(row)[c] for row, c in zip(left_out, np.searchsorted(list("abcd"), y))]
    )
    expected = np.empty(found.shape, dtype=bool)
    for c, label in enumerate("abcd"):
        of_class = np.flatnonzero(y == label) if class_conditional else np.arange(80)
        weight = times[of_class]
        rank = int(np.ceil(0.8 * (weight.sum() + np.median(weight)) - 1e-9))
        scores_of_class = np.repeat(true[of_class], weight)
        threshold = np.sort(scores_of_class)[::-1][rank - 1]
        expected[:, c] = [scores(row)[c] >= threshold for row in found]
    if method == "adaptive":
        expected[np.arange(80), found.argmax(axis=1)] = True
    sets = model.prediction_set(X, 0.8, method, class_conditional=class_conditional)
    assert_array_equal(sets, expected)


def assert_sets_of_weights_are_those_of_repetition(model, X, y, new):
    rng = np.random.default_rng(0)
    for weight in (np.full(len(y), 5), rng.integers(1, 4, len(y))):
        rows = rng.permutation(np.repeat(np.arange(len(y)), weight))
        weighted = clone(model).fit(X, y, sample_weight=weight)
        repeated = clone(model).fit(X[rows], y[rows])
        for method in ("adaptive", "least_ambiguous"):
            for by_class in (False, True):
                sets = [
                    one.prediction_set(new, 0.8, method, class_conditional=by_class)
                    for one in (weighted, repeated)
                ]
                assert_array_equal(*sets)
        assert 0.3 < sets[0].mean() < 0.95


@pytest.mark.parametrize(
    "model",
    [
        *CLASSIFIERS,
        BayesianStackingClassifier(
            [("bayes", MEstimateNB()), ("rbf", RBFNetworkClassifier())]
        ),
    ],
    ids=lambda one: type(one).__name__,
)
def test_of_sets_weights_are_repetition(model):
    X, y = labelled(460)
    assert_sets_of_weights_are_those_of_repetition(model, X[:60], y[:60], X[60:])


def test_of_sets_for_documents_weights_are_repetition():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=160)
    counts = rng.poisson(1 + np.eye(2)[y][:, [0, 0, 0, 1, 1, 1]])
    counts[:, [0, 3]] += 1  # copies of one word are not one document
    texts = np.array([" ".join(np.repeat(list("abcdef"), row)) for row in counts])
    for model, X in ((TextNB(), counts), (LanguageModelNB(), texts)):
        assert_sets_of_weights_are_those_of_repetition(model, X[:60], y[:60], X[60:])


def test_rows_of_symbols_that_are_equal_by_chance_are_several_in_sets():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (60, 2))
    y = codes[:, 0] ^ (rng.random(60) < 0.2)
    frame = pd.DataFrame(codes, columns=["a", "b"]).astype(str)
    model = MEstimateNB(2.0, distribution="categorical", feature_weights=None)
    model.fit(frame, y)
    true = np.sort(model.predict_proba(None)[np.arange(60), y])[::-1]
    for coverage in (0.7, 0.8, 0.9):
        threshold = true[int(np.ceil(coverage * 61)) - 1]
        assert_array_equal(
            model.prediction_set(frame, coverage, "least_ambiguous"),
            model.predict_proba(frame) >= threshold,
        )


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_sets_hold_the_true_class(model):
    """The standard error of a mean of five tables is .012."""
    held = {"adaptive": [], "least_ambiguous": []}
    for seed in range(5):
        X, y = labelled(900, seed)
        fitted = clone(model).fit(X[:300], y[:300])
        columns = np.searchsorted(fitted.classes_, y[300:])
        for method, shares in held.items():
            sets = fitted.prediction_set(X[300:], 0.9, method)
            shares.append(sets[np.arange(600), columns].mean())
            assert sets.sum(axis=1).min() >= (method == "adaptive")
    for shares in held.values():
        assert np.mean(shares) == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize("scores", [[0, 1, 2, 3, 4], [1, 1, 1, 1], [0, 0, 1, 3, 3, 3]])
@pytest.mark.parametrize("coverage", [0.3, 0.5, 0.8])
def test_random_shares_make_the_probability_exact(scores, coverage):
    """Any of the rows may be the new one; its share is uniform, and small ones hold."""
    n, shares = len(scores), (np.arange(1000) + 0.5) / 1000
    held = [
        ScoreDistribution(np.delete(np.array(scores), i), np.ones(n - 1)).are_within(
            coverage, np.full(1000, scores[i]), shares
        )
        for i in range(n)
    ]
    assert np.mean(held) == pytest.approx(coverage, abs=1e-3)


def test_random_adaptive_sets_have_the_coverage_where_classes_are_certain():
    """Half a dozen tables of 900 new rows: the standard error is .008."""
    rng, shares = np.random.default_rng(0), {False: [], True: []}
    for seed in range(6):
        codes = rng.integers(0, 3, (1200, 2))
        y = (codes.sum(axis=1) + (rng.random(1200) < 0.2)) % 3
        frame = pd.DataFrame(codes, columns=["a", "b"]).astype(str)
        model = AODEClassifier().fit(frame[:300], y[:300])
        for randomize, held in shares.items():
            options = {"randomize": randomize, "random_state": seed}
            sets = model.prediction_set(frame[300:], 0.7, **options)
            held.append(sets[np.arange(900), y[300:]].mean())
            again = model.prediction_set(frame[300:], 0.7, **options)
            assert_array_equal(sets, again)
    assert np.mean(shares[True]) == pytest.approx(0.7, abs=0.03)
    assert np.mean(shares[False]) > 0.77


def test_random_sets_of_few_rows_have_the_coverage():
    """Eight rows do not suffice for sets of coverage .9 without chance: all classes."""
    rng, held = np.random.default_rng(0), []
    for seed in range(150):
        y = np.r_[0, 1, rng.integers(0, 2, 56)]
        X = rng.normal(size=(58, 1)) + y[:, None]
        model = MEstimateNB(1.0, distribution="gaussian", feature_weights=None)
        model.fit(X[:8], y[:8])
        assert model.prediction_set(X, method="least_ambiguous").all()
        sets = model.prediction_set(X[8:], randomize=True, random_state=seed)
        held.append(sets[np.arange(50), y[8:]].mean())
    assert np.mean(held) == pytest.approx(0.9, abs=0.04)


def test_chance_only_takes_classes_from_the_least_ambiguous_sets():
    """Probabilities are fifths, for new and for left-out rows."""
    X, y = labelled(400)
    model = ShepardKNN(5, weights="uniform", m=0).fit(X[:200], y[:200])
    X = X[200:]
    sets = model.prediction_set(X, method="least_ambiguous")
    drawn = [
        model.prediction_set(
            X, method="least_ambiguous", randomize=True, random_state=seed
        )
        for seed in range(20)
    ]
    assert (np.logical_or.reduce(drawn) <= sets).all()
    assert 0 < (sets ^ np.logical_and.reduce(drawn)).sum() < sets.sum() / 2


def test_rare_classes_are_in_all_sets():
    X, y = labelled(200)
    y[:5] = "z"
    model = ShepardKNN().fit(X, y)
    with pytest.warns(UserWarning, match=r"classes \['z'\] have too few rows"):
        sets = model.prediction_set(X, class_conditional=True)
    assert sets[:, -1].all()


def test_documents_have_sets():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=120)
    words = rng.poisson(1 + 2 * np.eye(2)[y])
    texts = [" ".join(rng.choice(list("aab" if c else "abb"), 5)) for c in y]
    models = TextNB(), words, LanguageModelNB(smoothing="witten_bell"), texts
    for model, X in zip(models[::2], models[1::2]):
        sets = model.fit(X, y).prediction_set(X)
        assert sets.shape == (120, 2)
        assert sets[np.arange(120), y].mean() > 0.85


def test_sets_follow_the_stored_cases():
    frame = pd.DataFrame({"a": list("uvw") * 40, "b": list("xxyy") * 30})
    y = np.where(frame["a"] == "u", "yes", "no")
    model = CaseBasedClassifier().fit(frame, y)
    before = model.prediction_set(frame)
    model.retain(frame[:30], np.where(y[:30] == "no", "yes", "no"))
    assert model.prediction_set(frame).sum() > before.sum()


# Errors, and what is kept.


def test_what_is_wrong_is_said():
    X, y, _ = small_table()
    model = ShepardKNNRegressor().fit(X, y)
    for coverage in (0, 1, 90, "a"):
        with pytest.raises(ValueError, match="coverage must lie between 0 and 1"):
            model.prediction_interval(X, coverage)
    with pytest.raises(TypeError, match="'alpha' is 'coverage' here"):
        model.prediction_interval(X, alpha=0.1)
    with pytest.raises(ValueError, match="q must be one or several numbers"):
        model.predict_quantile(X, 1.5)
    local = LocallyWeightedRegressor().fit(X, y)
    with pytest.raises(
        ValueError, match="method must be 'jackknife', 'jackknife\\+' or 'normal'"
    ):
        local.prediction_interval(X, method="plus")
    bounds = [(5, 0), (1, 1), (0, np.nan), (0,), (0, 1, 2), 3, "ab", [(0, 1), (0, 2)]]
    for given in bounds:
        for method in ("jackknife", "jackknife+", "normal"):
            with pytest.raises(ValueError, match="bounds must be"):
                local.prediction_interval(X[:2], method=method, bounds=given)
    X, y = labelled(40)
    saved = pickle.loads(pickle.dumps(MEstimateNB().fit(X, y)))
    with pytest.raises(ValueError, match="is saved once one was called"):
        saved.prediction_set(X)
    with pytest.raises(TypeError, match="'alpha' is 'coverage' here"):
        MEstimateNB().fit(X, y).prediction_set(X, alpha=0.1)
    with pytest.raises(ValueError, match="method must be 'adaptive'"):
        MEstimateNB().fit(X, y).prediction_set(X, method="lac")
    boosting = pickle.loads(pickle.dumps(MyAdaBoost().fit(X, y)))
    with pytest.raises(ValueError, match="which a saved model, one of a single row"):
        boosting.prediction_set(X)


@pytest.mark.parametrize("model", DEFAULTS, ids=lambda one: type(one).__name__)
def test_saved_models_have_intervals_if_they_were_computed(model):
    (X, y), (Z, _), _ = noisy("equal", 60, 0)
    model = clone(model).fit(X, y)
    bounds = model.prediction_interval(Z)
    assert_array_equal(pickle.loads(pickle.dumps(model)).prediction_interval(Z), bounds)
    # A new fit has new errors.
    wide = model.fit(X, 5 * y).prediction_interval(Z)
    assert np.mean(wide[1] - wide[0]) > 3 * np.mean(bounds[1] - bounds[0])
