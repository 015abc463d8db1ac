"""The settings of Hypothesis for all tests."""

from hypothesis import settings

# Every run draws the same examples, so that a failure can be reproduced.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
