"""The order of the gallery: by the numbers in the names of its files."""

import re
from pathlib import Path


def by_number(path):
    """Return the sort key of an example: plot_10 comes after plot_9.

    Sphinx pickles its configuration, so conf.py gives the name of this function as a
    string.
    """
    number = re.match(r"plot_(\d+)", Path(path).name)
    return int(number[1]) if number else 0, str(path)
