"""The learners that the main job compares: a plain list, to which each is one entry."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ..inspection._candidates import label_of, label_of_number
from . import _yardsticks
from ._numbers import counted
from ._table import CLASSIFICATION, COLUMNS, DOCUMENTS, REGRESSION, WHOLE

OURS, THEIRS = "sklearn_bayeslazy", "scikit-learn"


@dataclass(frozen=True)
class Learner:
    """A learner by name.

    Attributes
    ----------
    name : str
    task : {"classification", "regression"}
    package : {"sklearn_bayeslazy", "scikit-learn"}
    build : callable
        ``build(table)`` returns an unfitted estimator for the columns of the part of
        a table that it reads. Ours are imported there, when they are wanted.
    chosen : callable
        ``chosen(estimator)`` returns in words the parameters that a fit settled on.
    reads : {"columns", "documents", "whole"}
        The part of a table that it is given, see :meth:`Table.part`.
    """

    name: str
    task: str
    package: str
    build: Callable
    chosen: Callable = lambda estimator: ""
    reads: str = COLUMNS

    def suits(self, table):
        """Tell whether the task is its own and there is something for it to read."""
        return self.task == table.task and table.holds(self.reads)


def suited(table):
    """Return the learners for a table."""
    return [learner for learner in LEARNERS if learner.suits(table)]


def _as_it_comes(name, **parameters):
    """Return what builds one of our estimators that reads a table as it is."""

    def build(table):
        return getattr(import_module("sklearn_bayeslazy"), name)(**parameters)

    return build


def _m_and_distributions(estimator):
    columns = Counter(map(str, estimator.distributions_)).most_common()
    kinds = ", ".join(f"{count} {name}" for name, count in columns)
    return f"{_setting(estimator, 'm')}; {kinds}"


def _local_m_estimate_nb(table):
    from sklearn_bayeslazy import LocallyWeightedEstimator, MEstimateNB

    return LocallyWeightedEstimator(MEstimateNB())


def _arcs(estimator):
    arcs = estimator.structure_
    to_class = sum(estimator.network_.names[-1] in arc for arc in arcs)
    return f"{counted(len(arcs), 'arc')}, {to_class} at the class"


def _rounds(estimator):
    return counted(len(estimator.estimators_), "round")


def _boosted_trees(table):
    from sklearn_bayeslazy import MyAdaBoost

    trees = DecisionTreeClassifier(max_depth=3)
    return _yardsticks.on_numbers(table, MyAdaBoost(trees, random_state=0))


def _committee(table):
    from sklearn_bayeslazy import (
        BeliefNetworkClassifier,
        HypothesisClassifier,
        MEstimateNB,
        MyAdaBoost,
    )

    members = [
        ("MEstimateNB", MEstimateNB()),
        ("tan", BeliefNetworkClassifier("tan")),
        ("stumps", MyAdaBoost()),
    ]
    return HypothesisClassifier(members, cv=5, noise=1e-6)


def _best_hypothesis(estimator):
    best = estimator.map_
    return f"{estimator.names_[best]}: P(h | D) = {estimator.posterior_[best]:.2g}"


def _on_numbers(name, **parameters):
    """Return what builds one of our estimators on columns turned into numbers."""

    def build(table):
        estimator = getattr(import_module("sklearn_bayeslazy"), name)
        return _yardsticks.on_numbers(table, estimator(**parameters))

    return build


def _settings(*names):
    """Return what tells the parameters that the last step settled on."""

    def chosen(pipeline):
        return ", ".join(_setting(pipeline[-1], name) for name in names)

    return chosen


def _text_nb(**parameters):
    def build(table):
        from sklearn_bayeslazy import TextNB

        return _yardsticks.on_counts(TextNB(**parameters))

    return build


def _m_and_words(pipeline):
    estimator = pipeline[-1]
    return f"{_setting(estimator, 'm')}; {counted(estimator.n_features_in_, 'word')}"


def _smoothing_and_words(estimator):
    settings = [f"order={estimator.order}", estimator.smoothing]
    if estimator.smoothing_parameter is not None:
        # It has no name but its smoothing's.
        settings[1] = _setting(estimator, "smoothing_parameter", estimator.smoothing)
    if estimator.length_normalization is not None:
        settings.append(_setting(estimator, "length_normalization"))
    words = counted(len(estimator.vocabulary_), "word")
    return f"{', '.join(settings)}; {words}"


def _setting(estimator, name, shown=None):
    """Return a parameter as it was chosen, or given, under the name to be shown."""
    given, used = getattr(estimator, name), getattr(estimator, f"{name}_")
    how = " (loo)" if isinstance(given, str) and given == "loo" else ""
    value = label_of(None, name) if used is None else _number(used)
    return f"{shown or name}={value}{how}"


def _last_step(*names):
    def chosen(pipeline):
        parameters = pipeline[-1].get_params()
        return ", ".join(f"{name}={parameters[name]}" for name in names)

    return chosen


def _number(value):
    ends = np.unique([np.min(value), np.max(value)])
    return " to ".join(map(label_of_number, ends))


LEARNERS = [
    Learner(
        "MEstimateNB, m = 1",
        CLASSIFICATION,
        OURS,
        _as_it_comes("MEstimateNB"),
        _m_and_distributions,
    ),
    Learner(
        "MEstimateNB, loo",
        CLASSIFICATION,
        OURS,
        _as_it_comes("MEstimateNB", m="loo", distribution="loo"),
        _m_and_distributions,
    ),
    Learner(
        "BeliefNetworkClassifier, naive",
        CLASSIFICATION,
        OURS,
        _as_it_comes("BeliefNetworkClassifier", structure="naive"),
        _arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, tan",
        CLASSIFICATION,
        OURS,
        _as_it_comes("BeliefNetworkClassifier", structure="tan"),
        _arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, climbing",
        CLASSIFICATION,
        OURS,
        _as_it_comes("BeliefNetworkClassifier", structure="hill_climbing"),
        _arcs,
    ),
    Learner(
        "BeliefNetworkClassifier, loo",
        CLASSIFICATION,
        OURS,
        _as_it_comes(
            "BeliefNetworkClassifier", structure="hill_climbing", structure_score="loo"
        ),
        _arcs,
    ),
    Learner(
        "MyAdaBoost, stumps",
        CLASSIFICATION,
        OURS,
        _as_it_comes("MyAdaBoost"),
        _rounds,
    ),
    Learner(
        "MyAdaBoost, trees",
        CLASSIFICATION,
        OURS,
        _boosted_trees,
        lambda pipeline: _rounds(pipeline[-1]),
    ),
    Learner(
        "HypothesisClassifier",
        CLASSIFICATION,
        OURS,
        _committee,
        _best_hypothesis,
    ),
    Learner(
        "ShepardKNN, loo",
        CLASSIFICATION,
        OURS,
        _on_numbers("ShepardKNN", power="loo"),
        _settings("n_neighbors", "power"),
    ),
    Learner(
        "RBFNetworkClassifier, loo",
        CLASSIFICATION,
        OURS,
        _on_numbers("RBFNetworkClassifier"),
        _settings("n_centers", "overlap", "ridge"),
    ),
    Learner(
        "MEstimateNB, local",
        CLASSIFICATION,
        OURS,
        _local_m_estimate_nb,
        lambda estimator: f"n_neighbors={estimator.n_neighbors}",
    ),
    Learner("GaussianNB", CLASSIFICATION, THEIRS, _yardsticks.gaussian_nb),
    Learner(
        "CategoricalNB",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.categorical_nb,
        _last_step("alpha"),
    ),
    Learner(
        "LogisticRegression",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.logistic_regression,
        _last_step("C"),
    ),
    Learner(
        "KNeighborsClassifier",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.k_neighbors_classifier,
        _last_step("n_neighbors"),
    ),
    Learner(
        "AdaBoostClassifier",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.ada_boost,
        _last_step("n_estimators"),
    ),
    Learner(
        "DummyClassifier",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.dummy_classifier,
        reads=WHOLE,
    ),
    Learner(
        "ShepardKNNRegressor, loo",
        REGRESSION,
        OURS,
        _on_numbers("ShepardKNNRegressor", power="loo"),
        _settings("n_neighbors", "power"),
    ),
    Learner(
        "LocallyWeightedRegressor, loo",
        REGRESSION,
        OURS,
        _on_numbers(
            "LocallyWeightedRegressor",
            degree="loo",
            n_neighbors="loo",
            ridge="loo",
            statistics=None,
            loo_candidates={
                "degree": [0, 1],
                "n_neighbors": [10, 20, 50, 100, 200],
                "ridge": [0.0, 0.01, 0.1],
            },
        ),
        _settings("degree", "n_neighbors", "ridge"),
    ),
    Learner(
        "RBFNetworkRegressor, loo",
        REGRESSION,
        OURS,
        _on_numbers("RBFNetworkRegressor"),
        _settings("n_centers", "overlap", "ridge"),
    ),
    Learner("Ridge", REGRESSION, THEIRS, _yardsticks.ridge, _last_step("alpha")),
    Learner(
        "KNeighborsRegressor",
        REGRESSION,
        THEIRS,
        _yardsticks.k_neighbors_regressor,
        _last_step("n_neighbors"),
    ),
    Learner(
        "DummyRegressor", REGRESSION, THEIRS, _yardsticks.dummy_regressor, reads=WHOLE
    ),
    Learner(
        "TextNB, loo",
        CLASSIFICATION,
        OURS,
        _text_nb(m="loo"),
        _m_and_words,
        DOCUMENTS,
    ),
    Learner(
        "TextNB, complement, loo",
        CLASSIFICATION,
        OURS,
        _text_nb(m="loo", complement=True),
        _m_and_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB",
        CLASSIFICATION,
        OURS,
        _as_it_comes("LanguageModelNB"),
        _smoothing_and_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB, loo",
        CLASSIFICATION,
        OURS,
        _as_it_comes(
            "LanguageModelNB",
            smoothing="absolute_discount",
            smoothing_parameter="loo",
            length_normalization="loo",
            loo_scoring="log_loss",
        ),
        _smoothing_and_words,
        DOCUMENTS,
    ),
    Learner(
        "MultinomialNB",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.multinomial_nb,
        _last_step("alpha"),
        DOCUMENTS,
    ),
    Learner(
        "ComplementNB",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.complement_nb,
        _last_step("alpha"),
        DOCUMENTS,
    ),
    Learner(
        "LogisticRegression, TF-IDF",
        CLASSIFICATION,
        THEIRS,
        _yardsticks.logistic_regression_on_text,
        _last_step("C"),
        DOCUMENTS,
    ),
    Learner(
        "Ridge, TF-IDF",
        REGRESSION,
        THEIRS,
        _yardsticks.ridge_on_text,
        _last_step("alpha"),
        DOCUMENTS,
    ),
]
