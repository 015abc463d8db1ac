"""What both stacking estimators share: members, their predictions of unseen rows."""

from abc import ABCMeta, abstractmethod
from html import escape
from numbers import Integral

import numpy as np
from joblib import parallel_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils import assert_all_finite, get_tags

from .._core._compat import Interval, StrOptions
from .._core._estimator import (
    DocLinkMixin,
    FittedHtmlMixin,
    LeftOutScoreMixin,
    all_or_nothing,
    require_targets,
)
from .._core._parallel import map_tasks
from ..leave_one_out import rows_to_leave_out
from ..tabular import (
    is_frame,
    number_copies,
    number_of_equal_rows,
    read_table,
    take_rows,
    times_class_weight,
    weighted_rows,
)
from ._held_out_rows import folds_of_rows
from ._hypotheses import (
    CV,
    NamedPartsMixin,
    check_accepts_weights,
    check_names,
    fitted_clone,
    named_pairs,
    noting_member,
    splits_of_kept_rows,
)
from ._predicted_labels import restrict_input_tags


class StackingBase(
    NamedPartsMixin,
    FittedHtmlMixin,
    DocLinkMixin,
    MetaEstimatorMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Members, weighted by how they predict rows that they have not seen."""

    _parts_parameter = "estimators"
    _loss_name: str  # what `loo_scores_` holds
    _parameter_constraints = {
        "estimators": [list, tuple, None],
        "pool": [StrOptions({"linear"})],
        "cv": CV,
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimators=None,
        *,
        pool="linear",
        cv=5,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.estimators = estimators
        self.pool = pool
        self.cv = cv
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @staticmethod
    @abstractmethod
    def _default_members():
        """Return the pairs (name, estimator) that ``estimators=None`` means."""

    @staticmethod
    @abstractmethod
    def _members_of_texts(documents):
        """Return the pairs that ``estimators=None`` means for raw documents."""

    @abstractmethod
    def _read_targets(self, y):
        """Return checked targets, and codes (n,) whose values each fold should have."""

    @abstractmethod
    def _predict_member(self, index, member, X):
        """Return what a fitted member predicts, (n_rows, ...); X=None leaves out."""

    @abstractmethod
    def _learn_weights(self, unseen, targets, weight, copy_of):
        """Set `weights_` and `loo_scores_`."""
        # unseen: for each member its predictions of the rows, which it has not seen;
        # targets: codes of classes, or numbers; weight: of sum n for n rows of equal
        # weight; copy_of: a number for each row, the same for copies.

    def _fit(self, X, y, sample_weight, class_weight=None):
        """Fit all members, and learn their weights."""
        require_targets(self, y)
        with all_or_nothing(self):
            X = self._check_rows(X, y, reset=True)
            is_text = len(X.shape) == 1
            self.names_, members = self._named_members(X if is_text else None)
            splits = splits_of_kept_rows(self.cv, X, y, sample_weight)
            X, y, weight = weighted_rows(X, y, sample_weight)
            if len(y) < 2:
                raise ValueError(
                    "The members are weighted by rows that they have not seen: "
                    f"n_samples = {len(y)}, and two rows of weight above 0 are needed."
                )
            y, codes = self._read_targets(y)
            if class_weight is not None:
                weight = times_class_weight(weight, class_weight, self.classes_, codes)
            is_weighted = not (sample_weight is None and class_weight is None)
            rows = X, y, weight if is_weighted else None
            if is_weighted:
                for name, member in zip(self.names_, members):
                    advice = "remove the estimator from estimators"
                    check_accepts_weights(member, f"The estimator {name!r}", advice)
            numbers = codes if is_classifier(self) else y
            if splits is None:
                splits = self._splits(X, codes, numbers, weight)

            def learn(index):
                return self._learn_member(index, members[index], rows, len(splits) > 1)

            learned = map_tasks(learn, range(len(members)), n_jobs=self.n_jobs)
            self.estimators_, left_out = map(list, zip(*learned))
            unseen = self._unseen_predictions(members, left_out, splits, rows)
            tested = np.sort(np.concatenate([test for _, test in splits]))
            # Trees of some folds leave all rows of other folds unpredicted. A member
            # without any prediction, by overflow, gets no weight.
            is_nan = np.isnan(unseen).reshape(len(unseen), len(tested), -1).any(axis=2)
            is_known = ~is_nan[~is_nan.all(axis=1)].any(axis=0)
            tested = tested[is_known]
            # Documents are a table of one column to whatever compares rows.
            table = read_table(take_rows(X[:, None] if is_text else X, tested))
            targets, weight = numbers[tested], weight[tested]
            copy_of = number_copies(table, targets, weight)
            # The penalty of the members' weights is in rows.
            n_rows = number_of_equal_rows(np.bincount(copy_of, weight))
            weight = weight / (weight.sum() / n_rows)
            self._learn_weights(unseen[:, is_known], targets, weight, copy_of)
        return self

    def _check_rows(self, X, y="no_validation", *, reset):
        """Return checked rows; members of weight 0 would not refuse infinity."""
        X = super()._check_rows(X, y, reset=reset)
        if not is_frame(X) and X.dtype.kind == "f":
            allow_nan = get_tags(self).input_tags.allow_nan
            with np.errstate(over="ignore", invalid="ignore"):  # in its sum of cells
                assert_all_finite(X, allow_nan=allow_nan, input_name="X")
        return X

    def _named_members(self, documents):
        """Return the names and the members as given, not fitted."""
        pairs = self.estimators
        if pairs is None and documents is not None:
            pairs = self._members_of_texts(documents)
        elif pairs is None:
            pairs = self._default_members()
        pairs = [p for p in pairs if not (isinstance(p, tuple) and p[1:] == ("drop",))]
        if not pairs:
            raise ValueError("estimators is empty: pass at least one, or None.")
        for item in pairs:
            if not (named_pairs([item]) and hasattr(item[1], "fit")):
                raise TypeError(
                    f"estimators holds {item!r:.200}: each item must be a pair "
                    "(name, estimator)."
                )
        names, members = map(list, zip(*pairs))
        wanted = get_tags(self).estimator_type
        for name, member in pairs:
            is_wanted = get_tags(member).estimator_type in (wanted, None)
            if not (is_wanted and hasattr(member, "predict")):
                raise ValueError(
                    f"The estimator {name!r} must be a {wanted}: "
                    f"{type(member).__name__} is none."
                )
        check_names(names, self.get_params(deep=False), "estimators")
        return names, members

    def _splits(self, X, codes, targets, weight):
        """Return pairs (train, test): folds, or one part of a large table."""
        splits = folds_of_rows(X, codes, targets, weight, self.cv)
        if len(splits) == 1:  # all rows are equal: there is nothing to be learnt
            return [(np.arange(len(codes)), np.arange(len(codes)))]
        if self.loo_max_samples is None or len(codes) <= self.loo_max_samples:
            return splits
        train, test = splits[0]
        some = rows_to_leave_out(len(test), self.loo_max_samples, self.random_state)
        return [(train, test[some])]

    def _learn_member(self, index, member, rows, leaves_out):
        """Return a fitted member and its left-out predictions, None if it has none."""
        with noting_member(self.names_[index], "all rows"):
            member = fitted_clone(member, *rows)
        if leaves_out and isinstance(member, LeftOutScoreMixin):
            try:
                return member, self._predict_member(index, member, None)
            except ValueError:  # with these parameters there is no exact answer
                pass
        return member, None

    def _unseen_predictions(self, members, left_out, splits, rows):
        """Return each member's predictions of the rows in test parts, sorted."""
        others = {i: members[i] for i, found in enumerate(left_out) if found is None}
        with parallel_config("threading"):
            held_out = self._held_out_predictions(others, splits, rows)
        return np.stack([held_out.get(i, found) for i, found in enumerate(left_out)])

    def _html_of_fit(self):
        if not hasattr(self, "weights_"):
            return ""
        weights = [*(f"{weight:.3f}" for weight in self.weights_), ""]
        rows = [
            f"<tr><td>{escape(name)}</td><td>{weight}</td><td>{loss:.4g}</td></tr>"
            for weight, (name, loss) in zip(weights, self.loo_scores_.items())
        ]
        return (
            "<details open><summary>The members' weights</summary><table><tr>"
            f"<th>member</th><th>weight</th><th>{self._loss_name}, rows not seen</th>"
            f"</tr>{''.join(rows)}</table></details>"
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        pairs = self._default_members() if self.estimators is None else self.estimators
        members = [member for _, member in named_pairs(pairs) if hasattr(member, "fit")]
        return restrict_input_tags(tags, members)
