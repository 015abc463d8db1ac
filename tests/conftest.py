"""Settings of all tests."""

from hypothesis import settings

# Every run draws the same examples: a red test can be run again.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
