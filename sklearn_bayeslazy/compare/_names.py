"""Repairs the names of columns: none, repeated, and a first column that counts rows."""

import numpy as np


def repair_names(names, columns):
    """Return unique names as pandas gives them, whether column 0 counts rows, notes."""
    # A first column without a name that counts the rows from 0 or 1 is an index. Its
    # name is left out here, and the caller drops the column.
    notes = []
    is_index = len(names) > 1 and _is_index(names[0], columns[0])
    if is_index:
        notes.append("the first column, which has no name, counts the rows: left out")
    # The numbers of unnamed columns count the index too, as those of pandas do.
    named = [name or f"Unnamed: {j}" for j, name in enumerate(names)][is_index:]
    if not all(names[is_index:]):
        missing = [n for n, given in zip(named, names[is_index:]) if not given]
        notes.append(f"columns without a name are now {', '.join(map(repr, missing))}")
    unique, repeated = [], []
    for name in named:
        new, n = name, 0
        while new in unique or (n and new in named):
            n += 1
            new = f"{name}.{n}"
        if n:
            repeated.append(new)
        unique.append(new)
    if repeated:
        notes.append(f"repeated names got numbers: {', '.join(map(repr, repeated))}")
    return unique, is_index, notes


def _is_index(name, column):
    if name and name != "Unnamed: 0":
        return False
    if column.dtype != float or len(column) == 0 or np.isnan(column).any():
        return False
    return bool((np.diff(column) == 1).all() and column[0] in (0, 1))
