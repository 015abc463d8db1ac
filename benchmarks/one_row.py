"""Measure calls with one row, and saved models: ``python -m benchmarks.one_row``.

A service is asked for one row at a time. Each estimator answers the same rows as one of
scikit-learn's, in turn, one row a call, on one thread. The times are those of the
processor, so that other programs do not change them.
"""

import argparse
import io
import sys
import time
from datetime import date
from statistics import median

from tqdm import tqdm

PAGE = "one_row"
N_ROWS, N_COLUMNS, N_CALLS = 10_000, 10, 200


def pairs():
    """Return {our name: (our model, scikit-learn's, method)}, both unfitted."""
    from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.naive_bayes import GaussianNB, MultinomialNB
    from sklearn.neighbors import (
        KNeighborsClassifier,
        KNeighborsRegressor,
        NearestNeighbors,
    )

    import sklearn_bayeslazy as sb

    proba = "predict_proba"
    return {
        "MEstimateNB": (sb.MEstimateNB(), GaussianNB(), proba),
        "AODEClassifier": (sb.AODEClassifier(), RandomForestClassifier(), proba),
        "BeliefNetworkClassifier": (
            sb.BeliefNetworkClassifier(),
            RandomForestClassifier(),
            proba,
        ),
        "TextNB": (sb.TextNB(), MultinomialNB(), proba),
        "ShepardKNN": (sb.ShepardKNN(), KNeighborsClassifier(), proba),
        "CaseBasedClassifier": (
            sb.CaseBasedClassifier(),
            KNeighborsClassifier(),
            proba,
        ),
        "MyAdaBoost": (sb.MyAdaBoost(), AdaBoostClassifier(), proba),
        "ShepardKNNRegressor": (
            sb.ShepardKNNRegressor(),
            KNeighborsRegressor(),
            "predict",
        ),
        "LocallyWeightedRegressor": (
            sb.LocallyWeightedRegressor(),
            KNeighborsRegressor(),
            "predict",
        ),
        "RBFNetworkRegressor": (sb.RBFNetworkRegressor(), KernelRidge(), "predict"),
        "LSHNeighbors": (
            sb.LSHNeighbors(random_state=0),
            NearestNeighbors(),
            "kneighbors",
        ),
    }


def measure(name):
    """Return the microseconds of a call and the bytes of a saved model, of both."""
    from sklearn.base import is_regressor
    from threadpoolctl import threadpool_limits

    ours, peer, method = pairs()[name]
    X, classes, numbers = _table()
    y = numbers if is_regressor(ours) else classes
    with threadpool_limits(1):
        models = [ours.fit(X, y), peer.fit(X, y)]
        calls = [getattr(model, method) for model in models]
        nanoseconds = [[], []]
        for i in range(N_CALLS + 1):
            for call, spent in zip(calls, nanoseconds, strict=True):
                begin = time.process_time_ns()
                call(X[i : i + 1])
                spent.append(time.process_time_ns() - begin)
    return {
        "peer": type(peer).__name__,
        "method": method,
        # The first call loads what is compiled.
        "microseconds": [median(spent[1:]) / 1000 for spent in nanoseconds],
        "bytes": [_saved_size(model) for model in models],
    }


def _table():
    """Return counts of ten things in each row, three classes, and numbers."""
    import numpy as np

    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N_ROWS)
    X = rng.poisson(3.0 + y[:, None], size=(N_ROWS, N_COLUMNS)) + rng.random(
        (N_ROWS, N_COLUMNS)
    )
    return X, y, X[:, 0] * X[:, 1] + rng.normal(size=N_ROWS)


def _saved_size(model):
    import joblib

    file = io.BytesIO()
    joblib.dump(model, file, compress=3)
    return file.tell()


def render(results):
    """Return the page as Markdown."""
    from benchmarks._machine import describe
    from benchmarks._markdown import markdown_table

    header = ["estimator", "beside", "method", "µs", "beside", "MB saved", "beside"]
    rows = [
        [
            f"`{name}`",
            f"`{one['peer']}`",
            f"`{one['method']}`",
            *(f"{value:,.0f}" for value in one["microseconds"]),
            *(f"{value / 1e6:.2f}" for value in one["bytes"]),
        ]
        for name, one in results["estimators"].items()
    ]
    return (
        "# One row\n\n"
        "A service answers one row at a time. The table has the median time of a call "
        f"with one row, and the size of the model as `joblib.dump(..., compress=3)` "
        f"writes it, beside an estimator of scikit-learn. Both were fitted at their "
        f"defaults to {N_ROWS:,} rows of {N_COLUMNS} numbers (`AODEClassifier` and "
        "others without a counterpart stand beside a random forest), and answered "
        f"{N_CALLS} rows in turn, on one thread. Times are microseconds of the "
        "processor.\n\n"
        f"Measured on {results['date']}: {describe(results['machine'])}. Written by "
        f"`python -m benchmarks.{PAGE}`.\n" + markdown_table(header, rows)
    )


def main(arguments=None):
    """Measure the named estimators, or all, and write the page."""
    from benchmarks._machine import machine_facts
    from benchmarks._pages import read_results, write_page

    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{PAGE}")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    chosen = parser.parse_args(arguments).names or list(pairs())
    stored = read_results(PAGE).get("estimators", {})
    measured = {name: measure(name) for name in tqdm(chosen, disable=None)}
    estimators = {
        name: (stored | measured)[name] for name in pairs() if name in stored | measured
    }
    facts = {"date": str(date.today()), "machine": machine_facts()}
    write_page(PAGE, facts | {"estimators": estimators}, render)


if __name__ == "__main__":
    sys.exit(main())
