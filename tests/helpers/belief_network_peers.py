"""Write the results of pyAgrum's exact inference and greedy hill climbing.

``python tests/helpers/belief_network_peers.py``, where pyAgrum and the package are
installed, reads the shared networks and writes tests/belief_network/peers.json.

- pyAgrum reads the numbers of BIF in single precision, and does not scale rows that do
  not sum to one. Its numbers are compared with ours. Then its tables are replaced by
  ours, in double precision and with rows that sum to one.
- Names of states that it does not accept are replaced in the text. States are
  identified by their positions.
- The last digit of its posteriors differs from run to run.
- Its BIC is ours divided by ln 2. Its BDeu differs slightly from ours: version 3.3.1
  rounds ln Γ(x) at small x to hundredths. Only the arcs of its graphs are stored; our
  function scores them.
"""

import datetime
import json
import re
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_bayeslazy.belief_network._bif import read_bif
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.testing import shared_data

OBSERVED = (0.0, 0.1, 0.2, 0.3, 0.4)  # the shares of observed nodes
SINGLE_PRECISION = 2e-7  # the error of a rounded probability in single precision
SEARCHED = ("asia", "sachs", "child", "insurance", "hailfinder")
ROWS, MAX_PARENTS = 5000, 3


def drawn(network):
    """Return rows of codes for structure learning, without codes of absent values."""
    codes = sample(network, ROWS, np.random.RandomState(0))
    columns = [np.unique(column, return_inverse=True)[1] for column in codes.T]
    return np.stack(columns, axis=1).astype("<i4")


def frame_of(codes, names):
    """Return rows of codes as a frame of strings with the nodes' names."""
    return pd.DataFrame(codes, columns=list(names)).map(lambda code: f"value {code}")


def checksum(codes):
    """Return a checksum of rows, by which a test checks that it drew the same rows."""
    return zlib.crc32(np.ascontiguousarray(codes).tobytes())


def with_plain_states(text):
    """Return a BIF text without state names such as "<5" and "Asy/Patch"."""
    lists = re.findall(r"type discrete \[ \d+ \] \{([^}]*)\}", text)
    states = {state.strip() for names in lists for state in names.split(",")}
    odd = sorted(state for state in states if not re.fullmatch(r"\w+", state))
    for i, state in enumerate(odd):
        text = re.sub(rf"(?<=[ (]){re.escape(state)}(?=[ ,)])", f"odd_{i}", text)
    return text


def peer_of(text, network):
    """Return pyAgrum's network of a BIF text, with our tables."""
    import pyagrum

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.bif"
        path.write_text(with_plain_states(text), encoding="utf-8")
        peer = pyagrum.loadBN(str(path))
    assert set(peer.names()) == set(network.names)
    for node, name in enumerate(network.names):
        cpt = peer.cpt(name)
        axes = [network.names[parent] for parent in network.parents[node]] + [name]
        table = np.transpose(
            network.tables[node], [axes.index(axis) for axis in reversed(cpt.names)]
        )
        np.testing.assert_allclose(cpt.toarray(), table, rtol=0, atol=SINGLE_PRECISION)
        cpt[:] = np.ascontiguousarray(table)
        np.testing.assert_array_equal(cpt.toarray(), table)
    return peer


def answer_query(network, peer, row, share, rng):
    """Return a share of a row as evidence, its probability, and posteriors given it."""
    import pyagrum

    nodes = rng.permutation(network.n_nodes)
    observed, hidden = np.split(nodes, [round(share * network.n_nodes)])
    evidence = {network.names[node]: int(row[node]) for node in sorted(observed)}
    query_names = [network.names[node] for node in sorted(hidden[: rng.randint(3, 7)])]
    inference = pyagrum.LazyPropagation(peer)
    inference.setNumberOfThreads(1)
    inference.setEvidence(evidence)
    inference.makeInference()
    return {
        "evidence": {
            name: network.values[network.names.index(name)][value]
            for name, value in evidence.items()
        },
        "probability": inference.evidenceProbability(),
        "posteriors": {
            name: inference.posterior(name).tolist() for name in query_names
        },
    }


def climb(frame, score):
    """Return the arcs of greedy hill climbing from the empty graph, by name."""
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.useGreedyHillClimbing()
    learner.setMaxIndegree(MAX_PARENTS)
    if score == "bic":
        learner.useScoreBIC()
        learner.useSmoothingPrior(1e-9)
    else:
        learner.useScoreBDeu()  # with an equivalent sample of size 1
        learner.useNoPrior()
    names = learner.names()
    return sorted([names[p], names[c]] for p, c in learner.learnDAG().arcs())


def main():
    """Write the file."""
    import pyagrum

    posteriors, graphs = {}, {}
    for path in sorted((shared_data() / "bif").glob("*.bif")):
        text = path.read_text(encoding="utf-8")
        network, name = read_bif(text), path.stem
        peer, rng = peer_of(text, network), np.random.RandomState(0)
        rows = sample(network, len(OBSERVED), rng)
        posteriors[name] = [
            answer_query(network, peer, row, share, rng)
            for row, share in zip(rows, OBSERVED)
        ]
        if name in SEARCHED:
            codes = drawn(network)
            frame = frame_of(codes, network.names)
            graphs[name] = {"rows": checksum(codes)}
            graphs[name] |= {score: climb(frame, score) for score in ("bic", "bdeu")}
    answers = {
        "made": {
            "date": str(datetime.date.today()),
            "pyagrum": pyagrum.__version__,
            "numpy": np.__version__,
        },
        "posteriors": posteriors,
        "hill_climbing": graphs,
    }
    path = Path(__file__).parents[1] / "belief_network" / "peers.json"
    path.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
