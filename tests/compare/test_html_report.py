"""The report: well-formed HTML, no other files, and all of the user's text escaped.

Code under test: `compare/_report/_page.py`, `compare/_report/_figures.py`.
"""

import re

import numpy as np
import pytest

from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._learner import BAYESLAZY, Learner
from sklearn_bayeslazy.compare._learners._registry import LEARNERS, learners_for
from sklearn_bayeslazy.compare._outcome import Outcome
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._report._page import render
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


@pytest.fixture
def comparison(write_table, mixed_rows):
    table = read_dataset(write_table(["word", "number", "class"], mixed_rows))
    curved = Learner("curved", "classification", BAYESLAZY, lambda table: LooDummy())
    learners = learners_for(table, ["CategoricalNB", "GaussianNB"])
    result = compare(table, [*learners, curved], n_folds=3)
    result.outcomes[0].warnings.append("odd")
    return result


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
        Learner("nb", "classification", EVIL, BUILD["CategoricalNB"], lambda e: EVIL),
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
    assert re.search(r"text, \d+ words a cell", text)
    assert re.search(r"m=[\d.e+-]+ \(loo\); \d+ words", text)
    assert "accuracy, leaving one out" in text


def test_confusion_matrix_is_left_out_for_many_classes(write_table):
    rows = [[i, f"class {i % 31}"] for i in range(31 * 8)]
    table = read_dataset(write_table(["a", "t"], rows))
    tree = Learner("tree", "classification", BAYESLAZY, BUILD["GaussianNB"])
    assert "classes are too many for a table" in render(compare(table, [tree]))
