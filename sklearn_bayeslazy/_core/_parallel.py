"""Chunks of rows on several threads: the only parallelism of the package.

joblib decides how many threads there are, from `n_jobs` and
:func:`joblib.parallel_config`.
"""

import math
import os
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from functools import cache
from threading import Lock

from joblib import Parallel, delayed, effective_n_jobs
from sklearn import config_context, get_config
from threadpoolctl import ThreadpoolController

# Chunks of this many rows take much longer than handing them to a thread.
_MIN_ROWS_PER_CHUNK = 1024
# Tasks of this many queries, or buckets of rows, do so too.
MIN_QUERIES_PER_TASK = 64
# Kernels of fewer steps (a millisecond) take one thread.
MIN_STEPS_FOR_THREADS = 2**20
_MEBIBYTE = 2**20
# Steps of a kernel that take about half a second. Ctrl-C is heard between two calls.
MAX_STEPS_PER_CALL = 2**27
# Numbers that the second cache of a core holds, 1 MiB.
_CELLS_IN_CACHE = 2**17
# Sums over rows are added up chunk by chunk. Another size changes their rounding.
_ROWS_PER_SUM = 2**16
# The most bytes that the sums of all chunks may take together.
_MAX_SUM_BYTES = 2**25
# Products of matrices of at most this number of cells take less time than waking
# threads, above all where another process uses the processors.
MAX_CELLS_ON_ONE_THREAD = 2**20
# Pools that no call uses, by their number of threads. A pool costs as much to start as
# milliseconds of work.
_idle_pools = defaultdict(list)
# More pools of a size end when their call does: nested calls would leave many threads.
_MAX_IDLE_POOLS = 2
_blas_lock = Lock()
_blas_users, _blas_limits = 0, None


def _forget_threads():
    """Forget the threads of the parent, which a forked process does not have."""
    global _blas_lock, _blas_users
    _idle_pools.clear()
    _blas_lock, _blas_users = Lock(), 0  # one of them may have held the lock


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def row_chunks(
    n_rows,
    bytes_per_row,
    *,
    n_workers=1,
    min_rows=_MIN_ROWS_PER_CHUNK,
    steps_per_row=0,
):
    """Cut ``range(n_rows)`` into slices whose temporaries fit the working memory."""
    # bytes_per_row: bytes of temporaries. n_workers: the number of chunks in memory at
    # the same time; they share sklearn.get_config()["working_memory"] (MiB). Chunks
    # have at least min_rows, unless memory is short, or a kernel would take longer than
    # an interrupt may wait. steps_per_row: the innermost steps of the kernel.
    budget = get_config()["working_memory"] * _MEBIBYTE / n_workers
    by_memory = int(budget // max(bytes_per_row, 1))
    by_worker = max(math.ceil(n_rows / n_workers), min_rows)
    by_time = int(MAX_STEPS_PER_CALL // max(steps_per_row, 1))
    return slices_of(range(n_rows), max(min(by_memory, by_time, by_worker), 1))


def slices_of(rows, size):
    """Cut a range, or a slice, into slices of a size; the last may be smaller.

    >>> slices_of(range(5), 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    starts = range(rows.start, rows.stop, size)
    return [slice(start, min(start + size, rows.stop)) for start in starts]


def cache_sized_slices(rows, cells_per_row):
    """Cut a range, or a slice, into slices whose temporaries stay in the cache."""
    # They depend on neither the number of threads nor the working memory.
    return slices_of(rows, max(_CELLS_IN_CACHE // max(cells_per_row, 1), 1))


def summed_chunks(n_rows, n_sums):
    """Cut ``range(n_rows)`` into slices whose sums are added in order.

    >>> [rows.stop for rows in summed_chunks(150_000, 10)]
    [65536, 131072, 150000]
    """
    # They do not depend on the number of threads, so neither do the last bits of the
    # sums. Each slice yields n_sums float64 numbers. Slices have `_ROWS_PER_SUM` rows,
    # or more if the sums of all slices would take more than `_MAX_SUM_BYTES`.
    max_chunks = max(_MAX_SUM_BYTES // (8 * max(n_sums, 1)), 1)
    size = max(_ROWS_PER_SUM, math.ceil(n_rows / max_chunks))
    return [slice(i, min(i + size, n_rows)) for i in range(0, max(n_rows, 1), size)]


def map_chunks(
    function,
    n_rows,
    bytes_per_row,
    *,
    n_jobs=None,
    min_rows=_MIN_ROWS_PER_CHUNK,
    uses_blas=False,
    steps_per_row=0,
):
    """Call ``function(rows)`` for each chunk of rows; return the results in order."""
    # Threads are used, because kernels release the GIL; n_jobs=None honours
    # `joblib.parallel_config`. A single chunk, or a single worker, runs in the calling
    # thread. uses_blas: see `map_tasks`. The others: see `row_chunks`.
    n_workers = 1 if n_jobs == 1 else effective_n_jobs(n_jobs)
    if n_rows == 1:
        return [function(slice(0, 1))]
    chunks = row_chunks(
        n_rows,
        bytes_per_row,
        n_workers=n_workers,
        min_rows=min_rows,
        steps_per_row=steps_per_row,
    )
    return _map_over(n_workers, function, chunks, uses_blas)


def map_tasks(function, tasks, *, n_jobs=None, uses_blas=False):
    """Call ``function(task)`` for each task over threads; return results in order."""
    # The calling thread is one of them. After an error no task begins, and those that
    # have begun end, since they may write into arrays of the caller. Of several errors
    # that of the first task is raised. uses_blas: the function multiplies matrices or
    # finds clusters; BLAS is limited to one thread if there are several tasks, and
    # OpenMP if there are several workers. Threads of BLAS wait for each other after
    # each product: a program that uses the same processors may slow them twentyfold.
    # `effective_n_jobs` refuses 0, however few tasks there are.
    return _map_over(effective_n_jobs(n_jobs), function, tasks, uses_blas)


def _map_over(n_workers, function, tasks, uses_blas):
    """Do what `map_tasks` says, with a number of workers."""
    if len(tasks) <= 1:
        return [function(task) for task in tasks]
    if n_workers == 1:
        with one_blas_thread() if uses_blas else nullcontext():
            return [function(task) for task in tasks]
    config = get_config()
    waiting, results, errors = deque(enumerate(tasks)), [None] * len(tasks), {}

    def work():
        with config_context(**config), _one_openmp_thread(uses_blas):
            for i, task in _taken(waiting):
                try:
                    results[i] = function(task)
                except BaseException as error:
                    errors[i] = error
                    waiting.clear()

    # Not joblib's threads: they poll for results only every hundredth of a second, and
    # the caller's backend could replace them by processes, while tasks write into
    # shared arrays. The caller works too: if it waited, the thread that was started
    # last would often wait for milliseconds behind another one on the same processor.
    n_helpers = min(n_workers, len(tasks)) - 1
    with (
        one_blas_thread() if uses_blas else nullcontext(),
        _thread_pool(n_workers - 1) as pool,
    ):
        helpers = [pool.submit(work) for _ in range(n_helpers)]
        try:
            work()
            wait([helper for helper in helpers if not helper.cancel()])
        finally:
            waiting.clear()  # after an interrupt, helpers take no other tasks
    if errors:
        raise errors.pop(min(errors))
    return results


def _taken(waiting):
    """Yield items that are taken from a deque; other threads take others."""
    while True:
        try:
            item = waiting.popleft()
        except IndexError:
            return
        yield item


@contextmanager
def _thread_pool(n_threads):
    """Yield a pool of threads, which nested calls of `map_tasks` do not share."""
    # If the caller is interrupted the pool ends, once the tasks that have begun are
    # done.
    pools = _idle_pools[n_threads]
    try:
        pool = pools.pop()
    except IndexError:
        pool = ThreadPoolExecutor(n_threads)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    if len(pools) < _MAX_IDLE_POOLS:
        pools.append(pool)
    else:
        pool.shutdown(wait=False)


def jobs_for(n_steps, n_jobs):
    """Return `n_jobs`, or 1 if a kernel has too few steps for several threads."""
    return n_jobs if n_steps >= MIN_STEPS_FOR_THREADS else 1


def map_results(function, tasks, *, n_jobs=None):
    """Call ``function(task)`` for each task on joblib's backend; return the results."""
    # For Python code that holds the GIL and does not write into shared arrays. Tasks
    # run in processes unless `joblib.parallel_config` chooses another backend.
    if effective_n_jobs(n_jobs) == 1:
        return [function(task) for task in tasks]
    config = get_config()

    def configured(task):
        with config_context(**config):
            return function(task)

    return Parallel(n_jobs=n_jobs)(delayed(configured)(task) for task in tasks)


@contextmanager
def one_blas_thread():
    """Limit BLAS to one thread while tasks multiply matrices."""
    # The limit is a property of the process. Callers on several threads share one
    # limit, and the last of them lifts it. If each restored the limit that it found,
    # the limit could stay for ever.
    global _blas_users, _blas_limits
    with _blas_lock:
        if _blas_users == 0:
            _blas_limits = _thread_pools().limit(limits=1, user_api="blas")
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _blas_limits.restore_original_limits()


@contextmanager
def one_thread_if_small(n_cells):
    """Limit BLAS and OpenMP to one thread in a computation on small matrices."""
    # Small problems take hundreds of products and clusterings; the threads of BLAS and
    # OpenMP wait for each other at the end of each. Wrap a whole fit, not one product.
    # n_cells: of the largest matrix.
    if n_cells > MAX_CELLS_ON_ONE_THREAD:
        yield
        return
    with _one_openmp_thread(), one_blas_thread():
        yield


def _one_openmp_thread(is_wanted=True):
    """Limit OpenMP to one thread in the calling thread, whose property the limit is."""
    if not is_wanted:
        return nullcontext()
    return _thread_pools().limit(limits=1, user_api="openmp")


@cache
def _thread_pools():
    """Return the thread pools of the process; finding them takes milliseconds."""
    return ThreadpoolController()
