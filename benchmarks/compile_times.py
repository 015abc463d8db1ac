"""Measure the first call of each estimator: ``python -m benchmarks.compile_times``.

Each estimator, at its defaults, is imported, fitted and used in a new process with an
empty numba cache; then in another process with the cache that the first one wrote; then
once more in that process. All of them together, one after the other in one process,
are measured too, and each with more rows. Run it on a quiet machine: the times are wall
clock.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import date

from tqdm import tqdm

PAGE = "compile_times"
DISPLAY = "RegressionBandDisplay"
TOGETHER = "all in one process"
N_ROWS, N_MORE_ROWS = 1000, 3000
TEXT = ("LanguageModelNB", "NGramLanguageModel")
# What a process prints: seconds to import, of the first call, and of the second.
_CHILD = "import sys; from benchmarks.compile_times import child; child(*sys.argv[1:])"


def names():
    """Return the estimators of the registry, those of text, the display, and all."""
    from sklearn_bayeslazy.testing import ESTIMATORS

    registered = {type(e).__name__ for e in ESTIMATORS}
    return [*sorted(registered | set(TEXT)), DISPLAY, TOGETHER]


def child(name, n_rows):
    """Print the seconds of the import, the first and the second call as JSON."""
    start = time.perf_counter()
    import sklearn_bayeslazy

    chosen = [name] if name != TOGETHER else names()[:-1]
    classes = {name: getattr(sklearn_bayeslazy, name) for name in chosen}
    seconds = [time.perf_counter() - start]
    calls = [_make_call(name, cls, int(n_rows)) for name, cls in classes.items()]
    for _ in range(2):
        start = time.perf_counter()
        for call in calls:
            call()
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


def _make_call(name, cls, n_rows):
    """Return a function that fits to a table and uses every method."""
    import numpy as np
    from sklearn.base import clone, is_regressor

    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n_rows)
    X = rng.poisson(1.0 + y[:, None], size=(n_rows, 5)).astype(float)
    if name == DISPLAY:
        from sklearn_bayeslazy import LocallyWeightedRegressor

        return lambda: cls.from_estimator(
            LocallyWeightedRegressor().fit(X[:, :1] + rng.random((n_rows, 1)), y),
            X[:, :1],
        )
    if name in TEXT:
        model, X, y = cls(), ["the cat sat", "a dog ran", "rates rose"], [0, 1, 1]
    else:
        from sklearn_bayeslazy.testing import ESTIMATORS

        model = next(clone(e) for e in ESTIMATORS if type(e) is cls)
        y = X.sum(axis=1) if is_regressor(model) else y

    def call():
        model.fit(X, y)
        for method in ("predict", "predict_proba", "transform", "score_samples"):
            if hasattr(model, method):
                getattr(model, method)(X)

    return call


def measure(name):
    """Return the seconds of one estimator, by the columns of the page."""
    with tempfile.TemporaryDirectory() as folder:
        cold, stored = (_run(name, N_ROWS, folder) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        more_rows = _run(name, N_MORE_ROWS, folder)
    return {
        "import": stored[0],
        "cold": cold[1],
        "stored": stored[1],
        "warm": cold[2],
        "cold, more rows": more_rows[1],
    }


def _run(name, n_rows, folder):
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, name, str(n_rows)],
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def render(results):
    """Return the page as Markdown."""
    from benchmarks._machine import describe
    from benchmarks._markdown import markdown_table

    columns = ("import", "cold", "stored", "warm", "cold, more rows")
    rows = [
        [
            f"`{name}`" if name != TOGETHER else name,
            *(f"{seconds[column]:.2f}" for column in columns),
        ]
        for name, seconds in sorted(
            results["seconds"].items(), key=lambda item: -item[1]["cold"]
        )
    ]
    header = ["estimator", "import", "first call, empty cache"]
    header += ["first call, stored kernels", "second call"]
    header += [f"first call, {N_MORE_ROWS:,} rows, empty cache"]
    return (
        "# Compile times\n\n"
        "numba compiles the loops of an estimator when they are first called, and "
        "stores them for later processes. The table has wall-clock seconds of fit and "
        f"the predicting methods on {N_ROWS:,} rows and 5 columns, each estimator at "
        "its defaults and in separate processes. Kernels that several estimators share "
        "are compiled in each row anew, but only once by all of them in one process. "
        f"The last column has the first call with {N_MORE_ROWS:,} rows. "
        "`python -m sklearn_bayeslazy warm-up` compiles all kernels beforehand.\n\n"
        f"Measured on {results['date']}: {describe(results['machine'])}. Written by "
        "`python -m benchmarks.compile_times`.\n" + markdown_table(header, rows)
    )


def main(arguments=None):
    """Measure the named estimators, or all, and write the page."""
    from benchmarks._machine import machine_facts
    from benchmarks._pages import read_results, write_page

    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_times")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    chosen = parser.parse_args(arguments).names or names()
    results = read_results(PAGE)
    seconds = {k: v for k, v in results.get("seconds", {}).items() if k in names()}
    for name in tqdm(chosen, disable=None):
        seconds[name] = measure(name)
        facts = {"date": str(date.today()), "machine": machine_facts()}
        write_page(PAGE, facts | {"seconds": seconds}, render)


if __name__ == "__main__":
    sys.exit(main())
