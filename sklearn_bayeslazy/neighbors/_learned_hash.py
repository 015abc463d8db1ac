"""LearnedHash: bits that rows of one class, or linked pairs, tend to share."""

from numbers import Real

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from .._compat import Interval, fit_context
from .._estimator import all_or_nothing, require_targets
from ._hashing import HashBase, orthogonal

# So many rows tell the scatter of a class.
_SAMPLE = 20_000
# A column of equal cells may vary by so much about its mean.
_ROUNDING = 1e-13
# Directions in which other pairs lie no farther apart than linked ones tell nothing.
_LEAST_GAIN = 1e-6


class LearnedHash(HashBase):
    """Bits learnt from examples: which rows belong together, and which do not.

    Columns are brought to variance 1. With the scatter M of must-link pairs and C of
    cannot-link pairs, the directions of the eigenproblem C v = λ M v have the largest
    ratio λ of both. Rows are put where these directions are the axes, each stretched by
    √(λ - 1), so that an axis that tells nothing vanishes; there planes are drawn at
    random, orthogonal as many at a time as there are axes, and moved to the median, so
    that each bit halves the rows.

    Parameters
    ----------
    n_bits : int, default=16
        From 1 to 62.
    shrinkage : float, default=0.1
        How far M is drawn towards a multiple of the identity, from 0 to 1. Few pairs
        in many columns need more.
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
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    RandomProjectionHash : Directions that know nothing.
    LSHNeighbors : Finds neighbours in the buckets of such bits.

    References
    ----------
    Wang, Kumar and Chang, "Semi-supervised hashing for large-scale search", *PAMI* 34
    (2012). Seed 002.

    Examples
    --------
    The second column tells the classes apart, the first is larger:

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
            Classes: all pairs of rows of one class are linked.
        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            Numbers of rows that belong together, and of rows that do not. Where
            neither classes nor pairs say what does not belong together, all rows count.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Where there are neither classes nor pairs, or a pair names no row.
        """
        with all_or_nothing(self):
            if must_link is None and cannot_link is None:
                require_targets(self, y)
            if y is None:
                X = validate_data(self, X, dtype=np.float64)
            else:
                X, y = validate_data(self, X, y, dtype=np.float64)
                check_classification_targets(y)
            rng = check_random_state(self.random_state)
            transformed, unit = _standardized(X)
            together, apart = _scatters(transformed, y, must_link, cannot_link, rng)
            axes, self.gains_ = _axes(together, apart, self.shrinkage)
            turns = rng.standard_normal((self.n_bits, len(axes)))
            self.components_ = orthogonal(turns) @ axes / unit
            self.thresholds_ = np.median(self._coordinates(X), axis=0)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _standardized(X):
    """Return columns of mean 0 and variance 1, and what each was divided by."""
    size = np.abs(X).max(axis=0)  # first the largest, so that no square overflows
    size[size == 0] = 1.0
    transformed = X / size
    transformed -= transformed.mean(axis=0)
    deviation = transformed.std(axis=0)
    deviation[deviation < _ROUNDING] = 1.0
    return transformed / deviation, size * deviation


def _scatters(X, y, must_link, cannot_link, rng):
    """Return the mean outer products of linked pairs and of others, each halved."""
    together, apart = [], []
    everyone = X.T @ X / len(X)
    if y is not None:
        some = np.sort(rng.permutation(len(X))[:_SAMPLE])
        rows, classes = X[some], np.unique(y[some], return_inverse=True)[1]
        sizes = np.bincount(classes)
        means = np.zeros((len(sizes), X.shape[1]))
        np.add.at(means, classes, rows)
        rows = rows - (means / sizes[:, None])[classes]
        together.append(rows.T @ rows / len(rows))
        apart.append(everyone)
    for links, scatters, name in (
        (must_link, together, "must_link"),
        (cannot_link, apart, "cannot_link"),
    ):
        if links is not None:
            pairs = _checked(links, name, len(X))
            gaps = X[pairs[:, 0]] - X[pairs[:, 1]]
            scatters.append(gaps.T @ gaps / (2 * len(gaps)))
    together, apart = together or [everyone], apart or [everyone]
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
    level = np.trace(together) / d or np.trace(apart) / d or 1.0
    # Even without shrinkage no direction may be without any scatter.
    shrinkage = max(shrinkage, 1e-9)
    shrunk = (1 - shrinkage) * together + shrinkage * level * np.eye(d)
    ratios, vectors = eigh(apart, shrunk)
    ratios, vectors = ratios[::-1], vectors[:, ::-1]
    gain = ratios - 1
    telling = gain > _LEAST_GAIN * max(gain[0], 0.0)
    if not telling.any():  # nothing tells: all directions are as good
        telling, gain = np.ones(d, dtype=bool), np.ones(d)
    return (vectors[:, telling] * np.sqrt(gain[telling])).T, ratios[telling]
