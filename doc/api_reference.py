"""The public names, section by section: the one list behind the API reference.

``conf.py`` writes ``api/index.rst`` from it, and ``tests/test_documentation.py`` holds
it against ``__all__``, so that the reference lists exactly the public names.
"""

from typing import NamedTuple


class Section(NamedTuple):
    """A section of the reference: title, sentence, names, page of the guide."""

    title: str
    sentence: str
    names: tuple[str, ...]
    page: str = ""


SECTIONS = (
    Section(
        "Raw tables",
        "What the columns of a file are, and how learners read them.",
        ("sklearn_bayeslazy.TableCleaner",),
        "user_guide/command_line",
    ),
    Section(
        "Naive Bayes",
        "Classifiers that assume columns independent within each class, or nearly so.",
        (
            "sklearn_bayeslazy.MEstimateNB",
            "sklearn_bayeslazy.AODEClassifier",
            "sklearn_bayeslazy.TextNB",
            "sklearn_bayeslazy.LanguageModelNB",
        ),
        "user_guide/naive_bayes",
    ),
    Section(
        "Language models",
        "Probabilities of texts, as products over their words.",
        ("sklearn_bayeslazy.NGramLanguageModel",),
        "user_guide/text",
    ),
    Section(
        "Neighbours",
        "Estimators that predict from the nearest training rows.",
        (
            "sklearn_bayeslazy.ShepardKNN",
            "sklearn_bayeslazy.ShepardKNNRegressor",
            "sklearn_bayeslazy.AxisStretcher",
            "sklearn_bayeslazy.ValueDifferenceEncoder",
            "sklearn_bayeslazy.InvertedIndexNeighbors",
            "sklearn_bayeslazy.LSHNeighbors",
            "sklearn_bayeslazy.ShardedNeighbors",
            "sklearn_bayeslazy.RandomProjectionHash",
            "sklearn_bayeslazy.LearnedHash",
        ),
        "user_guide/neighbors",
    ),
    Section(
        "Cases",
        "Predictions from stored cases that are symbolic descriptions.",
        (
            "sklearn_bayeslazy.CaseBasedClassifier",
            "sklearn_bayeslazy.CaseBasedRegressor",
            "sklearn_bayeslazy.EqualitySimilarity",
            "sklearn_bayeslazy.NumberSimilarity",
            "sklearn_bayeslazy.OrderedSimilarity",
            "sklearn_bayeslazy.TableSimilarity",
            "sklearn_bayeslazy.TaxonomySimilarity",
            "sklearn_bayeslazy.SetSimilarity",
            "sklearn_bayeslazy.WordSimilarity",
            "sklearn_bayeslazy.ValueDifferenceSimilarity",
            "sklearn_bayeslazy.GraphSimilarity",
        ),
        "user_guide/cases",
    ),
    Section(
        "Belief networks",
        "Directed graphs of columns, with a conditional probability table for each.",
        (
            "sklearn_bayeslazy.BeliefNetworkClassifier",
            "sklearn_bayeslazy.BeliefNetwork",
        ),
        "user_guide/belief_networks",
    ),
    Section(
        "Local regression",
        "Models of the rows near each query, and radial basis function networks.",
        (
            "sklearn_bayeslazy.LocallyWeightedRegressor",
            "sklearn_bayeslazy.LocallyWeightedEstimator",
            "sklearn_bayeslazy.RBFNetworkRegressor",
            "sklearn_bayeslazy.RBFNetworkClassifier",
        ),
        "user_guide/local_regression",
    ),
    Section(
        "Ensembles",
        "Learners that combine the predictions of several members.",
        (
            "sklearn_bayeslazy.BayesianStackingClassifier",
            "sklearn_bayeslazy.BayesianStackingRegressor",
            "sklearn_bayeslazy.MyAdaBoost",
            "sklearn_bayeslazy.MyAdaBoostRegressor",
            "sklearn_bayeslazy.HypothesisClassifier",
        ),
        "user_guide/ensembles",
    ),
    Section(
        "Large data",
        "Fits and predictions over dask collections; `fit_blocks` is a method.",
        ("sklearn_bayeslazy.dask.fit", "sklearn_bayeslazy.dask.predict"),
        "user_guide/large_data",
    ),
    Section(
        "Inspection",
        "Displays of fitted estimators, drawn by matplotlib.",
        (
            "sklearn_bayeslazy.Explanation",
            "sklearn_bayeslazy.ImportanceDisplay",
            "sklearn_bayeslazy.LeaveOneOutDisplay",
            "sklearn_bayeslazy.RegressionBandDisplay",
            "sklearn_bayeslazy.ReliabilityDisplay",
            "sklearn_bayeslazy.RecallDisplay",
            "sklearn_bayeslazy.BeliefNetworkDisplay",
            "sklearn_bayeslazy.ProbabilityTableDisplay",
            "sklearn_bayeslazy.StagedErrorDisplay",
            "sklearn_bayeslazy.MarginDisplay",
        ),
    ),
    Section(
        "Warnings",
        "Warnings of a class of their own, by which they can be silenced.",
        ("sklearn_bayeslazy.CompilationWarning",),
        "user_guide/in_production",
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

# Names that another page of the guide explains than that of their section.
OTHER_PAGES = {
    "sklearn_bayeslazy.TextNB": "user_guide/text",
    "sklearn_bayeslazy.LanguageModelNB": "user_guide/text",
    "sklearn_bayeslazy.Explanation": "user_guide/explanations",
    "sklearn_bayeslazy.ImportanceDisplay": "user_guide/explanations",
    "sklearn_bayeslazy.LeaveOneOutDisplay": "user_guide/neighbors",
    "sklearn_bayeslazy.BeliefNetworkDisplay": "user_guide/belief_networks",
    "sklearn_bayeslazy.ProbabilityTableDisplay": "user_guide/belief_networks",
}


def guide_pages(sections=SECTIONS):
    """Return {qualified name: page of the guide}, for the template of the pages."""
    named = {name: one.page for one in sections for name in one.names if one.page}
    return named | OTHER_PAGES


INTRODUCTION = """\
API reference
=============

Every public name, with its parameters, attributes and formulas. The
:doc:`user guide </user_guide/index>` explains when to use which.
"""


def render_section(section):
    """Return one section in reStructuredText."""
    underline = "-" * len(section.title)
    names = "\n".join(f"   ~{name}" for name in section.names)
    return (
        f"{section.title}\n{underline}\n\n{section.sentence}\n\n"
        f".. autosummary::\n   :toctree: generated/\n   :nosignatures:\n\n{names}\n"
    )


def render(sections=SECTIONS):
    """Return the index page of the reference in reStructuredText."""
    return "\n".join([INTRODUCTION, *map(render_section, sections)])
