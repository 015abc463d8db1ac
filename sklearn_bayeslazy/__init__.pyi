"""Names of the package for static tools; at run time they are imported when used.

`tests/ecosystem/test_public_names.py` compares this file with `__init__.py`.
"""

from ._core._warnings import CompilationWarning as CompilationWarning
from .belief_network import (
    BeliefNetwork as BeliefNetwork,
    BeliefNetworkClassifier as BeliefNetworkClassifier,
)
from .ensemble import (
    BayesianStackingClassifier as BayesianStackingClassifier,
    BayesianStackingRegressor as BayesianStackingRegressor,
    HypothesisClassifier as HypothesisClassifier,
    MyAdaBoost as MyAdaBoost,
    MyAdaBoostRegressor as MyAdaBoostRegressor,
)
from .explain import (
    BeliefNetworkDisplay as BeliefNetworkDisplay,
    Explanation as Explanation,
    ImportanceDisplay as ImportanceDisplay,
    LeaveOneOutDisplay as LeaveOneOutDisplay,
    MarginDisplay as MarginDisplay,
    ProbabilityTableDisplay as ProbabilityTableDisplay,
    RecallDisplay as RecallDisplay,
    RegressionBandDisplay as RegressionBandDisplay,
    ReliabilityDisplay as ReliabilityDisplay,
    StagedErrorDisplay as StagedErrorDisplay,
)
from .local_regression import (
    LocallyWeightedEstimator as LocallyWeightedEstimator,
    LocallyWeightedRegressor as LocallyWeightedRegressor,
    RBFNetworkClassifier as RBFNetworkClassifier,
    RBFNetworkRegressor as RBFNetworkRegressor,
)
from .naive_bayes import (
    AODEClassifier as AODEClassifier,
    MEstimateNB as MEstimateNB,
)
from .neighbors import (
    AxisStretcher as AxisStretcher,
    CaseBasedClassifier as CaseBasedClassifier,
    CaseBasedRegressor as CaseBasedRegressor,
    EqualitySimilarity as EqualitySimilarity,
    GraphSimilarity as GraphSimilarity,
    InvertedIndexNeighbors as InvertedIndexNeighbors,
    LearnedHash as LearnedHash,
    LSHNeighbors as LSHNeighbors,
    NumberSimilarity as NumberSimilarity,
    OrderedSimilarity as OrderedSimilarity,
    RandomProjectionHash as RandomProjectionHash,
    SetSimilarity as SetSimilarity,
    ShardedNeighbors as ShardedNeighbors,
    ShepardKNN as ShepardKNN,
    ShepardKNNRegressor as ShepardKNNRegressor,
    TableSimilarity as TableSimilarity,
    TaxonomySimilarity as TaxonomySimilarity,
    ValueDifferenceEncoder as ValueDifferenceEncoder,
    ValueDifferenceSimilarity as ValueDifferenceSimilarity,
    WordSimilarity as WordSimilarity,
)
from .tabular.cleaning import TableCleaner as TableCleaner
from .text import (
    LanguageModelNB as LanguageModelNB,
    NGramLanguageModel as NGramLanguageModel,
    TextNB as TextNB,
)

__version__: str
