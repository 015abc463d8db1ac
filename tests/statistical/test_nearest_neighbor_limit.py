"""In the limit one neighbour errs at most twice as often as Bayes, many as rarely.

Where the odds of the classes are known, so is the error of the nearest neighbour in the
limit, the mean of 2 η (1 - η), with η the probability of class 1 (Cover and Hart 1967).

Every tolerance is one that a right program passes but for less than one draw in a
million, by Hoeffding's inequality: independent summands in ranges c_i leave their mean
sum by more than t with a probability of at most 2 exp(-2 t² / Σ c_i²).
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from sklearn_bayeslazy import ShepardKNN

N_ROWS = 60_000
FAILURES = 1e-6
LOG = np.log(2 / FAILURES)
# How far the mean of η over the nearest rows may be from η at the query: the limit is
# not reached. The distances shrink like 1/n in one column, like 1/√n in two.
NOT_YET_THE_LIMIT = 0.005


def ramp(X):
    """Return η: from 0.1 to 0.9 on the unit interval."""
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


# η, draw, Bayes's error, and that of the nearest neighbour in the limit
WORLDS = {
    # ∫ min(η, 1 - η) and ∫ 2 η (1 - η) = 2 (E η - E η²), of η uniform on (0.1, 0.9)
    "ramp": (ramp, draw_ramp, 0.3, 2 * (0.5 - (0.5**2 + 0.8**2 / 12))),
    "hills": (hills, draw_hills, norm.cdf(-1), limit_of_hills()),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", range(2))
def test_one_neighbour_errs_at_most_twice_as_often_as_bayes(world, seed):
    eta, draw, bayes, limit = WORLDS[world]
    assert bayes < limit < 2 * bayes * (1 - bayes) + 1e-9
    rng = np.random.default_rng(seed)
    X, y = draw(rng, N_ROWS)
    Q, truth = draw(rng, N_ROWS)
    model = ShepardKNN(1).fit(X, y)
    error = np.mean(model.predict(Q) != truth)

    # Queries with one nearest row share its label: a summand is what one row answers.
    rows = model.kneighbors(Q, return_distance=False)[:, 0]
    shared = np.bincount(rows).astype(float)
    tolerance = np.sqrt(LOG * np.sum(shared**2) / 2) / N_ROWS
    assert tolerance < 0.03
    here, there = eta(Q), eta(X)[rows]
    expected = np.mean(here * (1 - there) + there * (1 - here))
    assert abs(error - expected) < tolerance

    # A query adds 2 η (1 - η), 0 to 1/2, but for the way to its neighbour.
    assert abs(expected - limit) < np.sqrt(LOG / 2 / N_ROWS) / 2 + NOT_YET_THE_LIMIT
    assert bayes < error < 2 * bayes


def test_more_and_more_neighbours_approach_bayes():
    """Where η is far enough from 1/2, the votes of k rows are on Bayes's side.

    The share of k votes is within √(log(2 G / failures) / 2k) of the mean of η over
    these rows at all of G places; the mean is within 0.8 times the distance to the last
    of them. Elsewhere, if |η - 1/2| <= h, a wrong side costs |2 η - 1| at most 2h, and
    h on average, on the share 2h / 0.8 of the interval.
    """
    rng = np.random.default_rng(0)
    X, y = draw_ramp(rng, N_ROWS)
    places = (np.arange(1000)[:, None] + 0.5) / 1000
    eta = ramp(places)
    excess = {}
    for k in (1, 60, 600, 3000):  # k grows, and k / n is small
        model = ShepardKNN(k, weights="uniform").fit(X, y)
        wrong = model.predict(places) != (eta > 0.5)
        excess[k] = np.mean(wrong * np.abs(2 * eta - 1))
        farthest = model.kneighbors(places)[0][:, -1].max()
        spread = np.sqrt(np.log(2 * len(places) / FAILURES) / (2 * k))
        h = min(spread + 0.8 * farthest, 0.4)
        assert excess[k] <= 2 * h**2 / 0.8 + 1 / len(places)
    # One neighbour loses 0.093 in the limit, and 0.8 √(log(2 / failures) / 2G) less.
    assert excess[3000] < 0.03 < excess[1]
