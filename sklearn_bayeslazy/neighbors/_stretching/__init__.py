"""Stretched axes: the least leave-one-out error of Shepard's method."""

from ._stretch import stretch
