"""The loop of boosting over any weak learner, with the treatment of weak rounds.

A round is *weak* if its weighted error is not below the limit. By default the weights
are then reset to their initial values and the round is repeated. The reset is a variant
of Freund & Schapire (1997), who end the loop at a weak round. The members after a reset
are fitted as if those before it did not exist, but all of them vote together. So a
member is kept only if its vote reduces the exponential loss of the whole ensemble.
"""

import sys
from bisect import bisect_left
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from tqdm import tqdm

from .._core._warnings import warn_caller, warned_of_length
from ._reweighting import CONFIDENCE_RATED, error_limit, is_weak

# The attributes of a `BoostingState` that have an entry for each member.
_LISTS = "members", "alphas", "errors"
_LISTS += "resets_before", "attempts_before", "log_bound_factors"


@dataclass
class BoostingState:
    """The members so far, their vote weights and errors, and the resets."""

    members: list = field(default_factory=list)
    alphas: list = field(default_factory=list)  # the weight α of its vote
    errors: list = field(default_factory=list)  # its weighted error ε
    # How often the weights had been reset when it was added, and how many rounds had
    # been tried by then, weak ones included.
    resets_before: list = field(default_factory=list)
    attempts_before: list = field(default_factory=list)
    # The log of the factor by which it changed the bound of the error.
    log_bound_factors: list = field(default_factory=list)
    # The same counts now.
    n_resets: int = 0
    n_attempts: int = 0
    # What divides the scores of the classes before they become probabilities.
    temperature: float = 1.0
    # Which rows the first member misclassified, see `WeakLearner.misclassified`.
    first_misclassified: bytes = b""

    def copy(self):
        """Return a state with the same members that can grow independently."""
        return replace(self, **{name: list(getattr(self, name)) for name in _LISTS})

    def add(self, member, alpha, error, log_bound_factor):
        """Add a member."""
        self.members.append(member)
        self.alphas.append(float(alpha))
        self.errors.append(float(error))
        self.resets_before.append(self.n_resets)
        self.attempts_before.append(self.n_attempts)
        self.log_bound_factors.append(float(log_bound_factor))

    def truncate(self, n_members):
        """Keep only the first members, and the counts as they were after the last."""
        for name in _LISTS:
            del getattr(self, name)[n_members:]
        self.n_resets = self.resets_before[-1] if self.members else 0
        self.n_attempts = self.attempts_before[-1] if self.members else 0

    def check_can_grow(self, n_estimators):
        """Check that there are no more rounds already; warn if none is to be added."""
        n_rounds = len(self.members)
        if n_estimators < n_rounds:
            raise ValueError(
                f"n_estimators={n_estimators} must be at least {n_rounds}, the number "
                "of rounds already fitted, with warm_start=True."
            )
        if n_estimators == n_rounds:
            warn_caller(
                f"n_estimators={n_estimators} rounds are already fitted: increase "
                "n_estimators to add rounds.",
            )

    @property
    def first_since_reset(self):
        """The index of the first member that was added after the last reset."""
        return bisect_left(self.resets_before, self.n_resets)

    @property
    def has_perfect_member(self):
        """Whether the last member made no training error, so that it outvotes all."""
        return bool(self.errors) and self.errors[-1] == 0.0

    def error_bounds(self, before=1.0):
        """Return bounds of the training error after each round, given that before."""
        logs = np.log(before) + np.cumsum(self.log_bound_factors)
        return np.exp(np.minimum(logs, 0.0))


def with_progress(rounds, verbose):
    """Return a range of rounds, with a progress bar if `verbose`."""
    total = min(rounds.stop - rounds.start, sys.maxsize)  # more than `len` can return
    advice = (
        "Rows of other folds may end it before. Fewer rounds (n_estimators), smaller "
        "trees (max_depth) or a sample of the rows take less; verbose=True shows how "
        "far it is."
    )
    rounds = warned_of_length(rounds, total, f"Boosting of {total} rounds", advice)
    return tqdm(rounds, "boost", total, unit="round", disable=not verbose)


def boost(learner, state, rounds, model, tasks, end_round):
    """Add members until all rounds are done or a weak round ends the loop."""
    # learner: WeakLearner; state: BoostingState, extended in place; rounds: one item
    # for each member to add; model: MyAdaBoost; tasks: FitTasks. end_round(member,
    # alpha) ends the task of a round, and returns whether to stop. The random state
    # gives each attempt a seed. The seeds of the former attempts are skipped.
    rng = check_random_state(model.random_state)
    for _ in range(state.n_attempts):
        _next_seed(rng)
    for _ in rounds:
        tasks.begin("round")
        found = _fit_round(learner, state, model, rng)
        if found is None:
            tasks.end()
            return
        member, alpha, error = found
        state.add(member, alpha, error, learner.log_bound_factor(alpha, error))
        if error > 0.0:
            learner.reweight(alpha)
        if end_round(member, alpha) or error == 0.0:
            return


def _fit_round(learner, state, model, rng):
    """Return a member, its vote weight and its error, or None if boosting ends."""
    # A weak round is repeated from the initial weights, at most `max_resets` times.
    # After a reset a learner that draws no rows may fit the first member again, and
    # would then repeat the same rounds. Such a member is treated like a weak one. After
    # a reset, boosting also ends at a vote that does not reduce the loss of the whole
    # ensemble.
    n_rounds = len(state.members)
    for n_resets_in_a_row in range(model.max_resets + 1):
        state.n_attempts += 1
        member, error = learner.fit_member(_next_seed(rng))
        if is_weak(error, model.n_classes_, model.algorithm_):
            limit = error_limit(model.n_classes_, model.algorithm_)
            problem = (
                f"Round {n_rounds + 1} has weighted error {error:.4g}, which is not "
                f"below {limit:.4g}"
            )
        else:
            if not state.members:
                state.first_misclassified = learner.misclassified()
            may_repeat = n_resets_in_a_row and state.members and not learner.resamples
            if not may_repeat or learner.misclassified() != state.first_misclassified:
                alpha = learner.vote_weight(error, state.alphas)
                if state.n_resets and not learner.reduces_loss(alpha, error):
                    return None
                return member, alpha, error
            problem = (
                f"After a reset, the member of round {n_rounds + 1} misclassifies the "
                "same rows as the first member"
            )
        if model.on_weak_round == "raise":
            fewer = "a smaller n_estimators, " if state.members else ""
            raise ValueError(
                f"{problem}: use another estimator, {fewer}or on_weak_round='stop'."
            )
        is_converged = model.algorithm_ in CONFIDENCE_RATED and n_rounds > 0
        if model.on_weak_round == "stop" or is_converged:
            return None
        if not learner.is_random:
            _warn(
                f"{problem}. This learner is deterministic and would repeat the same "
                f"rounds after a reset, so boosting ends with {n_rounds} rounds."
            )
            return None
        if n_resets_in_a_row < model.max_resets:
            learner.reset()
            state.n_resets += 1
    _warn(
        f"{problem}, and {model.max_resets} resets in a row did not help, so "
        f"boosting ends with {n_rounds} rounds. Boosting needs an estimator that "
        "changes with the weights, such as a small tree."
    )
    return None


def _next_seed(rng):
    """Return the seed of the next attempt."""
    return rng.randint(2**31 - 1)


def _warn(message):
    warn_caller(message, ConvergenceWarning)
