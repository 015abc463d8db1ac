"""
A hidden variable
=================

Symptoms depend on each other because of an illness that was not recorded. **With a
hidden node for the illness the network has fewer parameters and a higher likelihood of
new rows, and it recognizes who is ill almost as well as if the illness had been
recorded.**
"""

# %%
# Patients
# --------
# About a third of the patients is ill, which makes each of eight symptoms more
# frequent. Given the illness the symptoms are independent. The table has no column for
# the illness.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkDisplay

symptoms = ["fever", "cough", "rash", "ache", "chills", "thirst", "cramps", "fatigue"]
rng = np.random.default_rng(0)
ill = rng.random(4000) < 0.35
often = np.where(ill[:, None], 0.75, 0.25) + np.linspace(-0.1, 0.1, 8)
X = pd.DataFrame(rng.random(often.shape) < often, columns=symptoms)
train, test, ill_train, ill_test = X[:2000], X[2000:], ill[:2000], ill[2000:]

# %%
# Without and with the hidden node
# --------------------------------
# Without the hidden node each symptom depends on every other, and hill climbing adds
# many arcs. With it there is one arc for each symptom. For a hidden node the arcs and
# the number of its values must be given.

seen = BeliefNetwork("hill_climbing").fit(train)
arcs = [("illness", symptom) for symptom in symptoms]
options = {"hidden": {"illness": 2}, "random_state": 0}
hidden = BeliefNetwork(arcs, **options).fit(train)

figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
for ax, model, title in (
    (axes[0], seen, "hill climbing among the symptoms"),
    (axes[1], hidden, "with a hidden node"),
):
    BeliefNetworkDisplay.from_estimator(model, ax=ax)
    ax.set_title(title)
plt.show()

# the same network, if the illness had been recorded for learning
recorded = BeliefNetwork(arcs).fit(train.assign(illness=ill_train))
models = {
    "hill climbing": (seen, test),
    "hidden node": (hidden, test),
    "illness recorded": (recorded, test.assign(illness=None)),
}
for name, (model, rows) in models.items():
    print(
        f"{name:16} {len(model.structure_):2} arcs, "
        f"{model.network_.n_free_parameters:2} parameters, mean log likelihood of new "
        f"rows {model.score(rows):.4f}"
    )

# %%
# Learning the tables
# -------------------
# The tables of hidden nodes have no closed form. Learning starts from random tables and
# improves them step by step: by EM, the default, which replaces counts by expected
# counts, or by gradient ascent of the likelihood. No step decreases the objective. Here
# both reach the same local optimum from the same tables (left).
#
# Not every start leads to the best local optimum. On the right, an illness of four
# values is learned from 300 of the patients, although only two exist; each point is the
# objective at the end of one start. Therefore several starts are made, by default
# ``n_init=5``, and the best is kept.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for learner in ("em", "gradient"):
    model = BeliefNetwork(arcs, n_init=1, hidden_learner=learner, **options).fit(train)
    history = np.array(model.objective_history_)
    axes[0].plot(history / len(train), "o-", ms=3, label=learner)
    smallest = f"{np.diff(history).min():.2g}"
    print(f"{learner:8} {model.n_iter_} steps, each ≥ {smallest}, to {history[-1]:.2f}")
axes[0].legend()
axes[0].set(xlabel="step", ylabel="log likelihood + log prior, per row")

single = {"n_init": 1, "max_iter": 2000}
ends = [
    BeliefNetwork(
        arcs,
        hidden={"illness": 4},
        random_state=seed,
        **single,
    )
    .fit(train[:300])
    .objective_history_[-1]
    for seed in range(10)
]
axes[1].plot(range(1, 11), np.sort(ends), "o")
axes[1].set(
    xticks=range(1, 11),
    xlabel="starts, sorted by the objective",
    ylabel="log likelihood + log prior, at the end",
)
axes[0].set_title("two values, 2000 rows")
axes[1].set_title("four values, 300 rows")
plt.show()

# %%
# Who is ill?
# -----------
# The values of the hidden node are sorted by decreasing probability. Most patients are
# healthy, so 1 is the illness. ``posterior`` gives its probability for each new
# patient.

share = hidden.posterior(test, "illness")[:, 1]
bins = np.linspace(0, 1, 21)
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.hist(
    [share[~ill_test], share[ill_test]], bins, stacked=True, label=["healthy", "ill"]
)
ax.legend(title="in truth")
ax.set(xlabel="P(illness = 1 | symptoms)", ylabel="new patients")
plt.show()

known = recorded.posterior(test.assign(illness=None), "illness")[:, 1]
for name, p in (("hidden node", share), ("illness recorded", known)):
    print(f"{name:16} accuracy {np.mean((p > 0.5) == ill_test):.3f}")
