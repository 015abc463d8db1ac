"""LearnedHash: bits that rows of one class, or must-link pairs, tend to share."""

from numbers import Real

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._core._compat import Interval, fit_context
from .._core._estimator import all_or_nothing, require_targets
from ._hash import HashBase, orthogonal

# Rows from which the scatter within classes is estimated.
_MAX_SAMPLE = 20_000
# Columns of sparse rows that are used: the scatters are dense, and their eigenvectors
# take a time of the third power.
_MAX_SPARSE_COLUMNS = 1024
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

    Rows can be sparse. Of more than 1024 columns only those that most rows fill are
    used then; the others have the direction 0.

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
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
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
            If there are neither classes nor pairs, a pair has an invalid index, or
            `components_` would hold more than 2²⁶ numbers.
        """
        with all_or_nothing(self):
            if must_link is None and cannot_link is None:
                require_targets(self, y)
            if y is None:
                X = self._checked(X)
            else:
                X, y = self._checked(X, y)
                check_classification_targets(y)
            n_bits = self._check_size(X.shape[1])
            rng = check_random_state(self.random_state)
            columns = slice(None)
            if sparse.issparse(X) and X.shape[1] > _MAX_SPARSE_COLUMNS:
                columns = _most_filled(X, _MAX_SPARSE_COLUMNS)
            transformed, unit = _standardized(X[:, columns])
            together, apart = _scatters(transformed, y, must_link, cannot_link, rng)
            axes, self.gains_ = _axes(together, apart, self.shrinkage)
            directions = rng.standard_normal((n_bits, len(axes)))
            self.components_ = np.zeros((n_bits, X.shape[1]))
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                components = orthogonal(directions) @ axes / unit
            if not np.isfinite(components).all():
                raise ValueError(
                    f"The standard deviation of a column, {unit.min():.3g}, is too "
                    "small to divide by: multiply X by a larger number, or drop the "
                    "column."
                )
            self.components_[:, columns] = components
            self.thresholds_ = np.median(self._coordinates(X), axis=0)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def _most_filled(X, n_columns):
    """Return the columns of sparse rows with the most stored cells, ascending."""
    # If no cell is stored, the first column stands for all.
    filled, n_filled = np.unique(X.indices, return_counts=True)
    most = filled[np.argsort(-n_filled, kind="stable")[:n_columns]]
    return np.sort(most) if len(most) else np.zeros(1, dtype=np.int64)


def _standardized(X):
    """Return columns of mean 0 and variance 1, and the divisor of each."""
    # The mean of sparse columns stays as it is.
    if sparse.issparse(X):
        size = np.abs(X).max(axis=0).toarray().ravel()
        size[size == 0] = 1.0
        transformed = sparse.csr_array(X.multiply(1 / size))
        deviation = np.sqrt(mean_variance_axis(sparse.csr_matrix(transformed), 0)[1])
        deviation[deviation < _ROUNDING] = 1.0
        return sparse.csr_array(transformed.multiply(1 / deviation)), size * deviation
    size = np.abs(X).max(axis=0)  # first the largest, so that no square overflows
    size[size == 0] = 1.0
    transformed = X / size
    transformed -= transformed.mean(axis=0)
    deviation = transformed.std(axis=0)
    deviation[deviation < _ROUNDING] = 1.0
    return transformed / deviation, size * deviation


def _scatters(X, y, must_link, cannot_link, rng):
    """Return the scatters of must-link and of cannot-link pairs."""
    # A scatter, (d, d), is half the mean outer product of the differences of pairs;
    # must_link, cannot_link: (n_pairs, 2), row numbers, or None.
    together, apart, n = [], [], X.shape[0]
    of_all_rows = _scatter_in_groups(X, np.zeros(n, dtype=np.int64))
    if y is not None:
        some = np.sort(rng.permutation(n)[:_MAX_SAMPLE])
        classes = np.unique(y[some], return_inverse=True)[1]
        together.append(_scatter_in_groups(X[some], classes))
        apart.append(of_all_rows)
    for links, scatters, name in (
        (must_link, together, "must_link"),
        (cannot_link, apart, "cannot_link"),
    ):
        if links is not None:
            pairs = _checked(links, name, n)
            gaps = X[pairs[:, 0]] - X[pairs[:, 1]]
            scatters.append(_products(gaps) / (2 * len(pairs)))
    together, apart = together or [of_all_rows], apart or [of_all_rows]
    return sum(together) / len(together), sum(apart) / len(apart)


def _scatter_in_groups(X, groups):
    """Return the mean outer product of rows less the means of their groups."""
    n, sizes = len(groups), np.bincount(groups)
    members = sparse.csr_array((np.ones(n), (groups, np.arange(n))))
    means = members @ X / sizes[:, None]
    if sparse.issparse(X):
        means = means.toarray()
        scatter = _products(X) - (means.T * sizes) @ means
    else:
        scatter = _products(X - means[groups])
    # Columns that are constant in every group would keep a rounding error.
    is_constant = scatter.diagonal() <= _ROUNDING * (X**2).sum(axis=0)
    scatter[is_constant] = scatter[:, is_constant] = 0.0
    return scatter / n


def _products(rows):
    """Return the sum of the outer products of rows, as a dense array."""
    products = rows.T @ rows
    return products.toarray() if sparse.issparse(products) else products


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


def _with_signs(vectors):
    """Return columns with the signs by which the largest number of each is positive.

    >>> _with_signs(np.array([[1.0, 0.6], [-2.0, 0.8]]))
    array([[-1. ,  0.6],
           [ 2. ,  0.8]])
    """
    # Signs of eigenvectors follow the rounding. Of equally large numbers the first is
    # positive.
    sizes = np.abs(vectors)
    largest = np.argmax(sizes > (1 - _ROUNDING) * sizes.max(axis=0), axis=0)
    return vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])])


def _axes(together, apart, shrinkage):
    """Return stretched axes, of shape (n_axes, d), and their ratios, descending."""
    d = len(together)
    mean_variance = np.trace(together) / d or np.trace(apart) / d or 1.0
    # Even with shrinkage=0, the scatter must be positive in every direction.
    shrinkage = max(shrinkage, 1e-9)
    shrunk = (1 - shrinkage) * together + shrinkage * mean_variance * np.eye(d)
    ratios, vectors = eigh(apart, shrunk)
    ratios, vectors = ratios[::-1], _with_signs(vectors[:, ::-1])
    gain = ratios - 1
    separates = gain > _MIN_GAIN * max(gain[0], 0.0)
    if not separates.any():  # all directions are equally good
        separates, gain = np.ones(d, dtype=bool), np.ones(d)
    return (vectors[:, separates] * np.sqrt(gain[separates])).T, ratios[separates]
