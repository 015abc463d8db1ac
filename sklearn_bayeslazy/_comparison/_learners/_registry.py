"""The registry of the learners that the command line compares."""

from .._table import CLASSIFICATION, DOCUMENTS, REGRESSION, WHOLE
from . import _baselines, _builders, _chosen_parameters
from ._learner import BAYESLAZY, SKLEARN, Learner, mostly_symbols

CLASSIFIERS = [
    Learner(
        "MEstimateNB, classical",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("MEstimateNB", **_builders.CLASSICAL),
        _chosen_parameters.m_and_distributions,
    ),
    Learner(
        "MEstimateNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("MEstimateNB"),
        _chosen_parameters.m_and_distributions,
    ),
    Learner(
        "AODEClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("AODEClassifier"),
        _chosen_parameters.learned("m"),
    ),
    Learner(
        "BeliefNetworkClassifier, naive",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("BeliefNetworkClassifier", structure="naive"),
        _chosen_parameters.n_arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, tan",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("BeliefNetworkClassifier", structure="tan"),
        _chosen_parameters.n_arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, climbing",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("BeliefNetworkClassifier", structure="hill_climbing"),
        _chosen_parameters.n_arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns(
            "BeliefNetworkClassifier", structure="hill_climbing", structure_score="loo"
        ),
        _chosen_parameters.n_arcs,
    ),
    Learner(
        "MyAdaBoost, stumps",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("MyAdaBoost"),
        _chosen_parameters.n_rounds,
    ),
    Learner(
        "MyAdaBoost, trees",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.boosted_trees,
        _chosen_parameters.n_rounds,
    ),
    Learner(
        "HypothesisClassifier",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.hypothesis_classifier,
        _chosen_parameters.best_hypothesis,
    ),
    Learner(
        "ShepardKNN, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("ShepardKNN"),
        _chosen_parameters.learned("n_neighbors", "power", "m"),
    ),
    Learner(
        "CaseBasedClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("CaseBasedClassifier"),
        _chosen_parameters.learned("n_neighbors", "power", "m"),
        suits=mostly_symbols,
    ),
    Learner(
        "RBFNetworkClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("RBFNetworkClassifier"),
        _chosen_parameters.learned("n_centers", "overlap", "ridge"),
    ),
    Learner(
        "MEstimateNB, local",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.local_m_estimate_nb,
        _chosen_parameters.n_neighbors,
    ),
    Learner("GaussianNB", CLASSIFICATION, SKLEARN, _baselines.gaussian_nb),
    Learner(
        "CategoricalNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.categorical_nb,
        _chosen_parameters.of_last_step("alpha"),
    ),
    Learner(
        "LogisticRegression",
        CLASSIFICATION,
        SKLEARN,
        _baselines.logistic_regression,
        _chosen_parameters.of_last_step("C"),
    ),
    Learner(
        "KNeighborsClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.k_neighbors_classifier,
        _chosen_parameters.of_last_step("n_neighbors"),
    ),
    Learner(
        "AdaBoostClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.ada_boost,
        _chosen_parameters.of_last_step("n_estimators"),
    ),
    Learner(
        "DummyClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.dummy_classifier,
        reads=WHOLE,
    ),
]
REGRESSORS = [
    Learner(
        "ShepardKNNRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _builders.on_raw_columns("ShepardKNNRegressor"),
        _chosen_parameters.learned("n_neighbors", "power"),
    ),
    Learner(
        "CaseBasedRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _builders.on_raw_columns("CaseBasedRegressor"),
        _chosen_parameters.learned("n_neighbors", "power"),
        suits=mostly_symbols,
    ),
    Learner(
        "LocallyWeightedRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _builders.on_raw_columns("LocallyWeightedRegressor", statistics=None),
        _chosen_parameters.learned("degree", "n_neighbors", "ridge"),
    ),
    Learner(
        "RBFNetworkRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _builders.on_raw_columns("RBFNetworkRegressor"),
        _chosen_parameters.learned("n_centers", "overlap", "ridge"),
    ),
    Learner(
        "Ridge",
        REGRESSION,
        SKLEARN,
        _baselines.ridge,
        _chosen_parameters.of_last_step("alpha"),
    ),
    Learner(
        "KNeighborsRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.k_neighbors_regressor,
        _chosen_parameters.of_last_step("n_neighbors"),
    ),
    Learner(
        "DummyRegressor", REGRESSION, SKLEARN, _baselines.dummy_regressor, reads=WHOLE
    ),
]
TEXT_LEARNERS = [
    Learner(
        "TextNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.text_nb(m="loo"),
        _chosen_parameters.m_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "TextNB, complement, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.text_nb(m="loo", complement=True),
        _chosen_parameters.m_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("LanguageModelNB"),
        _chosen_parameters.smoothing_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns(
            "LanguageModelNB",
            smoothing="absolute_discount",
            smoothing_parameter="loo",
            length_normalization="loo",
            loo_scoring="log_loss",
        ),
        _chosen_parameters.smoothing_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "MultinomialNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.multinomial_nb,
        _chosen_parameters.of_last_step("alpha"),
        DOCUMENTS,
    ),
    Learner(
        "ComplementNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.complement_nb,
        _chosen_parameters.of_last_step("alpha"),
        DOCUMENTS,
    ),
    Learner(
        "LogisticRegression, TF-IDF",
        CLASSIFICATION,
        SKLEARN,
        _baselines.logistic_regression_on_text,
        _chosen_parameters.of_last_step("C"),
        DOCUMENTS,
    ),
    Learner(
        "Ridge, TF-IDF",
        REGRESSION,
        SKLEARN,
        _baselines.ridge_on_text,
        _chosen_parameters.of_last_step("alpha"),
        DOCUMENTS,
    ),
]

LEARNERS = [*CLASSIFIERS, *REGRESSORS, *TEXT_LEARNERS]


def learners_for(table):
    """Return the learners of the table's task that can read some of its columns."""
    return [learner for learner in LEARNERS if learner.applies_to(table)]
