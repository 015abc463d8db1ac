"""The machine of a measurement: processor, cores and versions of packages."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import sklearn_bayeslazy

PACKAGES = ("scikit-learn", "numpy", "scipy", "numba", "joblib", "pandas")


def cpu_model():
    """Return the name of the processor: from /proc/cpuinfo if possible."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def machine_facts(peers=()):
    """Return processor, cores and versions, those of installed peers included."""
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in PACKAGES}
    versions["sklearn_bayeslazy"] = sklearn_bayeslazy.__version__
    for name in peers:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {"cpu": cpu_model(), "cores": os.cpu_count(), "versions": versions}


def describe(facts):
    """Return the facts as one line."""
    versions = ", ".join(f"{name} {v}" for name, v in facts["versions"].items())
    return f"{facts['cpu']}, {facts['cores']} cores; {versions}"
