"""
Recovering a known network
==========================

Rows are drawn from a known network of eight nodes, and hill climbing searches for it.
**Most arcs are recovered. An arc whose mutual information is very small does not pay
for its parameters, and the direction of an arc is often not identified by rows.**
"""

# %%
# A chest clinic
# --------------
# The network "asia" of Lauritzen and Spiegelhalter (1988), written in the interchange
# format BIF. A visit to Asia can cause tuberculosis; smoking can cause lung cancer or
# bronchitis. ``either`` is true for tuberculosis or lung cancer, which an x-ray cannot
# distinguish.

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
# The score is BIC: the log likelihood of the rows minus ½ ln n for each free parameter.
# With this sample one arc is missing, and another one is reversed.

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
flipped = {(a, b) for a, b in true_arcs - found if (b, a) in found}
print("missing: ", sorted(true_arcs - found - flipped))
print("reversed:", sorted(flipped))
added = {(a, b) for a, b in found - true_arcs if (b, a) not in flipped}
print("added:   ", sorted(added))

# %%
# The missing arc
# ---------------
# The expected gain of the arc for each row is the mutual information of its nodes. Its
# cost is one more parameter in the table of ``tub``. Travellers are so rare that with
# 10 000 rows the gain is close to the cost: the arc is found in some samples and not in
# others. The gain grows in proportion to the number of rows, the cost only with its
# logarithm.

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
# The reversed arc
# ----------------
# Smoking and lung cancer depend on each other in either direction of the arc. Two
# graphs whose arcs differ only in their directions are Markov equivalent if they have
# the same v-structures: pairs of parents of a child without an arc between them. They
# then imply the same independences and have the same score. Reversing ``lung → either``
# changes the score, because ``lung`` and ``tub`` are such a pair.


def bic(arcs):
    model = BeliefNetwork(arcs, m=0).fit(rows)
    cost = np.log(len(rows)) / 2 * model.network_.n_free_parameters
    return model.score_samples(rows).sum() - cost


for arc in [("smoke", "lung"), ("lung", "either")]:
    both = [bic([*(true_arcs - {arc}), way]) for way in (arc, arc[::-1])]
    print(f"{' → '.join(arc)}: {both[0]:.3f}, reversed: {both[1]:.3f}")

# %%
# Similar posteriors
# ------------------
# The posterior probabilities of lung cancer in the learned network are close to those
# in the true network.

for smoke in ("yes", "no"):
    for xray in ("yes", "no"):
        evidence = {"smoke": smoke, "xray": xray}
        p = [model.query(evidence, "lung").frame()["yes"] for model in (asia, learned)]
        print(f"smoke {smoke:3}  xray {xray:3}  true {p[0]:.4f}  learned {p[1]:.4f}")
