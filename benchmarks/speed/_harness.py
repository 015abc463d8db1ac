"""Measure one task of this package and of a peer: time, memory, growth, answers.

A `Case` makes the data, prepares the task of each side and compares the answers;
`measure` returns its row of numbers.
"""

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

# A factor of four distinguishes n from n log n and n², and the largest table still fits
# in memory.
GROWTH_FACTORS = (1, 2, 4)


class Data(NamedTuple):
    """Training rows, and new rows from the same distribution."""

    X: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    y_new: np.ndarray


class Agreement(NamedTuple):
    """Whether our answer is as good as the peer's, and a text with the numbers."""

    holds: bool
    text: str


@dataclass(frozen=True)
class Case:
    """One row of the benchmark table.

    `ours` and `peer` get the data, prepare what is not timed (for instance, fit the
    model of a prediction) and return the function to time. `target` is the ratio of the
    times that we want to reach, or None.
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
    """Return the seconds of one call, after a garbage collection."""
    gc.collect()
    start = perf_counter()
    function()
    return perf_counter() - start


def time_alternately(ours, peer, repeats):
    """Return the median seconds of each side; both sides run alternately.

    A slow period of the machine affects both sides, and the median ignores it if it is
    short.
    """
    seconds = [(timed(ours), timed(peer)) for _ in range(repeats)]
    return tuple(median(side) for side in zip(*seconds))


def peak_memory(function):
    """Return the answer of one call and the peak of the bytes that it allocated.

    tracemalloc counts from zero at its start, and does not count memory that the
    allocator keeps from earlier calls; the operating system would. NumPy reports all
    arrays to it, also those that our kernels fill. tracemalloc slows the call, so this
    run is not timed.
    """
    gc.collect()
    tracemalloc.start()
    try:
        answer = function()
        return answer, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def input_bytes(X):
    """Return the size of a table: an array, a sparse matrix, texts, or a frame."""
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
    """Return the growth exponent of our side over n, 2 n and 4 n rows."""
    sizes = [factor * size for factor in GROWTH_FACTORS]
    seconds = []
    for rows in sizes:
        ours = case.ours(case.data(rows))
        seconds.append(median(timed(ours) for _ in range(case.repeats)))
    return growth_exponent(sizes, seconds)


def measure(case, quick=False):
    """Return the row of `case` as a dict that JSON can store."""
    # The first call compiles our kernels, on a small table.
    case.ours(case.data(case.quick_size))()

    size = case.quick_size if quick else case.size
    data = case.data(size)
    ours, peer = case.ours(data), case.peer(data)
    (our_answer, our_peak), (peer_answer, peer_peak) = map(peak_memory, (ours, peer))
    agreement = case.agreement(data, our_answer, peer_answer)
    our_seconds, peer_seconds = time_alternately(ours, peer, case.repeats)
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
        "input_bytes": input_bytes(data.X),
        "agrees": agreement.holds,
        "answers": agreement.text,
    }
