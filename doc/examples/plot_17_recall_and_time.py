"""
How much recall costs
=====================

**LSHNeighbors is told what share of the true neighbours is wanted, and finds out by
itself what that takes.** More is found by reading more buckets and measuring more rows;
the last hundredths cost most.
"""

# %%
# Patches of photographs
# ----------------------
# 30 000 patches of 8 × 8 pixels, three colours each, cut from two photographs. A
# thousand other patches are asked for their ten neighbours, and the true ones counted.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_images
from sklearn.feature_extraction.image import extract_patches_2d

from sklearn_bayeslazy import LSHNeighbors, RecallDisplay

patches = [
    extract_patches_2d(image, (8, 8), max_patches=15_500, random_state=0)
    for image in load_sample_images().images
]
patches = np.concatenate(patches).reshape(-1, 192).astype(np.float32)
patches = patches[np.random.default_rng(0).permutation(len(patches))]
X, queries = patches[:30_000], patches[30_000:]

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for family in ("balanced", "super_bit", "random_projection"):
    engine = LSHNeighbors(10, hash_family=family, recall=0.9, random_state=0).fit(X)
    display = RecallDisplay.from_estimator(engine, queries, name=family, ax=axes)
    low, high = engine.recall_interval_
    print(
        f"{family:18} told {engine.estimated_recall_:.3f} ({low:.3f} to {high:.3f}), "
        f"found {display.recall[-1]:.3f}; reads {engine.n_read_:,} rows"
    )
handles, labels = axes.get_legend_handles_labels()
axes.legend(handles[::2] + handles[-1:], labels[::2] + labels[-1:], fontsize="small")
plt.show()

# %%
# All reach what was asked for, since each learns its effort from the exact neighbours
# of a sample. They differ in what they must read for it: a tree that halves the patches
# where they vary most keeps neighbours together better than planes that know nothing of
# them.
