"""
The Gibbs algorithm
===================

The Bayes optimal classifier averages the predictions of all hypotheses. The Gibbs
algorithm uses one hypothesis, drawn from the posterior. **If the true hypothesis is
drawn from the prior, the expected error of Gibbs is at most twice the optimal one. The
ratio depends on the hypotheses.**
"""

# %%
# Two sets of hypotheses
# ----------------------
# There are twenty points on a line. *Thresholds*: all points from one of them on are +,
# the others are −. *Single points*: one point is +, all others are −. The prior is
# uniform.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import HypothesisClassifier

N_POINTS = 20
points = np.arange(N_POINTS)[:, None]
hypothesis_sets = {
    "thresholds": [lambda X, t=t: X[:, 0] >= t for t in range(N_POINTS)],
    "single points": [lambda X, t=t: X[:, 0] == t for t in range(N_POINTS)],
}

X, y = [[3], [12], [17]], [False, True, True]
for seed in range(3):
    model = HypothesisClassifier(
        hypothesis_sets["thresholds"], "gibbs", random_state=seed
    )
    model.fit(X, y)
    print(f"thresholds {model.version_space_} are consistent, {model.drawn_} is drawn")

# %%
# Errors counted
# --------------
# Each hypothesis in turn is the true one, and labels rows at random points. Both rules
# are fitted to the first n rows and predict all points. The error of Gibbs is its
# expectation: the sum of the errors of the hypotheses times their posteriors.

sizes = (1, 2, 4, 8, 16)
rng = np.random.default_rng(0)


def count_errors(hypotheses, n_tables=2):
    """Return the mean errors of both rules for each number of rows."""
    labels = np.array([h(points) for h in hypotheses])
    errors = []
    for truth in [*range(N_POINTS)] * n_tables:
        rows = rng.integers(N_POINTS, size=max(sizes))
        for n in sizes:
            model = HypothesisClassifier(hypotheses, classes=[False, True])
            model.fit(points[rows[:n]], labels[truth, rows[:n]])
            optimal = np.mean(model.predict(points) != labels[truth])
            gibbs = model.posterior_ @ np.mean(labels != labels[truth], axis=1)
            errors.append((optimal, gibbs))
    return np.reshape(errors, (-1, len(sizes), 2)).mean(axis=0).T


figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for ax, (name, hypotheses) in zip(axes, hypothesis_sets.items()):
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
# Let p be the posterior probability of + at a point. The optimal prediction is wrong
# with the probability min(p, 1 − p). The true hypothesis has the distribution of the
# posterior, too, so a drawn hypothesis disagrees with it with the probability
# 2 p (1 − p). This is min(p, 1 − p) times 2 max(p, 1 − p). The ratio is 1 if p = ½, and
# nearly 2 if one hypothesis of many disagrees with the others. Thresholds have points
# of both kinds, so their ratio is between 1 and 2. Single points have only the second
# kind, until few hypotheses are consistent.
#
# A caveat
# --------
# This holds on average over true hypotheses from the prior. For a single true
# hypothesis, or with a wrong prior, the error of Gibbs may be more than twice the
# optimal one, or less.
