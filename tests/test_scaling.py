"""The benchmark of scaling: its arithmetic, and each workload on a small table."""

import json

import numpy as np
import pytest

from benchmarks._pages import DOC
from benchmarks.scaling.__main__ import thread_numbers
from benchmarks.scaling._page import floor_seconds, render, serial_share
from benchmarks.scaling._workloads import WORKLOADS, prepared


def test_serial_share_and_numbers_of_threads():
    # Amdahl: .1 + .9 / 4 = .325 of the time on four threads.
    assert serial_share(2.0, 0.65, 4) == 0.1
    assert serial_share(1.0, 1.2, 2) == 1.0
    assert thread_numbers(1) == [1]
    assert thread_numbers(12) == [1, 2, 4, 8, 12]


def test_floor_is_the_slower_of_reading_and_multiplying():
    limits = {"read": 1e9, "products": 2e9}
    assert floor_seconds({"bytes": 5e8, "products": 2e9}, limits) == 1.0
    assert floor_seconds({"bytes": 5e9, "products": 2e9}, limits) == 5.0


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w.name}; {w.work}")
def test_scaling_workload_on_a_small_table(workload):
    answers = [prepared(workload, 150, n_jobs)() for n_jobs in (1, 2)]
    if isinstance(answers[0], np.ndarray):
        np.testing.assert_array_equal(*answers)


def test_the_page_is_that_of_the_stored_results():
    results = json.loads((DOC / "scaling.json").read_text(encoding="utf-8"))
    assert (DOC / "scaling.md").read_text(encoding="utf-8") == render(results)
