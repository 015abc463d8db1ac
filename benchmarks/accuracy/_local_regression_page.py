"""The page on the accuracy of local regression."""

from collections import Counter

import numpy as np

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table, mean_and_error
from benchmarks._scores import standard_error

# A paired difference is called clear if it exceeds this many standard errors.
MIN_CLEAR_ERRORS = 2
PEERS = ("k-NN", "SVR")

INTRODUCTION = """\
# Accuracy of local regression

<!-- Written by `python -m benchmarks.accuracy local_regression`; do not edit. -->

Ten-fold cross-validation, `KFold(10, shuffle=True, random_state=0)`, the same folds for
every model; R² as mean ± standard deviation over the folds. All models get the same
columns: strings one-hot (`OneHotEncoder(drop="if_binary")`), missing values imputed by
the median of the column, and all columns standardised. This preprocessing is learned
from the training part. Numeric codes (season, weather, orientation ...) stay numbers.
All tuning takes place within the training part, with one grid for all tables.

- *tuned*: `LocallyWeightedRegressor`, its `n_neighbors` from {ks},
  its `degree` from {degrees} and its `ridge` from {ridges}, chosen together by
  leave-one-out (`"loo"`). The other parameters have their defaults, so the kernel is
  tricube. The grid was fixed before any score on these tables was known, and was not
  changed.
- *k only*: the same with `degree=1` and no ridge; `n_neighbors` by
  leave-one-out from the same candidates.
- *k-NN*: `KNeighborsRegressor`, its `n_neighbors` from
  {neighbors} and its `weights` uniform or by distance, by
  `GridSearchCV` with five shuffled folds.
- *SVR*: `SVR` with an RBF kernel and a standardised target, `C` from {Cs} and
  `gamma` from {gammas}, by `GridSearchCV` with three shuffled folds; its
  `epsilon` stays 0.1, which may be too large for tables with little noise.
- *SVR, wider*: the same with `C` from {wide_Cs} and `gamma` from
  {wide_gammas}. It was added in favour of *SVR*, which often chose the ends
  of its grid, on tables of up to {wide_rows} rows; larger tables take too long.

The tables: energy_efficiency predicts the heating load, without the cooling load;
machine_cpu the published performance (PRP), without vendor, model and ERP;
bike_sharing_day the daily count, without casual, registered, instant and date; auto_mpg
has no names of cars; boston_housing has the contested column B. california_housing is a
random sample of 5,000 of its 20,640 rows, the same for all models. *Columns* are
counted before one-hot encoding.

Measured on {machine}.
"""

PAIRS = """
*tuned - k-NN* and *tuned - SVR* pair the folds: mean ± standard error of the mean over
the folds; above zero, ours is better. (Training parts overlap, so these standard errors
are slightly too small.) The last line is the mean over the tables ± its standard error,
with the tables as the sample.
"""

WINS_AND_LOSSES = f"""
## Where ours loses

Mean differences of R²; *clear* means more than {MIN_CLEAR_ERRORS} standard errors.

"""

NOTE = """
Without a ridge, a local plane extrapolates far beyond its neighbours: on one fold of
bike_sharing_day *k only* has R² = 0.40 because of one day, whose felt temperature was
recorded wrongly (0.24 at a temperature of 0.72) and for which it predicts -3,453 rides.
The ridge of *tuned* prevents this.
"""

COST = """
## Chosen parameters and seconds

Seconds of one fold on one thread, for tuning, fitting and predicting; the most frequent
choice of *tuned* and of *SVR*, with the number of its folds.
"""

EDGES = """
In {n_edges} of {n_folds} folds *SVR* chose the largest `C` or the smallest `gamma` of
its grid; *SVR, wider* has a larger grid for this reason.
"""


def render(tables, machine, grids):
    """Return the page.

    Parameters
    ----------
    tables : dict
        For each table its "rows", "columns" and "models": the scores of the folds.
    machine : dict
    grids : dict of {str: list}
        Candidates that the introduction lists.
    """
    lists = {name: ", ".join(map(str, values)) for name, values in grids.items()}
    return "".join(
        [
            INTRODUCTION.format(machine=describe(machine), **lists),
            _scores(tables),
            PAIRS,
            _wins_and_losses(tables),
            NOTE,
            COST,
            _costs(tables),
            _edges(tables, max(grids["Cs"]), min(grids["gammas"])),
        ]
    )


def _mean_and_deviation(values):
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}"


def _means(tables, model):
    return [np.mean(table["models"][model]["r2"]) for table in tables.values()]


def _difference(table, peer):
    models = table["models"]
    return np.subtract(models["tuned"]["r2"], models[peer]["r2"])


def _measured(tables, model):
    """Return the tables on which a model was measured."""
    return {name: t for name, t in tables.items() if model in t["models"]}


def _scores(tables):
    names = _names(tables)
    columns = {
        "rows": [f"{table['rows']:,}" for table in tables.values()],
        "columns": [str(table["columns"]) for table in tables.values()],
    }
    for model in names:
        columns[f"R²: {model}"] = [
            _mean_and_deviation(table["models"][model]["r2"])
            if model in table["models"]
            else ""
            for table in tables.values()
        ]
    for peer in PEERS:
        columns[f"tuned - {peer}"] = [
            mean_and_error(_difference(table, peer)) if peer in table["models"] else ""
            for table in tables.values()
        ]
    means = {
        f"R²: {model}": f"{np.mean(_means(tables, model)):.3f}"
        for model in names
        if len(_measured(tables, model)) == len(tables)
    }
    for peer in PEERS:
        differences = [np.mean(_difference(t, peer)) for t in tables.values()]
        means[f"tuned - {peer}"] = mean_and_error(differences)
    rows = [list(row) for row in zip(tables, *columns.values())]
    rows.append(["mean over the tables", *(means.get(name, "") for name in columns)])
    return markdown_table(["table", *columns], rows)


def _wins_and_losses(tables):
    """Return one sentence a model on the tables where ours loses and wins."""
    others = [name for name in _names(tables) if name != "tuned"]
    lines = [_wins_and_losses_against(_measured(tables, name), name) for name in others]
    return WINS_AND_LOSSES + "\n".join(lines) + "\n"


def _wins_and_losses_against(tables, other):
    losses, wins = {}, {}
    for name, table in tables.items():
        difference = _difference(table, other)
        clear = abs(difference.mean()) > MIN_CLEAR_ERRORS * standard_error(difference)
        text = f"{difference.mean():+.3f}" + (" (clear)" if clear else "")
        (losses if difference.mean() < 0 else wins)[name] = text
    return (
        f"- Against *{other}*, *tuned* loses on {_list_tables(losses)}; "
        f"it wins on {_list_tables(wins)}."
    )


def _list_tables(texts):
    return ", ".join(f"{name} {text}" for name, text in texts.items()) or "none"


def _costs(tables):
    names = _names(tables)
    rows = []
    for name, table in tables.items():
        models = table["models"]
        seconds = (
            f"{np.mean(models[model]['seconds']):.1f}" if model in models else ""
            for model in names
        )
        choices = (_most_frequent_choice(models[model]) for model in ("tuned", "SVR"))
        rows.append([name, *seconds, *choices])
    header = ["table", *(f"seconds: {name}" for name in names)]
    return markdown_table([*header, "chosen: tuned", "chosen: SVR"], rows)


def _most_frequent_choice(folds):
    choice, times = Counter(folds["chosen"]).most_common(1)[0]
    return f"{choice.replace('n_neighbors', 'k')} ({times})"


def _edges(tables, largest_C, smallest_gamma):
    choices = [c for t in tables.values() for c in t["models"]["SVR"]["chosen"]]
    ends = (f"C {largest_C},", f"gamma {smallest_gamma}")
    n_edges = sum(c.startswith(ends[0]) or c.endswith(ends[1]) for c in choices)
    return EDGES.format(n_edges=n_edges, n_folds=len(choices))


def _names(tables):
    """Return the models, first those that were measured on every table."""
    names = dict.fromkeys(m for table in tables.values() for m in table["models"])
    return sorted(names, key=lambda name: -len(_measured(tables, name)))
