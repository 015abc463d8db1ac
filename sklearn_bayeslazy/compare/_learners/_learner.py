"""One learner of the comparison: how to build it and how to describe its parameters."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.preprocessing import FunctionTransformer

from ...tabular._cleaning import join_documents
from .._table import CATEGORY, COLUMNS, DOCUMENTS, DROP, TEXT

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
    # The part of a table that the learner reads, see `Table.fit_and_score_parts`.
    reads: str = COLUMNS
    # 0, 1 or 2: learners of a lower cost are compared first.
    cost: int = 1
    # suits(table): False for tables that other learners are better for.
    suits: Callable = lambda table: True

    def applies_to(self, table):
        """Return whether the learner has the table's task and can read its columns."""
        can_read = self.task == table.task and table.has_any(self.reads)
        return can_read and self.suits(table)

    def first_step(self, table, seed, names=None):
        """Return the transformer from raw columns to what the learner reads."""
        # names: of the columns of a frame; None: columns are given by index.
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
