"""Fit a CSV file that the process may not hold.

Run ``python -m benchmarks.scaling.out_of_core``. The operating system limits the data
of this process, so that it fails to read the whole file; `fit_blocks` reads parts.
"""

import argparse
import resource
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from sklearn_bayeslazy import MEstimateNB

N_COLUMNS = 20
ROWS_PER_PART = 50_000
MIB = 2**20


def write_table(path, n_rows):
    """Write a table of numbers, strings and missing cells, and its classes."""
    rng = np.random.default_rng(0)
    for start in range(0, n_rows, ROWS_PER_PART):
        n = min(ROWS_PER_PART, n_rows - start)
        y = rng.integers(2, size=n)
        X = rng.normal(size=(n, N_COLUMNS)) + 0.1 * y[:, None]
        X[rng.random(X.shape) < 0.05] = np.nan
        part = pd.DataFrame(X, columns=[f"x{j}" for j in range(N_COLUMNS)]).round(4)
        part["word"] = rng.choice(["red", "green", "blue"], size=n)
        part["class"] = y
        part.to_csv(path, mode="a", header=start == 0, index=False)


def read_parts(path):
    """Yield the rows and classes of parts of the file."""
    for part in pd.read_csv(path, chunksize=ROWS_PER_PART):
        y = part.pop("class")
        yield part, y


def data_in_use():
    """Return the bytes of data of this process that the limit counts."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmData"))
    return int(line.split()[1]) * 1024


def peak_memory():
    """Return the most MiB that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments=None):
    """Write the file, limit the memory, and fit."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling.out_of_core", description=__doc__
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--extra", type=int, default=250, help="MiB that may be added")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, options.rows)
        print(f"{options.rows} rows, {path.stat().st_size / MIB:.0f} MiB as CSV")
        first = next(read_parts(path))
        model = MEstimateNB(n_jobs=1)
        model.fit(first[0][:1000], first[1][:1000])  # compiles
        before = peak_memory()
        limit = data_in_use() + options.extra * MIB
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        try:
            pd.read_csv(path)
            print("the whole file can be read: give it more rows")
        except MemoryError:
            print(f"the whole file does not fit into {options.extra} MiB more")
        start = perf_counter()
        model.fit_blocks(lambda: read_parts(path), max_sample_rows=20_000)
        seconds = perf_counter() - start
        print(
            f"fit_blocks: {seconds:.1f} s, {model.class_count_.sum():.0f} rows; the "
            f"process held {before:.0f} MiB before, and {peak_memory():.0f} since"
        )


if __name__ == "__main__":
    main()
