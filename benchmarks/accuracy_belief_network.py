"""Cross-validate belief networks, naive Bayes and pyAgrum's classifier on real tables.

``python -m benchmarks.accuracy_belief_network [TABLE ...]`` reads the tables from the
folder named by the environment variable BAYESLAZY_DATA and writes
``doc/accuracy_belief_network.json`` and ``doc/accuracy_belief_network.md``.
"""

import sys
import warnings
from importlib.metadata import version
from itertools import product
from time import perf_counter

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks._harness import read_results, write_results
from benchmarks._machine import describe, machine_facts
from benchmarks._peers_belief_network import PEERS, WEIGHT
from benchmarks._render_accuracy import spread, standard_error
from benchmarks._render_text import markdown
from benchmarks.accuracy_naive_bayes import ROOT, data_folder, read_table, score_fold
from sklearn_bayeslazy import BeliefNetworkClassifier, MEstimateNB

PAGE = ROOT / "doc" / "accuracy_belief_network.md"

TABLES = {
    "soybean": "soybean.csv",
    "kr_vs_kp": "kr_vs_kp.csv",
    "mushroom": "mushroom.csv",
    "car": "car.csv",
    "house_votes_84": "house_votes_84.csv",
    "german_credit": "german_credit.csv",
    "dermatology": "dermatology.csv",
    "satimage": "satimage.csv",
    "adult": "adult.csv.gz",
}

MODELS = {
    "TAN": lambda: BeliefNetworkClassifier("tan"),
    "hill climbing": lambda: BeliefNetworkClassifier("hill_climbing"),
    "hill climbing, loo": lambda: BeliefNetworkClassifier(
        "hill_climbing", structure_score="loo"
    ),
    "MEstimateNB()": MEstimateNB,
    **PEERS,
}

INTRODUCTION = """\
# Accuracy of belief networks

<!-- Written by `python -m benchmarks.accuracy_belief_network`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds, the best of a table in bold. *TAN* and *hill
climbing* are `BeliefNetworkClassifier` with that structure and its defaults otherwise,
*loo* the search with `structure_score="loo"`; they and `MEstimateNB()` receive each
table as it is, strings, numbers and holes.

*BNClassifier* is that of pyAgrum with a TAN. For it a hole is a category of its own,
and in numbers the median; a value that the training part lacks, at which it would stop,
becomes the commonest one; its own discretiser cuts numbers of more than 25 values, by
MDLP where there are two classes (it stops at more), else into ten quantiles. Numbers of
fewer values are categories to it, where ours are cut by MDLP, too.

By default its tables have .01 virtual examples a cell, and with two classes it moves
its probabilities so that a threshold chosen on the training rows becomes one half.
Either changes log loss though the graph be the same, so *helped* is that model with
{weight} a cell, about what ours has, and its probabilities left where they were. That
weight was settled after a look at some folds of soybean, house_votes_84 and
dermatology, in its favour.

Every probability is clipped at the machine epsilon, as `sklearn.metrics.log_loss` does,
so one event that was called impossible costs 36 nats. Seconds are the median over the
folds of fitting and predicting, in one thread.

Measured on {machine}.

"""

MEASURES = {"log loss": min, "accuracy": max}
PAIRS = tuple(product(("TAN", "hill climbing", "hill climbing, loo"), PEERS))


def main(names=None):
    """Measure the tables asked for, store the folds and write the page."""
    results = read_results(PAGE)
    for name in names or TABLES:
        results[name] = measure(*read_table(data_folder() / TABLES[name]))
        for model, folds in results[name].items():
            print(f"{name:16}{model:26}{cell(folds, 'log loss')}", flush=True)
        machine = machine_facts()
        machine["versions"]["pyagrum"] = version("pyagrum")
        results["machine"] = machine
        write_results(results, PAGE, page)


def measure(X, y):
    """Return what each model scores in each fold, seconds and refusals among it."""
    with warnings.catch_warnings():
        # soybean has a class of eight rows, and more classes than pyAgrum likes.
        warnings.filterwarnings("ignore", "The least populated class in y")
        warnings.filterwarnings("ignore", "A classifier with too many possible values")
        folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
        return {
            name: score_folds(make_model, X, y, folds)
            for name, make_model in MODELS.items()
        }


def score_folds(make_model, X, y, folds):
    """Return the measures of a model, a list each over the folds that it took."""
    scores = {"log loss": [], "accuracy": [], "seconds": [], "refused": []}
    for train, test in folds:
        start = perf_counter()
        try:
            accuracy, loss = score_fold(make_model, X, y, train, test)
        except Exception as error:  # whatever stops a peer is told on the page
            scores["refused"].append(f"{type(error).__name__}: {error}")
        else:
            scores["log loss"].append(loss)
            scores["accuracy"].append(accuracy)
            scores["seconds"].append(perf_counter() - start)
    return scores


def cell(folds, measure):
    """Return a measure as text, with the folds that were refused."""
    refused = folds["refused"]
    reason = f"refused: {refused[0]}" if refused else ""
    if not folds[measure]:
        return reason
    text = spread(folds[measure])
    return f"{text} ({len(refused)} folds {reason})" if refused else text


def best(scores, measure):
    """Return the model with the best mean, of those that took every fold.

    Of models that are alike the first is named.
    """
    means = {
        model: np.mean(folds[measure])
        for model, folds in scores.items()
        if not folds["refused"]
    }
    return MEASURES[measure](means, key=means.get)


def verdict(first, second, measure):
    """Tell whether a model is better (1) or worse (-1) than another, or neither (0).

    Folds are paired; less than twice the standard error tells nothing. A refused fold
    leaves no pairs.
    """
    if first["refused"] or second["refused"]:
        return 0
    gains = np.subtract(first[measure], second[measure])
    if abs(np.mean(gains)) <= 2 * standard_error(gains):
        return 0
    return int(np.sign(np.mean(gains))) * (-1 if MEASURES[measure] is min else 1)


def comparison(results, ours, peer, measure):
    """Return on how many tables ours is better than a peer, and worse."""
    verdicts = [verdict(s[ours], s[peer], measure) for s in results.values()]
    return (
        f"- *{ours}* is better than *{peer}* on {verdicts.count(1)} and worse on "
        f"{verdicts.count(-1)}.\n"
    )


def section(results, measure):
    """Return the table of a measure, and how ours compare with the peers."""
    rows = []
    for name, scores in results.items():
        texts = {model: cell(folds, measure) for model, folds in scores.items()}
        winner = best(scores, measure)
        texts[winner] = f"**{texts[winner]}**"
        rows.append([name, *texts.values()])
    return (
        f"## {measure.capitalize()}\n\nOf {len(rows)} tables, by more than twice the "
        "standard error of the paired difference:\n\n"
        + "".join(comparison(results, *pair, measure) for pair in PAIRS)
        + markdown(["table", *MODELS], rows)
        + "\n"
    )


def seconds_section(results):
    """Return the table of seconds a fold."""
    rows = [
        [name, *(f"{np.median(folds['seconds']):.2f}" for folds in scores.values())]
        for name, scores in results.items()
    ]
    return "## Seconds a fold\n" + markdown(["table", *MODELS], rows)


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    return "".join(
        [
            INTRODUCTION.format(machine=describe(results["machine"]), weight=WEIGHT),
            *(section(tables, measure) for measure in MEASURES),
            seconds_section(tables),
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
