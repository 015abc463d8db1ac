"""
How wide a window?
==================

With few neighbours a fit follows the noise, with many it misses the curve.
**Leave-one-out finds the minimum of the error for each degree: the best window of a
parabola, which follows a curve better, is wider than that of a line.**
"""

# %%
# Three curves
# ------------
# A wave of decreasing frequency, with noise of standard deviation 0.3. Each row is
# predicted from the others, for every degree and number of neighbours.
# ``LeaveOneOutDisplay`` draws the mean squared errors in ``loo_results_``.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import LeaveOneOutDisplay, LocallyWeightedRegressor


def truth(x):
    """Return a wave of decreasing frequency."""
    return np.sin(8 / (x + 0.6))


noise = 0.3
rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 3, size=150))[:, None]
y = truth(X[:, 0]) + rng.normal(scale=noise, size=len(X))

sizes = [6, 8, 10, 12, 15, 18, 22, 26, 30, 40, 50, 60, 80, 100, 149]
model = LocallyWeightedRegressor(
    degree="loo",
    n_neighbors="loo",
    scale=None,
    ridge=0.0,
    loo_candidates={"n_neighbors": sizes},
).fit(X, y)

figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
LeaveOneOutDisplay.from_estimator(model, ax=axes)
axes.set(xscale="log", ylim=(0.04, 0.5))
ticks = [6, 10, 20, 50, 100, 149]
axes.set_xticks(ticks, ticks)
axes.minorticks_off()
axes.legend(loc="upper center", title="degree", fontsize="small")
plt.show()

results = model.loo_results_
for degree in (0, 1, 2):
    error, k = min(
        (error, candidate["n_neighbors"])
        for candidate, error in zip(results["params"], results["mean_squared_error"])
        if candidate["degree"] == degree
    )
    print(f"degree {degree}: {k:2} neighbours, squared error {error:.4f}")

# %%
# About 0.09 of each error is the noise of the row, which cannot be predicted. Degrees 0
# and 1 have similar errors until the window is the whole table. The parabola fails with
# six rows, and its best number of neighbours is almost twice that of the line. The
# minimum is flat: line and parabola reach the same error to four digits, so that the
# choice between them depends on chance.
#
# Three fits
# ----------
# Degree 2 with a window too narrow, the chosen one, and one too wide, and their squared
# errors on ten thousand new rows. The dashed curve is the true function.

Z = rng.uniform(0, 3, size=(10_000, 1))
new = truth(Z[:, 0]) + rng.normal(scale=noise, size=len(Z))
ticks = np.linspace(0, 3, 400)
figure, panels = plt.subplots(
    1, 3, figsize=(11, 3.8), layout="constrained", sharex=True, sharey=True
)
for axes, k in zip(panels, (8, model.n_neighbors_, 80)):
    fit = LocallyWeightedRegressor(
        model.degree_, n_neighbors=k, scale=None, ridge=0.0
    ).fit(X, y)
    error = np.mean((fit.predict(Z) - new) ** 2)
    axes.plot(X, y, ".", color="0.75")
    axes.plot(ticks, truth(ticks), color="black", linestyle="--", linewidth=1)
    axes.plot(ticks, fit.predict(ticks[:, None]), color="tab:blue")
    axes.set(title=f"{k} neighbours: {error:.3f} on new rows", xlabel="x")
panels[0].set_ylabel("y")
plt.show()

# %%
# A caveat
# --------
# One number of neighbours is used for the whole axis. A fit to targets without noise
# shows the bias. It is printed with the standard error (both root mean squares):

chosen = LocallyWeightedRegressor(
    model.degree_, n_neighbors=model.n_neighbors_, scale=None, ridge=0.0
)
grid = ticks[:, None]
bias = chosen.fit(X, truth(X[:, 0])).predict(grid) - truth(ticks)
error = model.predict(grid, return_std=True)[1]
for name, part in (("x < 1", ticks < 1), ("x > 1", ticks > 1)):
    pair = [np.sqrt(np.mean(values[part] ** 2)) for values in (bias, error)]
    print("{}  bias {:.3f}  standard error {:.3f}".format(name, *pair))

# %%
# On the left the frequency is high, and the window is too wide for the first minimum.
# On the right the bias is almost 0, and a wider window would have a smaller variance. A
# fixed number of neighbours adapts the bandwidth to the density of rows, not to the
# curvature.
