"""Shepard's method: weighted votes, leave-one-out, explanations and a treecode."""

from ._base import ShepardBase
from ._class_targets import ClassTargets, MultiClassTargets, stack_labels
from ._leave_one_out import MAX_M
from ._training_targets import NumberTargets

__all__ = [
    "MAX_M",
    "ClassTargets",
    "MultiClassTargets",
    "NumberTargets",
    "ShepardBase",
    "stack_labels",
]
