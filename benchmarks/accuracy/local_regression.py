"""Cross-validate LocallyWeightedRegressor and its peers on real tables."""

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

from benchmarks._data import read_table
from benchmarks._markdown import mean_and_error
from benchmarks._scores import score_folds
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from benchmarks.accuracy._local_regression_page import render
from sklearn_bayeslazy import LocallyWeightedRegressor

# Small tables first: an interrupted run has measured most of them.
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
# Columns that identify a row, reveal the target or are another target.
DROPPED_COLUMNS = {
    "auto_mpg": ["name"],
    "bike_sharing_day": ["instant", "dteday", "casual", "registered"],
    "energy_efficiency": ["cooling_load"],
}
MAX_ROWS = 5000

# One grid for all tables, fixed before any of their scores was known.
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
# Added because SVR often chose the ends of its grid; too slow for the large tables.
WIDE_SVR_GRID = {"C": [1, 10, 100, 1000], "gamma": [0.005, 0.02, 0.1, 0.5]}
WIDE_MAX_ROWS = 2000


def preprocessed(model):
    """Return a pipeline: one-hot strings, imputed scaled numbers, then the model."""
    numbers = make_column_transformer(
        (
            OneHotEncoder(drop="if_binary", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder=SimpleImputer(strategy="median"),
    )
    return make_pipeline(numbers, StandardScaler(), model)


def tuned():
    """Return our model; leave-one-out chooses k, degree and ridge."""
    return preprocessed(
        LocallyWeightedRegressor(
            "loo",
            n_neighbors="loo",
            scale=None,
            ridge="loo",
            loo_candidates=LOO_CANDIDATES,
            statistics=None,
            n_jobs=1,
        )
    )


def k_only():
    """Return classical local regression; leave-one-out chooses k."""
    return preprocessed(
        LocallyWeightedRegressor(
            degree=1,
            n_neighbors="loo",
            scale=None,
            ridge=0.0,
            loo_candidates={"n_neighbors": LOO_KS},
            statistics=None,
            n_jobs=1,
        )
    )


def grid_search(model, grid, n_folds):
    """Return a search for the parameters of a model within the training part.

    The inner folds are shuffled, because several tables are sorted.
    """
    folds = KFold(n_folds, shuffle=True, random_state=0)
    return GridSearchCV(model, grid, cv=folds)


def grid_of_step(step, grid):
    """Return the grid of a model for a pipeline in which it is a step."""
    return {f"{step}__{name}": values for name, values in grid.items()}


def neighbors():
    """Return k-NN with a search for its parameters."""
    grid = grid_of_step("kneighborsregressor", NEIGHBORS_GRID)
    return grid_search(preprocessed(KNeighborsRegressor()), grid, 5)


def svr(grid):
    """Return a support vector machine with a search; its target is standardised."""
    model = TransformedTargetRegressor(
        preprocessed(SVR(cache_size=1000)), transformer=StandardScaler()
    )
    return grid_search(model, grid_of_step("regressor__svr", grid), 3)


MODELS = {
    "tuned": tuned,
    "k only": k_only,
    "k-NN": neighbors,
    "SVR": partial(svr, SVR_GRID),
    "SVR, wider": partial(svr, WIDE_SVR_GRID),
}


def measure(table, quick=False):
    """Return R², seconds and choices of each model in each fold."""
    X, y = read_table(table, QUICK_ROWS if quick else MAX_ROWS)
    X, y = X.drop(columns=DROPPED_COLUMNS.get(table, [])), y.astype(float)
    n_folds = QUICK_FOLDS if quick else 10
    folds = KFold(n_folds, shuffle=True, random_state=0).split(X)
    wide = len(X) <= WIDE_MAX_ROWS
    models = {name: m for name, m in MODELS.items() if wide or name != "SVR, wider"}
    scores = score_folds(models, X, y, folds, r2_and_choice)
    return {"rows": len(X), "columns": X.shape[1], "models": scores}


def r2_and_choice(model, X, y):
    """Return R² and the parameters that were chosen within the training part."""
    if isinstance(model, GridSearchCV):
        chosen = {k.split("__")[-1]: v for k, v in model.best_params_.items()}
    else:
        results = model[-1].loo_results_
        chosen = results["params"][results["rank"].argmin()]
    text = ", ".join(f"{name} {value}" for name, value in chosen.items())
    return {"r2": model.score(X, y), "chosen": text}


def summarize(measured):
    """Return the mean R² and the mean seconds of each model."""
    return [
        f"{model:12}{mean_and_error(folds['r2'])} {np.mean(folds['seconds']):.1f} s"
        for model, folds in measured["models"].items()
    ]


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
        "wide_rows": [WIDE_MAX_ROWS],
    }
    return render(tables, results["machine"], grids)


EXPERIMENT = Experiment("accuracy_local_regression", TABLES, measure, summarize, page)
