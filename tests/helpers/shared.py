"""Paths of the shared data files; tests that need an absent file are skipped."""

import pytest

from sklearn_bayeslazy.testing import shared_data


def shared_path(*parts):
    """Return the path of a shared file or folder; skip the test where it is absent."""
    path = shared_data().joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is absent; set BAYESLAZY_DATA to the shared data")
    return path
