"""Names of the package for static tools; at run time they are imported when used.

`tests/ecosystem/test_public_names.py` compares this file with `__init__.py`.
"""

from .belief_network import (
    BeliefNetwork as BeliefNetwork,
    BeliefNetworkClassifier as BeliefNetworkClassifier,
)
from .neighbors import (
    CaseBasedClassifier as CaseBasedClassifier,
    CaseBasedRegressor as CaseBasedRegressor,
    EqualitySimilarity as EqualitySimilarity,
    GraphSimilarity as GraphSimilarity,
    NumberSimilarity as NumberSimilarity,
    OrderedSimilarity as OrderedSimilarity,
    SetSimilarity as SetSimilarity,
    TableSimilarity as TableSimilarity,
    TaxonomySimilarity as TaxonomySimilarity,
    ValueDifferenceSimilarity as ValueDifferenceSimilarity,
    WordSimilarity as WordSimilarity,
)
from .ensemble import (
    HypothesisClassifier as HypothesisClassifier,
    MyAdaBoost as MyAdaBoost,
)
from .tabular.cleaning import TableCleaner as TableCleaner
from .explain import (
    BeliefNetworkDisplay as BeliefNetworkDisplay,
    Explanation as Explanation,
    ImportanceDisplay as ImportanceDisplay,
    LeaveOneOutDisplay as LeaveOneOutDisplay,
    MarginDisplay as MarginDisplay,
    ProbabilityTableDisplay as ProbabilityTableDisplay,
    RecallDisplay as RecallDisplay,
    RegressionBandDisplay as RegressionBandDisplay,
    StagedErrorDisplay as StagedErrorDisplay,
)
from .text import (
    NGramLanguageModel as NGramLanguageModel,
)
from .local_regression import (
    LocallyWeightedEstimator as LocallyWeightedEstimator,
    LocallyWeightedRegressor as LocallyWeightedRegressor,
    RBFNetworkClassifier as RBFNetworkClassifier,
    RBFNetworkRegressor as RBFNetworkRegressor,
)
from .naive_bayes import (
    AODEClassifier as AODEClassifier,
    LanguageModelNB as LanguageModelNB,
    MEstimateNB as MEstimateNB,
    TextNB as TextNB,
)
from .neighbors import (
    AxisStretcher as AxisStretcher,
    InvertedIndexNeighbors as InvertedIndexNeighbors,
    LearnedHash as LearnedHash,
    LSHNeighbors as LSHNeighbors,
    RandomProjectionHash as RandomProjectionHash,
    ShardedNeighbors as ShardedNeighbors,
    ShepardKNN as ShepardKNN,
    ShepardKNNRegressor as ShepardKNNRegressor,
    ValueDifferenceEncoder as ValueDifferenceEncoder,
)

__version__: str
