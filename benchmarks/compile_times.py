"""Measure the first call of each estimator: ``python -m benchmarks.compile_times``.

Each estimator, at its defaults, is imported, fitted and used in a new process with an
empty numba cache; then in another process with the cache that the first one wrote; then
once more in that process. Run it on a quiet machine: the times are wall clock.
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
TEXT = ("LanguageModelNB", "NGramLanguageModel")
# What a process prints: seconds to import, of the first call, and of the second.
_CHILD = "import sys; from benchmarks.compile_times import child; child(sys.argv[1])"


def names():
    """Return the estimators of the registry, those of text, and the display."""
    from sklearn_bayeslazy.testing import ESTIMATORS

    registered = {type(e).__name__ for e in ESTIMATORS}
    return [*sorted(registered | set(TEXT)), DISPLAY]


def child(name):
    """Print the seconds of the import, the first and the second call as JSON."""
    start = time.perf_counter()
    import sklearn_bayeslazy

    cls = getattr(sklearn_bayeslazy, name)
    seconds = [time.perf_counter() - start]
    call = _make_call(name, cls)
    for _ in range(2):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


def _make_call(name, cls):
    """Return a function that fits to a small table and uses every method."""
    import numpy as np
    from sklearn.base import clone, is_regressor

    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    X = rng.poisson(1.0 + y[:, None], size=(120, 5)).astype(float)
    if name == DISPLAY:
        from sklearn_bayeslazy import LocallyWeightedRegressor

        return lambda: cls.from_estimator(
            LocallyWeightedRegressor().fit(X[:, :1] + rng.random((120, 1)), y), X[:, :1]
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
    """Return {"import", "cold", "stored", "warm"} seconds of one estimator."""
    with tempfile.TemporaryDirectory() as folder:
        cold, stored = (_run(name, folder) for _ in range(2))
    return {"import": stored[0], "cold": cold[1], "stored": stored[1], "warm": cold[2]}


def _run(name, folder):
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, name],
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

    columns = ("import", "cold", "stored", "warm")
    rows = [
        [f"`{name}`", *(f"{seconds[c]:.2f}" for c in columns)]
        for name, seconds in sorted(
            results["seconds"].items(), key=lambda item: -item[1]["cold"]
        )
    ]
    header = ["estimator", "import", "first call, empty cache"]
    header += ["first call, stored kernels", "second call"]
    return (
        "# Compile times\n\n"
        "numba compiles the loops of an estimator when they are first called, and "
        "stores them for later processes. The table has wall-clock seconds of fit and "
        "the predicting methods on 120 rows and 5 columns, each estimator at its "
        "defaults and in processes of its own. Kernels that several estimators share "
        "are compiled in each row anew. `python -m sklearn_bayeslazy warm-up` compiles "
        "all kernels beforehand.\n\n"
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
