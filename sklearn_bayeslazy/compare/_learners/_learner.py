"""One learner of the comparison: how to build it and how to describe its parameters."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...explain import label_of, label_of_number
from ...leave_one_out import is_loo
from ...tabular.cleaning import CATEGORY, DROP, TEXT
from .._dataset import COLUMNS
from .._formatting import with_count

BAYESLAZY, SKLEARN = "sklearn_bayeslazy", "scikit-learn"


@dataclass(frozen=True)
class Learner:
    """A learner: its name, how to build it, and the tables that it is for."""

    name: str
    task: str  # "classification" or "regression"
    package: str  # BAYESLAZY or SKLEARN
    # build(table): an unfitted estimator for the columns of the part of a table that
    # the learner reads.
    build: Callable
    # chosen_parameters(estimator): the parameters of a fitted estimator in a short
    # string.
    chosen_parameters: Callable = lambda estimator: ""
    # The part of a table that the learner reads, see `Dataset.first_step`.
    reads: str = COLUMNS
    # 0, 1 or 2: learners of a lower cost are compared first.
    cost: int = 1
    # suits(table): False for tables that other learners are better for.
    suits: Callable = lambda table: True

    def applies_to(self, table):
        """Return whether the learner has the table's task and can read its columns."""
        can_read = self.task == table.task and table.has_any(self.reads)
        return can_read and self.suits(table)


def mostly_symbols(table):
    """Return whether most columns that are neither text nor dropped are categories."""
    n_others = len(table.names(TEXT)) + len(table.names(DROP))
    return 2 * len(table.names(CATEGORY)) > len(table.columns) - n_others


# Describes the parameters of a fitted learner in a short string for the results.


def of_last_step(name):
    """Return what describes a given parameter of the last step of a pipeline."""
    return lambda pipeline: f"{name}={pipeline[-1].get_params()[name]}"


def learned(*names):
    """Return what describes parameters that an estimator chose from the data."""

    def describe(estimator):
        return ", ".join(_parameter(estimator, name) for name in names)

    return describe


def m_and_distributions(estimator):
    """Describe MEstimateNB: m, and how many columns have each distribution."""
    columns = Counter(map(str, estimator.distributions_)).most_common()
    distributions = ", ".join(f"{count} {name}" for name, count in columns)
    return f"{_parameter(estimator, 'm')}; {distributions}"


def n_neighbors(estimator):
    """Describe a local estimator: the size of its neighbourhood."""
    return f"n_neighbors={estimator.n_neighbors}"


def n_arcs(estimator):
    """Describe a belief network: its arcs and those that start or end at the class."""
    arcs = estimator.structure_
    with_class = sum(estimator.network_.names[-1] in arc for arc in arcs)
    return f"{with_count(len(arcs), 'arc')}, {with_class} at the class"


def n_rounds(estimator):
    """Describe boosting, or a pipeline that ends with it: how many rounds it took."""
    boosting = estimator if hasattr(estimator, "estimators_") else estimator[-1]
    return with_count(len(boosting.estimators_), "round")


def best_hypothesis(estimator):
    """Describe HypothesisClassifier: the member with the largest posterior."""
    best = estimator.map_
    return f"{estimator.names_[best]}: P(h | D) = {estimator.posterior_[best]:.2g}"


def weights_of_members(estimator):
    """Describe stacking: the members that have a weight, the largest first."""
    weighted = sorted(zip(estimator.weights_, estimator.names_), reverse=True)
    return ", ".join(f"{name} {weight:.2g}" for weight, name in weighted if weight)


def m_and_n_words(pipeline):
    """Describe TextNB: m and the size of the vocabulary."""
    estimator = pipeline[-1]
    n_words = with_count(estimator.n_features_in_, "word")
    return f"{_parameter(estimator, 'm')}; {n_words}"


def smoothing_and_n_words(estimator):
    """Describe LanguageModelNB: order, smoothing, length and size of the vocabulary."""
    smoothing, is_tuned = estimator.smoothing_, estimator.smoothing == "auto"
    settings = [f"order={estimator.order}", smoothing]
    if estimator.smoothing_parameter_ is not None:
        # The parameter is shown under the name of the smoothing method.
        settings[1] = _parameter(estimator, "smoothing_parameter", smoothing, is_tuned)
    if is_tuned or estimator.length_normalization_ is not None:
        settings.append(_parameter(estimator, "length_normalization", None, is_tuned))
    n_words = with_count(len(estimator.vocabulary_), "word")
    return f"{', '.join(settings)}; {n_words}"


def _parameter(estimator, name, shown_name=None, is_tuned=False):
    """Return "name=value" as it was chosen or given, marked if by leave-one-out."""
    # shown_name: replaces the name in the text; is_tuned: whether "auto" means "loo".
    given, used = getattr(estimator, name), getattr(estimator, f"{name}_")
    is_chosen = is_loo(given) or (is_tuned and isinstance(given, str))
    mark = " (loo)" if is_chosen else ""
    value = label_of(None, name) if used is None else _range(used)
    return f"{shown_name or name}={value}{mark}"


def _range(values):
    """Return a number, or the smallest and the largest of several."""
    ends = np.unique([np.min(values), np.max(values)])
    return " to ".join(map(label_of_number, ends))
