"""The public names, section by section: the one list behind the API reference.

``conf.py`` writes ``api/index.rst`` from it, and ``tests/test_documentation.py`` holds
it against ``__all__``, so that no public name is forgotten or outlives its object.
"""

from typing import NamedTuple


class Section(NamedTuple):
    """A heading of the reference, one sentence under it, and its qualified names."""

    title: str
    sentence: str
    names: tuple[str, ...]


SECTIONS = (
    Section(
        "Naive Bayes",
        "Classifiers that treat the columns as independent within a class.",
        (
            "sklearn_bayeslazy.MEstimateNB",
            "sklearn_bayeslazy.TextNB",
            "sklearn_bayeslazy.LanguageModelNB",
        ),
    ),
    Section(
        "Language models",
        "The probability of a text, word by word.",
        ("sklearn_bayeslazy.NGramLanguageModel",),
    ),
    Section(
        "Neighbours",
        "Learners that keep the training rows and ask the near ones.",
        (
            "sklearn_bayeslazy.ShepardKNN",
            "sklearn_bayeslazy.ShepardKNNRegressor",
            "sklearn_bayeslazy.AxisStretcher",
            "sklearn_bayeslazy.InvertedIndexNeighbors",
            "sklearn_bayeslazy.LSHNeighbors",
            "sklearn_bayeslazy.ShardedNeighbors",
            "sklearn_bayeslazy.RandomProjectionHash",
            "sklearn_bayeslazy.LearnedHash",
        ),
    ),
    Section(
        "Belief networks",
        "Columns and class in a graph, with a table for each.",
        (
            "sklearn_bayeslazy.BeliefNetworkClassifier",
            "sklearn_bayeslazy.BeliefNetwork",
        ),
    ),
    Section(
        "Local regression",
        "Models fitted to the rows around each query, and their eager counterpart.",
        (
            "sklearn_bayeslazy.LocallyWeightedRegressor",
            "sklearn_bayeslazy.LocallyWeightedEstimator",
            "sklearn_bayeslazy.RBFNetworkRegressor",
            "sklearn_bayeslazy.RBFNetworkClassifier",
        ),
    ),
    Section(
        "Committees",
        "Several hypotheses that answer together.",
        (
            "sklearn_bayeslazy.MyAdaBoost",
            "sklearn_bayeslazy.HypothesisClassifier",
        ),
    ),
    Section(
        "Inspection",
        "Pictures of what an estimator has learnt, drawn by matplotlib.",
        (
            "sklearn_bayeslazy.LeaveOneOutDisplay",
            "sklearn_bayeslazy.RegressionBandDisplay",
            "sklearn_bayeslazy.RecallDisplay",
            "sklearn_bayeslazy.BeliefNetworkDisplay",
            "sklearn_bayeslazy.ProbabilityTableDisplay",
            "sklearn_bayeslazy.StagedErrorDisplay",
            "sklearn_bayeslazy.MarginDisplay",
        ),
    ),
    Section(
        "Data sets",
        "Small tables that ship with the package; the loaders need no network.",
        (
            "sklearn_bayeslazy.datasets.load_play_tennis",
            "sklearn_bayeslazy.datasets.load_buys_computer",
            "sklearn_bayeslazy.datasets.load_evade",
            "sklearn_bayeslazy.datasets.load_horse_colic",
        ),
    ),
)

INTRODUCTION = """\
API reference
=============

Every public name, with its parameters, attributes and formulas. The
:doc:`user guide </user_guide/index>` says when to use which.
"""


def render_section(section):
    """Return one section in reStructuredText."""
    underline = "-" * len(section.title)
    names = "\n".join(f"   ~{name}" for name in section.names)
    return (
        f"{section.title}\n{underline}\n\n{section.sentence}\n\n"
        f".. autosummary::\n   :toctree: generated/\n\n{names}\n"
    )


def render(sections=SECTIONS):
    """Return the index page of the reference in reStructuredText."""
    return "\n".join([INTRODUCTION, *map(render_section, sections)])
