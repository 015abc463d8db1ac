"""The code in the report: pasted and run, it prints the scores of the report.

Code under test: `compare/_report/_code.py`.
"""

import contextlib
import io
import re
import warnings
from html import unescape

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._registry import learners_for
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._report._code import code_of_winner
from sklearn_bayeslazy.compare._report._page import render
from tests.helpers.sentences import sentences

N_ROWS = 90
CLASSIFIERS = ["MEstimateNB, classical", "CategoricalNB", "LogisticRegression"]
REGRESSORS = ["Ridge", "KNeighborsRegressor"]


def strings_and_holes():
    """Return categories and numbers that miss, with a target of strings."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame(
        {
            "colour, of the car": rng.choice(["red", "green", "", "?"], N_ROWS),
            "size": rng.normal(size=N_ROWS).round(3).astype(str),
            "const": "same",
            "class": rng.choice(["good", "bad"], N_ROWS),
        }
    )
    data.loc[::4, "class"] = np.where(
        data["colour, of the car"][::4] == "red", "a", "b"
    )
    data.loc[::7, "size"] = "NA"
    data.loc[5, "class"] = None
    return data


def text_and_category():
    """Return sentences beside a category, with a target of whole numbers."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, N_ROWS)
    moods = [["great", "boring", "odd"][k] for k in y]
    notes = [f"{s} {m}" for s, m in zip(sentences(N_ROWS), moods)]
    notes[3] = ""
    return pd.DataFrame({"note": notes, "k": rng.choice(list("uvw"), N_ROWS), "y": y})


def dates_and_currency():
    """Return dates, amounts of money, and a target with decimal commas."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp("2024-01-30") + pd.to_timedelta(
        rng.integers(0, 99, N_ROWS), "D"
    )
    price = rng.uniform(900, 2000, N_ROWS).round(2)
    return pd.DataFrame(
        {
            "sold": days.strftime("%Y-%m-%d"),
            "price": [f"€ {p:,.2f}" for p in price],
            "shop": rng.choice(["Łódź", "Malmö"], N_ROWS),
            "profit": [
                f"{p / 7 + d:.2f}".replace(".", ",") for p, d in zip(price, days.day)
            ],
        }
    )


def rare_class():
    """Return a class with one row, which prevents a stratified split."""
    rng = np.random.default_rng(4)
    y = rng.choice([0.5, 1.5], N_ROWS)
    y[0] = 2.5
    return pd.DataFrame(
        {"a": y + rng.normal(size=N_ROWS), "b": rng.normal(size=N_ROWS), "y": y}
    )


def numbers():
    """Return numbers with a numeric target."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N_ROWS, 3)).round(4)
    X[::9, 1] = np.nan
    data = pd.DataFrame(X, columns=["a", " b", "c "])
    return data.assign(y=np.nan_to_num(X).sum(axis=1) + rng.normal(size=N_ROWS))


def printed_scores(code):
    """Run code; return the numbers that it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report tells the learners' warnings
        exec(compile(code, "report", "exec"), {"__name__": "__main__"})
    return [float(line.split()[-1]) for line in out.getvalue().splitlines()]


def assert_code_repeats_scores(path, names, **options):
    table = read_dataset(path, **options)
    for learner in learners_for(table):
        if learner.name in names:
            comparison = compare(table, [learner], n_folds=2)
            assert comparison.winner is not None, comparison.outcomes[0].failure
            printed = printed_scores(code_of_winner(comparison))
            expected = comparison.held_out.scores
            np.testing.assert_allclose(printed, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "names", "options"),
    [
        (strings_and_holes, CLASSIFIERS, {}),
        # One that reads numbers made of the text, and two that read the text itself.
        (text_and_category, [CLASSIFIERS[0], "TextNB, loo", "MultinomialNB"], {}),
        (dates_and_currency, REGRESSORS, {"index": True}),
        (dates_and_currency, REGRESSORS, {"sep": ";", "encoding": "utf-16"}),
        (rare_class, CLASSIFIERS, {}),
        (numbers, REGRESSORS, {"sep": "\t"}),
    ],
    ids=["strings", "text", "dates", "utf-16", "rare class", "numbers"],
)
def test_code_repeats_the_scores(make, names, options, tmp_path):
    path = tmp_path / "a 'quoted' table.csv"
    make().to_csv(path, **{"index": False, **options})
    task = "classification" if make is rare_class else None
    assert_code_repeats_scores(path, names, task=task)


def test_code_of_given_kinds_and_a_sample(tmp_path):
    path = tmp_path / "table.csv.gz"
    rng = np.random.default_rng(6)
    codes = rng.integers(1, 13, N_ROWS)
    y = np.where(codes % 2 == rng.integers(0, 4, N_ROWS) % 2, "even", "odd")
    pd.DataFrame({"codes": codes, "id": range(N_ROWS), "y": y}).to_csv(
        path, index=False
    )
    kinds = {"codes": "category"}
    names = [*CLASSIFIERS, "RandomForestClassifier", "HistGradientBoostingClassifier"]
    assert_code_repeats_scores(path, names, kinds=kinds, keep=["id"], sample=70)


def test_code_of_targets_with_markers_bounds_and_blanks(tmp_path):
    path = tmp_path / "table.csv"
    rng = np.random.default_rng(8)
    x = rng.normal(size=N_ROWS).round(3)
    y = [f" € {value + 3:.2f}" for value in x]
    y[::9], y[5], y[7] = ["? "] * 10, "<0.5", " n.d."
    flags = ["+ " if value > 0 else "-" for value in x + rng.normal(size=N_ROWS)]
    ages = [str(int(value > 0)) for value in x]
    ages[::8] = ["#N/A"] * 12
    data = pd.DataFrame({"a": x, "w": y, "flag": flags, "age": ages})
    data.to_csv(path, index=False)
    assert_code_repeats_scores(path, REGRESSORS, target="w")
    assert_code_repeats_scores(path, CLASSIFIERS, target="flag")
    assert_code_repeats_scores(path, CLASSIFIERS, target="age")


def test_code_of_codes_that_begin_with_zero(tmp_path):
    path = tmp_path / "table.csv"
    codes = [f"{1 + i % 4:02}" for i in range(N_ROWS)]
    data = pd.DataFrame({"a": np.arange(N_ROWS) % 4, "b": 1.5, "code": codes})
    data["b"] = np.random.default_rng(9).normal(size=N_ROWS)
    data.to_csv(path, index=False)
    assert_code_repeats_scores(path, CLASSIFIERS)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "json", "xlsx"])
def test_code_of_formats_that_pandas_reads(suffix, tmp_path):
    path = tmp_path / f"table.{suffix}"
    data = strings_and_holes()
    data["when"] = pd.Timestamp("2024-02-28") + pd.to_timedelta(range(N_ROWS), "D")
    data["size"] = pd.to_numeric(data["size"], errors="coerce")
    data["zip"] = np.where(data["size"] > 0, "01234", "90210")
    sheet = None
    if suffix == "parquet":
        data.to_parquet(path)
    elif suffix == "xlsx":
        pytest.importorskip("openpyxl")
        sheet = "Cars"
        with pd.ExcelWriter(path) as writer:
            data[:0].to_excel(writer, sheet_name="Empty")
            data.to_excel(writer, sheet_name=sheet, index=False)
    else:
        lines = suffix == "jsonl"
        data.to_json(path, orient="records", lines=lines, date_format="iso")
    assert_code_repeats_scores(path, CLASSIFIERS, target="class", sheet=sheet)


def test_code_of_repeated_and_missing_names(tmp_path):
    path = tmp_path / "table.csv"
    rng = np.random.default_rng(7)
    rows = [
        f"{a:.3f},{b:.3f},{'xy'[int(a > b)]},{b:.2f}"
        for a, b in rng.normal(size=(60, 2))
    ]
    path.write_text("a,a,t,\n" + "\n".join(rows))
    assert_code_repeats_scores(path, CLASSIFIERS, target="t")


def test_the_page_holds_the_code(tmp_path):
    path = tmp_path / "a & b.csv"
    strings_and_holes().to_csv(path, index=False)
    table = read_dataset(path)
    comparison = compare(table, learners_for(table, ["MEstimateNB, classical"]))
    page = render(comparison)
    (code,) = re.findall(r"<pre.*?><code>(.*?)</code></pre>", page, re.DOTALL)
    assert unescape(code) == code_of_winner(comparison)
