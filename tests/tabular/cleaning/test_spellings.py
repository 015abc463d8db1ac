"""The spellings of one category, in later batches and other types too."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import TableCleaner
from sklearn_bayeslazy.tabular.cleaning._spellings import truth_words


def categories(fit_cells, cells, dtype=object):
    """Return what a cleaner that is fitted to some cells makes of others."""
    fit_cells = pd.Series(fit_cells)
    cleaner = TableCleaner({"x": "category"}).fit(pd.DataFrame({"x": fit_cells}))
    X = pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})
    return cleaner.transform(X)["x"].tolist()


@pytest.mark.parametrize(
    "cells",
    [
        [True, False],
        ["True", "False"],
        ["true", "false"],
        ["TRUE", "FALSE"],
        ["yes", "no"],
        ["Y", "N"],
        [1, 0],
        ["1", "0"],
        [1.0, 0.0],
        ["1.0", "0.0"],
    ],
)
@pytest.mark.parametrize(
    "learned",
    [[True, False] * 5, ["yes", "no"] * 5, ["Y", "N"] * 5, ["wahr", "falsch"]],
)
def test_booleans_in_any_spelling(learned, cells):
    yes, no = map(str, learned[:2])
    assert categories(learned, cells) == [yes, no]
    assert [categories(learned, [cell])[0] for cell in cells] == [yes, no]


def test_booleans_for_numbers():
    x = pd.DataFrame({"x": [0, 1] * 10, "k": ["a", "b"] * 10})
    cleaner = TableCleaner().fit(x)
    for cells in ([False, True], ["false", "TRUE"], ["0", "1"], ["no", "Yes"]):
        batch = pd.DataFrame({"x": cells, "k": "a"})
        assert cleaner.transform(batch)["x"].tolist() == [0, 1]


def test_codes_whose_zeros_a_spreadsheet_has_removed():
    assert categories(["01234", "90210"], [1234, 90210, 2139]) == [
        "01234",
        "90210",
        "02139",
    ]


def test_categories_of_another_type_are_found_by_value():
    assert categories(["1.0", "1.10", "2.0", "beta"], [1.0, 1.1, 2.0], float) == [
        "1.0",
        "1.10",
        "2.0",
    ]
    assert categories([1990, 1991], ["1990", "1991.0"]) == ["1990", "1991"]
    # 1.1 may be two versions, so it is neither.
    assert categories(["1.1", "1.10"], [1.1], float) == ["1.1"]
    assert categories(["1.10", "1.100"], [1.1], float) == ["1.1"]


def test_case_and_blanks():
    learned = ["New York"] * 3 + ["new  york ", "NEW YORK", "Bergen"]
    assert categories(learned, [" New york", "Oslo "]) == ["New York", "Oslo"]


def test_a_batch_of_new_categories_only_is_warned_of():
    learned = ["red", "blue"] * 3
    with pytest.warns(UserWarning, match="column 'x': no cell is a category of fit"):
        assert categories(learned, ["5", "7"]) == ["5", "7"]
    assert categories(learned, ["green", "red"]) == ["green", "red"]
    assert categories(learned, ["green"]) == ["green"]


@pytest.mark.parametrize(
    "learned",
    [
        ["M", "m"],
        ["AA"] * 80 + ["Aa"] * 18 + ["aa"],
        ["CO", "Co", "no", "NO", "No"],
        ["Aa", "aa"],
        ["Oslo", "OSLO"],  # one category would say nothing
    ],
)
def test_case_that_may_have_a_meaning_is_kept(learned):
    cells = list(dict.fromkeys(learned))
    assert categories(learned, [f" {cell}" for cell in cells]) == cells


def test_a_rare_case_of_a_code_is_a_slip():
    learned = ["US"] * 30 + ["us"] + ["DE"]
    assert categories(learned, ["us", "De"]) == ["US", "DE"]


@pytest.mark.parametrize("given", [{}, {"x": "category"}])
@pytest.mark.parametrize(
    ("cells", "max_categories", "told"),
    [
        (
            ["Paris"] * 9 + ["Oslo", "OSLO", "Rome"] * 2,
            1,
            "rare categories become '(rare)' (1)",
        ),
        (["Paris"] * 9 + ["Oslo", "OSLO", "Rome"] * 2, 3, ""),
        (["a", "b"] * 9, 1, ""),
    ],
)
def test_rare_categories_are_told(cells, max_categories, told, given):
    X = pd.DataFrame({"x": cells, "y": range(len(cells))})
    cleaner = TableCleaner(given, max_categories=max_categories, min_category_count=3)
    reason = cleaner.fit(X).decisions_["x"].reason
    assert told in reason if told else "rare" not in reason


def test_dashes_are_missing_unless_there_is_a_plus():
    assert categories(["+", "-"], ["-"]) == ["-"]
    assert np.isnan(categories(["a", "-"], ["-"])[0])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["yes", "no"], ("no", "yes")),
        (["Ja", "nein"], ("nein", "Ja")),
        (["y", "n"], ("n", "y")),
        (["y", "t", "n"], None),
        (["y", "yes", "n"], ("n", "y")),
        (["0", "1"], None),
        (["0", "true"], ("0", "true")),
        (["yes", "on"], None),
        (["yes", "no", "maybe"], None),
    ],
)
def test_words_for_true_and_false(words, expected):
    assert truth_words(words, [1] * len(words)) == expected
