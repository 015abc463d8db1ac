"""The page of the scaling: seconds by threads, and their ratio to the floor."""

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table

# A row further above its floor, or less faster by n threads than this share of n, falls
# short.
_FAR, _SHORT = 3.0, 0.75
_FLOOR_HEADER = ["Estimator", "Work", "Reads", "Products", "Floor", "Time", "Ratio"]
_FLOOR_HEADER += ["What takes the rest"]


def serial_share(one, many, n_threads):
    """Return the share of the work that runs on one thread, by Amdahl's law.

    ``many / one = s + (1 - s) / n`` for the share s.

    >>> serial_share(1.0, 0.55, 2)
    0.1
    """
    if n_threads == 1:
        return 0.0
    share = (many / one - 1 / n_threads) / (1 - 1 / n_threads)
    return round(min(max(share, 0.0), 1.0), 3)


def floor_seconds(row, limits):
    """Return the larger of the times to read the bytes and to do the products."""
    return max(row["bytes"] / limits["read"], row["products"] / limits["products"])


def summary(row, limits):
    """Return a row as a line of text."""
    times = ", ".join(f"{n}: {s:.4f} s" for n, s in row["seconds"].items())
    ratio = _above_floor(row, limits)
    return f"{row['name']}; {row['work']}: {times}; {ratio:.1f} times the floor"


def render(results):
    """Return the page. In each table the rows that fall short come first."""
    limits, rows = results["limits"], results["rows"]
    most = list(limits)[-1]
    slow = [row for row in rows if _speed_up(row, most) < _SHORT * int(most)]
    far = [row for row in rows if _above_floor(row, limits) > _FAR]
    rates = "; ".join(
        f"{_threads(n)}: {of_n['read'] / 1e9:.1f} GB/s read, "
        f"{of_n['products'] / 1e9:.1f} · 10⁹ products summed a second"
        for n, of_n in limits.items()
    )
    return (
        "# Scaling and floors\n\n"
        f"Written by `python -m benchmarks.scaling` on {results['date']}: medians of "
        "runs in which all numbers of threads take turns, with compiled kernels.\n\n"
        f"{describe(results['machine'])}. {rates}.\n\n"
        f"- Less than {_SHORT * int(most):g} times faster by {_threads(most)}: "
        f"{len(slow)} of {len(rows)} rows, the first in the table of threads.\n"
        f"- More than {_FAR:g} times their floor: {len(far)} of {len(rows)} rows, the "
        "first in the table of floors, which states for each what takes the rest.\n\n"
        "## Threads\n\n"
        "The serial share is that of Amdahl's law: the part of the work that must run "
        "on one thread, if the rest is divided evenly.\n"
        + _thread_table(rows, list(limits))
        + "\n## Floors on one thread\n\n"
        "The floor is the larger of two times: to read the rows once at the measured "
        "bandwidth, and to multiply and add, at the rate of a product of matrices, "
        "what every program must for the same answer (in millions). It ignores what "
        "depends on the data: sorting, look-ups in tables, logarithms, and the "
        "conversion of strings.\n" + _floor_table(rows, limits)
    )


def _thread_table(rows, threads):
    """Return the table of seconds by threads, the least speed-up first."""
    header = ["Estimator", "Work", "Rows", *map(_threads, threads)]
    header += ["Times faster", "Serial share"]
    most = threads[-1]
    lines = [
        [
            row["name"],
            row["work"],
            f"{row['rows']:,}".replace(",", " "),
            *(f"{row['seconds'][n]:.3f} s" for n in threads),
            f"{_speed_up(row, most):.2f}",
            f"{_share(row, most):.2f}",
        ]
        for row in sorted(rows, key=lambda row: _speed_up(row, most))
    ]
    return markdown_table(header, lines)


def _floor_table(rows, limits):
    """Return the table of floors, the farthest row first."""
    lines = [
        [
            row["name"],
            row["work"],
            f"{row['bytes'] / 1e6:.1f} MB",
            f"{row['products'] / 1e6:.0f}" if row["products"] else "",
            f"{1e3 * floor_seconds(row, limits['1']):.2f} ms",
            f"{1e3 * row['seconds']['1']:.2f} ms",
            f"{_above_floor(row, limits):.1f}",
            row["reason"],
        ]
        for row in sorted(rows, key=lambda row: -_above_floor(row, limits))
    ]
    return markdown_table(_FLOOR_HEADER, lines)


def _threads(n):
    return f"{n} thread{'s' if n != '1' else ''}"


def _speed_up(row, n_threads):
    return row["seconds"]["1"] / row["seconds"][n_threads]


def _above_floor(row, limits):
    return row["seconds"]["1"] / floor_seconds(row, limits["1"])


def _share(row, n_threads):
    seconds = row["seconds"]
    return serial_share(seconds["1"], seconds[n_threads], int(n_threads))
