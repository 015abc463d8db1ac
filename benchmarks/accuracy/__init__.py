"""Accuracy beside named peers, one file a family: ``python -m benchmarks.accuracy``."""
