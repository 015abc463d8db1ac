"""The folder of the shared data sets, and its tables."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent


def data_folder():
    """Return the folder BAYESLAZY_DATA, by default ``../shared/data``."""
    return Path(os.environ.get("BAYESLAZY_DATA", ROOT.parent / "shared" / "data"))


def table_path(name):
    """Return the path of a table: a CSV file, which may be gzipped."""
    path = data_folder() / f"{name}.csv"
    return path if path.exists() else path.with_suffix(".csv.gz")


def read_table(name, max_rows=None):
    """Return the features and the target of a table; only empty cells are missing.

    A table of more than `max_rows` rows is replaced by a random sample of them.
    """
    table = pd.read_csv(table_path(name), keep_default_na=False, na_values=[""])
    # In adult, this column names the part of the original split.
    table = table.drop(columns="split", errors="ignore")
    X, y = table.drop(columns="target"), table["target"].to_numpy()
    if max_rows is not None and len(X) > max_rows:
        rows = np.random.default_rng(0).choice(len(X), max_rows, replace=False)
        X, y = X.iloc[rows].reset_index(drop=True), y[rows]
    return X, y
