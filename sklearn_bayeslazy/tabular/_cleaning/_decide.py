"""Decides what each column of a table is."""

from .._labels import Labels
from .._read import read_table
from ._checks import check_readable
from ._columns import distinct_strings
from ._frames import date_columns
from ._kinds import (
    CATEGORY,
    DATE,
    DATETIME,
    DROP,
    NUMBER,
    Decision,
    date_decision,
    decide_number,
    decide_strings,
)


def decide_columns(X, names, given):
    """Return the :class:`Decision` on each column, without an error if all are dropped.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    names : list of str
        Names of the columns, which may mark an id.
    given : dict of {int: str}
        The kinds of some columns, by index.

    Returns
    -------
    decisions : list of Decision
    """
    return decide_all(X, read_table(X, names), given)


def decide_all(X, table, given):
    are_dates = date_columns(X)
    return [
        _as_given(table, j, given[label])
        if label in given
        else _decide(table, j, are_dates[j])
        for j, label in enumerate(table.labels_of_columns)
    ]


def _as_given(table, j, kind):
    if kind in (NUMBER, DATE, DATETIME):
        check_readable(cells_of(table, j), kind, table.names[j])
    return Decision(kind, "as given")


def cells_of(table, j):
    labels = table.labels(j)
    return table.column(j) if labels is None else labels


def _decide(table, j, is_date):
    cells = cells_of(table, j)
    if is_date:
        return date_decision(cells, "")
    if not isinstance(cells, Labels):
        return decide_number(cells, table.names[j])
    decision = decide_strings(*distinct_strings(cells), table.n_rows, table.names[j])
    is_declared = cells.kind not in ("str", "nothing") or j in table.declared
    if is_declared and decision.kind != DROP:
        return Decision(CATEGORY)
    return decision
