"""The work of each estimator that is timed, with the least that it must read and do."""

from collections.abc import Callable
from dataclasses import dataclass

from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

import sklearn_bayeslazy as sb
from benchmarks.scaling._tables import (
    categories,
    counts,
    numbers,
    symbols,
    targets,
    texts,
)


@dataclass(frozen=True)
class Workload:
    """One row of the tables.

    `prepare` gets the data, fits what is not timed and returns the function to time.
    `least_bytes` and `least_products` are what any program must read, and multiply and
    add, for the same answer; the larger of the two times is the floor. `reason` says
    what takes the rest of the time.
    """

    name: str
    work: str
    rows: int
    data: Callable
    model: object
    prepare: Callable
    least_bytes: Callable
    least_products: Callable
    reason: str


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
    Workload(name, work, rows, data, model, prepare, size_of, products, reason)
    for name, work, rows, data, model, prepare, products, reason in (
        (
            "MEstimateNB, categories",
            "fit, 30 columns of 10 values, 5 classes",
            2_000_000,
            categories,
            sb.MEstimateNB(distribution="categorical", **_CLASSICAL),
            fit,
            no_products,
            "each cell adds 1 to a count in the first cache",
        ),
        (
            "MEstimateNB, categories",
            "predict_proba",
            500_000,
            categories,
            sb.MEstimateNB(distribution="categorical", **_CLASSICAL),
            answer("predict_proba"),
            no_products,
            "a look-up for each cell and class, and the exponentials of five classes",
        ),
        (
            "MEstimateNB, Gaussian",
            "fit, 20 columns, 5 classes",
            1_000_000,
            numbers,
            sb.MEstimateNB(distribution="gaussian", **_CLASSICAL),
            fit,
            no_products,
            "the class of a row chooses the sums that its cells and their squares join",
        ),
        (
            "MEstimateNB, Gaussian",
            "predict_proba",
            500_000,
            numbers,
            sb.MEstimateNB(distribution="gaussian", **_CLASSICAL),
            answer("predict_proba"),
            cells_by_class,
            "a difference and a square for each cell and class, and exponentials",
        ),
        (
            "AODEClassifier",
            "fit, 15 columns of strings, defaults",
            50_000,
            symbols,
            sb.AODEClassifier(),
            fit,
            no_products,
            "strings to codes; weights, bins and penalties: many scores a row",
        ),
        (
            "AODEClassifier",
            "predict_proba",
            50_000,
            symbols,
            sb.AODEClassifier(),
            answer("predict_proba"),
            no_products,
            "strings to codes, and a look-up for each pair of columns and each class",
        ),
        (
            "TextNB",
            "fit, 50 words a row of 20 000",
            200_000,
            counts,
            sb.TextNB(),
            fit,
            no_products,
            "30 values of m and temperatures, scored on 10 000 left-out documents",
        ),
        (
            "LanguageModelNB",
            "fit, texts of 30 words, trigrams",
            20_000,
            texts,
            sb.LanguageModelNB(order=3),
            fit,
            no_products,
            "texts to words, and hashes of each word with those before it",
        ),
        (
            "ShepardKNN, all rows",
            "predict_proba of 1 000 rows, 20 columns",
            100_000,
            numbers,
            sb.ShepardKNN(None, metric="euclidean", power=2, m=0),
            answer("predict_proba", 1000),
            all_pairs(1000),
            "a power of each distance, and a sum for each class",
        ),
        (
            "ShepardKNN, 10 nearest",
            "predict_proba of 1 000 rows, 20 columns",
            100_000,
            numbers,
            sb.ShepardKNN(10, metric="euclidean", power=2, m=0),
            answer("predict_proba", 1000),
            all_pairs(1000),
            "bounds in single precision, then the nearest exactly",
        ),
        (
            "ShepardKNN, choice of k",
            "fit with n_neighbors='loo'",
            20_000,
            lambda rows: numbers(rows, 6),
            sb.ShepardKNN("loo", metric="euclidean", power=2, m=0),
            fit,
            lambda X, n_classes: X.shape[0] ** 2 * X.shape[1],
            "sorted lists of the nearest, and votes of each k and power",
        ),
        (
            "LocallyWeightedRegressor",
            "predict 2 000 rows, 8 columns, 100 nearest",
            50_000,
            targets,
            sb.LocallyWeightedRegressor(n_neighbors=100, scale="std", ridge=0.0),
            answer("predict", 2000),
            lambda X, n_classes: 2000 * 100 * (X.shape[1] + 1) ** 2 // 2,
            "a search of a kd-tree for each row, and gathering 100 rows",
        ),
        (
            "LSHNeighbors",
            "kneighbors of 5 000 rows, 20 columns",
            200_000,
            numbers,
            sb.LSHNeighbors(10, random_state=0),
            answer("kneighbors", 5000),
            no_products,
            "candidates of some tables for each row, ranked, then measured",
        ),
        (
            "InvertedIndexNeighbors",
            "kneighbors of 1 000 rows of 50 words",
            50_000,
            counts,
            sb.InvertedIndexNeighbors(10),
            answer("kneighbors", 1000),
            no_products,
            "each posting of the words of a row is added to the score of its document",
        ),
        (
            "RBFNetworkRegressor",
            "fit, 8 columns",
            3_000,
            targets,
            sb.RBFNetworkRegressor(),
            fit,
            lambda X, n_classes: X.shape[0] * 300**2 // 2,
            "k-means for five numbers of centers; each width and ridge is left out",
        ),
        (
            "BeliefNetworkClassifier, TAN",
            "fit, 30 columns of 10 values",
            200_000,
            categories,
            sb.BeliefNetworkClassifier("tan", structure_score="bic", m=1.0),
            fit,
            no_products,
            "counts of 435 pairs of columns by class, bins, and their order",
        ),
        (
            "BeliefNetworkClassifier, TAN",
            "predict_proba",
            200_000,
            categories,
            sb.BeliefNetworkClassifier("tan", structure_score="bic", m=1.0),
            answer("predict_proba"),
            no_products,
            "a look-up for each cell and class, and exponentials",
        ),
        (
            "MyAdaBoost",
            "fit, 50 stumps, 20 columns",
            50_000,
            numbers,
            sb.MyAdaBoost(n_estimators=50, random_state=0),
            fit,
            no_products,
            "50 rounds read the bins of all rows; the floor reads the table once",
        ),
        (
            "CaseBasedClassifier",
            "predict_proba of 1 000 cases of 15 symbols",
            20_000,
            symbols,
            sb.CaseBasedClassifier(weights=None),
            answer("predict_proba", 1000),
            no_products,
            "a similarity for each case, attribute and query, looked up in a table",
        ),
        (
            "LocallyWeightedRegressor",
            "fit, 8 columns, defaults",
            2_000,
            targets,
            sb.LocallyWeightedRegressor(),
            fit,
            no_products,
            "windows, degrees and ridges: each row is left out of each fit",
        ),
        (
            "LocallyWeightedEstimator",
            "predict_proba of 100 rows, MEstimateNB in each neighborhood",
            5_000,
            numbers,
            sb.LocallyWeightedEstimator(sb.MEstimateNB(**_CLASSICAL), n_neighbors=100),
            answer("predict_proba", 100),
            all_pairs(100),
            "a fit of scikit-learn's kind for each row, in Python",
        ),
        (
            "ShardedNeighbors",
            "kneighbors of 1 000 rows in 4 shards, 20 columns, exact",
            100_000,
            numbers,
            sb.ShardedNeighbors(NearestNeighbors(n_neighbors=10), n_shards=4),
            answer("kneighbors", 1000),
            all_pairs(1000),
            "scikit-learn's search in each shard, and merging the lists",
        ),
        (
            "AxisStretcher",
            "fit, 6 columns, 10 nearest",
            1_000,
            lambda rows: numbers(rows, 6),
            sb.AxisStretcher(n_neighbors=10, random_state=0),
            fit,
            lambda X, n_classes: X.shape[0] ** 2 * X.shape[1],
            "tens of passes over the pairs, each with a gradient",
        ),
        (
            "BeliefNetwork",
            "fit by hill climbing, 15 columns of strings",
            50_000,
            symbols,
            sb.BeliefNetwork(),
            fit,
            no_products,
            "strings to codes, and counts of the families that the search visits",
        ),
        (
            "HypothesisClassifier",
            "fit of MEstimateNB and ShepardKNN, held-out predictions of 5 folds",
            5_000,
            numbers,
            sb.HypothesisClassifier([sb.MEstimateNB(), sb.ShepardKNN()], cv=5),
            fit,
            no_products,
            "ten fits with their choices by leave-one-out",
        ),
        (
            "NGramLanguageModel",
            "score_samples of 10 000 texts of 30 words, trigrams",
            20_000,
            texts,
            sb.NGramLanguageModel(order=3),
            answer("score_samples", 10_000),
            no_products,
            "texts to words, and searches in sorted tables of n-grams",
        ),
        (
            "ValueDifferenceEncoder",
            "transform, 15 columns of strings",
            100_000,
            symbols,
            sb.ValueDifferenceEncoder(),
            answer("transform"),
            no_products,
            "strings to codes",
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
