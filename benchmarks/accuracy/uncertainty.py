"""Compare prediction intervals and sets with those of MAPIE, on the raw tables.

Each learner is constructed without arguments, and each peer around such a learner.
"""

from functools import partial
from time import process_time
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from benchmarks.accuracy._out_of_the_box_learners import (
    CLASSIFICATION,
    REGRESSION,
    gradient_boosting,
)
from benchmarks.accuracy._out_of_the_box_tables import TABLES, load
from sklearn_bayeslazy import (
    AODEClassifier,
    LocallyWeightedRegressor,
    RBFNetworkRegressor,
    ShepardKNN,
    ShepardKNNRegressor,
)

COVERAGES = (0.8, 0.9, 0.95)
SHOWN = COVERAGES.index(0.9)
MAX_ROWS, N_FOLDS, N_PARTS = 600, 3, 5
# Folds of cross-conformal prediction, and the share of rows that a split holds back.
CV, CALIBRATION_SHARE = 5, 0.25

INTRODUCTION = """\
# Intervals and sets beside MAPIE's

<!-- Written by `python -m benchmarks.accuracy uncertainty`; do not edit. -->

Each table (at most {max_rows} rows) is cut into {n_folds} folds; the rows of each are
predicted from the others. Learners are constructed without arguments. *Covered* is the
share of the rows of a fold within their bounds, or whose class is in their set, in the
mean over the tables; *fifths* is the least and the largest of these shares of five
equal parts of the rows, in the order of their predictions. *Width* is the mean width of
the bounds in standard deviations of the target, *size* the mean number of classes of a
set. *Seconds* are those of the processor for fit, bounds of all three coverages
included.

The peers: MAPIE's CV+ (`CrossConformalRegressor`, {cv} folds) around two of the same
learners; quantiles of gradient boosting that a quarter of the rows corrects (Romano,
Patterson and Candès, 2019); and MAPIE's sets (`CrossConformalClassifier`, "lac", {cv}
folds). Jackknife+ by refitting takes one fit for each row: hours on these tables.

Measured on {machine}.
"""


# A method returns the bounds of the test rows, (2, n_coverages, n), from training rows.


def our_interval(kind, X, y, test):
    """Return the bounds of one of our regressors."""
    model = kind().fit(X, y)
    bounds = [model.prediction_interval(test, coverage) for coverage in COVERAGES]
    return np.moveaxis(bounds, 0, 1)


def cross_conformal(kind, X, y, test):
    """Return the bounds of MAPIE's CV+ around one of our regressors."""
    from mapie.regression import CrossConformalRegressor

    model = CrossConformalRegressor(kind(), COVERAGES, method="plus", cv=CV)
    _, bounds = model.fit_conformalize(X, y).predict_interval(test)
    return np.transpose(bounds, (1, 2, 0))


def boosted_quantiles(X, y, test):
    """Return conformalised quantiles of gradient boosting."""
    # MAPIE's ConformalizedQuantileRegressor refuses fitted models of raw frames.
    X, held_out, y, y_held_out = train_test_split(
        X, y, test_size=CALIBRATION_SHARE, random_state=0
    )
    bounds = []
    for coverage in COVERAGES:
        tails = (1 - coverage) / 2, (1 + coverage) / 2
        low, high = (_boosted_quantile(q).fit(X, y) for q in tails)
        outside = np.maximum(
            low.predict(held_out) - y_held_out, y_held_out - high.predict(held_out)
        )
        n = len(outside)
        rank = int(np.ceil((n + 1) * coverage))
        margin = np.sort(outside)[rank - 1] if rank <= n else np.inf
        bounds.append((low.predict(test) - margin, high.predict(test) + margin))
    return np.moveaxis(bounds, 0, 1)


def _boosted_quantile(q):
    return gradient_boosting(
        HistGradientBoostingRegressor(loss="quantile", quantile=q, random_state=0)
    )


# Or the sets of the test rows and their most probable classes' probabilities.


def our_set(kind, method, X, y, test, **options):
    """Return the sets of one of our classifiers, (n_coverages, n, n_classes)."""
    model = kind().fit(X, y)
    sets = [
        model.prediction_set(test, coverage, method, **options)
        for coverage in COVERAGES
    ]
    return np.array(sets), model.classes_, model.predict_proba(test).max(axis=1)


def cross_conformal_set(make, X, y, test):
    """Return the sets of MAPIE around a classifier."""
    from mapie.classification import CrossConformalClassifier

    model = CrossConformalClassifier(make(), COVERAGES, conformity_score="lac", cv=CV)
    _, sets = model.fit_conformalize(X, y).predict_set(test)
    proba = make().fit(X, y).predict_proba(test).max(axis=1)
    return np.moveaxis(sets, 2, 0), np.unique(y), proba


def boosting():
    """Return gradient boosting that reads raw tables."""
    return gradient_boosting(HistGradientBoostingClassifier(random_state=0))


INTERVALS = {
    "LocallyWeightedRegressor": partial(our_interval, LocallyWeightedRegressor),
    "ShepardKNNRegressor": partial(our_interval, ShepardKNNRegressor),
    "RBFNetworkRegressor": partial(our_interval, RBFNetworkRegressor),
    "MAPIE CV+, LocallyWeightedRegressor": partial(
        cross_conformal, LocallyWeightedRegressor
    ),
    "MAPIE CV+, ShepardKNNRegressor": partial(cross_conformal, ShepardKNNRegressor),
    "HistGradientBoosting, conformalised quantiles": boosted_quantiles,
}
SETS = {
    "AODEClassifier, adaptive": partial(our_set, AODEClassifier, "adaptive"),
    "AODEClassifier, adaptive, randomized": partial(
        our_set, AODEClassifier, "adaptive", randomize=True, random_state=0
    ),
    "AODEClassifier, least ambiguous": partial(
        our_set, AODEClassifier, "least_ambiguous"
    ),
    "ShepardKNN, adaptive": partial(our_set, ShepardKNN, "adaptive"),
    "ShepardKNN, adaptive, randomized": partial(
        our_set, ShepardKNN, "adaptive", randomize=True, random_state=0
    ),
    "ShepardKNN, least ambiguous": partial(our_set, ShepardKNN, "least_ambiguous"),
    "MAPIE, AODEClassifier": partial(cross_conformal_set, AODEClassifier),
    "MAPIE, ShepardKNN": partial(cross_conformal_set, ShepardKNN),
    "MAPIE, HistGradientBoosting": partial(cross_conformal_set, boosting),
}


def measure(table, quick=False):
    """Return what each method scores in each fold of a table."""
    size = (QUICK_ROWS, QUICK_FOLDS) if quick else (MAX_ROWS, N_FOLDS)
    X, y, folds = load(table, *size)
    y = np.asarray(y)
    is_regression = table in TABLES[REGRESSION]
    score = _interval_scores if is_regression else _set_scores
    results = {}
    for name, method in (INTERVALS if is_regression else SETS).items():
        # One thread for every method: gradient boosting would take all cores.
        with threadpool_limits(1), catch_warnings():
            simplefilter("ignore")  # rare classes, for all methods
            scores = [_score(score, method, X, y, train, test) for train, test in folds]
        results[name] = {key: [each[key] for each in scores] for key in scores[0]}
    return results


def _score(score, method, X, y, train, test):
    start = process_time()
    found = method(X.iloc[train], y[train], X.iloc[test])
    seconds = process_time() - start
    return {
        **score(found, y[test], np.std(y) if score is _interval_scores else 1),
        "seconds": seconds,
    }


def _interval_scores(bounds, y, unit):
    lower, upper = bounds
    covered = (lower <= y) & (y <= upper)
    # Infinite bounds count as wide as all targets are apart.
    width = np.minimum(upper - lower, np.ptp(y)) / unit
    order = np.argsort((lower + upper)[SHOWN], kind="stable")
    return _summary(covered, width, order)


def _set_scores(found, y, _):
    sets, classes, largest = found
    known = np.searchsorted(classes, y).clip(0, len(classes) - 1)
    covered = sets[:, np.arange(len(y)), known] & (classes[known] == y)
    return _summary(covered, sets.sum(axis=2), np.argsort(largest, kind="stable"))


def _summary(covered, size, order):
    parts = np.array_split(covered[SHOWN][order], N_PARTS)
    return {
        "covered": covered.mean(axis=1).tolist(),
        "size": size.mean(axis=1).tolist(),
        "fifths": [float(part.mean()) for part in parts],
    }


def summarize(results):
    """Return cover and size of each method."""
    return [
        f"{name:42}" + "  ".join(_cell(scores, k) for k in range(len(COVERAGES)))
        for name, scores in results.items()
    ]


def page(results):
    """Return the page of the documentation."""
    text = INTRODUCTION.format(
        max_rows=MAX_ROWS,
        n_folds=N_FOLDS,
        cv=CV,
        machine=describe(results["machine"]),
    )
    for half, methods, title, size in (
        (REGRESSION, INTERVALS, "Intervals", "width"),
        (CLASSIFICATION, SETS, "Sets of classes", "size"),
    ):
        tables = [table for table in TABLES[half] if table in results]
        if tables:
            text += f"\n## {title}\n"
            text += _mean_table(results, tables, methods, size)
            text += f"\nCovered and {size} at a coverage of .9, each table:\n"
            text += _table_of_each(results, tables, methods)
    return text


def _mean_table(results, tables, methods, size):
    header = ["method", *(f"covered, {c}" for c in COVERAGES)]
    header += [f"{size}, {c}" for c in COVERAGES] + ["fifths, 0.9", "seconds"]
    rows = []
    for name in methods:
        scores = [results[table][name] for table in tables]
        covered = np.mean([np.mean(s["covered"], axis=0) for s in scores], axis=0)
        sizes = np.mean([np.mean(s["size"], axis=0) for s in scores], axis=0)
        fifths = np.mean([np.mean(s["fifths"], axis=0) for s in scores], axis=0)
        seconds = np.mean([np.mean(s["seconds"]) for s in scores])
        rows.append(
            [
                name,
                *(f"{share:.3f}" for share in covered),
                *(f"{each:.2f}" for each in sizes),
                f"{fifths.min():.3f} to {fifths.max():.3f}",
                f"{seconds:.1f}",
            ]
        )
    return markdown_table(header, rows)


def _table_of_each(results, tables, methods):
    rows = [
        [table, *(_cell(results[table][name], SHOWN) for name in methods)]
        for table in tables
    ]
    return markdown_table(["table", *methods], rows)


def _cell(scores, level):
    covered, size = (np.mean(scores[key], axis=0)[level] for key in ("covered", "size"))
    return f"{covered:.3f} / {size:.2f}"


EXPERIMENT = Experiment(
    "accuracy_uncertainty",
    (*TABLES[REGRESSION], *TABLES[CLASSIFICATION]),
    measure,
    summarize,
    page,
    peers=("mapie",),
)
