"""Speed of belief networks beside pyAgrum: structure search and classification.

Rows of strings are drawn from the network "insurance". The first 21 columns in the
order of the file are kept; the other six are hidden. Each side has one thread.

The structure search by leave-one-out has a separate table: 60 columns of four values,
each depending on its left neighbor, and those in the middle on the class, as in DNA
around a splice junction. pyAgrum has no such score; it searches by BIC.

BNClassifier predicts one row at a time, from the Markov blanket of the class, and
refuses missing values. With two classes it shifts the probabilities so that a threshold
chosen on the training rows becomes one half. The class here has four values, so its
probabilities are those of the network.
"""

from functools import cache, partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss

from benchmarks._data import data_folder
from benchmarks.speed._harness import Agreement, Case, Data, timed
from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._counts import CodedRows
from sklearn_bayeslazy.belief_network._structure._left_out_score import LeaveOneOutScore

N_COLUMNS = 21
CLASS = "Accident"
MISSING_SHARE = 0.1
N_TRAINING_ROWS = 20_000
MAX_PARENTS = 3
# pyAgrum needs a prior for a search by BIC; this one has almost no effect.
PRIOR_WEIGHT = 1e-9
# Relative rounding error of the score of a graph.
SCORE_TOLERANCE = 1e-9
# Two estimates of the same tables classify a few rows in a thousand differently; each
# is right about half of them.
ACCURACY_TOLERANCE = 2e-3
# The peer also predicts this many imputed rows, which is not timed.
N_IMPUTED_ROWS = 2_000
# Both models of the search by leave-one-out predict this many new rows, not timed.
N_NEW_ROWS = 1_000
N_SITES = 60


class Answer(NamedTuple):
    """The labels of the rows, and the fitted model."""

    labels: np.ndarray
    model: Any


@cache
def insurance():
    """Return the network from which rows are drawn."""
    return BeliefNetwork.from_bif(data_folder() / "bif" / "insurance.bif")


def sample_rows(rows, seed=0):
    """Return rows of strings, including the class."""
    model = insurance()
    cells = model.sample(rows, random_state=seed)
    table = pd.DataFrame(cells, columns=model.feature_names_in_)
    return table.iloc[:, :N_COLUMNS]


def many_configurations(rows):
    """Return ten columns of 20 states, the last five like one of the first each."""
    rng = np.random.default_rng(0)
    cells = rng.integers(20, size=(rows, 10))
    copied = rng.random((rows, 5)) < 0.7
    cells[:, 5:] = np.where(copied, cells[:, :5], cells[:, 5:])
    names = [f"{kind}{j}" for kind in "pc" for j in range(5)]
    return Data(pd.DataFrame(cells, columns=names).astype(str), None, None, None)


def tables_task(*arcs):
    """Return a side that estimates the tables of a graph."""
    return lambda data: lambda: BeliefNetwork(list(arcs), n_jobs=1).fit(data.X)


def compare_fits(data, ours, peer):
    """Compare the log likelihoods of the training rows, better with more arcs."""
    scores = [model.score_samples(data.X).mean() for model in (ours, peer)]
    text = "log likelihood of a row {:.2f} / {:.2f}".format(*scores)
    return Agreement(bool(scores[0] > scores[1]), text)


def split_class(table):
    """Return a table without the class, and the class."""
    return table.drop(columns=CLASS), table[CLASS].to_numpy(dtype=object)


@cache
def training_rows():
    """Return the rows to which both classifiers are fitted, which is not timed."""
    return split_class(sample_rows(N_TRAINING_ROWS, seed=1))


def search_data(rows):
    """Return rows for a structure search, which has no class."""
    return Data(sample_rows(rows), None, None, None)


def classification_data(rows, missing=0.0):
    """Return rows to classify: X with missing values, and X_new complete."""
    complete, y = split_class(sample_rows(rows))
    is_missing = np.random.default_rng(0).random(complete.shape) < missing
    return Data(complete.mask(is_missing) if missing else complete, y, complete, y)


def our_search(data):
    """Return our task: read the table and search."""
    model = BeliefNetwork(
        "hill_climbing", structure_score="bic", max_parents=MAX_PARENTS, n_jobs=1
    )
    return lambda: model.fit(data.X).structure_


def peer_search(data):
    """Return pyAgrum's task: read the table and search by greedy hill climbing.

    Both sides also estimate the probability tables of the graph.
    """
    import pyagrum

    def task():
        learner = pyagrum.BNLearner(data.X)
        learner.useGreedyHillClimbing()
        learner.useScoreBIC()
        learner.useSmoothingPrior(PRIOR_WEIGHT)
        learner.setMaxIndegree(MAX_PARENTS)
        learner.setNumberOfThreads(1)
        network = learner.learnBN()
        name = lambda node: network.variable(node).name()  # noqa: E731
        return [(name(parent), name(child)) for parent, child in network.arcs()]

    return task


def compare_graphs(data, ours, peer):
    """Compare the BIC of two graphs."""
    scores = [bic(data.X, arcs) for arcs in (ours, peer)]
    return Agreement(
        bool(scores[0] >= scores[1] - SCORE_TOLERANCE * abs(scores[1])),
        "BIC {:.1f} / {:.1f}, {} / {} arcs".format(*scores, len(ours), len(peer)),
    )


def bic(table, arcs):
    """Return the BIC of a graph: log likelihood - log(n) / 2 * number of parameters."""
    model = BeliefNetwork(arcs, m=0, n_jobs=1).fit(table)
    n_parameters = sum(t.size - t.size // t.shape[-1] for t in model.network_.tables)
    penalty = np.log(len(table)) / 2 * n_parameters
    return float(model.score_samples(table).sum() - penalty)


@cache
def our_model(structure, **parameters):
    """Return our classifier, fitted to the training rows."""
    model = BeliefNetworkClassifier(structure, n_jobs=1, **parameters)
    return model.fit(*training_rows())


@cache
def peer_model(method):
    """Return pyAgrum's classifier, fitted to the training rows.

    It gets all values of each column: it raises an error at a value that it does not
    know.
    """
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    types = DiscreteTypeProcessor()
    for name, values in zip(insurance().network_.names, insurance().network_.values):
        labels = "{" + "|".join(values) + "}"
        types.setDiscretizationParameters(name, "NoDiscretization", labels)
    model = BNClassifier(type_processor=types, learningMethod=method)
    return model.fit(*training_rows())


def our_classifier(data, structure="tan", **parameters):
    """Return our task: classify rows by their probabilities."""
    model = our_model(structure, **parameters)

    def task():
        best = model.predict_proba(data.X).argmax(axis=1)
        return Answer(model.classes_[best], model)

    return task


def peer_classifier(data, method="TAN"):
    """Return pyAgrum's task: classify complete rows by its fastest method."""
    model = peer_model(method)
    return lambda: Answer(model.predict(data.X_new), model)


def sequence_data(rows):
    """Return sequences with three classes, and new ones."""
    rng = np.random.default_rng(0)
    distance = np.abs(np.arange(N_SITES) - N_SITES / 2)
    # Log odds of a letter given the class and the letter to the left.
    of_left = rng.normal(0, 0.5, size=(N_SITES, 1, 4, 4))
    of_class = rng.normal(size=(N_SITES, 3, 4, 4))
    strength = 0.05 + 0.6 * np.exp(-((distance / 6) ** 2))
    odds = np.exp(of_left + strength[:, None, None, None] * of_class)
    cumulative = (odds / odds.sum(axis=-1, keepdims=True)).cumsum(axis=-1)

    n = rows + N_NEW_ROWS
    y = rng.choice(3, n, p=[0.25, 0.25, 0.5])
    codes = np.zeros((n, N_SITES + 1), dtype=int)
    for site in range(N_SITES):
        thresholds = cumulative[site, y, codes[:, site]][:, :3]
        codes[:, site + 1] = (rng.random((n, 1)) > thresholds).sum(axis=1)
    names = [f"site {site}" for site in range(N_SITES)]
    X = pd.DataFrame(np.array(list("ACGT"), dtype=object)[codes[:, 1:]], columns=names)
    y = np.array(["acceptor", "donor", "neither"], dtype=object)[y]
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def our_leave_one_out_search(data):
    """Return our task: search by the leave-one-out score and estimate the tables."""
    model = BeliefNetworkClassifier(
        "hill_climbing",
        structure_score="loo",
        max_parents=MAX_PARENTS,
        m=1.0,
        prior="uniform",
        n_jobs=1,
    )
    return lambda: model.fit(data.X, data.y)


def peer_class_search(data):
    """Return pyAgrum's task: a classifier from greedy hill climbing by BIC."""
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    types = DiscreteTypeProcessor()
    for name in data.X.columns:
        types.setDiscretizationParameters(name, "NoDiscretization", "{A|C|G|T}")
    model = BNClassifier(type_processor=types, learningMethod="GHC", scoringType="BIC")
    return lambda: model.fit(data.X, data.y)


def leave_one_out_loss(data, arcs):
    """Return the mean leave-one-out log loss of the class in the training rows."""
    columns = [*data.X.columns, "class"]
    codes = [np.unique(values, return_inverse=True)[1] for _, values in data.X.items()]
    codes = np.stack([*codes, np.unique(data.y, return_inverse=True)[1]], axis=1)
    weight, sizes = np.ones(len(codes)), codes.max(axis=0) + 1
    rows = CodedRows.of(codes, weight, columns, sizes)
    parents = [[columns.index(p) for p, c in arcs if c == name] for name in columns]
    return -LeaveOneOutScore(rows, N_SITES, 1.0, "uniform").total(parents) / len(codes)


def compare_leave_one_out(data, ours, peer):
    """Compare the leave-one-out log losses of two graphs.

    The text has the log losses of new rows, too: the search by leave-one-out tries so
    many graphs that it overfits a few hundred rows.
    """
    name = lambda node: peer.bn_.variable(node).name()  # noqa: E731
    peer_arcs = [
        tuple("class" if name(node) == peer.target_ else name(node) for node in arc)
        for arc in peer.bn_.arcs()
    ]
    losses = [leave_one_out_loss(data, arcs) for arcs in (ours.structure_, peer_arcs)]
    new_losses = [
        log_loss(data.y_new, model.predict_proba(data.X_new)) for model in (ours, peer)
    ]
    return Agreement(
        bool(losses[0] <= losses[1]),
        "leave-one-out log loss {:.4f} / {:.4f}, of new rows {:.4f} / {:.4f}".format(
            *losses, *new_losses
        ),
    )


def rows_per_second(data, answer):
    """Return how many rows our model classifies in a second."""
    task = partial(answer.model.predict_proba, data.X)
    return len(data.X) / median(timed(task) for _ in range(3))


def compare_labels(data, ours, peer):
    """Compare the labels of all rows."""
    accuracies = [accuracy_score(data.y, answer.labels) for answer in (ours, peer)]
    text = "accuracy {:.4f} / {:.4f}; ours classifies {:,.0f} rows a second"
    return Agreement(
        bool(accuracies[0] >= accuracies[1] - ACCURACY_TOLERANCE),
        text.format(*accuracies, rows_per_second(data, ours)),
    )


def compare_incomplete(data, ours, peer):
    """Compare labels of some incomplete rows; for the peer they are imputed.

    A missing value is imputed by the most frequent one. The text has the accuracy of
    the peer on the complete rows, too, which ours need not reach.
    """
    text = compare_labels(data, ours, peer).text
    some, y = data.X[:N_IMPUTED_ROWS], data.y[:N_IMPUTED_ROWS]
    imputed = some.fillna(training_rows()[0].mode().iloc[0])
    labels = ours.labels[:N_IMPUTED_ROWS], peer.model.predict(imputed)
    accuracies = [accuracy_score(y, side) for side in labels]
    return Agreement(
        bool(accuracies[0] >= accuracies[1] - ACCURACY_TOLERANCE),
        f"{text}; on {len(some):,} incomplete rows, for the peer imputed by the most "
        "frequent value, {:.4f} / {:.4f}".format(*accuracies),
    )


def classification_case(name, work, peer_name="BNClassifier", target=None, **parts):
    """Return a case of classification, by default of complete rows by a TAN."""
    parts = {
        "data": classification_data,
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
        work="hill climbing by BIC, tables included, 21 columns of strings, at most 3 "
        "parents, one thread",
        peer_name="BNLearner, greedy hill climbing",
        target=3,
        size=20_000,
        quick_size=1_000,
        repeats=3,
        data=search_data,
        ours=our_search,
        peer=peer_search,
        agreement=compare_graphs,
    ),
    Case(
        name="leave-one-out-structure",
        work="hill climbing by the leave-one-out log loss of the class, tables "
        "included, 60 columns of letters, 3 classes, at most 3 parents, one thread",
        peer_name="BNClassifier, greedy hill climbing by BIC",
        target=None,
        size=2_500,
        quick_size=500,
        repeats=3,
        data=sequence_data,
        ours=our_leave_one_out_search,
        peer=peer_class_search,
        agreement=compare_leave_one_out,
    ),
    classification_case("network-tan", "probabilities of classes by a TAN", target=100),
    classification_case(
        "network-tan-missing",
        "the same, a tenth of the values missing",
        peer_name="BNClassifier, no value missing",
        data=partial(classification_data, missing=MISSING_SHARE),
        agreement=compare_incomplete,
    ),
    classification_case(
        "network-hill-climbing",
        "probabilities of classes by a graph from hill climbing (BIC)",
        ours=partial(our_classifier, structure="hill_climbing", structure_score="bic"),
        peer=partial(peer_classifier, method="GHC"),
    ),
    Case(
        name="network-configurations",
        work="tables of five nodes with the same four parents, 20 states each",
        peer_name="BeliefNetwork, one parent at most",
        target=None,
        size=5_000,
        quick_size=500,
        repeats=3,
        data=many_configurations,
        ours=tables_task(*((f"p{i}", f"c{j}") for i in range(4) for j in range(5))),
        peer=tables_task(*((f"p{j}", f"c{j}") for j in range(4))),
        agreement=compare_fits,
    ),
)
