"""How many deleted cells of symbolic tables each method recovers.

A part of the rows is stored. Of the others some cells are deleted and filled again: by
the most frequent value of the column, by a belief network, and from similar cases.
"""

import numpy as np

from benchmarks._data import read_table
from sklearn_bayeslazy import BeliefNetwork, CaseBasedClassifier

MODE, NETWORK, CASES = "most frequent value", "BeliefNetwork", "CaseBasedClassifier"
# Names of the rows are no description.
NAMES = {"zoo": "animal"}
STORED, DELETED = 0.8, 0.2


def symbolic_table(name, max_rows):
    """Return a table whose cells are strings, None where missing, and the classes."""
    X, y = read_table(name, max_rows)
    X = X.drop(columns=NAMES.get(name, []))
    return X.astype(str).astype(object).where(X.notna(), None), y


def split_and_delete(X, seed):
    """Return stored rows, other rows, and which of the latter's cells are deleted."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    n_stored = int(STORED * len(X))
    stored, others = order[:n_stored], order[n_stored:]
    rest = X.iloc[others].reset_index(drop=True)
    deleted = (rng.random(rest.shape) < DELETED) & rest.notna().to_numpy()
    return stored, rest, deleted


def recovered_shares(X, y, stored, rest, deleted):
    """Return the share of the deleted cells that each method recovers, by its name."""
    known = X.iloc[stored].reset_index(drop=True)
    truth = rest.to_numpy()[deleted]
    queries = rest.mask(deleted, None)
    modes = [known[name].mode()[0] for name in known]
    filled = {
        MODE: np.broadcast_to(np.array(modes, dtype=object), rest.shape),
        NETWORK: np.asarray(BeliefNetwork().fit(known).impute(queries)),
        CASES: CaseBasedClassifier()
        .fit(known, y[stored])
        .complete(queries)[0]
        .to_numpy(),
    }
    return {name: np.mean(cells[deleted] == truth) for name, cells in filled.items()}
