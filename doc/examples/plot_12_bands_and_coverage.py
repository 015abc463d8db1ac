"""
What a 95 % band covers
=======================

A fit has two bands: one for the curve, one for new observations. Simulated noise shows
how often they hold. **The prediction interval holds 95 % of new observations; the
confidence band holds the true function as often only where the fit has no bias.**
"""

# %%
# Two bands
# ---------
# The narrow one is the confidence band, prediction ± t · standard error. The wide one
# is the prediction interval, which includes the noise of a new observation.

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from sklearn_bayeslazy import LocallyWeightedRegressor, RegressionBandDisplay


def truth(x):
    """Return a slope with a peak."""
    return x / 2 + 1.5 * np.exp(-((x - 3) ** 2) / 0.5)


rng = np.random.default_rng(0)
noise = 0.3
X = np.sort(rng.uniform(0, 6, size=200))[:, None]
y = truth(X[:, 0]) + rng.normal(scale=noise, size=len(X))
line = {"degree": 1, "scale": None, "ridge": 0.0}
model = LocallyWeightedRegressor(**line, n_neighbors="loo").fit(X, y)
print(f"{model.n_neighbors_} neighbours, noise {model.residual_scale_:.2f}")

figure, axes = plt.subplots(figsize=(8, 4.6), layout="constrained")
RegressionBandDisplay.from_estimator(model, X, y, kind="both", ax=axes)
axes.plot(
    X, truth(X), color="black", linestyle="--", linewidth=1, label="true function"
)
axes.set_xlabel("x")
axes.legend(loc="upper left", fontsize="small")
plt.show()

# %%
# The dashed true function leaves the narrow band at the peak, where the fit is too low.
# Is that chance?
#
# Simulated coverage
# ------------------
# Each draw of the noise is one of two thousand outputs of a regressor, so that a single
# fit is enough. The window is the one chosen above.

n_draws = 2000
draws = truth(X) + rng.normal(scale=noise, size=(len(X), n_draws))
model = LocallyWeightedRegressor(**line, n_neighbors=model.n_neighbors_)
model.fit(X, draws)
grid = np.linspace(0, 6, 121)[:, None]
new = truth(grid) + rng.normal(scale=noise, size=(len(grid), n_draws))
lower, upper = model.prediction_interval(grid, 0.95, "normal")
holds_new = np.mean((lower <= new) & (new <= upper), axis=1)

# %%
# The prediction interval has to hold a new observation, which has its own noise. The
# confidence band has to hold the true function.

predictions, std = model.predict(grid, return_std=True)
half_width = stats.t.ppf(0.975, model.residual_dof_) * std
is_covered = np.abs(predictions - truth(grid)) <= half_width
holds_truth = np.mean(is_covered, axis=1)

chance = 1.96 * np.sqrt(0.95 * 0.05 / n_draws)
figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
axes.axhspan(0.95 - chance, 0.95 + chance, color="0.85", label="95 % ± chance")
axes.plot(grid, holds_new, color="tab:blue", label="prediction interval: new rows")
axes.plot(grid, holds_truth, color="tab:orange", label="confidence band: true function")
axes.set(xlabel="x", ylabel="share of draws that are covered", ylim=(0.6, 1))
axes.legend(loc="lower left", fontsize="small")
plt.show()

for name, share in (("interval", holds_new), ("band", holds_truth)):
    worst = grid[share.argmin(), 0]
    print(
        f"{name:8}  mean {share.mean():.1%}, least {share.min():.1%} at x = {worst:.2f}"
    )

# %%
# The prediction interval has a coverage of 95 % almost everywhere: 95 of 100 such
# shares lie in the grey strip if the true coverage is 95 %. The confidence band has
# this coverage where the true function is almost linear within the window. Its coverage
# is lower at the foot of the peak, and much lower near the top.
#
# A caveat
# --------
# Both bands are computed from the noise alone. A bias is not noise: it does not vary
# from draw to draw. Where it is largest, it is most of the half width of the confidence
# band. The prediction interval is affected little, because the noise of a new row is
# much larger:

bias = predictions.mean(axis=1) - truth(grid[:, 0])
at = np.abs(bias).argmax()
print(
    f"x = {grid[at, 0]:.2f}: bias {bias[at]:.2f}, band ± {half_width[at].mean():.2f}, "
    f"interval ± {(upper - lower)[at].mean() / 2:.2f}"
)
