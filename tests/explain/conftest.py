"""Fixtures of the tests of displays."""

import numpy as np
import pytest


@pytest.fixture
def pyplot():
    """Return matplotlib's pyplot, drawing to memory; close its figures at the end."""
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib draws")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    return rng.poisson(1.0 + y[:, None], size=(60, 4)).astype(float), y


@pytest.fixture
def mixed(counts):
    """Return a frame with a column of strings and of numbers."""
    pandas = pytest.importorskip("pandas", reason="columns of two kinds need a frame")
    X, y = counts
    return pandas.DataFrame(
        {"string": np.where(X[:, 0] > 1, "a", "b"), "x": X[:, 1]}
    ), y
