"""Structure learning: scores of graphs, searches for a graph, and trees."""

from ._arc_strengths import averaged_parents, count_arcs
from ._learn_structure import STRUCTURES, learn_structure
from ._scores import SCORES, mutual_information
from ._tree_counts import TreeCounts
from ._trees_and_k2 import TREES
