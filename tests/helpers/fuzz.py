"""A fuzzer: calls estimators with hostile input, and reports what they must not do.

A call must give finite, consistent output, or raise one ValueError or TypeError that
this package or scikit-learn wrote. It must not change its input, warn of arithmetic or
of deprecation, or lose the model of a former fit. Calls are numbered; the seed and the
number determine a call. ``python -m tests.helpers.fuzz --calls 10000 MEstimateNB``
makes many calls of a class.
"""

import argparse
import linecache
import sys
import time
import traceback
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

import sklearn_bayeslazy
from sklearn_bayeslazy.testing import ESTIMATORS, assert_on_simplex
from tests.helpers import fuzz_inputs

METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "predict_joint_log_proba",
    "transform",
    "score_samples",
    "kneighbors",
    "radius_neighbors",
)
SOURCES = tuple(str(Path(m.__file__).parent) for m in (sklearn_bayeslazy, sklearn))
# Learners of scikit-learn that meta-estimators are tested with; their errors may pass.
LEARNERS = ("sklearn/tree/", "sklearn/linear_model/", "sklearn/discriminant_analysis")
N_BENIGN_COLUMNS = 3
SLOW = 60.0  # seconds; a first call compiles its kernels
TOLERANCE = 1e-9


@dataclass
class Outcome:
    """What a call did: a complaint, or None, and how to name the call."""

    call: str
    complaint: str | None
    seconds: float


class Fuzzer:
    """Makes hostile calls of the registered instances of one class.

    Parameters
    ----------
    name : str
        The name of a class in ESTIMATORS.
    seed : int
    """

    def __init__(self, name, seed=0):
        self.name, self.seed = name, seed
        self.models = []
        rng = np.random.default_rng(0)
        X, y = fuzz_inputs.benign_table(rng, d=N_BENIGN_COLUMNS)
        for estimator in ESTIMATORS:
            if type(estimator).__name__ == name:
                model = clone(estimator)
                targets = X.sum(axis=1) if is_regressor(model) else y
                self.models.append(model.fit(X, targets))
        self.states = [vars(model).copy() for model in self.models]

    def call(self, number):
        """Make one call, and return its Outcome."""
        rng = np.random.default_rng([self.seed, crc32(self.name.encode()), number])
        position = int(rng.integers(len(self.models)))
        model = self._benign_model(position)
        refits = rng.random() < 0.7
        partial = refits and hasattr(model, "partial_fit") and rng.random() < 0.3
        changes = refits and not partial  # only fit checks the parameters
        hostile_table = not refits or rng.random() < 0.75
        # More than one hostile argument would mostly be refused for the first one.
        share = 0.1 if hostile_table else 0.4
        hostile = rng.random(3) < share
        parameter = _change_a_parameter(model, rng) if changes and hostile[0] else ""
        n_columns = N_BENIGN_COLUMNS if partial or not refits else None
        table, X = fuzz_inputs.draw_table(rng, hostile_table, n_columns)
        n = _n_rows(X)
        targets, y = fuzz_inputs.draw_targets(rng, n, hostile[1])
        weights, weight = fuzz_inputs.draw_weights(rng, n, hostile[2])
        fit = "partial_fit" if partial else "fit" if refits else ""
        call = f"#{number} [{position}] {parameter} {fit} X={table} {n} rows"
        call += f", y={targets}, weight={weights}" if refits else ""
        given = (X, y, weight)
        before = [_snapshot(each) for each in given]
        start = time.perf_counter()
        complaint, failed = None, False
        if refits:
            complaint, failed = _fit(model, fit, X, y, weight)
        if failed:  # the former model with its former parameters
            model = self._benign_model(position)
        if complaint is None:
            complaint = _call_methods(model, X, n)
        seconds = time.perf_counter() - start
        for what, now, then in zip(("X", "y", "sample_weight"), given, before):
            if _snapshot(now) != then:
                complaint = f"{what} was changed"
        if complaint is None and seconds > SLOW:
            complaint = f"took more than {SLOW:g} s"
        return Outcome(call, complaint, seconds)

    def _benign_model(self, position):
        """Return an estimator in the state in which benign rows left it."""
        model = self.models[position]
        vars(model).clear()
        vars(model).update(self.states[position])
        return model


def _change_a_parameter(model, rng):
    """Set one parameter, and return what was done."""
    names = sorted(set(model.get_params(deep=False)))
    names = [name for name in names if name not in fuzz_inputs.UNTOUCHED_PARAMETERS]
    if not names:
        return ""
    name = str(rng.choice(names))
    value = fuzz_inputs.PARAMETERS[rng.integers(len(fuzz_inputs.PARAMETERS))]
    model.set_params(**{name: value})
    return f"{name}={str(value)[:20]!r}"


def _fit(model, method, X, y, weight):
    """Fit; return a complaint or None, and whether an error was raised.

    After an error the former model must be left.
    """
    before = vars(model).copy()
    given = {}
    if weight is not None and has_fit_parameter(model, "sample_weight"):
        given["sample_weight"] = weight
    complaint, failed, _ = _attempt(getattr(model, method), X, y, **given)
    if complaint is None and failed:
        now = vars(model)
        if now.keys() != before.keys() or any(now[k] is not before[k] for k in now):
            complaint = "an error, and the former model was lost"
    return complaint and f"{method}: {complaint}", failed


def _call_methods(model, X, n):
    """Call the methods of a fitted model; return the first complaint, or None."""
    for name in METHODS:
        method = _method(model, name)
        if method is None:
            continue
        state = vars(model).copy()
        complaint, failed, output = _attempt(method, X)
        if complaint is None and not failed:
            complaint = _inspect(model, name, output, X, n)
        now = vars(model)
        if now.keys() != state.keys() or any(now[k] is not state[k] for k in now):
            complaint = "changed the model"
        if complaint:
            return f"{name}: {complaint}"
    return None


def _method(model, name):
    """Return a method that the model has with its present parameters, or None."""
    try:
        return getattr(model, name)
    except AttributeError:
        return None


def _attempt(function, *arguments, **options):
    """Return a complaint, whether the function raised an error, and its result."""
    caught = []

    def record(message, category, filename, lineno, *_):
        names = [frame.filename for frame in traceback.extract_stack()]
        caught.append((message, category, f"{Path(filename).name}:{lineno}", names))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = record
        try:
            result = function(*arguments, **options)
        except Exception as error:
            return _judge_error(error), True, None
    for message, category, where, names in caught:
        # scikit-learn compares float32 parameters with larger bounds.
        may_warn = ("_param_validation.py", *LEARNERS)
        of_others = any(part in name for part in may_warn for name in names)
        if not issubclass(category, UserWarning) and not of_others:
            return f"{category.__name__} at {where}: {message}", False, result
    return None, False, result


def _judge_error(error):
    """Return a complaint about an error, or None where it is one that a user can read.

    The line that raised it must be a raise statement of this package or scikit-learn.
    """
    frames = traceback.extract_tb(error.__traceback__)
    frame = frames[-1]
    text = f"{type(error).__name__}: {str(error)[:150]}".replace("\n", " ")
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    if not isinstance(error, ValueError | TypeError):
        return f"{text} ({where})"
    if any(part in each.filename for part in LEARNERS for each in frames):
        return None
    line = linecache.getline(frame.filename, frame.lineno).strip()
    if not frame.filename.startswith(SOURCES) or not line.startswith("raise"):
        return f"message of another package: {text} ({where})"
    return None


def _inspect(model, name, output, X, n):
    """Return a complaint about the output of a method for n rows, or None.

    X=None may mean the training rows.
    """
    if name in ("kneighbors", "radius_neighbors"):
        return _inspect_lists(model, name, *output)
    if sparse.issparse(output):
        output = output.data
    elif X is not None and hasattr(output, "shape") and len(output) != n:
        return f"{len(output)} rows for {n}"
    if isinstance(output, list):  # of several targets
        return None
    output = np.asarray(output)
    if name == "predict" and is_classifier(model):
        known = isinstance(model.classes_, list) or np.isin(output, model.classes_)
        return None if np.all(known) else "a class that fit did not see"
    if output.dtype.kind not in "fc":
        return None
    if name == "predict_proba":
        try:
            assert_on_simplex(output)
        except AssertionError as error:
            return str(error)
    finite = not name.endswith(("log_proba", "score_samples"))  # log 0 is -inf there
    if isinstance(model, sklearn_bayeslazy.TableCleaner):  # missing cells stay NaN
        output = output[~np.isnan(output)]
    allowed = np.isfinite(output) if finite else output < np.inf
    return None if np.all(allowed) else "output is not finite"


def _inspect_lists(model, name, distances, indices):
    """Return a complaint about lists of neighbours, or None."""
    # Rows may share no column without a missing cell.
    may_be_infinite = getattr(model, "metric", "") in ("nan_euclidean", "gower")
    for row, found in zip(distances, indices):
        if may_be_infinite:
            row = row[np.isfinite(row)]
        if not np.isfinite(row).all():
            return "a distance is not finite"
        if np.any(np.diff(row) < 0):
            return "distances do not ascend"
        if getattr(model, "metric", "") != "dot" and np.any(row < -TOLERANCE):
            return "a distance is negative"
        if len(np.unique(found)) != len(found):
            return "a row is listed twice"
    return None


def _n_rows(X):
    try:
        return X.shape[0] if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        return 5


def _snapshot(given):
    """Return a value that differs if the contents of an argument were changed."""
    if sparse.issparse(given):
        parts = (getattr(given, name, None) for name in ("data", "indices", "indptr"))
        return tuple(map(_snapshot, parts))
    if isinstance(given, np.ndarray) and given.dtype != object:
        return given.tobytes(), given.shape, given.dtype
    if hasattr(given, "to_dict") and hasattr(given, "columns"):
        columns = range(given.shape[1])
        take = given.iloc.__getitem__ if hasattr(given, "iloc") else given.__getitem__
        return [repr(list(take((slice(None), j)))) for j in columns]
    if isinstance(given, np.ndarray):
        return repr(given.tolist())
    return repr(list(given)) if hasattr(given, "__len__") else repr(given)


def class_names():
    """Return the names of the classes in ESTIMATORS, in order."""
    return list(dict.fromkeys(type(each).__name__ for each in ESTIMATORS))


def complaints(name, numbers, seed=0):
    """Return the outcomes of numbered calls of a class that are complaints."""
    fuzzer = Fuzzer(name, seed)
    return [each for each in map(fuzzer.call, numbers) if each.complaint]


def main():
    """Run the command line, and print the complaints of each class, grouped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="classes; by default all")
    parser.add_argument("--calls", type=int, default=10_000, help="of each class")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first call")
    arguments = parser.parse_args()
    n_bad = 0
    for name in arguments.names or class_names():
        start = time.perf_counter()
        last = arguments.first + arguments.calls
        found = complaints(name, range(arguments.first, last), arguments.seed)
        seconds = time.perf_counter() - start
        print(f"{name}: {len(found)} of {arguments.calls} calls, {seconds:.0f} s")
        counts = Counter(each.complaint for each in found)
        examples = defaultdict(list)
        for each in found:
            examples[each.complaint].append(each.call)
        for complaint, count in counts.most_common():
            print(
                f"  {count:4} {complaint}\n       {examples[complaint][0]}", flush=True
            )
        n_bad += len(found)
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
