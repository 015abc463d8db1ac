"""
A line at every query
=====================

Local regression stores no coefficients. For each query it fits a line to the nearest
rows, with more weight for nearer rows, and predicts the height of the line at the
query. **The fitted curve takes one point from each of many lines.**
"""

# %%
# Five queries
# ------------
# Ninety rows, dense on the left and sparse on the right. The window of a query holds
# its 30 nearest rows; the lower panel shows their tricube weights. ``gradient`` returns
# the slope of the local line.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import LocallyWeightedRegressor


def truth(x):
    """Return a sine wave on a slope."""
    return np.sin(x) + 0.3 * x


rng = np.random.default_rng(1)
x = np.sort(10 * rng.beta(1.0, 1.6, size=90))
y = truth(x) + rng.normal(scale=0.25, size=len(x))
k = 30
model = LocallyWeightedRegressor(degree=1, n_neighbors=k, scale=None, ridge=0.0)
model.fit(x[:, None], y)

queries = np.array([x[0], 1.6, 3.3, 5.0, x[-1]])
heights = model.predict(queries[:, None])
slopes = model.gradient(queries[:, None])[:, 0]
bandwidths = np.sort(np.abs(x - queries[:, None]), axis=1)[:, k - 1]

figure, (above, below) = plt.subplots(
    2, 1, figsize=(8, 6), layout="constrained", sharex=True, height_ratios=(3, 1)
)
ticks = np.linspace(x[0], x[-1], 500)
above.plot(x, y, "o", color="0.7", markersize=4, label="rows")
above.plot(ticks, truth(ticks), color="0.5", linestyle=":", label="true function")
above.plot(ticks, model.predict(ticks[:, None]), color="black", label="predictions")
for number, query in enumerate(queries):
    height, slope, h = heights[number], slopes[number], bandwidths[number]
    style = {"color": f"C{number}"}
    span = np.clip([query - h, query + h], x[0], x[-1])
    above.plot(span, height + slope * (span - query), **style)
    above.plot(query, height, "o", markersize=8, markeredgecolor="white", **style)
    near = np.linspace(*span, 200)
    weights = (1 - (np.abs(near - query) / h).clip(max=1) ** 3) ** 3
    below.fill_between(near, weights, alpha=0.25, linewidth=0, **style)
    below.plot(near, weights, **style)
below.plot(x, np.full(len(x), -0.1), "|", color="0.5", markersize=6)
above.set_ylabel("y")
above.legend(loc="upper left")
below.set(xlabel="x", ylabel="weight", ylim=(-0.2, 1.05))
plt.show()

# %%
# Each coloured dot is the prediction at its query and lies on the black curve; the rest
# of its line is not used. At either end the window has rows on one side only. A mean is
# biased there; a line follows the slope of the rows.
#
# A caveat
# --------
# The bandwidth of a window of thirty rows varies:

for query, h, slope in zip(queries, bandwidths, slopes):
    true = np.cos(query) + 0.3
    print(f"x = {query:4.2f}  bandwidth {h:.2f}  slope {slope:5.2f} (true {true:5.2f})")

# %%
# On the sparse side the window spans half of the axis, and the last line ignores a bend
# of the true function. The curve also has kinks at queries where another row becomes
# the thirtieth and the bandwidth begins to grow or to shrink. A fixed ``bandwidth``
# avoids both, but its window may hold very few rows where rows are sparse.
