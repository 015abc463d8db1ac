"""The report: well-formed HTML, no other files, and all of the user's text escaped.

Code under test: `compare/_report/_page.py`, `compare/_report/_figures.py`.
"""

import copy
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._learner import BAYESLAZY, Learner
from sklearn_bayeslazy.compare._learners._registry import LEARNERS, learners_for
from sklearn_bayeslazy.compare._outcome import HeldOut, Outcome
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._report import _page
from sklearn_bayeslazy.compare._report._figures import inliers, residual_figures
from sklearn_bayeslazy.compare._report._page import importances, render
from tests.helpers.html_checker import EVIL, check
from tests.helpers.loo_dummy import LooDummy
from tests.helpers.sentences import sentences

BUILD = {one.name: one.build for one in LEARNERS}
SECTIONS = [
    "The table",
    "Columns",
    "Results",
    "Scores over the folds",
    "{} on the held-out part",
    "Calibration",
    "What the columns are worth",
    "Code",
    "Choice by leave-one-out",
    "Warnings of the learners",
]


@pytest.fixture(scope="module")
def module_comparison(tmp_path_factory, mixed_rows):
    """Return the comparison of three learners; the first has a warning."""
    path = tmp_path_factory.mktemp("report") / "table.csv"
    pd.DataFrame(mixed_rows, columns=["word", "number", "class"]).to_csv(
        path, index=False
    )
    table = read_dataset(path)
    curved = Learner("curved", "classification", BAYESLAZY, lambda table: LooDummy())
    learners = learners_for(table, ["CategoricalNB", "GaussianNB"])
    result = compare(table, [*learners, curved], n_folds=3)
    result.outcomes[0].warnings.append("odd")
    return result


@pytest.fixture
def comparison(module_comparison):
    return copy.deepcopy(module_comparison)


def test_page_shows_the_results(comparison):
    page = render(comparison)
    checker = check(page)
    text = " ".join(checker.text)
    for words in (
        "Learners compared on table",
        f"by accuracy: {comparison.winner.learner.name}.",
        "45 for training, 15 held out",
        "Rows: the true class.",
        "Permutation importance",
        "GaussianNB",
        "20 %",
    ):
        assert words in text
    name = comparison.winner.learner.name
    assert re.findall("<h2>(.*?)</h2>", page) == [s.format(name) for s in SECTIONS]
    assert page.count('class="winner"') == 1


def test_the_same_comparison_gives_the_same_page(comparison):
    assert render(comparison) == render(comparison)


def test_learners_with_different_numbers_of_folds(comparison):
    outcome = comparison.outcomes[1]
    outcome.scores = outcome.scores[:2]
    checker = check(render(comparison))
    mean = outcome.scores[:, 0].mean()
    assert any(text.startswith(f"{mean:.3f} [") for text in checker.text)


def test_text_of_the_table_and_of_learners_is_escaped(write_table):
    labels = [EVIL, EVIL + "2"]
    rows = [["uv"[i % 2], labels[i % 2]] for i in range(40)]
    path = write_table([f"column {EVIL}", f"target {EVIL}"], rows, "<b>$t$.csv")
    table = read_dataset(path)
    learners = [
        Learner(f"curved {EVIL}", "classification", EVIL, lambda t: LooDummy()),
        Learner("nb", "classification", EVIL, BUILD["CategoricalNB"]),
    ]
    comparison = compare(table, learners, n_folds=3)
    comparison.outcomes[-1].warnings.append(EVIL)
    comparison.outcomes[-1].chosen_parameters = EVIL
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


def test_a_page_without_a_winner(write_table, mixed_rows):
    table = read_dataset(write_table(["word", "number", "class"], mixed_rows))
    absent = Learner("absent", "classification", BAYESLAZY, lambda table: 1 / 0)
    page = render(compare(table, [absent], n_folds=3))
    text = " ".join(check(page).text)
    assert "No learner could be fitted." in text
    assert "failed: ZeroDivisionError" in text
    assert "<svg" not in page


def test_page_of_a_regression_shows_residuals(write_table):
    rows = [[i * 7 % 60, "ab"[i % 2], 1000.0 * i + 0.5] for i in range(60)]
    rows[5][2] = 1e12
    table = read_dataset(write_table(["a", "b", "t"], rows))
    page = render(compare(table, learners_for(table, ["Ridge", "Dummy"]), n_folds=3))
    text = " ".join(check(page).text)
    assert "Residuals, true minus predicted: median" in text
    assert "1 row of 15 lies outside the frames." in text or "outside" not in text


def test_page_of_a_learner_without_probabilities(comparison):
    comparison.outcomes[1].scores[:, 1] = np.nan
    check(render(comparison))


def test_page_of_a_table_of_text(write_table):
    rows = [
        [f"{text} {EVIL}", "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_dataset(write_table(["note", "t"], rows))
    quick = learners_for(table, ["TextNB, loo", "MultinomialNB"])
    checker = check(render(compare(table, quick, n_folds=3)))
    text = " ".join(checker.text)
    assert "60 rows, 1 column, none missing" in text
    assert re.search(r"m=[\d.e+-]+, ", text)
    assert "log loss, leaving one out" in text


def test_confusion_matrix_is_left_out_for_many_classes(write_table):
    rows = [[i, f"class {i % 31}"] for i in range(31 * 8)]
    table = read_dataset(write_table(["a", "t"], rows))
    tree = Learner("tree", "classification", BAYESLAZY, BUILD["GaussianNB"])
    assert "classes are too many for a table" in render(compare(table, [tree]))


def sections(page):
    """Return the parts of a page after each heading."""
    return {part.split("</h2>")[0]: part for part in page.split("<h2>")[1:]}


def test_our_learners_show_themselves(write_table, mixed_rows):
    table = read_dataset(write_table(["word", "number", "class"], mixed_rows))
    for name, mark in (
        ("MEstimateNB, classical", "mean size of the contribution"),
        ("BeliefNetworkClassifier, fan", 'id="network-'),
    ):
        comparison = compare(table, learners_for(table, [name]), n_folds=2)
        page = render(comparison)
        check(page)
        found = sections(page)
        assert mark in found[f"What {name} has learnt"]
        # The explanation is that of the estimator.
        assert "Explanation of" in found["Three rows explained"]
        assert "cannot be shown" not in page


def test_two_classes_have_curves_and_thresholds(comparison):
    name = comparison.winner.learner.name
    part = sections(render(comparison))[f"{name} on the held-out part"]
    assert 'id="curves-' in part
    held_out = comparison.held_out
    positive = held_out.proba[:, 1] >= 0.5
    true = held_out.y == comparison.pipeline.classes_[1]
    numbers = re.findall(r'<td class="number">([\d.-]+)</td>', part)
    rows = [numbers[k : k + 4] for k in range(0, len(numbers), 4)]
    (row,) = [row for row in rows if row[0] == "0.5"]
    assert row[1:] == [
        f"{true[positive].mean():.3f}",
        f"{positive[true].mean():.3f}",
        f"{(positive == true).mean():.3f}",
    ]


def test_confusion_counts_the_held_out_rows(comparison):
    name = comparison.winner.learner.name
    part = sections(render(comparison))[f"{name} on the held-out part"]
    counts = re.findall(r"--share: [\d.]+%\">(\d+)<", part)
    assert sum(map(int, counts)) == len(comparison.held_out.y)
    right = comparison.held_out.y == comparison.held_out.predicted
    assert int(counts[0]) + int(counts[3]) == right.sum()


def test_the_telling_columns_are_important(write_table):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(3)
    rows = np.c_[X, 3 * X[:, 0] - X[:, 1]].tolist()
    table = read_dataset(write_table(["x0", "x1", "noise", "y"], rows))
    comparison = compare(table, learners_for(table, ["Ridge"]), n_folds=2)
    # An outlier of the target does not hide them.
    comparison.table.y[comparison.test[0]] = 1e9
    names, means, deviations = importances(comparison)
    assert [names[j] for j in np.argsort(-means)] == ["x0", "x1", "noise"]
    # Shuffling x0 changes 3 x0 by 6 / √π = 3.4 on average.
    assert 2 < means[0] < 5
    assert (deviations >= 0).all()


def test_an_outlier_does_not_flatten_the_rest():
    normal = np.random.default_rng(0).normal(size=100)
    mostly_0 = np.r_[np.zeros(90), np.linspace(1, 9, 10)]
    for values in (normal, mostly_0, np.tile([0.0, 1.0], 50)):
        for outlier in (1e9, -1e9, np.inf, np.nan):
            inside = inliers(np.r_[values, outlier])
            assert not inside[-1]
            assert inside[:-1].all()
    for values in ([3.0], [0.0] * 9, [1.0, 1e9]):
        assert inliers(np.array(values)).all()


@pytest.mark.parametrize("predicted", [0.5, 1e9, -1e9])
def test_constant_predictions_are_drawn(predicted):
    y = np.linspace(0, 1, 30)
    held_out = HeldOut(y, np.full(30, predicted), np.zeros(2))
    svg, n_outside = residual_figures(held_out, seed=0)
    assert svg.startswith("<svg")
    assert n_outside == 0


def test_a_section_that_fails_leaves_the_others(comparison, monkeypatch):
    monkeypatch.setattr(_page, "_calibration", lambda comparison: 1 / 0)
    text = " ".join(check(render(comparison)).text)
    assert "It cannot be shown: ZeroDivisionError" in text
    assert "Permutation importance" in text
