"""
What a 95 % band covers
=======================

A fit comes with two bands: one for the curve, one for new observations. What they
promise can be counted, by drawing the noise again and again. **The prediction interval
holds 95 % of new observations; the confidence band holds the truth as often only where
the fit has no bias.**
"""

# %%
# Two bands
# ---------
# The narrow one is the confidence band, answer ± t · standard error. The wide one is
# the prediction interval, which has the noise of a new observation on top.

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
model = LocallyWeightedRegressor(n_neighbors="loo").fit(X, y)
print(f"{model.n_neighbors_} neighbours, noise {model.residual_scale_:.2f}")

figure, axes = plt.subplots(figsize=(8, 4.6), layout="constrained")
RegressionBandDisplay.from_estimator(model, X, y, kind="both", ax=axes)
axes.plot(X, truth(X), color="black", linestyle="--", linewidth=1, label="the truth")
axes.set_xlabel("x")
axes.legend(loc="upper left", fontsize="small")
plt.show()

# %%
# The dashed truth leaves the narrow band at the peak, where the fit is too low. Is that
# bad luck?
#
# Counting
# --------
# Each draw of the noise is one output of a regressor with two thousand of them, so one
# fit does for all. The window stays as chosen above.

n_draws = 2000
draws = truth(X) + rng.normal(scale=noise, size=(len(X), n_draws))
model = LocallyWeightedRegressor(n_neighbors=model.n_neighbors_).fit(X, draws)
places = np.linspace(0, 6, 121)[:, None]
new = truth(places) + rng.normal(scale=noise, size=(len(places), n_draws))
lower, upper = model.prediction_interval(places)
holds_new = np.mean((lower <= new) & (new <= upper), axis=1)

# %%
# The prediction interval has to hold a new observation, which has its own noise. The
# confidence band is asked how often it held the truth.

answers, std = model.predict(places, return_std=True)
reach = stats.t.ppf(0.975, model.residual_dof_) * std
holds_truth = np.mean(np.abs(answers - truth(places)) <= reach, axis=1)

chance = 1.96 * np.sqrt(0.95 * 0.05 / n_draws)
figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
axes.axhspan(0.95 - chance, 0.95 + chance, color="0.85", label="95 % ± chance")
axes.plot(places, holds_new, color="tab:blue", label="prediction interval: new rows")
axes.plot(places, holds_truth, color="tab:orange", label="confidence band: the truth")
axes.set(xlabel="x", ylabel="share of draws that are covered", ylim=(0.6, 1))
axes.legend(loc="lower left", fontsize="small")
plt.show()

for name, share in (("interval", holds_new), ("band", holds_truth)):
    worst = places[share.argmin(), 0]
    print(
        f"{name:8}  mean {share.mean():.1%}, least {share.min():.1%} at x = {worst:.2f}"
    )

# %%
# The prediction interval keeps its promise almost everywhere; the grey strip is where
# 95 of 100 such shares would lie if the true one were 95 %. The confidence band keeps
# it where the truth is all but straight within the window. It falls short at the feet
# of the peak, and by far the most near its top.
#
# A caveat
# --------
# Both bands are made of the noise alone, and a bias is no noise: it does not scatter
# from draw to draw. Where it is largest, the mean of all fits is off by most of the
# band's half width. The interval hardly notices, since the noise of a new row is much
# larger:

bias = answers.mean(axis=1) - truth(places[:, 0])
at = np.abs(bias).argmax()
print(
    f"x = {places[at, 0]:.2f}: bias {bias[at]:.2f}, band ± {reach[at].mean():.2f}, "
    f"interval ± {(upper - lower)[at].mean() / 2:.2f}"
)
