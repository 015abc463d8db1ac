"""The state of boosting: resets, truncation and copies.

Code under test: `ensemble/_boosting.py`.
"""

import numpy as np

from sklearn_bayeslazy.ensemble._boosting import BoostingState


def state_with_two_resets():
    """Return a state with two members, a reset, two more members, and a reset."""
    state = BoostingState()
    for k in range(4):
        state.n_attempts += 1
        if k == 2:
            state.n_resets += 1
            state.n_attempts += 1
        state.add(f"member {k}", 0.5, 0.25, np.log(0.8))
    state.n_resets += 1
    state.n_attempts += 1
    return state


def test_members_since_the_last_reset():
    state = state_with_two_resets()
    assert state.first_since_reset == 4  # the last reset came after all members
    state.n_resets -= 1
    assert state.first_since_reset == 2
    assert BoostingState().first_since_reset == 0


def test_truncation_restores_the_former_counts():
    state = state_with_two_resets()
    state.truncate(2)
    assert state.members == ["member 0", "member 1"]
    assert (state.n_resets, state.n_attempts, state.first_since_reset) == (0, 2, 0)
    np.testing.assert_allclose(state.error_bounds(), [0.8, 0.64])
    np.testing.assert_allclose(state.error_bounds(1.5), [1.0, 0.96])
    state = state_with_two_resets()
    state.truncate(3)
    assert (state.n_resets, state.n_attempts, state.first_since_reset) == (1, 4, 2)
    assert len(state.error_bounds()) == 3
    state.truncate(0)
    assert (state.n_resets, state.n_attempts) == (0, 0)


def test_a_copy_grows_independently():
    state = state_with_two_resets()
    copy = state.copy()
    copy.add("another", 1.0, 0.1, 0.0)
    assert len(state.members) == 4
    assert len(copy.members) == 5
    assert copy.n_attempts == state.n_attempts


def test_error_bounds_are_at_most_one():
    state = BoostingState()
    state.add("member", 1e3, 0.4, 999.0)
    np.testing.assert_array_equal(state.error_bounds(), [1.0])
