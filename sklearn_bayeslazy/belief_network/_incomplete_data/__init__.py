"""Tables from incomplete data: expected counts, EM, gradient ascent, random starts."""

from ._incomplete_rows import IncompleteRows
from ._starts import LEARNERS, learn_tables
