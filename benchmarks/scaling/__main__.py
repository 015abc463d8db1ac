"""Measure how estimators use the cores: ``python -m benchmarks.scaling [--quick]``."""

import argparse
import os
from datetime import date
from statistics import median

from threadpoolctl import threadpool_limits

from benchmarks._machine import describe, machine_facts
from benchmarks._pages import write_page
from benchmarks.scaling._limits import multiply_add_rate, read_bandwidth
from benchmarks.scaling._page import render, summary
from benchmarks.scaling._workloads import WORKLOADS, prepared
from benchmarks.speed._harness import timed

PAGE = "scaling"
_QUICK_ROWS = 500


def thread_numbers(cores):
    """Return 1, 2, 4, 8, … up to the number of cores.

    >>> thread_numbers(6)
    [1, 2, 4, 6]
    """
    numbers = [1]
    while 2 * numbers[-1] < cores:
        numbers.append(2 * numbers[-1])
    return [*numbers, cores] if cores > 1 else numbers


def measure(workload, threads, rows, repeats):
    """Return the row of a workload: median seconds by number of threads, and floors.

    All numbers of threads take turns, so that a slow period of the machine affects all.
    """
    functions = {n: prepared(workload, rows, n) for n in threads}
    X, y = workload.data(rows)
    seconds = {n: [] for n in threads}
    for _ in range(repeats + 1):
        for n, function in functions.items():
            with threadpool_limits(n):
                seconds[n].append(timed(function))
    return {
        "work": workload.work,
        "name": workload.name,
        "rows": rows,
        # The first run compiles, and fills the caches.
        "seconds": {str(n): median(of_n[1:]) for n, of_n in seconds.items()},
        "bytes": workload.least_bytes(X),
        "products": int(workload.least_products(X, len(set(y)))),
        "reason": workload.reason,
    }


def main(arguments=None):
    """Measure all workloads and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling", description=__doc__
    )
    parser.add_argument(
        "--quick", action="store_true", help="small tables; print and write nothing"
    )
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    threads = thread_numbers(os.cpu_count())
    limits = {
        str(n): {"read": read_bandwidth(n), "products": multiply_add_rate(n)}
        for n in threads
    }
    rows = []
    for workload in WORKLOADS:
        n_rows = _QUICK_ROWS if options.quick else workload.rows
        rows.append(measure(workload, threads, n_rows, options.repeats))
        print(summary(rows[-1], limits), flush=True)
    facts = machine_facts()
    print(describe(facts))
    if not options.quick:
        results = {
            "machine": facts,
            "date": date.today().isoformat(),
            "limits": limits,
            "rows": rows,
        }
        write_page(PAGE, results, render)


if __name__ == "__main__":
    main()
