"""Measure one piece of work done by us and by a peer: time, memory, growth, answers.

Nothing here knows what is measured. A `Case` says how to make the data, how each side
does the work and how to compare the answers; `measure` turns it into a row of numbers.
"""

import gc
import json
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

# Growth is judged over a factor of four: wide enough to tell n from n log n or n²,
# narrow enough that the largest table still fits beside everything else.
GROWTH_FACTORS = (1, 2, 4)


class Data(NamedTuple):
    """A table to learn from and fresh rows of the same kind to be judged on."""

    X: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    y_new: np.ndarray


class Agreement(NamedTuple):
    """Whether our answer is as good as the peer's, and the sentence that says so."""

    holds: bool
    text: str


@dataclass(frozen=True)
class Case:
    """One row of the benchmark table.

    `ours` and `peer` receive the data, prepare whatever is not to be timed (a model
    that is fitted already, say) and return the function to time. A row without a target
    is there for comparison.
    """

    name: str
    work: str
    peer_name: str
    target: float | None
    size: int
    quick_size: int
    repeats: int
    data: Callable[[int], Data]
    ours: Callable[[Data], Callable[[], Any]]
    peer: Callable[[Data], Callable[[], Any]]
    agreement: Callable[[Data, Any, Any], Agreement]


def timed(function):
    """Return the seconds of one call, begun without garbage from the call before."""
    gc.collect()
    start = perf_counter()
    function()
    return perf_counter() - start


def alternate(ours, peer, repeats):
    """Return the median seconds of each side, run in turns.

    Taking turns spreads a slow spell of the machine over both sides, and the median
    drops it altogether.
    """
    turns = [(timed(ours), timed(peer)) for _ in range(repeats)]
    return tuple(median(side) for side in zip(*turns))


def peak_memory(function):
    """Return the answer of one call and the peak of bytes it held above its inputs.

    tracemalloc is asked rather than the operating system: it starts at zero whatever is
    loaded already, counts what was asked for and not what the allocator kept from an
    earlier call, and NumPy reports every array to it, ours (kernels are handed arrays
    that NumPy made) as well as the peer's. It slows the call, so this run is not timed.
    """
    gc.collect()
    tracemalloc.start()
    try:
        answer = function()
        return answer, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bytes_of(X):
    """Return the size of a table: an array, sparse rows, texts, or a frame."""
    if hasattr(X, "memory_usage"):
        return int(X.memory_usage(index=False, deep=True).sum())
    if X.dtype == object:
        return sum(map(len, X))
    if issparse(X):
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return X.nbytes


def growth_exponent(sizes, seconds):
    """Return the least-squares slope of log seconds on log size: 1 is linear growth."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), deg=1)[0])


def growth(case, size):
    """Return the growth exponent of our side over n, 2n and 4n rows."""
    sizes = [factor * size for factor in GROWTH_FACTORS]
    seconds = []
    for rows in sizes:
        ours = case.ours(case.data(rows))
        seconds.append(median(timed(ours) for _ in range(case.repeats)))
    return growth_exponent(sizes, seconds)


def measure(case, quick=False):
    """Return the row of `case` as a dict that JSON can hold."""
    # The first call compiles our kernels; a small table is enough for that.
    case.ours(case.data(case.quick_size))()

    size = case.quick_size if quick else case.size
    data = case.data(size)
    ours, peer = case.ours(data), case.peer(data)
    (our_answer, our_peak), (peer_answer, peer_peak) = map(peak_memory, (ours, peer))
    agreement = case.agreement(data, our_answer, peer_answer)
    our_seconds, peer_seconds = alternate(ours, peer, case.repeats)
    return {
        "work": case.work,
        "peer": case.peer_name,
        "rows": size,
        "target": case.target,
        "ratio": peer_seconds / our_seconds,
        "our_seconds": our_seconds,
        "peer_seconds": peer_seconds,
        "exponent": growth(case, size),
        "our_peak_bytes": our_peak,
        "peer_peak_bytes": peer_peak,
        "input_bytes": bytes_of(data.X),
        "agrees": agreement.holds,
        "answers": agreement.text,
    }


def score_folds(models, X, y, folds, measure, tell=None):
    """Return what each model scores in each fold, and in how many seconds.

    Parameters
    ----------
    models : dict of {str: callable}
        Each returns a new model.
    X : DataFrame
    y : ndarray
    folds : iterable of (train, test)
    measure : str
        The name under which what `score` returns is kept.
    tell : callable, default=None
        ``tell(model)`` returns what else to keep of a fitted model, a dict.

    Returns
    -------
    dict of {str: dict of {str: list}}
        Model to measure to a value a fold.
    """
    scores = {name: defaultdict(list) for name in models}
    for train, test in folds:
        for name, make_model in models.items():
            start = perf_counter()
            model = make_model().fit(X.iloc[train], y[train])
            value = model.score(X.iloc[test], y[test])
            seconds = perf_counter() - start
            row = {measure: value, "seconds": seconds, **(tell(model) if tell else {})}
            for key, kept in row.items():
                scores[name][key].append(kept)
    return {name: dict(kept) for name, kept in scores.items()}


def read_results(page_file):
    """Return what was measured for a page so far: the JSON file beside it."""
    file = page_file.with_suffix(".json")
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write_results(results, page_file, page):
    """Store results beside a page of the documentation, and the page itself."""
    text = json.dumps(results, indent=1) + "\n"
    page_file.with_suffix(".json").write_text(text, encoding="utf-8")
    page_file.write_text(page(results), encoding="utf-8")
