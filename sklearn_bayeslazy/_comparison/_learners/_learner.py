"""One learner of the comparison: how to build it and how to describe its parameters."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.preprocessing import FunctionTransformer

from ...cleaning import join_documents
from .._table import CATEGORY, COLUMNS, DOCUMENTS, DROP, TEXT

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
        The part of a table that the learner reads, see
        :meth:`Table.fit_and_score_parts`.
    cost : {0, 1, 2}
        Learners of a lower cost are compared first.
    suits : callable
        ``suits(table)`` is False for tables that other learners are better for.
    """

    name: str
    task: str
    package: str
    build: Callable
    chosen_parameters: Callable = lambda estimator: ""
    reads: str = COLUMNS
    cost: int = 1
    suits: Callable = lambda table: True

    def applies_to(self, table):
        """Return whether the learner has the table's task and can read its columns."""
        can_read = self.task == table.task and table.has_any(self.reads)
        return can_read and self.suits(table)

    def first_step(self, table, seed, names=None):
        """Return the transformer from raw columns to what the learner reads.

        Parameters
        ----------
        table : Table
        seed : int
        names : list of str, default=None
            The names of the columns of a frame. None: columns are told by index.
        """
        if self.reads == COLUMNS:
            return table.cleaner(seed, names)
        if self.reads == DOCUMENTS:
            names = names or list(range(len(table.columns)))
            texts = [names[j] for j in table.indices(TEXT)]
            return FunctionTransformer(join_documents, kw_args={"columns": texts})
        return FunctionTransformer()


def mostly_symbols(table):
    """Return whether most columns that are neither text nor dropped are categories."""
    n_others = len(table.indices(TEXT)) + len(table.indices(DROP))
    return 2 * len(table.indices(CATEGORY)) > len(table.columns) - n_others
