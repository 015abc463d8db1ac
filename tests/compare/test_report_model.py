"""What the report shows of the best model, against refits and counts by hand.

Code under test: `compare/_report/_model.py`, `compare/_report/_model_sections.py`,
`compare/_report/_model_terms.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._registry import learners_for
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._report import _model, _model_sections, _model_terms
from sklearn_bayeslazy.compare._report._page import render
from tests.helpers.html_checker import check
from tests.helpers.sentences import sentences


@pytest.fixture
def compared(write_table):
    """Return a function that compares one learner on a table."""

    def run(name, header, rows, **options):
        table = read_dataset(write_table(header, rows), **options)
        (learner,) = learners_for(table, [name])
        comparison = compare(table, [learner], n_folds=2)
        assert comparison.winner is not None, comparison.outcomes[0].failure
        return comparison

    return run


def categories(n=120):
    """Return rows of a telling category, noise, a number, a constant and the class."""
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b"], n)
    telling = np.where(rng.random(n) < 0.9, y, np.where(y == "a", "b", "a"))
    x = rng.normal(size=n).round(3) + 2 * (y == "b")
    return ["c", "noise", "x", "const", "y"], list(
        zip(np.char.upper(telling), rng.choice(["u", "v"], n), x, ["k"] * n, y)
    )


def curve(n=80):
    """Return rows of two numbers and noise, with 3 x0 - x1 as the target."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3)).round(3)
    return ["x0", "x1", "noise", "y"], np.c_[X, 3 * X[:, 0] - X[:, 1]].tolist()


def test_the_telling_columns_are_important(compared):
    found = _model.importances(compared("MEstimateNB, classical", *categories()))
    assert {one.name for one in found[:2]} == {"c", "x"}
    assert found[2].name == "noise"
    found = _model.importances(compared("Ridge", *curve()))
    assert [one.name for one in found] == ["x0", "x1", "noise"]


def test_an_outlier_of_the_target_does_not_hide_the_importances(compared):
    header, rows = curve()
    names = ["x0", "x1", "noise"]
    comparison = compared("Ridge", header, rows)
    i = comparison.test[0]
    comparison.table.y[i] = 1e9
    found = _model.importances(comparison)
    assert [one.name for one in found] == names
    # Shuffling x0 changes 3 x0 by 6 / √π = 3.4 on average.
    assert 2 < found[0].mean < 5


@pytest.mark.parametrize(
    ("kind", "cells", "expected"),
    [
        ("number", [1.0, 5.0, np.nan, 3.0], 3.0),
        ("category", ["u", "v", "v", np.nan], "v"),
        ("date", ["2024-03-01", "2023-01-01", "2024-01-01"], "2024-01-01"),
        ("text", ["some words", "other words"], np.nan),
        ("category", [np.nan, np.nan], np.nan),
    ],
)
def test_typical_cells(kind, cells, expected):
    found = _model._typical(np.array(cells, dtype=object), kind)
    assert found == expected or (found != found and expected != expected)


@pytest.mark.parametrize(
    ("value", "largest", "text"),
    [
        (0.0123, 0.5, "0.012"),
        (-0.0001, 0.5, "0.000"),
        (1234.5, 9000, "1234"),
        (0.00042, 0.001, "0.00042"),
    ],
)
def test_changes_have_the_decimals_of_the_largest(value, largest, text):
    assert _model_sections.format_change(value, largest) == text


def test_effects_are_differences_to_the_prediction_with_the_typical_cell(compared):
    comparison = compared("Ridge", *curve())
    held_out, table = comparison.held_out, comparison.table
    medians = np.median(table.X[comparison.train], axis=0)
    explained = _model.explained_rows(comparison)
    errors = np.abs(held_out.y - held_out.predicted)
    chosen = [held_out.predicted.argmax(), held_out.predicted.argmin(), errors.argmax()]
    assert len(explained) == 3
    for one, i in zip(explained, chosen):
        row = table.X[held_out.rows[i]]
        assert one.true == held_out.y[i]
        for name, cell, typical, effect in one.effects:
            j = ["x0", "x1", "noise"].index(name)
            changed = row.copy()
            changed[j] = medians[j]
            difference = np.subtract(*comparison.pipeline.predict([row, changed]))
            assert (cell, typical) == (row[j], medians[j])
            assert effect == pytest.approx(difference, rel=1e-9, abs=1e-9)


def test_effects_on_a_class_are_differences_of_log_odds(compared):
    comparison = compared("MEstimateNB, classical", *categories())
    one = _model.explained_rows(comparison)[0]
    model = comparison.pipeline[-1]
    # In naive Bayes with two classes the log odds are a sum over the columns.
    j = model.classes_.tolist().index(one.predicted)
    log_prob = model.feature_log_prob_[0]
    values = model.categories_[0].tolist()
    (effect,) = [one for one in one.effects if one[0] == "c"]
    new, old = (log_prob[:, values.index(value)] for value in effect[1:3])
    assert effect[3] == pytest.approx(new[j] - new[1 - j] - old[j] + old[1 - j])


def test_calibration_counts_right_predictions(compared):
    comparison = compared("MEstimateNB, classical", *categories())
    held_out = comparison.held_out
    bins = _model.calibration(comparison)
    assert sum(n for _, _, n, _, _ in bins) == len(held_out.y)
    for low, high, n, mean, right in bins:
        p = held_out.proba.max(axis=1)
        inside = (p >= low) & ((p < high) | (high == 1))
        assert n == inside.sum()
        assert mean == pytest.approx(p[inside].mean())
        share = np.mean(held_out.predicted[inside] == held_out.y[inside])
        assert right == pytest.approx(share)


def test_likelihoods_of_naive_bayes_are_shares_of_the_training_rows(compared):
    comparison = compared("MEstimateNB, classical", *categories())
    terms, *likelihoods = _model_terms.views_of_winner(comparison)
    assert [row[0] for row in terms.rows][2] == "noise"
    (view,) = [view for view in likelihoods if view.title == "c"]
    assert view.header == ["value", "a", "b"]
    X, y = comparison.table.X[comparison.train], comparison.table.y[comparison.train]
    for value, *cells in view.rows:
        for label, cell in zip("ab", cells):
            n = (y == label).sum()
            share = ((X[y == label, 0] == value).sum() + 0.5) / (n + 1)  # m = 1
            assert float(cell) == pytest.approx(100 * share, abs=0.051)
    (view,) = [view for view in likelihoods if view.title == "x"]
    mean = X[y == "b", 2].astype(float).mean()
    assert view.rows[1][0] == "b"
    assert float(view.rows[1][1].split(" ")[0]) == pytest.approx(mean, abs=0.1)


def test_arcs_of_a_naive_network_start_at_the_class(compared):
    comparison = compared("BeliefNetworkClassifier, naive", *categories())
    (view,) = _model_terms.views_of_winner(comparison)
    assert {(row[0], row[1]) for row in view.rows} == {
        ("y", "c"),
        ("y", "noise"),
        ("y", "x"),
    }
    information = [float(row[2]) for row in view.rows]
    assert information == sorted(information, reverse=True)


def test_coefficients_of_a_linear_model(compared):
    (view,) = _model_terms.views_of_winner(compared("Ridge", *curve()))
    assert [row[0] for row in view.rows] == ["x0", "x1", "noise"]
    assert view.rows[0][1].startswith("+")
    assert view.rows[1][1].startswith("-")
    assert view.shares[0] == 1


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("ShepardKNN, loo", "Stretch of the axes"),
        ("RandomForestClassifier", "Importances in the trees"),
        ("HypothesisClassifier", "Posterior of the hypotheses"),
    ],
)
def test_views_of_other_learners(compared, name, title):
    header, rows = categories(60)
    views = _model_terms.views_of_winner(compared(name, header, rows))
    assert views[0].title == title
    for view in views:
        assert all(len(row) == len(view.header) for row in view.rows)


def test_words_of_each_class(compared):
    rows = [
        [text, "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    (view,) = _model_terms.views_of_winner(
        compared("MultinomialNB", ["note", "t"], rows)
    )
    assert [row[0] for row in view.rows] == ["x", "y"]
    assert view.rows[0][1].startswith("great")
    assert view.rows[1][1].startswith("boring")


def test_a_section_that_fails_leaves_the_others(compared, monkeypatch):
    comparison = compared("CategoricalNB", *categories(60))
    monkeypatch.setattr(_model, "calibration", lambda comparison: 1 / 0)
    text = " ".join(check(render(comparison)).text)
    assert "It cannot be shown: ZeroDivisionError" in text
    assert "Three rows explained" in text
