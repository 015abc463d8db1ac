"""Rows without a label: EM over the class, against enumeration."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from sklearn_bayeslazy import BeliefNetworkClassifier

X = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, 0], [1, 0], [1, 1], [0, 0]]).astype(
    str
)
Y = np.array(["a", "a", "b", "b", None, None, None, None], dtype=object)
EXACT = {"missing": "expected", "prior": "uniform", "tol": 1e-14, "max_iter": 5000}


def em_by_enumeration(X, y, weight, m, n_steps=3000):
    """Return P(c) and P(x_j | c) of naive Bayes after EM over the missing classes.

    All tables have the two values of a column, "0" and "1", and the classes "a", "b".
    """
    codes = X.astype(int)
    certain = np.array([[label == "a", label == "b"] for label in y], dtype=float)
    labelled = certain.sum(axis=1) > 0
    share = certain.copy()
    for _ in range(n_steps):
        n = weight @ share
        p = (n + m / 2) / (n.sum() + m)
        tables = []
        for column in codes.T:
            counts = np.array([weight * (column == v) @ share for v in (0, 1)]).T
            tables.append((counts + m / 2) / (counts.sum(axis=1, keepdims=True) + m))
        for row in np.flatnonzero(~labelled):
            joint = [
                p[c] * np.prod([t[c, v] for t, v in zip(tables, codes[row])])
                for c in (0, 1)
            ]
            share[row] = joint / np.sum(joint)
    return p, tables


@pytest.mark.parametrize("m", [0.5, 2.0])
def test_em_over_missing_classes_equals_enumeration(m):
    weight = np.array([1, 2, 1, 1, 3, 1, 2, 1])
    model = BeliefNetworkClassifier("naive", m=m, **EXACT)
    model.fit(X, Y, sample_weight=weight)
    p, tables = em_by_enumeration(X, Y, weight, m)
    assert model.classes_.tolist() == ["a", "b"]
    assert model.class_count_.tolist() == [3.0, 2.0]  # the rows with labels
    np.testing.assert_allclose(model.network_.tables[2], p, atol=1e-6)
    for table, expected in zip(model.network_.tables, tables):
        np.testing.assert_allclose(table, expected, atol=1e-6)
    repeated = BeliefNetworkClassifier("naive", m=m, **EXACT)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(
        repeated.predict_proba(X), model.predict_proba(X), atol=1e-9
    )


def test_labels_are_read_alike_whatever_marks_a_missing_one():
    number = np.array([0.0, 0, 1, 1, *[np.nan] * 4])
    as_none = np.array([0, 0, 1, 1, *[None] * 4], dtype=object)
    as_na = pd.Series([0, 0, 1, 1, *[pd.NA] * 4], dtype="Int64")
    expected = BeliefNetworkClassifier("naive", **EXACT).fit(X, Y).predict_proba(X)
    for y in (number, as_none, as_na, pd.Series(Y), pd.Categorical(Y)):
        model = BeliefNetworkClassifier("naive", **EXACT).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        assert len(model.classes_) == 2
        assert model.predict(X[:1])[0] == model.classes_[0]


def test_all_structures_and_bins_learn_from_unlabelled_rows():
    numbers, classes = load_iris(return_X_y=True)
    y = classes.astype(float)
    y[np.arange(150) % 5 > 0] = np.nan  # 30 labels remain
    for structure, score in [
        ("tan", "bdeu"),
        ("chow_liu", "bdeu"),
        ("k2", "bic"),
        ("hill_climbing", "loo"),
    ]:
        model = BeliefNetworkClassifier(
            structure,
            structure_score=score,
            missing="expected",
            max_parents=1,
            n_bins=3,
            max_iter=1000,
        ).fit(numbers, y)
        assert np.all(np.diff(model.objective_history_) >= -1e-8)
        assert model.class_count_.tolist() == [10.0, 10.0, 10.0]
        assert np.mean(model.predict(numbers) == classes) > 0.85
    mdlp = [
        BeliefNetworkClassifier("naive", binning="mdlp", m=1, **options).fit(*rows)
        for options, rows in [
            ({"missing": "expected"}, (numbers, y)),
            ({}, (numbers[::5], classes[::5])),
        ]
    ]
    for edges, others in zip(mdlp[0].bin_edges_, mdlp[1].bin_edges_):
        np.testing.assert_array_equal(edges, others)  # from the labelled rows


def test_labels_that_are_all_missing_or_not_allowed_raise_clear_errors():
    model = BeliefNetworkClassifier("naive", missing="expected").fit(X, Y)
    before = model.predict_proba(X)
    for y in (np.full(8, np.nan), np.full(8, None)):
        with pytest.raises(ValueError, match="at least one row needs a label"):
            model.fit(X, y)
    with pytest.raises(ValueError, match="at least one row needs a label"):
        model.fit(X, Y, sample_weight=[0, 0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match=r"4 rows without a label.*missing='expected'"):
        BeliefNetworkClassifier().fit(X, Y)
