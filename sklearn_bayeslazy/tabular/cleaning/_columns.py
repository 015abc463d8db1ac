"""Encoders of single columns: numbers, dates and free text.

Each is fitted to the :class:`Cells` of its column, and returns one or several columns,
of shape (n_rows,) each, which are named by the column and one of ``suffixes``.
``transform`` also returns a note on cells that
it cannot read, or an empty string. `y` are the
targets, or None, and `folds` the number of the fold of each row.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from ...text import TextNB
from .._frames import is_frame, take_columns
from .._labels import object_array
from ._cells import as_strings, is_marker, label_of, read_columns
from ._dates import date_parts
from ._numbers import STRINGS, may_be_groups
from ._words import MISSING_WORDS


class NumberColumn:
    """Numbers, also those that are written in strings."""

    suffixes = ("",)

    def __init__(self, learned):
        self.format = learned

    def fit(self, cells, y, folds):
        """Return the cells, which are read to floats."""
        return [cells.cells]

    def transform(self, cells):
        """Return the cells as floats; what is no number is missing."""
        numbers, unread = cells.read(self.format)
        note = _note(numbers, unread, self.format, "numbers")
        if not self.format.is_whole or cells.holds != STRINGS:
            return [numbers], note
        strings = map(str.strip, as_strings(cells.cells.categories))
        guesses = [s for s in strings if s.count(".") == 1 and may_be_groups([s])]
        if guesses:
            read = f"{guesses[0]!r} is read as {float(guesses[0]):g}, which is a guess"
            note = "; ".join(filter(None, [note, read]))
        return [numbers], note


class DateColumn:
    """Dates as cyclic month, weekday and hour if they vary, and days from the first."""

    def __init__(self, learned):
        self.format = learned

    def fit(self, cells, y, folds):
        """Learn the first date and the parts that vary; return the encoded cells."""
        days = cells.cells
        known = days[np.isfinite(days)]
        self.first = known.min() if len(known) else 0.0
        parts = zip(("month", "weekday", "hour"), date_parts(known))
        self.parts = [name for name, part in parts if len(np.unique(part)) > 1]
        waves = [f"_{name}_{wave}" for name in self.parts for wave in ("sin", "cos")]
        self.suffixes = (*waves, "_days")
        return self._encode(days)

    def transform(self, cells):
        """Return the parts of the dates."""
        days, unread = cells.read(self.format)
        return self._encode(days), _note(days, unread, self.format, "dates")

    def _encode(self, days):
        # January, Monday and midnight are the angle 0.
        month, weekday, hour = date_parts(days)
        turns = {"month": (month - 1) / 12, "weekday": weekday / 7, "hour": hour / 24}
        angles = [2 * np.pi * turns[name] for name in self.parts]
        waves = [wave(angle) for angle in angles for wave in (np.sin, np.cos)]
        return [*waves, days - self.first]


def _note(cells, unread, learned, what):
    """Return a note on unread words that `fit` has not seen and that mean no number."""
    new = sorted(unread.keys() - set(learned.words))
    new = [word for word in new if not is_marker(word)]
    if not new:
        return ""
    n = sum(unread[word] for word in new)
    return (
        f"{n} of {len(cells)} cells cannot be read as the {what} of fit and are taken "
        f"as missing, for example {new[0]!r:.40}"
    )


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
            return self.transform(cells)[0]
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
            n_words = [len(text.split()) for text in documents]
            return [np.array(n_words, dtype=float)], ""
        return list(self._scores(self.model, documents).T), ""

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


def _documents(cells):
    labels = cells.as_labels()
    values = map(label_of, as_strings(labels.categories))
    values = ["" if text.strip() in MISSING_WORDS else text for text in values]
    return object_array([*values, ""])[labels.codes]


# Joins the text of a row into one document.


def join_documents(X, columns):
    r"""Join the strings of some columns into one document a row.

    With :class:`sklearn.preprocessing.FunctionTransformer` it is the first step of a
    pipeline that reads only free text.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
    columns : list of str or int
        Names, or indices where X has no names.

    Returns
    -------
    documents : object ndarray of shape (n_samples,)
        The known cells of each row, one a line; "" for a row without known cells.

    Examples
    --------
    >>> join_documents(np.array([["hi", 1, "you"], [None, 2, "me"]], object), [0, 2])
    array(['hi\nyou', 'me'], dtype=object)
    """
    X = X if is_frame(X) else np.asarray(X, dtype=object)
    names = list(X.columns) if is_frame(X) else list(range(X.shape[1]))
    X = take_columns(X, [names.index(column) for column in columns])
    texts = map(_documents, read_columns(X, list(map(str, columns))))
    return object_array(["\n".join(filter(None, row)) for row in zip(*texts)])
