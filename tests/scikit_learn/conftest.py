"""Fixtures of scikit-learn's tests, and the deviations, skipped by name."""

import numpy as np
import pytest


@pytest.fixture
def global_random_seed():
    """Return the seed that scikit-learn's tests use by default."""
    return 42


@pytest.fixture
def global_dtype():
    """Return the dtype of the tests' tables."""
    return np.float64


def pytest_collection_modifyitems(items):
    """Skip each deviation, a test's name with or without its parameters."""
    for item in items:
        module = getattr(item, "module", None)  # doctests have none
        deviations = getattr(module, "DEVIATIONS", {})
        for name in (item.name, item.name.partition("[")[0]):
            if name in deviations:
                item.add_marker(pytest.mark.skip(reason=deviations[name]))
