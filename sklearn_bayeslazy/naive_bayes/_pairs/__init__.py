"""Averaged one-dependence estimators: counts of pairs, probabilities, choices."""

from ._aode_model import AODEModel
from ._aode_settings import AODESettings

__all__ = [
    "AODEModel",
    "AODESettings",
]
