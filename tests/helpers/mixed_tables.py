"""A table with every kind of cell, and mixed distances by plain loops over cells."""

import math

import numpy as np
import pandas as pd

from sklearn_bayeslazy.search._mixed_rows._embedding import TableEmbedding
from sklearn_bayeslazy.tabular._read import read_table

SYMBOLS = ("colour", "size", "fast", "doors")


def mixed_frame(n=40, seed=0):
    """Return a frame of strings, categories, booleans, numbers and missing cells."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n).astype(object),
            "price": rng.normal(100, 30, n),
            "size": pd.Categorical(rng.choice(["S", "M"], n), ["S", "M", "XL"]),
            "fast": rng.random(n) < 0.4,
            "age": rng.integers(0, 9, n),
            "doors": pd.Categorical(rng.choice([2, 4], n)),
        }
    )
    frame.loc[rng.random(n) < 0.2, ["colour", "size"]] = None
    frame.loc[rng.random(n) < 0.2, "price"] = np.nan
    return frame


def numbered_frame(n=40):
    """Return the same with a number in each row that no other row has."""
    # Copies of rows that may be equal by chance are other observations.
    return mixed_frame(n).assign(price=np.random.default_rng(4).normal(100, 30, n))


def classes_of(frame, seed=0):
    """Return classes 0 to 2 that depend on some of the columns."""
    noise = np.random.default_rng(seed).normal(size=len(frame))
    score = frame["fast"] * 1.0 + (frame["age"] > 4) + 0.7 * noise
    return np.digitize(score, [0.5, 1.3])


def embed(frame, targets, weight=None, **options):
    """Return the table of a frame, the weights, and the embedding that they give."""
    table = read_table(frame)
    weight = np.ones(len(frame)) if weight is None else np.asarray(weight, float)
    return table, weight, TableEmbedding(table, targets, weight, **options)


def missing(cell):
    return cell is None or cell is pd.NA or cell != cell


def hvdm(frame, classes, m, a, b):
    """Return HVDM between two lists of cells; statistics are those of the frame."""
    n_classes = max(classes) + 1
    prior = [sum(c == k for c in classes) / len(classes) for k in range(n_classes)]

    def share(cells, value, k):  # the m-estimate of P(k | value)
        if missing(value):
            return prior[k]
        same = [c for cell, c in zip(cells, classes) if cell == value]
        return (sum(c == k for c in same) + m * prior[k]) / (len(same) + m)

    squared = 0.0
    for j, name in enumerate(frame):
        cells = frame[name].tolist()
        if name in SYMBOLS:
            squared += sum(
                (share(cells, a[j], k) - share(cells, b[j], k)) ** 2
                for k in range(n_classes)
            )
            continue
        known = [x for x in cells if not missing(x)]
        mean = sum(known) / len(known)
        sigma = math.sqrt(sum((x - mean) ** 2 for x in known) / (len(known) - 1))
        u, v = (mean if missing(cell) else cell for cell in (a[j], b[j]))
        squared += ((u - v) / (4 * sigma)) ** 2
    return math.sqrt(squared)


def cells_of(frame):
    """Return the rows of a frame as lists of cells."""
    return [list(row) for row in zip(*(frame[name].tolist() for name in frame))]
