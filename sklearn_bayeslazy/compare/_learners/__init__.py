"""The learners that the command line compares, and how each is built."""

from ._learner import BAYESLAZY, Learner, chosen_parameters
