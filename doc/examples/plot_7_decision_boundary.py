"""
From one neighbour to all rows
==============================

With one neighbour the boundary between two classes follows the noise of the table. More
neighbours smooth it. If all rows vote with equal weights, every prediction is the same.
**With weights by distance, predictions stay local even if all rows vote.**
"""

# %%
# Two ways to weight votes
# ------------------------
# Two moons overlap, and one has three times as many rows as the other. In the upper
# panels each neighbour has one vote. In the lower panels a vote has the weight one over
# the squared distance; the last of these panels is Shepard's method.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import make_moons

from sklearn_bayeslazy import ShepardKNN

X, y = make_moons((240, 80), noise=0.28, random_state=4)
ticks_x, ticks_y = np.linspace(-1.9, 2.9, 241), np.linspace(-1.4, 1.9, 166)
grid = np.stack(np.meshgrid(ticks_x, ticks_y), axis=-1)
rows_of_votes = (
    ("uniform", "equal weights"),
    ("inverse", "weights 1 / distance²"),
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
        draw(
            axes,
            ShepardKNN(k, power=2, m=0, weights=weights, metric="euclidean").fit(X, y),
        )
for axes, k in zip(panels[0], numbers):
    axes.set_title("all rows" if k is None else f"k = {k}")
plt.show()

# %%
# In the first column both are the same. With equal weights the boundary becomes smooth,
# and vanishes in the last column, where the share is a quarter everywhere. With weights
# by distance, all 320 rows still separate the moons where they meet. The far rows move
# each share towards a quarter, which fades the colours. At the edge of the panel no row
# is near, and the larger class wins.
#
# The squared distance is enough for two columns. In more columns there are more far
# rows for each near one, so the power has to grow: ``power="auto"`` is the number of
# columns.
#
# A caveat
# --------
# The small islands in the lower panels are single rows among the other class. Each is
# its own nearest neighbour, at distance 0, and decides for the points around it. If the
# row is noise, so is the island. On new rows, equal weights with the right number of
# neighbours are better; weights by distance depend less on this number.

Z, z = make_moons((15_000, 5_000), noise=0.28, random_state=5)
print("accuracy on new rows      " + "".join(f"{k or 'all':>8}" for k in numbers))
for weights, description in rows_of_votes:
    models = [
        ShepardKNN(k, power=2, m=0, weights=weights, metric="euclidean").fit(X, y)
        for k in numbers
    ]
    scores = "".join(f"{model.score(Z, z):8.3f}" for model in models)
    print(f"{description:26}{scores}")
