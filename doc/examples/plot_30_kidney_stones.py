"""
The effect of a treatment
=========================

Patients who got one of two treatments were cured less often, although it is the better
one for each of them: it was given to the hard cases. **A belief network answers both
questions: what is seen among the treated, and what a treatment does.**
"""

# %%
# Seven hundred patients
# ----------------------
# The counts are those of Charig, Webb, Payne and Wickham (British Medical Journal 292,
# 1986) as Julious and Mullee (1994) discuss them: open surgery or the less invasive
# percutaneous nephrolithotomy, for small and for large kidney stones.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkDisplay

counts = pd.DataFrame(
    [
        ("small", "open", "cured", 81),
        ("small", "open", "not", 6),
        ("large", "open", "cured", 192),
        ("large", "open", "not", 71),
        ("small", "nephrolithotomy", "cured", 234),
        ("small", "nephrolithotomy", "not", 36),
        ("large", "nephrolithotomy", "cured", 55),
        ("large", "nephrolithotomy", "not", 25),
    ],
    columns=["stone", "treatment", "outcome", "patients"],
)
weight = counts.pop("patients")

# %%
# What causes what
# ----------------
# The stone was there first, and the treatment came before the outcome. That is
# knowledge: rows cannot tell, since each of the six orders of three nodes has a graph
# that fits as well. ``to_cpdag`` says so. (A search for arcs takes such knowledge as
# ``tiers``.)

arcs = [("stone", "treatment"), ("stone", "outcome"), ("treatment", "outcome")]
model = BeliefNetwork(arcs, m=0).fit(counts, sample_weight=weight)
directed, undirected = model.to_cpdag()
print("directions that rows can tell:", directed)
print("and those that we know:", undirected)
BeliefNetworkDisplay.from_estimator(model)
plt.show()

# %%
# To see and to do
# ----------------
# ``query({"treatment": …}, "outcome")`` looks at the patients who got a treatment.
# ``do={"treatment": …}`` asks for the outcome if all patients got it: the arc from the
# stone to the treatment is cut.

treatments = ["open", "nephrolithotomy"]
seen = [model.query({"treatment": t}, "outcome")["cured"] for t in treatments]
done = [model.query({}, "outcome", do={"treatment": t})["cured"] for t in treatments]
for treatment, among, effect in zip(treatments, seen, done):
    print(f"{treatment:16} cured when seen {among:.3f}, when done {effect:.3f}")

figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for j, treatment in enumerate(treatments):
    ax.plot(["seen", "done"], [seen[j], done[j]], "o-", label=treatment)
ax.set(ylabel="P(cured)", ylim=(0.75, 0.85))
ax.legend()
plt.show()

# %%
# The back door
# -------------
# The path treatment ← stone → outcome is a back door into the treatment. The stone
# closes it (``d_separated`` without the arc from treatment to outcome says so). Then
# the effect is the mean over all stones, not only over those that got the treatment
# (Pearl 2009, Causality, section 3.3.1):
#
# .. math:: P(y \mid do(x)) = \sum_z P(z) \, P(y \mid x, z).

without_effect = BeliefNetwork(arcs[:2])
without_effect.fit(counts, sample_weight=weight)
print("closed:", without_effect.d_separated("treatment", "outcome", "stone"))
stones = model.query({}, "stone")
for treatment, effect in zip(treatments, done):
    adjusted = sum(
        stones[stone]
        * model.query({"stone": stone, "treatment": treatment}, "outcome")["cured"]
        for stone in ("small", "large")
    )
    assert np.isclose(adjusted, effect)
    print(f"{treatment:16} adjusted for the stone {adjusted:.3f}")

# %%
# How sure is it?
# ---------------
# Would the better treatment still be the better one if cures were rarer among the few
# patients with small stones who got it? The effect is linear in that probability: it
# changes by the share of small stones.

parameter, given = {"outcome": "cured"}, {"stone": "small", "treatment": "open"}
curve = model.sensitivity({"treatment": "open"}, {"outcome": "cured"}, parameter, given)
allowed = (done[0] - done[1]) / stones["small"]
print(f"cured of small stones by open surgery: {curve.parameter:.3f}")
print(f"as good as the other treatment below {curve.parameter - allowed:.3f}")
print(f"what would be seen then: {curve(curve.parameter - allowed):.3f}")
