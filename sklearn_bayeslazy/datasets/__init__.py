"""Small tables to learn on: three textbook examples and one real table with holes."""

from ._loaders import load_buys_computer, load_evade, load_horse_colic, load_play_tennis

__all__ = [
    "load_buys_computer",
    "load_evade",
    "load_horse_colic",
    "load_play_tennis",
]
