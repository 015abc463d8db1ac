"""Figures of choices by leave-one-out in the report, which matplotlib draws.

Code under test: `compare/_report/_figures.py`.
"""

import copy
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._learner import BAYESLAZY, Learner
from sklearn_bayeslazy.compare._learners._registry import learners_for
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._report import _figures
from sklearn_bayeslazy.compare._report._page import render
from tests.helpers.html_checker import EVIL, Checker, check
from tests.helpers.loo_dummy import LooDummy


@pytest.fixture(scope="module")
def module_comparison(tmp_path_factory):
    """Return the comparison of two learners; one has chosen by leave-one-out."""
    path = tmp_path_factory.mktemp("loo") / "table.csv"
    rows = [f"{'uv'[i % 2]},{i * 7 % 11},{'xy'[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["a,b,t", *rows]))
    table = read_dataset(path)
    curved = Learner("curved", "classification", BAYESLAZY, lambda table: LooDummy())
    return compare(table, [*learners_for(table, ["GaussianNB"]), curved], n_folds=2)


@pytest.fixture
def comparison(module_comparison):
    return copy.deepcopy(module_comparison)


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

    def test_choice_of_one_parameter(self):
        estimator = LooDummy().fit([[0], [1]], [0, 1])
        assert _figures.has_loo_choice(estimator)
        svg = _figures.loo_figure(estimator, EVIL)
        text = text_of(svg)
        assert EVIL in text
        assert "m = 0.5" in text
        assert "0.50 ± 0.10" in text
        assert "log loss, leaving one out" in text
        used = set(re.findall(r"var\(.*?\)", svg))
        assert used == {"var(--accent)", "var(--muted)"}

    def test_choice_of_the_last_step_of_a_pipeline(self):
        pipeline = make_pipeline("passthrough", LooDummy()).fit([[0], [1]], [0, 1])
        assert _figures.has_loo_choice(pipeline)
        assert "m = 0.5" in text_of(_figures.loo_figure(pipeline, "p"))

    def test_each_line_of_a_grid_has_a_color_of_the_style_sheet(self):
        params = [
            {"n_neighbors": k, "power": power}
            for k in (1, 2, 3, 5, None)
            for power in (1.0, 2.0, 4.0)
        ]
        estimator = estimator_with_loo_results(
            params, accuracy=np.linspace(0.9, 0.5, 15)
        )
        svg = _figures.loo_figure(estimator, "grid")
        mixes = set(re.findall(r"var\(--first\), var\(--last\) (\d+)%", svg))
        assert mixes == {"0", "50", "100"}
        assert hard_coded_colors(svg) == []
        text = text_of(svg)
        assert "n_neighbors = 1, power = 1" in text
        assert " all " in text
        assert " power " in text

    def test_a_far_candidate_does_not_flatten_the_others(self):
        params = [{"m": m} for m in range(1, 10)]
        losses = [0.5, 0.4, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 1e6]
        svg = _figures.loo_figure(
            estimator_with_loo_results(params, log_loss=losses), "far"
        )
        assert re.search(r"0\.[345]", text_of(svg))
        assert "1000000" not in text_of(svg)
        assert "1e6" not in text_of(svg)

    def test_lines_of_a_string_parameter_have_colors_of_the_style_sheet(self):
        params = [{"kind": kind, "m": m} for kind in "ab" for m in (1, 2, 3)]
        svg = _figures.loo_figure(
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
        text = text_of(_figures.loo_figure(estimator, "ties"))
        assert "accuracy, leaving one out" in text
        assert "m = 2" in text

    @pytest.mark.parametrize("low", [0, 1e-9])
    def test_tick_labels_are_not_formulas(self, low):
        params = [{"m": m} for m in (low, 1e-8, 1.0, 1e9)]
        svg = _figures.loo_figure(
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
        assert not _figures.has_loo_choice(estimator)
        estimator.loo_results_ = results
        assert not _figures.has_loo_choice(estimator)

    def test_malformed_results_remove_only_the_plots(self, comparison):
        malformed = [
            {"params": [{"m": 1}, {"m": 2}]},
            {"params": [{"m": 1}, {"m": 2}], "mean_log_loss": [0.5, 0.6]},
            {"params": [1, 2], "mean_log_loss": [0.5, 0.6], "rank": [1, 2]},
            {"params": [{}, {}], "mean_log_loss": [0.5, 0.6], "rank": [1, 2]},
            {"params": [{"m": 1}, {"k": 2}], "mean_x": [0.5, 0.6], "rank": [1, 2]},
            {"params": [{"m": 1}, {"m": 2}], "mean_x": [0.5], "rank": [1, 2]},
            {"params": [{"m": 1}, {"m": 2}], "mean_x": ["a", "b"], "rank": [1, 2]},
        ]
        (odd,) = [o for o in comparison.outcomes if o.learner.name == "curved"]
        for i, results in enumerate(malformed):
            one = copy.deepcopy(odd)
            one.estimator.loo_results_ = results
            one.learner = replace(odd.learner, name=f"{EVIL} {i}")
            comparison.outcomes.append(one)
        page = render(comparison)
        text = " ".join(check(page).text)
        for i in range(len(malformed)):
            assert f"{EVIL} {i} cannot be drawn: " in text
        assert "curved cannot be drawn" not in text

    @pytest.mark.parametrize("losses", [[np.nan, 0.5], [np.inf, np.inf]], ids=str)
    def test_scores_that_are_not_finite_are_drawn(self, losses):
        params = [{"m": True}, {"m": False}]
        estimator = estimator_with_loo_results(params, rank=[2, 1], log_loss=losses)
        assert "False" in text_of(_figures.loo_figure(estimator, "odd"))

    def test_choice_of_a_learner_of_the_registry(self, write_table):
        rows = [[i * 7 % 60, i * i % 11, "ab"[i % 2], i % 5 + 0.5] for i in range(60)]
        table = read_dataset(write_table(["a", "b", "c", "t"], rows), task="regression")
        learners = learners_for(table, ["ShepardKNNRegressor, loo"])
        page = render(compare(table, learners, n_folds=2))
        text = " ".join(check(page).text)
        assert "squared error, leaving one out" in text
        assert "cannot be drawn" not in text
        # The text beside the dot is an SVG text; the style sheet draws its halo.
        assert 'id="loo-shepardknnregressor-loo-chosen"' in page
        assert 'svg [id$="-chosen"] text' in page
