"""
Three rounds by hand
====================

Ten points, five of each class, and rules that may ask one question of one axis: no rule
is right about more than seven. **Three of them, each made for what the former got
wrong, are right about all ten when they vote.**
"""

# %%
# Three stumps
# ------------
# The example is that of Freund and Schapire, with points of our own.

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import MyAdaBoost

plus = [(1, 1), (2, 8), (5, 6), (7, 10), (8, 5)]
minus = [(3, 4), (4, 2), (6, 3), (9, 9), (10, 7)]
X = np.array(plus + minus)
y = np.repeat(["+", "-"], 5)

model = MyAdaBoost(n_estimators=3).fit(X, y)
for stump, error, alpha in zip(
    model.estimators_, model.estimator_errors_, model.estimator_weights_
):
    print(f"{stump!s:36} error {error:.4f}, vote {alpha:.3f}")

np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])

# %%
# Weights
# -------
# All points begin with a tenth. The first stump is wrong about three of them: its error
# is 3/10, and its vote α = ½ ln (7/3). The weights of those three are multiplied by
# :math:`e^{\alpha}`, the others by :math:`e^{-\alpha}`, and all divided by their sum:
# 1/6 and 1/14. Now the wrong ones have half of the weight, so that the same stump would
# be no better than a coin. The next one is right about them, and wrong about three of
# the light ones, 3/14.
#
# Points are as large as their weights are when a stump is made; what it gets wrong has
# a black ring.

colours = {"+": "tab:blue", "-": "tab:red"}
side = np.linspace(0, 11, 221)
plane = np.array(np.meshgrid(side, side)).reshape(2, -1).T


def draw(ax, said, weight, title):
    """Draw the points over what is said of the plane."""
    is_plus = (said == "+").reshape(len(side), -1)
    ax.contourf(
        side, side, is_plus, [-0.5, 0.5, 1.5], colors=["tab:red", "tab:blue"], alpha=0.2
    )
    for sign, colour in colours.items():
        of_sign = y == sign
        ax.scatter(*X[of_sign].T, s=3000 * weight[of_sign], color=colour, linewidths=0)
    for point, sign in zip(X, y):
        look = {"ha": "center", "va": "center_baseline", "color": "white"}
        ax.text(*point, sign.replace("-", "\N{MINUS SIGN}"), weight="bold", **look)
    ax.set(xlim=(0, 11), ylim=(0, 11), xticks=[], yticks=[], aspect="equal")
    ax.set_title(title, fontsize="medium")


figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained")
weight = np.full(10, 1 / 10)
for t, (ax, stump) in enumerate(zip(axes, model.estimators_)):
    error, alpha = model.estimator_errors_[t], model.estimator_weights_[t]
    title = f"round {t + 1}: error {error:.3f}, vote {alpha:.3f}"
    draw(ax, stump.predict(plane), weight, title)
    wrong = stump.predict(X) != y
    ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.5}
    ax.scatter(*X[wrong].T, s=3000 * weight[wrong], **ring)
    shares = [str(Fraction(w).limit_denominator(99)) for w in weight]
    print(f"weights of round {t + 1}:", *shares)
    weight = weight * np.exp(np.where(wrong, alpha, -alpha))
    weight /= weight.sum()
draw(axes[3], model.predict(plane), np.full(10, 1 / 10), "the three together")
plt.show()

# %%
# The vote
# --------
# To the left two say + with .424 + .650, more than the third has to say against it. To
# the right the same two say −. In between they disagree, and the third decides.

for t, margins in enumerate(model.staged_margins(X, y), start=1):
    bound = model.error_bounds_[t - 1]
    print(f"round {t}: {np.sum(margins < 0)} of 10 wrong, bound {bound:.3f}")

# %%
# A caveat
# --------
# The points were chosen so that it takes three rounds. The bound, the product of
# :math:`2\sqrt{\epsilon (1 - \epsilon)}`, promises only that less than 52 % are wrong,
# and nothing at all of other points.
