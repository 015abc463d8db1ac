"""
A network found again
=====================

Rows are drawn from a known network of eight nodes, and hill climbing looks for it.
**What rows can tell is found again; an arc that is seldom of use is not worth its
price, and which way an arc points is often nothing that rows can tell.**
"""

# %%
# A chest clinic
# --------------
# The network "asia" of Lauritzen and Spiegelhalter (1988), as it is written in the
# interchange format BIF. A visit to Asia may bring tuberculosis, smoking lung cancer or
# bronchitis; ``either`` is one of the first two, and that is what an x-ray shows.

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkDisplay

names = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]
tables = """
probability ( asia ) { table 0.01, 0.99; }
probability ( tub | asia ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( bronc | smoke ) { (yes) 0.6, 0.4; (no) 0.3, 0.7; }
probability ( either | lung, tub ) {
  (yes, yes) 1.0, 0.0; (no, yes) 1.0, 0.0; (yes, no) 1.0, 0.0; (no, no) 0.0, 1.0;
}
probability ( xray | either ) { (yes) 0.98, 0.02; (no) 0.05, 0.95; }
probability ( dysp | bronc, either ) {
  (yes, yes) 0.9, 0.1; (no, yes) 0.7, 0.3; (yes, no) 0.8, 0.2; (no, no) 0.1, 0.9;
}
"""
nodes = "".join(f"variable {n} {{ type discrete [ 2 ] {{ yes, no }}; }}" for n in names)
with TemporaryDirectory() as folder:
    path = Path(folder) / "asia.bif"
    path.write_text("network asia { }" + nodes + tables, encoding="utf-8")
    asia = BeliefNetwork.from_bif(path)


def draw(n, seed):
    return pd.DataFrame(asia.sample(n, random_state=seed), columns=names)


# %%
# From 10 000 rows
# ----------------
# The score is BIC: the log likelihood of the rows, less ½ ln n for each free parameter.
# This sample shows both of what may happen: an arc is missing, and another is turned.

rows = draw(10_000, seed=14)
learned = BeliefNetwork("hill_climbing", structure_score="bic").fit(rows)

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
shown = [
    BeliefNetworkDisplay.from_estimator(model, ax=ax)
    for model, ax in zip((asia, learned), axes)
]
axes[0].set_title("the truth")
axes[1].set_title("learned from 10 000 rows")
plt.show()

true_arcs, found = set(asia.structure_), set(learned.structure_)
turned = {(a, b) for a, b in true_arcs - found if (b, a) in found}
print("missing:", sorted(true_arcs - found - turned))
print("turned: ", sorted(turned))
print("added:  ", sorted((a, b) for a, b in found - true_arcs if (b, a) not in turned))

# %%
# The missing arc
# ---------------
# What the arc gains for each row is, in the long run, the mutual information of its
# ends; what it costs is the one parameter more of ``tub``. Travellers are so rare that
# 10 000 rows hardly pay for it: some samples show the arc, others do not. With more
# rows the gain grows faster than the price.

information = shown[0].information[names.index("asia"), names.index("tub")]
for n in (2500, 10_000, 40_000):
    found_in = 0
    for seed in range(10):
        model = BeliefNetwork(structure_score="bic").fit(draw(n, seed))
        found_in += bool({("asia", "tub"), ("tub", "asia")} & {*model.structure_})
    print(
        f"{n:6} rows: gain about {n * information:5.2f}, cost "
        f"{np.log(n) / 2:.2f}; found in {found_in} of 10 samples"
    )

# %%
# The turned arc
# --------------
# Smoking and lung cancer depend on each other whichever is called the cause. As long as
# a turned arc neither makes nor breaks a pair of parents without an arc between them,
# the two graphs say the same of what is independent, and have the same score. Turning
# ``lung → either`` is another matter: ``lung`` and ``tub`` are such a pair.


def bic(arcs):
    model = BeliefNetwork(arcs, m=0).fit(rows)
    cost = np.log(len(rows)) / 2 * model.network_.n_free_parameters
    return model.score_samples(rows).sum() - cost


for arc in [("smoke", "lung"), ("lung", "either")]:
    both = [bic([*(true_arcs - {arc}), way]) for way in (arc, arc[::-1])]
    print(f"{' → '.join(arc)}: {both[0]:.3f}, turned: {both[1]:.3f}")

# %%
# The same answers
# ----------------
# Asked for the probability of lung cancer, the learned network says much the same as
# the true one.

for smoke in ("yes", "no"):
    for xray in ("yes", "no"):
        evidence = {"smoke": smoke, "xray": xray}
        p = [model.query(evidence, "lung").frame()["yes"] for model in (asia, learned)]
        print(f"smoke {smoke:3}  xray {xray:3}  true {p[0]:.4f}  learned {p[1]:.4f}")
