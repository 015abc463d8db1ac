"""The sections of the gallery, in reading order; the addresses of pages do not change.

sphinx-gallery sorts the examples of its one folder by :func:`in_reading_order`.
:func:`add_sections` then puts a heading before the first example of each section.
"""

import re
from pathlib import Path

# The tasks of the landing page, and the examples of each, by number.
SECTIONS = {
    "Predict a class from a mixed table": (1, 2, 27),
    "Predict a class from text": (3, 4, 5, 6),
    "Classes by near rows, and finding near rows fast": (7, 8, 9, 16, 17, 18, 31),
    "Predict a number, with an interval": (11, 12, 32, 13, 14, 15, 10),
    "Models that people can read": (19, 20, 30, 21, 22),
    "Combine classifiers": (23, 24, 25, 26),
    "Reuse cases": (28, 29),
}
NUMBERS = [number for numbers in SECTIONS.values() for number in numbers]
_CONTAINER = ".. raw:: html\n\n    <div class={}"
_CARD = _CONTAINER.format('"sphx-glr-thumbcontainer"')
_CARDS = _CONTAINER.format('"sphx-glr-thumbnails">')


def in_reading_order(path):
    """Return the sort key of an example; an unknown number comes last.

    Sphinx pickles its configuration, so conf.py gives the name of this function as a
    string.
    """
    number = _number(Path(path).name)
    known = number in NUMBERS
    return (NUMBERS.index(number) if known else len(NUMBERS)), str(path)


def add_sections(text):
    """Return the page that sphinx-gallery wrote, with a heading for each section.

    Parameters
    ----------
    text : str
        A heading and one container with a card for each example.

    Returns
    -------
    text : str
    """
    head, *cards = text.split(_CARD)
    first = {numbers[0]: title for title, numbers in SECTIONS.items()}
    parts = [head]
    for card in cards:
        title = first.get(_number(re.search(r"/auto_examples/(\w+)`", card)[1]))
        if title is not None:
            end = "\n.. raw:: html\n\n    </div>\n\n"
            parts.append(f"{end}{title}\n{'-' * len(title)}\n\n{_CARDS}\n\n")
        parts.append(_CARD + card)
    return "".join(parts)


def _number(name):
    number = re.match(r"plot_(\d+)", name)
    return int(number[1]) if number else None


def _on_source_read(app, docname, source):
    if docname == "auto_examples/index":
        source[0] = add_sections(source[0])


def setup(app):
    """Add the sections when Sphinx reads the page."""
    app.connect("source-read", _on_source_read)
    return {"parallel_read_safe": True}
