"""Early stopping of boosting: rows are held out, and their error ends the rounds."""

import numpy as np

from ._held_out_rows import held_out_shares


def split_off_validation_rows(rows, fraction):
    """Return the rows to train on and the rows that are held out, by class."""
    # Both are TrainingRows. A row of which only a share is held out is in both.
    share = held_out_shares(rows.X, rows.codes, rows.weight, fraction)
    parts = []
    for weight, use in (
        (rows.weight * (1.0 - share), "training"),
        (rows.weight * share, "validation"),
    ):
        kept = np.flatnonzero(weight)
        if not len(kept):
            raise ValueError(
                f"validation_fraction={fraction} of {len(share)} rows leaves no row "
                f"for {use}: change it, or set n_iter_no_change=None."
            )
        parts.append(rows.take(kept, weight[kept]))
    return parts


class ValidationError:
    """The error of a growing ensemble on held-out rows."""

    # rows: TrainingRows, held out; member_type: a subclass of BoostedMembers.
    def __init__(self, rows, member_type, classes, n_iter_no_change, n_jobs):
        self._rows, self._X = rows, member_type.read(rows.X)
        self._add_votes = member_type.add_votes
        self._classes, self._n_jobs = classes, n_jobs
        self._n_iter_no_change = n_iter_no_change
        self._votes = np.zeros((len(rows.codes), len(classes)))
        self.errors = []  # the weighted error after each round

    def add(self, member, alpha):
        """Add the votes of a member; return whether boosting should stop."""
        self._add_votes(
            self._votes, member, alpha, self._X, self._classes, self._n_jobs
        )
        wrong = self._votes.argmax(axis=1) != self._rows.codes
        self.errors.append(np.average(wrong, weights=self._rows.weight))
        return len(self.errors) - self.n_best >= self._n_iter_no_change

    @property
    def n_best(self):
        """The number of members with the least error, 0 before the first round."""
        return int(np.argmin(self.errors)) + 1 if self.errors else 0
