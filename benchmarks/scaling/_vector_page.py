"""The page of the search among a million vectors."""

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table
from benchmarks.scaling._vector_engines import ENGINES, EXACT
from benchmarks.scaling._vector_measures import SHARES

INTRODUCTION = """\
# A million vectors

<!-- Written by `python -m benchmarks.scaling.million_vectors`; do not edit. -->

The vectors are {rows} windows of 8 by 16 pixels of the training images of
Fashion-MNIST, 128 numbers in single precision, {size}. The mean of each window is
subtracted, and its length is 1; windows of little contrast are left out. The queries
are 10,000 windows of the test images. Each engine has a separate process and two
threads. FAISS's IVFFlat learns its lists from 100,000 of the vectors. A graph of
hnswlib with more links, or with a longer search while it is built, would have a higher
recall, and take longer to build.

*Recall* is the share of the ten nearest vectors that are found, over the first 2,000
queries; the exact search answers only these. `LSHNeighbors` is tuned to the recall that
it is given, and the tuning belongs to its build; `n_read_` and `n_candidates_` are what
it chose. For the others each setting that was tried is shown. *Total* is the time to
build and to answer 10,000 queries. *Holds* is the memory that answers queries: the
index, and the vectors if it has no copy of them. *Peak* is the largest resident size of
the process while it built and searched, the vectors that it was given included, without
the libraries and what they loaded before.

Measured on {machine}.
"""
TARGETS = (0.8, 0.9, 0.95)
ALL_COLUMNS = [
    "engine",
    "setting",
    "recall",
    "queries a second",
    "build",
    "total",
    "holds",
    "peak",
]
SERVICE = """
## One query at a time, and changes

Milliseconds of one call, the median, with the fastest setting that reaches a recall of
0.95, or else the largest. Rows are added and removed one by one. Filtered queries find
only rows that pass, drawn at random; in brackets the recall among these. `LSHNeighbors`
takes a mask, FAISS a bitmap that is built beforehand, hnswlib a function of Python,
which it calls for each row that it meets; where it meets too few, it finds nothing.
Annoy and PyNNDescent are not shown: rows of the one cannot change, and the other has no
removal; neither filters.

"""
SERVICE_COLUMNS = [
    "engine",
    "recall",
    "one query",
    "add a row",
    "remove a row",
    *(f"{share:.0%} pass" for share in SHARES),
]
_N_QUERIES = 10_000


def render(results):
    """Return the page."""
    engines = results["engines"]
    size = _mebibytes(next(iter(engines.values()))["vectors"])
    introduction = INTRODUCTION.format(
        rows=f"{results['rows']:,}", size=size, machine=describe(results["machine"])
    )
    rates = markdown_table(
        ["engine", "build", *(f"recall ≥ {target}" for target in TARGETS)],
        [_fastest(measured) for measured in engines.values()],
    )
    settings = markdown_table(
        ALL_COLUMNS,
        [
            _row(name, measured, search)
            for name, measured in engines.items()
            for search in measured["searches"]
        ],
    )
    service = markdown_table(
        SERVICE_COLUMNS,
        [
            _service_row(measured["title"], measured["service"])
            for measured in engines.values()
            if "service" in measured
        ],
    )
    return (
        introduction
        + "\n## Queries a second at a recall\n\n"
        + "The fastest setting that reaches the recall. Empty: none of them does.\n"
        + rates
        + SERVICE
        + service
        + "\n## All settings\n"
        + settings
    )


def summary(measured):
    """Return the measures of an engine as text for the terminal."""
    lines = [
        f"{measured['title']}: built in {measured['build']:.1f} s, keeps "
        f"{_mebibytes(measured['kept'])}, peak {_mebibytes(measured['peak'])}"
    ]
    lines += [
        f"  {search['setting'] or ''}  recall {search['recall']:.3f}, "
        f"{_rate(search):,.0f} queries a second"
        for search in measured["searches"]
    ]
    return "\n".join(lines)


def _fastest(measured):
    """Return an engine's row: its largest rates at each recall."""
    cells = []
    for target in TARGETS:
        rates = [_rate(s) for s in measured["searches"] if s["recall"] >= target]
        cells.append(f"{max(rates):,.0f}" if rates else "")
    return [measured["title"], _seconds(measured["build"]), *cells]


def _service_row(title, service):
    """Return the row of an engine that serves single queries."""
    filtered = [service["filtered"][str(share)] for share in SHARES]
    return [
        title,
        f"{service['recall']:.3f}",
        *(_milliseconds(service[key]) for key in ("one", "add", "remove")),
        *(f"{_milliseconds(f['seconds'])} ({f['recall']:.2f})" for f in filtered),
    ]


def _row(name, measured, search):
    """Return the row of an engine and a setting."""
    engine = ENGINES[name]
    settings = {engine.setting: search["setting"]} if engine.setting else {}
    settings |= measured["tuned"]
    held = measured["kept"] + (0 if engine.holds_vectors else measured["vectors"])
    total = measured["build"] + _N_QUERIES / _rate(search)
    return [
        measured["title"],
        ", ".join(f"{key} = {value:,}" for key, value in settings.items()),
        f"{search['recall']:.3f}",
        f"{_rate(search):,.0f}",
        _seconds(measured["build"]),
        _seconds(total) + (", at this rate" if name == EXACT else ""),
        _mebibytes(held),
        _mebibytes(measured["peak"]),
    ]


def _rate(search):
    return search["n_queries"] / search["seconds"]


def _seconds(seconds):
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def _milliseconds(seconds):
    return f"{1000 * seconds:.2g}" if seconds < 0.1 else f"{1000 * seconds:,.0f}"


def _mebibytes(n_bytes):
    return f"{n_bytes / 2**20:,.0f} MiB"
