"""Measure the recall of LSHNeighbors on four real tables."""

from statistics import median
from time import perf_counter

import numpy as np
import pandas as pd

from benchmarks._data import data_folder
from benchmarks._machine import describe
from benchmarks._markdown import markdown_table
from benchmarks.accuracy._experiment import Experiment
from benchmarks.speed.hashing import fashion, patches
from benchmarks.speed.inverted_index import tf_idf
from sklearn_bayeslazy import LSHNeighbors

RECALLS = (0.5, 0.8, 0.9, 0.95, 0.99)
# One fit for each seed, which sets the hash functions and the sample.
SEEDS = (0, 1, 2)
# Queries that are asked one at a time, and the share of the rows that pass a filter.
N_SINGLE, SHARE = 200, 0.1
# The size of a quick run.
QUICK_TRAINING_ROWS = 2000
QUICK_QUERIES = 100

INTRODUCTION = """\
# The recall of hashing

<!-- Written by `python -m benchmarks.accuracy hashing`; do not edit. -->

`LSHNeighbors(10, recall=r)`, with only the metric set besides, searches for the ten
nearest training rows of new rows. *Requested* is r. *Recall* is the share of the ten
that are as near as the true ones: the minimum and the maximum of {seeds} fits, each
with hash functions and a tuning sample of its own. *Estimated* is `estimated_recall_`.
*Read* is `n_read_`, the rows that a query reads; for documents, the entries of the
index, which are all of them if the exact search is chosen. *Measured* is
`n_candidates_`, the rows whose distance to the query is computed. Seconds are those of
all queries, and of the fit, on two threads. *One* is the median of queries asked one at
a time, *add* that of rows added one at a time, in milliseconds. *10 % pass* is the
recall of queries with a filter that a tenth of the rows passes, drawn at random. All
columns but *recall* are of the first fit.

Measured on {machine}.

"""


def word_vectors():
    """Return the vectors of words, and those of a thousand other words as queries."""
    path = data_folder() / "glove_twitter_25d_subset.tsv.gz"
    frame = pd.read_csv(path, sep="\t", quoting=3, keep_default_na=False)
    X = frame.iloc[:, 1:].to_numpy(np.float32)
    X = X[np.random.default_rng(0).permutation(len(X))]
    return X[:-1000], X[-1000:]


def documents():
    """Return documents, and 2,000 others as queries."""
    X = tf_idf()
    X = X[np.random.default_rng(0).permutation(X.shape[0])]
    return X[:-2000], X[-2000:]


def rows_and_queries(data):
    """Return the rows and the queries of the data of a case of speed."""
    return data.X, data.X_new


TABLES = {
    "Fashion-MNIST, 60,000 rows of 784": (
        "euclidean",
        lambda: rows_and_queries(fashion(60_000)),
    ),
    "image patches, 100,000 rows of 192": (
        "euclidean",
        lambda: rows_and_queries(patches(100_000)),
    ),
    "GloVe, 10,925 rows of 25": ("cosine", word_vectors),
    "20 newsgroups tf-idf, 16,846 rows of 173,762": ("cosine", documents),
}


def measure(table, quick=False):
    """Return the recall and the cost for each requested recall."""
    metric, load = TABLES[table]
    X, queries = load()
    if quick:
        X, queries = X[:QUICK_TRAINING_ROWS], queries[:QUICK_QUERIES]
    return [measure_recall(metric, X, queries, recall) for recall in RECALLS]


def measure_recall(metric, X, queries, recall):
    """Return the recall of each seed, and the cost of the first."""
    row = {"requested": recall, "recall": [], "estimated": []}
    for seed in SEEDS:
        engine = LSHNeighbors(
            10, metric=metric, recall=recall, random_state=seed, n_jobs=2
        )
        start = perf_counter()
        engine.fit(X)
        fitted = perf_counter()
        engine.kneighbors(queries)
        end = perf_counter()
        row["recall"].append(engine.recall_report(queries).recall)
        row["estimated"].append(engine.estimated_recall_)
        cost = {
            "read": engine.n_read_,
            "measured": engine.n_candidates_,
            "fit": fitted - start,
            "queries": end - fitted,
        }
        if seed == SEEDS[0]:
            cost |= measure_service(engine, X, queries)
        # What the row holds already, from the first seed, takes precedence.
        row = {**cost, "n_queries": queries.shape[0], **row}
    return row


def measure_service(engine, X, queries):
    """Return medians of single calls, and the recall of queries with a filter."""
    some = range(min(N_SINGLE, queries.shape[0]))
    passing = np.random.default_rng(0).random(X.shape[0]) < SHARE
    alone = LSHNeighbors(engine.n_neighbors, metric=engine.metric, recall=1.0)
    exact = alone.fit(X[np.flatnonzero(passing)]).kneighbors(queries[some])[0]
    found = engine.kneighbors(queries[some], filter=passing)[0]
    is_near = found <= exact[:, -1:] * (1 + 1e-6) + 1e-9
    return {
        "filtered": float(is_near.mean()),
        "one": median_seconds(lambda i: engine.kneighbors(queries[[i]]), some),
        "add": median_seconds(lambda i: engine.partial_fit(queries[[i]]), some),
    }


def median_seconds(function, items):
    """Return the median seconds of a call for each item."""
    seconds = []
    for item in items:
        start = perf_counter()
        function(item)
        seconds.append(perf_counter() - start)
    return median(seconds)


def summarize(rows):
    """Return the recall for each requested recall."""
    return [f"requested {row['requested']}: {recall_range(row)}" for row in rows]


def recall_range(row):
    """Return the smallest and the largest recall of the fits as text."""
    return f"{min(row['recall']):.3f} to {max(row['recall']):.3f}"


def page(results):
    """Return the page of the documentation."""
    header = [
        "table",
        "requested",
        "recall",
        "estimated",
        "read",
        "measured",
        "queries",
        "fit",
        "one",
        "add",
        "10 % pass",
    ]
    rows = [
        [
            name,
            f"{row['requested']:.2f}",
            recall_range(row),
            f"{row['estimated'][0]:.3f}",
            f"{row['read']:,}",
            f"{row['measured']:,}",
            f"{row['queries']:.2f} s for {row['n_queries']:,}",
            f"{row['fit']:.2f} s",
            f"{1000 * row['one']:.2f}",
            f"{1000 * row['add']:.2f}",
            f"{row['filtered']:.3f}",
        ]
        for name in TABLES
        for row in results.get(name, [])
    ]
    introduction = INTRODUCTION.format(
        seeds=len(SEEDS), machine=describe(results["machine"])
    )
    return introduction + markdown_table(header, rows) + "\n"


EXPERIMENT = Experiment("recall", tuple(TABLES), measure, summarize, page)
