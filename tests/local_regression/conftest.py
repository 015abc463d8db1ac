"""Local regression: small tables are fitted by NumPy, and by compiled loops."""

import pytest

from sklearn_bayeslazy.local_regression._fits import _windows


@pytest.fixture
def only_loops(monkeypatch):
    """Leave tables of any size to the compiled loops."""
    monkeypatch.setattr(_windows, "MAX_ROWS", 0)


@pytest.fixture(params=["NumPy", "loops"])
def numpy_or_loops(request):
    """Run a test twice: small tables are fitted as always, then by the loops."""
    if request.param == "loops":
        request.getfixturevalue("only_loops")
