"""Deleted cells of real tables: `complete` beside the mode and a belief network.

Code under test: `neighbors/_cases/_completion.py`.
"""

import numpy as np

from benchmarks.accuracy._case_completion import (
    CASES,
    MODE,
    NETWORK,
    recovered_shares,
    split_and_delete,
    symbolic_table,
)
from tests.helpers.shared import shared_path

# Few rows, and some of the columns: the test takes seconds.
MUSHROOM = "cap-color bruises? odor gill-size gill-color stalk-shape stalk-root"
MUSHROOM += " ring-type spore-print-color population habitat"
SOYBEAN = "leaves plant-stand precip canker-lesion fruit-pods seed-size germination"
COLUMNS = {"zoo": None, "mushroom": MUSHROOM, "soybean": SOYBEAN}


def test_complete_recovers_more_cells_than_the_mode_and_a_belief_network():
    shares = []
    for table, columns in COLUMNS.items():
        shared_path(f"{table}.csv")
        X, y = symbolic_table(table, 250)
        X = X if columns is None else X[columns.split()]
        shares.append(recovered_shares(X, y, *split_and_delete(X, 0)))
        assert shares[-1][CASES] > shares[-1][MODE], table
    means = {name: np.mean([one[name] for one in shares]) for name in shares[0]}
    assert means[CASES] >= means[NETWORK]
