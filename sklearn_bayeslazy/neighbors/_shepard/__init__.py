"""Shepard's method: weighted votes, leave-one-out, explanations and a treecode."""

from ._base import ShepardBase
from ._class_targets import ClassTargets, MultiClassTargets, stack_labels
from ._explanation import explain_votes
from ._left_out_votes import MAX_M, MAX_POWER, LeftOutVotes, candidates_of, choose_votes
from ._training_targets import NumberTargets
from ._votes import ListVote
from ._weighting import Weighting

__all__ = [
    "MAX_M",
    "MAX_POWER",
    "ClassTargets",
    "LeftOutVotes",
    "ListVote",
    "MultiClassTargets",
    "NumberTargets",
    "ShepardBase",
    "Weighting",
    "candidates_of",
    "choose_votes",
    "explain_votes",
    "stack_labels",
]
