"""The page on the accuracy of learners that are constructed without arguments."""

import numpy as np
from scipy.stats import rankdata

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table
from benchmarks.accuracy._out_of_the_box_learners import CLASSIFICATION, REGRESSION

INTRODUCTION = """\
# Accuracy out of the box

<!-- Written by `python -m benchmarks.accuracy_out_of_the_box`; do not edit. -->

Every classifier and every regressor is constructed without arguments. The tables are
all that we have with columns; none was left out. Five-fold cross-validation (shuffled,
seed 0, stratified for classifiers; the same folds for all). A table of more than 3000
rows is replaced by a random sample of 3000. Columns that name a row, give the original
split, or are a part of the target or another target were dropped.

The learners of this package get each table unchanged, with strings, numbers and missing
cells. The others are scikit-learn pipelines: numbers are imputed with the mean and
standardized, strings are imputed with the most frequent one and one-hot encoded.
Gradient boosting reads missing cells and categories itself, so it only gets the strings
as categories. (The mean log loss of HistGradientBoostingClassifier is slightly lower
this way than with the pipeline of the others, .350 against .351.) It refuses more than
255 categories: a string of such a column is replaced by its position among the sorted
strings, which keeps the order of dates. LightGBM and XGBoost get the same columns.
CatBoost is told which columns hold strings, and encodes them itself; a missing string
is a string. Its classifier is only measured on whole tables: on a sample, a single fit
to soybean (19 classes, 35 columns of strings) did not end within 25 minutes.

There are these exceptions from "without arguments". `random_state=0` makes the forests
and scikit-learn's gradient boosting repeatable. LogisticRegression has
`max_iter=1000`; with its default it warns on soybean that it has not converged. XGBoost
has `enable_categorical=True`, without which it refuses categories. (It overfits columns
of names of which each has few rows, as in auto_mpg and bike_sharing_day.)

Seconds are the median over the folds of the processor time of fitting and predicting.
The best value of each column of means, and of each row of the other tables, is bold.

Measured on {machine}.
"""
CLASSIFIERS = """
## Classifiers

{n_tables} tables. Of this package:
{raw}.

Every probability is clipped at the machine epsilon, as in `sklearn.metrics.log_loss`,
so a true class with probability zero costs 36 nats. The Brier score is the mean over
the rows of the squared distance between the probabilities of all classes and the true
class; it is at most 2. The rank of a classifier on a table is its position by log loss:
1 for the lowest, ties share the mean of their positions.

### Means of the classifiers

Over the tables, sorted by log loss.
"""
REGRESSORS = """
## Regressors

{n_tables} tables. Of this package:
{raw}.

The relative RMSE is the root mean squared error over that of the mean of the training
part, which DummyRegressor predicts. The worst R² is that of the table on which a
regressor has the lowest. The rank of a regressor on a table is its position by R²: 1
for the highest, ties share the mean of their positions.

### Means of the regressors

Over the tables, sorted by R².
"""
WHOLE = """
## Whole tables

The tables of more than 3000 rows again, with all their rows, in three folds; the
largest is diamonds with 53 940. The learners are stacking and gradient boosting.
"""
NOUNS = {CLASSIFICATION: "classifiers", REGRESSION: "regressors"}
SECTIONS = {CLASSIFICATION: CLASSIFIERS, REGRESSION: REGRESSORS}
# How the folds of a table are summarized, and which value is the best: fmax and fmin
# ignore the NaN of a learner that failed.
MEASURES = {
    CLASSIFICATION: {
        "accuracy": (np.mean, np.fmax.reduce),
        "log loss": (np.mean, np.fmin.reduce),
        "Brier score": (np.mean, np.fmin.reduce),
        "seconds": (np.median, np.fmin.reduce),
    },
    REGRESSION: {
        "R²": (np.mean, np.fmax.reduce),
        "relative RMSE": (np.mean, np.fmin.reduce),
        "seconds": (np.median, np.fmin.reduce),
    },
}
# By which learners are sorted and ranked, and the sign that makes the best the lowest.
RANKED_BY = {CLASSIFICATION: ("log loss", 1), REGRESSION: ("R²", -1)}


def render(halves, whole, raw, machine):
    """Return the page.

    Parameters
    ----------
    halves : dict
        For each half, learner and table the scores of the folds.
    whole : dict
        The same for whole tables.
    raw : dict
        For each half the learners that read raw tables.
    machine : dict
    """
    introduction = INTRODUCTION.format(machine=describe(machine))
    parts = [_half(half, halves[half], raw[half]) for half in halves if halves[half]]
    parts_of_whole = [_whole(half, whole[half]) for half in whole if whole[half]]
    if parts_of_whole:
        parts += [WHOLE, *parts_of_whole]
    return "".join([introduction, *parts])


def _half(half, learners, raw):
    """Return the section of the classifiers or of the regressors."""
    introduction = SECTIONS[half].format(
        n_tables=len(next(iter(learners.values()))), raw=", ".join(raw) or "none yet"
    )
    return introduction + _tables(half, learners, f"of the {NOUNS[half]}")


def _whole(half, learners):
    """Return the section of the classifiers or of the regressors on whole tables."""
    of_whole = f"of the {NOUNS[half]} on whole tables"
    return f"\n### Means {of_whole}\n" + _tables(half, learners, of_whole)


def _tables(half, learners, of_whom):
    """Return the table of means, and one for each measure."""
    measures = MEASURES[half]
    values = {name: _values(learners, name, measures[name][0]) for name in measures}
    sections = [
        _section(f"{name} {of_whom}", learners, values[name], best)
        for name, (_, best) in measures.items()
    ]
    return "".join([_means(half, learners, values), *sections])


def _values(learners, measure, summary):
    """Return an array (learner, table) of a measure; NaN where a learner failed."""
    return np.array(
        [
            [np.nan if f["errors"] else summary(f[measure]) for f in tables.values()]
            for tables in learners.values()
        ]
    )


def _means(half, learners, values):
    """Return the table of means, with a line a learner."""
    ranked_by, sign = RANKED_BY[half]
    losses = np.nan_to_num(sign * values[ranked_by], nan=np.inf)
    columns = {
        name: (array.mean(axis=1), MEASURES[half][name][1])
        for name, array in values.items()
    }
    if half == REGRESSION:
        columns["worst R²"] = (values["R²"].min(axis=1), np.fmax.reduce)
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
    return markdown_table(["learner", *columns], rows)


def _failure(tables, n_columns):
    """Return the cells of a learner that failed on some table, [] of any other."""
    errors = [folds["errors"][0] for folds in tables.values() if folds["errors"]]
    if not errors:
        return []
    text = f"failed on {len(errors)} of {len(tables)} tables: {errors[0]}"
    return [text, *[""] * (n_columns - 1)]


def _section(title, learners, values, best):
    """Return the table of a measure: a line a table, a column a learner."""
    tables = next(iter(learners.values()))
    rows = [
        [table, *_bold_texts(column, best(column))]
        for table, column in zip(tables, values.T)
    ]
    title = f"{title[0].upper()}{title[1:]}"
    return f"\n### {title}\n" + markdown_table(["table", *learners], rows)


def _bold_texts(values, best):
    """Return numbers as texts; those that equal the best number when shown are bold."""
    texts = ["error" if np.isnan(value) else f"{value:.3f}" for value in values]
    return [f"**{text}**" if text == f"{best:.3f}" else text for text in texts]
