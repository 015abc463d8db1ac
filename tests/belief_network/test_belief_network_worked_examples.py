"""A network of lung cancer: tables, chain products and draws, by hand.

The graph and the table of lung cancer are those of Han & Kamber (2006), Data Mining,
chapter 6. The other tables are made up for these tests.

Code under test: `belief_network/_network.py`, `belief_network/_tables.py`.
"""

from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.belief_network._network import Network, parents_of_arcs
from tests.helpers.shared import shared_path

NAMES = (
    "FamilyHistory",
    "Smoker",
    "LungCancer",
    "Emphysema",
    "PositiveXRay",
    "Dyspnea",
)
ARCS = [
    ("FamilyHistory", "LungCancer"),
    ("Smoker", "LungCancer"),
    ("Smoker", "Emphysema"),
    ("LungCancer", "PositiveXRay"),
    ("LungCancer", "Dyspnea"),
    ("Emphysema", "Dyspnea"),
]
VALUES = ("no", "yes")
# P(yes | parents), of parents in the order of NAMES, "no" before "yes"
P_YES = {
    "FamilyHistory": 0.3,
    "Smoker": 0.4,
    "LungCancer": [[0.1, 0.7], [0.5, 0.8]],
    "Emphysema": [0.1, 0.45],
    "PositiveXRay": [0.05, 0.9],
    "Dyspnea": [[0.1, 0.6], [0.65, 0.85]],
}
# Forty people: a column for each of NAMES, and the number of such people. Each
# combination of history and smoking has ten, of whom 8, 5, 7 and 1 have cancer.
COUNTED = """
    yes yes  yes  yes yes yes  4
    yes yes  yes  yes yes no   1
    yes yes  yes  no  yes yes  2
    yes yes  yes  no  no  no   1
    yes yes  no   yes no  yes  1
    yes yes  no   no  no  no   1
    yes no   yes  no  yes yes  2
    yes no   yes  no  yes no   2
    yes no   yes  yes no  yes  1
    yes no   no   no  no  no   4
    yes no   no   no  yes no   1
    no  yes  yes  yes yes yes  4
    no  yes  yes  no  yes yes  1
    no  yes  yes  no  yes no   1
    no  yes  yes  yes no  no   1
    no  yes  no   yes no  yes  1
    no  yes  no   no  no  no   1
    no  yes  no   no  no  yes  1
    no  no   yes  no  yes yes  1
    no  no   no   no  no  no   7
    no  no   no   no  yes no   1
    no  no   no   yes no  no   1
"""
# An error of more than five standard errors has a probability of about 6e-7.
MAX_STANDARD_ERRORS = 5
MIN_P_VALUE = 1e-6
# Pearson's statistic follows χ² only if no expected count is much smaller.
MIN_EXPECTED = 5


def lung_cancer_network():
    tables = [np.stack([1 - np.array(P_YES[n]), P_YES[n]], axis=-1) for n in NAMES]
    parents = parents_of_arcs(ARCS, NAMES)
    return Network(NAMES, (VALUES,) * len(NAMES), parents, tuple(tables))


def fitted(kind, frame):
    """Return a model with these arcs, whose tables are relative frequencies."""
    if kind is BeliefNetwork:
        return kind(ARCS, m=0).fit(frame)
    model = kind(ARCS, m=0, prior="uniform", calibration=None)
    return model.fit(frame.drop(columns="LungCancer"), frame["LungCancer"])


def forty_people():
    rows = [line.split() for line in COUNTED.split("\n") if line.strip()]
    times = [int(row.pop()) for row in rows]
    return pd.DataFrame(np.repeat(rows, times, axis=0), columns=NAMES)


@pytest.mark.parametrize("kind", [BeliefNetwork, BeliefNetworkClassifier])
def test_tables_are_recovered_from_many_rows(kind):
    network = lung_cancer_network()
    codes = sample(network, 30_000, np.random.RandomState(0))
    frame = pd.DataFrame(np.array(VALUES)[codes], columns=NAMES)
    found = fitted(kind, frame).network_
    assert set(found.arcs()) == set(ARCS)
    for name in NAMES:
        node = found.names.index(name)
        given = [found.names[parent] for parent in found.parents[node]]
        parents = network.parents[NAMES.index(name)]
        # In the classifier's network the class comes last.
        order = [given.index(NAMES[parent]) for parent in parents]
        table = np.transpose(found.tables[node], [*order, len(order)])[..., 1]
        for combination, p in np.ndenumerate(np.array(P_YES[name])):
            n_rows = np.sum((codes[:, list(parents)] == combination).all(axis=1))
            error = np.sqrt(p * (1 - p) / n_rows)
            assert abs(table[combination] - p) < MAX_STANDARD_ERRORS * error


# Half of the 40 people have the history and half smoke. P(yes | parents) by counting is
# cancer 8/10, 5/10, 7/10, 1/10; emphysema 12/20 with smoking, 2/20 without;
# x-ray 18/21 with cancer, 2/19 without; dyspnea 9/11 with cancer and emphysema, 6/10
# with cancer, 2/3 with emphysema, 1/16 with neither.
CHAINS = [
    ("yes yes yes yes yes yes", 1 / 2 * 1 / 2 * 8 / 10 * 12 / 20 * 18 / 21 * 9 / 11),
    ("yes no yes no yes no", 1 / 2 * 1 / 2 * 5 / 10 * 18 / 20 * 18 / 21 * 4 / 10),
    ("no yes no yes no yes", 1 / 2 * 1 / 2 * 3 / 10 * 12 / 20 * 17 / 19 * 2 / 3),
    ("no no yes yes no no", 1 / 2 * 1 / 2 * 1 / 10 * 2 / 20 * 3 / 21 * 2 / 11),
    ("no no no no yes no", 1 / 2 * 1 / 2 * 9 / 10 * 18 / 20 * 2 / 19 * 15 / 16),
    # unobserved descendants sum to 1
    ("yes yes yes ? ? ?", 1 / 2 * 1 / 2 * 8 / 10),
    ("no yes no yes ? ?", 1 / 2 * 1 / 2 * 3 / 10 * 12 / 20),
    # over the four combinations of parents: 1/4 (8 + 5 + 7 + 1) / 10
    ("? ? yes ? ? ?", 21 / 40),
    ("? yes ? ? yes ?", 1 / 2 * (15 / 20 * 18 / 21 + 5 / 20 * 2 / 19)),
]


@pytest.mark.parametrize(("row", "p"), CHAINS, ids=[row for row, _ in CHAINS])
def test_the_probability_of_a_row_is_its_chain_product(row, p):
    model = fitted(BeliefNetwork, forty_people())
    cells = [None if cell == "?" else cell for cell in row.split()]
    frame = pd.DataFrame([cells], columns=NAMES, dtype=object)
    np.testing.assert_allclose(model.score_samples(frame), log(p), rtol=0, atol=1e-12)


def test_the_joint_of_the_classifier_is_the_chain_product():
    model = fitted(BeliefNetworkClassifier, forty_people())
    cells = ["yes", "yes", "yes", "yes", "yes"]
    frame = pd.DataFrame([cells], columns=[n for n in NAMES if n != "LungCancer"])
    healthy = 1 / 2 * 1 / 2 * 2 / 10 * 12 / 20 * 2 / 19 * 2 / 3
    ill = 1 / 2 * 1 / 2 * 8 / 10 * 12 / 20 * 18 / 21 * 9 / 11
    np.testing.assert_allclose(
        model.predict_joint_log_proba(frame), [[log(healthy), log(ill)]], atol=1e-12
    )
    # 1/2, 1/2 and 12/20 cancel out
    odds = (8 / 10 * 18 / 21 * 9 / 11) / (2 / 10 * 2 / 19 * 2 / 3)
    np.testing.assert_allclose(
        model.predict_proba(frame), [[1 / (1 + odds), odds / (1 + odds)]], rtol=1e-12
    )


def test_queries_for_lung_cancer_given_its_parents():
    model = fitted(BeliefNetwork, forty_people())
    for history, smoker, p in [
        ("yes", "yes", 8 / 10),
        ("yes", "no", 5 / 10),
        ("no", "yes", 7 / 10),
        ("no", "no", 1 / 10),
    ]:
        evidence = {"FamilyHistory": history, "Smoker": smoker}
        found = model.query(evidence, "LungCancer").probabilities
        np.testing.assert_allclose(found, [1 - p, p], rtol=0, atol=1e-12)


@pytest.mark.parametrize("bif_name", ["asia", "insurance"])
def test_samples_follow_each_table_by_chi_squared(bif_name):
    """Values whose expected counts are small are merged."""
    model = BeliefNetwork.from_bif(shared_path("bif", f"{bif_name}.bif"))
    network, drawn = model.network_, model.sample(30_000, random_state=0)
    codes = np.empty(drawn.shape, dtype=int)
    for node, values in enumerate(network.values):
        codes[:, node] = pd.Index(values).get_indexer(drawn[:, node])
    assert codes.min() >= 0
    for node, (parents, table) in enumerate(zip(network.parents, network.tables)):
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(codes[:, [*parents, node]].T), 1)
        assert not counts[table == 0].any()
        statistic, freedom = pearson(counts, table)
        assert freedom or np.isin(table, [0, 1]).all()
        p = chi2.sf(statistic, freedom) if freedom else 1.0
        assert p * network.n_nodes > MIN_P_VALUE, (
            network.names[node],
            statistic,
            freedom,
        )


def pearson(counts, table):
    """Return Pearson's statistic over all combinations of parents, and its freedom."""
    statistic, freedom, size = 0.0, 0, table.shape[-1]
    for row, p in zip(counts.reshape(-1, size), table.reshape(-1, size)):
        expected = row.sum() * p
        order = np.argsort(expected)
        enough = np.searchsorted(np.cumsum(expected[order]), MIN_EXPECTED) + 1
        n_merged = max(np.sum(expected < MIN_EXPECTED), enough)
        starts = [0, *range(n_merged, size)]
        merged_row = np.add.reduceat(row[order], starts)
        merged = np.add.reduceat(expected[order], starts)
        if len(starts) > 1:
            statistic += np.sum((merged_row - merged) ** 2 / merged)
            freedom += len(starts) - 1
    return statistic, freedom
