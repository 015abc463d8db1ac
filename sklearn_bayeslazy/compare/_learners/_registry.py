"""The registry of the learners that the command line compares."""

from .._table import CLASSIFICATION, REGRESSION, WHOLE
from . import _baselines, _builders, _chosen_parameters
from ._learner import BAYESLAZY, SKLEARN, Learner, mostly_symbols
from ._text_learners import TEXT_LEARNERS

CLASSIFIERS = [
    Learner(
        "MEstimateNB, classical",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("MEstimateNB", **_builders.CLASSICAL),
        _chosen_parameters.m_and_distributions,
        cost=0,
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
        cost=2,
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
        cost=2,
    ),
    Learner(
        "HypothesisClassifier",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.hypothesis_classifier,
        _chosen_parameters.best_hypothesis,
        cost=2,
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
        cost=2,
    ),
    Learner("GaussianNB", CLASSIFICATION, SKLEARN, _baselines.gaussian_nb, cost=0),
    Learner(
        "CategoricalNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.categorical_nb,
        _chosen_parameters.of_last_step("alpha"),
        cost=0,
    ),
    Learner(
        "LogisticRegression",
        CLASSIFICATION,
        SKLEARN,
        _baselines.logistic_regression,
        _chosen_parameters.of_last_step("C"),
        cost=0,
    ),
    Learner(
        "KNeighborsClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.k_neighbors_classifier,
        _chosen_parameters.of_last_step("n_neighbors"),
        cost=0,
    ),
    Learner(
        "AdaBoostClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.ada_boost,
        _chosen_parameters.of_last_step("n_estimators"),
    ),
    Learner(
        "RandomForestClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.random_forest,
        _chosen_parameters.of_last_step("n_estimators"),
    ),
    Learner(
        "ExtraTreesClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.extra_trees,
        _chosen_parameters.of_last_step("n_estimators"),
    ),
    Learner(
        "HistGradientBoostingClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.hist_gradient_boosting,
        _chosen_parameters.of_last_step("learning_rate"),
    ),
    Learner(
        "DummyClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.dummy_classifier,
        reads=WHOLE,
        cost=0,
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
        cost=0,
    ),
    Learner(
        "KNeighborsRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.k_neighbors_regressor,
        _chosen_parameters.of_last_step("n_neighbors"),
        cost=0,
    ),
    Learner(
        "RandomForestRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.random_forest_regressor,
        _chosen_parameters.of_last_step("n_estimators"),
    ),
    Learner(
        "ExtraTreesRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.extra_trees_regressor,
        _chosen_parameters.of_last_step("n_estimators"),
    ),
    Learner(
        "HistGradientBoostingRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.hist_gradient_boosting_regressor,
        _chosen_parameters.of_last_step("learning_rate"),
    ),
    Learner(
        "DummyRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.dummy_regressor,
        reads=WHOLE,
        cost=0,
    ),
]
LEARNERS = [*CLASSIFIERS, *REGRESSORS, *TEXT_LEARNERS]


def learners_for(table, names=None):
    """Return the learners that can read some columns and have the table's task."""
    # Quick ones first. names: parts of the names of the learners, in any case; None
    # means all. A name that fits none of them raises a ValueError.
    learners = [learner for learner in LEARNERS if learner.applies_to(table)]
    learners.sort(key=lambda learner: learner.cost)
    if names is None:
        return learners
    wanted = [name.strip().casefold() for name in names]
    if not wanted:
        raise ValueError("--learners names none; --list shows them")
    for name in wanted:
        if not any(name in learner.name.casefold() for learner in learners):
            raise ValueError(
                f"--learners: no learner for this table has {name!r} in its name; "
                f"--list shows them"
            )
    return [
        learner
        for learner in learners
        if any(name in learner.name.casefold() for name in wanted)
    ]
