"""Graphs that have seen the classes: calibration by rows that have not chosen them.

Code under test: `_left_out_parts` and `_graphs_of_folds` of
`belief_network/_belief_network_classifier.py`, and the bins of
`belief_network/_nodes.py`.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from sklearn_bayeslazy import BeliefNetworkClassifier


@pytest.mark.parametrize("structure", ["tan", "fan", "hill_climbing"])
@pytest.mark.parametrize("seed", range(2))
def test_columns_that_tell_nothing_leave_the_prior(seed, structure):
    """200 columns of noise, 100 rows: ln 2 = .693 is the loss of the prior alone."""
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(100, 200)), rng.normal(size=(500, 200))
    y, targets = np.arange(100) % 2, np.arange(500) % 2
    model = BeliefNetworkClassifier(structure, max_parents=2).fit(X, y)
    assert log_loss(targets, model.predict_proba(new)) < 0.75


@pytest.mark.parametrize("seed", range(3))
def test_a_column_of_many_values_that_tells_nothing_does_little_harm(seed):
    """200 towns of four rows each, beside a number that tells of the class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2000, 3))
    X = pd.DataFrame(x, columns=["a", "b", "c"])
    X["town"] = [f"town {number}" for number in rng.integers(0, 200, 2000)]
    y = rng.random(2000) < 1 / (1 + np.exp(-1.5 * x[:, 0]))
    model = BeliefNetworkClassifier().fit(X[:800], y[:800])
    # The prior alone has .69, and the true probabilities .53.
    assert log_loss(y[800:], model.predict_proba(X[800:])) < 0.62


@pytest.mark.parametrize("weight", [None, 0.01, 4.0])
@pytest.mark.parametrize("n_classes", [2, 15])
def test_names_of_rows_leave_the_prior(n_classes, weight):
    """A name determines each other column, and tells nothing of rows to come."""
    rng = np.random.default_rng(0)
    X = np.char.add("v", rng.integers(3, size=(900, 4)).astype(str)).astype(object)
    X[:, 0] = [f"row {i}" for i in range(len(X))]
    y = np.arange(900) % n_classes
    rows, new = slice(150), slice(150, None)
    weights = None if weight is None else np.full(150, weight)
    model = BeliefNetworkClassifier().fit(X[rows], y[rows], weights)
    excess = log_loss(y[new], model.predict_proba(X[new])) - np.log(n_classes)
    assert excess < 0.05  # "tan": .9 and 1.7


@pytest.mark.parametrize("seed", range(3))
def test_a_frequent_number_between_others_has_a_bin(seed):
    """A gain of 0 tells of the class, gains and losses do not: H(.9) = .325 nats.

    A third of the rows have 0 and are of class 1, but for a tenth of them; the others
    are of class 0, but for a tenth.
    """
    rng = np.random.default_rng(seed)
    is_zero = rng.random(3000) < 1 / 3
    x = np.where(is_zero, 0.0, rng.normal(size=3000))[:, None]
    y = is_zero ^ (rng.random(3000) < 0.1)
    model = BeliefNetworkClassifier().fit(x[:1000], y[:1000])
    assert log_loss(y[1000:], model.predict_proba(x[1000:])) < 0.38
    scaled = BeliefNetworkClassifier().fit(x[:1000] * 7, y[:1000], np.full(1000, 0.3))
    np.testing.assert_allclose(
        scaled.predict_proba(7 * x[1000:]), model.predict_proba(x[1000:]), rtol=1e-9
    )


def test_of_a_large_table_one_part_calibrates():
    """Rows above loo_max_samples change neither graph nor tables."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 4)).astype(str)
    y = (X[:, 0] == "1") ^ (rng.random(300) < 0.2)
    given = {"m": 1.0, "prior": "uniform"}
    whole = BeliefNetworkClassifier(**given).fit(X, y)
    part = BeliefNetworkClassifier(**given, loo_max_samples=50, random_state=0)
    part.fit(X, y)
    assert part.structure_ == whole.structure_
    assert part.exponent_ != whole.exponent_
    assert part.exponent_ == pytest.approx(whole.exponent_, rel=0.5)
