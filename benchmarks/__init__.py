"""Measurements beside named peers: speed and memory, and accuracy."""
