"""Ensembles: learners that combine the predictions of several members."""

from ._bayesian_stacking_classifier import BayesianStackingClassifier
from ._bayesian_stacking_regressor import BayesianStackingRegressor
from ._hypothesis_classifier import HypothesisClassifier
from ._my_ada_boost import MyAdaBoost
from ._my_ada_boost_regressor import MyAdaBoostRegressor
