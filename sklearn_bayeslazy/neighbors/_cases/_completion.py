"""Unknown attributes of cases, predicted from their others by similar cases."""

import copy
from datetime import UTC, date, datetime, timedelta

import numpy as np

from ...tabular import ColumnTable, encode_classes
from .._shepard import ClassTargets, NumberTargets, explain_votes
from ._case_model import CaseModel

# Cases that are left out to choose the parameters for one attribute.
MAX_LEFT_OUT = 200


def complete_cases(model, X, table, map_rows):
    """Return filled copies of cases, and the confidences of the filled cells."""
    # model: CaseModel; table: X as it was read. confidences: (n_samples, n_features),
    # NaN for cells that were not filled.
    confidences = np.full(table.shape, np.nan)
    values = {}
    for j in range(table.n_columns):
        rows = np.flatnonzero(table.is_missing(j))
        if len(rows):
            found = _predict_attribute(model, table.slice_rows(rows), j, map_rows)
            if found is not None:
                values[j] = rows, found[0]
                confidences[rows, j] = found[1]
    return _fill(X, values, table.names), confidences


def _predict_attribute(model, table, j, map_rows):
    """Return the values and confidences of an attribute, None if no case knows it."""
    known = np.flatnonzero(~model.cases.is_missing(j))
    if not len(known):
        return None
    cases = model.cases.take(known)
    weight, column = model.weight[known], model.space.columns[j]
    is_number = column.n_codes is None
    # In the order of the symbols, by which ties are broken.
    distinct, codes = cases.distinct(j)
    used, codes = np.unique(codes, return_inverse=True)
    distinct = [distinct[code] for code in used]
    if cases.n_columns == 1 or len(distinct) == 1:
        return _most_frequent(distinct, codes, weight, table.n_rows)
    others = [i for i in range(cases.n_columns) if i != j]
    if is_number:
        targets = NumberTargets(weight, cases.column(j)[:, None], True)
    else:
        classes, codes = encode_classes(codes)
        targets = ClassTargets(weight, codes, classes, None, "marginal")
    predictor = CaseModel.learn(
        _columns(cases, others),
        [model.similarities[i] for i in others],
        targets,
        _options_for_attribute(model.options, is_number),
        map_rows,
    )
    queries = predictor.space.queries(_columns(table, others))
    found = predictor.vote.predictions(queries, map_rows)
    if not is_number:
        best = np.argmax(found, axis=1)
        return [distinct[at] for at in best], found[np.arange(len(best)), best]
    numbers = found[:, 0]
    return numbers.tolist(), _similarity_of_votes(
        predictor, queries, numbers, column.scale, map_rows
    )


def _options_for_attribute(options, is_number):
    """Return the options by which an attribute is predicted, from those for y."""
    # What was given for y's scores, classes and attributes is not for other targets.
    # "loo" leaves out fewer cases: there may be many attributes.
    m = None if is_number else "loo" if options.m is None else options.m
    return options._replace(
        m=m,
        weights=None if options.weights is None else "loo",
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=min(options.loo_max_samples or MAX_LEFT_OUT, MAX_LEFT_OUT),
        random_state=copy.copy(options.random_state),
    )


def _similarity_of_votes(predictor, queries, numbers, scale, map_rows):
    """Return the mean similarity of numbers to the voting cases' numbers."""
    votes = explain_votes(predictor.vote, queries, None, map_rows)
    gaps = np.abs(votes.targets - numbers[:, None]) / scale
    shares = np.where(votes.rows >= 0, votes.shares, 0.0)
    near = 1 - np.minimum(gaps, 1.0)
    return (shares * near).sum(axis=1) / shares.sum(axis=1)


def _most_frequent(distinct, codes, weight, n_rows):
    share = np.bincount(codes, weight) / weight.sum()
    best = int(np.argmax(share))
    return [distinct[best]] * n_rows, np.full(n_rows, share[best])


def _columns(table, columns):
    """Return the table of some columns."""
    cells = [table.labels_or_numbers(j) for j in columns]
    return ColumnTable([table.names[j] for j in columns], cells, table.n_rows)


def _fill(X, values, names):
    """Return a copy of X with values {column: (rows, cells)} filled in."""
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], dict):
        filled = [dict(case) for case in X]
        for j, (rows, cells) in values.items():
            key = next(key for key in filled[0] if str(key) == names[j])
            cells = _as_times(cells, [case[key] for case in X])
            for i, cell in zip(rows, cells):
                filled[i][key] = cell
        return filled
    if hasattr(X, "iloc"):
        filled = X.copy()
        for j, (rows, cells) in values.items():
            filled.isetitem(j, _fill_pandas(X.iloc[:, j], rows, cells))
        return filled
    if hasattr(X, "columns"):  # polars
        return _fill_polars(X, values)
    filled = np.array(X, dtype=_array_dtype(X))
    for j, (rows, cells) in values.items():
        for i, cell in zip(rows, _as_times(cells, filled[:, j])):
            filled[i, j] = cell
    return filled


def _fill_pandas(column, rows, cells):
    """Return a column with cells filled in, of its dtype where that can hold them."""
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    zone = UTC if getattr(dtype, "tz", None) else None
    like = {"M": datetime(1970, 1, 1, tzinfo=zone), "m": timedelta()}.get(kind)
    if hasattr(column, "cat"):
        new = [one for one in dict.fromkeys(cells) if one not in dtype.categories]
        dtype = column.cat.add_categories(new).dtype
    elif kind in "iu":  # the mean of integers has decimals
        dtype = "Float64"
    filled = column.astype(object)
    for i, cell in zip(rows, _as_times(cells, column if like is None else [like])):
        filled.iat[i] = cell
    return filled.astype(dtype)


def _fill_polars(X, values):
    import polars

    columns = []
    for j, series in enumerate(X):
        if j in values:
            series = _fill_series(polars, series, *values[j])
        columns.append(series)
    return polars.DataFrame(columns)


def _fill_series(polars, series, rows, values):
    """Return a polars column with cells filled in, see `_fill_pandas`."""
    dtype, cells = series.dtype, series.to_list()
    like = None
    if dtype == polars.Datetime:
        like = datetime(1970, 1, 1, tzinfo=UTC if dtype.time_zone else None)
    elif dtype == polars.Date:
        like = date(1970, 1, 1)
    elif dtype == polars.Duration:
        like = timedelta()
    elif dtype == polars.Enum and not set(values) <= set(dtype.categories):
        dtype = polars.String
    elif dtype.is_integer():
        dtype = polars.Float64
        cells = [None if cell is None else float(cell) for cell in cells]
    for i, cell in zip(rows, _as_times(values, [like])):
        cells[i] = cell
    return polars.Series(series.name, cells, dtype=dtype)


def _as_times(days, cells):
    """Return days since 1970-01-01 as the dates or durations that a column holds."""
    # cells: of the column. If none is a date or a duration, days are returned
    # unchanged.
    known = (c for c in cells if isinstance(c, date | timedelta | np.datetime64))
    like = next((cell for cell in known if cell == cell), None)  # not NaT
    if like is None:
        return days
    times = [timedelta(days=day) for day in days]
    if isinstance(like, timedelta):
        return times
    if isinstance(like, np.datetime64):
        return [np.datetime64(0, "us") + time for time in times]
    zone = UTC if getattr(like, "tzinfo", None) else None
    moments = [datetime(1970, 1, 1, tzinfo=zone) + time for time in times]
    is_date = not isinstance(like, datetime)
    return [moment.date() for moment in moments] if is_date else moments


def _array_dtype(X):
    kind = np.asarray(X, dtype=object if isinstance(X, list) else None).dtype.kind
    return np.float64 if kind in "fiu" else object
