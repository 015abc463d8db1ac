"""The programs of README and guide that are no doctests run, on files of their kind."""

import re
from pathlib import Path

import numpy as np
import pytest

from sklearn_bayeslazy.datasets import load_horse_colic

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "doc/user_guide").glob("*.md"))]
# What a page takes for granted, and what is here in its place.
REPLACED = {
    'Client("tcp://scheduler:8786")': 'Client(processes=False, dashboard_address=":0")',
    "s3://bucket/events/": "events.parquet",
}


def programs(page):
    """Return the programs of a page; the test of the landing page runs its cards."""
    return PROGRAM.findall(page.read_text(encoding="utf-8"))


def events():
    """Return a mixed table with a column of classes."""
    X, y = load_horse_colic(as_frame=True, return_X_y=True)
    columns = ["Age", "pulse", "pain", "mucous_membranes"]
    return X[columns].assign(outcome=y).reset_index(drop=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a folder with the files that programs read from the working directory."""
    events().to_csv(tmp_path / "events.csv", index=False)
    events().to_parquet(tmp_path / "events.parquet")
    monkeypatch.chdir(tmp_path)


def test_programs_of_the_readme(folder, capsys):
    (program,) = programs(ROOT / "README.md")
    names = {}
    exec(program, names)
    score, *_ = capsys.readouterr().out.splitlines()
    # The loss by the shares of the classes alone is .66.
    assert -0.6 < float(score) < -0.3
    X, _ = load_horse_colic(as_frame=True, return_X_y=True)
    assert f"{100 * X.isna().to_numpy().mean():.0f} % missing" in program


def test_programs_about_files_that_do_not_fit_in_memory(folder):
    from_csv, from_parquet, _ = programs(ROOT / "doc/user_guide/large_data.md")
    names = {}
    exec(from_csv, names)
    model = names["model"]
    n_rows = len(events())
    assert model.class_count_.sum() == n_rows
    exec(from_parquet, names)
    again = type(model)().fit_blocks(names["blocks"])
    assert again.class_count_.sum() == n_rows
    assert again.distributions_ == model.distributions_


def test_the_program_about_dask(folder):
    pytest.importorskip("distributed")
    *_, program = programs(ROOT / "doc/user_guide/large_data.md")
    assert all(program.count(given) == 1 for given in REPLACED)
    for given, here in REPLACED.items():
        program = program.replace(given, here)
    names = {}
    try:
        exec(program, names)
        proba = names["probabilities"].compute()
    finally:
        names["client"].close()
    assert proba.shape == (len(events()), 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


def test_the_program_about_counts_of_words():
    (program,) = programs(ROOT / "doc/user_guide/text.md")
    texts = [
        "cheap pills cheap",
        "cheap flights now",
        "lunch today",
        "see you at lunch",
    ]
    names = {"texts": texts, "labels": ["spam", "spam", "ham", "ham"]}
    *program, last = program.splitlines()
    exec("\n".join(program), names)
    top = eval(last, names)
    assert "cheap" in str(top)


def test_no_other_page_has_programs():
    """A new one needs its test here, or becomes a doctest."""
    found = {page.name: len(programs(page)) for page in PAGES if programs(page)}
    assert found == {"README.md": 1, "large_data.md": 3, "text.md": 1}
