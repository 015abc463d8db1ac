"""The cases of speed and memory, one file a family: ``python -m benchmarks``."""
