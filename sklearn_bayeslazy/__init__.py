"""Bayesian and lazy (instance-based) learners for scikit-learn."""

from importlib import import_module

__version__ = "0.1.0.dev0"

# The module of each public name. A name is imported when it is first used, so that
# ``import sklearn_bayeslazy`` is fast.
_MODULE_OF = {
    "AODEClassifier": "naive_bayes",
    "AxisStretcher": "neighbors",
    "BeliefNetwork": "belief_network",
    "BeliefNetworkClassifier": "belief_network",
    "BeliefNetworkDisplay": "inspection",
    "HypothesisClassifier": "ensemble",
    "InvertedIndexNeighbors": "neighbors",
    "LSHNeighbors": "neighbors",
    "LanguageModelNB": "naive_bayes",
    "LearnedHash": "neighbors",
    "LeaveOneOutDisplay": "inspection",
    "LocallyWeightedEstimator": "local_regression",
    "LocallyWeightedRegressor": "local_regression",
    "MEstimateNB": "naive_bayes",
    "MarginDisplay": "inspection",
    "MyAdaBoost": "ensemble",
    "NGramLanguageModel": "language_model",
    "ProbabilityTableDisplay": "inspection",
    "RBFNetworkClassifier": "local_regression",
    "RBFNetworkRegressor": "local_regression",
    "RandomProjectionHash": "neighbors",
    "RecallDisplay": "inspection",
    "RegressionBandDisplay": "inspection",
    "ShardedNeighbors": "neighbors",
    "ShepardKNN": "neighbors",
    "ShepardKNNRegressor": "neighbors",
    "StagedErrorDisplay": "inspection",
    "TableCleaner": "cleaning",
    "TextNB": "naive_bayes",
    "ValueDifferenceEncoder": "neighbors",
}

__all__ = [
    "AODEClassifier",
    "AxisStretcher",
    "BeliefNetwork",
    "BeliefNetworkClassifier",
    "BeliefNetworkDisplay",
    "HypothesisClassifier",
    "InvertedIndexNeighbors",
    "LSHNeighbors",
    "LanguageModelNB",
    "LearnedHash",
    "LeaveOneOutDisplay",
    "LocallyWeightedEstimator",
    "LocallyWeightedRegressor",
    "MEstimateNB",
    "MarginDisplay",
    "MyAdaBoost",
    "NGramLanguageModel",
    "ProbabilityTableDisplay",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RandomProjectionHash",
    "RecallDisplay",
    "RegressionBandDisplay",
    "ShardedNeighbors",
    "ShepardKNN",
    "ShepardKNNRegressor",
    "StagedErrorDisplay",
    "TableCleaner",
    "TextNB",
    "ValueDifferenceEncoder",
    "__version__",
]


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
