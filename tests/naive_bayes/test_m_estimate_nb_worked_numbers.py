"""MEstimateNB on textbook examples: every expected number an unreduced fraction.

PlayTennis: Mitchell (1997), Machine Learning, section 6.9. buys_computer: Han & Kamber
(2006), Data Mining. Evade: Tan, Steinbach & Kumar (2006), Introduction to Data Mining.
"""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

from sklearn_bayeslazy.datasets import (
    load_buys_computer,
    load_evade,
    load_play_tennis,
)
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.shared import shared_path


def joint_of(load, query, **params):
    X, y = load(return_X_y=True)
    model = classical_nb(**params).fit(X, y)
    joint = np.exp(model.predict_joint_log_proba([query]))[0]
    return dict(zip(model.classes_, joint)), model


def test_play_tennis():
    joint, model = joint_of(load_play_tennis, ["sunny", "cool", "high", "strong"], m=0)
    assert joint["yes"] == pytest.approx(9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9)
    assert joint["no"] == pytest.approx(5 / 14 * 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5)
    assert round(joint["yes"], 4) == 0.0053
    assert round(joint["no"], 4) == 0.0206
    assert model.predict([["sunny", "cool", "high", "strong"]]) == "no"


def test_buys_computer():
    joint, _ = joint_of(load_buys_computer, ["<=30", "medium", "yes", "fair"], m=0)
    assert joint["yes"] == pytest.approx(9 / 14 * 2 / 9 * 4 / 9 * 6 / 9 * 6 / 9)
    assert joint["no"] == pytest.approx(5 / 14 * 3 / 5 * 2 / 5 * 1 / 5 * 2 / 5)
    assert round(joint["yes"], 3) == 0.028
    assert round(joint["no"], 3) == 0.007


def test_evade():
    joint, model = joint_of(load_evade, ["No", "Married", 120.0], m=0)
    index = {name: i for i, name in enumerate(model.classes_)}
    # Class No: incomes 125, 100, 70, 120, 60, 220, 75; class Yes: 95, 85, 90.
    assert model.theta_[index["No"], 2] == pytest.approx(770 / 7)
    assert model.var_[index["No"], 2] == pytest.approx(17850 / 6)  # 2975
    assert model.theta_[index["Yes"], 2] == pytest.approx(270 / 3)
    assert model.var_[index["Yes"], 2] == pytest.approx(50 / 2)
    density = math.exp(-((120 - 110) ** 2) / (2 * 2975)) / math.sqrt(2 * math.pi * 2975)
    assert round(density, 4) == 0.0072
    terms = model.explain([["No", "Married", 120.0]]).terms[0]
    assert math.exp(terms[2, index["No"]]) == pytest.approx(density)
    # The textbook prints exp(-18) / (5 √2π) = 1.2e-9 for income 120 and class Yes.
    assert f"{math.exp(terms[2, index['Yes']]):.1e}" == "1.2e-09"
    assert joint["No"] == pytest.approx(7 / 10 * 4 / 7 * 4 / 7 * density)
    assert joint["Yes"] == 0
    assert model.predict([["No", "Married", 120.0]]) == "No"


def test_missing_cells_are_left_out_of_the_means():
    X = [[0.5, 100, np.nan], [0.9, np.nan, 12], [0.8, 110, 13.5], [np.nan, 121, 15]]
    model = classical_nb(m=0).fit(X, ["one class"] * 4)
    expected = [(0.5 + 0.9 + 0.8) / 3, (100 + 110 + 121) / 3, (12 + 13.5 + 15) / 3]
    np.testing.assert_allclose(model.theta_[0], expected, rtol=1e-15)


def test_bernoulli_documents():
    # text, information, identify, mining, mined, is, useful, to, from, apple, delicious
    X = np.array(
        [
            [1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0],
            [1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0],
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1],
        ]
    )
    y = [1, 1, 0]
    model = classical_nb(m="laplace", distribution="bernoulli").fit(X, y)
    one = [prob[1, 1] for prob in model.feature_log_prob_]  # P(word | Y = 1)
    expected = [(n + 1) / (2 + 2) for n in (2, 2, 1, 1, 1, 2, 2, 1, 1, 0, 0)]
    np.testing.assert_allclose(np.exp(one), expected)
    # |Y| V + |Y| - 1 parameters, where the full joint has |Y| (2^V - 1) + |Y| - 1.
    free = sum(prob.shape[0] * (prob.shape[1] - 1) for prob in model.feature_log_prob_)
    assert free + len(model.classes_) - 1 == 2 * 11 + 2 - 1


@pytest.mark.parametrize(
    ("laplace", "expected"),
    [(0, [[238, 13], [29, 155]]), (3, [[237, 12], [30, 156]])],
)
def test_house_votes_as_printed_for_e1071(laplace, expected):
    """The tables in the manual of R's e1071 (naiveBayes, HouseVotes84).

    e1071 leaves missing cells out too; its laplace is added to each of K = 2
    values, so m = 2 · laplace.
    """
    path = shared_path("house_votes_84.csv")
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    X, y = table.drop(columns="target"), table["target"]
    model = classical_nb(m=2 * laplace).fit(X, y)
    assert model.classes_.tolist() == ["democrat", "republican"]
    assert confusion_matrix(model.predict(X), y).tolist() == expected
