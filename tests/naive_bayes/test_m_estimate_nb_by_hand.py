"""MEstimateNB against naive Bayes by plain loops, on random tables.

Code under test: `_core/_joint_log_likelihood.py`.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.naive_bayes_by_hand import (
    joint_log_proba,
    log_loss,
    moments,
    without_row,
)

# Large, because with a tiny variance the log densities reach 1e10, and two ways of
# computing them do not agree to 1e-10.
VAR_SMOOTHING = 0.01


@st.composite
def tables(draw, max_rows=14):
    """Draw a mixed table with missing cells: columns, their distributions, labels."""
    n = draw(st.integers(3, max_rows))
    classes = ["a", "b", "c"][: draw(st.integers(1, 3))]
    y = [draw(st.sampled_from(classes)) for _ in range(n)]

    def cells(values):
        return [draw(st.one_of(st.none(), values)) for _ in range(n)]

    strings = cells(st.sampled_from(["r", "g", "b"]))
    counts = cells(st.integers(0, 6))
    reals = cells(st.integers(-20, 20).map(lambda v: v / 8))
    signs = cells(st.sampled_from([-1.0, 0.0, 0.5, 2.0]))
    bins = cells(st.integers(0, 9).map(float))
    columns = [strings, counts, reals, signs, bins]
    kinds = ["categorical", "poisson", "gaussian", "bernoulli", "quantized"]
    return columns, kinds, y


def weights_for(kind, n, seed):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return np.ones(n)
    if kind == "integer":
        return rng.integers(1, 4, n).astype(float)
    return rng.uniform(0.05, 2.5, n)


def object_array(columns):
    X = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        X[:, j] = column
    return X


def described(model, kinds, prior="uniform"):
    """Return the preprocessing that the model has learnt, for the plain loops."""
    return [
        {
            "kind": kind,
            "prior": prior,
            "values": list(
                model.categories_[j]
                if kind == "categorical"
                else (model.bin_edges_[j] if kind == "quantized" else [])
            ),
        }
        for j, kind in enumerate(kinds)
    ]


def added_variance(columns, kinds, weight):
    """Return what is added to a variance: a share of the largest (÷ n)."""
    largest = 0.0
    for column, kind in zip(columns, kinds):
        known = [(v, w) for v, w in zip(column, weight) if v is not None]
        if kind == "gaussian" and known:
            largest = max(largest, moments(known)[1] / sum(w for _, w in known))
    return VAR_SMOOTHING * largest


@pytest.mark.parametrize("weighting", ["none", "integer", "fractional"])
@pytest.mark.parametrize("prior", ["uniform", "marginal"])
@given(table=tables(), m=st.sampled_from([0.0, 0.5, 1.0, 3.0]), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_joint_log_proba_is_the_definition(weighting, prior, table, m, seed):
    columns, kinds, y = table
    X, weight = object_array(columns), weights_for(weighting, len(y), seed)
    model = classical_nb(
        m=m, prior=prior, distribution=kinds, n_bins=3, var_smoothing=VAR_SMOOTHING
    )
    model.fit(X, y, sample_weight=None if weighting == "none" else weight)
    classes = sorted(set(y))
    expected = [
        joint_log_proba(
            row,
            columns,
            described(model, kinds, prior),
            y,
            weight,
            classes,
            [m] * len(kinds),
            added_variance(columns, kinds, weight),
        )
        for row in X
    ]
    joint = model.predict_joint_log_proba(X)
    np.testing.assert_allclose(joint, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighting", ["none", "integer", "fractional"])
@pytest.mark.parametrize("prior", ["uniform", "marginal"])
@given(table=tables(max_rows=10), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_leave_one_out_equals_refits(weighting, prior, table, seed):
    columns, kinds, y = table
    assume(len(set(zip(*columns, y))) == len(y))  # copies are left out together
    X, weight = object_array(columns), weights_for(weighting, len(y), seed)
    candidates = [0.0, 0.3, 1.0, 4.0]
    model = classical_nb(
        m="loo",
        prior=prior,
        distribution=kinds,
        n_bins=3,
        var_smoothing=VAR_SMOOTHING,
        loo_candidates={"m": candidates},
    )
    model.fit(X, y, sample_weight=None if weighting == "none" else weight)
    classes = sorted(set(y))
    added = added_variance(columns, kinds, weight)
    for position, m in enumerate(candidates):
        losses = []
        for i, row in enumerate(X):
            left = without_row(weight, i)
            joint = joint_log_proba(
                row,
                columns,
                described(model, kinds, prior),
                y,
                left,
                classes,
                [m] * len(kinds),
                added,
                min(1.0, np.mean(weight)),
            )
            weights = [sum(w for w, c in zip(left, y) if c == k) for k in classes]
            total = sum(weights)
            log_prior = [np.log(v / total) if v > 0 else -np.inf for v in weights]
            losses.append(log_loss(joint, classes.index(y[i]), log_prior))
        expected = np.average(losses, weights=weight)
        assert model.loo_results_["mean_log_loss"][position] == pytest.approx(
            expected, rel=1e-10, abs=1e-10
        )
    best = np.argmin(model.loo_results_["mean_log_loss"])
    assert model.m_ == candidates[best]
