"""Rows in chunks over threads: the only parallelism of the package.

joblib says how many threads there are: `n_jobs`, and what surrounds the call.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from threading import Lock

from joblib import Parallel, delayed, effective_n_jobs
from sklearn import config_context, get_config
from threadpoolctl import threadpool_limits

# Enough work in a chunk that handing it to a thread costs nothing beside it.
_SMALLEST_CHUNK = 1024
_MEBIBYTE = 2**20
_blas_lock = Lock()
_blas_users, _blas_limits = 0, None


def row_chunks(n_rows, bytes_per_row, *, n_workers=1, smallest=_SMALLEST_CHUNK):
    """Cut ``range(n_rows)`` into slices whose temporaries fit the working memory.

    Parameters
    ----------
    n_rows : int
    bytes_per_row : float
        What one row needs in temporaries.
    n_workers : int, default=1
        How many chunks are alive at the same time; they share
        ``sklearn.get_config()["working_memory"]`` (MiB).
    smallest : int, default=1024
        How many rows are worth handing to a thread.

    Returns
    -------
    list of slice
    """
    budget = get_config()["working_memory"] * _MEBIBYTE / n_workers
    by_memory = int(budget // max(bytes_per_row, 1))
    by_worker = max(math.ceil(n_rows / n_workers), smallest)
    size = max(min(by_memory, by_worker), 1)
    return [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]


def map_chunks(
    function,
    n_rows,
    bytes_per_row,
    *,
    n_jobs=None,
    smallest=_SMALLEST_CHUNK,
    products=False,
):
    """Call ``function(rows)`` for each chunk of rows; return the results in order.

    Threads are used, because kernels release the GIL; ``n_jobs=None`` honours
    :func:`joblib.parallel_config`. A single chunk, or a single worker, runs in the
    calling thread. With `products`, matrices are multiplied there, and BLAS is held to
    one thread if there are several workers.
    """
    n_workers = effective_n_jobs(n_jobs)
    chunks = row_chunks(n_rows, bytes_per_row, n_workers=n_workers, smallest=smallest)
    with one_blas_thread() if products and n_workers > 1 else nullcontext():
        return map_tasks(function, chunks, n_jobs=n_jobs)


def map_tasks(function, tasks, *, n_jobs=None):
    """Call ``function(task)`` for each task over threads; return results in order."""
    if len(tasks) <= 1 or effective_n_jobs(n_jobs) == 1:
        return [function(task) for task in tasks]
    config = get_config()

    def configured(task):
        with config_context(**config):
            return function(task)

    # Not joblib's threads, which look for results every hundredth of a second only, and
    # which a backend of the caller's could replace: tasks write into shared arrays.
    with ThreadPoolExecutor(min(effective_n_jobs(n_jobs), len(tasks))) as pool:
        return list(pool.map(configured, tasks))


def map_results(function, tasks, *, n_jobs=None):
    """Call ``function(task)`` for each task on joblib's backend; return the results.

    For Python code that holds the GIL, and writes into nothing: its tasks run in
    processes, unless :func:`joblib.parallel_config` says otherwise.
    """
    if effective_n_jobs(n_jobs) == 1:
        return [function(task) for task in tasks]
    config = get_config()

    def configured(task):
        with config_context(**config):
            return function(task)

    return Parallel(n_jobs=n_jobs)(delayed(configured)(task) for task in tasks)


@contextmanager
def one_blas_thread():
    """Hold BLAS to one thread while tasks on several threads multiply matrices.

    The limit is the process's own. Callers on several threads share one, which the
    last of them lifts: each restoring what it found could leave the limit for ever.
    """
    global _blas_users, _blas_limits
    with _blas_lock:
        if _blas_users == 0:
            _blas_limits = threadpool_limits(1, user_api="blas")
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _blas_limits.restore_original_limits()
