"""
A belief network by hand
========================

Who knows how things hang together can say so: the arcs are given by name, and each
table is counted. **One small graph then answers any question about any column, whatever
else is known or missing.**
"""

# %%
# Forty people
# ------------
# The example is an old one of the textbooks: family history and smoking lead to lung
# cancer, which shows on the x-ray and takes the breath away, as emphysema does. Here
# are forty people, made up for the purpose. Each line is a kind of person, and the last
# number is how many there are, which goes in as ``sample_weight``.

from io import StringIO

import matplotlib.pyplot as plt
import pandas as pd

from sklearn_bayeslazy import (
    BeliefNetwork,
    BeliefNetworkDisplay,
    ProbabilityTableDisplay,
)

table = """
FamilyHistory Smoker LungCancer Emphysema PositiveXRay Dyspnea people
yes           yes    yes        yes       yes          yes     4
yes           yes    yes        yes       yes          no      1
yes           yes    yes        no        yes          yes     2
yes           yes    yes        no        no           no      1
yes           yes    no         yes       no           yes     1
yes           yes    no         no        no           no      1
yes           no     yes        no        yes          yes     2
yes           no     yes        no        yes          no      2
yes           no     yes        yes       no           yes     1
yes           no     no         no        no           no      4
yes           no     no         no        yes          no      1
no            yes    yes        yes       yes          yes     4
no            yes    yes        no        yes          yes     1
no            yes    yes        no        yes          no      1
no            yes    yes        yes       no           no      1
no            yes    no         yes       no           yes     1
no            yes    no         no        no           no      1
no            yes    no         no        no           yes     1
no            no     yes        no        yes          yes     1
no            no     no         no        no           no      7
no            no     no         no        yes          no      1
no            no     no         yes       no           no      1
"""
kinds = pd.read_csv(StringIO(table), sep=r"\s+")
people = kinds.pop("people")
arcs = [
    ("FamilyHistory", "LungCancer"),
    ("Smoker", "LungCancer"),
    ("Smoker", "Emphysema"),
    ("LungCancer", "PositiveXRay"),
    ("LungCancer", "Dyspnea"),
    ("Emphysema", "Dyspnea"),
]
network = BeliefNetwork(arcs, m=0).fit(kinds, sample_weight=people)

# %%
# The graph and a table
# ---------------------
# An arc is the wider, the more it tells. With ``m=0`` a table holds plain frequencies:
# the lines with a family history and with smoking are those of ten people, eight of
# whom have cancer.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
BeliefNetworkDisplay.from_estimator(network, ax=axes[0])
ProbabilityTableDisplay.from_estimator(network, "LungCancer", ax=axes[1])
axes[1].set(xlabel="LungCancer", ylabel="FamilyHistory, Smoker")
plt.show()

# %%
# Questions
# ---------
# Nobody asks in the direction of the arcs only. From a symptom to what may be behind
# it, or from one symptom to another, the tables are multiplied, and what is not
# mentioned is summed out.

print("cancer           ", network.query({}, "LungCancer"))
print("x-ray is positive", network.query({"PositiveXRay": "yes"}, "LungCancer"))
print("... a smoker, if ", network.query({"PositiveXRay": "yes"}, "Smoker"))
print(network.query({"Dyspnea": "yes"}, ["LungCancer", "Emphysema"]).frame())

# %%
# Rows with holes are asked all at once. ``posterior`` gives the probabilities of a node
# in each of them (values in the order of ``network_.values``, here no and yes).

patients = pd.DataFrame(
    [
        ["yes", None, None, None, None, "yes"],
        [None, "no", None, "no", "yes", None],
        [None, None, None, None, None, None],
    ],
    columns=kinds.columns,
    dtype=object,
)
cancer = network.posterior(patients, "LungCancer")[:, 1]
print(patients.fillna("?").assign(cancer=cancer.round(3)).to_string(index=False))

# %%
# Explaining away
# ---------------
# Cancer and emphysema are two reasons for a short breath. Whether a smoker has one says
# nothing of the other, until the breath is known to be short; then one of them is
# enough, and finding it takes the suspicion from the other.

steps = {
    "a smoker": {"Smoker": "yes"},
    "with emphysema": {"Smoker": "yes", "Emphysema": "yes"},
    "a smoker, short of breath": {"Smoker": "yes", "Dyspnea": "yes"},
    "the same, with emphysema": {"Smoker": "yes", "Dyspnea": "yes", "Emphysema": "yes"},
}
for name, evidence in steps.items():
    p = network.query(evidence, "LungCancer").frame()["yes"]
    print(f"{name:26} P(cancer) = {p:.3f}")
for given in (["Smoker"], ["Smoker", "Dyspnea"]):
    apart = network.d_separated("LungCancer", "Emphysema", given)
    print(f"independent, given {' and '.join(given)}: {apart}")
