"""The page on the accuracy of naive Bayes."""

import numpy as np

from benchmarks._machine import describe
from benchmarks._markdown import bold_best, markdown_table, mean_and_error

INTRODUCTION = """\
# Accuracy of naive Bayes on mixed tables

<!-- Written by `python -m benchmarks.accuracy naive_bayes`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds. `MEstimateNB` gets each table unchanged, with
strings and missing values. The others are scikit-learn pipelines that impute and encode
first. *Imputed* means the median of a numeric column and the most frequent category of
any other column. CategoricalNB and BernoulliNB get numbers as ten quantile bins. *Alpha
by search* treats missing as a category and chooses alpha from .1, 1, 10, 100, 1000 by
five-fold cross-validation within the training part; elsewhere alpha is 1. Every
probability is clipped at the machine epsilon, as in `sklearn.metrics.log_loss`, so a
true class with probability zero costs 36 nats. The best peer of a table (in bold) is
the one with the lowest log loss *in hindsight*; a user cannot know it in advance.
"""

NOTE = """
The table autos has a class of three rows. Most of its test parts lack this class, and
every model is trained on two or three examples of it.
"""

DIFFERENCES = """
Each line pairs the folds of a table: the log loss of the first model minus that of the
second, mean ± standard error over the folds. Below zero, the first model is better. The
last line is the mean over the tables ± its standard error, with the tables as the
sample.
"""


def render(scores, ours, peers, machine):
    """Return the page.

    Parameters
    ----------
    scores : dict
        For each table and model the scores of the folds.
    ours, peers : list of str
        Names of the models.
    machine : dict
    """
    return "".join(
        [
            INTRODUCTION,
            f"\nMeasured on {describe(machine)}.\n",
            _score_section(scores, "log loss", [*ours, *peers], peers),
            _score_section(scores, "accuracy", [*ours, *peers], peers),
            _difference_section(scores, ours, peers),
            NOTE,
        ]
    )


def _best_peer(scores, peers):
    """Return the name of the peer with the lowest mean log loss."""
    return min(peers, key=lambda name: np.mean(scores[name]["log loss"]))


def _score_section(tables, measure, names, peers):
    """Return the table of a measure: a line a table, a column a model."""
    rows = []
    for table, scores in tables.items():
        texts = {name: mean_and_error(scores[name][measure]) for name in names}
        rows.append([table, *bold_best(texts, _best_peer(scores, peers))])
    means = [
        f"{np.mean([np.mean(s[name][measure]) for s in tables.values()]):.3f}"
        for name in names
    ]
    rows.append(["mean over the tables", *means])
    title = f"{measure[0].upper()}{measure[1:]}"
    return f"\n## {title}\n{markdown_table(['table', *names], rows)}"


def _difference_section(tables, ours, peers):
    """Return the section that compares ours with the best peer and with each other."""
    default, tuned = ours
    columns = {
        f"{default} - best peer": (default, lambda s: _best_peer(s, peers)),
        f"{tuned} - best peer": (tuned, lambda s: _best_peer(s, peers)),
        f"{tuned} - {default}": (tuned, lambda s: default),
    }
    texts = [_difference_column(tables, *pair) for pair in columns.values()]
    names = [*tables, "mean over the tables"]
    rows = [list(row) for row in zip(names, *texts)]
    title = "\n## Differences of log loss\n"
    return title + DIFFERENCES + markdown_table(["table", *columns], rows)


def _difference_column(tables, first, second_of):
    """Return the paired differences of log loss: a text a table, then their mean.

    ``second_of(scores)`` names the second model, because the best peer varies.
    """
    differences = [
        np.subtract(s[first]["log loss"], s[second_of(s)]["log loss"])
        for s in tables.values()
    ]
    means = [np.mean(difference) for difference in differences]
    return [*map(mean_and_error, differences), mean_and_error(means)]
