"""TableCleaner: raw tables as the numbers and categories that learners read."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from ..._core._arrays import check_any_targets, refuse_dates
from ..._core._compat import Interval, StrOptions, check_feature_names_in, fit_context
from ..._core._estimator import DocLinkMixin, accepting_any_table, all_or_nothing
from ..._core._warnings import warn_caller
from .._frames import is_frame
from .._labelled_rows import encode_classes
from .._labels import object_array
from .._read import check_table
from ._cells import make_frame, read_columns
from ._columns import DateColumn, NumberColumn, TextColumn
from ._decide_column import DATE, DATETIME, DROP, KINDS, NUMBER, TEXT, decide
from ._spellings import MAX_CATEGORIES, MIN_CATEGORY_COUNT, CategoryColumn

# More distinct whole numbers are counts or amounts, not classes.
MAX_NUMERIC_CLASSES = 100


class TableCleaner(TransformerMixin, DocLinkMixin, BaseEstimator):
    """Turn a raw table into columns of numbers and categories.

    `fit` recognises each column as one of:

    - "number": kept. Strings such as "$1,234.50", "1.234,5", "(12 %)", "20.1 kg", "5k"
      and "01:30" are read.
    - "category": strings. In a column of more than `max_categories`, those of fewer
      than `min_category_count` rows share one, with those that `fit` has not seen.
      Digits are categories if one begins with a zero, such as the zip code "01234", if
      they have 16 digits or more, and if they differ only in zeros at the end.
    - "date", "datetime": the days since the first, and month, weekday and hour, as far
      as they vary, as sine and cosine of the part of the year, week or day.
    - "text": sentences become the log likelihood of each class given the words (for two
      classes their difference), by :class:`TextNB`. `fit_transform` leaves out the rows
      themselves, see Notes. For a continuous y, a ridge regression on TF-IDF
      weights; without y, the number of words.
    - "drop": ids (distinct strings, whole numbers that count the rows), constants, and
      columns without a known cell.

    ``decisions_`` gives the kind and the reason of each; `kinds` overrules it. How its
    cells are written is learned too, and `transform` reads each cell by that alone, see
    Notes.

    Parameters
    ----------
    kinds : dict of {column: kind}, default=None
        The kind of some columns, by name, or by index where X has no names. Other
        columns are decided at `fit`.

    max_categories : int, default=100
        Up to this number of categories of a column are all kept.

    min_category_count : int, default=5
        Rows that a category needs in a column of more.

    target_type : {"auto", "classes", "continuous"}, default="auto"
        What y is, for free text. "auto": numbers are continuous if they have fractions
        or more than 100 distinct values, otherwise classes.

    n_folds : int, default=5
        Number of folds in `fit_transform`, at least 2.

    random_state : int, RandomState instance or None, default=None
        Which rows are in a fold.

    n_jobs : int, default=None
        Number of threads that count words. Results do not depend on it.

    Attributes
    ----------
    decisions_ : dict of {column: Decision}
        The `kind` of each column, the `reason` in words, the kind to give in `kinds`
        if that is wrong, and the `format` in which numbers or dates are written.
    kinds_ : dict of {column: str}
        The kinds alone, as for the parameter `kinds`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ValueDifferenceEncoder : Mixed tables as points, for methods that need distances.

    Notes
    -----
    ``fit_transform(X, y)`` is not ``fit(X, y).transform(X)`` where X has free text. As
    in :class:`sklearn.preprocessing.TargetEncoder`, the training rows are scored by
    models that are fitted to the other folds. Otherwise the learner that follows would
    trust texts that the model has seen with their class.

    Whole numbers are taken as an id if they are distinct in all of 20 or more rows, and
    lie densely above 0 or their name ends in "id", "key", "index", "no" and the like.
    Strings are taken as an id if nine tenths of 20 or more are distinct, unless half
    are dates or fractions, and free text if half are distinct and have five words on
    average.

    The formats are these:

    - Numbers: the decimal sign, a comma or a point, is that by which most cells are
      numbers. If both fit, as for "1.234", it is a comma if the other columns have
      decimal commas, or if the cells are amounts such as "10.900 €". The others of
      comma, point, apostrophe and blanks separate thousands. A percentage is divided by
      100. Units of one kind, such as kg and g, are converted to the one of most cells,
      "01:30" to hours, also "59:30" beside "1:02:03", and "1:02.5" to seconds;
      durations of a dtype are days. "m" beside days or years is a month. DR behind an
      amount is a minus, and so is CR beside amounts without it if all have cents, and S
      beside H. An error, an interval or the sign of a statistics office behind a
      number, as in "12.3 ± 0.4" and "12.3 b", is left out. S and W are a minus if all
      cells are degrees that end with N or S, or with E or W. Units of two kinds, such
      as kg and °C or two currencies, make a category, and so do "01:30" and "45", and
      codes such as "007", unless they are fewer than a twentieth of other numbers.
    - Dates: ISO 8601, the usual local ones, with month names in eighteen languages,
      YYYYMMDD, other digits such as YYYYMM and DDMMYYYY, and seconds, milliseconds,
      microseconds and nanoseconds since 1970 from 2001 to today, if there are ten or
      more, or to 2039, if the name of the column says date or time, and serials of
      Excel if the name says date, or if most other cells are dates; weeks and quarters,
      also of fiscal years, are their first day. Whether the day, the month or a year of
      two digits comes first is that by which most cells are dates. Years of two digits
      are from 1969 to 2068, but none is in the future if the column spans less time
      then, or its name is one of births.
    - Categories: the most frequent of the spellings that differ in case, blanks, the
      shape of dashes and apostrophes or how Unicode writes an accent, of the words for
      true and false ("yes", "TRUE", 1), and the zeros that a spreadsheet has removed.
      Codes of one to three letters keep their case if it varies much, such as "AA" and
      "Aa".

    A format that is only a guess is named in the reason, for example if no day of a
    column is after the twelfth.

    Missing cells are NaN, None, pandas.NA, and strings such as "", "NA", "#N/A",
    "n.d.", "NULL", "None", ".", "?" and, unless "+" is a category, "-"; they stay
    missing. In a column of numbers or dates, words such as "unknown" and "0000-00-00"
    become missing, and any others up to a twentieth of the cells; "<0.5" and "90+" are
    read as the limit. The reason counts them. Cells of later rows that cannot be read
    are missing, with a warning that names the column if `fit` has not seen such cells.
    A warning also names a cell such as "1.200" if `fit` has seen whole numbers only.
    New categories are kept as they are, with a warning if a column has no others.

    A frame becomes a frame of the same package, an array an array: of floats if all
    columns are numbers, of objects otherwise.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_bayeslazy import TableCleaner
    >>> X = pd.DataFrame({
    ...     "price": ["1.200,50 €", "800 €", "?"],
    ...     "colour": ["red", "blue", "red"],
    ...     "sold": ["2024-02-29", "2024-03-01", "2024-03-04"],
    ...     "shop": ["Oslo", "Oslo", "Oslo"],
    ... })
    >>> cleaner = TableCleaner()
    >>> X = cleaner.fit_transform(X)
    >>> X.columns.tolist()  # doctest: +NORMALIZE_WHITESPACE
    ['price', 'colour', 'sold_month_sin', 'sold_month_cos', 'sold_weekday_sin',
     'sold_weekday_cos', 'sold_days']
    >>> X[["price", "colour", "sold_days"]]
        price colour  sold_days
    0  1200.5    red        0.0
    1   800.0   blue        1.0
    2     NaN    red        4.0
    >>> print(cleaner.decisions_["shop"])
    drop: constant: 'Oslo' (if not: 'category')
    >>> later = pd.DataFrame(
    ...     {"price": ["1.000"], "colour": "RED", "sold": "5 March 2024", "shop": ""}
    ... )
    >>> cleaner.transform(later)[["price", "colour", "sold_days"]]
        price colour  sold_days
    0  1000.0    red        5.0
    """

    _parameter_constraints = {
        "kinds": [dict, None],
        "max_categories": [Interval(Integral, 1, None, closed="left")],
        "min_category_count": [Interval(Integral, 1, None, closed="left")],
        "target_type": [StrOptions({"auto", "classes", "continuous"})],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        kinds=None,
        *,
        max_categories=MAX_CATEGORIES,
        min_category_count=MIN_CATEGORY_COUNT,
        target_type="auto",
        n_folds=5,
        random_state=None,
        n_jobs=None,
    ):
        self.kinds = kinds
        self.max_categories = max_categories
        self.min_category_count = min_category_count
        self.target_type = target_type
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Decide what the columns are, and learn their categories, dates and words.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers, strings, categories, booleans and dates.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers, for free text only.

        Returns
        -------
        self : TableCleaner

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data cannot be used, or if no cell of a column is of
            the kind that `kinds` gives. A former fit stays usable.
        """
        self.fit_transform(X, y)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None):
        """Fit, and return the cleaned training rows; free text by models without them.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers.

        Returns
        -------
        ndarray or frame of shape (n_samples, n_features_out)
        """
        with all_or_nothing(self):
            return self._learn(X, y)

    def _learn(self, X, y):
        X = check_table(self, X, reset=True, warns=False)
        n_rows, n_columns = X.shape
        labels = list(X.columns) if is_frame(X) else list(range(n_columns))
        names = list(map(str, labels))
        targets = _check_targets(X, y, self.target_type)
        given = _check_kinds(self.kinds, labels)
        decisions, table = zip(
            *(
                decide(cells, name, given.get(label), *self._limits())
                for cells, name, label in zip(read_columns(X, names), names, labels)
            )
        )
        self.decisions_ = dict(zip(labels, decisions))
        self.kinds_ = {label: one.kind for label, one in self.decisions_.items()}
        if set(self.kinds_.values()) == {DROP}:
            reasons = "; ".join(
                f"{name}: {one.reason}" for name, one in zip(names[:3], decisions)
            )
            raise ValueError(
                f"TableCleaner would drop every column ({reasons}). Give the kinds of "
                "the columns to keep by the parameter kinds."
            )
        rng = check_random_state(self.random_state)
        folds = rng.permutation(n_rows) % min(self.n_folds, n_rows)
        self._names, self._encoders, columns = names, {}, []
        for j, decision in enumerate(decisions):
            if decision.kind != DROP:
                encoder = self._make_encoder(decision)
                columns += encoder.fit(table[j], targets, folds)
                self._encoders[j] = encoder
        return make_frame(X, columns, self.get_feature_names_out())

    def transform(self, X):
        """Return the cleaned rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray or frame of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        table = read_columns(X, self._names)
        columns, notes = [], []
        for j, encoder in self._encoders.items():
            encoded, note = encoder.transform(table[j])
            columns += encoded
            notes += [f"column {self._names[j]!r}: {note}"] if note else []
        if notes:
            warn_caller("; ".join(notes))
        return make_frame(X, columns, self.get_feature_names_out())

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of the output.

        A column that stays one keeps its name; otherwise the part of the date, or the
        class, follows an underscore.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X; must be those of `fit`, if it saw names.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = check_feature_names_in(self, input_features)
        return object_array(self._names_out(names))

    def _names_out(self, names):
        """Return unique names: a repeated one gets a number."""
        out = {}
        for j, encoder in self._encoders.items():
            for suffix in encoder.suffixes:
                name, n = f"{names[j]}{suffix}", 1
                while name in out:
                    n += 1
                    name = f"{names[j]}{suffix}_{n}"
                out[name] = None
        return list(out)

    def _make_encoder(self, decision):
        if decision.kind == NUMBER:
            return NumberColumn(decision.format)
        if decision.kind in (DATE, DATETIME):
            return DateColumn(decision.format)
        if decision.kind == TEXT:
            return TextColumn(self.n_jobs)
        return CategoryColumn(*self._limits())

    def _limits(self):
        return self.max_categories, self.min_category_count

    def __sklearn_tags__(self):
        return accepting_any_table(super().__sklearn_tags__())


def _check_kinds(kinds, labels):
    """Return the given kinds; each column and kind must exist."""
    given = kinds or {}
    for column, kind in given.items():
        if column not in labels:
            raise ValueError(
                f"kinds names the column {column!r}, which X does not have. Its "
                f"columns are {', '.join(map(repr, labels[:8]))}"
                + (", ..." if len(labels) > 8 else ".")
            )
        if kind not in KINDS:
            raise ValueError(
                f"kinds[{column!r}] is {kind!r}; it must be one of "
                f"{', '.join(map(repr, KINDS))}."
            )
    return given


def _check_targets(X, y, target_type):
    """Return the targets: classes, or floats; None without y or for several outputs."""
    # y: (n_rows,), (n_rows, n_outputs) or None; target_type: "auto", "classes" or
    # "continuous".
    if y is None:
        return None
    y = check_any_targets(y)
    check_consistent_length(X, y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim > 1:
        return None
    if target_type == "continuous" or (target_type == "auto" and _is_continuous(y)):
        refuse_dates(y)
        try:
            return y.astype(float)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f'target_type="continuous" needs numbers in y ({error}); for labels '
                'give target_type="classes".'
            ) from None
    if y.dtype.kind == "O":
        classes, codes = encode_classes(y)  # an error if a label is missing
        return classes.astype(str)[codes]
    if y.dtype.kind == "f":
        return y.astype(np.int64 if (y == np.floor(y)).all() else str)
    return y


def _is_continuous(y):
    with np.errstate(invalid="ignore"):  # of numbers that no integer can hold
        kind = type_of_target(y)
    if kind == "continuous":
        return True
    return y.dtype.kind in "iuf" and len(np.unique(y)) > MAX_NUMERIC_CLASSES
