"""``python -m sklearn_bayeslazy warm-up`` compiles kernels into numba's cache.

Later processes then start without compiling: an image, a machine without a network, a
service that must answer its first request at once.
"""

import argparse
import os
import pickle
import sys
import time
import warnings

import numpy as np
from numba.core import event
from scipy.sparse import csr_array
from sklearn.base import is_regressor
from tqdm import tqdm

import sklearn_bayeslazy

from .._core._kernel import cache_folder

BAD_ARGUMENTS = NO_CACHE = 2  # exit status
# The parameters of more instances of learners, which with the defaults use all kernels.
_VARIANTS = {
    "AODEClassifier": [{"n_bins": 5, "binning": "mdlp"}],
    "AxisStretcher": [{"power": 2, "n_neighbors": 3}],
    "BeliefNetwork": [{"inference": "sampling", "n_draws": 100}],
    "BeliefNetworkClassifier": [
        {"structure": "hill_climbing", "structure_score": "loo", "binning": "mdlp"}
    ],
    "LSHNeighbors": [{"hash_family": "super_bit", "radius": 0.5}],
    "LocallyWeightedEstimator": [{"scale": "std", "n_neighbors": 20}],
    "LocallyWeightedRegressor": [
        {"degree": 1, "n_neighbors": 30, "algorithm": "kd_tree"},
        {"degree": 1, "n_neighbors": 30, "scale": None, "ridge": 0.0},
        {"n_neighbors": None, "bandwidth": "loo"},
        {"degree": 1, "n_neighbors": 30, "robust_iterations": 2, "ridge": 0.0},
    ],
    "MEstimateNB": [
        {"distribution": "categorical"},
        {"distribution": "gaussian", "prior": "marginal"},
        {"distribution": "quantized", "binning": "mdlp"},
    ],
    "MyAdaBoost": [
        {"algorithm": "samme", "criterion": "error"},
        {"algorithm": "mh"},
        {"estimator": sklearn_bayeslazy.ShepardKNN(5), "n_estimators": 3},
    ],
    "ShepardKNN": [
        {"n_neighbors": None, "feature_weights": "loo"},
        {"n_neighbors": None, "metric": "mahalanobis"},
        {"n_neighbors": 6, "metric": "euclidean", "algorithm": "kd_tree"},
        {"n_neighbors": None, "metric": "heom"},
        {"metric": "cosine", "weights": "cosine"},
    ],
    "ShepardKNNRegressor": [
        {"feature_weights": "loo", "metric": "euclidean"},
        {"n_neighbors": 5, "metric": "euclidean", "algorithm": "kd_tree"},
        {"n_neighbors": 5, "metric": "gower"},
        {"n_neighbors": 5, "metric": "cosine"},
    ],
    "TextNB": [{"event_model": "bernoulli"}],
}
# Learners that have no default for a parameter.
_REQUIRED = {
    "HypothesisClassifier": {"hypotheses": [sklearn_bayeslazy.MEstimateNB()]},
    "ShardedNeighbors": {"engine": sklearn_bayeslazy.LSHNeighbors()},
}
LEARNERS = {
    name: [_REQUIRED.get(name, {}), *_VARIANTS.get(name, [])]
    for name in sorted(sklearn_bayeslazy.__all__)
    if hasattr(getattr(sklearn_bayeslazy, name), "fit")
}
_TEXT_LEARNERS = ("LanguageModelNB", "NGramLanguageModel")
_METHODS = (
    "predict",
    "predict_proba",
    "predict_joint_log_proba",
    "transform",
    "kneighbors",
    "radius_neighbors",
    "score_samples",
    "prediction_interval",
)
# More than the tables that are searched, counted or fitted by NumPy.
_N_ROWS = 600
_DOCUMENTS = ["the cat sat", "a dog ran", "the bank cut rates", "rates rose again"]


def main(arguments=None):
    """Compile kernels; return the exit status."""
    # arguments: the command line after `warm-up`; None means sys.argv[2:].
    # Status: 0 on success; 2 if a learner is unknown, or if no cache folder can be
    # written, so that nothing that is compiled would outlast the process.
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bayeslazy warm-up",
        description="Compile the loops of learners, and store them for later processes "
        "of this machine or image. For all learners it takes one to three minutes.",
    )
    parser.add_argument(
        "learners", nargs="*", metavar="LEARNER", help=f"by default: {all_names()}"
    )
    names = parser.parse_args(sys.argv[2:] if arguments is None else arguments).learners
    for name in names:
        if name not in LEARNERS:
            return _print_error(f"there is no learner {name!r}; they are {all_names()}")
    if cache_folder() is None:
        _print_error(
            "compiled loops cannot be stored, because neither the package's folder nor "
            "the user's cache folder can be written. Set NUMBA_CACHE_DIR to a folder "
            "that can. Estimators work without it; each process compiles them again."
        )
        return NO_CACHE
    begin = time.perf_counter()
    with event.install_recorder("numba:compile") as recorder:
        warm_up(names or LEARNERS, progress=True)
    compiled = [
        report.data["dispatcher"] for _, report in recorder.buffer if report.is_end
    ]
    print(_summary(names, compiled, time.perf_counter() - begin))
    return 0


def all_names():
    """Return the names of all learners as one text."""
    return ", ".join(LEARNERS)


def _print_error(message):
    print(f"sklearn_bayeslazy: {message}", file=sys.stderr)
    return BAD_ARGUMENTS


def _summary(names, compiled, seconds):
    """Return what was stored, where, and for whom."""
    whose = ", ".join(names) if names else f"all {len(LEARNERS)} learners"
    if not compiled:
        return f"All loops of {whose} were stored already: {cache_folder()}"
    folders = {dispatcher.stats.cache_path for dispatcher in compiled}
    folder = os.path.commonpath(list(filter(None, folders)))
    return (
        f"Stored {len(compiled)} compiled functions of {whose} in {folder} "
        f"({seconds:.0f} s).\n"
        "They are for this processor and these versions of numba and of the package: "
        "another processor compiles anew."
    )


def warm_up(names, *, progress=False):
    """Fit and use the named learners on small tables of several kinds."""
    tables = list(_tables())
    documents = [(_DOCUMENTS, np.array([0, 0, 1, 1]), None)]
    for name in tqdm(names, desc="warm-up", disable=not progress):
        cls = getattr(sklearn_bayeslazy, name)
        for parameters in LEARNERS[name]:
            for table in documents if name in _TEXT_LEARNERS else tables:
                _use(cls(**parameters), *table)


def _tables():
    """Yield (rows, classes, numbers): dense, with missing values, sparse, a frame."""
    # All but one have too many rows to be read without kernels, as small tables are.
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=_N_ROWS)
    counts = rng.poisson(1.0 + y[:, None], size=(_N_ROWS, 5)).astype(float)
    numbers = counts.sum(axis=1) + rng.normal(size=_N_ROWS)
    yield counts, y, numbers
    yield counts[:, :1] + rng.normal(size=(_N_ROWS, 1)), y, numbers
    yield np.where(rng.random(counts.shape) < 0.1, np.nan, counts), y, numbers
    yield csr_array(counts), y, numbers
    yield csr_array(counts[:100]), y[:100], numbers[:100]
    try:
        import pandas as pd
    except ImportError:  # it is optional
        return
    frame = pd.DataFrame(counts[:, :3], columns=["a", "b", "c"])
    frame["kind"] = pd.Categorical(np.array(["x", "y", "z"])[(y + 1) % 3])
    yield frame, y, numbers


def _use(estimator, X, classes, numbers):
    """Fit and predict, also by an unpickled copy, if the estimator takes the table."""
    y = numbers if is_regressor(estimator) else classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = estimator.fit(X, y)
        except (TypeError, ValueError):  # no kernels for a table that it refuses
            return
        for fitted in (model, pickle.loads(pickle.dumps(model))):
            for method in _METHODS:
                if hasattr(fitted, method):
                    try:
                        getattr(fitted, method)(X)
                    except (TypeError, ValueError):
                        continue
