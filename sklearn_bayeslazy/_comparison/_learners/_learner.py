"""One learner of the comparison: how to build it and how to describe its parameters."""

from collections.abc import Callable
from dataclasses import dataclass

from .._table import CATEGORICAL, COLUMNS, NUMERIC

BAYESLAZY, SKLEARN = "sklearn_bayeslazy", "scikit-learn"


@dataclass(frozen=True)
class Learner:
    """A learner and its name.

    Attributes
    ----------
    name : str
    task : {"classification", "regression"}
    package : {"sklearn_bayeslazy", "scikit-learn"}
    build : callable
        ``build(table)`` returns an unfitted estimator for the columns of the part of
        a table that the learner reads.
    chosen_parameters : callable
        ``chosen_parameters(estimator)`` describes the parameters of a fitted
        estimator in a short string.
    reads : {"columns", "documents", "whole"}
        The part of a table that the learner reads, see :meth:`Table.part`.
    suits : callable
        ``suits(table)`` is False for tables that other learners are better for.
    """

    name: str
    task: str
    package: str
    build: Callable
    chosen_parameters: Callable = lambda estimator: ""
    reads: str = COLUMNS
    suits: Callable = lambda table: True

    def applies_to(self, table):
        """Return whether the learner has the table's task and can read its columns."""
        can_read = self.task == table.task and table.has_any(self.reads)
        return can_read and self.suits(table)


def mostly_symbols(table):
    """Return whether more columns are categorical than numeric."""
    return len(table.indices(CATEGORICAL)) > len(table.indices(NUMERIC))
