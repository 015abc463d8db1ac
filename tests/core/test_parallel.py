"""Chunks of rows on several threads: results do not depend on chunks or threads."""

import os
import signal
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn import config_context, get_config
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy._core._parallel import (
    MAX_CELLS_ON_ONE_THREAD,
    MAX_STEPS_PER_CALL,
    map_chunks,
    map_tasks,
    one_blas_thread,
    one_thread_if_small,
    row_chunks,
)

MEBIBYTE = 2**20
# Seconds, enough for two threads to meet on a busy machine. A test that passes never
# waits that long.
MEETING_TIMEOUT = 10


def meet(n_threads):
    """Return a function of a chunk that returns once n_threads have called it."""
    barrier = threading.Barrier(n_threads)

    def wait(rows):
        barrier.wait(MEETING_TIMEOUT)
        return rows

    return wait


@pytest.mark.parametrize("seed", range(10))
def test_chunks_cover_each_row_once_in_order(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_workers = int(rng.integers(0, 50_000)), int(rng.integers(1, 9))
    bytes_per_row = 10 ** rng.uniform(0, 6)
    with config_context(working_memory=int(rng.integers(1, 20))):
        chunks = row_chunks(n_rows, bytes_per_row, n_workers=n_workers)
    rows = [row for chunk in chunks for row in range(n_rows)[chunk]]
    assert rows == list(range(n_rows))


@pytest.mark.parametrize("n_workers", [1, 2, 7])
@pytest.mark.parametrize("bytes_per_row", [0, 0.5, 8, 1000, MEBIBYTE / 3])
@pytest.mark.parametrize("working_memory", [1, 4, 1024])
def test_the_chunks_of_all_workers_fit_the_working_memory(
    n_workers, bytes_per_row, working_memory
):
    with config_context(working_memory=working_memory):
        chunks = row_chunks(9000, bytes_per_row, n_workers=n_workers)
    longest = max(chunk.stop - chunk.start for chunk in chunks)
    in_memory = longest * bytes_per_row * n_workers
    assert in_memory <= working_memory * MEBIBYTE or longest == 1


@pytest.mark.parametrize("working_memory", [0, 1])
def test_a_row_that_does_not_fit_is_a_separate_chunk(working_memory):
    with config_context(working_memory=working_memory):
        assert row_chunks(3, 2 * MEBIBYTE) == [slice(0, 1), slice(1, 2), slice(2, 3)]


def test_no_chunk_has_more_steps_than_an_interrupt_may_wait_for():
    for steps_per_row in (1, 1e4, 1e7, 1e12):
        chunks = row_chunks(5000, 1, steps_per_row=steps_per_row)
        longest = max(chunk.stop - chunk.start for chunk in chunks)
        assert longest == min(5000, max(MAX_STEPS_PER_CALL // int(steps_per_row), 1))


def test_each_worker_gets_a_chunk_if_there_is_enough_work():
    assert len(row_chunks(100_000, 8, n_workers=4)) == 4
    assert len(row_chunks(100, 8, n_workers=4)) == 1


@pytest.mark.parametrize("n_jobs", [1, 2, None])
@pytest.mark.parametrize("n_rows", [0, 1, 5000])
def test_results_come_in_the_order_of_the_rows(n_jobs, n_rows):
    parts = map_chunks(lambda rows: np.arange(n_rows)[rows], n_rows, 8, n_jobs=n_jobs)
    np.testing.assert_array_equal(np.concatenate([[], *parts]), np.arange(n_rows))


def test_threads_do_not_replace_the_filters_of_warnings():
    # They belong to the process: two threads that replace them can lose them.
    filters = map_tasks(lambda _: warnings.filters, [1, 2, 3], n_jobs=2)
    assert all(seen is warnings.filters for seen in filters)


@pytest.mark.parametrize("n_jobs", [1, None])
def test_one_worker_is_the_calling_thread(n_jobs):
    threads = map_tasks(lambda _: threading.get_ident(), [1, 2, 3], n_jobs=n_jobs)
    assert threads == [threading.get_ident()] * 3


def test_a_single_task_runs_in_the_calling_thread():
    threads = map_tasks(lambda _: threading.get_ident(), [1], n_jobs=2)
    assert threads == [threading.get_ident()]


def test_two_jobs_run_at_the_same_time():
    assert len(map_chunks(meet(2), 2048, 8, n_jobs=2)) == 2


@pytest.mark.parametrize("backend", ["threading", None])
def test_parallel_config_gives_the_number_of_jobs(backend):
    settings = {"n_jobs": 2} | ({"backend": backend} if backend else {})
    with joblib.parallel_config(**settings):
        assert len(map_chunks(meet(2), 2048, 8)) == 2


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_workers_write_into_the_callers_array_under_every_backend(backend):
    # Estimators fill one array from all chunks; processes would fill copies of it.
    result = np.zeros(4000)

    def fill(rows):
        result[rows] = 1

    with joblib.parallel_config(backend, n_jobs=2):
        map_chunks(fill, len(result), 8)
    assert result.all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_worker_is_raised_in_the_caller(n_jobs):
    def fail(rows):
        if rows.stop == 5000:
            raise ZeroDivisionError("the last chunk")

    with pytest.raises(ZeroDivisionError, match="the last chunk"):
        map_chunks(fail, 5000, 8, n_jobs=n_jobs)


def test_later_calls_use_the_threads_of_earlier_ones():
    n_jobs = 3  # no other test has pools of two threads beside the caller
    seen = [
        set(map_tasks(lambda _: threading.get_ident(), range(9), n_jobs=n_jobs))
        for _ in range(20)
    ]
    assert len(set().union(*seen)) <= n_jobs


def test_a_task_may_call_with_as_many_threads():
    def call(_):
        return sum(map_tasks(lambda k: k, [1, 2, 3], n_jobs=2))

    assert map_tasks(call, range(4), n_jobs=2) == [6] * 4


def test_nested_calls_leave_few_threads():
    n_jobs, wait_for_all = 5, meet(5)

    def call(task):
        wait_for_all(task)  # all tasks call at the same time
        map_tasks(str, range(n_jobs), n_jobs=n_jobs)

    map_tasks(call, range(n_jobs), n_jobs=n_jobs)
    n_idle = len(_parallel._idle_pools[n_jobs - 1])  # the caller is a thread as well
    assert 1 <= n_idle <= _parallel._MAX_IDLE_POOLS


def test_running_tasks_end_before_an_error_is_raised():
    never, may_fail = threading.Event(), threading.Event()

    def run(k):
        if k == 0:
            assert may_fail.wait(10)
            raise ZeroDivisionError
        may_fail.set()
        never.wait(0.1)  # time for the error to reach the caller
        ended.append(k)

    ended = []
    with pytest.raises(ZeroDivisionError):
        map_tasks(run, [0, 1], n_jobs=2)
    assert ended == [1]


def test_of_several_errors_that_of_the_first_task_is_raised():
    wait_for_all, may_fail = meet(2), threading.Event()

    def run(k):
        wait_for_all(k)
        if k == 0:
            assert may_fail.wait(10)
        may_fail.set()
        raise ZeroDivisionError(k)

    for _ in range(10):
        may_fail.clear()
        with pytest.raises(ZeroDivisionError, match="0"):
            map_tasks(run, [0, 1], n_jobs=2)


def test_no_task_begins_after_an_error():
    begun = []

    def run(k):
        begun.append(k)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        map_tasks(run, range(1000), n_jobs=2)
    assert len(begun) <= 2  # one on each thread


def test_the_calling_thread_takes_tasks_too():
    wait_for_all = meet(2)

    def run(k):
        wait_for_all(k)
        return threading.get_ident()

    threads = map_tasks(run, [1, 2], n_jobs=2)
    assert threading.get_ident() in threads
    assert len(set(threads)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_starts_its_own_threads():
    map_tasks(meet(2), [1, 2], n_jobs=2)  # leaves two threads, which are not forked
    _parallel._blas_lock.acquire()  # as if another thread began to limit BLAS
    child = os.fork()
    if child == 0:
        is_right = map_tasks(str, [1, 2], n_jobs=2, uses_blas=True) == ["1", "2"]
        os._exit(0 if is_right else 1)
    _parallel._blas_lock.release()
    for _ in range(100):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        threading.Event().wait(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the forked process waits for threads that it does not have")
    assert status == 0


def test_several_threads_may_call_at_once():
    x = np.random.default_rng(0).random(20_000)
    wait_for_all = meet(4)

    def call(scale):
        wait_for_all(None)
        return sum(map_chunks(lambda rows: scale * x[rows].sum(), len(x), 8, n_jobs=2))

    with ThreadPoolExecutor(4) as pool:
        sums = list(pool.map(call, range(4)))
    np.testing.assert_allclose(sums, np.arange(4) * x.sum(), rtol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_see_the_callers_configuration(n_jobs):
    with config_context(working_memory=3, assume_finite=True):
        seen = map_chunks(lambda _: get_config(), 5000, 8, n_jobs=n_jobs)
    assert len(seen) == n_jobs
    assert all(config["working_memory"] == 3 for config in seen)
    assert all(config["assume_finite"] for config in seen)


@pytest.fixture
def two_threads():
    """Give BLAS and OpenMP the two threads that the tests take from them."""
    _parallel._thread_pools.cache_clear()  # other tests may have loaded more libraries
    with threadpool_limits(2):
        yield


def blas_threads():
    return [
        pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
    ]


def test_blas_has_one_thread_until_the_last_caller_leaves(two_threads):
    before = blas_threads()
    assert set(before) == {2}
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # threads may leave in any order
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before


def test_blas_gets_its_threads_back_after_an_error(two_threads):
    before = blas_threads()
    assert set(before) == {2}
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert blas_threads() == before


@pytest.mark.parametrize("uses_blas", [True, False])
def test_several_products_on_one_worker_use_one_thread_of_blas(two_threads, uses_blas):
    seen = map_tasks(lambda _: blas_threads(), range(2), n_jobs=1, uses_blas=uses_blas)
    assert {n for of_task in seen for n in of_task} == {1 if uses_blas else 2}
    assert set(blas_threads()) == {2}


def all_threads():
    return [pool["num_threads"] for pool in threadpool_info()]


@pytest.mark.parametrize("is_small", [True, False])
def test_small_problems_use_one_thread_and_give_the_others_back(two_threads, is_small):
    n_cells = MAX_CELLS_ON_ONE_THREAD + (not is_small)
    before = all_threads()
    assert set(before) == {2}
    with one_thread_if_small(n_cells):
        inside = all_threads()
    assert inside == ([1] * len(before) if is_small else before)
    assert all_threads() == before


@pytest.mark.parametrize("n_tasks", [0, 1, 2])
def test_zero_jobs_are_refused_for_any_number_of_tasks(n_tasks):
    with pytest.raises(ValueError, match="n_jobs == 0"):
        map_tasks(str, range(n_tasks), n_jobs=0)
