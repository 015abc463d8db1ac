"""Measures of one search among vectors: time, resident memory and recall.

Each is taken in a separate process, so that its memory is that of one search.
"""

import json
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks.scaling._vector_engines import ENGINES, EXACT, K

# The exact neighbours of this many queries are compared.
N_COMPARED = 2_000
# Vectors and queries of a first run, which imports and compiles.
_WARM_UP_ROWS, _WARM_UP_QUERIES = 1000, 50
_REPEATS = 3
# The recall of an index that serves single queries, the number of these queries, and
# the shares of rows that pass filters.
SERVED_RECALL, N_SERVED = 0.95, 200
SHARES = (0.01, 0.1, 0.5)
# Distances of single precision that are equal but for rounding.
_TOLERANCE = 1e-5
_STATUS = Path("/proc/self/status")


def resident(key="VmRSS"):
    """Return the resident bytes of this process; with key="VmHWM" their peak."""
    lines = _STATUS.read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith(key))
    return int(line.split()[1]) * 1024


def forget_peak():
    """Let the peak of the resident bytes begin at what the process holds now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def write_vectors(folder, X, queries):
    """Store the vectors where the processes read them."""
    np.save(Path(folder) / "X.npy", X)
    np.save(Path(folder) / "queries.npy", queries)


def measure(name, folder):
    """Return the measures of an engine among the vectors in a folder.

    The exact engine also stores the distances that the others are compared with.

    Returns
    -------
    dict
        "tuned": what the engine has chosen itself; "build": seconds; "vectors", "kept"
        and "peak": bytes of the vectors, of the index, and at most of both and what
        building and searching took besides; "searches": for each setting the seconds of
        all queries, how many there are, and the recall; "service": as `serve` returns
        it, unless the engine is exact.
    """
    engine, folder = ENGINES[name], Path(folder)
    X, queries = np.load(folder / "X.npy"), np.load(folder / "queries.npy")
    if name == EXACT:
        queries = queries[:N_COMPARED]
    warm = engine.build(X[:_WARM_UP_ROWS])
    engine.search(warm, queries[:_WARM_UP_QUERIES], engine.settings[0])
    del warm
    forget_peak()
    before = resident()
    start = perf_counter()
    index = engine.build(X)
    build = perf_counter() - start
    kept = resident() - before
    found = [_search(engine, index, queries, setting) for setting in engine.settings]
    peak = resident("VmHWM") - before + X.nbytes
    if name == EXACT:
        farthest = _distances(X, queries, found[0][1]).max(axis=1)
        np.save(folder / "farthest.npy", farthest)
    farthest = np.load(folder / "farthest.npy")
    searches = [
        {
            "setting": setting,
            "seconds": seconds,
            "n_queries": len(queries),
            "recall": recall(X, queries, indices[: len(farthest)], farthest),
        }
        for setting, (seconds, indices) in zip(engine.settings, found)
    ]
    service = (
        {} if name == EXACT else {"service": serve(engine, index, X, queries, searches)}
    )
    return {
        "title": engine.title,
        "tuned": {key: int(getattr(index, key)) for key in engine.tuned},
        "build": build,
        "vectors": X.nbytes,
        "kept": kept,
        "peak": peak,
        "searches": searches,
        **service,
    }


def serve(engine, index, X, queries, searches):
    """Return the measures of an index that answers one query at a time, and changes.

    It has the fastest setting that reaches the recall `SERVED_RECALL`, or the largest
    recall.

    Returns
    -------
    dict
        "setting" and its "recall"; medians in seconds of "one" query and of one row in
        "add" and "remove"; "filtered": for each share of the rows that pass, the
        seconds of one query and the recall.
    """
    enough = [search for search in searches if search["recall"] >= SERVED_RECALL]
    best = max(searches, key=lambda search: search["recall"])
    chosen = min(enough, key=lambda search: search["seconds"]) if enough else best
    setting, n = chosen["setting"], len(X)
    some = queries[:N_SERVED]
    numbers = iter(range(n, n + len(some)))
    filtered = {
        str(share): _filtered(engine, index, X, some, setting, share)
        for share in SHARES
    }
    return {
        "setting": setting,
        "recall": chosen["recall"],
        "filtered": filtered,
        "one": _median_seconds(lambda row: engine.search(index, row, setting), some),
        "add": _median_seconds(lambda row: engine.add(index, row, next(numbers)), some),
        "remove": _median_seconds(
            lambda number: engine.remove(index, number), range(100)
        ),
    }


def _filtered(engine, index, X, queries, setting, share):
    """Return the seconds and the recall of queries of which a share of rows passes."""
    mask = np.random.default_rng(0).random(len(X)) < share
    passing, found = engine.passing(mask), []
    seconds = _median_seconds(
        lambda row: found.append(engine.filtered(index, row, setting, passing)[0]),
        queries,
    )
    farthest = _exact_distances(X[mask], queries)
    return {
        "seconds": seconds,
        "recall": recall(X, queries, np.array(found), farthest),
    }


def _median_seconds(function, items):
    """Return the median seconds of a call for each item: a row alone, or a number."""
    seconds = []
    for i in range(len(items)):
        item = items[i] if isinstance(items, range) else items[i : i + 1]
        start = perf_counter()
        function(item)
        seconds.append(perf_counter() - start)
    return median(seconds)


def _exact_distances(X, queries):
    """Return the distance of the K-th nearest of the rows."""
    squares = np.square(X).sum(axis=1) - 2 * queries @ X.T
    nearest = np.argpartition(squares, 2 * K, axis=1)[:, : 2 * K]
    return np.sort(_distances(X, queries, nearest), axis=1)[:, K - 1]


def _search(engine, index, queries, setting):
    """Return the median seconds of all queries, and the neighbours found."""
    seconds = []
    for _ in range(_REPEATS if len(queries) > N_COMPARED else 1):
        start = perf_counter()
        indices = engine.search(index, queries, setting)
        seconds.append(perf_counter() - start)
    return median(seconds), indices


def recall(X, queries, indices, farthest):
    """Return the share of the K nearest rows of each query that were found.

    A row counts if it is as near as the K-th nearest, whose distance is given; it
    counts once, and a number below 0 is no row.

    >>> X = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> found = np.array([[0, 1], [3, -1]])
    >>> recall(X, X[[0, 3]], found, np.array([1.0, 3.0]))  # of 0: 0, 1; of 5: 3 alone
    0.75
    """
    ordered = np.sort(indices, axis=1)
    is_new = np.diff(ordered, axis=1, prepend=-1) > 0
    is_near = _distances(X, queries, ordered) <= farthest[:, None] * (1 + _TOLERANCE)
    return float((is_new & is_near).mean())


def _distances(X, queries, indices):
    """Return the distances of each query to its rows."""
    differences = X[np.maximum(indices, 0)] - queries[: len(indices), None]
    return np.linalg.norm(differences.astype(np.float64), axis=2)


def print_measures(name, folder):
    """Print the measures of an engine as JSON; a new process calls it."""
    print(json.dumps(measure(name, folder)))
