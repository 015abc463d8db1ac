"""Calls of every estimator, as users write them, for pyright and for one test."""

import numpy as np

import sklearn_bayeslazy as sb

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.arange(12) % 2
TEXTS = ["a b", "b c"] * 6


def predict_classes():
    """Fit classifiers and return the shapes of their probabilities."""
    return [
        sb.MEstimateNB(m=1).fit(X, Y).predict_proba(X).shape,
        sb.AODEClassifier(m=1.0).fit(X, Y).predict_proba(X).shape,
        sb.TextNB("laplace").fit(X, Y).predict_proba(X).shape,
        sb.LanguageModelNB().fit(TEXTS, Y).predict_proba(TEXTS).shape,
        sb.ShepardKNN(None, power=2).fit(X, Y).predict_proba(X).shape,
        sb.CaseBasedClassifier(3, weights=None).fit(X, Y).predict_proba(X).shape,
        sb.RBFNetworkClassifier(3).fit(X, Y).predict_proba(X).shape,
        sb.BeliefNetworkClassifier("naive").fit(X, Y).predict_proba(X).shape,
        sb.MyAdaBoost(n_estimators=3).fit(X, Y).predict_proba(X).shape,
        sb.HypothesisClassifier([sb.MEstimateNB()], cv=2, noise=0.1)
        .fit(X, Y)
        .predict_proba(X)
        .shape,
        sb.BayesianStackingClassifier([("naive", sb.MEstimateNB())], cv=2)
        .fit(X, Y)
        .predict_proba(X)
        .shape,
        sb.LocallyWeightedEstimator(sb.MEstimateNB(m=1), n_neighbors=8)
        .fit(X, Y)
        .predict_proba(X)
        .shape,
    ]


def predict_numbers():
    """Fit regressors and return the shapes of their predictions."""
    return [
        sb.ShepardKNNRegressor(3, weights="uniform").fit(X, Y).predict(X).shape,
        sb.CaseBasedRegressor(3, weights=None).fit(X, Y).predict(X).shape,
        sb.LocallyWeightedRegressor(1, ridge=0.1).fit(X, Y).predict(X).shape,
        sb.RBFNetworkRegressor(3, ridge=0.1).fit(X, Y).predict(X).shape,
        sb.MyAdaBoostRegressor(3).fit(X, Y).predict(X).shape,
        sb.BayesianStackingRegressor([("near", sb.ShepardKNNRegressor(3))])
        .fit(X, Y)
        .predict(X)
        .shape,
    ]


def transform_rows():
    """Fit searches and transformers and return the numbers of rows of their output."""
    distances, indices = sb.LSHNeighbors(2, random_state=0).fit(X).kneighbors(X)
    shards = sb.ShardedNeighbors(sb.InvertedIndexNeighbors(2), n_neighbors=2)
    return [
        len(distances),
        len(indices),
        len(sb.InvertedIndexNeighbors(2).fit(X).kneighbors(X)[0]),
        len(shards.fit(X).kneighbors(X)[0]),
        sb.AxisStretcher(n_starts=1).fit(X, Y).transform(X).shape[0],
        sb.TableCleaner().fit(X, Y).transform(X).shape[0],
        sb.ValueDifferenceEncoder().fit(X, Y).transform(X).shape[0],
        sb.RandomProjectionHash(4).fit(X).transform(X).shape[0],
        sb.LearnedHash(2).fit(X, Y).transform(X).shape[0],
        len(sb.BeliefNetwork().fit(X).score_samples(X)),
        len(sb.NGramLanguageModel().fit(TEXTS).score_samples(TEXTS)),
    ]
