"""The limit of the error of nearest neighbors: at most twice the Bayes error.

Let η be the probability of class 1 given a row. In the limit the error of one nearest
neighbor is the mean of 2 η (1 - η) (Cover and Hart 1967). With k growing and k / n
shrinking, the error approaches the Bayes error.

A correct program fails each tolerance in less than one of a million draws, by
Hoeffding's inequality: the sum of independent terms in ranges c_i differs from its mean
by more than t with a probability of at most 2 exp(-2 t² / Σ c_i²).
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from sklearn_bayeslazy import ShepardKNN

N_ROWS = 60_000
FAILURE_PROBABILITY = 1e-6
LOG = np.log(2 / FAILURE_PROBABILITY)
# The largest difference between the mean of η over the nearest rows and η at the query,
# because n is finite. Distances are of order 1/n in one column, 1/√n in two.
MAX_BIAS = 0.005


def ramp(X):
    """Return η, which grows from 0.1 to 0.9 on the unit interval."""
    return 0.1 + 0.8 * X[:, 0]


def hills(X):
    """Return η of two normal distributions around (-1, 0) and (1, 0)."""
    return expit(2 * X[:, 0])


def draw_ramp(rng, n):
    X = rng.random((n, 1))
    return X, (rng.random(n) < ramp(X)).astype(int)


def draw_hills(rng, n):
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 2))
    X[:, 0] += 2 * y - 1
    return X, y


def limit_of_hills():
    def integrand(x):
        density = (norm.pdf(x - 1) + norm.pdf(x + 1)) / 2
        return density * 2 * expit(2 * x) * expit(-2 * x)

    return quad(integrand, -12, 12)[0]


# η, a function that draws rows, the Bayes error, and the limit for one nearest neighbor
DISTRIBUTIONS = {
    # ∫ min(η, 1 - η) and ∫ 2 η (1 - η) = 2 (E η - E η²), η uniform on (0.1, 0.9)
    "ramp": (ramp, draw_ramp, 0.3, 2 * (0.5 - (0.5**2 + 0.8**2 / 12))),
    "hills": (hills, draw_hills, norm.cdf(-1), limit_of_hills()),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_error_of_one_neighbor_is_at_most_twice_the_bayes_error(name):
    eta, draw, bayes, limit = DISTRIBUTIONS[name]
    assert bayes < limit < 2 * bayes * (1 - bayes) + 1e-9
    rng = np.random.default_rng(0)
    X, y = draw(rng, N_ROWS)
    queries, truth = draw(rng, N_ROWS)
    model = ShepardKNN(1, power=2, m=0).fit(X, y)
    error = np.mean(model.predict(queries) != truth)

    # Queries with the same nearest row share its label: a term is the sum over one row.
    rows = model.kneighbors(queries, return_distance=False)[:, 0]
    n_queries = np.bincount(rows).astype(float)
    tolerance = np.sqrt(LOG * np.sum(n_queries**2) / 2) / N_ROWS
    assert tolerance < 0.03
    at_query, at_row = eta(queries), eta(X)[rows]
    expected = np.mean(at_query * (1 - at_row) + at_row * (1 - at_query))
    assert abs(error - expected) < tolerance

    # A query adds 2 η (1 - η), between 0 and 1/2, plus the bias of its neighbor.
    assert abs(expected - limit) < np.sqrt(LOG / 2 / N_ROWS) / 2 + MAX_BIAS
    assert bayes < error < 2 * bayes


def test_the_error_of_many_neighbors_approaches_the_bayes_error():
    """Where η is far enough from 1/2, the majority of k rows agrees with Bayes.

    At all of G points, the share of k votes is within √(log(2 G / failures) / 2k) of
    the mean of η over these rows. This mean is within 0.8 times the distance to the
    farthest of them. Elsewhere |η - 1/2| <= h. A wrong majority there costs |2 η - 1|,
    at most 2h and h on average, on the share 2h / 0.8 of the interval.
    """
    rng = np.random.default_rng(0)
    X, y = draw_ramp(rng, N_ROWS)
    points = (np.arange(1000)[:, None] + 0.5) / 1000
    eta = ramp(points)
    excess = {}
    for k in (1, 60, 600, 3000):  # k grows, and k / n is small
        model = ShepardKNN(k, weights="uniform", m=0).fit(X, y)
        wrong = model.predict(points) != (eta > 0.5)
        excess[k] = np.mean(wrong * np.abs(2 * eta - 1))
        farthest = model.kneighbors(points)[0][:, -1].max()
        deviation = np.sqrt(np.log(2 * len(points) / FAILURE_PROBABILITY) / (2 * k))
        h = min(deviation + 0.8 * farthest, 0.4)
        assert excess[k] <= 2 * h**2 / 0.8 + 1 / len(points)
    # The excess of one neighbor is 0.093 in the limit, less
    # 0.8 √(log(2 / failures) / 2G).
    assert excess[3000] < 0.03 < excess[1]
