"""A treecode: means of all rows, weighted by powers of distances, within an error."""

from ._treecode import build_treecode, weighted_means

__all__ = ["build_treecode", "weighted_means"]
