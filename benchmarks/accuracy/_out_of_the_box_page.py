"""The page on the accuracy of classifiers that are constructed without arguments."""

import numpy as np
from scipy.stats import rankdata

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table

INTRODUCTION = """\
# Accuracy out of the box

<!-- Written by `python -m benchmarks.accuracy_out_of_the_box`; do not edit. -->

Every classifier is constructed without arguments. The tables are all {n_tables}
classification tables with columns that we have; none was left out. Five-fold stratified
cross-validation (shuffled, seed 0; the same folds for every classifier). A table of
more than 3000 rows is replaced by a random sample of 3000.

These read each table unchanged, with strings, numbers and missing cells:
{raw}.
The others are scikit-learn pipelines: numbers are imputed with the mean and
standardized, strings are imputed with the most frequent one and one-hot encoded.
HistGradientBoostingClassifier reads missing cells and categories itself, so it only
gets the strings as categories. Its mean log loss is slightly lower this way than with
the pipeline of the others (.350 against .351).

There are two exceptions from "without arguments". `random_state=0` makes the forest and
gradient boosting repeatable. LogisticRegression has `max_iter=1000`; with its default
it warns on soybean that it has not converged.

Every probability is clipped at the machine epsilon, as in `sklearn.metrics.log_loss`,
so a true class with probability zero costs 36 nats. The Brier score is the mean over
the rows of the squared distance between the probabilities of all classes and the true
class; it is at most 2. Seconds are the median over the folds of fitting and predicting,
in one thread. The rank of a classifier on a table is its position by log loss: 1 for
the lowest, ties share the mean of their positions.

Measured on {machine}.

## Means over the tables

Sorted by log loss; the best value of each column is bold.
"""
# How the folds of a table are summarized, and which value is the best: fmax and fmin
# ignore the NaN of a learner that failed.
MEASURES = {
    "accuracy": (np.mean, np.fmax.reduce),
    "log loss": (np.mean, np.fmin.reduce),
    "Brier score": (np.mean, np.fmin.reduce),
    "seconds": (np.median, np.fmin.reduce),
}


def render(learners, raw, machine):
    """Return the page.

    Parameters
    ----------
    learners : dict
        For each learner and table the scores of the folds.
    raw : list of str
        The learners that read raw tables.
    machine : dict
    """
    tables = list(next(iter(learners.values())))
    introduction = INTRODUCTION.format(
        n_tables=len(tables),
        raw=", ".join(raw),
        machine=describe(machine),
    )
    values = {measure: _values(learners, measure) for measure in MEASURES}
    sections = [_section(m, tables, learners, v) for m, v in values.items()]
    return "".join([introduction, _means(learners, values), *sections])


def _values(learners, measure):
    """Return an array (learner, table) of a measure; NaN where a learner failed."""
    summary, _ = MEASURES[measure]
    return np.array(
        [
            [np.nan if f["errors"] else summary(f[measure]) for f in tables.values()]
            for tables in learners.values()
        ]
    )


def _means(learners, values):
    """Return the table of means, with a line a learner."""
    losses = np.nan_to_num(values["log loss"], nan=np.inf)
    columns = {
        name: (array.mean(axis=1), MEASURES[name][1]) for name, array in values.items()
    }
    columns["mean rank"] = (rankdata(losses, axis=0).mean(axis=1), np.fmin.reduce)
    texts = [_bold_texts(means, best(means)) for means, best in columns.values()]
    names = list(learners)
    rows = [
        [
            names[i],
            *(_failure(learners[names[i]], len(columns)) or (t[i] for t in texts)),
        ]
        for i in np.argsort(losses.mean(axis=1), kind="stable")
    ]
    return markdown_table(["classifier", *columns], rows)


def _failure(tables, n_columns):
    """Return the cells of a learner that failed on some table, [] of any other."""
    errors = [folds["errors"][0] for folds in tables.values() if folds["errors"]]
    if not errors:
        return []
    text = f"failed on {len(errors)} of {len(tables)} tables: {errors[0]}"
    return [text, *[""] * (n_columns - 1)]


def _section(measure, tables, learners, values):
    """Return the table of a measure: a line a table, a column a learner."""
    _, best = MEASURES[measure]
    rows = [
        [table, *_bold_texts(column, best(column))]
        for table, column in zip(tables, values.T)
    ]
    title = f"{measure[0].upper()}{measure[1:]}"
    return f"\n## {title}\n" + markdown_table(["table", *learners], rows)


def _bold_texts(values, best):
    """Return numbers as texts; those that equal the best number when shown are bold."""
    texts = ["error" if np.isnan(value) else f"{value:.3f}" for value in values]
    return [f"**{text}**" if text == f"{best:.3f}" else text for text in texts]
