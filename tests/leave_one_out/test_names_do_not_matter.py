"""No choice depends on spelling, on the order of columns, or on constant columns."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from sklearn_bayeslazy import (
    AODEClassifier,
    BayesianStackingClassifier,
    BeliefNetwork,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    CaseBasedRegressor,
    HypothesisClassifier,
    LocallyWeightedRegressor,
    MEstimateNB,
    MyAdaBoost,
    MyAdaBoostRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    ShepardKNN,
    ShepardKNNRegressor,
)
from sklearn_bayeslazy.leave_one_out import fold_keys, table_fold_keys
from sklearn_bayeslazy.tabular import read_table

ESTIMATORS = {
    kind: kind()
    for kind in (
        AODEClassifier,
        BeliefNetworkClassifier,
        CaseBasedClassifier,
        CaseBasedRegressor,
        LocallyWeightedRegressor,
        MEstimateNB,
        ShepardKNN,
        ShepardKNNRegressor,
    )
} | {
    kind: kind(random_state=0)
    for kind in (
        MyAdaBoost,
        MyAdaBoostRegressor,
        RBFNetworkClassifier,
        RBFNetworkRegressor,
    )
}
N_TRAIN, N_ROWS = 195, 260


def draw():
    """Return codes of two columns of symbols, two of numbers, and a target."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, N_ROWS), rng.integers(0, 3, N_ROWS)
    x, z = rng.normal(size=(2, N_ROWS))
    return a, b, x, z, x + a % 2 + rng.normal(0, 0.7, N_ROWS)


def renamed(seed):
    """Return the table with other names of the categories, and columns in disorder."""
    a, b, x, z, _ = draw()
    rng = np.random.default_rng(seed)
    columns = {
        "a": rng.permutation(np.array(list("abcd"), object))[a],
        "b": rng.permutation(np.array(["yes", "no", "?!"], object))[b],
        "x": x,
        "z": z,
    }
    return pd.DataFrame({name: columns[name] for name in rng.permutation(list("abxz"))})


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_answers_do_not_depend_on_names_or_on_the_order_of_columns(kind):
    *_, y = draw()
    is_regressor = kind.__name__.endswith("Regressor")
    y = y if is_regressor else np.digitize(y, [-0.3, 1.0])
    answers = []
    for seed in range(20 if kind in (AODEClassifier, BeliefNetworkClassifier) else 6):
        X = renamed(seed)
        model = ESTIMATORS[kind].fit(X[:N_TRAIN], y[:N_TRAIN])
        new = X[N_TRAIN:]
        answers.append(model.predict(new) if is_regressor else model.predict_proba(new))
    for other in answers[1:]:
        assert_allclose(other, answers[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_column_of_equal_cells_changes_nothing(kind):
    *_, y = draw()
    is_regressor = kind.__name__.endswith("Regressor")
    y = y if is_regressor else np.digitize(y, [-0.3, 1.0])
    answers = []
    cells = [7.0, "z", np.nan]
    for X in (renamed(0), *(renamed(0).assign(constant=cell) for cell in cells)):
        model = ESTIMATORS[kind].fit(X[:N_TRAIN], y[:N_TRAIN])
        new = X[N_TRAIN:]
        answers.append(model.predict(new) if is_regressor else model.predict_proba(new))
    for cell, other in zip(cells, answers[1:]):
        message = f"with a column of {cell}"
        assert_allclose(other, answers[0], rtol=1e-9, atol=1e-9, err_msg=message)


def test_keys_of_folds_do_not_know_columns_of_equal_cells():
    rng = np.random.default_rng(0)
    X, classes = rng.integers(0, 3, (200, 4)).astype(float), rng.integers(0, 3, 200)
    expected = table_fold_keys(read_table(X), classes)
    for cell in (0.0, 5.0, np.nan):
        wide = np.insert(X, 2, cell, axis=1)
        for rows in (wide, csr_array(wide)):
            assert_array_equal(table_fold_keys(read_table(rows), classes), expected)


@pytest.mark.parametrize("kind", [k for k in ESTIMATORS if is_classifier(k())])
def test_answers_do_not_depend_on_the_names_of_the_classes(kind):
    *_, y = draw()
    X, y = renamed(0), np.digitize(y, [-0.3, 1.0])
    X, new = X[:N_TRAIN], X[N_TRAIN:]
    expected = ESTIMATORS[kind].fit(X, y[:N_TRAIN]).predict_proba(new)
    for names in ([2, 0, 1], [1, 2, 0], [0, 2, 1]):
        other = ESTIMATORS[kind].fit(X, np.array(names)[y[:N_TRAIN]])
        found = other.predict_proba(new)[:, names]
        assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


# Their folds are those of rows that the members are not fitted to.
MEMBERS = [
    ("bayes", GaussianNB()),
    ("linear", LogisticRegression()),
    ("constant", DummyClassifier()),
]
OF_FOLDS = {
    "stacking": BayesianStackingClassifier(MEMBERS),
    "hypotheses": HypothesisClassifier(MEMBERS, cv=5, noise=0.01),
    "early stopping": MyAdaBoost(algorithm="samme", n_iter_no_change=5),
}


@pytest.mark.parametrize("name", OF_FOLDS)
def test_folds_do_not_depend_on_the_order_of_columns_or_classes(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=150) > 0).astype(int)
    answers = []
    for order, sign in (([0, 1, 2, 3], 1), ([3, 1, 0, 2], 1), ([2, 3, 1, 0], -1)):
        model = clone(OF_FOLDS[name]).fit(X[:100, order], sign * y[:100])
        answers.append(model.predict_proba(X[100:, order])[:, ::sign])
    for other in answers[1:]:
        assert_allclose(other, answers[0], atol=1e-4)


@pytest.mark.parametrize("structure", ["tan", "fan", "chow_liu"])
def test_the_root_of_a_tree_is_no_matter_of_order(structure):
    *_, y = draw()
    y = np.digitize(y, [-0.3, 1.0])
    model = BeliefNetworkClassifier(structure)
    graphs = [set(model.fit(renamed(seed), y).structure_) for seed in range(8)]
    assert all(graph == graphs[0] for graph in graphs)


def test_arcs_of_equal_score_do_not_follow_the_order_of_columns():
    """BDeu scores both directions of many arcs the same."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.integers(0, 2, (40, 5)).astype(str), columns=list("abcde"))
        X["c"] = np.where(rng.random(40) < 0.8, X["a"], X["b"])
        one = BeliefNetwork().fit(X)
        order = rng.permutation(list("abcde"))
        other = BeliefNetwork().fit(X[order].replace({"0": "1", "1": "0"}))
        assert set(other.structure_) == set(one.structure_)


def test_keys_of_folds_know_values_by_their_counts_alone():
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(0, 5, (300, 3)), rng.integers(0, 3, 300)
    keys = fold_keys(codes, classes)
    assert len(np.unique(keys)) > 50
    names = rng.permutation(40)[: 5 * 3].reshape(3, 5)
    other = np.column_stack([names[j][codes[:, j]] for j in (2, 0, 1)])
    assert_array_equal(fold_keys(other, np.array([2, 0, 1])[classes]), keys)
    order = rng.permutation(300)
    assert_array_equal(fold_keys(codes[order], classes[order]), keys[order])
    # Equal rows share a fold, whatever their classes are.
    _, same = np.unique(codes, axis=0, return_inverse=True)
    assert len(set(zip(same.tolist(), keys.tolist()))) == same.max() + 1
