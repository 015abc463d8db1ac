"""
Margins after the last training error
=====================================

Boosting often goes on reducing the error on new rows after the training error is 0.
**Margins show why: the votes for the true class of the training rows go on growing.**
"""

# %%
# Errors
# ------
# Digits are classified as odd or even by boosted trees of depth three. Half of the 1797
# digits are new rows, which boosting does not see.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MarginDisplay, MyAdaBoost, StagedErrorDisplay

X, digit = load_digits(return_X_y=True)
y = np.where(digit % 2 == 1, "odd", "even")
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0)

tree = DecisionTreeClassifier(max_depth=3)
model = MyAdaBoost(tree, n_estimators=120, random_state=0).fit(X, y)

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
train = StagedErrorDisplay.from_estimator(model, X, y, name="training rows", ax=ax)
new = StagedErrorDisplay.from_estimator(model, X_new, y_new, name="new rows", ax=ax)
ax.set(xscale="log", xticks=(1, 3, 10, 30, 100), ylim=(-0.01, 0.4))
ax.xaxis.set_major_formatter("{x:g}")
ax.minorticks_off()
plt.show()

last_error = int(np.flatnonzero(train.errors)[-1]) + 1
print(f"no training error after round {last_error}")
for t in (last_error + 1, 30, 60, 120):
    print(f"round {t:3}: error on new rows {new.errors[t - 1]:.3f}")

# %%
# Margins
# -------
# The margin of a row is the share of the votes for its class, less that for the other
# class: 1 if all members are right, 0 for a tie. An error is a margin below 0. Boosting
# raises the weights of the rows with small margins. So the smallest margins grow, and
# the largest ones shrink.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
rounds = (3, last_error + 1, 120)
MarginDisplay.from_estimator(model, X, y, rounds=rounds, ax=axes[0])
MarginDisplay.from_estimator(model, X_new, y_new, rounds=rounds, ax=axes[1])
axes[0].set_title("training rows")
axes[1].set_title("new rows")
plt.show()

staged = list(model.staged_margins(X, y))
for t in rounds:
    smallest, median = np.quantile(staged[t - 1], [0, 0.5])
    print(f"round {t:3}: smallest margin {smallest:6.3f}, median {median:.3f}")

# %%
# A caveat
# --------
# Margins bound the error (Schapire, Freund, Bartlett and Lee 1998), but the bound is
# far above the observed errors, and ensembles with larger margins can have larger
# errors (Breiman 1999). Boosting raises the weights of rows with wrong labels. Here a
# tenth of the labels is flipped. These rows get a third of the weight, and although
# more rounds still help, the error on new rows is far larger.

flipped = np.random.default_rng(0).random(len(y)) < 0.1
y_noisy = np.where(flipped, np.where(y == "odd", "even", "odd"), y)
noisy = MyAdaBoost(tree, n_estimators=120, random_state=0).fit(X, y_noisy)
errors = 1 - np.array(list(noisy.staged_score(X_new, y_new)))
for t, margins in enumerate(noisy.staged_margins(X, y_noisy), start=1):
    if t in (10, 30, 60, 120):
        votes = noisy.estimator_weights_[:t].sum()
        weight = softmax(-votes * margins)  # of the next round
        print(
            f"round {t:3}: error on new rows {errors[t - 1]:.3f}, flipped labels have "
            f"{weight[flipped].sum():.0%} of the weight"
        )
