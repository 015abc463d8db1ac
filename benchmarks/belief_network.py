"""The cases of belief networks: search for a graph, and classification, by pyAgrum.

Rows of strings are drawn from the network "insurance", of which the first 21 columns in
the order of the file are kept; the other six are hidden. Each side has one thread.

BNClassifier answers a row at a time, from the class's neighbours in the graph, and
takes no missing cell. With two classes it moves its probabilities so that the threshold
that it likes best on the training rows becomes one half; the class here has four
values, and its probabilities are as the network gives them.
"""

from functools import cache, partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks._harness import Agreement, Case, Data, timed
from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._counts import Rows
from sklearn_bayeslazy.belief_network._network import parents_of_arcs
from sklearn_bayeslazy.belief_network._structure._scores import FamilyScores
from sklearn_bayeslazy.testing import shared_data

N_COLUMNS = 21
CLASS = "Accident"
MISSING = 0.1
N_LESSONS = 20_000
MAX_PARENTS = 3
# pyAgrum wants a prior where its score is BIC; this one is next to none.
WEIGHT = 1e-9
# Two searches that end at the same score differ by rounding.
ROUNDING = 1e-9
# Two estimates of the same tables answer a few rows in a thousand differently, and are
# right about half of those.
TOLERANCE = 2e-3
# Filled rows are put to the peer beside the work that is timed.
N_FILLED = 2_000


class Answer(NamedTuple):
    """The labels of the rows, and the model that can be asked again."""

    labels: np.ndarray
    model: Any


@cache
def insurance():
    """Return the network from which rows are drawn."""
    return BeliefNetwork.from_bif(shared_data() / "bif" / "insurance.bif")


def people(rows, seed=0):
    """Return rows of strings, the class among them."""
    model = insurance()
    cells = model.sample(rows, random_state=seed)
    table = pd.DataFrame(cells, columns=model.feature_names_in_)
    return table.iloc[:, :N_COLUMNS]


def labelled(table):
    """Return a table without the class, and the class."""
    return table.drop(columns=CLASS), table[CLASS].to_numpy(dtype=object)


@cache
def lessons():
    """Return the rows from which either side learns to classify, beforehand."""
    return labelled(people(N_LESSONS, seed=1))


def table_data(rows):
    """Return rows for a search, which has no class."""
    return Data(people(rows), None, None, None)


def labelled_data(rows, missing=0.0):
    """Return rows to classify: X with holes for us, and X_new whole for the peer."""
    whole, y = labelled(people(rows))
    holes = np.random.default_rng(0).random(whole.shape) < missing
    return Data(whole.mask(holes) if missing else whole, y, whole, y)


def our_search(data):
    """Return our search; the table is read within the job."""
    model = BeliefNetwork(
        "hill_climbing", structure_score="bic", max_parents=MAX_PARENTS, n_jobs=1
    )
    return lambda: model.fit(data.X).structure_


def peer_search(data):
    """Return pyAgrum's greedy hill climbing; it, too, reads the table within the job.

    Both sides estimate the tables of the graph that they find.
    """
    import pyagrum

    def job():
        learner = pyagrum.BNLearner(data.X)
        learner.useGreedyHillClimbing()
        learner.useScoreBIC()
        learner.useSmoothingPrior(WEIGHT)
        learner.setMaxIndegree(MAX_PARENTS)
        learner.setNumberOfThreads(1)
        network = learner.learnBN()
        name = lambda node: network.variable(node).name()  # noqa: E731
        return [(name(parent), name(child)) for parent, child in network.arcs()]

    return job


def compare_graphs(data, ours, peer):
    """Compare the BIC of two graphs, both counted by our own function."""
    codes, values = zip(*(pd.factorize(data.X[name]) for name in data.X))
    rows = Rows.of(
        np.column_stack(codes), np.ones(len(data.X)), data.X, map(len, values)
    )
    score = FamilyScores(rows, "bic")
    scores = [score.total(parents_of_arcs(arcs, rows.names)) for arcs in (ours, peer)]
    return Agreement(
        bool(scores[0] >= scores[1] - ROUNDING * abs(scores[1])),
        "BIC {:.1f} / {:.1f}, {} / {} arcs".format(*scores, len(ours), len(peer)),
    )


@cache
def our_model(structure, **parameters):
    """Return our model of the lessons."""
    model = BeliefNetworkClassifier(structure, n_jobs=1, **parameters)
    return model.fit(*lessons())


@cache
def peer_model(method):
    """Return pyAgrum's model of the lessons.

    It is told all values of each column: at one that the lessons lack it would stop.
    """
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    types = DiscreteTypeProcessor()
    for name, values in zip(insurance().network_.names, insurance().network_.values):
        labels = "{" + "|".join(values) + "}"
        types.setDiscretizationParameters(name, "NoDiscretization", labels)
    model = BNClassifier(type_processor=types, learningMethod=method)
    return model.fit(*lessons())


def our_classifier(data, structure="tan", **parameters):
    """Return our job of classifying rows, by their probabilities."""
    model = our_model(structure, **parameters)

    def job():
        best = model.predict_proba(data.X).argmax(axis=1)
        return Answer(model.classes_[best], model)

    return job


def peer_classifier(data, method="TAN"):
    """Return pyAgrum's job on whole rows: `predict`, its quickest answer."""
    model = peer_model(method)
    return lambda: Answer(model.predict(data.X_new), model)


def rate(data, answer):
    """Return how many rows our model classifies in a second."""
    job = partial(answer.model.predict_proba, data.X)
    return len(data.X) / median(timed(job) for _ in range(3))


def compare_labels(data, ours, peer):
    """Compare the labels of all rows."""
    accuracies = [accuracy_score(data.y, answer.labels) for answer in (ours, peer)]
    text = "accuracy {:.4f} / {:.4f}; ours classifies {:,.0f} rows a second"
    return Agreement(
        bool(accuracies[0] >= accuracies[1] - TOLERANCE),
        text.format(*accuracies, rate(data, ours)),
    )


def compare_holes(data, ours, peer):
    """Compare labels of some rows with holes, which are filled for the peer.

    The commonest value is what the peer could be given instead of a hole. What it says
    of the whole rows is told, too: no answer from rows with holes need be as good.
    """
    text = compare_labels(data, ours, peer).text
    some, y = data.X[:N_FILLED], data.y[:N_FILLED]
    filled = some.fillna(lessons()[0].mode().iloc[0])
    labels = ours.labels[:N_FILLED], peer.model.predict(filled)
    accuracies = [accuracy_score(y, side) for side in labels]
    return Agreement(
        bool(accuracies[0] >= accuracies[1] - TOLERANCE),
        f"{text}; of {len(some):,} rows with holes, filled with the commonest value "
        "for the peer, {:.4f} / {:.4f}".format(*accuracies),
    )


def classifying_case(name, work, peer_name="BNClassifier", target=None, **parts):
    """Return a case of classification; what is not said is that of whole rows."""
    parts = {
        "data": labelled_data,
        "ours": our_classifier,
        "peer": peer_classifier,
        "agreement": compare_labels,
        **parts,
    }
    return Case(
        name=name,
        work=f"{work}, 20 columns of strings, 4 classes, one thread",
        peer_name=peer_name,
        target=target,
        size=100_000,
        quick_size=1_000,
        repeats=1,
        **parts,
    )


CASES = (
    Case(
        name="hill-climbing",
        work="hill climbing by BIC and the tables, 21 columns of strings, read within "
        "the time, at most 3 parents, one thread",
        peer_name="BNLearner, greedy hill climbing",
        target=1.0,
        size=20_000,
        quick_size=1_000,
        repeats=3,
        data=table_data,
        ours=our_search,
        peer=peer_search,
        agreement=compare_graphs,
    ),
    classifying_case("network-tan", "probabilities of classes by a TAN", target=100),
    classifying_case(
        "network-tan-holes",
        "the same, a tenth of the cells missing",
        peer_name="BNClassifier, no cell missing",
        data=partial(labelled_data, missing=MISSING),
        agreement=compare_holes,
    ),
    classifying_case(
        "network-climbed",
        "probabilities of classes by a graph from hill climbing (BIC)",
        ours=partial(our_classifier, structure="hill_climbing", structure_score="bic"),
        peer=partial(peer_classifier, method="GHC"),
    ),
)
