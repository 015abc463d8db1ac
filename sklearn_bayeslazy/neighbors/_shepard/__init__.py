"""Shepard's method: weighted votes, their leave-one-out, explanations, a treecode."""

from ._base import ShepardBase
from ._votes import Voters

__all__ = ["ShepardBase", "Voters"]
