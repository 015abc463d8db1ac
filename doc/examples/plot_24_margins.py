"""
After the last error
====================

A committee that is right about every row it has learnt from might as well stop, it
seems. Yet with more rounds it often gets better on new rows. **Margins show why: rows
that are right already become right more clearly.**
"""

# %%
# Errors
# ------
# Digits, odd or even, by trees of three questions in a row. Half of the 1797 digits are
# kept away from boosting.

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
# The margin of a row is the share of the votes for its class, less that for the other:
# 1 where all agree, 0 where it could go either way. Errors see only on which side of 0
# a row is. Boosting goes on raising the weights of the rows whose margins are small,
# and so moves the lower end to the right, at the price of the upper one.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
rounds = (3, last_error + 1, 120)
MarginDisplay.from_estimator(model, X, y, rounds=rounds, ax=axes[0])
MarginDisplay.from_estimator(model, X_new, y_new, rounds=rounds, ax=axes[1])
axes[0].set_title("training rows")
axes[1].set_title("new rows")
plt.show()

staged = list(model.staged_margins(X, y))
for t in rounds:
    low, middle = np.quantile(staged[t - 1], [0, 0.5])
    print(f"round {t:3}: least margin {low:6.3f}, median {middle:.3f}")

# %%
# A caveat
# --------
# That large margins make small errors is a bound (Schapire, Freund, Bartlett and Lee
# 1998) far above the errors that are seen, and committees with larger margins yet can
# err more (Breiman 1999). Where labels are wrong, boosting gives its weight to just
# these. Here a tenth is turned: that tenth has a third of the weight, and although more
# rounds still help, new rows are told far worse.

turned = np.random.default_rng(0).random(len(y)) < 0.1
y_noisy = np.where(turned, np.where(y == "odd", "even", "odd"), y)
noisy = MyAdaBoost(tree, n_estimators=120, random_state=0).fit(X, y_noisy)
errors = 1 - np.array(list(noisy.staged_score(X_new, y_new)))
for t, margins in enumerate(noisy.staged_margins(X, y_noisy), start=1):
    if t in (10, 30, 60, 120):
        votes = noisy.estimator_weights_[:t].sum()
        weight = softmax(-votes * margins)  # of the next round
        print(
            f"round {t:3}: error on new rows {errors[t - 1]:.3f}, turned labels have "
            f"{weight[turned].sum():.0%} of the weight"
        )
