"""
Choosing m without refitting
============================

The m-estimate adds m virtual examples. How many? Ten-fold cross-validation needs ten
fits for each candidate. **Leave-one-out is exact and needs one pass, because a row can
be removed from a naive Bayes model by subtraction.**
"""

# %%
# Two ways to the same curve
# --------------------------
# Fifteen candidates, from almost none to many more virtual examples than horses, on a
# table of strings, numbers and missing values.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from sklearn_bayeslazy import LeaveOneOutDisplay, MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic

X, y = load_horse_colic(as_frame=True, return_X_y=True)
X = X.drop(columns=["surgery", "outcome"])  # not known at the prediction
grid = [float(m) for m in np.logspace(-2, 4, 15)]

# The first fit in a process loads the compiled loops, which is not timed.
classical = MEstimateNB(m="loo", distribution="auto", feature_weights=None)
classical.fit(X, y)

start = perf_counter()
leave_one_out = clone(classical).set_params(loo_candidates={"m": grid}).fit(X, y)
loo_seconds = perf_counter() - start

folds = StratifiedKFold(10, shuffle=True, random_state=0)
search = GridSearchCV(classical, {"m": grid}, scoring="neg_log_loss", cv=folds)
start = perf_counter()
search.fit(X, y)
grid_seconds = perf_counter() - start

print(f"leave-one-out: m = {leave_one_out.m_:.3g} in {loo_seconds:.3f} s")
print(f"ten folds:     m = {search.best_params_['m']:.3g} in {grid_seconds:.3f} s")

# %%
# ``loo_results_`` holds the curve and its standard errors, and ``LeaveOneOutDisplay``
# draws them. The search stores the mean and the standard deviation over its ten folds,
# which are drawn for comparison.

grid_loss = -search.cv_results_["mean_test_score"]
grid_error = search.cv_results_["std_test_score"] / np.sqrt(folds.get_n_splits() - 1)

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
LeaveOneOutDisplay.from_estimator(
    leave_one_out, ax=axes, label="leave-one-out, one pass"
)
band = grid_loss - grid_error, grid_loss + grid_error
axes.fill_between(grid, *band, color="tab:orange", alpha=0.2, linewidth=0)
axes.plot(grid, grid_loss, color="tab:orange", label="ten folds, 150 fits")
axes.set_xlabel("m, the number of virtual examples")
axes.legend()
plt.show()

# %%
# Both curves have their minimum at some hundred virtual examples, a large number for
# 368 horses. The reason is the correlation of the columns: naive Bayes counts each
# finding in full, and a large m shrinks them all. Still larger values make the
# distributions of the classes equal, until only the class frequencies are left.
#
# A caveat
# --------
# The band is the standard error of each loss, for 368 horses, not of the difference of
# two losses: all candidates were scored on the same horses, so a difference has a
# smaller error than either loss. Still, the minimum is flat, and a factor of two in m
# makes little difference. And leave-one-out is exact *given the preprocessing*: lists
# of categories and edges of bins were learnt with the row that is left out, while each
# fold learns its own.
