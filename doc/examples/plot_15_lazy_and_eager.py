"""
Lazy or eager?
==============

A lazy learner fits many small models, one for each query; an eager one fits a single
model beforehand. **The same kind of function, a line or a Gaussian bump, is used in
both ways here: lazily it follows any curve and pays at each query, eagerly it pays
once, and is as good as its one formula.**
"""

# %%
# One hypothesis, two ways to use it
# ----------------------------------
# The truth is a wavy surface over two columns. A *line* can be fitted to all rows at
# once (``LinearRegression``), or anew around each query (``LocallyWeightedRegressor``).
# A *Gaussian bump* can be put on a hundred centres and the sum be fitted
# (``RBFNetworkRegressor``), or on every query, which gives the mean of the rows under
# it (degree 0 with ``kernel="gaussian"``). Windows, widths and ridges are chosen by
# leave-one-out, by the learners themselves.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

from sklearn_bayeslazy import LocallyWeightedRegressor, RBFNetworkRegressor


def truth(X):
    """Return a wave along the first column that the second turns over."""
    return np.sin(3 * X[:, 0]) * X[:, 1]


def table(n, seed):
    """Return rows with noise of standard deviation 0.2."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, truth(X) + rng.normal(scale=0.2, size=n)


lazy_bumps = LocallyWeightedRegressor(
    degree=0,
    n_neighbors=None,
    bandwidth="loo",
    kernel="gaussian",
    statistics=None,
    loo_candidates={"bandwidth": [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]},
    loo_max_samples=500,
)
learners = {
    "line, eager": LinearRegression(),
    "line, lazy": LocallyWeightedRegressor(
        n_neighbors="loo", statistics=None, loo_max_samples=500
    ),
    "bumps, eager": RBFNetworkRegressor(
        100, loo_candidates={"overlap": [1.0, 2.0]}, loo_max_samples=500
    ),
    "bumps, lazy": lazy_bumps,
}
for learner in learners.values():  # the first call compiles
    learner.fit(*table(200, seed=1)).predict(np.zeros((1, 2)))

# %%
# Error, time to fit, time to answer
# ----------------------------------
# The error is the root mean square distance from the truth on 1000 new rows, without
# their noise.

sizes = [300, 1000, 3000, 10_000]
new = table(1000, seed=2)[0]
found = {name: [] for name in learners}
for n in sizes:
    X, y = table(n, seed=3)
    for name, learner in learners.items():
        start = perf_counter()
        learner.fit(X, y)
        fitted = perf_counter()
        answers = learner.predict(new)
        done = perf_counter()
        error = np.sqrt(np.mean((answers - truth(new)) ** 2))
        found[name].append((error, fitted - start, done - fitted))

figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
titles = ["error", "seconds to fit", "seconds for 1000 answers"]
for place, (ax, title) in enumerate(zip(axes, titles)):
    for name, rows in found.items():
        style = "--" if name.endswith("eager") else "-"
        color = "C0" if name.startswith("line") else "C1"
        values = [row[place] for row in rows]
        ax.plot(sizes, values, style, color=color, marker="o", ms=4, label=name)
    ax.set(title=title, xlabel="training rows", xscale="log", yscale="log")
ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
axes[0].set_yticks(ticks, ticks)
axes[0].minorticks_off()
axes[0].legend(fontsize="small", loc="upper right", bbox_to_anchor=(1.0, 0.93))
plt.show()

print("training rows " + "".join(f"{n:>9,}" for n in sizes))
for name, rows in found.items():
    print(f"{name:14}" + "".join(f"{error:9.3f}" for error, _, _ in rows))

# %%
# One line cannot follow the wave, however many rows there are: its error does not
# fall. Used lazily, the same lines do, and better the more rows there are, because the
# windows shrink. Bumps used eagerly are ahead at all these sizes, as a hundred of them
# are enough for this surface, and they take no longer to answer from 10 000 rows than
# from 1000. Finding them is what costs most of all. The lazy learners read their rows
# at each query, and fitting costs them nothing but the choice of the window.
