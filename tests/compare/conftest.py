"""Tables on disk for the tests of the command line."""

import csv

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    """Set a width at which no line of the output is wrapped."""
    monkeypatch.setenv("COLUMNS", "150")


@pytest.fixture
def write_table(tmp_path):
    """Return a function that writes a header and rows as a CSV file."""

    def write(header, rows, name="table.csv"):
        path = tmp_path / name
        with open(path, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([header, *rows])
        return path

    return write


@pytest.fixture(scope="session")
def mixed_rows():
    """Return 60 rows of word, number and class; the word gives the class; some miss."""
    rng = np.random.default_rng(0)
    words = rng.choice(["red", "green"], size=60)
    numbers = rng.normal(size=60).round(6).astype(object)
    labels = np.where(words == "red", "stop", "go")
    words[::7] = ""
    numbers[::5] = ""
    return list(zip(words, numbers, labels))
