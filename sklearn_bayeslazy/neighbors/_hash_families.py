"""The hash families of `LSHNeighbors`: they hash rows, and fill tables of buckets."""

import math
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .._core._estimator import set_random_states
from ..search import BalancedTree, BucketSearch, HashTable, TransformerHash
from ._learned_hash import LearnedHash
from ._random_projection_hash import RandomProjectionHash

# Families that are drawn, or grown, from rows without targets; and all.
UNSUPERVISED_FAMILIES = ("balanced", "random_projection", "super_bit")
FAMILIES = {*UNSUPERVISED_FAMILIES, "learned"}
# With n_bits="auto" a bucket has √n rows on average, within these bounds: of a million
# rows, √n a bucket took 1.5 to 4.5 times as long at recalls of .9 to .99.
_MIN_ROWS_PER_BUCKET, _MAX_ROWS_PER_BUCKET = 32, 256


@dataclass(frozen=True)
class HashFamily:
    """Hash functions of one kind, and of a number of bits."""

    kind: object  # a name or a transformer, as the parameter `hash_family`
    n_bits: int
    center: bool  # whether random hyperplanes pass through the mean of the rows
    n_jobs: int | None
    # The pairs of `LearnedHash.fit` that are given, by name.
    links: dict = field(default_factory=dict)

    def hash_rows(self, rows, y, projections, rng):
        """Return a new hash function, and the codes of the rows."""
        if isinstance(self.kind, str) and (self.kind == "balanced" or not self.n_bits):
            return BalancedTree.grow(projections, self.n_bits, rng, self.n_jobs)
        hasher = self._hasher(int(rng.randint(2**31 - 1)))
        if self.links or not _is_fitted(hasher):
            hasher.fit(rows.cells, y, **self.links)
        function = TransformerHash(hasher)
        return function, function.codes(rows, projections)

    def _hasher(self, seed):
        """Return a transformer to bits, unfitted unless it was given fitted."""
        if not isinstance(self.kind, str):
            is_final = _is_fitted(self.kind) and not self.links
            return self.kind if is_final else _reseeded(self.kind, seed)
        if self.kind == "learned":
            return LearnedHash(self.n_bits, random_state=seed, n_jobs=self.n_jobs)
        return RandomProjectionHash(
            self.n_bits,
            orthogonal=self.kind == "super_bit",
            center=self.center,
            random_state=seed,
            n_jobs=self.n_jobs,
        )


def _reseeded(hasher, seed):
    """Return a clone whose seeds follow one seed, so that each table is another."""
    rng = np.random.RandomState(seed)
    return set_random_states(clone(hasher), lambda: rng.randint(2**31 - 1))


def _is_fitted(hasher):
    try:
        check_is_fitted(hasher)
    except (NotFittedError, TypeError):
        return False
    return True


def given_links(kind, **links):
    """Return the pairs that are given; raise an error if no hash learns from them."""
    links = {name: pairs for name, pairs in links.items() if pairs is not None}
    learns = kind == "learned" or (
        not isinstance(kind, str) and has_fit_parameter(kind, "must_link")
    )
    if links and not learns:
        raise ValueError(
            f"{' and '.join(links)} need hash_family='learned' or a LearnedHash, got "
            f"hash_family={kind!r}: change one of the two."
        )
    return links


def choose_n_bits(n_bits, kind, n_rows):
    """Return the number of bits: as given, or for buckets of about √n rows.

    >>> choose_n_bits("auto", "balanced", 10_000)  # √10,000 = 100: 128 buckets of 78
    7
    >>> choose_n_bits("auto", "balanced", 2**20)  # 256 a bucket instead of 1024
    12
    """
    if n_bits == "auto":
        rows_per_bucket = np.clip(
            math.sqrt(n_rows), _MIN_ROWS_PER_BUCKET, _MAX_ROWS_PER_BUCKET
        )
        return max(round(math.log2(n_rows / rows_per_bucket)), 0)
    if kind == "balanced" and 2**n_bits > n_rows:  # a leaf must not be empty
        return int(math.log2(n_rows))
    return int(n_bits)


def fill_tables(rows, y, family, n_tables, rng):
    """Return a search in hash tables of the rows."""
    # rows: DenseRows or SparseRows; y: (n,), classes, for learned hashes, or None.
    projection = rows.fit_projection(rng)
    projected = projections, _ = projection.transform(rows, family.n_jobs)
    tables = [
        HashTable(
            *family.hash_rows(rows, y, projections, rng),
            *projected,
            n_jobs=family.n_jobs,
        )
        for _ in range(n_tables)
    ]
    return BucketSearch(rows, projection, tables)
