"""The rounds of boosting over any learner, and the rule for rounds that are too weak.

A round whose error is not below the limit is *weak*. By the seeds' rule weights then go
back to where they began, and the round is repeated (seed 004).
"""

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
    n_resets : int
        How often weights went back to where they began.
    first : int
        The first member that has learnt since then.
    n_attempts : int
        How many rounds were tried, weak ones included.
    bounded : int
        How many members the bound of the training error holds for: those before the
        first reset.
    """

    members: list = field(default_factory=list)
    votes: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    n_resets: int = 0
    first: int = 0
    n_attempts: int = 0
    bounded: float = np.inf

    def copy(self):
        """Return a committee of the same members that can grow by itself."""
        lists = [list(some) for some in (self.members, self.votes, self.errors)]
        rest = self.n_resets, self.first, self.n_attempts, self.bounded
        return Committee(*lists, *rest)

    def add(self, member, alpha, error):
        """Add a member."""
        self.members.append(member)
        self.votes.append(float(alpha))
        self.errors.append(float(error))

    def keep(self, n_members):
        """Forget all members but the first."""
        for some in (self.members, self.votes, self.errors):
            del some[n_members:]

    @property
    def is_faultless(self):
        """Whether the last member erred nowhere, so that it decides alone."""
        return bool(self.errors) and self.errors[-1] == 0.0

    def error_bounds(self):
        """Return bounds of the training error after each round, NaN after a reset."""
        bounds = np.exp(log_error_bounds(self.errors, self.votes))
        bounds[np.arange(len(bounds)) >= self.bounded] = np.nan
        return bounds


@dataclass
class Rules:
    """What rounds go by; see the parameters of `MyAdaBoost`."""

    n_classes: int
    mass: float
    learning_rate: float = 1.0
    algorithm: str = "samme"
    on_weak_round: str = "reset"
    max_resets: int = 10


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
        Gives each attempt a seed.
    seen : callable, default=None
        Is asked after each round; if it returns True, this was the last.

    Raises
    ------
    ValueError
        Where a round is weak and `on_weak_round` is "raise".
    """
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

    A weak round is repeated from the first weights, at most `max_resets` times.
    """
    for n_in_a_row in range(rules.max_resets + 1):
        committee.n_attempts += 1
        member, error = learner.learn(rng.randint(2**31 - 1))
        if not is_weak(error, rules.n_classes, rules.algorithm):
            return member, error
        limit = error_limit(rules.n_classes, rules.algorithm)
        weak = (
            f"Round {len(committee.members) + 1} errs on {error:.4g} of the weight, "
            f"which is not below {limit:.4g}"
        )
        if rules.on_weak_round == "raise":
            raise ValueError(
                f"{weak}: take another estimator, fewer rounds, or on_weak_round='stop'"
                " to keep the rounds before."
            )
        if rules.on_weak_round == "stop":
            return None
        if not learner.is_random:
            _warn(
                f"{weak}. After a reset this learner would only repeat its rounds, so "
                f"boosting ends with {len(committee.members)}."
            )
            return None
        if n_in_a_row == rules.max_resets:
            break
        learner.restart()
        committee.n_resets += 1
        committee.first = len(committee.members)
        committee.bounded = min(committee.bounded, committee.first)
    _warn(
        f"{weak}, nor did any of the {rules.max_resets} resets before it help, so "
        f"boosting ends with {len(committee.members)} rounds."
    )
    return None


def _warn(message):
    warn(message, ConvergenceWarning, stacklevel=2)
