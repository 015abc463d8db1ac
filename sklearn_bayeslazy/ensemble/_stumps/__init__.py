"""Decision stumps on binned tables, and how boosting fits them and lets them vote."""

from ._mh_learner import MHStumpLearner, constant_votes
from ._mh_stump import MHStump, MHStumpArrays
from ._stump import Stump, StumpArrays
from ._stump_learner import StumpLearner

__all__ = [
    "MHStump",
    "MHStumpArrays",
    "MHStumpLearner",
    "Stump",
    "StumpArrays",
    "StumpLearner",
    "constant_votes",
]
