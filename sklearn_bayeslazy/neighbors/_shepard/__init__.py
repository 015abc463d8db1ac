"""Shepard's method: weighted votes, leave-one-out, explanations and a treecode."""

from ._base import ShepardBase
from ._training_targets import ClassTargets, NumberTargets

__all__ = ["ClassTargets", "NumberTargets", "ShepardBase"]
