"""The order of the gallery: by the numbers in the names of its files."""

import re
from pathlib import Path


def by_number(path):
    """Return the key of an example: plot_10 comes after plot_9.

    Sphinx keeps its configuration, so this is named there as a string and not given.
    """
    number = re.match(r"plot_(\d+)", Path(path).name)
    return int(number[1]) if number else 0, str(path)
