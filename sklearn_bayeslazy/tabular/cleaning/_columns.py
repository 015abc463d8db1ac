"""Encoders of single columns: numbers, categories, dates and free text.

Each is fitted to the cells of its column, and returns one or several columns. Cells are
:class:`~sklearn_bayeslazy.tabular.Labels`, or a float array with NaN. ``fit`` and
``transform`` return a list of columns, of shape (n_rows,) each, which are named by the
column and one of ``suffixes``. `y` are the targets, or None, and `folds` the number of
the fold of each row.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from ...text import TextNB
from .._labels import Labels, object_array
from ._cells import MISSING_WORDS, date_parts, parse_dates, parse_numbers

RARE = "(rare)"
# Dates are of the years 1 to 9999; other numbers of days are no dates.
MIN_DAYS, MAX_DAYS = -719_162, 2_932_896


class NumberColumn:
    """Numbers, also those that are written in strings."""

    suffixes = ("",)

    def fit(self, cells, y, folds):
        """Learn nothing; return the encoded cells."""
        return self.transform(cells)

    def transform(self, cells):
        """Return the cells as floats; what is no number is missing."""
        if not isinstance(cells, Labels):
            return [np.asarray(cells, dtype=float)]
        if cells.kind == "bool":
            return [_decode(np.array(cells.categories, dtype=float), cells)]
        return [_decode(parse_numbers(as_strings(cells.categories)), cells)]


class DateColumn:
    """Dates as year, month, weekday, hour, and days since the first of the column."""

    def __init__(self, with_hour):
        self.with_hour = with_hour
        hour = ("_hour",) if with_hour else ()
        self.suffixes = ("_year", "_month", "_weekday", *hour, "_days")

    def fit(self, cells, y, folds):
        """Learn the first date; return the encoded cells."""
        known = days_of(cells)
        known = known[np.isfinite(known)]
        self.first = known.min() if len(known) else 0.0
        return self.transform(cells)

    def transform(self, cells):
        """Return the parts of the dates."""
        days = days_of(cells)
        parts = date_parts(days)
        return [*parts[: 3 + self.with_hour], days - self.first]


class CategoryColumn:
    """Categories; in a column of very many, the rare ones share one."""

    # If there are more than `max_categories`, those of fewer than `min_count` cells
    # become `RARE`, and so do those that `fit` has not seen.

    suffixes = ("",)

    def __init__(self, max_categories, min_count):
        self.max_categories, self.min_count = max_categories, min_count

    def fit(self, cells, y, folds):
        """Learn which categories are frequent; return the encoded cells."""
        values, counts = distinct_strings(cells)
        self.frequent = None
        if len(values) > self.max_categories:
            self.frequent = set(values[counts >= self.min_count])
        return self.transform(cells)

    def transform(self, cells):
        """Return the cells as strings, in an object array; a missing cell is NaN."""
        labels = _labels(cells)
        values = [_known(value) for value in as_strings(labels.categories)]
        if self.frequent is not None:
            values = [
                value if value != value or value in self.frequent else RARE
                for value in values
            ]
        return [object_array([*values, np.nan])[labels.codes]]


class TextColumn:
    """Free text as the log likelihoods of the classes given its words."""

    # The words are counted, and `TextNB` is fitted to them. The training rows get the
    # log likelihoods of models that are fitted without their fold. For a numeric target
    # the column is the prediction of a ridge regression on TF-IDF weights, without a
    # target the number of words.

    def __init__(self, n_jobs):
        self.n_jobs = n_jobs

    def fit(self, cells, y, folds):
        """Fit the model of the words; return the scores by models without each fold."""
        documents = _documents(cells)
        self.model, self.suffixes, self.classes = None, ("_words",), None
        if y is None:
            return self.transform(cells)
        if y.dtype.kind == "f":
            self.suffixes = ("_score",)
        else:
            self.classes = np.unique(y)
            named = self.classes[1:] if len(self.classes) == 2 else self.classes
            self.suffixes = tuple(f"_{label}" for label in named)
        scores = np.zeros((len(documents), len(self.suffixes)))
        for fold in range(folds.max() + 1):
            left_out = folds == fold
            model = self._fit_model(documents[~left_out], y[~left_out])
            scores[left_out] = self._scores(model, documents[left_out])
        self.model = self._fit_model(documents, y)
        return list(scores.T)

    def transform(self, cells):
        """Return the scores by the model of all training rows, or numbers of words."""
        documents = _documents(cells)
        if self.suffixes == ("_words",):
            return [np.array([len(text.split()) for text in documents], dtype=float)]
        return list(self._scores(self.model, documents).T)

    def _fit_model(self, documents, y):
        if self.classes is None:
            model = make_pipeline(TfidfVectorizer(), Ridge())
        else:
            model = make_pipeline(
                CountVectorizer(), TextNB(loo_scoring="log_loss", n_jobs=self.n_jobs)
            )
        try:
            return model.fit(documents, y)
        except ValueError:  # no words
            return None

    def _scores(self, model, documents):
        if model is None:
            return np.zeros((len(documents), len(self.suffixes)))
        if self.classes is None:
            return model.predict(documents)[:, np.newaxis]
        counts, nb = model[0].transform(documents), model[-1]
        likelihood = np.zeros((len(documents), len(self.classes)))
        known = np.searchsorted(self.classes, nb.classes_)
        floor = np.log(np.finfo(float).tiny)
        log_proba = np.maximum(nb.predict_log_proba(counts), floor)
        likelihood[:, known] = log_proba - nb.class_log_prior_
        if len(self.classes) == 2:
            return likelihood[:, 1:] - likelihood[:, :1]
        return likelihood - likelihood.mean(axis=1, keepdims=True)


def as_strings(values):
    """Return labels as strings; whole numbers without a decimal point."""
    return [
        value
        if isinstance(value, str)
        else f"{value:.15g}"
        if isinstance(value, int | float | np.number)
        and not isinstance(value, bool | np.bool_)
        else str(value)
        for value in values
    ]


def distinct_strings(cells):
    """Return the distinct strings of the known cells of a column, and their counts."""
    labels = _labels(cells)
    n_cells = np.bincount(
        labels.codes[labels.codes >= 0], minlength=len(labels.categories)
    )
    values = object_array([_known(value) for value in as_strings(labels.categories)])
    known = np.array([value == value for value in values], dtype=bool) & (n_cells > 0)
    return values[known], n_cells[known]


def _known(string):
    """Return a string without surrounding blanks, NaN where it stands for missing."""
    string = string.strip()
    return np.nan if string in MISSING_WORDS else string


def _labels(cells):
    if isinstance(cells, Labels):
        return cells
    values, codes = np.unique(cells, return_inverse=True)
    codes = np.where(np.isnan(cells), -1, codes).astype(np.int32)
    return Labels(object_array(values[~np.isnan(values)].tolist()), codes)


def _decode(values, labels):
    return np.append(values, np.nan)[labels.codes]


def days_of(cells):
    """Return cells as days since 1970-01-01, NaN where a cell is no date."""
    if not isinstance(cells, Labels):
        return np.where((cells >= MIN_DAYS) & (cells < MAX_DAYS + 1), cells, np.nan)
    return _decode(parse_dates(as_strings(cells.categories)), cells)


def _documents(cells):
    values = as_strings(_labels(cells).categories)
    values = ["" if text.strip() in MISSING_WORDS else text for text in values]
    return object_array([*values, ""])[_labels(cells).codes]
