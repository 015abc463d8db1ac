"""
Holidays as cases
=================

A travel agency keeps the holidays that it sold. A customer names some wishes and leaves
others open. **The most similar holidays suggest a price and fill the open wishes, and
each suggestion shows the cases behind it.**
"""

# %%
# The case base
# -------------
# The travel case base of M. Lenz (AI-CBR case-base library, as shipped with jCOLIBRI 2,
# LGPL) has 1024 holidays. It is read from the folder in the environment variable
# ``BAYESLAZY_DATA``. If it is absent, eight made-up holidays are used instead; the text
# of this page does not apply to them.

import os
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_bayeslazy import (
    CaseBasedRegressor,
    EqualitySimilarity,
    OrderedSimilarity,
    TableSimilarity,
    TaxonomySimilarity,
)

made_up = """HolidayType,NumberOfPersons,Region,Transportation,Duration,Season,\
Accommodation,target
Bathing,2,Crete,Plane,14,July,ThreeStars,1900
Bathing,2,Rhodes,Plane,14,August,FourStars,2300
Bathing,4,Mallorca,Plane,7,July,HolidayFlat,1500
Skiing,2,Tyrol,Car,7,January,ThreeStars,900
Skiing,4,Styria,Car,7,February,HolidayFlat,1100
Wandering,2,Harz,Car,7,June,HolidayFlat,400
Wandering,3,Bavaria,Car,14,May,HolidayFlat,800
City,2,Cairo,Plane,7,October,FourStars,1700
"""
file = Path(os.environ.get("BAYESLAZY_DATA", "")) / "cbr_travel.csv"
holidays = pd.read_csv(file if file.exists() else StringIO(made_up))
# The hotel is a part of the offer, not of the wish.
wishes = holidays.drop(columns=["caseId", "Hotel", "target"], errors="ignore")
price = holidays["target"].to_numpy(dtype=float)

# %%
# Knowledge of the attributes
# ---------------------------
# Regions form a tree: Crete is more like Rhodes than like Mallorca, and more like
# Mallorca than like Tyrol. Months form a circle, and accommodations an order.

countries = {
    "Germany": "BlackForest Thuringia Allgaeu Bavaria ErzGebirge Harz NorthSea",
    "Austria": "Tyrol Carinthia Styria SalzbergerLand Alps",
    "East": "Czechia Slowakei Poland GiantMountains Balaton Bulgaria",
    "North": "BalticSea Denmark Fano Bornholm Lolland Sweden Belgium Holland",
    "Britain": "England Scotland Wales Ireland",
    "France": "Atlantic CotedAzur Corsica Brittany Normandy",
    "Italy": "AdriaticSea LakeGarda Riviera",
    "Spain": "CostaBlanca CostaBrava Mallorca Ibiza",
    "Islands": "Fuerteventura GranCanaria Teneriffe Madeira Algarve Malta",
    "Greece": "Attica Chalkidiki Corfu Crete Rhodes",
    "Turkey": "TurkishAegeanSea TurkishRiviera",
    "Africa": "Egypt Cairo Tunisia",
}
parent = {region: name for name, some in countries.items() for region in some.split()}
south = {"France", "Italy", "Spain", "Islands", "Greece", "Turkey", "Africa"}
parent |= {name: "by the sea" if name in south else "nearer" for name in countries}
parent |= {"by the sea": "anywhere", "nearer": "anywhere"}

months = "January February March April May June July August September October"
months = [*months.split(), "November", "December"]
circle = {
    (a, b): 1 - min(abs(i - j), 12 - abs(i - j)) / 6
    for i, a in enumerate(months)
    for j, b in enumerate(months)
}
stars = ["HolidayFlat", "OneStar", "TwoStars", "ThreeStars", "FourStars", "FiveStars"]
similarities = {
    "Region": TaxonomySimilarity(parent),
    "Season": TableSimilarity(circle),
    "Accommodation": OrderedSimilarity(stars),
    "Transportation": EqualitySimilarity(),
    "HolidayType": EqualitySimilarity(),
}

# %%
# A wish
# ------
# Leave-one-out learns how much each attribute matters for the price.

agency = CaseBasedRegressor(similarities=similarities).fit(wishes, price)
wish = pd.DataFrame(
    {
        "HolidayType": ["Bathing"],
        "NumberOfPersons": [2],
        "Region": ["Crete"],
        "Transportation": [None],
        "Duration": [14],
        "Season": ["June"],
        "Accommodation": [None],
    }
)
print(agency.retrieve(wish, 4).frame().round(2).to_string())
print(f"price: {agency.predict(wish)[0]:.0f}")
filled, confidences = agency.complete(wish)
for j, name in enumerate(filled):
    if not np.isnan(confidences[0, j]):
        print(f"{name}: {filled.at[0, name]}, with probability {confidences[0, j]:.2f}")

# %%
# Prices of other holidays
# ------------------------
# A fifth of the holidays is kept aside. Each point is one of them.

aside = np.random.default_rng(0).permutation(len(price)) < len(price) / 5
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, weights) in zip(axes, {"equal": None, "learnt": "loo"}.items()):
    model = CaseBasedRegressor(similarities=similarities, weights=weights)
    model.fit(wishes[~aside], price[~aside])
    score = model.score(wishes[aside], price[aside])
    ax.scatter(model.predict(wishes[aside]), price[aside], s=8)
    ax.axline((0, 0), slope=1, color="gray", linewidth=1)
    ax.set(title=f"{name} weights: R² = {score:.2f}", xlabel="predicted price")
axes[0].set_ylabel("price")
plt.show()

# %%
# A caveat
# --------
# The similarities are our reading of the attributes, not the agency's. Where they are
# unknown, value differences, the default for symbols, learn them from the prices.
