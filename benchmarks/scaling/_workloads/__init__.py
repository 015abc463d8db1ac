"""The work of each estimator that is timed, with the least that it must read and do."""

from benchmarks.scaling._workloads._bayesian import BAYESIAN
from benchmarks.scaling._workloads._lazy import LAZY
from benchmarks.scaling._workloads._workload import prepared

__all__ = ["WORKLOADS", "prepared"]

WORKLOADS = [*BAYESIAN, *LAZY]
