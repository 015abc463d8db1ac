"""The work of each estimator that is timed, with the least that it must read and do."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

import sklearn_bayeslazy as sb


@dataclass(frozen=True)
class Workload:
    """One row of the tables.

    `prepare` gets the data, fits what is not timed and returns the function to time.
    `least_bytes` and `least_products` are what any program must read, and multiply and
    add, for the same answer; the larger of the two times is the floor.
    """

    name: str
    work: str
    rows: int
    data: Callable
    model: object
    prepare: Callable
    least_bytes: Callable
    least_products: Callable


def categories(rows):
    """Return 30 columns of codes 0..9 that depend on five classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=rows)
    X = (10 * rng.random((rows, 30)) ** (1 + 0.1 * y[:, None])).astype(np.int64)
    return X, y


def numbers(rows, n_columns=20):
    """Return normal columns and five classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=rows)
    return rng.normal(size=(rows, n_columns)) + 0.2 * y[:, None], y


def targets(rows):
    """Return normal columns and a smooth function of them with noise."""
    X, y = numbers(rows, 8)
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.1 * y


def symbols(rows):
    """Return a frame of 15 columns of strings and two classes."""
    X, y = categories(rows)
    names = [f"column {j}" for j in range(15)]
    return pd.DataFrame(X[:, :15].astype(str), columns=names), y % 2


def counts(rows):
    """Return sparse rows of 50 words out of 20 000, and five classes."""
    rng = np.random.default_rng(0)
    words = (20_000 * rng.random((rows, 50)) ** 3).astype(np.int32)
    starts = np.arange(0, words.size + 1, 50)
    X = sparse.csr_matrix((np.ones(words.size), words.ravel(), starts), (rows, 20_000))
    X.sum_duplicates()
    return X, rng.integers(5, size=rows)


def texts(rows):
    """Return texts of 30 words of 5 000, and two classes."""
    rng = np.random.default_rng(0)
    names = np.array([f"w{k}" for k in range(5000)])
    words = names[(5000 * rng.random((rows, 30)) ** 2).astype(int)]
    return [" ".join(row) for row in words], rng.integers(2, size=rows)


def fit(model, X, y):
    """Return the fit as a function."""
    return lambda: model.fit(X, y)


def answer(method, n_queries=None):
    """Return a `prepare` that fits, and times a method on the first rows."""

    def prepare(model, X, y):
        model.fit(X, y)
        queries = X[:n_queries] if n_queries else X
        return lambda: getattr(model, method)(queries)

    return prepare


def size_of(X):
    """Return the bytes of rows."""
    if sparse.issparse(X):
        return X.data.nbytes + X.indices.nbytes
    if hasattr(X, "memory_usage"):
        return int(X.memory_usage(index=False, deep=True).sum())
    return sum(map(len, X)) if isinstance(X, list) else X.nbytes


def no_products(X, n_classes):
    """Return 0: the work is reading."""
    return 0


def all_pairs(n_queries):
    """Return the products of the distances of queries from all rows."""
    return lambda X, n_classes: n_queries * X.shape[0] * X.shape[1]


def cells_by_class(X, n_classes):
    """Return a product for each cell and class."""
    return X.shape[0] * X.shape[1] * n_classes


_CLASSICAL = {"m": 1, "feature_weights": None}
WORKLOADS = [
    Workload(name, work, rows, data, model, prepare, size_of, products)
    for name, work, rows, data, model, prepare, products in (
        (
            "MEstimateNB, categories",
            "fit, 30 columns of 10 values, 5 classes",
            2_000_000,
            categories,
            sb.MEstimateNB(distribution="categorical", **_CLASSICAL),
            fit,
            no_products,
        ),
        (
            "MEstimateNB, categories",
            "predict_proba",
            500_000,
            categories,
            sb.MEstimateNB(distribution="categorical", **_CLASSICAL),
            answer("predict_proba"),
            no_products,
        ),
        (
            "MEstimateNB, Gaussian",
            "fit, 20 columns, 5 classes",
            1_000_000,
            numbers,
            sb.MEstimateNB(distribution="gaussian", **_CLASSICAL),
            fit,
            no_products,
        ),
        (
            "MEstimateNB, Gaussian",
            "predict_proba",
            500_000,
            numbers,
            sb.MEstimateNB(distribution="gaussian", **_CLASSICAL),
            answer("predict_proba"),
            cells_by_class,
        ),
        (
            "AODEClassifier",
            "fit, 15 columns of strings, defaults",
            50_000,
            symbols,
            sb.AODEClassifier(),
            fit,
            no_products,
        ),
        (
            "AODEClassifier",
            "predict_proba",
            50_000,
            symbols,
            sb.AODEClassifier(),
            answer("predict_proba"),
            no_products,
        ),
        (
            "TextNB",
            "fit, 50 words a row of 20 000",
            200_000,
            counts,
            sb.TextNB(),
            fit,
            no_products,
        ),
        (
            "LanguageModelNB",
            "fit, texts of 30 words, trigrams",
            20_000,
            texts,
            sb.LanguageModelNB(order=3),
            fit,
            no_products,
        ),
        (
            "ShepardKNN, all rows",
            "predict_proba of 1 000 rows, 20 columns",
            100_000,
            numbers,
            sb.ShepardKNN(None, metric="euclidean", power=2, m=0),
            answer("predict_proba", 1000),
            all_pairs(1000),
        ),
        (
            "ShepardKNN, 10 nearest",
            "predict_proba of 1 000 rows, 20 columns",
            100_000,
            numbers,
            sb.ShepardKNN(10, metric="euclidean", power=2, m=0),
            answer("predict_proba", 1000),
            all_pairs(1000),
        ),
        (
            "ShepardKNN, choice of k",
            "fit with n_neighbors='loo'",
            20_000,
            lambda rows: numbers(rows, 6),
            sb.ShepardKNN("loo", metric="euclidean", power=2, m=0),
            fit,
            lambda X, n_classes: X.shape[0] ** 2 * X.shape[1],
        ),
        (
            "LocallyWeightedRegressor",
            "predict 2 000 rows, 8 columns, 100 nearest",
            50_000,
            targets,
            sb.LocallyWeightedRegressor(n_neighbors=100, scale="std", ridge=0.0),
            answer("predict", 2000),
            lambda X, n_classes: 2000 * 100 * (X.shape[1] + 1) ** 2 // 2,
        ),
        (
            "LSHNeighbors",
            "kneighbors of 5 000 rows, 20 columns",
            200_000,
            numbers,
            sb.LSHNeighbors(10, random_state=0),
            answer("kneighbors", 5000),
            no_products,
        ),
        (
            "InvertedIndexNeighbors",
            "kneighbors of 1 000 rows of 50 words",
            50_000,
            counts,
            sb.InvertedIndexNeighbors(10),
            answer("kneighbors", 1000),
            no_products,
        ),
        (
            "RBFNetworkRegressor",
            "fit, 8 columns",
            3_000,
            targets,
            sb.RBFNetworkRegressor(),
            fit,
            lambda X, n_classes: X.shape[0] * 300**2 // 2,
        ),
        (
            "BeliefNetworkClassifier, TAN",
            "fit, 30 columns of 10 values",
            200_000,
            categories,
            sb.BeliefNetworkClassifier("tan", structure_score="bic", m=1.0),
            fit,
            no_products,
        ),
        (
            "BeliefNetworkClassifier, TAN",
            "predict_proba",
            200_000,
            categories,
            sb.BeliefNetworkClassifier("tan", structure_score="bic", m=1.0),
            answer("predict_proba"),
            no_products,
        ),
        (
            "MyAdaBoost",
            "fit, 50 stumps, 20 columns",
            50_000,
            numbers,
            sb.MyAdaBoost(n_estimators=50, random_state=0),
            fit,
            no_products,
        ),
        (
            "CaseBasedClassifier",
            "predict_proba of 1 000 cases of 15 symbols",
            20_000,
            symbols,
            sb.CaseBasedClassifier(weights=None),
            answer("predict_proba", 1000),
            no_products,
        ),
    )
]


def prepared(workload, rows, n_jobs):
    """Return the function to time."""
    X, y = workload.data(rows)
    model = clone(workload.model)
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    return workload.prepare(model, X, y)
