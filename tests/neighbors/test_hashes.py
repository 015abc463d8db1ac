"""RandomProjectionHash and LearnedHash: the collision law, and learnt directions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from sklearn_bayeslazy import LearnedHash, RandomProjectionHash

ANGLES = np.linspace(0, np.pi, 9)


def pairs_at(angle, n_columns=12, seed=0):
    """Return two rows of different lengths at an angle, in a random plane."""
    rng = np.random.default_rng(seed)
    a, b = np.linalg.qr(rng.normal(size=(n_columns, 2)))[0].T
    return np.array([3 * a, 0.2 * (np.cos(angle) * a + np.sin(angle) * b)])


def common_bits(hash_, X):
    """Return the share of the bits that two rows share, for each draw of the hash."""
    a, b = hash_.fit(X).transform(X)
    return np.mean(a == b)


def frequencies(angle, orthogonal, n_draws=300):
    """Return the shares of 12 bits that rows at an angle share, one for each draw."""
    X = pairs_at(angle)
    hashes = (
        RandomProjectionHash(12, orthogonal=orthogonal, random_state=seed)
        for seed in range(n_draws)
    )
    return np.array([common_bits(hash_, X) for hash_ in hashes])


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("angle", ANGLES)
def test_bits_collide_with_the_probability_of_the_law(angle, orthogonal):
    law = float(RandomProjectionHash.collision_probability(angle))
    assert law == pytest.approx(1 - angle / np.pi)
    measured = frequencies(angle, orthogonal)
    error = np.sqrt(law * (1 - law) / (12 * len(measured)))
    assert abs(measured.mean() - law) <= 4 * error + 1e-12


@pytest.mark.parametrize("angle", [np.pi / 4, np.pi / 2])
def test_super_bits_have_a_smaller_variance(angle):
    independent, orthogonal = frequencies(angle, False), frequencies(angle, True)
    law = 1 - angle / np.pi
    assert independent.var() == pytest.approx(law * (1 - law) / 12, rel=0.35)
    assert orthogonal.var() < 0.75 * independent.var()


def test_super_bits_are_orthogonal_in_groups_of_as_many_as_columns():
    X = np.eye(5)
    components = RandomProjectionHash(8, orthogonal=True).fit(X).components_
    for group in (components[:5], components[5:]):
        np.testing.assert_allclose(group @ group.T, np.eye(len(group)), atol=1e-12)


def test_a_centered_hash_halves_rows_far_from_the_origin():
    X = 1000 + np.random.default_rng(0).normal(size=(400, 6))
    share = RandomProjectionHash(40, random_state=0).fit_transform(X).mean(axis=0)
    assert set(share) <= {0.0, 1.0}  # all rows have nearly the same direction
    hash_ = RandomProjectionHash(40, center=True, random_state=0)
    share = hash_.fit_transform(X).mean(axis=0)
    assert np.all(np.abs(share - 0.5) < 0.15)


def test_sparse_rows_get_the_bits_of_dense_rows():
    X = sparse.random_array((50, 30), density=0.2, rng=0, format="csr")
    hash_ = RandomProjectionHash(random_state=0).fit(X)
    np.testing.assert_array_equal(hash_.transform(X), hash_.transform(X.toarray()))
    np.testing.assert_array_equal(hash_.transform(X[[7]]), hash_.transform(X)[[7]])


def precision_of_buckets(bits, y):
    """Return the share of pairs in the same bucket that have the same class."""
    codes = bits @ (1 << np.arange(bits.shape[1]))
    same = codes[:, None] == codes
    np.fill_diagonal(same, False)
    return (y[:, None] == y)[same].mean()


@pytest.mark.parametrize("n_bits", [4, 8])
def test_buckets_learnt_from_classes_are_purer_than_random_ones(n_bits):
    X, y = make_classification(
        2000,
        60,
        n_informative=5,
        n_redundant=0,
        n_classes=4,
        n_clusters_per_class=1,
        shuffle=False,
        random_state=0,
    )
    X[:, 5:] *= 5  # the columns without information are larger
    order = np.random.default_rng(0).permutation(2000)
    X, y = X[order], y[order]
    X_new, y_new, X, y = X[1000:], y[1000:], X[:1000], y[:1000]
    learned = LearnedHash(n_bits, random_state=0).fit(X, y).transform(X_new)
    drawn = RandomProjectionHash(n_bits, random_state=0).fit(X).transform(X_new)
    by_chance = precision_of_buckets(drawn, y_new)
    assert 0.2 < by_chance < 0.4
    assert precision_of_buckets(learned, y_new) > by_chance + 0.15


def test_linked_pairs_find_the_column_that_separates_groups():
    rng = np.random.default_rng(0)
    group = np.arange(200) % 2
    X = rng.normal(size=(200, 10)) * 5
    X[:, 3] = group + rng.normal(size=200) * 0.1
    pairs = rng.integers(200, size=(300, 2))
    alike = group[pairs[:, 0]] == group[pairs[:, 1]]
    links = {"must_link": pairs[alike], "cannot_link": pairs[~alike]}
    for kept in (links, {"must_link": pairs[alike]}, {"cannot_link": pairs[~alike]}):
        hash_ = LearnedHash(1, shrinkage=0.0, random_state=0).fit(X, **kept)
        bit = hash_.transform(X).ravel()
        agreement = np.mean(bit == group)
        expected = 0.75 if "must_link" not in kept else 0.98
        assert max(agreement, 1 - agreement) > expected
    assert np.argmax(np.abs(LearnedHash(1).fit(X, **links).components_)) == 3


def test_bits_of_a_learned_hash_halve_the_rows():
    X, y = make_classification(501, 10, random_state=0)
    share = LearnedHash(8, random_state=0).fit(X, y).transform(X).mean(axis=0)
    assert np.all(np.abs(share - 0.5) < 0.01)


def test_gains_are_the_ratios_of_the_scatters():
    X = np.array([[-3.0, 0.0], [3.0, 0.0], [-3.0, 1.0], [3.0, 1.0]])
    hash_ = LearnedHash(1, shrinkage=0.2).fit(X, [0, 0, 1, 1])
    # With variance 1, the columns have the scatters 1 and 0 within the classes. Shrunk
    # by a fifth towards their mean 1/2, these are .9 and .1: ratios of 1/.9 and 1/.1.
    np.testing.assert_allclose(hash_.gains_, [10, 1 / 0.9])


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_of_rows_does_not_change_bits(scale):
    X, y = make_classification(100, 5, random_state=0)
    X = np.clip(X, -1.5, 1.5)
    plain = LearnedHash(8, random_state=0).fit(X, y).transform(X)
    scaled = LearnedHash(8, random_state=0).fit(X * scale, y).transform(X * scale)
    assert np.mean(plain == scaled) > 0.99


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ({"must_link": [[0, 5]]}, "must_link names row 5, but X has the rows 0 to 4"),
        ({"cannot_link": [[-1, 2]]}, "cannot_link names row -1"),
        ({"must_link": [[0.5, 1.0]]}, "must_link must hold pairs of row numbers"),
        ({"must_link": [[0, 1, 2]]}, "must_link must hold pairs of row numbers"),
        ({}, "requires y to be passed"),
    ],
)
def test_invalid_links_are_an_error(links, message):
    with pytest.raises(ValueError, match=message):
        LearnedHash().fit(np.eye(5), **links)
