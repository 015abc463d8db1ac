"""
Edges and peaks
===============

Rows of the window that lie elsewhere pull an answer to their side. **A local mean is
off at the edge of the data, a local line is not; at a peak both are too low, and a
local parabola much less.**
"""

# %%
# The mean of many fits
# ---------------------
# The truth rises everywhere and has a peak in the middle. The noise is drawn a thousand
# times; what is left of the fits' mean, minus the truth, is their bias. Each draw is
# one output of the regressor, so that one fit for each degree does.

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
places = np.linspace(X[0], X[-1], 397)
fits = {
    degree: LocallyWeightedRegressor(degree, n_neighbors=30, statistics=None)
    .fit(X, draws)
    .predict(places)
    for degree in (0, 1, 2)
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.plot(X, draws[:, 0], ".", color="0.8", label="one draw")
left.plot(places, truth(places), color="black", linewidth=1, label="the truth")
right.axhline(0, color="black", linewidth=1)
for degree, answers in fits.items():
    mean = answers.mean(axis=1)
    look = {"color": f"C{degree}", "linewidth": (4, 1.5, 1.5)[degree]}
    left.plot(places, mean, label=f"degree {degree}", **look)
    right.plot(places, mean - truth(places[:, 0]), **look)
left.set(xlabel="x", ylabel="y", title="the truth, and means of 1000 fits")
right.set(xlabel="x", ylabel="mean of the fits - truth", title="bias")
left.legend(loc="upper left", fontsize="small")
plt.show()

# %%
# At the edge all rows of the window lie on one side. On a slope their mean is too high
# or too low by the slope times their mean distance; a line allows for a slope. Inside,
# rows on the left make up for those on the right, as these are evenly spread; the slope
# takes no part in the answer, and the curves of degree 0 and 1 lie on each other. What
# is left is curvature: the top is cut off and the feet are filled in. A parabola allows
# for most of that.
#
# A caveat
# --------
# Each further term has to be estimated from the same thirty rows, and the answers
# scatter more from draw to draw, most of all at the edge.

print("             edge, x = 0.005             peak, x = 0.5")
print("degree    bias  scatter    error     bias  scatter    error")
for degree, answers in fits.items():
    cells = []
    for place in (0, len(places) // 2):
        off = answers[place] - truth(places[place, 0])
        cells += [off.mean(), off.std(), np.sqrt(np.mean(off**2))]
    print(f"{degree:6}" + "".join(f"{cell:9.3f}" for cell in cells))

# %%
# The error (root mean square) has both in it. The line wins at the edge, the parabola
# at the peak; which counts for more depends on the table, and ``degree="loo"`` asks it.
