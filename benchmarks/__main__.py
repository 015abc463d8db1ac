"""Measure speed and memory: ``python -m benchmarks [NAME ...] [--quick] [--list]``."""

import argparse
from datetime import date

from benchmarks._machine import describe, machine_facts
from benchmarks._pages import read_results, write_page
from benchmarks.speed import (
    aode,
    belief_network,
    boosting,
    case_based,
    hashing,
    inverted_index,
    local_regression,
    naive_bayes,
    neighbors,
    text,
    uncertainty,
)
from benchmarks.speed._harness import measure
from benchmarks.speed._page import format_case, render

PAGE = "benchmarks"
CASES = {
    case.name: case
    for family in (
        naive_bayes,
        aode,
        text,
        neighbors,
        inverted_index,
        hashing,
        local_regression,
        belief_network,
        boosting,
        case_based,
        uncertainty,
    )
    for case in family.CASES
}


def parse_arguments(arguments=None):
    """Return the parsed command line; exit at an unknown name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="cases to run; default: all"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small tables; print and write nothing"
    )
    parser.add_argument("--list", action="store_true", help="only print the names")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(CASES))
    if unknown:
        parser.error(f"unknown NAME {', '.join(unknown)}; --list prints all names")
    return options


def store(name, row):
    """Add one row to the stored results and write the page.

    It is called after each case, so that an interrupted run keeps its results.
    """
    results = {**read_results(PAGE), name: row}
    ordered = {known: results[known] for known in CASES if known in results}
    write_page(PAGE, ordered, render)


def main(arguments=None):
    """Run the cases that the command line names."""
    options = parse_arguments(arguments)
    if options.list:
        print("\n".join(f"{case.name:28}{case.work}" for case in CASES.values()))
        return
    machine = machine_facts()
    print(describe(machine))
    for name in options.names or CASES:
        try:
            row = measure(CASES[name], quick=options.quick)
        except ModuleNotFoundError as error:  # a run of an hour should not end here
            print(f"\n{name}\n  skipped: {error}; pip install -e .[bench]", flush=True)
            continue
        print("\n" + format_case(name, row), flush=True)
        if not options.quick:
            store(name, {**row, "machine": machine, "date": date.today().isoformat()})


if __name__ == "__main__":
    main()
