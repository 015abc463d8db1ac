"""One thread for BLAS and OpenMP, the settings of Hypothesis, and a dask cluster."""

import os

import pytest
from hypothesis import settings

# Each core has a test process. Threads of BLAS and OpenMP would wait for one another,
# which tripled the time of gradient boosting. Processes that tests start inherit this.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# Every run draws the same examples, so that a failure can be reproduced.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="module")
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
