"""Measure what LSHNeighbors finds, of what it is asked for, on four real tables.

``python -m benchmarks.recall [TABLE ...]`` reads Fashion-MNIST, GloVe and 20 newsgroups
from the folder named by the environment variable BAYESLAZY_DATA, and writes
``doc/recall.json`` and ``doc/recall.md``.
"""

import sys
from time import perf_counter

import numpy as np
import pandas as pd

from benchmarks._harness import read_results, write_results
from benchmarks._machine import describe, machine_facts
from benchmarks._render_text import markdown
from benchmarks.accuracy_naive_bayes import ROOT, data_folder
from benchmarks.hashing import fashion, patches
from benchmarks.lookup import tf_idf
from sklearn_bayeslazy import LSHNeighbors

PAGE = ROOT / "doc" / "recall.md"
RECALLS = (0.5, 0.8, 0.9, 0.95, 0.99)
# Hash functions and sample are drawn anew for each.
SEEDS = (0, 1, 2)

INTRODUCTION = """\
# The recall of hashing

<!-- Written by `python -m benchmarks.recall`; do not edit. -->

`LSHNeighbors(10, recall=r)`, with nothing else set but the metric, is asked for the ten
nearest training rows of rows that it has not seen. *Found* is the share of the ten that
are as near as the true ones, the least and the most of {seeds} fits (each draws its own
hash functions and its own sample to learn from); *told* is `estimated_recall_`. *Read*
and *measured* are rows for a query, `n_read_` and `n_candidates_`; of documents *read*
are entries of the index, all of them where the exact search is chosen. Seconds are
those of all queries, and of the fit, on two threads. All but the recalls are of the
first fit.

Measured on {machine}.

"""


def word_vectors():
    """Return vectors of words, and a thousand others."""
    path = data_folder() / "glove_twitter_25d_subset.tsv.gz"
    frame = pd.read_csv(path, sep="\t", quoting=3, keep_default_na=False)
    X = frame.iloc[:, 1:].to_numpy(np.float32)
    X = X[np.random.default_rng(0).permutation(len(X))]
    return X[:-1000], X[-1000:]


def documents():
    """Return documents, and 2,000 others."""
    X = tf_idf()
    X = X[np.random.default_rng(0).permutation(X.shape[0])]
    return X[:-2000], X[-2000:]


def split(data):
    """Return rows and queries of a case of the benchmarks."""
    return data.X, data.X_new


TABLES = {
    "Fashion-MNIST, 60,000 rows of 784": ("euclidean", lambda: split(fashion(60_000))),
    "image patches, 100,000 rows of 192": (
        "euclidean",
        lambda: split(patches(100_000)),
    ),
    "GloVe, 10,925 rows of 25": ("cosine", word_vectors),
    "20 newsgroups tf-idf, 16,846 rows of 173,762": ("cosine", documents),
}


def main(names=None):
    """Measure the tables asked for, and write the page."""
    results = read_results(PAGE)
    for name in names or TABLES:
        metric, load = TABLES[name]
        results[name] = [measure(metric, *load(), recall) for recall in RECALLS]
        for row in results[name]:
            print(name, row, flush=True)
        results["machine"] = machine_facts()
        write_results(results, PAGE, page)


def measure(metric, X, queries, recall):
    """Return what was found with each seed, and the effort of the first."""
    row = {"asked": recall, "found": [], "told": []}
    for seed in SEEDS:
        engine = LSHNeighbors(
            10, metric=metric, recall=recall, random_state=seed, n_jobs=2
        )
        start = perf_counter()
        engine.fit(X)
        fitted = perf_counter()
        engine.kneighbors(queries)
        asked = perf_counter()
        row["found"].append(engine.recall_report(queries).recall)
        row["told"].append(engine.estimated_recall_)
        effort = {"read": engine.n_read_, "measured": engine.n_candidates_}
        seconds = {"fit": fitted - start, "queries": asked - fitted}
        row = {**effort, **seconds, "n_queries": queries.shape[0], **row}
    return row


def page(results):
    """Return the page of the documentation."""
    header = ["table", "asked", "found", "told", "read", "measured", "queries", "fit"]
    rows = [
        [
            name,
            f"{row['asked']:.2f}",
            f"{min(row['found']):.3f} to {max(row['found']):.3f}",
            f"{row['told'][0]:.3f}",
            f"{row['read']:,}",
            f"{row['measured']:,}",
            f"{row['queries']:.2f} s for {row['n_queries']:,}",
            f"{row['fit']:.2f} s",
        ]
        for name in TABLES
        for row in results.get(name, [])
    ]
    introduction = INTRODUCTION.format(
        seeds=len(SEEDS), machine=describe(results["machine"])
    )
    return introduction + markdown(header, rows) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
