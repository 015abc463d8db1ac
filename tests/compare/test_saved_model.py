"""Saved models predict the rows of new files as the pipeline does, or report why not.

Code under test: `compare/_model_files.py`.
"""

import csv
import io
import os
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.compare._command_line import main
from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._registry import learners_for
from sklearn_bayeslazy.compare._model_files import is_trusted, load_model
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._saved_model import fit_to_all_rows, save
from tests.helpers.sentences import sentences

N_ROWS = 60


def table_of_all_kinds():
    """Return an id, a constant, a number, a category, text, a date; some missing."""
    rng = np.random.default_rng(0)
    y = rng.choice(["stay", "go"], N_ROWS)
    data = pd.DataFrame(
        {
            "id": [f"c{i:04d}" for i in range(N_ROWS)],
            "land": "FI",
            "age": rng.integers(18, 90, N_ROWS).astype(float),
            "colour": np.where(rng.random(N_ROWS) < 0.8, y, "other"),
            "note": sentences(N_ROWS),
            "since": pd.Series(pd.date_range("2024-01-30", periods=N_ROWS)).astype(str),
            "y": y,
        }
    )
    data.loc[::6, ["age", "colour"]] = None
    return data


def table_without_text():
    """Return the other columns of the table of all kinds: text takes most of a fit."""
    return table_of_all_kinds().drop(columns="note")


def saved(data, tmp_path, learner="MEstimateNB, classical"):
    """Compare one learner on a table; return the comparison and the model file."""
    data.to_csv(tmp_path / "table.csv", index=False)
    table = read_dataset(tmp_path / "table.csv")
    comparison = compare(table, learners_for(table, [learner]), n_folds=2)
    return comparison, saved_as(comparison, tmp_path, "joblib")


def saved_as(comparison, tmp_path, suffix):
    """Save the winner of a comparison; return the model file."""
    path = tmp_path / f"model.{suffix}"
    path.write_bytes(save(comparison, path)[0])
    return str(path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the model file of naive Bayes on the table of all kinds."""
    return saved(table_of_all_kinds(), tmp_path_factory.mktemp("model"))[1]


def predict(capsys, *arguments):
    """Run the command; return its predictions as a frame."""
    assert main(["predict", *map(str, arguments)]) == 0
    captured = capsys.readouterr()
    return pd.read_csv(io.StringIO(captured.out)), captured.err


def error_of(capsys, *arguments):
    """Return the line on stderr of a command that must fail."""
    assert main(["predict", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("sklearn_bayeslazy: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize(
    ("learner", "table"),
    [
        ("MEstimateNB, classical", table_of_all_kinds),
        ("CategoricalNB", table_without_text),
        ("MultinomialNB", table_of_all_kinds),
    ],
)
def test_predictions_are_those_of_the_pipeline(learner, table, tmp_path, capsys):
    data = table()
    comparison, path = saved(data, tmp_path, learner)
    pipeline = fit_to_all_rows(comparison)
    found, err = predict(capsys, path, tmp_path / "table.csv")
    assert err == ""
    X = data.drop(columns="y")
    np.testing.assert_array_equal(found["y"], pipeline.predict(X))
    assert found.columns.tolist() == ["y", "P(go)", "P(stay)"]
    np.testing.assert_allclose(
        found[["P(go)", "P(stay)"]], pipeline.predict_proba(X), rtol=1e-5, atol=1e-9
    )


def test_predictions_of_numbers(tmp_path, capsys):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N_ROWS, 2))
    data = pd.DataFrame(X, columns=["a", "b"]).assign(t=X @ [3, -2])
    comparison, path = saved(data, tmp_path, "Ridge")
    found, _ = predict(capsys, path, tmp_path / "table.csv")
    assert found.columns.tolist() == ["t"]
    expected = fit_to_all_rows(comparison).predict(data[["a", "b"]])
    np.testing.assert_allclose(found["t"], expected)
    assert np.corrcoef(found["t"], data["t"])[0, 1] > 0.99


def test_columns_may_come_in_another_order_and_without_ignored_ones(
    model, tmp_path, capsys
):
    data = table_of_all_kinds()
    data.to_csv(tmp_path / "all.csv", index=False)
    expected, _ = predict(capsys, model, tmp_path / "all.csv")
    fewer = data[["since", "note", "colour", "age"]].assign(more="x")
    fewer.to_csv(tmp_path / "fewer.csv", sep=";", index=False, encoding="utf-16")
    found, _ = predict(capsys, model, tmp_path / "fewer.csv")
    pd.testing.assert_frame_equal(found, expected)


def test_unknown_categories_and_missing_cells_are_predicted(model, tmp_path, capsys):
    data = table_of_all_kinds().head(5).astype({"age": object})
    data["colour"], data["note"], data["since"] = "unseen", None, "?"
    data.loc[2, "age"] = "many"
    data.to_csv(tmp_path / "new.csv", index=False)
    found, err = predict(capsys, model, tmp_path / "new.csv")
    assert len(found) == 5
    np.testing.assert_allclose(found.iloc[:, 1:].sum(axis=1), 1, atol=1e-5)
    assert err == (
        "sklearn_bayeslazy: column 'age': 1 of 5 cells cannot be read as the numbers "
        "of fit and are taken as missing, for example 'many'; column 'colour': no cell "
        "is a category of fit, for example 'unseen'\n"
        "sklearn_bayeslazy: no cell is known in 'note', 'since'\n"
    )


def test_a_column_of_words_for_missing_numbers_is_predicted(model, tmp_path, capsys):
    data = table_of_all_kinds().head(3).astype({"age": object}).assign(age="n.b.")
    data.to_csv(tmp_path / "new.csv", index=False)
    found, err = predict(capsys, model, tmp_path / "new.csv")
    assert len(found) == 3
    assert "no cell is known in 'age'" in err


def test_a_last_row_with_a_word_for_totals_is_predicted(model, tmp_path, capsys):
    data = table_of_all_kinds().head(3).astype({"age": object})
    data.loc[2] = ["Total", "", "", "", "", "", ""]
    data.to_csv(tmp_path / "new.csv", index=False)
    assert len(predict(capsys, model, tmp_path / "new.csv")[0]) == 3


def test_output_file(model, tmp_path, capsys):
    table, output = tmp_path / "table.csv", tmp_path / "out.csv"
    table_of_all_kinds().to_csv(table, index=False)
    expected, _ = predict(capsys, model, table)
    assert main(["predict", model, str(table), "--output", str(output)]) == 0
    assert capsys.readouterr().out == ""
    pd.testing.assert_frame_equal(pd.read_csv(output), expected)
    for same in (table, model):
        content = Path(same).read_bytes()
        assert "this is the" in error_of(capsys, model, table, "--output", same)
        assert Path(same).read_bytes() == content


def test_hostile_tables(model, tmp_path, capsys):
    data = table_of_all_kinds()
    path = tmp_path / "new.csv"
    data.drop(columns=["age", "note"]).to_csv(path, index=False)
    assert "there is no column 'age' for the model" in error_of(capsys, model, path)
    data.rename(columns=str.title).to_csv(path, index=False)
    assert "close matches: 'Age'" in error_of(capsys, model, path)
    data.assign(age="old").to_csv(path, index=False)
    assert "has learnt numbers from the column 'age'" in error_of(capsys, model, path)
    for content in (b"", b"age,colour,note,since\n", b"\0\1\2" * 99, b"a,b\n1\n"):
        path.write_bytes(content)
        assert str(path) in error_of(capsys, model, path)
    assert "directory" in error_of(capsys, model, tmp_path)
    assert "No such file" in error_of(capsys, model, tmp_path / "absent.csv")


def test_hostile_models(model, tmp_path, capsys):
    table = tmp_path / "new.csv"
    table_of_all_kinds().to_csv(table, index=False)
    assert "irectory" in error_of(capsys, tmp_path, table)
    assert "No such file" in error_of(capsys, tmp_path / "absent.joblib", table)
    assert "not a model that --save wrote" in error_of(capsys, table, table)
    other = tmp_path / "other.joblib"
    for content in (b"", Path(model).read_bytes()[:500]):
        other.write_bytes(content)
        assert "not a model that --save wrote" in error_of(capsys, other, table)
    joblib.dump({"a": 1}, other)
    assert "not a model that --save wrote" in error_of(capsys, other, table)


class Touch:
    """An object whose pickle creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_named_skops_is_not_run(tmp_path, capsys):
    pytest.importorskip("skops")
    table_of_all_kinds().to_csv(tmp_path / "new.csv", index=False)
    joblib.dump(Touch(tmp_path / "created"), tmp_path / "evil.skops")
    message = error_of(capsys, tmp_path / "evil.skops", tmp_path / "new.csv")
    assert "no skops file" in message
    assert not (tmp_path / "created").exists()


@pytest.mark.parametrize(
    ("learner", "table"),
    [
        ("MEstimateNB, loo", table_of_all_kinds),
        ("BeliefNetworkClassifier, fan", table_without_text),
        ("CategoricalNB", table_without_text),
        ("TextNB", table_of_all_kinds),
    ],
)
def test_skops_predicts_as_joblib(learner, table, tmp_path, capsys):
    pytest.importorskip("skops")
    comparison, path = saved(table(), tmp_path, learner)
    safe = saved_as(comparison, tmp_path, "skops")
    expected, _ = predict(capsys, path, tmp_path / "table.csv")
    found, _ = predict(capsys, safe, tmp_path / "table.csv")
    pd.testing.assert_frame_equal(found, expected)


def test_skops_files_with_other_types_are_refused(model, tmp_path, capsys):
    sio = pytest.importorskip("skops.io")
    data = table_without_text()
    data.to_csv(tmp_path / "new.csv", index=False)
    table = read_dataset(tmp_path / "new.csv")
    forest = compare(table, learners_for(table, ["RandomForest"]), n_folds=2)
    path = tmp_path / "forest.skops"
    content, note, _ = save(forest, path)
    assert "sklearn.tree._tree.Tree" in note
    path.write_bytes(content)
    message = error_of(capsys, path, tmp_path / "new.csv")
    assert "not trusted: sklearn.tree._tree.Tree" in message
    pipeline = load_model(model)
    pipeline.steps[0][1].kinds = {"a": os.system}
    sio.dump(pipeline, path)
    assert "posix.system" in error_of(capsys, path, tmp_path / "new.csv")


def test_without_skops_the_command_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setitem(sys.modules, "skops", None)
    data = table_of_all_kinds()
    data.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.skops"
    assert main([str(tmp_path / "t.csv"), "--save", str(model)]) == 2
    message = "the command line needs skops: pip install"
    assert message in capsys.readouterr().err
    model.write_bytes(b"PK")
    assert message in error_of(capsys, model, tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sklearn_bayeslazy.naive_bayes._m_estimate_nb.MEstimateNB", True),
        ("sklearn_bayeslazy.tabular.cleaning._columns.join_documents", True),
        ("sklearn_bayeslazy.naive_bayes._m_estimate_nb.np", False),
        ("sklearn_bayeslazy.compare._saved_model.predict_file", False),
        ("sklearn_bayeslazy.compare._options.Path", False),
        ("sklearn_bayeslazy.compare._model_files.os.replace", False),
        ("sklearn_bayeslazy.__main__.main", False),
        ("sklearn_bayeslazy.tabular.cleaning._columns.read_cells", False),
        ("sklearn_bayeslazy.tabular.cleaning._columns.absent", False),
        ("sklearn_bayeslazy_other.Thing", False),
        ("os.system", False),
        ("", False),
    ],
)
def test_trusted_types(name, expected):
    assert is_trusted(name) is expected


def test_the_command_saves_and_predicts(tmp_path, capsys):
    table, model = tmp_path / "t.csv", tmp_path / "m.joblib"
    table_without_text().to_csv(table, index=False)
    options = ["--learners", "CategoricalNB", "--folds", "2", "--save", str(model)]
    assert main([str(table), *options]) == 0
    assert f"fitted to all {N_ROWS} rows: {model}\n" in capsys.readouterr().out
    found, _ = predict(capsys, model, table)
    assert set(found["y"]) <= {"go", "stay"}
    assert main(["predict", str(model), str(table)]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == N_ROWS + 1


def test_categories_compare_as_strings_in_a_later_file(tmp_path, capsys):
    versions = ["1.0", "1.10", "2.0", "beta"]
    y = ["yes" if i % 4 in (1, 3) else "no" for i in range(120)]
    data = pd.DataFrame({"version": versions * 30, "crash": y})
    _, path = saved(data, tmp_path)
    # Without "beta" pandas would read numbers, and 1.10 would be 1.1.
    for some in (versions, versions[:3], ["1.10"]):
        pd.DataFrame({"version": some}).to_csv(tmp_path / "new.csv", index=False)
        found, err = predict(capsys, path, tmp_path / "new.csv")
        assert found["crash"].tolist() == [y[versions.index(one)] for one in some]
        assert err == ""


def test_a_model_of_a_sample_is_fitted_to_all_rows(tmp_path, capsys):
    table, model = tmp_path / "t.csv", tmp_path / "m.joblib"
    pd.concat([table_without_text()] * 3).to_csv(table, index=False)
    options = ["--learners", "CategoricalNB", "--folds", "2", "--sample", "40"]
    assert main([str(table), *options, "--save", str(model)]) == 0
    out = capsys.readouterr().out
    assert f"A random 40 of the {3 * N_ROWS} rows are compared (--sample)." in out
    assert f"fitted to all {3 * N_ROWS} rows: {model}\n" in out


def test_a_wrong_order_of_the_files_is_explained(model, tmp_path, capsys):
    path = tmp_path / "new.csv"
    table_of_all_kinds().to_csv(path, index=False)
    message = error_of(capsys, path, model)
    assert message.endswith(f"the model comes first: predict {model} {path}\n")
