"""One page of measured accuracy: what is measured, and how the page shows it."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks._machine import machine_facts
from benchmarks._pages import read_results, write_page

# The size of a quick run.
QUICK_ROWS = 70
QUICK_FOLDS = 2


@dataclass(frozen=True)
class Experiment:
    """The measurements of one page.

    Attributes
    ----------
    page : str
        Name of the page in ``doc/``, without suffix.
    parts : tuple of str
        What can be measured alone: tables, or sections of the page.
    measure : callable
        ``measure(part, quick)`` returns results that JSON can store.
    summarize : callable
        ``summarize(results)`` returns lines for the terminal.
    render : callable
        ``render(results)`` returns the page. `results` are those of the parts that
        have been measured, and "machine".
    peers : tuple of str
        Packages whose versions the page shows.
    """

    page: str
    parts: tuple[str, ...]
    measure: Callable
    summarize: Callable
    render: Callable
    peers: tuple[str, ...] = ()


def run(experiment, parts=(), quick=False):
    """Measure parts of an experiment, all by default; after each, write the page.

    An interrupted run keeps what it has measured. A quick run writes nothing.
    """
    stored = read_results(experiment.page)
    for part in parts or experiment.parts:
        measured = experiment.measure(part, quick)
        lines = experiment.summarize(measured)
        print(part, *(f"  {line}" for line in lines), sep="\n", flush=True)
        if not quick:
            stored[part] = measured
            stored["machine"] = machine_facts(experiment.peers)
            write_page(experiment.page, stored, experiment.render)
