"""Say what a measurement was taken on: processor, cores and package versions."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import sklearn_bayeslazy

PACKAGES = ("scikit-learn", "numpy", "scipy", "numba", "joblib", "pandas")


def cpu_model():
    """Return the processor's name: Linux tells it in a file, others through Python."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def machine_facts():
    """Return the facts that a reader needs to judge or repeat a measurement."""
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in PACKAGES}
    versions["sklearn_bayeslazy"] = sklearn_bayeslazy.__version__
    return {"cpu": cpu_model(), "cores": os.cpu_count(), "versions": versions}


def describe(facts):
    """Return the facts as one line."""
    versions = ", ".join(f"{name} {v}" for name, v in facts["versions"].items())
    return f"{facts['cpu']}, {facts['cores']} cores; {versions}"
