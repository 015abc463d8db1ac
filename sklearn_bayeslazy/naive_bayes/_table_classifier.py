"""What classifiers of tables share: reading, predictions by blocks, explanations."""

import numpy as np

from .._core._estimator import all_or_nothing, names_of_columns
from .._core._joint_log_likelihood import JointLogLikelihoodClassifier
from .._core._parallel import map_chunks
from ..explain import Cells, Explanation
from ..leave_one_out import LEFT_OUT_FOLDS, PredictionSetMixin, cross_fitted
from ..tabular import (
    BlockFitMixin,
    check_table,
    encode_classes,
    known_classes,
    read_table,
    take_rows,
    times_class_weight,
    weighted_rows,
)
from ._columns import Batch, fit_with_indicators


class TableClassifier(BlockFitMixin, PredictionSetMixin, JointLogLikelihoodClassifier):
    """A joint log likelihood of rows of a table with labels and numbers."""

    # A subclass has the parameters `categories`, `unknown` and `missing_indicators`;
    # the types of its model, a `PenalizedModel`, and of the model's settings; and the
    # method `_set_model`, which sets `_model` and what follows from it.

    def _fit(self, X, y, sample_weight):
        """Learn, and keep the batch and the settings as training rows."""
        with all_or_nothing(self):
            self.classes_, batch = self._read(X, y, sample_weight, reset=True)
            settings = self._settings_type.of(self)
            batch = self._fit_first(batch, settings)
            self._keep_training_rows(
                (batch, settings), sample_weight, batch.classes, batch.weight
            )
        return self

    def _fit_first(self, batch, settings):
        """Learn from a first batch; return it with its indicators of missing cells."""
        model, batch, columns = fit_with_indicators(self._model_type, batch, settings)
        self.missing_indicators_ = columns
        self._set_model(model)
        return batch

    def _partial_fit(self, X, y, classes, sample_weight):
        """Learn from the first batch of rows, or from one more."""
        first = not hasattr(self, "classes_")
        with all_or_nothing(self):
            classes = known_classes(self, classes)
            self.classes_, batch = self._read(
                X, y, sample_weight, reset=first, classes=classes
            )
            settings = self._settings_type.of(self)
            if first:
                self._fit_first(batch, settings)
            else:
                batch = batch.with_missing_indicators(self.missing_indicators_)
                self._set_model(self._model.update(batch, settings))
        return self

    def _merge(self, other):
        """Add the statistics of another model, which is checked to match this one."""
        with all_or_nothing(self):
            classes = np.union1d(self.classes_, other.classes_)
            first, second = (
                model._model.expand_classes(
                    np.searchsorted(classes, model.classes_), len(classes)
                )
                for model in (self, other)
            )
            self.classes_ = classes
            self._set_model(first.merge(second))
        return self

    def _forget_rows(self):
        """Drop the counts of all rows, and keep what was chosen."""
        self._model = self._model.without_rows()

    def _read(self, X, y, sample_weight, *, reset, classes=None):
        """Return the classes and the labelled rows, those of weight 0 dropped."""
        X = check_table(self, X, y, reset=reset, accept_sparse=self._accepts_sparse())
        X, y, weight = weighted_rows(X, y, sample_weight)
        names = self._column_names()
        table = read_table(X, names, self.categories, self.n_jobs)
        classes, codes = encode_classes(y, classes, n_jobs=self.n_jobs)
        weight = times_class_weight(weight, self.class_weight, classes, codes)
        return classes, Batch(table, codes, weight, len(classes), self.n_jobs)

    def _column_names(self):
        """Return the names of the columns in messages, None for their indices."""
        return getattr(self, "feature_names_in_", None)

    def _accepts_sparse(self):
        return False

    def _accepts_categories(self):
        return True

    def _check(self, X):
        return check_table(self, X, reset=False, accept_sparse=self._accepts_sparse())

    def _joint_blocks(self, X, rows, tempered=False):
        table = self._table_of(X, rows)
        for block, joint in self._model.joint_blocks(table, self.unknown == "error"):
            yield slice(rows.start + block.start, rows.start + block.stop), joint

    def _left_out_joint(self, tempered):
        batch, settings = self._rows_to_leave_out()
        model, batch = self._model, batch.merged()
        models = [(np.arange(len(batch.classes)), model)]
        if settings.tunes_weights:
            repeatable = settings.for_folds(model)

            def learn(others):
                chosen = type(model).fit(batch.take(others), repeatable)
                return chosen.without_rows().update(batch, settings)

            models = cross_fitted(
                model, batch.table, batch.classes, batch.weight, learn, LEFT_OUT_FOLDS
            )
        joint, log_prior = np.empty((2, len(batch.classes), len(self.classes_)))
        for rows, one in models:
            (found,) = one.leave_out_each([one], batch, settings, rows)
            joint[rows], log_prior[rows] = found
        return joint[batch.of_given], log_prior[batch.of_given]

    def _copies_left_out(self):
        batch, _ = self._rows_to_leave_out()
        return batch.merged().of_given

    def _table_of(self, X, rows):
        """Return a slice of rows of a checked input as a table with the indicators."""
        table = read_table(take_rows(X, rows), self._column_names())
        return table.with_missing_indicators(self.missing_indicators_)

    def _explain(self, X, log_prior, others=(), note="", bytes_per_row=None):
        """Return the explanation of rows of a table from the terms of their cells."""
        # log_prior: (n_classes,), what no cell changes. others: the names of the parts
        # that follow the columns; `note` explains them.
        given, X = X, self._check(X)
        d, with_indicators = self.n_features_in_, self.missing_indicators_
        terms = np.empty((X.shape[0], d + len(others), len(self.classes_)))

        def explain(rows):
            table = self._table_of(X, rows)
            found = self._model.explain(table, self.unknown == "error")
            of_indicators = found[:, d : d + len(with_indicators)]
            found[:, with_indicators] += of_indicators
            terms[rows] = np.delete(found, np.s_[d : d + len(with_indicators)], axis=1)

        bytes_per_row = bytes_per_row or self._bytes_per_row(X)
        map_chunks(explain, len(terms), bytes_per_row, n_jobs=self.n_jobs)
        names = names_of_columns(self)
        return Explanation(
            terms,
            np.tile(log_prior, (len(terms), 1)),
            self.classes_,
            names=[*names, *others],
            values=Cells(given, names),
            base_name="(prior)",
            note=note,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = self._accepts_categories()
        tags.input_tags.sparse = self._accepts_sparse()
        tags.input_tags.string = self._accepts_categories()
        return tags
