"""Stumps and trees on binned tables, and how boosting fits them and lets them vote."""

from ._mh_stumps import MHStump, MHStumpLearner, constant_votes
from ._squares_learner import SquaresLearner
from ._stump import Stump, StumpArrays
from ._stump_learner import StumpLearner
from ._tree_grower import TREE_CONSTRAINTS
from ._tree_learner import CrossFittedLoss, TreeLearner
from ._trees import TreeVotes
