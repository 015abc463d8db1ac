"""Compare learners without arguments on noise and on tables wider than long."""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from threadpoolctl import threadpool_limits

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table
from benchmarks._scores import classification_scores, regression_scores, score_folds
from benchmarks.accuracy._experiment import Experiment
from benchmarks.accuracy._out_of_the_box_learners import (
    CLASSIFICATION,
    READ_RAW_TABLES,
    REGRESSION,
    make_learner,
    plain_pipeline,
)

N_ROWS, N_NEW_ROWS = 200, 2_000
QUICK_DRAWS, QUICK_COLUMNS, QUICK_NEW_ROWS = 2, 20, 100
# The values of C; ridge regression adds their reciprocals.
PENALTIES = np.logspace(-5, 3, 20)
SHOWN = {CLASSIFICATION: "log loss", REGRESSION: "R²"}

INTRODUCTION = """\
# Noise and wide tables

<!-- Written by `python -m benchmarks.accuracy wide`; do not edit. -->

How far do defaults go wrong where there is nothing to learn, or where columns are many
and rows few? Each table has {n_rows} rows and is drawn several times; scores are those
of {n_new_rows} new rows, means over the draws (and the worst draw). Learners are
constructed without arguments. *Penalised* is logistic regression, and ridge regression
for numbers, on standardized columns, with the penalty of least cross-validated loss
among {n_penalties}. *Seconds* are those of the processor for fit and prediction.

{kinds}

Measured on {machine}.
"""


def noise(rng, n, n_columns):
    """Return normal columns that have nothing to do with the score."""
    return rng.standard_normal((n, n_columns)), np.zeros(n)


def ten_useful(rng, n, n_columns):
    """Return normal columns, and a score that sums the first ten."""
    X = rng.standard_normal((n, n_columns))
    return X, X[:, :10] @ np.tile([1.0, -1.0], 5)


def factors(rng, n, n_columns):
    """Return columns that share twenty factors, and a score of three factors."""
    hidden = rng.standard_normal((n, 20))
    loadings = rng.standard_normal((20, n_columns)) * (
        rng.random((20, n_columns)) < 0.2
    )
    X = np.exp(0.5 * (hidden @ loadings + rng.standard_normal((n, n_columns))))
    return X, 2 * (hidden[:, 0] - hidden[:, 1] + hidden[:, 2])


def words(rng, n, n_columns):
    """Return rare truth values, and a score that sums the first hundred."""
    share = 0.5 / np.sqrt(1 + np.arange(n_columns))
    X = rng.random((n, n_columns)) < rng.permutation(share)
    weights = rng.normal(scale=1.5, size=min(100, n_columns))
    score = X[:, : len(weights)] @ weights
    return X, score - np.median(score)


# Name of a table: how it is drawn, its columns, its draws, what the page says of it.
KINDS = {
    "noise": (noise, 500, 5, "{} normal columns, of which none says anything"),
    "ten useful columns": (
        ten_useful,
        500,
        3,
        "{} normal columns, of which ten say something, all alike",
    ),
    "factors": (
        factors,
        500,
        3,
        "{} skewed columns that share twenty factors, as genes do; three factors count",
    ),
    "words": (
        words,
        500,
        3,
        "{} truth values, most of them rare, as words of texts are",
    ),
}
PEERS = {
    CLASSIFICATION: {
        "penalised": lambda: plain_pipeline(
            LogisticRegressionCV(
                Cs=PENALTIES,
                cv=5,
                scoring="neg_log_loss",
                l1_ratios=(0,),
                use_legacy_attributes=False,
                max_iter=1_000,
            )
        ),
        "RandomForestClassifier": partial(make_learner, "RandomForestClassifier"),
        "HistGradientBoostingClassifier": partial(
            make_learner, "HistGradientBoostingClassifier"
        ),
    },
    REGRESSION: {
        "penalised": lambda: plain_pipeline(RidgeCV(1 / PENALTIES)),
        "RandomForestRegressor": partial(make_learner, "RandomForestRegressor"),
        "HistGradientBoostingRegressor": partial(
            make_learner, "HistGradientBoostingRegressor"
        ),
    },
}
LEARNERS = {
    half: {name: partial(make_learner, name) for name in READ_RAW_TABLES[half]}
    | PEERS[half]
    for half in PEERS
}


def draw(kind, half, n, n_columns, seed):
    """Return n rows as a frame, with classes of two equal halves or with numbers."""
    rng = np.random.default_rng(seed)
    X, score = kind(rng, n, n_columns)
    if half == CLASSIFICATION:
        y = np.where(score + rng.logistic(size=n) > 0, "yes", "no")
    else:
        y = score + rng.normal(size=n)
    return pd.DataFrame(X).add_prefix("x"), y


def measure(part, quick=False):
    """Return the scores of all learners for each draw of a table, by kind of target."""
    kind, n_columns, n_draws, _ = KINDS[part]
    n_new_rows = N_NEW_ROWS
    if quick:
        n_draws, n_columns, n_new_rows = QUICK_DRAWS, QUICK_COLUMNS, QUICK_NEW_ROWS
    fold = np.arange(N_ROWS), np.arange(N_ROWS, N_ROWS + n_new_rows)
    results = {}
    for half, learners in LEARNERS.items():
        for seed in range(n_draws):
            X, y = draw(kind, half, N_ROWS + n_new_rows, n_columns, seed)
            score = (
                classification_scores(np.unique(y))
                if half == CLASSIFICATION
                else regression_scores(y)
            )
            # One thread for every learner: gradient boosting would take all cores.
            with threadpool_limits(1):
                measured = score_folds(learners, X, y, [fold], score)
            for name, scores in measured.items():
                for key, values in scores.items():
                    results.setdefault(name, {}).setdefault(key, []).extend(values)
    return results


def summarize(results):
    """Return the scores of each learner."""
    lines = []
    for half, learners in LEARNERS.items():
        lines += [f"{name:32}{_cell(results[name], half)}" for name in learners]
    return lines


def page(results):
    """Return the page of the documentation."""
    parts = [part for part in KINDS if part in results]
    kinds = [_kind_line(part) for part in parts]
    text = INTRODUCTION.format(
        n_rows=N_ROWS,
        n_new_rows=N_NEW_ROWS,
        n_penalties=len(PENALTIES),
        kinds="\n".join(kinds),
        machine=describe(results["machine"]),
    )
    titles = {
        CLASSIFICATION: "Log loss of classifiers (that of the prior is .693)",
        REGRESSION: "R² of regressors (that of the mean is 0)",
    }
    for half, title in titles.items():
        rows = [
            [
                name,
                *(_cell(results[part][name], half) for part in parts),
                *(f"{np.median(results[part][name]['seconds']):.1f}" for part in parts),
            ]
            for name in LEARNERS[half]
        ]
        header = ["learner", *parts, *(f"seconds, {part}" for part in parts)]
        text += f"\n## {title}\n\n" + markdown_table(header, rows) + "\n"
    return text


def _kind_line(part):
    _, n_columns, n_draws, text = KINDS[part]
    return f"- *{part}*, {n_draws} draws: {text.format(n_columns)}."


def _cell(scores, half):
    values = scores[SHOWN[half]]
    worst = max(values) if half == CLASSIFICATION else min(values)
    return f"{np.mean(values):.3f} ({worst:.3f})"


EXPERIMENT = Experiment("accuracy_wide", tuple(KINDS), measure, summarize, page)
