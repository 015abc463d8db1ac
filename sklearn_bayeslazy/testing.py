"""Reusable assertions, and the registry of estimators that the common tests run on.

Add an estimator's instances to `ESTIMATORS`: with its defaults, and each variant that
takes another path through the code. Conformance, threads, forks and pickles are then
tested for all of them.
"""

import os
from pathlib import Path

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from .belief_network import BeliefNetwork, BeliefNetworkClassifier
from .ensemble import (
    BayesianStackingClassifier,
    BayesianStackingRegressor,
    HypothesisClassifier,
    MyAdaBoost,
    MyAdaBoostRegressor,
)
from .local_regression import (
    LocallyWeightedEstimator,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from .naive_bayes import AODEClassifier, MEstimateNB
from .neighbors import (
    AxisStretcher,
    CaseBasedClassifier,
    CaseBasedRegressor,
    InvertedIndexNeighbors,
    LearnedHash,
    LSHNeighbors,
    RandomProjectionHash,
    ShardedNeighbors,
    ShepardKNN,
    ShepardKNNRegressor,
    ValueDifferenceEncoder,
)
from .tabular import take_rows
from .tabular.cleaning import TableCleaner
from .text import TextNB


def _classical(m=1.0, distribution="auto", **params):
    """Return an MEstimateNB of which only what is named is chosen from the data."""
    params = {"n_bins": 10, "binning": "quantile", **params}
    return MEstimateNB(m, distribution=distribution, feature_weights=None, **params)


# One instance for each path through the code; all take numbers.
ESTIMATORS = [
    MEstimateNB(),
    MEstimateNB(loo_scoring="accuracy", n_jobs=2),
    MEstimateNB(distribution="categorical"),
    MEstimateNB(distribution="poisson", m=1.0, fit_prior=False),
    MEstimateNB(distribution="gaussian", prior="marginal"),
    _classical(distribution="quantized", n_bins="loo", binning="loo"),
    _classical(),
    _classical(m=0),
    _classical(m="laplace"),
    _classical(m="loo"),
    _classical(prior="marginal"),
    _classical(distribution="categorical"),
    _classical(distribution="bernoulli"),
    _classical(distribution="bernoulli", m="loo", prior="marginal"),
    _classical(distribution="poisson"),
    _classical(distribution="poisson", m="loo"),
    _classical(distribution="quantized"),
    _classical(distribution="quantized", binning="uniform", m="laplace"),
    _classical(distribution="quantized", binning="mdlp", prior="marginal"),
    _classical(distribution="quantized", binning="binary", m="loo"),
    _classical(distribution="loo"),
    _classical(distribution="loo", m="loo", loo_scoring="accuracy"),
    # Not for categorical columns: the checks predict categories unknown to fit.
    _classical(distribution="quantized", unknown="error", fit_prior=False),
    _classical(n_jobs=2),
    AODEClassifier(),
    AODEClassifier(m=1.0, weights=None, n_bins=5, binning="quantile"),
    AODEClassifier("laplace", weights=None, n_bins=5, binning="mdlp", min_count=3),
    AODEClassifier(n_bins=4, loo_scoring="accuracy", n_jobs=2),
    TextNB(),
    TextNB("laplace", temperature=1),
    TextNB(m=0),
    TextNB(prior="background", loo_scoring="log_loss"),
    TextNB("laplace", complement=True),
    TextNB(complement=True, temperature=2.0, length_exponent=0.5),
    TextNB("laplace", event_model="bernoulli"),
    TextNB(event_model="bernoulli", m=0),
    TextNB(event_model="bernoulli"),
    TextNB(event_model="bernoulli", prior="background"),
    TextNB("laplace", event_model="poisson", prior="background", temperature=1),
    TextNB(event_model="poisson"),
    TextNB(fit_prior=False, n_jobs=2),
    ShepardKNN(),
    ShepardKNN(n_neighbors=None),
    ShepardKNN(n_neighbors=None, metric="manhattan", power="auto", n_jobs=2),
    ShepardKNN(n_neighbors=5),
    ShepardKNN(n_neighbors=5, power=2, m=0, metric="euclidean"),
    ShepardKNN(n_neighbors=None, power=2, m=1, prior="uniform", metric="euclidean"),
    ShepardKNN(n_neighbors=5, weights="uniform", algorithm="brute", metric="euclidean"),
    ShepardKNN(n_neighbors=6, power=1, algorithm="kd_tree", metric="euclidean"),
    ShepardKNN(power="loo", class_weight="balanced", loo_scoring="log_loss"),
    ShepardKNN(metric="cosine", weights="cosine"),
    # With fewer rows than columns all rows are equally far apart, and order is lost.
    ShepardKNN(n_neighbors=None, metric="mahalanobis"),
    ShepardKNN(metric="seuclidean"),
    ShepardKNN(metric="nan_euclidean"),
    ShepardKNN(metric="hvdm"),
    ShepardKNN(n_neighbors=None, metric="heom"),
    ShepardKNN(n_neighbors=5, metric="gower", n_jobs=2),
    ShepardKNN(n_neighbors=None, feature_weights="loo"),
    ShepardKNN(metric="minkowski", metric_params={"p": 3}),
    ShepardKNNRegressor(),
    ShepardKNNRegressor(n_neighbors=None, power=3, metric="euclidean"),
    ShepardKNNRegressor(
        n_neighbors=5, algorithm="kd_tree", n_jobs=2, metric="euclidean"
    ),
    ShepardKNNRegressor(n_neighbors=5, metric="cosine"),
    ShepardKNNRegressor(metric="nan_euclidean"),
    ShepardKNNRegressor(metric="hvdm", metric_params={"m": "loo"}),
    ShepardKNNRegressor(n_neighbors=5, metric="gower"),
    ShepardKNNRegressor(n_neighbors=5, feature_weights="loo", metric="euclidean"),
    AxisStretcher(),
    AxisStretcher(n_neighbors=3, power=2, alpha=0, parsimony=0, n_jobs=2),
    AxisStretcher(n_starts=3, random_state=0),
    ValueDifferenceEncoder(),
    ValueDifferenceEncoder("loo", numbers="normal_scores", symbols="indicators"),
    TableCleaner(),
    InvertedIndexNeighbors(),
    InvertedIndexNeighbors(3, metric="euclidean", n_jobs=2),
    InvertedIndexNeighbors(3, metric="dot", mode="connectivity"),
    LSHNeighbors(random_state=0),
    LSHNeighbors(3, metric="cosine", recall=0.5, mode="connectivity", n_jobs=2),
    LSHNeighbors(hash_family="random_projection", n_bits=3, n_tables=2),
    LSHNeighbors(hash_family="super_bit", metric="cosine", radius=0.5),
    LSHNeighbors(hash_family="learned", n_bits=2, recall=1.0),
    ShardedNeighbors(LSHNeighbors(3, random_state=0)),
    ShardedNeighbors(InvertedIndexNeighbors(), 5, n_neighbors=2, n_jobs=2),
    RandomProjectionHash(random_state=0),
    RandomProjectionHash(40, orthogonal=True, center=True),
    LearnedHash(random_state=0),
    LocallyWeightedRegressor(),
    LocallyWeightedRegressor(1, n_neighbors=30, scale=None, ridge=0.0),
    LocallyWeightedRegressor(2, n_neighbors=0.5, scale=None, ridge=0.0, n_jobs=2),
    LocallyWeightedRegressor(0, n_neighbors=None, kernel="inverse_square", ridge=0.0),
    LocallyWeightedRegressor(
        1, n_neighbors=None, bandwidth=1, kernel="gaussian", scale="std", ridge=0.01
    ),
    LocallyWeightedRegressor(n_neighbors=None, bandwidth="loo", statistics=None),
    LocallyWeightedRegressor(
        1, n_neighbors=30, robust_iterations=2, scale="trimmed", ridge=0.0
    ),
    LocallyWeightedRegressor(
        1,
        n_neighbors=5,
        bandwidth=2,
        kernel="epanechnikov",
        ridge=0.0,
        algorithm="kd_tree",
    ),
    LocallyWeightedEstimator(),
    LocallyWeightedEstimator(_classical(), n_neighbors=30, kernel="uniform", m=0),
    LocallyWeightedEstimator(LinearRegression(), n_neighbors=20, scale="std"),
    RBFNetworkRegressor(),
    RBFNetworkRegressor(feature_weights=None),
    RBFNetworkRegressor(20, width="local", overlap=2, ridge=0.01, n_jobs=2),
    RBFNetworkClassifier(),
    RBFNetworkClassifier(
        10, width=1.5, ridge=0.1, scale=None, feature_weights="relevance"
    ),
    CaseBasedClassifier(),
    CaseBasedClassifier(5, weights=None, power=2, m=0, missing=0.0),
    CaseBasedClassifier(None, vote="similarity", n_jobs=2),
    CaseBasedClassifier(5, aggregation="euclidean", class_weight="balanced"),
    CaseBasedRegressor(),
    CaseBasedRegressor(5, weights=None, vote="uniform", n_jobs=2),
    BeliefNetwork(),
    BeliefNetwork("chow_liu", binning="uniform", m=0.5, n_jobs=2),
    BeliefNetwork("k2", structure_score="k2", prior="bdeu", random_state=0),
    BeliefNetwork([("h", 0)], hidden={"h": 2}, n_init=2, random_state=0),
    BeliefNetwork(missing="expected", hidden_learner="gradient", n_jobs=2),
    BeliefNetwork(inference="sampling", n_draws=100, random_state=0),
    BeliefNetworkClassifier(),
    BeliefNetworkClassifier(
        binning="mdlp", m=5.0, prior="marginal", calibration=None, n_jobs=2
    ),
    BeliefNetworkClassifier(
        "naive", prior="marginal", binning="quantile", loo_scoring="accuracy"
    ),
    BeliefNetworkClassifier("chow_liu", m=0, prior="backoff", calibration=None),
    BeliefNetworkClassifier(
        "k2",
        structure_score="bic",
        max_parents=2,
        binning="uniform",
        loo_candidates={"m": [0.5, 5.0], "prior": ["bdeu", "backoff"]},
    ),
    BeliefNetworkClassifier("hill_climbing", prior="bdeu", n_jobs=2),
    BeliefNetworkClassifier("hill_climbing", structure_score="loo", binning="mdlp"),
    BeliefNetworkClassifier([("class", 0)], n_bins=3),
    BeliefNetworkClassifier(
        [("class", "h"), ("h", 0)],
        hidden={"h": 2},
        hidden_learner="gradient",
        random_state=0,
    ),
    HypothesisClassifier(
        [_classical(), ShepardKNN(3, power=2, m=0, metric="euclidean")],
        cv=3,
        noise=0.01,
    ),
    HypothesisClassifier(
        [("naive", _classical(0.1)), ("wide", _classical(10))],
        "gibbs",
        cv=2,
        noise=0.1,
        prior=[2, 1],
        random_state=0,
    ),
    BayesianStackingClassifier(),
    BayesianStackingClassifier(
        [("naive", _classical()), ("tree", DecisionTreeClassifier(random_state=0))],
        cv=3,
        loo_max_samples=20,
        random_state=0,
        n_jobs=2,
    ),
    BayesianStackingRegressor(),
    BayesianStackingRegressor(
        [("local", LocallyWeightedRegressor()), ("mean", DummyRegressor())], cv=3
    ),
    MyAdaBoost(),
    MyAdaBoost(
        algorithm="gentle",
        n_estimators=20,
        max_depth=3,
        max_weight=None,
        max_features=0.5,
        weight_trimming=0.05,
        n_folds=None,
        random_state=0,
    ),
    MyAdaBoostRegressor(),
    MyAdaBoostRegressor(
        20,
        max_depth=3,
        max_features=0.5,
        min_leaf_weight=2.0,
        max_bins=16,
        n_folds=None,
        random_state=0,
        n_jobs=2,
    ),
    MyAdaBoost(max_depth=1),
    MyAdaBoost(max_depth=1, algorithm="samme", criterion="error", n_estimators=50),
    MyAdaBoost(algorithm="samme", learning_rate=0.5, max_bins=16, n_jobs=2),
    MyAdaBoost(algorithm="mh"),
    MyAdaBoost(algorithm="mh", learning_rate=0.5, max_bins=16, n_jobs=2),
    MyAdaBoost(algorithm="mh", n_iter_no_change=5, validation_fraction=0.25),
    MyAdaBoost(
        ShepardKNN(3, power=2, m=0, metric="euclidean"),
        algorithm="m1",
        on_weak_round="stop",
        n_estimators=3,
    ),
    MyAdaBoost(max_depth=1, n_iter_no_change=5, validation_fraction=0.25),
    MyAdaBoost(weighting="resample", n_estimators=10, random_state=0),
    MyAdaBoost(_classical(), n_estimators=5, learning_rate=0.1),
    MyAdaBoost(DecisionTreeClassifier(max_depth=2), n_estimators=5, random_state=0),
    MyAdaBoost(
        LinearDiscriminantAnalysis(),
        weighting="resample",
        n_estimators=3,
        random_state=0,
    ),
]

# Two ways of summing the same rows may differ by this much.
FLOAT_TOLERANCE = 1e-12
_EPSILON = np.finfo(np.float64).eps


def shared_data():
    """Return the folder of the larger data sets: $BAYESLAZY_DATA or ../shared/data."""
    return Path(os.environ.get("BAYESLAZY_DATA", "../shared/data"))


def assert_on_simplex(probabilities):
    """Assert that each row holds probabilities that sum to one.

    >>> assert_on_simplex([[0.25, 0.75], [1.0, 0.0]])
    """
    probabilities = np.asarray(probabilities)
    tolerance = 4 * _EPSILON * probabilities.shape[1]
    assert np.all(probabilities >= 0), "a probability is negative"
    gap = np.abs(probabilities.sum(axis=1) - 1).max(initial=0.0)
    assert gap <= max(tolerance, FLOAT_TOLERANCE), f"rows miss 1 by up to {gap:.3g}"


_METHODS = (
    "predict_proba",
    "decision_function",
    "predict",
    "transform",
    "score_samples",
)


def answers(model, X):
    """Return probabilities, predictions or transformed rows of X."""
    for method in _METHODS:
        if hasattr(model, method):
            found = getattr(model, method)(X)
            return found.toarray() if issparse(found) else found
    raise TypeError(f"{type(model).__name__} neither predicts, transforms nor scores.")


def assert_same_predictions(model, other, X, tolerance=FLOAT_TOLERANCE):
    """Assert that two fitted estimators give the same predictions on X.

    Labels must be identical, numbers equal to `tolerance`.
    """
    if is_classifier(model):
        np.testing.assert_array_equal(model.predict(X), other.predict(X))
    np.testing.assert_allclose(
        answers(model, X), answers(other, X), rtol=0, atol=tolerance
    )


def assert_row_wise(model, X):
    """Assert that the prediction of a row does not depend on the other rows."""
    together = answers(model, X)
    for i in range(X.shape[0]):
        alone = answers(model, take_rows(X, slice(i, i + 1)))
        np.testing.assert_allclose(alone[0], together[i], rtol=0, atol=FLOAT_TOLERANCE)
