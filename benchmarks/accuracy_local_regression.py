"""Cross-validate LocallyWeightedRegressor and its peers on real tables.

``python -m benchmarks.accuracy_local_regression [TABLE ...] [--quick]`` reads the
tables from the folder named by the environment variable BAYESLAZY_DATA and writes
``doc/accuracy_local_regression.json`` and ``doc/accuracy_local_regression.md``;
``--quick`` takes 300 rows and three folds, prints and writes nothing.
"""

import argparse
from functools import partial

import numpy as np
from sklearn.compose import (
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
)
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVR

from benchmarks._harness import read_results, score_folds, write_results
from benchmarks._machine import machine_facts
from benchmarks._render_accuracy import spread
from benchmarks._render_local_regression import render
from benchmarks.accuracy_naive_bayes import ROOT, data_folder, read_table
from sklearn_bayeslazy.local_regression import LocallyWeightedRegressor

PAGE = ROOT / "doc" / "accuracy_local_regression.md"

# Small tables first: a run that is cut short has measured most of them.
TABLES = (
    "machine_cpu",
    "auto_mpg",
    "boston_housing",
    "bike_sharing_day",
    "energy_efficiency",
    "concrete",
    "california_housing",
    "abalone",
)
# What names a row, gives the target away or is another target.
NO_FEATURES = {
    "auto_mpg": ["name"],
    "bike_sharing_day": ["instant", "dteday", "casual", "registered"],
    "energy_efficiency": ["cooling_load"],
}
MOST_ROWS = 5000
QUICK_ROWS = 300

# One rule for all tables, settled before any of their scores was seen.
LOO_KS = [10, 20, 50, 100, 200, 500]
LOO_CANDIDATES = {
    "n_neighbors": LOO_KS,
    "degree": [0, 1, 2],
    "ridge": [0.0, 1e-2, 1e-1, 1.0],
}
NEIGHBORS_GRID = {
    "n_neighbors": [1, 2, 3, 5, 7, 10, 15, 20, 30, 50],
    "weights": ["uniform", "distance"],
}
SVR_GRID = {"C": [1, 10, 100], "gamma": [0.02, 0.1, 0.5]}
# Added when SVR was seen to choose the ends of its grid; too slow for the large tables.
WIDE_SVR_GRID = {"C": [1, 10, 100, 1000], "gamma": [0.005, 0.02, 0.1, 0.5]}
WIDE_MOST_ROWS = 2000


def prepared(model):
    """Return a pipeline from tables with strings and holes to a model of numbers."""
    numbers = make_column_transformer(
        (
            OneHotEncoder(drop="if_binary", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder=SimpleImputer(strategy="median"),
    )
    return make_pipeline(numbers, StandardScaler(), model)


def tuned():
    """Return ours with everything chosen by leave-one-out."""
    return prepared(
        LocallyWeightedRegressor(
            "loo",
            n_neighbors="loo",
            ridge="loo",
            loo_candidates=LOO_CANDIDATES,
            statistics=None,
            n_jobs=1,
        )
    )


def k_only():
    """Return ours with its defaults but for k."""
    return prepared(
        LocallyWeightedRegressor(
            n_neighbors="loo",
            loo_candidates={"n_neighbors": LOO_KS},
            statistics=None,
            n_jobs=1,
        )
    )


def searched(model, grid, n_folds):
    """Return a model whose parameters are searched within the training part.

    The inner folds are shuffled, since several tables are sorted.
    """
    folds = KFold(n_folds, shuffle=True, random_state=0)
    return GridSearchCV(model, grid, cv=folds)


def under(step, grid):
    """Return the grid of a model that is a step of another."""
    return {f"{step}__{name}": values for name, values in grid.items()}


def neighbors():
    """Return k-NN by search."""
    grid = under("kneighborsregressor", NEIGHBORS_GRID)
    return searched(prepared(KNeighborsRegressor()), grid, 5)


def svr(grid):
    """Return a support vector machine by search, its target standardised."""
    model = TransformedTargetRegressor(
        prepared(SVR(cache_size=1000)), transformer=StandardScaler()
    )
    return searched(model, under("regressor__svr", grid), 3)


MODELS = {
    "tuned": tuned,
    "k only": k_only,
    "k-NN": neighbors,
    "SVR": partial(svr, SVR_GRID),
    "SVR, wider": partial(svr, WIDE_SVR_GRID),
}


def read_rows(name, most_rows=MOST_ROWS):
    """Return the features and the target of a table, a random part of a large one."""
    X, y = read_table(data_folder() / f"{name}.csv")
    X = X.drop(columns=NO_FEATURES.get(name, []))
    if len(X) > most_rows:
        rows = np.random.default_rng(0).choice(len(X), most_rows, replace=False)
        X, y = X.iloc[rows].reset_index(drop=True), y[rows]
    return X, y.astype(float)


def chosen(model):
    """Return what was chosen within the training part, as text."""
    if isinstance(model, GridSearchCV):
        found = {k.split("__")[-1]: v for k, v in model.best_params_.items()}
    else:
        regressor = model[-1]
        place = regressor.loo_results_["rank"].argmin()
        found = regressor.loo_results_["params"][place]
    return {"chosen": ", ".join(f"{name} {value}" for name, value in found.items())}


def measure(X, y, n_folds=10):
    """Return R², seconds and choices of each model in each fold."""
    folds = KFold(n_folds, shuffle=True, random_state=0).split(X)
    wide = len(X) <= WIDE_MOST_ROWS
    models = {name: m for name, m in MODELS.items() if wide or name != "SVR, wider"}
    scores = score_folds(models, X, y, folds, "r2", chosen)
    return {"rows": len(X), "columns": X.shape[1], "models": scores}


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    grids = {
        "ks": LOO_CANDIDATES["n_neighbors"],
        "degrees": LOO_CANDIDATES["degree"],
        "ridges": LOO_CANDIDATES["ridge"],
        "neighbors": NEIGHBORS_GRID["n_neighbors"],
        "Cs": SVR_GRID["C"],
        "gammas": SVR_GRID["gamma"],
        "wide_Cs": WIDE_SVR_GRID["C"],
        "wide_gammas": WIDE_SVR_GRID["gamma"],
        "wide_rows": [WIDE_MOST_ROWS],
    }
    return render(tables, results["machine"], grids)


def main(arguments=None):
    """Measure the tables asked for, store the folds and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="without any, all")
    parser.add_argument("--quick", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    results = read_results(PAGE)
    for name in options.tables or TABLES:
        if options.quick:
            measured = measure(*read_rows(name, QUICK_ROWS), n_folds=3)
        else:
            measured = results[name] = measure(*read_rows(name))
            results["machine"] = machine_facts()
            write_results(results, PAGE, page)
        for model, folds in measured["models"].items():
            seconds = f"{np.mean(folds['seconds']):.1f} s"
            print(f"{name:20}{model:12}{spread(folds['r2'])} {seconds}", flush=True)


if __name__ == "__main__":
    main()
