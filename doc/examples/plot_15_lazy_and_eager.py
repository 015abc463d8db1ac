"""
Lazy or eager?
==============

A lazy learner fits many small models, one for each query; an eager one fits a single
model in advance. **Lines and Gaussian functions are used in both ways here. Lazy
learners follow any curve but compute at each query. Eager learners compute once, and
are only as good as their single formula.**
"""

# %%
# One hypothesis, two ways to use it
# ----------------------------------
# The true function is a wavy surface over two columns. A *line* can be fitted to all
# rows at once (``LinearRegression``), or around each query
# (``LocallyWeightedRegressor``). A *Gaussian* can be centred at a hundred centres, and
# the weighted sum be fitted (``RBFNetworkRegressor``). Or it can be centred at each
# query and weight a mean of the rows (degree 0 with ``kernel="gaussian"``). The
# learners choose their windows, widths and ridges by leave-one-out.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

from sklearn_bayeslazy import LocallyWeightedRegressor, RBFNetworkRegressor


def truth(X):
    """Return a wave along the first column whose amplitude is the second."""
    return np.sin(3 * X[:, 0]) * X[:, 1]


def table(n, seed):
    """Return rows with noise of standard deviation 0.2."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, truth(X) + rng.normal(scale=0.2, size=n)


lazy_gaussians = LocallyWeightedRegressor(
    degree=0,
    n_neighbors=None,
    bandwidth="loo",
    kernel="gaussian",
    scale=None,
    ridge=0.0,
    statistics=None,
    loo_candidates={"bandwidth": [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]},
    loo_max_samples=500,
)
learners = {
    "line, eager": LinearRegression(),
    "line, lazy": LocallyWeightedRegressor(
        degree=1,
        n_neighbors="loo",
        scale=None,
        ridge=0.0,
        statistics=None,
        loo_max_samples=500,
    ),
    "Gaussians, eager": RBFNetworkRegressor(
        100,
        feature_weights=None,
        loo_candidates={"overlap": [1.0, 2.0]},
        loo_max_samples=500,
    ),
    "Gaussians, lazy": lazy_gaussians,
}
for learner in learners.values():  # the first call compiles
    learner.fit(*table(200, seed=1)).predict(np.zeros((1, 2)))

# %%
# Error, time to fit, time to predict
# -----------------------------------
# The error is the root mean square difference from the true function at 1000 new rows.

sizes = [300, 1000, 3000, 10_000]
new = table(1000, seed=2)[0]
results = {name: [] for name in learners}
for n in sizes:
    X, y = table(n, seed=3)
    for name, learner in learners.items():
        start = perf_counter()
        learner.fit(X, y)
        fitted = perf_counter()
        predictions = learner.predict(new)
        predicted = perf_counter()
        error = np.sqrt(np.mean((predictions - truth(new)) ** 2))
        results[name].append((error, fitted - start, predicted - fitted))

figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
titles = ["error", "seconds to fit", "seconds for 1000 predictions"]
for i, (ax, title) in enumerate(zip(axes, titles)):
    for name, rows in results.items():
        style = "--" if name.endswith("eager") else "-"
        color = "C0" if name.startswith("line") else "C1"
        values = [row[i] for row in rows]
        ax.plot(sizes, values, style, color=color, marker="o", ms=4, label=name)
    ax.set(title=title, xlabel="training rows", xscale="log", yscale="log")
ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
axes[0].set_yticks(ticks, ticks)
axes[0].minorticks_off()
axes[0].legend(fontsize="small", loc="upper right", bbox_to_anchor=(1.0, 0.93))
plt.show()

print("training rows   " + "".join(f"{n:>9,}" for n in sizes))
for name, rows in results.items():
    print(f"{name:16}" + "".join(f"{error:9.3f}" for error, _, _ in rows))

# %%
# A single line cannot follow the wave: its error does not decrease with the number of
# rows. Local lines can, and their error decreases with the number of rows, because the
# windows become smaller. The eager Gaussians have the smallest error at all these
# sizes, because a hundred of them are enough for this surface. Their time to predict
# does not depend on the number of training rows, but they take the most time to fit.
# The lazy learners read the training rows at each query; fitting only chooses the
# window.
