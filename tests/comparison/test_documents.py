"""What counts as free text, and how the text of a row is joined."""

import numpy as np
import pytest
from sentences import sentences

from sklearn_bayeslazy._comparison._documents import (
    MIN_TEXTS,
    count_words,
    join_documents,
    reads_as_text,
)

MISSING = [np.nan] * 100


def column(cells):
    return np.array(cells, dtype=object)


@pytest.mark.parametrize(
    "cells",
    [
        sentences(40),
        sentences(MIN_TEXTS) + MISSING,
        [f'He said, "{text}"\nand, left' for text in sentences(40)],
        [text.replace("movie", "фильм") for text in sentences(40)],
        sentences(40) + ["no comment"] * 20,
        [*sentences(40), "x" * 100_000, "1" * 100_000],
    ],
    ids=["sentences", "holes", "quotes", "letters", "canned", "long cells"],
)
def test_text(cells):
    assert reads_as_text(column(cells))


@pytest.mark.parametrize(
    "cells",
    [
        [f"Smith, John {i}" for i in range(40)],
        [f"Brown, Mrs. James J. (Margaret{i * 'a'})" for i in range(40)],
        [f"ABC-{i:04}-XY-{i % 7}" for i in range(40)],
        [f"/home/user name/file {i}.txt" for i in range(40)],
        [f"https://example.org/a/{i}/the-most-read-story" for i in range(40)],
        [f"2024-01-{1 + i % 28:02} 10:{i:02}:00" for i in range(40)],
        [
            f"Sat Mar 12 2011 10:{i:02}:00 GMT+0000 (Coordinated Universal Time)"
            for i in range(40)
        ],
        [f"{i} {i + 1} {i + 2} {i + 3} {i + 4} {i + 5}" for i in range(40)],
        ["A b c d e f g h i j k"[:i] for i in range(1, 22)],
        sentences(3) * 20,
        ["the passenger was in the third class", "first class"] * 20,
        sentences(MIN_TEXTS - 1) + MISSING,
        [],
        MISSING,
    ],
    ids=[
        "names",
        "long names",
        "codes",
        "paths",
        "addresses",
        "dates",
        "spelt dates",
        "numbers",
        "letters",
        "few sentences",
        "long categories",
        "hardly any",
        "no rows",
        "all missing",
    ],
)
def test_no_text(cells):
    assert not reads_as_text(column(cells))


def test_numbers_are_no_text():
    assert not reads_as_text(np.arange(40.0))


@pytest.mark.parametrize(
    ("cell", "n"),
    [("", 0), ("a b c", 0), ("12 34.5", 0), ("Don't!", 1), ("J. R. (Tom) x2y", 1)],
)
def test_words_have_two_letters_side_by_side(cell, n):
    assert count_words(cell) == n


def test_known_cells_of_a_row_are_joined_by_a_line_end():
    cells = np.array([["a", "b"], ["a", np.nan], [np.nan] * 2], dtype=object)
    documents = join_documents(cells)
    assert documents.dtype == object
    assert documents.tolist() == ["a\nb", "a", ""]
