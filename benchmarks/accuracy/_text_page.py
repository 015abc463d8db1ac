"""The page on the accuracy of the text learners."""

import numpy as np

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table, mean_and_error
from benchmarks._newsgroups import LEAKING

INTRODUCTION = """\
# Accuracy on text

<!-- Written by `python -m benchmarks.accuracy text`; do not edit. -->

Random splits are stratified, two thirds for training and one third for testing, one for
each seed 0 to 4; ± is the standard error over the seeds. Nothing was tuned by hand.
TextNB chooses m, its temperature and the offsets of words by leave-one-out on the
training part; without offsets (feature_weights=None, and wherever a parameter is given)
it is naive Bayes alone. *Pairs*: the vectorizer counts pairs of words, too, and single
letters, but nothing that occurs in one document only. LanguageModelNB chooses its
discount and its length. BayesianStackingClassifier pools these three and TextNB on
n-grams of characters; it reads the texts as they are.
*LanguageModelNB, chosen* is the model with the best leave-one-out accuracy on 2 000
documents of the training part. Its candidates are n-grams of words up to order 1 or 2
with Jelinek-Mercer smoothing or absolute discounting, and n-grams of characters up to
order 5 with absolute discounting; each with the best of five smoothing parameters and
seven length normalisations.
"""


def render(results):
    """Return the page of the sections that have been measured."""
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
    rows = [[name, mean_and_error(values, ".4f")] for name, values in results.items()]
    removed = ", ".join(name.title() for name in LEAKING)
    return f"""
## Twenty newsgroups, Mitchell's experiment

`TextNB("laplace")` on words of two or more letters (`CountVectorizer`), without the 100
most frequent ones of the training part and without those that occur in it fewer than
three times. Mitchell (1997) reports 89 %.

- The 18 846 documents of scikit-learn lack most of their headers and all duplicates.
  The remaining header lines (From, Subject, Organization, Lines ...) were kept.
- The 19 997 documents of the original collection have full headers. These header lines
  were removed because they name groups: {removed}. All other lines were kept.
- The original collection has an article that was posted to several groups once for each
  group, each time with another label (1 104 of the documents). A classifier that
  predicts one group cannot be right about all copies. The table has the accuracy on all
  documents; the accuracy if any group of the article counts as right; the accuracy
  without such articles; and the accuracy with each article once, as in scikit-learn's
  collection.
{markdown_table(["documents", "accuracy"], rows)}"""


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
                row.append(_mean_score(scores.get(row[0]), measure))
    header.append("seconds")
    for row in rows:
        row.append(_seconds(columns["by date"].get(row[0])))
    return f"""
## Twenty newsgroups, whole vocabulary

The 18 846 documents. Seconds are the time to fit and to predict the split by date, from
raw text, choices by leave-one-out included. LanguageModelNB and stacking run on two
threads, the others on one.
{markdown_table(header, rows)}{_choices(columns)}"""


def _choices(columns):
    choices = [
        f"- {column}: {'; '.join(sorted({row['chosen'] for row in rows}))}"
        for column, scores in columns.items()
        for rows in scores.values()
        if rows and "chosen" in rows[0]
    ]
    return "\nThe choices:\n\n" + "\n".join(choices) + "\n" if choices else ""


def _others(results):
    return "\n## Other collections\n\nFive random splits each.\n" + _tables(results)


def _variants(results):
    return f"""
## The effect of two defaults of LanguageModelNB

With Kneser-Ney smoothing. `background` smooths every class with a model of all classes
together. `binary` counts an n-gram at most once a training document. Five random
splits; for 20 newsgroups the split by date.
{_tables(results)}"""


def _tables(results):
    """Return a table of accuracies and one of log losses: models by collections."""
    names = list(next(iter(results.values())))
    sections = []
    for measure in ("accuracy", "log_loss"):
        rows = [
            [name, *(_mean_score(scores[name], measure) for scores in results.values())]
            for name in names
        ]
        title = measure.replace("_", " ")
        sections.append(markdown_table([title, *results], rows))
    return "".join(sections)


def _curve(results):
    rows = [
        [name, *(f"{value:.3f}" for value in values)]
        for name, values in results["accuracy"].items()
    ]
    header = ["training documents", *(f"{size:,}" for size in results["sizes"])]
    return f"""
## The learning curve

Random split of seed 0 of the 18 846 documents, whole vocabulary, accuracy on the same
third of the documents.
{markdown_table(header, rows)}"""


def _mean_score(rows, measure):
    return "" if not rows else mean_and_error([row[measure] for row in rows], ".4f")


def _seconds(rows):
    return "" if not rows else f"{np.mean([row['seconds'] for row in rows]):.1f}"
