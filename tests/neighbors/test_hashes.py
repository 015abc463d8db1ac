"""RandomProjectionHash and LearnedHash: the collision law, and learnt directions.

Code under test: `neighbors/_hash.py`, `neighbors/_hash_families.py`,
`neighbors/_learned_hash.py`, `neighbors/_random_projection_hash.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from sklearn_bayeslazy import LearnedHash, LSHNeighbors, RandomProjectionHash

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
    hash_ = LearnedHash(1, random_state=0).fit(X, **links)
    assert np.argmax(np.abs(hash_.components_)) == 3


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


def linked_rows():
    """Return rows, and pairs that tell that only the column 3 separates groups.

    Rows that do not belong together differ in no other column, so that there is one
    axis, whatever the seed.
    """
    rng = np.random.default_rng(0)
    group = np.arange(200) % 2
    X = np.repeat(rng.normal(size=(100, 10)) * 5, 2, axis=0)
    X[:, 3] = group + rng.normal(size=200) * 0.1
    pairs = rng.integers(200, size=(300, 2))
    alike = group[pairs[:, 0]] == group[pairs[:, 1]]
    return X, {
        "must_link": pairs[alike],
        "cannot_link": np.arange(200).reshape(100, 2),
    }


def test_lsh_uses_a_hash_that_was_fitted_to_pairs():
    X, links = linked_rows()
    hash_ = LearnedHash(1, random_state=0).fit(X, **links)
    bits = hash_.transform(X).ravel()
    for y in (None, np.arange(200) // 100):  # the classes differ from the links
        engine = LSHNeighbors(hash_family=hash_, random_state=0).fit(X, y)
        assert_bucket_is_bit(engine, bits)
    for seed in range(5):
        refitted = LSHNeighbors(hash_family=LearnedHash(1), random_state=seed)
        assert_bucket_is_bit(refitted.fit(X, **links), bits)


def test_tables_of_a_given_hash_differ_and_follow_the_seed():
    X = np.random.default_rng(0).normal(size=(300, 5))
    engines = [
        LSHNeighbors(hash_family=hash_, n_tables=2, random_state=0).fit(X)
        for hash_ in (RandomProjectionHash(4), RandomProjectionHash(4, random_state=3))
    ]
    first, second = (
        [
            table.hash_function.hasher.components_
            for table in engine._search.index.tables
        ]
        for engine in engines
    )
    assert not np.array_equal(first[0], first[1])
    np.testing.assert_array_equal(first, second)


def test_lsh_learns_from_pairs():
    X, links = linked_rows()
    bits = LearnedHash(1, random_state=0).fit(X, **links).transform(X).ravel()
    for rows in (X, sparse.csr_array(X)):
        engine = LSHNeighbors(hash_family="learned", n_bits=1, random_state=0)
        assert_bucket_is_bit(engine.fit(rows, **links), bits)
    with pytest.raises(ValueError, match="requires y to be passed"):
        engine.fit(X)
    for family in ("balanced", RandomProjectionHash(4)):
        with pytest.raises(ValueError, match="must_link and cannot_link need hash_fam"):
            LSHNeighbors(hash_family=family).fit(X, **links)


def assert_bucket_is_bit(engine, bits):
    """Check that the rows of each bit are a bucket."""
    buckets = engine._search.index.tables[0].bucket_of_rows()
    is_together = buckets[:, None] == buckets
    np.testing.assert_array_equal(is_together, bits[:, None] == bits)


@pytest.mark.parametrize("by", ["y", "must_link", "both"])
def test_sparse_rows_learn_the_bits_of_dense_rows(by):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (200, 8)).astype(float)
    X[:, 5] = 0.0
    y, pairs = rng.integers(0, 3, 200), rng.integers(0, 200, (50, 2))
    given = {"y": y} if by != "must_link" else {}
    given |= {"must_link": pairs} if by != "y" else {}
    dense = LearnedHash(8, random_state=0).fit(X, **given)
    hash_ = LearnedHash(8, random_state=0).fit(sparse.csr_array(X), **given)
    np.testing.assert_allclose(hash_.gains_, dense.gains_, rtol=1e-9)
    np.testing.assert_array_equal(
        hash_.transform(sparse.csr_array(X)), dense.transform(X)
    )


@pytest.mark.parametrize("n_copies", [1, 3])
def test_classes_of_equal_rows_are_learnt_from(n_copies):
    # The scatter within the classes is 0. Rounding errors, of either sign in sparse
    # rows, were taken for it.
    for seed in range(20):
        X = np.random.default_rng(seed).poisson(1.5, (12, 5)).astype(float)
        dense = LearnedHash(8, random_state=0).fit(X, np.arange(12))
        X, y = np.repeat(X, n_copies, axis=0), np.repeat(np.arange(12), n_copies)
        for rows in (X, sparse.csr_array(X)):
            hash_ = LearnedHash(8, random_state=0).fit(rows, y)
            np.testing.assert_allclose(hash_.gains_, dense.gains_, rtol=1e-9)


def test_the_most_filled_columns_of_documents_are_used():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 1500), density=0.01, rng=rng, format="csc")
    X.data[:] = 1.0
    y = np.arange(300) % 2
    n_filled = np.diff(X.indptr)
    top = np.sort(np.argsort(-n_filled, kind="stable")[:1024])
    hash_ = LearnedHash(4, random_state=0).fit(X, y)
    of_top = LearnedHash(4, random_state=0).fit(sparse.csr_array(X[:, top]), y)
    expected = np.zeros((4, 1500))
    expected[:, top] = of_top.components_
    np.testing.assert_allclose(hash_.components_, expected, atol=1e-9)
    np.testing.assert_allclose(hash_.gains_, of_top.gains_)


@pytest.mark.parametrize("hash_", [RandomProjectionHash(), LearnedHash()])
def test_components_of_half_a_gigabyte_are_refused_before_they_are_made(hash_):
    X = sparse.csr_array(([1.0, 2.0], ([0, 1], [5, 2**26 - 1])), shape=(2, 2**26))
    with pytest.raises(ValueError, match=f"n_bits=16 times {2**26} columns = {2**30} "):
        hash_.fit(X, [0, 1])
    assert not hasattr(hash_, "components_")


def test_columns_without_cells_do_not_change_the_bits():
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(60, 4)).astype(float)
    y = (X[:, 2] > 1).astype(int)
    far = [3, 900, 70_000, 2**20 - 1]
    wide = sparse.lil_array((60, 2**20))
    wide[:, far] = X
    hash_, narrow = (LearnedHash(n_bits=4, random_state=0) for _ in range(2))
    bits = hash_.fit(wide.tocsr(), y).transform(wide.tocsr())
    narrow.fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(bits, narrow.transform(sparse.csr_array(X)))
    np.testing.assert_allclose(hash_.components_[:, far], narrow.components_)


def test_many_columns_without_any_cell():
    bits = LearnedHash(n_bits=2).fit_transform(
        sparse.csr_array((4, 2000)), [0, 0, 1, 1]
    )
    assert not bits.any()


def test_columns_too_small_to_be_scaled_are_refused():
    X = np.array([[5e-324], [0.0], [5e-324], [0.0]])
    with pytest.raises(ValueError, match="too small to divide by"):
        LearnedHash().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("hash_", [RandomProjectionHash(True), LearnedHash(True)])
def test_true_is_one_bit(hash_):
    X = np.arange(12.0).reshape(6, 2)
    assert hash_.fit_transform(X, [0, 0, 0, 1, 1, 1]).shape == (6, 1)
