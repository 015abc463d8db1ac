"""``python -m sklearn_bayeslazy warm-up`` compiles all kernels into numba's cache.

Later processes then start without compiling: an image, a machine without a network, a
service that must answer its first request at once.
"""

import argparse
import pickle
import sys
import warnings

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor
from tqdm import tqdm

from .._core._kernel import cache_folder
from ..testing import ESTIMATORS
from ..text import LanguageModelNB, NGramLanguageModel

NO_CACHE = 2  # exit status
_METHODS = (
    "predict",
    "predict_proba",
    "predict_joint_log_proba",
    "transform",
    "kneighbors",
    "score_samples",
    "prediction_interval",
)
# More than the tables that are searched, counted or fitted by NumPy.
_N_ROWS = 600
_DOCUMENTS = ["the cat sat", "a dog ran", "the bank cut rates", "rates rose again"]
_TEXT_ESTIMATORS = [LanguageModelNB(), NGramLanguageModel()]


def main(arguments=None):
    """Compile all kernels; return the exit status."""
    # arguments: the command line after `warm-up`; None means sys.argv[2:].
    # Status: 0 on success; 2 if no cache folder can be written, so that nothing that is
    # compiled would outlast the process.
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bayeslazy warm-up",
        description="Compile the loops of all estimators, and store them for later "
        "processes of this machine or image. It takes one to three minutes.",
    )
    parser.parse_args(sys.argv[2:] if arguments is None else arguments)
    folder = cache_folder()
    if folder is None:
        print(
            "sklearn_bayeslazy: compiled loops cannot be stored, because neither the "
            "folder of the package nor the user's cache folder can be written. Set "
            "NUMBA_CACHE_DIR to a folder that can. Estimators work without it; each "
            "process compiles them again.",
            file=sys.stderr,
        )
        return NO_CACHE
    n_fitted = warm_up(progress=True)
    print(f"Compiled the loops of {n_fitted} estimators and their variants: {folder}")
    return 0


def warm_up(estimators=None, *, progress=False):
    """Fit and use estimators on small tables; return how many took a table."""
    # estimators: instances that read tables; by default all of `ESTIMATORS`, and those
    # of text.
    text = _TEXT_ESTIMATORS if estimators is None else []
    estimators = ESTIMATORS if estimators is None else estimators
    tables = list(_tables())
    jobs = [(e, tables) for e in estimators]
    jobs += [(e, [(_DOCUMENTS, np.array([0, 0, 1, 1]), None)]) for e in text]
    n_fitted = 0
    for estimator, inputs in tqdm(jobs, desc="warm-up", disable=not progress):
        used = [_use(estimator, *table) for table in inputs]
        n_fitted += any(used)
    return n_fitted


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
    """Fit and predict, also by an unpickled copy; return whether fit took the table."""
    # An estimator needs no kernels for a table that it refuses.
    y = numbers if is_regressor(estimator) else classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = clone(estimator).fit(X, y)
        except (TypeError, ValueError):
            return False
        for fitted in (model, pickle.loads(pickle.dumps(model))):
            for method in _METHODS:
                if hasattr(fitted, method):
                    try:
                        getattr(fitted, method)(X)
                    except (TypeError, ValueError):
                        continue
    return True
