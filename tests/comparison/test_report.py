"""The report: whole HTML, nothing from outside, nothing of the user's unescaped."""

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from sentences import sentences
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy._comparison import _plots, _yardsticks
from sklearn_bayeslazy._comparison._evaluate import Outcome, compare
from sklearn_bayeslazy._comparison._learners import OURS, Learner, suited
from sklearn_bayeslazy._comparison._report import render
from sklearn_bayeslazy._comparison._table import read_table

VOID = {"meta", "br", "link", "img", "input"}
EVIL = '<script>alert("1")</script> & $x_1$ \'"'


class Curved(DummyClassifier):
    """A learner that chose its m by leave-one-out."""

    def fit(self, X, y):
        self.loo_results_ = {
            "params": [{"m": 0.0}, {"m": 0.5}, {"m": 50.0}],
            "mean_log_loss": np.array([0.9, 0.5, 0.7]),
            "standard_error_log_loss": np.array([0.1, 0.1, 0.1]),
        }
        return super().fit(X, y)


class Checker(HTMLParser):
    """Collects elements, text and addresses; notes what is not closed in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text, self.addresses = [], set(), [], []
        self.names = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value)
            if name == "id":
                self.names.append(value)
            assert not name.startswith("on")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def check(page):
    """Assert that the page is whole and self-contained; return the parsed page."""
    checker = Checker(page)
    assert checker.open == []
    assert "script" not in checker.tags
    assert all(address.startswith("#") for address in checker.addresses)
    assert len(set(checker.names)) == len(checker.names)
    assert not re.search(r"@import|url\((?!#)", page)
    return checker


@pytest.fixture
def comparison(write_table, mixed_rows):
    table = read_table(write_table(["word", "number", "class"], mixed_rows))
    curved = Learner("curved", "classification", OURS, lambda table: Curved())
    learners = [*suited(table)[2:], curved]
    return compare(table, learners, n_folds=3)


def test_page_says_what_was_found(comparison):
    pytest.importorskip("matplotlib")
    page = render(comparison)
    checker = check(page)
    text = " ".join(checker.text)
    for words in (
        "Learners compared on table",
        f"Winner by accuracy: {comparison.winner.learner.name}.",
        "45 to learn from, 15 held out",
        "Choice by leave-one-out",
        "Rows: the true class.",
        "categorical",
        "20 %",
    ):
        assert words in text
    assert page.count("<svg") == 2
    assert page.count('class="winner"') == 1


def test_the_same_comparison_gives_the_same_page(comparison):
    assert render(comparison) == render(comparison)


def test_words_of_the_table_and_of_learners_are_escaped(write_table):
    pytest.importorskip("matplotlib")
    labels = [EVIL, EVIL + "2"]
    rows = [["uv"[i % 2], labels[i % 2]] for i in range(40)]
    path = write_table([f"column {EVIL}", f"target {EVIL}"], rows, "<b>$t$.csv")
    table = read_table(path)
    learners = [
        Learner(f"curved {EVIL}", "classification", EVIL, lambda t: Curved()),
        Learner(
            "nb", "classification", EVIL, _yardsticks.categorical_nb, lambda e: EVIL
        ),
    ]
    comparison = compare(table, learners, n_folds=3)
    comparison.outcomes[-1].warnings.append(EVIL)
    comparison.outcomes.append(Outcome(learners[0], failure=EVIL))
    checker = check(render(comparison))
    assert "b" not in checker.tags
    text = " ".join(checker.text)
    for words in (
        f"column {EVIL}",
        f"target {EVIL}",
        f"curved {EVIL}",
        f"failed: {EVIL}",
    ):
        assert words in text
    assert sum(EVIL in piece for piece in checker.text) >= 10
    # In a figure, dollar signs are no formula.
    figure = Checker(_plots.draw_scores(comparison))
    assert f"curved {EVIL}" in "".join(figure.text)


def test_without_matplotlib_the_page_names_the_extra(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = render(comparison)
    checker = check(page)
    assert "svg" not in checker.tags
    assert checker.text.count("pip install matplotlib") == 2


def test_a_page_without_a_winner(write_table, mixed_rows):
    table = read_table(write_table(["word", "number", "class"], mixed_rows))
    absent = Learner("absent", "classification", OURS, lambda table: 1 / 0)
    page = render(compare(table, [absent], n_folds=3))
    text = " ".join(check(page).text)
    assert "No learner could be fitted." in text
    assert "failed: ZeroDivisionError" in text
    assert "<svg" not in page


def test_a_regression_draws_the_answers(write_table):
    pytest.importorskip("matplotlib")
    rows = [[i, "ab"[i % 2], 1000.0 * i + 0.5] for i in range(60)]
    table = read_table(write_table(["a", "b", "t"], rows))
    page = render(compare(table, suited(table), n_folds=3))
    check(page)
    assert page.count("<svg") == 2


def test_a_page_on_text(write_table):
    pytest.importorskip("matplotlib")
    rows = [
        [f"{text} {EVIL}", "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_table(write_table(["note", "t"], rows))
    quick = [x for x in suited(table) if x.name in ("TextNB, loo", "MultinomialNB")]
    checker = check(render(compare(table, quick, n_folds=3)))
    text = " ".join(checker.text)
    assert "60 rows, 1 column, none missing" in text
    assert re.search(r"text, \d+ words a cell", text)
    assert re.search(r"m=[\d.e+-]+ \(loo\); \d+ words", text)
    assert "accuracy, leaving one out" in text


def test_too_many_classes_are_no_table(write_table):
    rows = [[i, f"class {i % 31}"] for i in range(31 * 8)]
    table = read_table(write_table(["a", "t"], rows))
    tree = Learner("tree", "classification", OURS, _yardsticks.gaussian_nb)
    assert "classes are too many for a table" in render(compare(table, [tree]))


def test_figures_take_their_colours_from_the_page(comparison):
    pytest.importorskip("matplotlib")
    svg = _plots.draw_scores(comparison)
    assert "currentColor" in svg
    assert "var(--accent)" in svg
    assert not re.search(r"#0[0-9]0[0-9]0[0-9]\b", svg)
    assert "font-family" not in svg


class TestLooCurve:
    """What is drawn of a choice by leave-one-out."""

    def test_one_parameter(self):
        curve = _plots.loo_curve(Curved().fit([[0], [1]], [0, 1]))
        name, score, x, mean, error, best = curve
        assert (name, score) == ("m", "log_loss")
        assert x.tolist() == [0, 0.5, 50]
        assert mean.tolist() == [0.9, 0.5, 0.7]
        assert error.tolist() == [0.1] * 3
        assert best == 1

    def test_the_last_step_of_a_pipeline_counts(self):
        pipeline = make_pipeline("passthrough", Curved()).fit([[0], [1]], [0, 1])
        assert _plots.loo_curve(pipeline)[0] == "m"

    @pytest.mark.parametrize(
        ("score", "best"), [("accuracy", [0.8, 0.9]), ("log_loss", [0.6, 0.7])]
    )
    def test_a_grid_is_drawn_at_its_best(self, score, best):
        estimator = DummyClassifier()
        grid = [{"kind": k, "m": m} for k in ("a", "b") for m in (2, 1, None)]
        estimator.loo_results_ = {
            "params": grid,
            f"mean_{score}": [0.9, 0.6, 0.0, 0.7, 0.8, 0.0],
        }
        name, _, x, mean, error, _ = _plots.loo_curve(estimator)
        assert name == "m"
        assert x.tolist() == [1, 2]
        assert mean.tolist() == best
        assert error.tolist() == [0, 0]

    def test_what_decided_is_drawn_and_ties_are_broken_as_the_rank_does(self):
        estimator = DummyClassifier()
        estimator.loo_scoring = "accuracy"
        estimator.loo_results_ = {
            "params": [{"m": 1}, {"m": 2}, {"m": 3}],
            "mean_log_loss": [0.5, 0.4, 0.1],
            "mean_accuracy": [0.9, 0.9, 0.7],
            "rank": np.array([2, 1, 3]),
        }
        _, score, _, mean, _, best = _plots.loo_curve(estimator)
        assert score == "accuracy"
        assert mean.tolist() == [0.9, 0.9, 0.7]
        assert best == 1

    @pytest.mark.parametrize(
        "results",
        [
            None,
            {},
            {"params": [{"m": 1}]},
            {"params": [{"m": 1}], "mean_log_loss": [0.5]},
            {"params": [{"m": 1}, {"m": 2}], "mean_log_loss": [np.nan, 0.5]},
            {"params": [{"m": True}, {"m": False}], "mean_log_loss": [0.5, 0.6]},
        ],
    )
    def test_no_curve(self, results):
        estimator = DummyClassifier()
        estimator.loo_results_ = results
        assert _plots.loo_curve(estimator) is None
