"""Fingerprints of every estimator's answers: what a behaviour-preserving change keeps.

``python -m benchmarks.answers before.json`` fits each instance of the registry, and the
estimators of raw text, on a stored set of tables, and writes a digest of every fitted
attribute and every answer. After the change, ``python -m benchmarks.answers after.json
--against before.json`` names each answer that moved by a bit and exits with status 1.
"""

import argparse
import hashlib
import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.utils.validation import has_fit_parameter
from tqdm import tqdm

from sklearn_bayeslazy import LanguageModelNB, NGramLanguageModel
from sklearn_bayeslazy.datasets import load_horse_colic, load_play_tennis
from sklearn_bayeslazy.testing import ESTIMATORS

# The registry takes numbers; raw text has its own instances.
TEXT_ESTIMATORS = [
    LanguageModelNB(),
    LanguageModelNB(order=1, smoothing="laplace"),
    LanguageModelNB(order=3, smoothing="witten_bell", analyzer="char"),
    LanguageModelNB(smoothing="absolute_discount"),
    NGramLanguageModel(),
    NGramLanguageModel(order=2, smoothing="jelinek_mercer"),
    NGramLanguageModel(order=2, smoothing="dirichlet", analyzer="char"),
]
METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "decision_function",
    "transform",
    "score_samples",
    "kneighbors",
    "kneighbors_graph",
    "perplexity",
    "impute",
    "gradient",
    "prediction_interval",
    "prediction_set",
)
DOCUMENTS = [
    "the cat sat on the mat",
    "the dog sat on the log",
    "a cat and a dog met on the mat",
    "stocks fell as the bank raised rates",
    "the bank cut rates and stocks rose",
    "rates rose again and the log of rates fell",
]


def digest(value):
    """Return a short digest of every bit of a value, or None for other objects.

    >>> digest(np.array([0.1])) == digest(np.array([0.1 + 2**-54]))
    True
    >>> digest(np.array([0.1])) == digest(np.array([0.1 + 2**-52]))
    False
    """
    if issparse(value):
        value = (value.shape, value.data, value.indices, value.indptr)
    if isinstance(value, (list, tuple)):
        parts = [digest(item) for item in value]
        return _hash(repr(parts).encode()) if None not in parts else None
    if isinstance(value, dict):
        parts = {str(key): digest(item) for key, item in value.items()}
        return _hash(repr(sorted(parts.items())).encode())
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return digest(value.tolist())
    if isinstance(value, np.ndarray):
        head = f"{value.dtype} {value.shape}".encode()
        return _hash(head + np.ascontiguousarray(value).tobytes())
    if value is None or isinstance(value, (str, bool, int, float, np.generic)):
        return _hash(repr(value).encode())
    return None


def _hash(content):
    return hashlib.sha256(content).hexdigest()[:16]


def tables():
    """Yield (name, rows, classes or None, numbers or None) of the stored tables."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=150)
    counts = rng.poisson(1.0 + y[:, None], size=(150, 5)).astype(float)
    total = counts.sum(axis=1) + y
    names = np.array(["low", "mid", "high"])[y]
    yield "counts", counts, names, total
    missing = np.where(rng.random(counts.shape) < 0.1, np.nan, counts)
    yield "missing", missing, names, total
    yield "sparse", csr_array(counts * (counts > 1)), names, total
    yield "scaled", counts * [1e-3, 1, 1e3, 1e6, 1] - 7, y == 1, total * 1e9
    iris = load_iris()
    yield "iris", iris.data, iris.target, iris.data[:, 3]
    diabetes = load_diabetes()
    yield (
        "diabetes",
        diabetes.data[:200],
        diabetes.target[:200] > 140,
        (diabetes.target[:200]),
    )
    cancer = load_breast_cancer()
    yield "cancer", cancer.data[:120], cancer.target[:120], cancer.data[:120, 0]
    X, y = load_play_tennis(return_X_y=True)
    yield "tennis", X, y, None
    X, y = load_horse_colic(return_X_y=True)
    yield "colic", X[:200], y[:200], None


def vectors():
    """Return (name, rows) of a table that is large enough to be searched by hashes."""
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(50, 20))
    return "vectors", centers[rng.integers(50, size=2500)] + rng.normal(size=(2500, 20))


def answers(model, X):
    """Yield (name, digest) of a fitted model's public attributes and its answers."""
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and not name.startswith("_"):
            yield name, digest(value)
    for method in METHODS:
        if hasattr(model, method):
            yield method, _attempt(lambda m=method: digest(getattr(model, m)(X)))
    if hasattr(model, "explain"):
        yield "explain", _attempt(lambda: digest(vars(model.explain(X[:5]))))


def _attempt(call):
    """Return what a call returns, or the name of the error that it raises."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def _fits(estimator, X, y):
    """Yield (name, fitted model or name of the error) for each way to fit."""
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)

    def fit(**weights):
        return clone(estimator).fit(X, y, **weights)

    yield "fit", _attempt(fit)
    if has_fit_parameter(estimator, "sample_weight"):
        weight = np.resize([1.0, 2.0, 0.0, 0.5, 1.0], len(y))
        yield "weighted", _attempt(lambda: fit(sample_weight=weight))
    if _attempt(lambda: hasattr(estimator, "partial_fit")) is True and y is not None:
        yield "batches", _attempt(lambda: _fit_in_batches(clone(estimator), X, y))


def _fit_in_batches(model, X, y):
    half = X.shape[0] // 2
    classes = {} if is_regressor(model) else {"classes": np.unique(y)}
    model.partial_fit(X[:half], y[:half], **classes)
    return model.partial_fit(X[half:], y[half:])


def fingerprints(only=""):
    """Return {"instance | table | way to fit | answer": digest} of all answers.

    `only` is a regular expression that the instances wanted contain.
    """
    found = {}

    def record(key, model, X):
        if isinstance(model, str):
            found[key] = model
            return
        for name, value in answers(model, X):
            found[f"{key} | {name}"] = value

    stored, (large, X_large) = list(tables()), vectors()
    for number, estimator in enumerate(tqdm(ESTIMATORS, disable=None)):
        if not re.search(only, str(estimator)):
            continue
        label = " ".join(str(estimator).split())
        if any("hash_family" in name for name in estimator.get_params()):
            for way, model in _fits(estimator, X_large[:-100], None):
                record(f"{number} {label} | {large} | {way}", model, X_large[-100:])
        for table, X, classes, numbers in stored:
            y = numbers if is_regressor(estimator) else classes
            if y is None:
                continue
            # Fitted anew around every query.
            n_rows = 60 if hasattr(estimator, "local_estimator") else X.shape[0]
            X, y = X[:n_rows], y[:n_rows]
            for way, model in _fits(estimator, X, y):
                record(f"{number} {label} | {table} | {way}", model, X)
    for number, estimator in enumerate(TEXT_ESTIMATORS):
        if not re.search(only, str(estimator)):
            continue
        model = _attempt(
            lambda e=estimator: clone(e).fit(DOCUMENTS, [0, 0, 0, 1, 1, 1])
        )
        label = " ".join(str(estimator).split())
        record(f"text {number} {label}", model, DOCUMENTS)
    return found


def differences(after, before):
    """Return the keys whose digests differ or that only one side has.

    >>> differences({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"})
    ['b', 'c']
    """
    keys = sorted(after.keys() | before.keys())
    return [k for k in keys if after.get(k, "") != before.get(k, "")]


def main(arguments=None):
    """Write the fingerprints, and compare them with stored ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers")
    parser.add_argument("output", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="", help="which instances: AxisStretcher|...")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fingerprints(options.only)
    if not found:
        parser.error(f"no instance contains --only={options.only!r}")
    options.output.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(f"{len(found)} answers of {len(ESTIMATORS) + len(TEXT_ESTIMATORS)} instances")
    if options.against:
        stored = json.loads(options.against.read_text(encoding="utf-8"))
        if options.only:
            stored = {key: stored[key] for key in stored.keys() & found.keys()}
        moved = differences(found, stored)
        print(*moved, sep="\n")
        print(f"{len(moved)} of {len(stored)} differ")
        return bool(moved)
    return False


if __name__ == "__main__":
    sys.exit(main())
