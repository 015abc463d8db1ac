"""
Three rounds by hand
====================

Ten points, five of each class, and decision stumps that split one axis: no stump
classifies more than seven correctly. **Three stumps, each fitted to the errors of the
former ones, classify all ten correctly by their votes.**
"""

# %%
# Three stumps
# ------------
# The example is that of Freund and Schapire, with other points.

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import MyAdaBoost

plus = [(1, 1), (2, 8), (5, 6), (7, 10), (8, 5)]
minus = [(3, 4), (4, 2), (6, 3), (9, 9), (10, 7)]
X = np.array(plus + minus)
y = np.repeat(["+", "-"], 5)

model = MyAdaBoost(max_depth=1, n_estimators=3).fit(X, y)
for stump, error, alpha in zip(
    model.estimators_, model.estimator_errors_, model.estimator_weights_
):
    print(f"{stump!s:36} error {error:.4f}, alpha {alpha:.3f}")

np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])

# %%
# Weights
# -------
# Each point begins with the weight 1/10. The first stump misclassifies three of them:
# its error is 3/10, and its vote has the weight α = ½ ln (7/3). The weights of those
# three are multiplied by :math:`e^{\alpha}`, the others by :math:`e^{-\alpha}`, and all
# are divided by their sum: 1/6 and 1/14. The misclassified points now have half of the
# total weight, so the same stump would be no better than guessing. The second stump
# classifies them correctly, and misclassifies three points of weight 1/14: its error is
# 3/14.
#
# The area of a point is proportional to its weight before the round. Misclassified
# points have a black ring.

colors = {"+": "tab:blue", "-": "tab:red"}
side = np.linspace(0, 11, 221)
plane = np.array(np.meshgrid(side, side)).reshape(2, -1).T


def draw(ax, predicted, weight, title):
    """Draw the points over the predicted classes of the plane."""
    is_plus = (predicted == "+").reshape(len(side), -1)
    ax.contourf(
        side, side, is_plus, [-0.5, 0.5, 1.5], colors=["tab:red", "tab:blue"], alpha=0.2
    )
    for sign, color in colors.items():
        of_sign = y == sign
        ax.scatter(*X[of_sign].T, s=3000 * weight[of_sign], color=color, linewidths=0)
    for point, sign in zip(X, y):
        look = {"ha": "center", "va": "center_baseline", "color": "white"}
        ax.text(*point, sign.replace("-", "\N{MINUS SIGN}"), weight="bold", **look)
    ax.set(xlim=(0, 11), ylim=(0, 11), xticks=[], yticks=[], aspect="equal")
    ax.set_title(title, fontsize="medium")


figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained")
weight = np.full(10, 1 / 10)
for t, (ax, stump) in enumerate(zip(axes, model.estimators_)):
    error, alpha = model.estimator_errors_[t], model.estimator_weights_[t]
    title = f"round {t + 1}: error {error:.3f}, alpha {alpha:.3f}"
    draw(ax, stump.predict(plane), weight, title)
    wrong = stump.predict(X) != y
    ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.5}
    ax.scatter(*X[wrong].T, s=3000 * weight[wrong], **ring)
    shares = [str(Fraction(w).limit_denominator(99)) for w in weight]
    print(f"weights of round {t + 1}:", *shares)
    weight = weight * np.exp(np.where(wrong, alpha, -alpha))
    weight /= weight.sum()
draw(axes[3], model.predict(plane), np.full(10, 1 / 10), "votes of all three")
plt.show()

# %%
# The vote
# --------
# At the left, the first two stumps predict + with the votes .424 + .650, which exceed
# that of the third. At the right both predict −. In between they disagree, and the
# third decides.

for t, margins in enumerate(model.staged_margins(X, y), start=1):
    bound = model.error_bounds_[t - 1]
    print(f"round {t}: {np.sum(margins < 0)} of 10 wrong, bound {bound:.3f}")

# %%
# A caveat
# --------
# The points were chosen so that three rounds suffice. The bound, the product of
# :math:`2\sqrt{\epsilon (1 - \epsilon)}`, guarantees only a training error below 52 %,
# and nothing about other points.
