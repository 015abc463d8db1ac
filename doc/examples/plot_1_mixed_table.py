"""
A table with strings and holes
==============================

A veterinary clinic noted what it found on 368 horses with colic. Is the problem one for
surgery? Some findings are numbers, most are words, and almost a quarter of the cells is
empty. **Such a table can go into a classifier as it is, and every prediction can be
taken apart into what each cell said.**
"""

# %%
# The table
# ---------
# Two columns have to go: whether the horse was operated on and whether it lived are not
# known when the question is asked.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate

from sklearn_bayeslazy import MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic

X, y = load_horse_colic(as_frame=True, return_X_y=True)
X = X.drop(columns=["surgery", "outcome"])
X.iloc[:5, 5:12]

# %%
# No imputer and no encoder: a cell that is missing is left out of the counts in
# training and out of the product in prediction. ``"loo"`` lets leave-one-out choose how
# many virtual examples smooth the estimates, and which distribution each column
# follows.

models = {
    "class frequencies": DummyClassifier(strategy="prior"),
    "MEstimateNB()": MEstimateNB(),
    "MEstimateNB, loo": MEstimateNB(m="loo", distribution="loo"),
}
folds = StratifiedKFold(10, shuffle=True, random_state=0)
for name, model in models.items():
    scores = cross_validate(model, X, y, cv=folds, scoring=("accuracy", "neg_log_loss"))
    accuracy, loss = scores["test_accuracy"], -scores["test_neg_log_loss"]
    print(f"{name:18} accuracy {accuracy.mean():.3f}   log loss {loss.mean():.3f}")

# %%
# The defaults are right more often than the class frequencies and still lose more: when
# they err, they are sure of it. Leave-one-out asks for more virtual examples than there
# are horses, and so takes every column less seriously.
#
# One horse, cell by cell
# -----------------------
# The joint log probability is a sum: the class prior, and a term for each column. The
# difference of the terms of the two classes is the evidence of that cell; a cell that
# is missing gives none.

model = MEstimateNB(m="loo", distribution="loo").fit(X, y)
print(f"chosen: m = {model.m_:g}")
row = 3
terms = model.explain(X.iloc[[row]]).frame(0)
evidence = terms["yes"] - terms["no"]
cells = X.iloc[row].astype(object).fillna("(missing)")
labels = ["class frequencies", *(f"{name}: {cell}" for name, cell in cells.items())]

order = np.argsort(evidence.to_numpy())
figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
colors = np.where(evidence.iloc[order] > 0, "tab:blue", "tab:orange")
axes.barh(np.array(labels)[order], evidence.iloc[order], color=colors)
axes.axvline(0, color="black", linewidth=0.8)
axes.set_xlabel("evidence for a surgical problem (log of the likelihood ratio)")
share = model.predict_proba(X)[row, 1]
axes.set_title(f"Surgical with probability {share:.1%}; in truth: {y[row]}")
plt.show()

# %%
# A caveat
# --------
# The bars are added up as if each column were news. They are not: a horse in pain has a
# fast pulse, and naive Bayes counts both. A large m makes up for that by shrinking
# every bar, so a bar is less than its cell would say alone; it is the sum that can be
# believed. Of the held-out horses of which each model was at least 80 % sure:

for name in ("MEstimateNB()", "MEstimateNB, loo"):
    proba = cross_val_predict(models[name], X, y, cv=folds, method="predict_proba")
    sure = proba.max(axis=1) >= 0.8
    right = model.classes_[proba.argmax(axis=1)] == y
    claimed, true = proba[sure].max(axis=1).mean(), right[sure].mean()
    print(f"{name:18}{sure.sum()} horses, {claimed:.0%} sure, right about {true:.0%}")
