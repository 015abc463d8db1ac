"""The drawing surface of the tests of pictures."""

import pytest


@pytest.fixture
def pyplot():
    """Return matplotlib's pyplot, drawing to memory; close its figures at the end."""
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib draws")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
