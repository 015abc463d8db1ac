"""Side-by-side runs against named peers: ``python -m benchmarks``."""
