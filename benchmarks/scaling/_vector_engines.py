"""The searches among a million vectors: how each builds its index and is asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

N_JOBS = 2
K = 10
# Rows that are added to an index one by one.
MAX_ADDED = 1000
# k-means learns the lists of FAISS from this many vectors.
_N_TRAINING = 100_000
# FAISS wants 39 training vectors for each list.
_MIN_VECTORS_PER_LIST = 39


@dataclass(frozen=True)
class Engine:
    """One search.

    Attributes
    ----------
    title : str
    package : str
        The module that must be installed.
    build : callable
        ``build(X)`` returns an index.
    search : callable
        ``search(index, queries, setting)`` returns the numbers of K rows a query.
    setting : str
        What the values of `settings` are, as the page shows it.
    settings : tuple
        Each is tried with the same index.
    tuned : tuple of str
        Attributes of an index that building it has chosen.
    holds_vectors : bool
        Whether the index has its own copy of the vectors; otherwise it needs those
        given.
    add, remove : callable or None
        ``add(index, row, number)`` and ``remove(index, number)`` of one row.
    passing : callable or None
        ``passing(mask)`` returns a filter in the form of the engine.
    filtered : callable or None
        ``filtered(index, queries, setting, passing)`` returns neighbours that pass.
    """

    title: str
    package: str
    build: Callable
    search: Callable
    setting: str = ""
    settings: tuple[Any, ...] = (None,)
    tuned: tuple[str, ...] = ()
    holds_vectors: bool = True
    add: Callable | None = None
    remove: Callable | None = None
    passing: Callable | None = None
    filtered: Callable | None = None

    @property
    def is_installed(self):
        """Return whether the engine can be measured here."""
        return find_spec(self.package) is not None


def build_exact(X):
    """Return scikit-learn's exact search."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=N_JOBS).fit(X)


def build_ours(X, recall):
    """Return our search, tuned to a recall."""
    from sklearn_bayeslazy import LSHNeighbors

    return LSHNeighbors(K, recall=recall, random_state=0, n_jobs=N_JOBS).fit(X)


def search_estimator(index, queries, setting):
    """Return the neighbours of queries."""
    return index.kneighbors(queries)[1]


def search_estimator_filtered(index, queries, setting, mask):
    """Return the neighbours of queries among the rows of a mask."""
    return index.kneighbors(queries, filter=mask)[1]


def build_ivf(X, n_lists):
    """Return FAISS's inverted lists of whole vectors."""
    import faiss

    faiss.omp_set_num_threads(N_JOBS)
    sample = X[:_N_TRAINING]
    n_lists = min(n_lists, len(sample) // _MIN_VECTORS_PER_LIST)
    d = X.shape[1]
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_lists)
    index.cp.min_points_per_centroid = 1
    index.train(sample)
    index.add(X)
    return index


def search_ivf(index, queries, n_probes):
    """Return the neighbours in the nearest lists of each query; -1 if there are few."""
    index.nprobe = n_probes
    return index.search(queries, K)[1]


def passing_ivf(mask):
    """Return FAISS's selector of the rows of a mask."""
    import faiss

    bits = np.packbits(mask, bitorder="little")
    selector = faiss.IDSelectorBitmap(bits)
    selector.kept = bits  # the selector only points at them
    return selector


def filtered_ivf(index, queries, n_probes, selector):
    """Return the neighbours in the nearest lists of each query that pass."""
    import faiss

    parameters = faiss.SearchParametersIVF(sel=selector, nprobe=n_probes)
    return index.search(queries, K, params=parameters)[1]


def build_hnsw(X, n_links, ef_construction):
    """Return hnswlib's graph."""
    import hnswlib

    index = hnswlib.Index("l2", X.shape[1])
    room = len(X) + MAX_ADDED
    index.init_index(room, M=n_links, ef_construction=ef_construction)
    index.set_num_threads(N_JOBS)
    index.add_items(X)
    return index


def search_hnsw(index, queries, ef):
    """Return the neighbours that a walk in the graph finds."""
    index.set_ef(max(ef, K))
    return index.knn_query(queries, K)[0].astype(np.int64)


def passing_hnsw(mask):
    """Return a function of the number of a row."""
    return mask.tolist().__getitem__


def filtered_hnsw(index, queries, ef, passing):
    """Return the neighbours that pass; -1 where a walk finds too few."""
    index.set_ef(max(ef, K))
    try:
        found = index.knn_query(queries, K, num_threads=1, filter=passing)[0]
    except RuntimeError:
        return np.full((len(queries), K), -1)
    return found.astype(np.int64)


def _ours(recall):
    return Engine(
        f"LSHNeighbors, recall={recall}",
        "sklearn_bayeslazy",
        partial(build_ours, recall=recall),
        search_estimator,
        tuned=("n_read_", "n_candidates_"),
        holds_vectors=False,
        add=lambda index, row, number: index.partial_fit(row),
        remove=lambda index, number: index.remove(number),
        passing=lambda mask: mask,
        filtered=search_estimator_filtered,
    )


def _ivf(n_lists, n_probes):
    return Engine(
        f"FAISS IVFFlat, nlist={n_lists}",
        "faiss",
        partial(build_ivf, n_lists=n_lists),
        search_ivf,
        "nprobe",
        n_probes,
        add=lambda index, row, number: index.add(row),
        remove=lambda index, number: index.remove_ids(np.array([number])),
        passing=passing_ivf,
        filtered=filtered_ivf,
    )


# The exact search comes first: the others are compared with it.
EXACT = "exact"
ENGINES = {
    EXACT: Engine(
        "NearestNeighbors, brute force",
        "sklearn",
        build_exact,
        search_estimator,
        holds_vectors=False,
    ),
    "lsh-90": _ours(0.9),
    "lsh-95": _ours(0.95),
    "ivf-1024": _ivf(1024, (4, 8, 16, 32, 64)),
    "ivf-4096": _ivf(4096, (8, 16, 32, 64, 128)),
    "hnsw": Engine(
        "hnswlib, M=16, ef_construction=100",
        "hnswlib",
        partial(build_hnsw, n_links=16, ef_construction=100),
        search_hnsw,
        "ef",
        (10, 20, 40, 80, 160),
        add=lambda index, row, number: index.add_items(row, [number]),
        remove=lambda index, number: index.mark_deleted(number),
        passing=passing_hnsw,
        filtered=filtered_hnsw,
    ),
}
