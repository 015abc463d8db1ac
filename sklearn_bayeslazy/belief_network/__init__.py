"""Belief networks: graphs, tables, inference, and learning from rows."""

from ._belief_network import BeliefNetwork
from ._belief_network_classifier import BeliefNetworkClassifier
