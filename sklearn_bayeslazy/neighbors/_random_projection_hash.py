"""RandomProjectionHash: a bit for each random plane, by the side of a row."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .._compat import fit_context
from .._estimator import all_or_nothing
from ._hashing import HashBase, orthogonal


class RandomProjectionHash(HashBase):
    """Bits that two rows share the more often, the smaller the angle between them.

    Each bit says on which side of a random plane through the origin a row lies. A
    plane separates two rows at the angle θ with probability θ/π, so that they share a
    bit with probability 1 - θ/π (`collision_probability`).

    Parameters
    ----------
    n_bits : int, default=16
        From 1 to 62.
    orthogonal : bool, default=False
        Whether directions are made orthogonal, as many at a time as there are columns
        (super-bits). Each is as random as before, so that the law above holds, but the
        share of common bits varies less about it.
    center : bool, default=False
        Whether planes pass through the mean of the rows instead of the origin. The
        angle is then the one seen from there. Needs dense rows.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None
        Threads for `transform`.

    Attributes
    ----------
    components_ : ndarray of shape (n_bits, n_features)
        The directions.
    thresholds_ : ndarray of shape (n_bits,)
        Zeros, or with `center` where the mean lies along each direction.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    LSHNeighbors : Finds neighbours in the buckets of such bits.
    LearnedHash : Learns directions from classes or pairs.

    References
    ----------
    Charikar, "Similarity estimation techniques from rounding algorithms", *STOC*
    (2002). Ji, Li, Yan, Zhang and Tian, "Super-bit locality-sensitive hashing", *NIPS*
    (2012). Seed 002.

    Examples
    --------
    Rows that point the same way share all bits, opposite ones none:

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
            Says how many columns there are, and with `center` where their mean is.
        y : ignored

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            X = validate_data(
                self, X, accept_sparse=self._takes_sparse(), dtype=np.float64
            )
            rng = check_random_state(self.random_state)
            directions = rng.standard_normal((self.n_bits, X.shape[1]))
            if self.orthogonal:
                directions = orthogonal(directions)
            self.components_ = directions
            self.thresholds_ = np.zeros(self.n_bits)
            if self.center:
                self.thresholds_ = directions @ X.mean(axis=0)
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
