"""
A belief network by hand
========================

An expert who knows which variables depend on each other gives the arcs by name. Each
table is counted from rows. **One small graph then answers any query about any column,
whatever other columns are observed.**
"""

# %%
# Forty people
# ------------
# The graph is a classic textbook example (Han & Kamber 2006, Data Mining, chapter 6):
# family history and smoking lead to lung cancer, which shows on the x-ray and causes
# shortness of breath (dyspnea), as emphysema does. The forty people are made up. Each
# line is a combination of values, and the last number is the number of people with it,
# which is passed as ``sample_weight``.

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
# The width of an arc shows its mutual information. With ``m=0`` a table holds relative
# frequencies: ten people have a family history and smoke, and eight of them have
# cancer.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
BeliefNetworkDisplay.from_estimator(network, ax=axes[0])
ProbabilityTableDisplay.from_estimator(network, "LungCancer", ax=axes[1])
axes[1].set(xlabel="LungCancer", ylabel="FamilyHistory, Smoker")
plt.show()

# %%
# Queries
# -------
# A query need not follow the direction of the arcs. It can go from a symptom to its
# causes, or from one symptom to another: the tables are multiplied, and nodes that are
# not in the query are summed out.

print("cancer           ", network.query({}, "LungCancer"))
print("x-ray is positive", network.query({"PositiveXRay": "yes"}, "LungCancer"))
print("... a smoker, if ", network.query({"PositiveXRay": "yes"}, "Smoker"))
print(network.query({"Dyspnea": "yes"}, ["LungCancer", "Emphysema"]).frame())

# %%
# ``posterior`` answers the same query for many rows with missing cells: it gives the
# probabilities of a node in each row (values in the order of ``network_.values``, here
# no and yes).

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
# Cancer and emphysema are two causes of shortness of breath. For a smoker they are
# independent, as long as nothing is known about the breath. If the breath is short, one
# cause suffices to explain it, so finding one makes the other less probable.

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
