"""
Reasoning from cases: a help desk, and a faucet from parts
==========================================================

Stored cases answer new problems, also where a description is not a row of numbers. A
help desk compares texts, sets and symbols. CADET, a design tool of 1992, compares
graphs: it looks for stored devices whose function is a part of the wanted one.
"""

import matplotlib.pyplot as plt
import networkx

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    EqualitySimilarity,
    GraphSimilarity,
    WordSimilarity,
)

# %%
# The help desk
# -------------
# The likely cause of a new complaint is unknown. Four calls are stored, each with its
# cause.

calls = [
    {
        "complaint": "error53 on shutdown",
        "cpu": "PowerPC",
        "memory": 48,
        "applications": {"Excel", "Netscape", "Virusscan"},
    },
    {
        "complaint": "error53 on startup",
        "cpu": "Pentium",
        "memory": 16,
        "applications": {"Excel", "Word"},
    },
    {
        "complaint": "very slow",
        "cpu": "Pentium",
        "memory": 8,
        "applications": {"Netscape"},
    },
    {
        "complaint": "slow printer",
        "cpu": "PowerPC",
        "memory": 32,
        "applications": {"Word"},
    },
]
causes = ["virus scanner", "memory", "memory", "driver"]
similarities = {"complaint": WordSimilarity(), "cpu": EqualitySimilarity()}
desk = CaseBasedClassifier(
    2, similarities=similarities, weights=[3, 1, 1, 1], power=1, m=0.1
).fit(calls, causes)

new_call = {
    "complaint": "error53 on shutdown",
    "cpu": None,
    "memory": 40,
    "applications": {"Excel", "Virusscan"},
}
print(desk.retrieve([new_call], 3).frame().round(2).to_string())
for cause, share in zip(desk.classes_, desk.predict_proba([new_call])[0]):
    print(f"{cause:14}{share:.0%}")

# %%
# The CPU of the new call is unknown, too. It has the same similarity with both values,
# and is itself completed from the other attributes:

filled, confidences = desk.complete([new_call])
print(f"cpu: {filled[0]['cpu']}, with probability {confidences[0, 1]:.2f}")

# %%
# The faucet
# ----------
# Quantities are flows Q, temperatures T and controls C; an edge means one increases
# or decreases another. A T-junction adds flows and mixes temperatures, a tap opens two
# flows at once, a mixing valve shifts flow from one pipe to the other. Wanted is a
# faucet with one control for the temperature, Ct, and one for the flow, Cf. The graphs
# are a reconstruction from the description in Mitchell (1997), section 8.5, with tap
# and mixing valve added.

designs = {
    "T-junction": [("Q1", "Q3"), ("Q2", "Q3"), ("T1", "T3"), ("T2", "T3")],
    "tap": [("C1", "Q1"), ("C1", "Q2")],
    "mixing valve": [("C1", "Q2")],
}
designs = {name: dict.fromkeys(edges, "+") for name, edges in designs.items()}
designs["mixing valve"]["C1", "Q1"] = "-"
edges = "Ct Qh, Cf Qc, Cf Qh, Qc Qm, Qh Qm, Tc Tm, Th Tm"
faucet = dict.fromkeys((tuple(edge.split()) for edge in edges.split(", ")), "+")
faucet["Ct", "Qc"] = "-"

graphs = [*designs.values(), faucet]
labels = {node: node[0] for graph in graphs for edge in graph for node in edge}
similarity = GraphSimilarity(labels=labels)
shop = CaseBasedClassifier(1, similarities={"function": similarity}, m=0)
shop.fit([{"function": graph} for graph in designs.values()], list(designs))
print(shop.retrieve([{"function": faucet}], 3).frame().to_string())

# %%
# No design has all eight edges of the faucet, so parts of several are combined. Each
# color is the part of one design; its nodes carry the names that they have there.

combination = shop.combine(faucet)
names = list(designs)
position = {"Cf": (0, 2), "Ct": (0, 1), "Qc": (1, 2), "Qh": (1, 1), "Qm": (2, 1.5)}
position |= {"Tc": (1, 0.2), "Th": (1, -0.6), "Tm": (2, -0.2)}

figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
graph = networkx.DiGraph(list(faucet))
networkx.draw_networkx_nodes(
    graph, position, node_color="white", edgecolors="black", node_size=900, ax=axes
)
networkx.draw_networkx_labels(graph, position, ax=axes)
for color, part in zip(("tab:blue", "tab:orange", "tab:green"), combination.parts):
    pairs = [(u, v) for u, v, _ in part.edges]
    networkx.draw_networkx_edges(
        graph, position, pairs, edge_color=color, width=2, node_size=900, ax=axes
    )
    signs = {(u, v): sign for u, v, sign in part.edges}
    networkx.draw_networkx_edge_labels(graph, position, signs, label_pos=0.7, ax=axes)
    nodes = ", ".join(f"{wanted} = {stored}" for wanted, stored in part.nodes.items())
    axes.plot([], [], color=color, label=f"{names[part.case]}: {nodes}")
axes.legend(loc="lower left", bbox_to_anchor=(0, -0.22))
axes.set_title("The faucet's function, by parts of three designs")
axes.set_axis_off()
plt.show()

# %%
# A caveat
# --------
# The combination covers the wanted function, and that is all. Whether the parts fit
# together, and in which order, is for the designer to decide. The parts are chosen one
# after the other, each as large as possible, so that fewer parts might do.
