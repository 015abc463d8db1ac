"""
Intervals and sets that hold nine in ten
========================================

A prediction says what is most probable; its interval or set says what is possible.
**Bounds from left-out errors are wide where the noise is large, and skewed where it is
skewed. Sets name a second class where a digit could be another one.**
"""

# %%
# Noise that grows, to one side
# -----------------------------
# The noise is exponential, and grows with x. Bounds that assume the same normal noise
# everywhere are too wide on the left and too narrow on the right. They hold too much
# below the curve, and too little above it.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sklearn_bayeslazy import LocallyWeightedRegressor, ShepardKNN

rng = np.random.default_rng(1)


def draw(n):
    """Return x, and a sine with noise that grows with x."""
    x = np.sort(rng.uniform(0, 10, n))
    return x[:, None], np.sin(x) + 0.15 * x * (rng.exponential(size=n) - 1)


X, y = draw(500)
new_X, new_y = draw(5000)
model = LocallyWeightedRegressor().fit(X, y)
methods = {"normal": "the same normal noise", "jackknife": "left-out errors"}
bounds = {name: model.prediction_interval(new_X, 0.9, name) for name in methods}

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, title) in zip(axes, methods.items()):
    lower, upper = bounds[name]
    ax.fill_between(new_X[:, 0], lower, upper, alpha=0.3, label="bounds of 90 %")
    ax.plot(new_X, model.predict(new_X), label="prediction")
    ax.scatter(X, y, s=4, color="black", label="training rows")
    ax.set(title=title, xlabel="x")
axes[0].legend(loc="upper left", fontsize="small")
plt.show()

# %%
# Of the new rows, the shares within the bounds in five parts of x, and the shares
# outside, below and above:

part = np.digitize(new_X[:, 0], [2, 4, 6, 8])
for name, (lower, upper) in bounds.items():
    held = (lower <= new_y) & (new_y <= upper)
    shares = "  ".join(f"{held[part == k].mean():.2f}" for k in range(5))
    below, above = np.mean(new_y < lower), np.mean(new_y > upper)
    print(f"{name:10} {shares}   below {below:.3f}, above {above:.3f}")

# %%
# Digits that could be another
# ----------------------------
# The set of a digit holds its class nine times in ten, or more often: every digit has
# at least its most probable class, which is right more often than that. Sets of 99 %
# have a second class only where it is needed.

digits = load_digits()
train, test = train_test_split(
    np.arange(len(digits.data)), test_size=0.5, random_state=0
)
classifier = ShepardKNN().fit(digits.data[train], digits.target[train])
for coverage in (0.9, 0.99, 0.998):
    sets = classifier.prediction_set(digits.data[test], coverage)
    held = sets[np.arange(len(test)), digits.target[test]].mean()
    sizes = np.bincount(sets.sum(axis=1), minlength=4)
    print(f"coverage {coverage}: held {held:.3f}; digits by size of their set {sizes}")

# %%
# The largest sets of the last coverage. The title has the set, the true class first:

largest = np.argsort(-sets.sum(axis=1), kind="stable")[:12]
figure, axes = plt.subplots(2, 6, figsize=(9, 3.6), layout="constrained")
for ax, i in zip(axes.flat, largest):
    true = digits.target[test[i]]
    others = [c for c in np.flatnonzero(sets[i]) if c != true]
    ax.imshow(digits.images[test[i]], cmap="gray_r")
    first = true if sets[i, true] else f"not {true}"
    ax.set_title(", ".join(map(str, [first, *others])), fontsize="medium")
    ax.set_axis_off()
plt.show()
