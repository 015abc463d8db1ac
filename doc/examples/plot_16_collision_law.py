"""
Random hyperplanes measure angles
=================================

A random hyperplane through the origin gives every row a bit: the side on which it lies.
**Two rows share the bit with probability 1 - θ/π, where θ is the angle between them.**
So the share of common bits estimates the angle.
"""

# %%
# The law, measured
# -----------------
# There are two rows at each of 13 angles, and 200 hashes of 16 bits. The error bars are
# four standard errors of a share of 3 200 independent bits.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_bayeslazy import RandomProjectionHash


def shares(angle, orthogonal, n_draws=200, n_columns=20):
    """Return the share of 16 bits that two rows at an angle share, for each draw."""
    pair = np.zeros((2, n_columns))
    pair[0, 0] = 1.0
    pair[1, :2] = np.cos(angle), np.sin(angle)
    hashes = (
        RandomProjectionHash(16, orthogonal=orthogonal, random_state=seed)
        for seed in range(n_draws)
    )
    return np.array([np.equal(*hash_.fit_transform(pair)).mean() for hash_ in hashes])


angles = np.linspace(0, np.pi, 13)
law = RandomProjectionHash.collision_probability(angles)
measured = {
    name: np.array([shares(angle, orthogonal) for angle in angles])
    for name, orthogonal in (("independent", False), ("orthogonal", True))
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
error = np.sqrt(law * (1 - law) / (16 * 200))
left.errorbar(
    np.degrees(angles), measured["independent"].mean(axis=1), 4 * error, fmt="."
)
left.plot(np.degrees(angles), law, color="black", linewidth=1, label="1 - θ/π")
left.set(xlabel="angle in degrees", ylabel="share of common bits")
left.legend()
for name, values in measured.items():
    right.plot(np.degrees(angles), values.std(axis=1), ".-", label=name)
right.set(xlabel="angle in degrees", ylabel="standard deviation, 16 bits")
right.legend()
plt.show()

far = np.abs(measured["independent"].mean(axis=1) - law) / np.maximum(error, 1e-12)
print(f"largest distance from the law: {far.max():.1f} standard errors")

# %%
# Orthogonal hyperplanes
# ----------------------
# The right figure shows the standard deviation. Orthogonal hyperplanes follow the same
# law one by one, but they are not independent: the share of common bits has a smaller
# variance.

middle = len(angles) // 2
ratio = np.divide(*(measured[name][middle].var() for name in measured))
print(f"at 90 degrees, independent bits have {ratio:.1f} times the variance")
