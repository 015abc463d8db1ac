"""
A surface from scattered points
===============================

The height of a surface is known at 120 points. The mean of the nearest five is
piecewise constant. **Shepard's method gives one continuous surface through all known
points; the power of the distance sets how far the influence of each point reaches.**
"""

# %%
# Four surfaces
# -------------

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LightSource

from sklearn_bayeslazy import ShepardKNNRegressor


def height(X):
    """Return two hills and a hollow."""
    x, y = X.T
    return (
        np.exp(-((x - 0.3) ** 2 + (y - 0.35) ** 2) / 0.04)
        + 0.7 * np.exp(-((x - 0.75) ** 2 + (y - 0.7) ** 2) / 0.03)
        - 0.6 * np.exp(-((x - 0.75) ** 2 + (y - 0.2) ** 2) / 0.02)
    )


rng = np.random.default_rng(3)
X = rng.uniform(size=(120, 2))
y = height(X)
ticks = np.linspace(0, 1, 161)
grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
truth = height(grid)

models = {
    "plain mean of 5": ShepardKNNRegressor(5, weights="uniform", metric="euclidean"),
    "all rows, power 2": ShepardKNNRegressor(None, power=2, metric="euclidean"),
    "all rows, power 4": ShepardKNNRegressor(None, power=4, metric="euclidean"),
}
surfaces = {"true surface and known points": truth}
surfaces |= {name: model.fit(X, y).predict(grid) for name, model in models.items()}

figure, panels = plt.subplots(
    2, 2, figsize=(9, 7.4), layout="constrained", subplot_kw={"projection": "3d"}
)
light = LightSource(azdeg=300, altdeg=40)
for axes, (name, surface) in zip(panels.flat, surfaces.items()):
    shape = len(ticks), len(ticks)
    shaded = light.shade(
        surface.reshape(shape),
        cmap=plt.get_cmap("YlGnBu_r"),
        vmin=-0.8,
        vmax=1.1,
        vert_exag=0.12,
        blend_mode="soft",
    )
    axes.plot_surface(
        *grid.T.reshape(2, *shape),
        surface.reshape(shape),
        facecolors=shaded,
        rcount=160,
        ccount=160,
        linewidth=0,
        antialiased=False,
    )
    axes.set(zlim=(-0.6, 1), xticks=[], yticks=[], zticks=[])
    axes.set_box_aspect((1, 1, 0.45), zoom=1.25)
    axes.view_init(elev=38, azim=-65)
    error = np.sqrt(np.mean((surface - truth) ** 2))
    axes.set_title(name if surface is truth else f"{name}\nerror {error:.3f}")
panels[0, 0].plot(*X.T, y, ".", color="black", markersize=3, zorder=10)
plt.show()

# %%
# The plain mean has one constant piece for each set of five neighbours. With power 2
# each known point is a spike on a plain: in two columns there are so many far rows that
# the surface is near the mean, except at the known points. With power 4 the far rows
# have little weight, and the hills appear.
#
# One column
# ----------
# The effect of the power is clearer in one column, with ten known points.

x = np.array([0.03, 0.1, 0.2, 0.34, 0.42, 0.5, 0.64, 0.74, 0.88, 0.97])
known = np.sin(7 * x) + x
ticks = np.linspace(-0.2, 1.2, 1401)
figure, panels = plt.subplots(
    1, 3, figsize=(10, 3.4), layout="constrained", sharex=True, sharey=True
)
models = {
    "plain mean of 3": ShepardKNNRegressor(3, weights="uniform", metric="euclidean"),
    "all rows, power 2": ShepardKNNRegressor(None, power=2, metric="euclidean"),
    "all rows, power 4": ShepardKNNRegressor(None, power=4, metric="euclidean"),
}
for axes, (name, model) in zip(panels, models.items()):
    axes.plot(ticks, np.sin(7 * ticks) + ticks, color="0.75", label="true function")
    answer = model.fit(x[:, None], known).predict(ticks[:, None])
    axes.plot(ticks, answer, color="tab:blue", label="prediction")
    axes.plot(x, known, "o", color="black", markersize=4, label="known")
    axes.set_title(name)
panels[0].legend(fontsize="small", loc="lower left")
plt.show()

# %%
# A caveat
# --------
# The slope of the curve is 0 at each known point, because the mean uses the heights of
# the neighbours, but not their slopes. With any power above 1 the prediction has steps,
# and beyond the last point it returns to the mean. Larger powers make broader steps; in
# the limit they are those of a single neighbour. If the slope is important, fit a local
# line rather than a local mean.
