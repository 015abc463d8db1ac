"""Turn the scores of the text learners into their page of the documentation."""

import numpy as np

from benchmarks._machine import describe
from benchmarks._newsgroups import LEAKING
from benchmarks._render_accuracy import markdown, standard_error

INTRODUCTION = """\
# Accuracy on text

<!-- Written by `python -m benchmarks.accuracy_text`; do not edit. -->

Random splits are stratified, two thirds to learn from and one third to be tested on,
one for each seed 0 to 4; ± is the standard error over the seeds. Nothing was tuned by
hand. `"loo"` chooses by leave-one-out on the training part. *LanguageModelNB, chosen*
takes what has the best leave-one-out accuracy on 2 000 documents of the training part:
of words, n-grams up to 1 or 2 with Jelinek-Mercer smoothing or absolute discount; of
characters, n-grams up to 5 with absolute discount; each with the best of five
parameters and seven length normalisations.
"""


def page(results):
    """Return the page for what has been measured."""
    parts = [INTRODUCTION]
    if "machine" in results:
        parts.append(f"\nMeasured on {describe(results['machine'])}.\n")
    if "mitchell" in results:
        parts.append(_mitchell(results["mitchell"]))
    if "random" in results or "by_date" in results:
        parts.append(_newsgroups(results))
    if "others" in results:
        parts.append(_others(results["others"]))
    if "variants" in results:
        parts.append(_variants(results["variants"]))
    if "curve" in results:
        parts.append(_curve(results["curve"]))
    return "".join(parts)


def _mitchell(results):
    rows = [[name, _spread(values)] for name, values in results.items()]
    removed = ", ".join(name.title() for name in LEAKING)
    return f"""
## Twenty newsgroups as Mitchell did it

`TextNB("laplace")` on words of two or more letters (`CountVectorizer`), without the 100
most frequent ones of the training part and without those that occur in it fewer than
three times. Mitchell (1997) reports 89 %.

- The 18 846 documents that scikit-learn serves have lost most of their headers and
  their duplicates already; what is left (From, Subject, Organization, Lines ...) was
  kept.
- Of the 19 997 documents of the original collection, with full headers, these header
  lines were removed because they name groups: {removed}. All other lines were kept.
- An article that was posted to several groups is in that collection once for each of
  them, with another label each time (1 104 of the documents). No classifier that names
  one group can be right about all of its copies; so the page gives the accuracy as it
  is, the accuracy where any of the article's groups will do, the accuracy without such
  articles, and the accuracy with each article once, as in the other collection.
{markdown(["documents", "accuracy"], rows)}"""


def _newsgroups(results):
    columns = {
        "random splits": results.get("random", {}),
        "by date": results.get("by_date", {}),
    }
    names = list(dict.fromkeys(name for scores in columns.values() for name in scores))
    header, rows = ["model"], [[name] for name in names]
    for column, scores in columns.items():
        for measure in ("accuracy", "log_loss"):
            header.append(f"{column}: {measure.replace('_', ' ')}")
            for row in rows:
                row.append(_measure(scores.get(row[0]), measure))
    header.append("seconds")
    for row in rows:
        row.append(_seconds(columns["by date"].get(row[0])))
    return f"""
## Twenty newsgroups, whole vocabulary

The 18 846 documents; seconds are those of fitting and predicting the split by date,
from raw text, the choice by leave-one-out included; LanguageModelNB runs on two
threads, the others on one.
{markdown(header, rows)}{_choices(columns)}"""


def _choices(columns):
    found = [
        f"- {column}: {'; '.join(sorted({row['chosen'] for row in rows}))}"
        for column, scores in columns.items()
        for rows in scores.values()
        if rows and "chosen" in rows[0]
    ]
    return "\nChosen were:\n\n" + "\n".join(found) + "\n" if found else ""


def _others(results):
    return "\n## Other collections\n\nFive random splits each.\n" + _tables(results)


def _variants(results):
    return f"""
## What the defaults of LanguageModelNB are worth

`background` lets every class rest on all classes together, `binary` counts an n-gram
once a training document; five random splits, but for 20 newsgroups.
{_tables(results)}"""


def _tables(results):
    """Return a table of accuracies and one of log losses, models by collections."""
    names = list(next(iter(results.values())))
    sections = []
    for measure in ("accuracy", "log_loss"):
        rows = [
            [name, *(_measure(scores[name], measure) for scores in results.values())]
            for name in names
        ]
        title = measure.replace("_", " ")
        sections.append(markdown([title, *results], rows))
    return "".join(sections)


def _curve(results):
    rows = [
        [name, *(f"{value:.3f}" for value in values)]
        for name, values in results["accuracy"].items()
    ]
    header = ["documents to learn from", *(f"{size:,}" for size in results["sizes"])]
    return f"""
## The learning curve

Random split of seed 0 of the 18 846 documents, whole vocabulary, accuracy on the same
third.
{markdown(header, rows)}"""


def _measure(rows, measure):
    return "" if not rows else _spread([row[measure] for row in rows])


def _seconds(rows):
    return "" if not rows else f"{np.mean([row['seconds'] for row in rows]):.1f}"


def _spread(values):
    if len(values) == 1:
        return f"{values[0]:.4f}"
    return f"{np.mean(values):.4f} ± {standard_error(values):.4f}"
