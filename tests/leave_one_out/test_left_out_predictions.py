"""X=None: each training row, predicted by the model without it, against n refits.

Code under test: `TrainingRowsMixin`, `leave_one_out/_folds.py`, `_left_out_joint` of
each family. Neighbours, cases and local regression have tests of their own.
"""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import log_loss

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    LanguageModelNB,
    LocallyWeightedRegressor,
    MEstimateNB,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    TextNB,
)
from sklearn_bayeslazy.leave_one_out._folds import folds, table_fold_keys
from sklearn_bayeslazy.tabular import read_table

N = 50
SYMBOLS = {"a": list("uvw"), "b": list("xyz"), "c": list("mn")}
GIVEN = {"categories": SYMBOLS}
ARCS = [("class", "a"), ("class", "b"), ("class", "c"), ("a", "c")]
# Nothing is chosen by y, so that a refit without the row is the whole truth.
ON_TABLES = [
    MEstimateNB(2.0, distribution="auto", feature_weights=None),
    MEstimateNB(0.5, distribution="auto", feature_weights=[1.0, 0.5, 0.0, 1.3]),
    MEstimateNB(0, distribution="auto", feature_weights=None, prior="marginal"),
    MEstimateNB(1, distribution="auto", feature_weights=None, class_prior=[0.3, 0.7]),
]
ON_SYMBOLS = [
    AODEClassifier(1.0, weights=None, n_bins=4, binning="quantile", **GIVEN),
    AODEClassifier(
        0.5, weights=None, min_count=9, n_bins=4, binning="quantile", **GIVEN
    ),
    BeliefNetworkClassifier("naive", m=2.0, prior="uniform", calibration=None, **GIVEN),
    BeliefNetworkClassifier(ARCS, m=1.0, prior="backoff", calibration=None, **GIVEN),
]
ON_COUNTS = [
    TextNB(1.5, temperature=1.0),
    TextNB(2.0, temperature=3.0, length_exponent=0.5),
    TextNB(1.0, temperature=1.0, event_model="bernoulli"),
    TextNB(1.0, temperature=1.0, event_model="poisson", prior="background"),
    TextNB(1.0, temperature=1.0, complement=True, norm=True),
    MEstimateNB(1.0, distribution="poisson", feature_weights=None),
]
ON_TEXTS = [
    LanguageModelNB(smoothing="witten_bell"),
    LanguageModelNB(smoothing="laplace", background=False),
    LanguageModelNB(
        smoothing="absolute_discount", smoothing_parameter=0.5, length_normalization=3.0
    ),
]
DEFAULTS = [
    MEstimateNB(),
    AODEClassifier(),
    BeliefNetworkClassifier(),
    RBFNetworkClassifier(),
]


def table(seed=0):
    """Return rows of three symbols and a number, some missing, and classes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(v, N) for name, v in SYMBOLS.items()})
    frame["x"] = rng.normal(size=N)
    score = (frame["a"] == "u") + (frame["b"] == "x") + frame["x"]
    y = np.where(score + 0.5 * rng.normal(size=N) > 0.7, "yes", "no")
    frame.loc[3, "x"] = np.nan
    frame.loc[[5, 9], "b"] = None
    return frame, y


def counts():
    """Return counts of words by document, no two rows equal, and classes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, N)
    rates = np.array([[2, 0.4, 1, 0.2], [0.2, 2, 1, 0.6], [0.8, 0.8, 0.2, 1.8]])
    return np.c_[rng.poisson(rates[y]), rng.permutation(N) + 1.0], y


def texts():
    _, y = counts()
    rng = np.random.default_rng(2)
    letters = [list("aaabc"), list("abbcd"), list("ccdde")]
    documents = [" ".join(rng.choice(letters[c], 12)) for c in y]
    assert len(set(documents)) == N, "copies would be left out together"
    return np.array(documents, object), y


def assert_like_refits(model, X, y, weight=None):
    """Compare the predictions of some left-out rows with those of refits."""
    model = clone(model).fit(X, y, sample_weight=weight)
    weight = np.ones(len(y)) if weight is None else weight
    proba, labels = model.predict_proba(None), model.predict(None)
    has_joint = not isinstance(model, BeliefNetworkClassifier)
    joint = model.predict_joint_log_proba(None) if has_joint else None
    kept = np.flatnonzero(weight)
    assert len(proba) == len(kept)
    for j, i in list(enumerate(kept))[::4]:
        row = X[i : i + 1]
        others = np.flatnonzero(np.where(np.arange(len(y)) == i, 0.0, weight))
        given = {}
        if isinstance(model, MEstimateNB) and hasattr(X, "columns"):
            given = {"categories": SYMBOLS}
        if isinstance(model, LanguageModelNB):
            given = {"vocabulary": list("abcde")}
        rest = X.iloc[others] if hasattr(X, "iloc") else X[others]
        refitted = clone(model).set_params(**given)
        refitted.fit(rest, y[others], sample_weight=weight[others])
        assert_allclose(proba[j], refitted.predict_proba(row)[0], rtol=0, atol=1e-12)
        assert labels[j] == refitted.predict(row)[0]
        if has_joint:
            expected = refitted.predict_joint_log_proba(row)[0]
            assert_allclose(joint[j], expected, rtol=1e-11, atol=1e-11)
    log_proba = model.predict_log_proba(None)
    assert_allclose(np.exp(log_proba), proba, rtol=1e-12)
    assert model.score(None, y) == np.mean(labels == y[kept])


def some_weights():
    weight = np.random.default_rng(3).uniform(0.5, 3, N)
    weight[[2, 11]] = 0.0
    return weight


@pytest.mark.parametrize("weight", [None, some_weights()], ids=["1", "w"])
@pytest.mark.parametrize("model", ON_TABLES, ids=str)
def test_naive_bayes_on_a_mixed_table(model, weight):
    assert_like_refits(model, *table(), weight)


@pytest.mark.parametrize("weight", [None, some_weights()], ids=["1", "w"])
@pytest.mark.parametrize("model", ON_SYMBOLS, ids=str)
def test_models_of_symbols(model, weight):
    X, y = table()
    assert_like_refits(model, X[list(SYMBOLS)], y, weight)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", ON_COUNTS, ids=str)
def test_counts(model, container):
    X, y = counts()
    assert_like_refits(model, container(X), y, some_weights())


@pytest.mark.parametrize("model", ON_TEXTS, ids=str)
def test_texts(model):
    model = clone(model).set_params(vocabulary=list("abcde"))
    assert_like_refits(model, *texts())


@pytest.mark.parametrize("ridge", [0.3, 0.0])
def test_radial_basis_functions(ridge):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(N, 2)), some_weights()
    y = np.sin(X[:, 0]) + X[:, 1]
    options = {"centers": X[:6], "width": 1.0, "scale": None, "ridge": ridge}
    for kind, targets in ((RBFNetworkRegressor, y), (RBFNetworkClassifier, y > 0)):
        model = kind(**options, feature_weights=None).fit(X, targets, weight)
        outputs = [model.predict(None)]
        if kind is RBFNetworkClassifier:
            outputs.append(model.decision_function(None))
        for j, i in list(enumerate(np.flatnonzero(weight)))[::5]:
            without = np.where(np.arange(N) == i, 0.0, weight)
            refitted = clone(model).fit(X, targets, without)
            assert outputs[0][j] == pytest.approx(refitted.predict(X[[i]])[0])
            if kind is RBFNetworkClassifier:
                expected = refitted.decision_function(X[[i]])[0]
                assert outputs[1][j] == pytest.approx(expected)
    # Centres at the rows: each row alone knows its basis function.
    X, targets = np.array([[0.0], [9.0], [20.0]]), np.array([1.0, 2.0, 6.0])
    options |= {"centers": X, "ridge": 0}
    model = RBFNetworkRegressor(**options).fit(X, targets)
    assert_allclose(model.predict(X), targets)
    # Without the row between them, the mean of 1 and 6; the others are held there.
    assert_allclose(model.predict(None), [2.0, 3.5, 2.0], atol=1e-6)


@pytest.mark.parametrize("model", [ON_COUNTS[0], ON_COUNTS[-1]], ids=str)
def test_copies_of_numbers_are_left_out_together(model):
    X, y = counts()
    longer = np.count_nonzero(X, axis=1) > 1  # equal documents of one word are several
    X, y = X[longer], y[longer]
    thrice = np.repeat(np.arange(len(y)), 3)
    kind = clone(model).set_params(m=0.0)  # virtual examples are not repeated
    once = kind.fit(X, y).predict_proba(None)
    assert_allclose(
        clone(kind).fit(X[thrice], y[thrice]).predict_proba(None), once[thrice]
    )


@pytest.mark.parametrize("kind", [MEstimateNB, AODEClassifier, BeliefNetworkClassifier])
def test_what_is_chosen_for_a_row_has_not_seen_it(kind):
    """Where nothing can be learnt, left-out rows look no better than new ones."""
    differences, by_heart = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (60, 25)).astype(str), rng.integers(0, 2, 60)
        new, targets = rng.integers(0, 2, (400, 25)).astype(str), np.arange(400) % 2
        model = kind().fit(X, y)
        held_out = log_loss(targets, model.predict_proba(new))
        differences.append(log_loss(y, model.predict_proba(None)) - held_out)
        by_heart.append(log_loss(y, model.predict_proba(X)))
    assert np.mean(by_heart) < 0.68  # what the rows themselves have chosen
    error = np.std(differences) / np.sqrt(len(differences))
    # With choices that have seen the row, the difference is -.05 or less.
    assert np.mean(differences) > -0.025 - error


def folds_without(key):
    return [(np.flatnonzero(fold), np.flatnonzero(~fold)) for fold in folds(key)]


def test_folds():
    key = np.array([5, 9, 5, 7, 1, 3], dtype=np.uint64)
    found = [(rows.tolist(), others.tolist()) for rows, others in folds_without(key)]
    assert found == [  # by the rank of the key, modulo 4
        ([1, 4], [0, 2, 3, 5]),
        ([5], [0, 1, 2, 3, 4]),
        ([0, 2], [1, 3, 4, 5]),
        ([3], [0, 1, 2, 4, 5]),
    ]
    assert [len(others) for _, others in folds_without(key * 0)] == [0]


def test_fold_keys_of_tables_know_no_names():
    X, y = table()
    classes = (y == "yes").astype(np.int32)
    key = table_fold_keys(read_table(X), classes)
    renamed = X.replace({"a": {"u": "zz", "w": "aa"}})[["x", "c", "b", "a"]]
    assert_array_equal(table_fold_keys(read_table(renamed), classes), key)
    assert_array_equal(table_fold_keys(read_table(X), 1 - classes), key)
    in_other_units = X.assign(x=X["x"] * 1.8 + 32)
    assert_array_equal(table_fold_keys(read_table(in_other_units), classes), key)
    rows, y = counts()
    key = table_fold_keys(read_table(sparse.csr_array(rows)), y)
    for same in (rows, rows.astype(np.float32), rows.astype(np.int64)):
        assert_array_equal(table_fold_keys(read_table(same), y), key)
    stored_zeros = sparse.csr_array(rows + 1.0)
    stored_zeros.data -= 1
    assert_array_equal(table_fold_keys(read_table(stored_zeros), y), key)
    signed = np.round(np.random.default_rng(0).normal(size=(N, 5)), 1)
    signed[:, 0] = np.abs(signed[:, 0]) + 0.1  # no zeros
    signed[:3, 1] = np.nan
    assert_array_equal(
        table_fold_keys(read_table(sparse.csr_array(signed)), y),
        table_fold_keys(read_table(signed), y),
    )
    permuted = sparse.csr_array(rows[:, ::-1])
    assert_array_equal(table_fold_keys(read_table(permuted), y), key)
    assert len(np.unique(key)) == N
    rows[1] = rows[0]
    key = table_fold_keys(read_table(sparse.csr_array(rows)), y * 0)
    assert key[0] == key[1] != key[2]


@pytest.mark.parametrize(("factor", "shift"), [(2.0, 0.0), (1.8, 32.0), (1e-3, -7.0)])
def test_networks_know_no_units(factor, shift):
    """The bins hold the same rows, so the probabilities are the same."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(80, 4)), 2)
    y = X[:, 0] + np.sin(2 * X[:, 1]) > 0
    queries = np.round(rng.normal(size=(25, 4)), 2) + 0.003
    model = BeliefNetworkClassifier("tan").fit(X, y)
    other = clone(model).fit(X * factor + shift, y)
    found = other.predict_proba(queries * factor + shift)
    assert_allclose(found, model.predict_proba(queries))
    assert_allclose(other.predict_proba(None), model.predict_proba(None))


@pytest.mark.parametrize("distribution", ["poisson", "bernoulli"])
@pytest.mark.parametrize("seed", range(4))
def test_choices_know_no_storage(distribution, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.poisson(1.0, (60, 20)), rng.integers(0, 3, 60)
    y = np.where(rng.random(60) < 0.35, np.minimum(X[:, 0], 2), y)
    dense = MEstimateNB(distribution=distribution).fit(X, y)
    stored = clone(dense).fit(sparse.csr_array(X), y)
    assert_allclose(stored.feature_weights_, dense.feature_weights_)
    assert_allclose(stored.predict_proba(None), dense.predict_proba(None))


@pytest.mark.parametrize("model", DEFAULTS, ids=str)
def test_defaults_know_neither_names_nor_order(model):
    X, y = table(7)
    proba = clone(model).fit(X, y).predict_proba(None)
    assert_allclose(proba.sum(axis=1), 1)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order, renamed = rng.permutation(N), X.copy()
        for name, values in SYMBOLS.items():
            new = dict(zip(values, rng.permutation(values)))
            renamed[name] = X[name].map(new)
        renamed = renamed[rng.permutation(X.columns)].iloc[order]
        other = clone(model).set_params(n_jobs=2).fit(renamed, y[order])
        assert_allclose(other.predict_proba(None), proba[order], atol=1e-9)


@pytest.mark.parametrize("model", [*DEFAULTS, TextNB()], ids=str)
def test_some_rows_choose_and_all_are_predicted(model):
    rng = np.random.default_rng(5)
    X, y = rng.poisson(2.0, (300, 4)) + rng.random((300, 1)), rng.integers(0, 2, 300)
    X[y == 1, 0] += 3
    model = clone(model).set_params(loo_max_samples=40, random_state=0).fit(X, y)
    proba = model.predict_proba(None)
    assert proba.shape == (300, 2)
    assert 0 < log_loss(y, proba) < 0.65
    assert model.score(None, y) > 0.7
    # The same object gives the same answers, in whatever order it is asked.
    assert_array_equal(model.predict_proba(None), proba)
    assert_array_equal(model.predict(None), model.classes_[proba.argmax(axis=1)])


def test_rows_are_not_part_of_the_model():
    X, y = table()
    for model in (MEstimateNB(), AODEClassifier(), BeliefNetworkClassifier()):
        model.fit(X, y)
        before = model.predict_proba(None)
        copy = pickle.loads(pickle.dumps(model))
        assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        with pytest.raises(ValueError, match="X=None predicts the rows of the last"):
            copy.predict_proba(None)
        with pytest.raises(ValueError, match="X=None predicts the rows of the last"):
            copy.score(None, y)
        with pytest.raises(ValueError, match="NaN"):  # a failed fit changes nothing
            model.fit(X, [*y[:-1], None])
        assert_array_equal(model.predict_proba(None), before)
        model.partial_fit(X[:10], y[:10])
        with pytest.raises(ValueError, match="partial_fit"):
            model.predict(None)
        model.fit(X, y).merge(copy)
        with pytest.raises(ValueError, match="merge"):
            model.predict_log_proba(None)
        model.fit(X, y).fit_blocks([(X, y)])
        with pytest.raises(ValueError, match="fit_blocks"):
            model.predict(None)


def test_what_cannot_leave_a_row_out_says_so():
    documents, y = texts()
    model = LanguageModelNB(smoothing="kneser_ney").fit(documents, y)
    with pytest.raises(ValueError, match="smoothing='kneser_ney', from whose counts"):
        model.predict_proba(None)
    X, y = table()
    model = BeliefNetworkClassifier(missing="expected").fit(X, y)
    with pytest.raises(ValueError, match="expected counts"):
        model.predict_proba(None)
    model = BeliefNetworkClassifier().fit(X, y)
    with pytest.raises(ValueError, match="use predict_proba"):
        model.predict_joint_log_proba(None)
    arcs = [("class", "c"), ("a", "c"), ("b", "c")]
    model = BeliefNetworkClassifier(arcs).fit(X, y)
    with pytest.raises(ValueError, match="consists of trees given the class"):
        model.predict_proba(None)
    model = RBFNetworkRegressor(1, overlap=1, ridge=1, feature_weights=None)
    with pytest.raises(ValueError, match="there are none"):
        model.fit([[1.0]], [2.0]).predict(None)


@pytest.mark.parametrize("model", DEFAULTS, ids=str)
def test_predictions_leave_the_model_as_it_is(model):
    X, y = table()
    model = clone(model).fit(X, y)
    model.predict_proba(X)  # looks up categories for the first time
    state = pickle.dumps(model)
    with ThreadPoolExecutor(3) as threads:
        given = [
            threads.submit(model.predict_proba, [None, X][i % 2]) for i in range(6)
        ]
    answers = [each.result() for each in given]
    assert pickle.dumps(model) == state
    for i, answer in enumerate(answers):
        assert_array_equal(answer, answers[i % 2])


CHANGED = [
    (BeliefNetworkClassifier("naive"), {"m": 50.0, "n_bins": 2, "calibration": None}),
    (BeliefNetworkClassifier(), {"prior": "marginal", "structure": "naive"}),
    (TextNB(), {"temperature": 3.0, "class_prior": [0.2, 0.3, 0.5]}),
    (TextNB(complement=True), {"fit_prior": False, "complement": False}),
    (LanguageModelNB(), {"smoothing": "laplace", "fit_prior": False}),
    (LocallyWeightedRegressor(), {"kernel": "uniform"}),
    (RBFNetworkRegressor(), {"ridge": 5.0, "scale": None, "feature_weights": None}),
]


@pytest.mark.parametrize(("model", "changed"), CHANGED)
def test_parameters_that_are_set_after_fit_change_nothing(model, changed):
    X, y = texts() if isinstance(model, LanguageModelNB) else counts()
    model = clone(model).fit(X, y)
    expected = model.predict(None), left_out_answers(model)
    model.set_params(**changed)
    assert_array_equal(model.predict(None), expected[0])
    assert_array_equal(left_out_answers(model), expected[1])
    for name, value in changed.items():
        assert getattr(model, name) == value


def left_out_answers(model):
    return getattr(model, "predict_proba", model.predict)(None)
