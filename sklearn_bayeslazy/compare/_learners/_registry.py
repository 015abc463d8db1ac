"""The registry of the learners that the command line compares."""

from functools import partial
from importlib import import_module
from importlib.util import find_spec

from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from .._dataset import CLASSIFICATION, COLUMNS, DOCUMENTS, REGRESSION, WHOLE
from ._baselines import (
    NumberedClasses,
    categories_and_bins,
    codes,
    for_trees,
    numeric,
    scaled,
)
from ._learner import BAYESLAZY, SKLEARN, Learner, mostly_symbols

# The parameters of MEstimateNB as in the textbooks: nothing is chosen from the data.
CLASSICAL = {"m": 1.0, "distribution": "auto", "feature_weights": None}


def _ours(class_name, setting, *, reads=COLUMNS, cost=1, suits=Learner.suits, **given):
    """Return a learner of this package, an estimator of mixed columns or raw text."""
    # setting: follows the name. given: the parameters. The estimators are imported when
    # they are built: a comparison imports only the families that it needs.

    def build(table):
        estimator = _estimator(class_name, **given)
        if class_name == "TextNB":
            return make_pipeline(CountVectorizer(), estimator)
        return estimator

    task = REGRESSION if class_name.endswith("Regressor") else CLASSIFICATION
    name = f"{class_name}, {setting}" if setting else class_name
    return Learner(name, task, BAYESLAZY, build, reads, cost, suits)


def _estimator(class_name, *arguments, **given):
    return getattr(import_module("sklearn_bayeslazy"), class_name)(*arguments, **given)


def _peer(estimator, first=None, *, cost=1, reads=COLUMNS, name=None):
    """Return a learner of scikit-learn, after a first step for its columns."""
    # first: a function without arguments.

    def build(table):
        last = clone(estimator)
        if isinstance(
            last, HistGradientBoostingClassifier | HistGradientBoostingRegressor
        ):
            n_categories = len(table.names("category"))
            last.set_params(categorical_features=list(range(n_categories)) or None)
        return last if first is None else make_pipeline(first(), last)

    task = CLASSIFICATION if is_classifier(estimator) else REGRESSION
    name = name or type(estimator).__name__
    return Learner(name, task, SKLEARN, build, reads=reads, cost=cost)


def _installed(package, module, class_name, **given):
    """Return the boosting of another package, if that is installed, as a list."""
    is_class = class_name.endswith("Classifier")

    def build(table):
        estimator = getattr(import_module(module), class_name)(**given)
        last = NumberedClasses(estimator) if is_class else estimator
        return make_pipeline(codes(), last)

    task = CLASSIFICATION if is_class else REGRESSION
    learner = Learner(class_name, task, package, build)
    return [learner] if find_spec(module) else []


def _bayes_optimal_vote(table):
    members = [
        ("MEstimateNB", _estimator("MEstimateNB")),
        ("network", _estimator("BeliefNetworkClassifier")),
        ("stumps", _estimator("MyAdaBoost", max_depth=1)),
    ]
    return _estimator("HypothesisClassifier", members, cv=5, noise=1e-6)


def _local_naive_bayes(table):
    # One fit a query: leave-one-out in each would be slow.
    inner = _estimator("MEstimateNB", **CLASSICAL)
    return _estimator("LocallyWeightedEstimator", inner)


_network = partial(_ours, "BeliefNetworkClassifier")
_built = partial(Learner, task=CLASSIFICATION, package=BAYESLAZY, cost=2)
_text_nb = partial(_ours, "TextNB", reads=DOCUMENTS)
_language = partial(_ours, "LanguageModelNB", reads=DOCUMENTS)
_logistic = LogisticRegression(max_iter=1000)
_text_peer = partial(_peer, reads=DOCUMENTS)

LEARNERS = [
    _ours("MEstimateNB", "classical", cost=0, **CLASSICAL),
    _ours("MEstimateNB", "loo"),
    _ours("AODEClassifier", "loo", cost=2),
    _network(setting="naive", structure="naive"),
    _network(setting="fan", structure="fan"),
    _network(setting="climbing", structure="hill_climbing"),
    _network(setting="loo", structure="hill_climbing", structure_score="loo"),
    _ours("MyAdaBoost", "stumps", max_depth=1),
    _ours("MyAdaBoost", "trees", cost=2),
    _built("HypothesisClassifier", build=_bayes_optimal_vote),
    _ours("BayesianStackingClassifier", "loo", cost=2),
    _ours("ShepardKNN", "loo"),
    _ours("CaseBasedClassifier", "loo", suits=mostly_symbols),
    _ours("RBFNetworkClassifier", "loo"),
    _built("MEstimateNB, local", build=_local_naive_bayes),
    _peer(GaussianNB(), numeric, cost=0),
    _peer(CategoricalNB(), categories_and_bins, cost=0),
    _peer(_logistic, scaled, cost=0),
    _peer(KNeighborsClassifier(), scaled, cost=0),
    _peer(AdaBoostClassifier(), scaled),
    _peer(RandomForestClassifier(), for_trees),
    _peer(ExtraTreesClassifier(), for_trees),
    _peer(HistGradientBoostingClassifier(), codes),
    *_installed("LightGBM", "lightgbm", "LGBMClassifier", verbose=-1),
    *_installed("XGBoost", "xgboost", "XGBClassifier"),
    *_installed("CatBoost", "catboost", "CatBoostClassifier", verbose=0),
    _peer(DummyClassifier(), cost=0, reads=WHOLE),
    # Of numbers.
    _ours("BayesianStackingRegressor", "loo", cost=2),
    _ours("ShepardKNNRegressor", "loo"),
    _ours("CaseBasedRegressor", "loo", suits=mostly_symbols),
    _ours("LocallyWeightedRegressor", "loo", statistics=None),
    _ours("RBFNetworkRegressor", "loo"),
    _ours("MyAdaBoostRegressor", "trees"),
    _peer(Ridge(), scaled, cost=0),
    _peer(KNeighborsRegressor(), scaled, cost=0),
    _peer(RandomForestRegressor(), for_trees),
    _peer(ExtraTreesRegressor(), for_trees),
    _peer(HistGradientBoostingRegressor(), codes),
    *_installed("LightGBM", "lightgbm", "LGBMRegressor", verbose=-1),
    *_installed("XGBoost", "xgboost", "XGBRegressor"),
    *_installed("CatBoost", "catboost", "CatBoostRegressor", verbose=0),
    _peer(DummyRegressor(), cost=0, reads=WHOLE),
    # Of free text only, one document a row.
    _text_nb(setting="loo"),
    _text_nb(setting="complement, loo", complement=True),
    _language(setting="kneser_ney", smoothing="kneser_ney"),
    _language(setting="loo"),
    _text_peer(MultinomialNB(), CountVectorizer, cost=0),
    _text_peer(ComplementNB(), CountVectorizer, cost=0),
    _text_peer(_logistic, TfidfVectorizer, name="LogisticRegression, TF-IDF"),
    _text_peer(Ridge(), TfidfVectorizer, name="Ridge, TF-IDF"),
]


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
