"""Bayesian and lazy (instance-based) learners for scikit-learn."""

from importlib import import_module

__version__ = "0.1.0"

# The module of each public name, as in `__init__.pyi`. A name is imported when it is
# first used, so that ``import sklearn_bayeslazy`` is fast.
_MODULE_OF = {
    "AODEClassifier": "naive_bayes",
    "AxisStretcher": "neighbors",
    "BeliefNetwork": "belief_network",
    "BeliefNetworkClassifier": "belief_network",
    "BeliefNetworkDisplay": "inspection",
    "CaseBasedClassifier": "case_based",
    "CaseBasedRegressor": "case_based",
    "EqualitySimilarity": "case_based",
    "Explanation": "inspection",
    "GraphSimilarity": "case_based",
    "HypothesisClassifier": "ensemble",
    "ImportanceDisplay": "inspection",
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
    "NumberSimilarity": "case_based",
    "OrderedSimilarity": "case_based",
    "ProbabilityTableDisplay": "inspection",
    "RBFNetworkClassifier": "local_regression",
    "RBFNetworkRegressor": "local_regression",
    "RandomProjectionHash": "neighbors",
    "RecallDisplay": "inspection",
    "RegressionBandDisplay": "inspection",
    "SetSimilarity": "case_based",
    "ShardedNeighbors": "neighbors",
    "ShepardKNN": "neighbors",
    "ShepardKNNRegressor": "neighbors",
    "StagedErrorDisplay": "inspection",
    "TableCleaner": "cleaning",
    "TableSimilarity": "case_based",
    "TaxonomySimilarity": "case_based",
    "TextNB": "naive_bayes",
    "ValueDifferenceEncoder": "neighbors",
    "ValueDifferenceSimilarity": "case_based",
    "WordSimilarity": "case_based",
}

__all__ = [
    "AODEClassifier",
    "AxisStretcher",
    "BeliefNetwork",
    "BeliefNetworkClassifier",
    "BeliefNetworkDisplay",
    "CaseBasedClassifier",
    "CaseBasedRegressor",
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
    "NGramLanguageModel",
    "NumberSimilarity",
    "OrderedSimilarity",
    "ProbabilityTableDisplay",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RandomProjectionHash",
    "RecallDisplay",
    "RegressionBandDisplay",
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
    if name in ("dask", "datasets", "inspection", "testing"):
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
