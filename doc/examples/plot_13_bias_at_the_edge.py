"""
Edges and peaks
===============

The rows of a window are not at the query, which causes a bias. **A local mean is biased
at the edge of the data, a local line is not; at a peak both are too low, and a local
parabola much less so.**
"""

# %%
# The mean of many fits
# ---------------------
# The true function is a line with a peak in the middle. The noise is drawn a
# thousand times; the mean of the fits minus the true function is their bias. Each draw
# is one output of the regressor, so that one fit for each degree is enough.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import LocallyWeightedRegressor


def truth(x):
    """Return a slope with a peak."""
    return 2 * x + np.exp(-(((x - 0.5) / 0.1) ** 2))


rng = np.random.default_rng(0)
noise, n_draws = 0.2, 1000
X = (np.arange(100)[:, None] + 0.5) / 100
draws = truth(X) + rng.normal(scale=noise, size=(len(X), n_draws))
grid = np.linspace(X[0], X[-1], 397)
fits = {
    degree: LocallyWeightedRegressor(
        degree, n_neighbors=30, scale=None, ridge=0.0, statistics=None
    )
    .fit(X, draws)
    .predict(grid)
    for degree in (0, 1, 2)
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.plot(X, draws[:, 0], ".", color="0.8", label="one draw")
left.plot(grid, truth(grid), color="black", linewidth=1, label="true function")
right.axhline(0, color="black", linewidth=1)
for degree, predictions in fits.items():
    mean = predictions.mean(axis=1)
    style = {"color": f"C{degree}", "linewidth": (4, 1.5, 1.5)[degree]}
    left.plot(grid, mean, label=f"degree {degree}", **style)
    right.plot(grid, mean - truth(grid[:, 0]), **style)
left.set(xlabel="x", ylabel="y", title="true function, and means of 1000 fits")
right.set(xlabel="x", ylabel="mean of the fits - true function", title="bias")
left.legend(loc="upper left", fontsize="small")
plt.show()

# %%
# At the edge all rows of the window lie on one side. On a slope their mean is too high
# or too low by the slope times their mean distance; a line has a slope of its own.
# Inside, the rows on the left and right balance each other, because they are evenly
# spaced; the predictions of degree 0 and 1 are therefore equal. The remaining bias
# comes from curvature: it lowers the top of the peak and raises its foot. A parabola
# removes most of it.
#
# A caveat
# --------
# Each additional term has to be estimated from the same thirty rows, and the standard
# deviation of the predictions increases, most of all at the edge.

print("             edge, x = 0.005             peak, x = 0.5")
print("degree    bias     std.    error     bias     std.    error")
for degree, predictions in fits.items():
    columns = []
    for i in (0, len(grid) // 2):
        errors = predictions[i] - truth(grid[i, 0])
        columns += [errors.mean(), errors.std(), np.sqrt(np.mean(errors**2))]
    print(f"{degree:6}" + "".join(f"{value:9.3f}" for value in columns))

# %%
# The error (root mean square) combines both. The line is better at the edge, the
# parabola at the peak. Which matters more depends on the data: ``degree="loo"``
# compares them.
