"""RandomProjectionHash: each bit is the side of a random hyperplane (SimHash)."""

import numpy as np
from sklearn.utils import check_random_state

from .._core._compat import fit_context
from .._core._estimator import all_or_nothing
from ._hash import HashBase, orthogonal


class RandomProjectionHash(HashBase):
    """Bits of random hyperplanes: two rows share more bits at a smaller angle.

    Each bit tells on which side of a random hyperplane through the origin a row lies. A
    hyperplane separates two rows at the angle θ with probability θ/π. So they share a
    bit with probability 1 - θ/π (`collision_probability`).

    Parameters
    ----------
    n_bits : int, default=16
        From 1 to 62.
    orthogonal : bool, default=False
        Whether directions are made orthogonal, in groups of as many as there are
        columns (super-bits). The probability above remains, and the share of common
        bits has a smaller variance.
    center : bool, default=False
        Whether hyperplanes pass through the mean of the rows instead of the origin.
        Angles are then measured at the mean. Needs dense rows.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None
        Threads for `transform`.

    Attributes
    ----------
    components_ : ndarray of shape (n_bits, n_features)
        The directions.
    thresholds_ : ndarray of shape (n_bits,)
        Zeros, or with `center` the coordinate of the mean along each direction.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if X had names that are all strings.

    See Also
    --------
    LSHNeighbors : Finds neighbours in the buckets of such bits.
    LearnedHash : Learns directions from classes or pairs.

    References
    ----------
    Charikar, "Similarity estimation techniques from rounding algorithms", *STOC*
    (2002). Ji, Li, Yan, Zhang and Tian, "Super-bit locality-sensitive hashing", *NIPS*
    (2012).

    Examples
    --------
    Rows of the same direction share all bits, rows of opposite directions none:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import RandomProjectionHash
    >>> X = np.array([[3.0, 4.0], [6.0, 8.0], [-3.0, -4.0]])
    >>> a, b, c = RandomProjectionHash(n_bits=8, random_state=0).fit_transform(X)
    >>> bool((a == b).all()), bool((a == c).any())
    (True, False)
    >>> float(RandomProjectionHash.collision_probability(np.pi / 2))
    0.5
    """

    _parameter_constraints = {
        **HashBase._parameter_constraints,
        "orthogonal": ["boolean"],
        "center": ["boolean"],
    }

    def __init__(
        self,
        n_bits=16,
        *,
        orthogonal=False,
        center=False,
        random_state=None,
        n_jobs=None,
    ):
        self.n_bits = n_bits
        self.orthogonal = orthogonal
        self.center = center
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Draw the directions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Gives the number of columns, and with `center` their mean.
        y : ignored

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            X = self._checked(X)
            n_bits = self._check_size(X.shape[1])
            rng = check_random_state(self.random_state)
            directions = rng.standard_normal((n_bits, X.shape[1]))
            if self.orthogonal:
                directions = orthogonal(directions)
            self.components_ = directions
            self.thresholds_ = np.zeros(n_bits)
            if self.center:
                with np.errstate(over="ignore", invalid="ignore"):
                    self.thresholds_ = directions @ X.mean(axis=0)
                if not np.isfinite(self.thresholds_).all():
                    raise ValueError(
                        "The mean of the rows overflows: bring the columns of X to a "
                        "smaller scale, or set center=False."
                    )
        return self

    @staticmethod
    def collision_probability(angle):
        """Return the probability 1 - θ/π that two rows at an angle share a bit.

        Parameters
        ----------
        angle : array-like
            In radians, from 0 to π.

        Returns
        -------
        float or ndarray
        """
        return 1 - np.asarray(angle) / np.pi

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.center
        return tags
