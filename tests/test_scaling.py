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
    answers = [prepared(workload, 60, n_jobs)() for n_jobs in (1, 2)]
    if isinstance(answers[0], np.ndarray):
        np.testing.assert_array_equal(*answers)


def test_the_page_is_that_of_the_stored_results():
    results = json.loads((DOC / "scaling.json").read_text(encoding="utf-8"))
    assert (DOC / "scaling.md").read_text(encoding="utf-8") == render(results)


def test_rows_that_fall_short_are_counted_and_come_first():
    rows = [
        {
            "name": name,
            "work": "fit",
            "rows": 10,
            "seconds": {"1": seconds, "4": seconds / faster},
            "bytes": 1e9,
            "products": 0,
            "reason": "sorting",
        }
        for name, seconds, faster in [("good", 2.0, 3.2), ("bad", 8.0, 2.0)]
    ]
    limits = {n: {"read": 1e9, "products": 1e9} for n in ("1", "4")}
    machine = {"cpu": "any", "cores": 4, "versions": {}}
    page = render({"limits": limits, "rows": rows, "date": "today", "machine": machine})
    assert "Less than 3 times faster by 4 threads: 1 of 2 rows" in page
    assert "More than 3 times their floor: 1 of 2 rows" in page
    lines = [line for line in page.splitlines() if line.startswith(("| good", "| bad"))]
    assert [line.split(" | ")[0] for line in lines] == ["| bad", "| good"] * 2
    assert lines[0].endswith("| 8.000 s | 4.000 s | 2.00 | 0.33 |")
    assert lines[2].endswith("| 1000.00 ms | 8000.00 ms | 8.0 | sorting |")
