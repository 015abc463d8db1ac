"""
A line at every query
=====================

Local regression has no coefficients. Asked for an answer, it fits a line to the rows
near by, those nearest weighing most, takes its height at the query and forgets it.
**The curve is what remains of a fan of lines, one point of each.**
"""

# %%
# Five queries
# ------------
# Ninety rows, dense on the left and sparse on the right. The window of a query reaches
# to its 30th nearest row; the lower panel shows how much each row of it weighs
# (tricube). ``gradient`` returns the slope of the local line.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import LocallyWeightedRegressor


def truth(x):
    """Return waves on a slope."""
    return np.sin(x) + 0.3 * x


rng = np.random.default_rng(1)
x = np.sort(10 * rng.beta(1.0, 1.6, size=90))
y = truth(x) + rng.normal(scale=0.25, size=len(x))
k = 30
model = LocallyWeightedRegressor(degree=1, n_neighbors=k).fit(x[:, None], y)

queries = np.array([x[0], 1.6, 3.3, 5.0, x[-1]])
heights = model.predict(queries[:, None])
slopes = model.gradient(queries[:, None])[:, 0]
bandwidths = np.sort(np.abs(x - queries[:, None]), axis=1)[:, k - 1]

figure, (above, below) = plt.subplots(
    2, 1, figsize=(8, 6), layout="constrained", sharex=True, height_ratios=(3, 1)
)
ticks = np.linspace(x[0], x[-1], 500)
above.plot(x, y, "o", color="0.7", markersize=4, label="rows")
above.plot(ticks, truth(ticks), color="0.5", linestyle=":", label="the truth")
above.plot(ticks, model.predict(ticks[:, None]), color="black", label="answers")
for number, query in enumerate(queries):
    height, slope, h = heights[number], slopes[number], bandwidths[number]
    look = {"color": f"C{number}"}
    span = np.clip([query - h, query + h], x[0], x[-1])
    above.plot(span, height + slope * (span - query), **look)
    above.plot(query, height, "o", markersize=8, markeredgecolor="white", **look)
    near = np.linspace(*span, 200)
    weights = (1 - (np.abs(near - query) / h).clip(max=1) ** 3) ** 3
    below.fill_between(near, weights, alpha=0.25, linewidth=0, **look)
    below.plot(near, weights, **look)
below.plot(x, np.full(len(x), -0.1), "|", color="0.5", markersize=6)
above.set_ylabel("y")
above.legend(loc="upper left")
below.set(xlabel="x", ylabel="weight", ylim=(-0.2, 1.05))
plt.show()

# %%
# Each coloured dot is the answer to its query and lies on the black curve; the rest of
# its line is not used. At either end the window has rows on one side only. A mean would
# be drawn inwards there, a line follows the slope of what it sees.
#
# A caveat
# --------
# A window of thirty rows is as wide as it must be to hold them:

for query, h, slope in zip(queries, bandwidths, slopes):
    true = np.cos(query) + 0.3
    print(
        f"x = {query:4.2f}  bandwidth {h:.2f}  slope {slope:5.2f}, in truth {true:5.2f}"
    )

# %%
# On the sparse side it spans half of the axis, and the last line goes straight past a
# bend of the truth. The curve has kinks too, where the thirtieth row is another one all
# of a sudden and the bandwidth begins to grow or to shrink. A window of fixed width,
# ``bandwidth=``, has neither fault; where rows are sparse it may hold hardly any.
