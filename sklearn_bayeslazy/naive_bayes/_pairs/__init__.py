"""Averaged one-dependence estimators: counts of pairs, probabilities, choices."""

from ._aode_model import AODEModel, AODESettings
