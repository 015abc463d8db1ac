"""
From one neighbour to all of them
=================================

With one neighbour the boundary between two classes follows every accident of the table.
More neighbours smooth it; with all of them a plain vote knows only one answer.
**Neighbours who are weighted by their distance stay local, even if everybody votes.**
"""

# %%
# Two ways to count votes
# -----------------------
# Two moons that overlap, one with three times as many rows as the other. Above, every
# neighbour has one vote. Below, a vote weighs one over the squared distance, and the
# last picture of that row is Shepard's method.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import make_moons

from sklearn_bayeslazy import ShepardKNN

X, y = make_moons((240, 80), noise=0.28, random_state=4)
ticks_x, ticks_y = np.linspace(-1.9, 2.9, 241), np.linspace(-1.4, 1.9, 166)
grid = np.stack(np.meshgrid(ticks_x, ticks_y), axis=-1)
rows_of_votes = (
    ("uniform", "each vote counts one"),
    ("inverse", "votes count 1 / distance²"),
)
numbers = (1, 7, 40, None)
shades = LinearSegmentedColormap.from_list("votes", ["#2c7fb8", "#f7f7f7", "#e6862e"])


def draw(axes, model):
    """Shade the share of the second class, with the boundary and the rows."""
    share = model.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(grid.shape[:2])
    axes.pcolormesh(
        ticks_x, ticks_y, share, cmap=shades, vmin=0, vmax=1, rasterized=True
    )
    if share.min() < 0.5 < share.max():
        axes.contour(ticks_x, ticks_y, share, [0.5], colors="black", linewidths=1)
    for label, color in enumerate(("#08456e", "#9c4a00")):
        rows = X[y == label]
        axes.scatter(*rows.T, s=7, color=color, linewidths=0)
    axes.set(xticks=[], yticks=[], aspect="equal")


figure, panels = plt.subplots(2, 4, figsize=(11, 4.4), layout="constrained")
for row, (weights, description) in zip(panels, rows_of_votes):
    row[0].set_ylabel(description)
    for axes, k in zip(row, numbers):
        draw(axes, ShepardKNN(k, weights=weights).fit(X, y))
for axes, k in zip(panels[0], numbers):
    axes.set_title("all rows" if k is None else f"k = {k}")
plt.show()

# %%
# In the first column both are the same. Above, the boundary then becomes smooth, and in
# the last column it has gone: everywhere the share is a quarter. Below, all 320 rows
# still part the moons where they meet. What everybody's vote does is to fade the
# colours, since the far rows pull each share towards a quarter, and at the edge of the
# picture, where no row is near, the larger class wins.
#
# The squared distance does for two columns. In more columns there are more far rows for
# each near one, so the power has to grow: ``power="auto"`` is the number of columns.
#
# What it costs
# -------------
# The small islands below are rows of one class among the other. Each is its own nearest
# neighbour, at distance 0, and keeps its surroundings for itself. If the row is noise,
# so is the island. On new rows the plain vote of the right number is better; weights
# make up for a number that is not right.

Z, z = make_moons((15_000, 5_000), noise=0.28, random_state=5)
print("accuracy on new rows      " + "".join(f"{k or 'all':>8}" for k in numbers))
for weights, description in rows_of_votes:
    models = [ShepardKNN(k, weights=weights).fit(X, y) for k in numbers]
    scores = "".join(f"{model.score(Z, z):8.3f}" for model in models)
    print(f"{description:26}{scores}")
