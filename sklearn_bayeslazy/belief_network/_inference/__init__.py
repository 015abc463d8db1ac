"""Inference in belief networks: elimination, junction trees, sampling, classes."""

from ._class_scorer import class_scorer
from ._elimination import log_joint, log_marginals, log_shares, most_probable
from ._junction_tree import JunctionTree, family_marginals
from ._sampling import sample, sampled_log_marginals

__all__ = [
    "JunctionTree",
    "class_scorer",
    "family_marginals",
    "log_joint",
    "log_marginals",
    "log_shares",
    "most_probable",
    "sample",
    "sampled_log_marginals",
]
