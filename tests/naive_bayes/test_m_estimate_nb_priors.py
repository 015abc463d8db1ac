"""The priors of MEstimateNB: every expected number an unreduced fraction.

Code under test: `naive_bayes/_columns/_m_estimates.py`.
"""

import numpy as np
import pandas as pd
import pytest

from tests.helpers.classical_naive_bayes import classical_nb


class TestPriors:
    X = [["r"], ["r"], ["g"], ["b"], ["b"], ["b"]]
    y = [0, 0, 0, 1, 1, 1]

    def theta(self, **params):
        model = classical_nb(**params).fit(self.X, self.y)
        return np.exp(model.feature_log_prob_[0])  # columns b, g, r

    def test_uniform_marginal_and_laplace(self):
        np.testing.assert_allclose(
            self.theta(m=3), [[1 / 6, 2 / 6, 3 / 6], [4 / 6, 1 / 6, 1 / 6]]
        )
        np.testing.assert_allclose(self.theta(m="laplace"), self.theta(m=3))
        np.testing.assert_allclose(
            self.theta(m=6, prior="marginal"),
            [[3 / 9, 2 / 9, 4 / 9], [6 / 9, 1 / 9, 2 / 9]],
        )

    def test_arrays_are_pseudo_counts(self):
        # (count + m q(x, y)) / (n + m q(y)) with q(y) = 1 + 2 + 3 = 6
        np.testing.assert_allclose(
            self.theta(m=2, prior=[[1, 2, 3]]),
            [[2 / 15, 5 / 15, 8 / 15], [5 / 15, 4 / 15, 6 / 15]],
        )
        by_class = {0: [[1, 1, 2], [0, 0, 1]]}
        np.testing.assert_allclose(
            self.theta(m=2, prior=by_class),
            [[2 / 11, 3 / 11, 6 / 11], [3 / 5, 0, 2 / 5]],
        )

    def test_numbers_take_rates_and_moments(self):
        X = pd.DataFrame({"n": [2.0, 4, 9, 11], "x": [2.0, 4, 9, 11]})
        y = [0, 0, 1, 1]
        model = classical_nb(
            m=2,
            distribution=["poisson", "gaussian"],
            prior={"n": [1.0], "x": [[3.0, 1.0], [0.0, 4.0]]},
        ).fit(X, y)
        np.testing.assert_allclose(model.rate_[:, 0], [(6 + 2) / 4, (20 + 2) / 4])
        np.testing.assert_allclose(model.theta_[:, 1], [(6 + 6) / 4, (20 + 0) / 4])
        first = (2 + 2 * 1 + 2 * 2 / 4 * (3 - 3) ** 2) / (2 + 2 - 1)
        second = (2 + 2 * 4 + 2 * 2 / 4 * (10 - 0) ** 2) / (2 + 2 - 1)
        np.testing.assert_allclose(model.var_[:, 1], [first, second])

    @pytest.mark.parametrize(
        ("prior", "message"),
        [
            ([[1, 2]], r"column '0' has shape \(1, 2\)"),
            ([[1, 2, -1]], "must be ≥ 0"),
            ([[0, 0, 0]], "sum above 0"),
            ([[1, 2, np.nan]], "finite array"),
            (["uniform", "uniform"], "2 entries for 1 columns"),
            ({"colour": "uniform"}, "names the column 'colour'"),
            (["median"], "prior='median' for column '0'"),
        ],
    )
    def test_errors_name_the_column(self, prior, message):
        with pytest.raises(ValueError, match=message):
            classical_nb(prior=prior).fit(self.X, self.y)
