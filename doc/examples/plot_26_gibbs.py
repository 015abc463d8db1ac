"""
One hypothesis, drawn
=====================

The Bayes optimal answer asks every hypothesis. Gibbs' algorithm asks one, drawn from
the posterior. **If the truth is drawn from the prior, it errs at most twice as often on
average, and how near it comes to twice depends on the hypotheses.**
"""

# %%
# Two families
# ------------
# There are twenty places on a line. *Thresholds*: all places from one of them on are +,
# the rest is −. *Single places*: one is +, all others are −.
# Before a row is seen, every hypothesis is as probable as any other.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import HypothesisClassifier

N_PLACES = 20
places = np.arange(N_PLACES)[:, None]
families = {
    "thresholds": [lambda X, t=t: X[:, 0] >= t for t in range(N_PLACES)],
    "single places": [lambda X, t=t: X[:, 0] == t for t in range(N_PLACES)],
}

X, y = [[3], [12], [17]], [False, True, True]
for seed in range(3):
    model = HypothesisClassifier(families["thresholds"], "gibbs", random_state=seed)
    model.fit(X, y)
    print(f"thresholds {model.version_space_} are left, {model.drawn_} is drawn")

# %%
# Errors counted
# --------------
# Each hypothesis is the truth in turn, and labels rows at random places. Both rules
# learn from the first n rows and are asked about all places. Gibbs' error is the mean
# over what might be drawn: the posterior times the errors of the hypotheses.

sizes = (1, 2, 4, 8, 16)
rng = np.random.default_rng(0)


def count_errors(hypotheses, n_tables=2):
    """Return the mean errors of both rules after so many rows."""
    said = np.array([h(places) for h in hypotheses])
    errors = []
    for truth in [*range(N_PLACES)] * n_tables:
        rows = rng.integers(N_PLACES, size=max(sizes))
        for n in sizes:
            model = HypothesisClassifier(hypotheses, classes=[False, True])
            model.fit(places[rows[:n]], said[truth, rows[:n]])
            optimal = np.mean(model.predict(places) != said[truth])
            gibbs = model.posterior_ @ np.mean(said != said[truth], axis=1)
            errors.append((optimal, gibbs))
    return np.reshape(errors, (-1, len(sizes), 2)).mean(axis=0).T


figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for ax, (name, hypotheses) in zip(axes, families.items()):
    optimal, gibbs = count_errors(hypotheses)
    ax.plot(sizes, 2 * optimal, "--", color="0.5", label="twice Bayes optimal")
    ax.plot(sizes, gibbs, "s-", color="tab:orange", label="Gibbs")
    ax.plot(sizes, optimal, "o-", color="tab:blue", label="Bayes optimal")
    ax.set(title=name, xlabel="rows", ylabel="error", ylim=(0, None))
    ax.set(xscale="log", xticks=sizes)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    print(
        f"{name}: Gibbs errs", *(f"{r:.2f}" for r in gibbs / optimal), "times as often"
    )
axes[0].legend()
plt.show()

# %%
# Why twice
# ---------
# Let p be the probability of + at some place, by the posterior. The optimal answer is
# wrong with probability min(p, 1 − p). One hypothesis that is drawn disagrees with a
# truth that might as well have been drawn with 2 p (1 − p), which is the former times
# 2 max(p, 1 − p). If p = ½ there is nothing to lose; if one hypothesis of many has
# another opinion, it is nearly twice. Thresholds have places of either kind, and lie
# between; of single places there is only the latter, until few are left.
#
# A caveat
# --------
# This is a mean over truths from the prior. For one truth, or with a prior that does
# not know what is frequent, Gibbs may err more than twice as often, or less often.
