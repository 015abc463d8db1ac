"""Small data sets: three textbook examples and a real table with missing values."""

from ._loaders import (
    load_buys_computer,
    load_evade,
    load_horse_colic,
    load_play_tennis,
)

__all__ = [
    "load_buys_computer",
    "load_evade",
    "load_horse_colic",
    "load_play_tennis",
]
