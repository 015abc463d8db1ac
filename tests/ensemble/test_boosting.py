"""A committee remembers its resets, and forgets what is cut off."""

import numpy as np

from sklearn_bayeslazy.ensemble._boosting import Committee


def grown():
    """Return a committee of four members: two, a reset, two more, a reset."""
    committee = Committee()
    for k in range(4):
        committee.n_attempts += 1
        if k == 2:
            committee.n_resets += 1
            committee.n_attempts += 1
        committee.add(f"member {k}", 0.5, 0.25)
    committee.n_resets += 1
    committee.n_attempts += 1
    return committee


def test_members_since_the_last_reset():
    committee = grown()
    assert committee.first == 4  # a reset has come after the last
    committee.n_resets -= 1
    assert committee.first == 2
    assert Committee().first == 0


def test_what_is_cut_off_has_not_happened():
    committee = grown()
    committee.keep(2)
    assert committee.members == ["member 0", "member 1"]
    assert (committee.n_resets, committee.n_attempts, committee.first) == (0, 2, 0)
    assert np.isfinite(committee.error_bounds()).all()
    committee = grown()
    committee.keep(3)
    assert (committee.n_resets, committee.n_attempts, committee.first) == (1, 4, 2)
    np.testing.assert_array_equal(
        np.isnan(committee.error_bounds()), [False, False, True]
    )
    committee.keep(0)
    assert (committee.n_resets, committee.n_attempts) == (0, 0)


def test_a_copy_grows_by_itself():
    committee = grown()
    copy = committee.copy()
    copy.add("another", 1.0, 0.1)
    assert len(committee.members) == 4
    assert len(copy.members) == 5
    assert copy.n_attempts == committee.n_attempts


def test_bounds_above_one_say_nothing_more():
    committee = Committee()
    committee.add("wild", 1e3, 0.4)
    np.testing.assert_array_equal(committee.error_bounds(), [1.0])
