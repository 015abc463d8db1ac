"""LearnedHash: bits that rows of one class, or must-link pairs, tend to share."""

from numbers import Real

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets

from .._compat import Interval, fit_context
from .._estimator import all_or_nothing, require_targets
from ..tabular import check_rows
from ._hashing import HashBase, orthogonal

# Rows from which the scatter within classes is estimated.
_MAX_SAMPLE = 20_000
# Standard deviation of a constant column, by rounding alone.
_ROUNDING = 1e-13
# Axes of a smaller gain, relative to the largest, do not separate rows: λ is about 1.
_MIN_GAIN = 1e-6


class LearnedHash(HashBase):
    """Bits learnt from examples of rows that belong together, and of rows that do not.

    Columns are scaled to variance 1. M is the scatter of must-link pairs, C that of
    cannot-link pairs. The eigenvectors of C v = λ M v are the directions with the
    largest ratios λ of the two scatters. They become the axes, each stretched by
    √(λ - 1): an axis with λ = 1 vanishes. In this space hyperplanes are drawn at
    random, in orthogonal groups of as many as there are axes. Each is moved to the
    median, so that its bit halves the rows.

    Parameters
    ----------
    n_bits : int, default=16
        From 1 to 62.
    shrinkage : float, default=0.1
        Shrinkage of M towards a multiple of the identity, from 0 to 1. Few pairs in
        many columns need more of it.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None
        Threads for `transform`.

    Attributes
    ----------
    components_ : ndarray of shape (n_bits, n_features)
        The directions.
    thresholds_ : ndarray of shape (n_bits,)
        The medians of the training rows along them.
    gains_ : ndarray of shape (n_axes,)
        The ratios λ of the axes, descending.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if X had names that are all strings.

    See Also
    --------
    RandomProjectionHash : Random directions, which learn nothing.
    LSHNeighbors : Finds neighbours in the buckets of such bits.

    References
    ----------
    Wang, Kumar and Chang, "Semi-supervised hashing for large-scale search", *PAMI* 34
    (2012).

    Examples
    --------
    The second column separates the classes; the first is larger:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import LearnedHash
    >>> X = np.array([[-9.0, 0.0], [9.0, 0.0], [-9.0, 1.0], [9.0, 1.0]])
    >>> hash_ = LearnedHash(n_bits=1, random_state=0).fit(X, [0, 0, 1, 1])
    >>> bits = hash_.transform(X).ravel()
    >>> bool(bits[0] == bits[1] != bits[2] == bits[3])
    True
    """

    _parameter_constraints = {
        **HashBase._parameter_constraints,
        "shrinkage": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_bits=16, *, shrinkage=0.1, random_state=None, n_jobs=None):
        self.n_bits = n_bits
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, must_link=None, cannot_link=None):
        """Learn the directions from classes, from pairs, or from both.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes: all pairs of rows of one class are must-link pairs.
        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            Indices of rows that belong together, and of rows that do not. The scatter
            of all rows replaces that of a kind of pairs that is not given.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are neither classes nor pairs, or a pair has an invalid index.
        """
        with all_or_nothing(self):
            if must_link is None and cannot_link is None:
                require_targets(self, y)
            if y is None:
                X = check_rows(self, X, dtype=np.float64)
            else:
                X, y = check_rows(self, X, y, dtype=np.float64)
                check_classification_targets(y)
            rng = check_random_state(self.random_state)
            transformed, unit = _standardized(X)
            together, apart = _scatters(transformed, y, must_link, cannot_link, rng)
            axes, self.gains_ = _axes(together, apart, self.shrinkage)
            directions = rng.standard_normal((self.n_bits, len(axes)))
            self.components_ = orthogonal(directions) @ axes / unit
            self.thresholds_ = np.median(self._coordinates(X), axis=0)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _standardized(X):
    """Return columns of mean 0 and variance 1, and the divisor of each."""
    size = np.abs(X).max(axis=0)  # first the largest, so that no square overflows
    size[size == 0] = 1.0
    transformed = X / size
    transformed -= transformed.mean(axis=0)
    deviation = transformed.std(axis=0)
    deviation[deviation < _ROUNDING] = 1.0
    return transformed / deviation, size * deviation


def _scatters(X, y, must_link, cannot_link, rng):
    """Return the scatters of must-link and of cannot-link pairs.

    A scatter is half the mean outer product of the differences of pairs.
    """
    together, apart = [], []
    of_all_rows = X.T @ X / len(X)
    if y is not None:
        some = np.sort(rng.permutation(len(X))[:_MAX_SAMPLE])
        rows, classes = X[some], np.unique(y[some], return_inverse=True)[1]
        sizes = np.bincount(classes)
        means = np.zeros((len(sizes), X.shape[1]))
        np.add.at(means, classes, rows)
        rows = rows - (means / sizes[:, None])[classes]
        together.append(rows.T @ rows / len(rows))
        apart.append(of_all_rows)
    for links, scatters, name in (
        (must_link, together, "must_link"),
        (cannot_link, apart, "cannot_link"),
    ):
        if links is not None:
            pairs = _checked(links, name, len(X))
            gaps = X[pairs[:, 0]] - X[pairs[:, 1]]
            scatters.append(gaps.T @ gaps / (2 * len(gaps)))
    together, apart = together or [of_all_rows], apart or [of_all_rows]
    return sum(together) / len(together), sum(apart) / len(apart)


def _checked(links, name, n_rows):
    pairs = check_array(links, dtype=None, input_name=name)
    if pairs.dtype.kind not in "iu" or pairs.shape[1] != 2:
        raise ValueError(
            f"{name} must hold pairs of row numbers, of shape (n_pairs, 2), got an "
            f"array of {pairs.dtype} of shape {pairs.shape}."
        )
    if pairs.min() < 0 or pairs.max() >= n_rows:
        raise ValueError(
            f"{name} names row {pairs.max() if pairs.max() >= n_rows else pairs.min()}"
            f", but X has the rows 0 to {n_rows - 1}."
        )
    return pairs


def _axes(together, apart, shrinkage):
    """Return stretched axes, of shape (n_axes, d), and their ratios, descending."""
    d = len(together)
    mean_variance = np.trace(together) / d or np.trace(apart) / d or 1.0
    # Even with shrinkage=0, the scatter must be positive in every direction.
    shrinkage = max(shrinkage, 1e-9)
    shrunk = (1 - shrinkage) * together + shrinkage * mean_variance * np.eye(d)
    ratios, vectors = eigh(apart, shrunk)
    ratios, vectors = ratios[::-1], vectors[:, ::-1]
    gain = ratios - 1
    separates = gain > _MIN_GAIN * max(gain[0], 0.0)
    if not separates.any():  # all directions are equally good
        separates, gain = np.ones(d, dtype=bool), np.ones(d)
    return (vectors[:, separates] * np.sqrt(gain[separates])).T, ratios[separates]
