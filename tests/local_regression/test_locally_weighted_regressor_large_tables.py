"""Rows of a large table are gathered from the search: the answers are the same bits.

Code under test: `local_regression/_fits/_local_fits.py`.
"""

import pickle

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression._fits import _windows
from sklearn_bayeslazy.search._dense_search import in_blocks

GIVEN = {"degree": 1, "n_neighbors": 20, "scale": "std", "ridge": 0.1}
PARAMETERS = [
    GIVEN,
    {**GIVEN, "kernel": "uniform", "degree": 0},
    {**GIVEN, "bandwidth": 0.8},
    {**GIVEN, "robust_iterations": 1},
    {**GIVEN, "statistics": "exact"},
    {"scale": "std", "n_neighbors": "loo", "loo_max_samples": 50},
    {"scale": "std", "bandwidth": "loo", "n_neighbors": None, "loo_max_samples": 20},
    {"loo_max_samples": 50},
]


def table(n_columns, n=300):
    """Return rows with ties, and targets."""
    rng = np.random.default_rng(n_columns)
    X = rng.normal(size=(n, n_columns)).round(1)
    return X, X[:, 0] * X[:, -1] + rng.normal(size=n)


def answers(model, queries):
    """Return what a model computes from its rows."""
    explanation = model.explain(queries)
    found = {
        "predictions": model.predict(queries, return_std=True),
        "slopes": model.gradient(queries),
        "base": explanation.base,
        "terms": explanation.terms,
        "dof": (model.effective_dof_, model.residual_dof_, model.residual_scale_),
        "scale": model.scale_,
    }
    results = getattr(model, "loo_results_", {})
    return found | {"errors": results.get("mean_squared_error", ())}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("parameters", PARAMETERS, ids=lambda p: str(p)[:50])
def test_gathered_rows_give_the_same_bits(parameters, n_columns, weighted, monkeypatch):
    X, y = table(n_columns)
    weight = np.arange(len(X)) % 3 if weighted else None
    queries = np.vstack([X[:20], X[:20] + 0.03])
    model = LocallyWeightedRegressor(**parameters)
    kept = answers(model.fit(X, y, weight), queries)
    monkeypatch.setattr(_windows, "MAX_CELLS_TO_KEEP", 0)
    model.fit(X, y, weight)
    assert not model._model.solver.finder.keeps_rows
    for found in (model, pickle.loads(pickle.dumps(model))):
        for name, values in answers(found, queries).items():
            np.testing.assert_array_equal(values, kept[name], err_msg=name)


@pytest.mark.parametrize("segments", [[np.arange(5)], [[3, 0, 4], [1, 2]]])
def test_rows_taken_from_blocks(segments):
    X = np.arange(10.0).reshape(5, 2)
    blocks = in_blocks(X, segments, width=2, n_jobs=1)
    for indices in ([4, 0, 0, 2], [], slice(1, 4)):
        indices = np.array(indices, dtype=int) if indices == [] else indices
        np.testing.assert_array_equal(blocks.take(indices), X[indices])
    again = pickle.loads(pickle.dumps(blocks))
    np.testing.assert_array_equal(again.take([3, 1]), X[[3, 1]])
