"""Turn the scores of the folds into the page of the documentation on accuracy."""

from datetime import date

import numpy as np

from benchmarks._machine import describe

ACCURACY, LOG_LOSS = 0, 1

INTRODUCTION = """\
# Accuracy of naive Bayes on mixed tables

<!-- Written by `python -m benchmarks.accuracy_naive_bayes`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds. `MEstimateNB` receives each table as it is,
strings and holes included; the others are scikit-learn pipelines that impute and encode
first. *Imputed* means the median of a numeric column and the commonest category of any
other; numbers reach CategoricalNB and BernoulliNB as ten quantile bins. *Alpha by
search* takes missing as a category and alpha from .1, 1, 10, 100, 1000 by five-fold
cross-validation within the training part; elsewhere alpha is 1. Every probability is
clipped at the machine epsilon, as `sklearn.metrics.log_loss` does, so one event that
was called impossible costs 36 nats. The best peer of a table (in bold) is the one with
the least log loss *in hindsight*, an advantage that no user has.
"""

EMPTY = """
Nothing has been measured yet; `python -m benchmarks.accuracy_naive_bayes` fills this
page.
"""

NOTE = """
The table autos has a class of three rows, so most of its folds are tested without that
class and every model is trained on two or three examples of it.
"""

DIFFERENCES = """
Each line pairs the folds of a table: the log loss of the first model minus that of the
second, mean ± standard error over the folds; below zero the first model is better. The
last line is the mean over the tables ± its standard error, the tables being the sample.
"""


def standard_error(values):
    """Return the standard error of the mean."""
    return np.std(values, ddof=1) / np.sqrt(len(values))


def spread(values):
    """Return mean ± standard error as text."""
    return f"{np.mean(values):.3f} ± {standard_error(values):.3f}"


def best_peer(scores, peers):
    """Return the name of the peer with the least mean log loss."""
    return min(peers, key=lambda name: np.mean(scores[name][LOG_LOSS]))


def terminal(table, scores):
    """Return the scores of one table for the terminal."""
    lines = [
        f"  {name:38}log loss {spread(losses)}   accuracy {spread(accuracies)}"
        for name, (accuracies, losses) in scores.items()
    ]
    return "\n".join([table, *lines])


def markdown(header, lines):
    """Return a Markdown table."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n" + "".join("| " + " | ".join(row) + " |\n" for row in rows)


def score_line(table, scores, measure, peers):
    """Return one line of the table of `measure`, with the best peer in bold."""
    best = best_peer(scores, peers)
    texts = {name: spread(values[measure]) for name, values in scores.items()}
    return [table, *(f"**{t}**" if n == best else t for n, t in texts.items())]


def score_section(title, scores, measure, names, peers):
    """Return the section with the scores of every model on every table."""
    lines = [score_line(table, s, measure, peers) for table, s in scores.items()]
    means = [
        f"{np.mean([np.mean(s[name][measure]) for s in scores.values()]):.3f}"
        for name in names
    ]
    lines.append(["mean over the tables", *means])
    return f"\n## {title}\n{markdown(['table', *names], lines)}"


def difference_column(scores, first, second):
    """Return the paired differences of log loss: a text a table, then their mean.

    `second` is a function of a table's scores, since the best peer varies.
    """
    differences = [s[first][LOG_LOSS] - s[second(s)][LOG_LOSS] for s in scores.values()]
    means = [np.mean(difference) for difference in differences]
    summary = spread(means) if len(means) > 1 else f"{means[0]:.3f}"
    return [*map(spread, differences), summary]


def difference_section(scores, ours, peers):
    """Return the section that compares ours with the best peer and with each other."""
    default, tuned = ours
    columns = {
        f"{default} - best peer": (default, lambda s: best_peer(s, peers)),
        f"{tuned} - best peer": (tuned, lambda s: best_peer(s, peers)),
        f"{tuned} - {default}": (tuned, lambda s: default),
    }
    texts = [difference_column(scores, *pair) for pair in columns.values()]
    tables = [*scores, "mean over the tables"]
    lines = [list(line) for line in zip(tables, *texts)]
    title = "\n## Differences of log loss\n"
    return title + DIFFERENCES + markdown(["table", *columns], lines)


def page(scores, ours, peers, machine):
    """Return the page for `scores`: table to model to (accuracies, log losses)."""
    if not scores:
        return INTRODUCTION + EMPTY
    names = [*ours, *peers]
    return "".join(
        [
            INTRODUCTION,
            f"\nMeasured on {date.today().isoformat()}: {describe(machine)}.\n",
            score_section("Log loss", scores, LOG_LOSS, names, peers),
            score_section("Accuracy", scores, ACCURACY, names, peers),
            difference_section(scores, ours, peers),
            NOTE,
        ]
    )
