"""The learners that the command line compares, and how each is built."""

from ._learner import BAYESLAZY, SKLEARN, Learner
from ._registry import learners_for

__all__ = ["BAYESLAZY", "SKLEARN", "Learner", "learners_for"]
