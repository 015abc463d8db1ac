"""The rounds of boosting over any learner, and the rule for rounds that are too weak.

A round whose error is not below the limit is *weak*. By the seeds' rule weights then go
back to where they began, and the round is repeated (seed 004).
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from warnings import warn

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._reweighting import (
    error_limit,
    is_weak,
    log_error_bounds,
    vote,
    vote_of_faultless,
)


@dataclass
class Committee:
    """Members, their votes α and errors ε, and what happened on the way.

    Attributes
    ----------
    resets : list of int
        How often weights had been set back when a member was added.
    attempts : list of int
        How many rounds had been tried by then, weak ones included.
    n_resets, n_attempts : int
        The same now.
    mistakes : bytes
        Which rows the very first member was wrong about.
    """

    members: list = field(default_factory=list)
    votes: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    resets: list = field(default_factory=list)
    attempts: list = field(default_factory=list)
    n_resets: int = 0
    n_attempts: int = 0
    mistakes: bytes = b""

    def copy(self):
        """Return a committee of the same members that can grow by itself."""
        return Committee(
            *map(list, (self.members, self.votes, self.errors)),
            *map(list, (self.resets, self.attempts)),
            self.n_resets,
            self.n_attempts,
            self.mistakes,
        )

    def add(self, member, alpha, error):
        """Add a member."""
        self.members.append(member)
        self.votes.append(float(alpha))
        self.errors.append(float(error))
        self.resets.append(self.n_resets)
        self.attempts.append(self.n_attempts)

    def keep(self, n_members):
        """Forget all members but the first, and what happened after them."""
        lists = self.members, self.votes, self.errors, self.resets, self.attempts
        for some in lists:
            del some[n_members:]
        self.n_resets = self.resets[-1] if self.members else 0
        self.n_attempts = self.attempts[-1] if self.members else 0

    @property
    def first(self):
        """The first member that has learnt since the last reset."""
        return bisect_left(self.resets, self.n_resets)

    @property
    def is_faultless(self):
        """Whether the last member erred nowhere, so that it decides alone."""
        return bool(self.errors) and self.errors[-1] == 0.0

    def error_bounds(self):
        """Return bounds of the training error after each round, NaN after a reset."""
        logs = np.minimum(log_error_bounds(self.errors, self.votes), 0.0)
        return np.where(np.array(self.resets) == 0, np.exp(logs), np.nan)


@dataclass
class Rules:
    """What rounds go by; see the parameters of `MyAdaBoost`."""

    n_classes: int
    mass: float
    learning_rate: float
    algorithm: str
    on_weak_round: str
    max_resets: int


def boost(learner, committee, rounds, rules, rng, seen=None):
    """Add members to a committee until its rounds are done or cannot go on.

    Parameters
    ----------
    learner : Learner
        See :mod:`._learners`; it holds the weights.
    committee : Committee
        Grows.
    rounds : iterable
        One item for each member that is still to come.
    rules : Rules
    rng : RandomState
        Gives each attempt a seed; those of former attempts are passed over.
    seen : callable, default=None
        Is told each member and its vote; if it returns True, this was the last.

    Raises
    ------
    ValueError
        Where a round is weak and `on_weak_round` is "raise".
    """
    for _ in range(committee.n_attempts):
        _seed(rng)
    for _ in rounds:
        found = _round(learner, committee, rules, rng)
        if found is None:
            return
        member, error = found
        if error == 0.0:
            total = sum(committee.votes)
            alpha = vote_of_faultless(total, rules.mass, rules.n_classes)
        else:
            alpha = rules.learning_rate * vote(error, rules.n_classes, rules.algorithm)
            learner.reweight(alpha)
        committee.add(member, alpha, error)
        if (seen and seen(member, alpha)) or error == 0.0:
            return


def _round(learner, committee, rules, rng):
    """Return a member that is not weak and its error, None if there is none to be had.

    A weak round is repeated from the first weights, at most `max_resets` times. Without
    rows that are drawn, a member that is wrong just where the very first one was would
    begin the same rounds again: it is drawn anew, too.
    """
    number = len(committee.members) + 1
    for n_in_a_row in range(rules.max_resets + 1):
        committee.n_attempts += 1
        member, error = learner.learn(_seed(rng))
        if not is_weak(error, rules.n_classes, rules.algorithm):
            if not committee.members:
                committee.mistakes = learner.mistakes()
            is_replay = n_in_a_row and learner.may_replay and committee.members
            if not is_replay or learner.mistakes() != committee.mistakes:
                return member, error
            trouble = f"After a reset round {number} was the first round again"
        else:
            limit = error_limit(rules.n_classes, rules.algorithm)
            trouble = (
                f"Round {number} errs on {error:.4g} of the weight, which is not below "
                f"{limit:.4g}"
            )
        if rules.on_weak_round == "raise":
            mend = "fewer rounds, " if committee.members else ""
            raise ValueError(
                f"{trouble}: take another estimator, {mend}or on_weak_round='stop'."
            )
        if rules.on_weak_round == "stop":
            return None
        if not learner.is_random:
            _warn(
                f"{trouble}. After a reset this learner would only repeat its rounds, "
                f"so boosting ends with {number - 1}."
            )
            return None
        if n_in_a_row < rules.max_resets:
            learner.restart()
            committee.n_resets += 1
    _warn(
        f"{trouble}, and {rules.max_resets} resets in a row were of no help, so "
        f"boosting ends with {number - 1} rounds."
    )
    return None


def _seed(rng):
    """Return the seed of the next attempt."""
    return rng.randint(2**31 - 1)


def _warn(message):
    warn(message, ConvergenceWarning, stacklevel=2)
