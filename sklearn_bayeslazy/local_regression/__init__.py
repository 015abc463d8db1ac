"""Local regression: a model fitted to the rows around each query; RBF networks."""

from ._locally_weighted_estimator import LocallyWeightedEstimator
from ._locally_weighted_regressor import LocallyWeightedRegressor
from ._rbf_network_classifier import RBFNetworkClassifier
from ._rbf_network_regressor import RBFNetworkRegressor
