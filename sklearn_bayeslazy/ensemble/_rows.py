"""Labelled rows as learners of a committee get them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compat import check_method_params
from ..tabular import take_rows


@dataclass
class Rows:
    """Labelled rows, their masses, and what else goes with each.

    Attributes
    ----------
    X : {array-like, dataframe, sparse matrix} of shape (n_rows, n_columns)
    y : array of shape (n_rows,)
        Labels.
    codes : int array of shape (n_rows,)
        Their places among the classes.
    weight : array of shape (n_rows,)
        Above 0.
    params : dict
        More arguments for the fit of a learner; those with an entry for each row follow
        the rows.
    """

    X: Any
    y: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    params: dict

    def take(self, rows, weight):
        """Return some of the rows, with masses of their own."""
        return Rows(
            take_rows(self.X, rows),
            self.y[rows],
            self.codes[rows],
            weight,
            check_method_params(self.X, self.params, rows),
        )
