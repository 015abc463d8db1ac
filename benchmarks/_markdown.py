"""The parts that the pages of the documentation share: tables and mean ± error."""

import numpy as np

from benchmarks._scores import standard_error


def markdown_table(header, rows):
    """Return a Markdown table after an empty line."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n" + "".join("| " + " | ".join(line) + " |\n" for line in lines)


def mean_and_error(values, form=".3f"):
    """Return mean ± standard error as text; a single value has no error.

    >>> mean_and_error([1.0, 2.0, 3.0], form="+.2f")
    '+2.00 ± 0.58'
    """
    text = f"{np.mean(values):{form}}"
    if len(values) == 1:
        return text
    return f"{text} ± {standard_error(values):{form.removeprefix('+')}}"


def score_cell(folds, measure):
    """Return mean ± standard error of a measure, and the errors that were raised.

    `folds` are the scores of a model by :func:`benchmarks._scores.score_folds`.
    """
    errors = folds["errors"]
    first = f"error: {errors[0]}" if errors else ""
    if not folds.get(measure):
        return first
    text = mean_and_error(folds[measure])
    return f"{text} ({len(errors)} folds: {first})" if errors else text


def bold_best(texts, best):
    """Return the texts of a row; the text of the model `best` is bold."""
    return [f"**{text}**" if name == best else text for name, text in texts.items()]
