"""`fit_blocks` of the estimators that learn by counting."""

from collections.abc import Iterator
from itertools import chain
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils import check_consistent_length
from tqdm import tqdm

from .._core._arrays import label_column
from ._frames import as_frame, is_frame, take_rows
from ._labels import object_array
from ._read import keep_kinds
from ._row_sample import RowSample


class Block(NamedTuple):
    """The rows of a block, their weights, and the name of y if it is a Series."""

    X: object  # frame, array or CSR
    y: np.ndarray | None  # (n,)
    sample_weight: object  # as given, or None
    y_name: object


class _NamedLabels(np.ndarray):
    """Labels with the name of the Series that they come from."""

    name = None


class BlockFitMixin:
    """`fit_blocks` on `partial_fit`, which must be exact for any split into batches."""

    # A subclass has `_forget_rows()`, which drops the counts of all rows. After it,
    # `partial_fit` keeps what was chosen.

    def _begin_blocks(self):
        """Prepare to count more rows than those of the sample."""

    def _end_blocks(self, X, y, sample_weight):
        """Choose what depends on the counts of all rows."""
        # X, y, sample_weight: the rows of the sample. Called only if the sample lacks
        # rows.

    def fit_blocks(
        self, blocks, *, classes=None, max_sample_rows=100_000, verbose=False
    ):
        """Learn from blocks of rows, which need not fit in memory together.

        Whatever is chosen from the data (column kinds, bins, the graph of a search, all
        that is "loo") is chosen by a fit to a sample, once for all blocks. All rows are
        counted then. The sample consists of the distinct rows with the smallest hashes,
        with the weights of all their copies. So the model does not depend on the order
        or the size of the blocks; and if the sample has room for all rows, what is
        chosen is what `fit` chooses from them. `loo_results_` are those of the sample.

        The trees of belief networks, "fan", "tan" and "chow_liu", come from the counts
        of all rows. So do `m`, `prior` and the calibration of any network that are
        "loo": the rows of the sample are left out of the counts of all rows, one by
        one.

        Parameters
        ----------
        blocks : iterable or callable
            Of tuples ``(X, y)`` or ``(X, y, sample_weight)``, as `partial_fit` takes
            them; for an estimator without classes also of X or ``(X,)``. Blocks are
            read twice: give a list or a function that returns a new iterator, such as
            ``lambda: ((part, part.pop("class")) for part in pandas.read_csv(path,
            chunksize=100_000))``. From an iterator, which can be read only once, the
            sample is taken from the first blocks, until it is full: their rows should
            be in random order.
        classes : array-like of shape (n_classes,), default=None
            All classes; needed if the first blocks of an iterator may lack some.
        max_sample_rows : int, default=100_000
            The largest number of distinct rows in the sample.
        verbose : bool, default=False
            Whether to show how many blocks have been read.

        Returns
        -------
        self
            If an error occurs, as it was before.

        Raises
        ------
        ValueError
            If there is no block, if a block cannot be used, or if the second reading
            gives other rows than the first.
        """
        check_max_sample_rows(max_sample_rows)
        sample = RowSample(max_sample_rows)
        again = []
        progress = {"disable": not verbose, "unit": " blocks"}
        has_classes = is_classifier(self)
        n_rows = 0
        for block in tqdm(_iterate(blocks), "sample", **progress):
            block = read_block(block, has_classes)
            sample.add(*block)
            n_rows += block.X.shape[0]
            if isinstance(blocks, Iterator):
                again.append(block)
                if n_rows >= max_sample_rows:
                    sample.has_all_rows = False
                    break
        model = choose_on_sample(self, sample, classes)
        for block in tqdm(chain(again, _iterate(blocks)), "count", **progress):
            block = read_block(block, has_classes)
            learn_block(model, block)
            n_rows -= block.X.shape[0]
        if not isinstance(blocks, Iterator) and n_rows:
            raise ValueError(
                "blocks had other rows when they were read again: give a list, or a "
                "function that returns a new iterator at each call."
            )
        model = choose_on_counts(model, sample)
        parameters = {name: vars(self)[name] for name in self.get_params(deep=False)}
        # One assignment: no other thread finds a part of the former model.
        self.__dict__ = vars(model) | parameters
        return self


def check_max_sample_rows(number):
    """Raise an error unless a number of rows can be that of a sample."""
    if not isinstance(number, Integral) or number < 2:
        raise ValueError(
            f"max_sample_rows must be an integer of at least 2, got {number!r}."
        )


def _iterate(blocks):
    blocks = as_frame(blocks)
    is_one_block = is_frame(blocks) or isinstance(blocks, np.ndarray | str | dict)
    if is_one_block or sparse.issparse(blocks):
        raise ValueError(
            "blocks must be a list of blocks, an iterator or a function that returns "
            f"one, got a {type(blocks).__name__}: pass [(X, y)] for one block."
        )
    # A chain cannot be closed. A loop over tqdm that ends early closes a generator, and
    # the blocks that it has not yielded would be lost.
    return chain(blocks() if callable(blocks) else blocks)


def read_block(block, has_classes):
    """Return a `Block` of what the user gave as one."""
    if isinstance(block, Block):  # read before
        return block
    parts = block if isinstance(block, tuple) else (block,)
    if not 1 <= len(parts) <= 3 or isinstance(parts[0], str):
        raise ValueError(
            "A block is X, or a tuple (X,), (X, y) or (X, y, sample_weight) of several "
            f"rows, got {block!r:.60}."
        )
    X, y, sample_weight = (*parts, None, None)[:3]
    X = as_frame(X)
    if has_classes and y is None:
        raise ValueError(
            "A classifier learns from blocks (X, y) or (X, y, sample_weight), each a "
            f"tuple with the classes of its rows, got a {type(block).__name__}."
        )
    if sparse.issparse(X):
        X = X.tocsr()
    elif not is_frame(X):
        X = object_array(list(X)) if _holds_documents(X) else keep_kinds(X)
    check_consistent_length(X, y, sample_weight)
    y_name = getattr(y, "name", None)
    y = None if y is None else label_column(y)
    if sample_weight is not None and not np.any(sample_weight):  # all are left out
        X, y = take_rows(X, slice(0)), None if y is None else y[:0]
        sample_weight = None
    return Block(X, y, sample_weight, y_name)


def _holds_documents(X):
    return np.ndim(X) == 1


def choose_on_sample(estimator, sample, classes=None):
    """Return a clone of an estimator with all choices made, and without rows."""
    model = clone(estimator)
    X, y, weight = sample.rows()
    if is_classifier(model):
        y = y.view(_NamedLabels)
        y.name = sample.y_name
        classes = sample.classes if classes is None else classes
        model.partial_fit(X, y, classes=classes, sample_weight=weight)
    else:
        model.partial_fit(X, sample_weight=weight)
    sample.loo_results = getattr(model, "loo_results_", None)
    model._forget_rows()
    if not sample.has_all_rows:
        model._begin_blocks()
    return model


def choose_on_counts(model, sample):
    """Return a model that has counted all rows with its last choices made."""
    if not sample.has_all_rows:
        model._end_blocks(*sample.rows())
    if sample.loo_results is not None and not hasattr(model, "loo_results_"):
        model.loo_results_ = sample.loo_results  # partial_fit has dropped them
    return model


def learn_block(model, block):
    """Add the rows of a `Block` to a model; return it."""
    X, y, sample_weight, _ = block
    if not X.shape[0]:
        return model
    if y is None:
        return model.partial_fit(X, sample_weight=sample_weight)
    return model.partial_fit(X, y, sample_weight=sample_weight)
