"""What all tests share: no outdated kernels, one thread for BLAS, a dask cluster."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# Each core has a test process. Threads of BLAS and OpenMP would wait for one another,
# which tripled the time of gradient boosting. Processes that tests start inherit this.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# Every run draws the same examples, so that a failure can be reproduced.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_configure(config):
    """Delete stored kernels that are older than any file of the package.

    numba compiles a kernel again if its own file changed, but not if that of a kernel
    or a constant did that it uses: the answers would be those of the former code.
    """
    if hasattr(config, "workerinput"):  # a process that pytest-xdist started
        return
    package = Path(__file__).parents[1] / "sklearn_bayeslazy"
    newest = max(path.stat().st_mtime for path in package.rglob("*.py"))
    for stored in package.rglob("*.nb[ic]"):
        if stored.stat().st_mtime < newest:
            stored.unlink()


def pytest_collection_finish():
    """Exclude the collected tests from garbage collection: they are many objects."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def no_compilation_warning():
    """Let no test fail that expects no warning, or certain ones, if it compiles."""
    from sklearn_bayeslazy._core._warnings import COMPILATION

    COMPILATION.warn_no_more()


@pytest.fixture(scope="session")
def cluster():
    """Return a dask cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
        silence_logs=50,
    ) as cluster:
        yield cluster
