"""One learner of the comparison: how to build it and how to describe its parameters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from ...explain import label_of, label_of_number
from ...tabular.cleaning import CATEGORY, DROP, TEXT
from .._dataset import COLUMNS

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


def chosen_parameters(estimator):
    """Return what an estimator, or the last step of a pipeline, chose from the data."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    chosen = {
        name: getattr(last, f"{name}_")
        for name, given in last.get_params(deep=False).items()
        if isinstance(given, str) and given in ("loo", "auto")
        if hasattr(last, f"{name}_")
    }
    shown = {
        name: _range(used) if np.ndim(used) else label_of(used, name)
        for name, used in chosen.items()
        if not isinstance(used, list)  # of the categories of each column
    }
    return ", ".join(f"{name}={text}" for name, text in shown.items() if text != "None")


def _range(values):
    """Return the smallest and the largest of several numbers."""
    return " to ".join(map(label_of_number, np.unique([values.min(), values.max()])))
