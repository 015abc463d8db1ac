"""
A hidden variable
=================

Symptoms go together because of an illness that nobody has noted down. **A node that no
column shows can stand for it: the network becomes smaller, expects new rows better, and
tells who is ill nearly as well as if it had been noted.**
"""

# %%
# Patients
# --------
# A third or so of the patients is ill, which makes each of eight symptoms more
# frequent, and nothing else connects them. Who is ill stays out of the table.

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
# Without it each symptom tells something of every other, and hill climbing puts arc
# beside arc. With it there is one arc for each symptom. A hidden node needs the arcs to
# be given, and the number of its values.

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

# the same network, had the illness been noted down for learning
noted = BeliefNetwork(arcs).fit(train.assign(illness=ill_train))
models = {
    "hill climbing": (seen, test),
    "hidden node": (hidden, test),
    "illness noted": (noted, test.assign(illness=None)),
}
for name, (model, rows) in models.items():
    print(
        f"{name:13} {len(model.structure_):2} arcs, "
        f"{model.network_.n_free_parameters:2} parameters, mean log likelihood of new "
        f"rows {model.score(rows):.4f}"
    )

# %%
# The climb
# ---------
# Tables of hidden nodes have no formula. They start at random, and are improved step by
# step: along the gradient of the likelihood, or by EM, which completes the rows by
# expectation and counts again. No step goes down, and here both climb from the same
# tables to the same summit (to the left).
#
# Not every start leads to the highest summit. To the right, 300 of the patients are
# given an illness of four values, which is two more than there are; each point is where
# one start ends. Hence several are made, ``n_init=5`` by default, and the best is kept.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for learner in ("gradient", "em"):
    model = BeliefNetwork(arcs, n_init=1, hidden_learner=learner, **options).fit(train)
    history = np.array(model.objective_history_)
    axes[0].plot(history / len(train), "o-", ms=3, label=learner)
    least = f"{np.diff(history).min():.2g}"
    print(f"{learner:8} {model.n_iter_} steps, each ≥ {least}, to {history[-1]:.2f}")
axes[0].legend()
axes[0].set(xlabel="step", ylabel="log likelihood + log prior, per row")

single = {"hidden_learner": "em", "n_init": 1, "max_iter": 2000}
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
    xlabel="starts, from the worst to the best",
    ylabel="log likelihood + log prior, at the end",
)
axes[0].set_title("two values, 2000 rows")
axes[1].set_title("four values, 300 rows")
plt.show()

# %%
# Who is ill?
# -----------
# The values of the node have no names. The commonest is 0, and as most patients are
# healthy, 1 is the illness. ``posterior`` gives its probability for each new patient.

share = hidden.posterior(test, "illness")[:, 1]
bins = np.linspace(0, 1, 21)
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.hist(
    [share[~ill_test], share[ill_test]], bins, stacked=True, label=["healthy", "ill"]
)
ax.legend(title="in truth")
ax.set(xlabel="P(illness = 1 | symptoms)", ylabel="new patients")
plt.show()

noted_share = noted.posterior(test.assign(illness=None), "illness")[:, 1]
print(f"told rightly by the hidden node: {np.mean((share > 0.5) == ill_test):.3f}")
print(
    f"had it been noted for learning:  {np.mean((noted_share > 0.5) == ill_test):.3f}"
)
