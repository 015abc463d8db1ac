"""Recognising columns of free text, and joining the text cells of a row."""

import numpy as np
import pytest

from sklearn_bayeslazy.tabular._raw_columns import MIN_TEXTS, count_words, is_free_text
from sklearn_bayeslazy.tabular.cleaning import join_documents
from tests.helpers.sentences import sentences

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
        sentences(40) + ["no comment"] * 400,
        sentences(60) * 2 + sentences(160)[60:],
        sentences(200) * 3,
        [*sentences(40), "x" * 100_000, "1" * 100_000],
    ],
    ids=[
        "sentences",
        "missing",
        "quotes",
        "Cyrillic",
        "repeated",
        "mostly one",
        "some twice",
        "many thrice",
        "long cells",
    ],
)
def test_sentences_are_free_text(cells):
    assert is_free_text(column(cells))


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
        "dates in words",
        "numbers",
        "single letters",
        "few distinct sentences",
        "long categories",
        "few known cells",
        "no rows",
        "all missing",
    ],
)
def test_labels_are_not_free_text(cells):
    assert not is_free_text(column(cells))


def test_numbers_are_not_free_text():
    assert not is_free_text(np.arange(40.0))


@pytest.mark.parametrize(
    ("cell", "n"),
    [("", 0), ("a b c", 0), ("12 34.5", 0), ("Don't!", 1), ("J. R. (Tom) x2y", 1)],
)
def test_count_words_counts_pieces_with_two_adjacent_letters(cell, n):
    assert count_words(cell) == n


def test_join_documents_joins_known_cells_by_line_ends():
    cells = np.array([["a", "b"], ["a", np.nan], [np.nan] * 2], dtype=object)
    documents = join_documents(cells, [0, 1])
    assert documents.dtype == object
    assert documents.tolist() == ["a\nb", "a", ""]
