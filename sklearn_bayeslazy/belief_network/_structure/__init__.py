"""Structure of belief networks: scores of graphs, and searches for a graph."""

from ._hill_climbing import hill_climb
from ._leave_one_out import LeaveOneOutScore
from ._scores import SCORES, FamilyScores, mutual_information
from ._trees_and_k2 import chow_liu, k2, naive, tan

__all__ = [
    "SCORES",
    "FamilyScores",
    "LeaveOneOutScore",
    "chow_liu",
    "hill_climb",
    "k2",
    "mutual_information",
    "naive",
    "tan",
]
