"""Dates, date-times and durations as numbers of days.

A date-time is the number of days since 1970-01-01 00:00 UTC, with fractions. One
without a time zone counts as UTC. The whole days and the fraction are added last, so
that all sources give the same floats.
"""

import datetime

import numpy as np

_DAY = datetime.timedelta(days=1)
_EPOCH = datetime.datetime(1970, 1, 1)


def days_of_array(cells):
    """Return datetime64 or timedelta64 cells as float64 days, NaN for NaT.

    >>> days_of_array(np.array(["1970-01-02T12", "NaT"], "M8[s]"))
    array([1.5, nan])
    >>> days_of_array(np.array([36], "m8[h]"))
    array([1.5])
    """
    # A TypeError for durations in months and years, which differ in length.
    if cells.dtype.kind == "M":
        cells = cells - np.datetime64("1970-01-01", "D")
    one_day = np.timedelta64(1, "D")
    with np.errstate(invalid="ignore"):
        whole, rest = np.divmod(cells, one_day)
    return whole + rest / one_day


def days_of_object(cell):
    """Return a date, date-time or duration as a number of days.

    >>> days_of_object(datetime.date(1970, 1, 11))
    10.0
    >>> days_of_object(datetime.timedelta(hours=6))
    0.25
    """
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return float(days_of_array(np.array([cell]))[0])
    if isinstance(cell, datetime.datetime):
        if cell.tzinfo is not None:
            cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
        cell = cell - _EPOCH
    elif isinstance(cell, datetime.date):
        return float(cell.toordinal() - _EPOCH.toordinal())
    whole, rest = divmod(cell, _DAY)
    return whole + rest / _DAY


def kind_of_date(cell):
    """Return "date", "duration" or "missing" for a cell of time, None for others."""
    if type(cell).__name__ == "NaTType":
        return "missing"
    if isinstance(cell, datetime.date | np.datetime64):
        return "missing" if cell != cell else "date"
    if isinstance(cell, datetime.timedelta | np.timedelta64):
        return "missing" if cell != cell else "duration"
    return None
