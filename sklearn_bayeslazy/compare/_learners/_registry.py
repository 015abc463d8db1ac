"""The registry of the learners that the command line compares."""

from .._dataset import CLASSIFICATION, DOCUMENTS, REGRESSION, WHOLE
from . import _baselines, _learner
from ._learner import BAYESLAZY, SKLEARN, Learner, mostly_symbols

# The learners that read only free text.


TEXT_LEARNERS = [
    Learner(
        "TextNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.text_nb(m="loo"),
        _learner.m_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "TextNB, complement, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.text_nb(m="loo", complement=True),
        _learner.m_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("LanguageModelNB"),
        _learner.smoothing_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns(
            "LanguageModelNB",
            smoothing="absolute_discount",
            smoothing_parameter="loo",
            length_normalization="loo",
            loo_scoring="log_loss",
        ),
        _learner.smoothing_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "MultinomialNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.multinomial_nb,
        _learner.of_last_step("alpha"),
        DOCUMENTS,
        cost=0,
    ),
    Learner(
        "ComplementNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.complement_nb,
        _learner.of_last_step("alpha"),
        DOCUMENTS,
        cost=0,
    ),
    Learner(
        "LogisticRegression, TF-IDF",
        CLASSIFICATION,
        SKLEARN,
        _baselines.logistic_regression_on_text,
        _learner.of_last_step("C"),
        DOCUMENTS,
    ),
    Learner(
        "Ridge, TF-IDF",
        REGRESSION,
        SKLEARN,
        _baselines.ridge_on_text,
        _learner.of_last_step("alpha"),
        DOCUMENTS,
    ),
]


CLASSIFIERS = [
    Learner(
        "MEstimateNB, classical",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("MEstimateNB", **_baselines.CLASSICAL),
        _learner.m_and_distributions,
        cost=0,
    ),
    Learner(
        "MEstimateNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("MEstimateNB"),
        _learner.m_and_distributions,
    ),
    Learner(
        "AODEClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("AODEClassifier"),
        _learner.learned("m"),
        cost=2,
    ),
    Learner(
        "BeliefNetworkClassifier, naive",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("BeliefNetworkClassifier", structure="naive"),
        _learner.n_arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, tan",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("BeliefNetworkClassifier", structure="tan"),
        _learner.n_arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, climbing",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("BeliefNetworkClassifier", structure="hill_climbing"),
        _learner.n_arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns(
            "BeliefNetworkClassifier", structure="hill_climbing", structure_score="loo"
        ),
        _learner.n_arcs,
    ),
    Learner(
        "MyAdaBoost, stumps",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("MyAdaBoost", max_depth=1),
        _learner.n_rounds,
    ),
    Learner(
        "MyAdaBoost, trees",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("MyAdaBoost"),
        _learner.n_rounds,
        cost=2,
    ),
    Learner(
        "HypothesisClassifier",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.hypothesis_classifier,
        _learner.best_hypothesis,
        cost=2,
    ),
    Learner(
        "ShepardKNN, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("ShepardKNN"),
        _learner.learned("n_neighbors", "power", "m"),
    ),
    Learner(
        "CaseBasedClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("CaseBasedClassifier"),
        _learner.learned("n_neighbors", "power", "m"),
        suits=mostly_symbols,
    ),
    Learner(
        "RBFNetworkClassifier, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.on_raw_columns("RBFNetworkClassifier"),
        _learner.learned("n_centers", "overlap", "ridge"),
    ),
    Learner(
        "MEstimateNB, local",
        CLASSIFICATION,
        BAYESLAZY,
        _baselines.local_m_estimate_nb,
        _learner.n_neighbors,
        cost=2,
    ),
    Learner("GaussianNB", CLASSIFICATION, SKLEARN, _baselines.gaussian_nb, cost=0),
    Learner(
        "CategoricalNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.categorical_nb,
        _learner.of_last_step("alpha"),
        cost=0,
    ),
    Learner(
        "LogisticRegression",
        CLASSIFICATION,
        SKLEARN,
        _baselines.logistic_regression,
        _learner.of_last_step("C"),
        cost=0,
    ),
    Learner(
        "KNeighborsClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.k_neighbors_classifier,
        _learner.of_last_step("n_neighbors"),
        cost=0,
    ),
    Learner(
        "AdaBoostClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.ada_boost,
        _learner.of_last_step("n_estimators"),
    ),
    Learner(
        "RandomForestClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.random_forest,
        _learner.of_last_step("n_estimators"),
    ),
    Learner(
        "ExtraTreesClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.extra_trees,
        _learner.of_last_step("n_estimators"),
    ),
    Learner(
        "HistGradientBoostingClassifier",
        CLASSIFICATION,
        SKLEARN,
        _baselines.hist_gradient_boosting,
        _learner.of_last_step("learning_rate"),
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
        _baselines.on_raw_columns("ShepardKNNRegressor"),
        _learner.learned("n_neighbors", "power"),
    ),
    Learner(
        "CaseBasedRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _baselines.on_raw_columns("CaseBasedRegressor"),
        _learner.learned("n_neighbors", "power"),
        suits=mostly_symbols,
    ),
    Learner(
        "LocallyWeightedRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _baselines.on_raw_columns("LocallyWeightedRegressor", statistics=None),
        _learner.learned("degree", "n_neighbors", "ridge"),
    ),
    Learner(
        "RBFNetworkRegressor, loo",
        REGRESSION,
        BAYESLAZY,
        _baselines.on_raw_columns("RBFNetworkRegressor"),
        _learner.learned("n_centers", "overlap", "ridge"),
    ),
    Learner(
        "Ridge",
        REGRESSION,
        SKLEARN,
        _baselines.ridge,
        _learner.of_last_step("alpha"),
        cost=0,
    ),
    Learner(
        "KNeighborsRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.k_neighbors_regressor,
        _learner.of_last_step("n_neighbors"),
        cost=0,
    ),
    Learner(
        "RandomForestRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.random_forest_regressor,
        _learner.of_last_step("n_estimators"),
    ),
    Learner(
        "ExtraTreesRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.extra_trees_regressor,
        _learner.of_last_step("n_estimators"),
    ),
    Learner(
        "HistGradientBoostingRegressor",
        REGRESSION,
        SKLEARN,
        _baselines.hist_gradient_boosting_regressor,
        _learner.of_last_step("learning_rate"),
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
