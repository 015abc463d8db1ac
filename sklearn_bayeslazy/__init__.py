"""Bayesian and lazy (instance-based) learners for scikit-learn."""

from importlib import import_module

__version__ = "0.1.0"

# The module of each public name, as in `__init__.pyi`. A name is imported when it is
# first used, so that ``import sklearn_bayeslazy`` is fast.
_MODULE_OF = {
    "AODEClassifier": "naive_bayes",
    "AxisStretcher": "neighbors",
    "BayesianStackingClassifier": "ensemble",
    "BayesianStackingRegressor": "ensemble",
    "BeliefNetwork": "belief_network",
    "BeliefNetworkClassifier": "belief_network",
    "BeliefNetworkDisplay": "explain",
    "CaseBasedClassifier": "neighbors",
    "CaseBasedRegressor": "neighbors",
    "CompilationWarning": "_core._warnings",
    "EqualitySimilarity": "neighbors",
    "Explanation": "explain",
    "GraphSimilarity": "neighbors",
    "HypothesisClassifier": "ensemble",
    "ImportanceDisplay": "explain",
    "InvertedIndexNeighbors": "neighbors",
    "LSHNeighbors": "neighbors",
    "LanguageModelNB": "text",
    "LearnedHash": "neighbors",
    "LeaveOneOutDisplay": "explain",
    "LocallyWeightedEstimator": "local_regression",
    "LocallyWeightedRegressor": "local_regression",
    "MEstimateNB": "naive_bayes",
    "MarginDisplay": "explain",
    "MyAdaBoost": "ensemble",
    "MyAdaBoostRegressor": "ensemble",
    "NGramLanguageModel": "text",
    "NumberSimilarity": "neighbors",
    "OrderedSimilarity": "neighbors",
    "ProbabilityTableDisplay": "explain",
    "RBFNetworkClassifier": "local_regression",
    "RBFNetworkRegressor": "local_regression",
    "RandomProjectionHash": "neighbors",
    "RecallDisplay": "explain",
    "RegressionBandDisplay": "explain",
    "ReliabilityDisplay": "explain",
    "SetSimilarity": "neighbors",
    "ShardedNeighbors": "neighbors",
    "ShepardKNN": "neighbors",
    "ShepardKNNRegressor": "neighbors",
    "StagedErrorDisplay": "explain",
    "TableCleaner": "tabular.cleaning",
    "TableSimilarity": "neighbors",
    "TaxonomySimilarity": "neighbors",
    "TextNB": "text",
    "ValueDifferenceEncoder": "neighbors",
    "ValueDifferenceSimilarity": "neighbors",
    "WordSimilarity": "neighbors",
}

__all__ = [
    "AODEClassifier",
    "AxisStretcher",
    "BayesianStackingClassifier",
    "BayesianStackingRegressor",
    "BeliefNetwork",
    "BeliefNetworkClassifier",
    "BeliefNetworkDisplay",
    "CaseBasedClassifier",
    "CaseBasedRegressor",
    "CompilationWarning",
    "EqualitySimilarity",
    "Explanation",
    "GraphSimilarity",
    "HypothesisClassifier",
    "ImportanceDisplay",
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
    "MyAdaBoostRegressor",
    "NGramLanguageModel",
    "NumberSimilarity",
    "OrderedSimilarity",
    "ProbabilityTableDisplay",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RandomProjectionHash",
    "RecallDisplay",
    "RegressionBandDisplay",
    "ReliabilityDisplay",
    "SetSimilarity",
    "ShardedNeighbors",
    "ShepardKNN",
    "ShepardKNNRegressor",
    "StagedErrorDisplay",
    "TableCleaner",
    "TableSimilarity",
    "TaxonomySimilarity",
    "TextNB",
    "ValueDifferenceEncoder",
    "ValueDifferenceSimilarity",
    "WordSimilarity",
    "__version__",
]


def __getattr__(name):
    if name in ("dask", "datasets", "explain", "testing"):
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
