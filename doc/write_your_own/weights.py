"""A weight function of your own: Epanechnikov's kernel of a fixed width."""

import numpy as np

from sklearn_bayeslazy import ShepardKNNRegressor


def epanechnikov(distances, width=2.0):
    """Return 1 - (d / width)², element by element, and 0 beyond the width."""
    return np.clip(1 - (distances / width) ** 2, 0, None)


rows = [[0.0], [1.0], [3.0]]
targets = [0.0, 7.0, 100.0]
model = ShepardKNNRegressor(None, weights=epanechnikov, metric="euclidean")
model.fit(rows, targets)

# The distances from 0 are 0, 1 and 3, so the weights are 1, 3/4 and 0.
prediction = model.predict([[0.0]])
print(prediction)  # (3/4 * 7) / (1 + 3/4)
