"""Run the benchmarks: ``python -m benchmarks [NAME ...] [--quick] [--list]``."""

import argparse
import json
from datetime import date
from pathlib import Path

from benchmarks import (
    _render,
    belief_network,
    boosting,
    hashing,
    local_regression,
    lookup,
    naive_bayes,
    neighbors,
    text,
)
from benchmarks._harness import measure
from benchmarks._machine import describe, machine_facts

CASES = {
    case.name: case
    for family in (
        naive_bayes,
        text,
        neighbors,
        lookup,
        hashing,
        local_regression,
        belief_network,
        boosting,
    )
    for case in family.CASES
}

DOC = Path(__file__).resolve().parent.parent / "doc"
RESULTS = DOC / "benchmarks.json"
PAGE = DOC / "benchmarks.md"


def parse_arguments(arguments=None):
    """Return the parsed command line; a name that is no case ends the run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="cases to run; without any, all"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small tables; prints and writes nothing"
    )
    parser.add_argument("--list", action="store_true", help="print the names and end")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(CASES))
    if unknown:
        parser.error(f"no case is named {', '.join(unknown)}; try --list")
    return options


def store(name, row):
    """Put one row among the results on disk and render the page again.

    Called after each case, so that a run that is cut short loses nothing.
    """
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    results[name] = row
    ordered = {known: results[known] for known in CASES if known in results}
    text = json.dumps(ordered, indent=2, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(_render.page(ordered), encoding="utf-8")


def main(arguments=None):
    """Run what the command line asks for."""
    options = parse_arguments(arguments)
    if options.list:
        print("\n".join(f"{case.name:24}{case.work}" for case in CASES.values()))
        return
    machine = machine_facts()
    print(describe(machine))
    for name in options.names or CASES:
        row = measure(CASES[name], quick=options.quick)
        print("\n" + _render.terminal(name, row), flush=True)
        if not options.quick:
            store(name, {**row, "machine": machine, "date": date.today().isoformat()})


if __name__ == "__main__":
    main()
