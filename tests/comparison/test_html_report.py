"""The report: well-formed HTML, no other files, and all of the user's text escaped."""

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sentences import sentences
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy._comparison._evaluate import compare
from sklearn_bayeslazy._comparison._learners import _baselines
from sklearn_bayeslazy._comparison._learners._learner import BAYESLAZY, Learner
from sklearn_bayeslazy._comparison._learners._registry import learners_for
from sklearn_bayeslazy._comparison._outcome import Outcome
from sklearn_bayeslazy._comparison._report import _plots, render
from sklearn_bayeslazy._comparison._table import read_table

VOID = {"meta", "br", "link", "img", "input"}
EVIL = '<script>alert("1")</script> & $x_1$ \'"'


class LooDummy(DummyClassifier):
    """A learner with the results of a choice of m by leave-one-out."""

    def fit(self, X, y):
        self.loo_results_ = {
            "params": [{"m": 0.0}, {"m": 0.5}, {"m": 50.0}],
            "mean_log_loss": np.array([0.9, 0.5, 0.7]),
            "standard_error_log_loss": np.array([0.1, 0.1, 0.1]),
            "rank": np.array([3, 1, 2]),
        }
        return super().fit(X, y)


class Checker(HTMLParser):
    """Collects elements, text and addresses, and checks that elements are closed."""

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
    """Assert that the page is well-formed and self-contained; return it parsed."""
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
    curved = Learner("curved", "classification", BAYESLAZY, lambda table: LooDummy())
    learners = [*learners_for(table)[2:], curved]
    return compare(table, learners, n_folds=3)


def n_choices(comparison):
    """Return the number of learners with a figure of their choice by leave-one-out."""
    chosen = [_plots.has_loo_choice(o.estimator) for o in comparison.outcomes]
    return sum(chosen)


def test_page_shows_the_results(comparison):
    pytest.importorskip("matplotlib")
    page = render(comparison)
    checker = check(page)
    text = " ".join(checker.text)
    for words in (
        "Learners compared on table",
        f"Best by accuracy: {comparison.winner.learner.name}.",
        "45 for training, 15 held out",
        "Choice by leave-one-out",
        "Rows: the true class.",
        "categorical",
        "20 %",
    ):
        assert words in text
    assert page.count("<svg") == 1 + n_choices(comparison)
    assert page.count('class="winner"') == 1


def test_the_same_comparison_gives_the_same_page(comparison):
    assert render(comparison) == render(comparison)


def test_text_of_the_table_and_of_learners_is_escaped(write_table):
    pytest.importorskip("matplotlib")
    labels = [EVIL, EVIL + "2"]
    rows = [["uv"[i % 2], labels[i % 2]] for i in range(40)]
    path = write_table([f"column {EVIL}", f"target {EVIL}"], rows, "<b>$t$.csv")
    table = read_table(path)
    learners = [
        Learner(f"curved {EVIL}", "classification", EVIL, lambda t: LooDummy()),
        Learner(
            "nb", "classification", EVIL, _baselines.categorical_nb, lambda e: EVIL
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
    # In a figure, dollar signs do not start a formula.
    figure = Checker(_plots.draw_scores(comparison))
    assert f"curved {EVIL}" in "".join(figure.text)


def test_page_without_matplotlib_says_how_to_install_it(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = render(comparison)
    checker = check(page)
    assert "svg" not in checker.tags
    assert checker.text.count("pip install matplotlib") == 2


def test_a_page_without_a_winner(write_table, mixed_rows):
    table = read_table(write_table(["word", "number", "class"], mixed_rows))
    absent = Learner("absent", "classification", BAYESLAZY, lambda table: 1 / 0)
    page = render(compare(table, [absent], n_folds=3))
    text = " ".join(check(page).text)
    assert "No learner could be fitted." in text
    assert "failed: ZeroDivisionError" in text
    assert "<svg" not in page


def test_page_of_a_regression_shows_predictions(write_table):
    pytest.importorskip("matplotlib")
    rows = [[i, "ab"[i % 2], 1000.0 * i + 0.5] for i in range(60)]
    table = read_table(write_table(["a", "b", "t"], rows))
    page = render(compare(table, learners_for(table), n_folds=3))
    check(page)
    assert page.count("<svg") == 5


def test_page_of_a_table_of_text(write_table):
    pytest.importorskip("matplotlib")
    rows = [
        [f"{text} {EVIL}", "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_table(write_table(["note", "t"], rows))
    quick = [
        x for x in learners_for(table) if x.name in ("TextNB, loo", "MultinomialNB")
    ]
    checker = check(render(compare(table, quick, n_folds=3)))
    text = " ".join(checker.text)
    assert "60 rows, 1 column, none missing" in text
    assert re.search(r"text, \d+ words a cell", text)
    assert re.search(r"m=[\d.e+-]+ \(loo\); \d+ words", text)
    assert "accuracy, leaving one out" in text


def test_confusion_matrix_is_left_out_for_many_classes(write_table):
    rows = [[i, f"class {i % 31}"] for i in range(31 * 8)]
    table = read_table(write_table(["a", "t"], rows))
    tree = Learner("tree", "classification", BAYESLAZY, _baselines.gaussian_nb)
    assert "classes are too many for a table" in render(compare(table, [tree]))


def test_figures_have_the_colours_of_the_style_sheet(comparison):
    pytest.importorskip("matplotlib")
    svg = _plots.draw_scores(comparison)
    assert "currentColor" in svg
    assert "var(--accent)" in svg
    assert not re.search(r"#0[0-9]0[0-9]0[0-9]\b", svg)
    assert "font-family" not in svg


def estimator_with_loo_results(params, rank=None, loo_scoring=None, **means):
    """Return a fitted estimator with the given ``loo_results_``."""
    estimator = DummyClassifier().fit([[0], [1]], [0, 1])
    scores = {f"mean_{name}": np.array(mean) for name, mean in means.items()}
    rank = np.arange(1, len(params) + 1) if rank is None else np.array(rank)
    estimator.loo_results_ = {"params": params, **scores, "rank": rank}
    estimator.loo_scoring = loo_scoring
    return estimator


def text_of(svg):
    return " ".join(Checker(svg).text)


def hard_coded_colors(svg):
    """Return colours that the style sheet does not set, without invisible edges."""
    visible = svg.replace("stroke: #000000; stroke-opacity: 0", "")
    return re.findall(r": ?#[0-9a-f]{6}", visible)


class TestLooChoice:
    """Figures of choices by leave-one-out."""

    pytestmark = pytest.mark.usefixtures("matplotlib")

    @pytest.fixture
    def matplotlib(self):
        return pytest.importorskip("matplotlib")

    def test_choice_of_one_parameter(self):
        estimator = LooDummy().fit([[0], [1]], [0, 1])
        assert _plots.has_loo_choice(estimator)
        svg = _plots.draw_loo_choice(estimator, EVIL)
        text = text_of(svg)
        assert EVIL in text
        assert "m = 0.5" in text
        assert "0.50 ± 0.10" in text
        assert "log loss, leaving one out" in text
        used = set(re.findall(r"var\(.*?\)", svg))
        assert used == {"var(--accent)", "var(--muted)"}

    def test_choice_of_the_last_step_of_a_pipeline(self):
        pipeline = make_pipeline("passthrough", LooDummy()).fit([[0], [1]], [0, 1])
        assert _plots.has_loo_choice(pipeline)
        assert "m = 0.5" in text_of(_plots.draw_loo_choice(pipeline, "p"))

    def test_each_line_of_a_grid_has_a_color_of_the_style_sheet(self):
        params = [
            {"n_neighbors": k, "power": power}
            for k in (1, 2, 3, 5, None)
            for power in (1.0, 2.0, 4.0)
        ]
        estimator = estimator_with_loo_results(
            params, accuracy=np.linspace(0.9, 0.5, 15)
        )
        svg = _plots.draw_loo_choice(estimator, "grid")
        mixes = set(re.findall(r"var\(--first\), var\(--last\) (\d+)%", svg))
        assert mixes == {"0", "50", "100"}
        assert hard_coded_colors(svg) == []
        text = text_of(svg)
        assert "n_neighbors = 1, power = 1" in text
        assert " all " in text
        assert " power " in text

    def test_lines_of_a_string_parameter_have_colors_of_the_style_sheet(self):
        params = [{"kind": kind, "m": m} for kind in "ab" for m in (1, 2, 3)]
        svg = _plots.draw_loo_choice(
            estimator_with_loo_results(params, log_loss=np.arange(6.0)), "kinds"
        )
        assert hard_coded_colors(svg) == []

    def test_the_deciding_score_is_drawn_and_the_first_rank_is_marked(self):
        estimator = estimator_with_loo_results(
            [{"m": 1}, {"m": 2}, {"m": 3}],
            rank=[2, 1, 3],
            loo_scoring="accuracy",
            log_loss=[0.5, 0.4, 0.1],
            accuracy=[0.9, 0.9, 0.7],
        )
        text = text_of(_plots.draw_loo_choice(estimator, "ties"))
        assert "accuracy, leaving one out" in text
        assert "m = 2" in text

    @pytest.mark.parametrize("low", [0, 1e-9])
    def test_tick_labels_are_not_formulas(self, low):
        params = [{"m": m} for m in (low, 1e-8, 1.0, 1e9)]
        svg = _plots.draw_loo_choice(
            estimator_with_loo_results(params, log_loss=[4, 3, 2, 1]), "wide"
        )
        assert "mathdefault" not in svg
        assert "1e+08" in text_of(svg)

    @pytest.mark.parametrize(
        "results",
        [
            None,
            {},
            [1, 2],
            np.zeros(2),
            {"params": None},
            {"params": np.zeros(2), "mean_log_loss": [0.5, 0.6]},
            {"params": [{"m": 1}], "mean_log_loss": [0.5]},
        ],
        ids=str,
    )
    def test_other_attributes_are_not_a_choice(self, results):
        estimator = DummyClassifier()
        assert not _plots.has_loo_choice(estimator)
        estimator.loo_results_ = results
        assert not _plots.has_loo_choice(estimator)

    @pytest.mark.parametrize(
        "results",
        [
            {"params": [{"m": 1}, {"m": 2}]},
            {"params": [{"m": 1}, {"m": 2}], "mean_log_loss": [0.5, 0.6]},
            {"params": [1, 2], "mean_log_loss": [0.5, 0.6], "rank": [1, 2]},
            {"params": [{}, {}], "mean_log_loss": [0.5, 0.6], "rank": [1, 2]},
            {"params": [{"m": 1}, {"k": 2}], "mean_x": [0.5, 0.6], "rank": [1, 2]},
            {"params": [{"m": 1}, {"m": 2}], "mean_x": [0.5], "rank": [1, 2]},
            {"params": [{"m": 1}, {"m": 2}], "mean_x": ["a", "b"], "rank": [1, 2]},
        ],
        ids=str,
    )
    def test_malformed_results_remove_only_the_plot(self, results, comparison):
        (odd,) = [o for o in comparison.outcomes if o.learner.name == "curved"]
        odd.estimator.loo_results_ = results
        odd.learner = replace(odd.learner, name=EVIL)
        n_drawn = n_choices(comparison) - 1
        page = render(comparison)
        text = " ".join(check(page).text)
        assert f"{EVIL} cannot be drawn: " in text
        assert page.count("<svg") == 1 + n_drawn

    @pytest.mark.parametrize("losses", [[np.nan, 0.5], [np.inf, np.inf]], ids=str)
    def test_scores_that_are_not_finite_are_drawn(self, losses):
        params = [{"m": True}, {"m": False}]
        estimator = estimator_with_loo_results(params, rank=[2, 1], log_loss=losses)
        assert "False" in text_of(_plots.draw_loo_choice(estimator, "odd"))

    def test_choice_of_a_learner_of_the_registry(self, write_table):
        rows = [[i * 7 % 60, i * i % 11, "ab"[i % 2], i % 5 + 0.5] for i in range(60)]
        table = read_table(write_table(["a", "b", "c", "t"], rows), task="regression")
        learners = [
            x for x in learners_for(table) if x.name == "ShepardKNNRegressor, loo"
        ]
        page = render(compare(table, learners, n_folds=2))
        text = " ".join(check(page).text)
        assert "squared error, leaving one out" in text
        assert "cannot be drawn" not in text
        # The text beside the dot is an SVG text; the style sheet draws its halo.
        assert 'id="loo-shepardknnregressor-loo-chosen"' in page
        assert 'svg [id$="-chosen"] text' in page
