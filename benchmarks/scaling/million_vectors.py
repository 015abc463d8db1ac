"""Search among a million vectors: ``python -m benchmarks.scaling.million_vectors``.

Each engine runs in a separate process. The results of an engine are stored when it
has ended, and those of engines that are not named stay as they are. The exact search is
always measured first, because it finds the true neighbours. It takes about ten minutes
on two cores, most of them to build the graph of hnswlib.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import date

from benchmarks._data import ROOT
from benchmarks._machine import describe, machine_facts
from benchmarks._pages import read_results, write_page
from benchmarks.scaling._image_patches import patches
from benchmarks.scaling._vector_engines import ENGINES, EXACT
from benchmarks.scaling._vector_measures import write_vectors
from benchmarks.scaling._vector_page import render, summary

PAGE = "million_vectors"
PEERS = ("faiss-cpu", "hnswlib")
N_ROWS, N_QUERIES = 1_000_000, 10_000
_CHILD = (
    "import sys; from benchmarks.scaling._vector_measures import print_measures; "
    "print_measures(*sys.argv[1:])"
)


def parse_arguments(arguments=None):
    """Return the parsed command line; exit at an unknown name."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling.million_vectors", description=__doc__
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"engines; default: all of {', '.join(ENGINES)}",
    )
    parser.add_argument(
        "--rows",
        type=int,
        default=N_ROWS,
        help=f"with another number than {N_ROWS:,}, print and write nothing",
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(ENGINES))
    if unknown:
        parser.error(
            f"unknown NAME {', '.join(unknown)}: choose of {', '.join(ENGINES)}"
        )
    return options


def measure_apart(name, folder):
    """Return the measures of an engine, taken in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, name, folder],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def store(name, measured):
    """Add the measures of an engine to the stored results, and write the page."""
    engines = read_results(PAGE).get("engines", {}) | {
        name: {**measured, "date": date.today().isoformat()}
    }
    ordered = {known: engines[known] for known in ENGINES if known in engines}
    facts = {"machine": machine_facts(PEERS), "rows": N_ROWS}
    write_page(PAGE, facts | {"engines": ordered}, render)


def main(arguments=None):
    """Measure the engines that the command line names."""
    options = parse_arguments(arguments)
    print(describe(machine_facts(PEERS)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        write_vectors(
            folder, patches("train", options.rows), patches("t10k", N_QUERIES)
        )
        for name, engine in ENGINES.items():
            if options.names and name not in {EXACT, *options.names}:
                continue
            if not engine.is_installed:
                print(f"{engine.title}: {engine.package} is not installed")
                continue
            measured = measure_apart(name, folder)
            print(summary(measured), flush=True)
            if options.rows == N_ROWS:
                store(name, measured)


if __name__ == "__main__":
    main()
