"""AODEClassifier against the published formula: loops over rows, pencil, explain.

Code under test: `naive_bayes/_pairs/_aode_model.py`,
`naive_bayes/_pairs/_pair_kernels.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import AODEClassifier, MEstimateNB
from tests.helpers import aode_by_hand
from tests.helpers.aode_tables import mixed_table, nominal_table, values_of

PUBLISHED = {"weights": None, "n_bins": 2, "binning": "quantile"}
# Mitchell (1997), table 3.2.
TENNIS = """sunny hot high weak no; sunny hot high strong no;
overcast hot high weak yes;
rain mild high weak yes; rain cool normal weak yes; rain cool normal strong no;
overcast cool normal strong yes; sunny mild high weak no; sunny cool normal weak yes;
rain mild normal weak yes; sunny mild normal strong yes; overcast mild high strong yes;
overcast hot normal weak yes; rain mild high strong no"""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("m", [0.0, 0.5, 1.0, 7.0, "laplace"])
@pytest.mark.parametrize("min_count", [0, 1, 6])
def test_published_aode_is_the_loop_over_the_formula(seed, m, min_count):
    rows, y = nominal_table(seed)
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.5, 1.0, 2.0, 3.25], size=len(y)).tolist()
    model = AODEClassifier(m, min_count=min_count, **PUBLISHED)
    model.fit(np.array(rows, dtype=object), y, weight)
    queries = nominal_table(seed + 100, missing=0.3)[0]
    queries += [[None] * 4, ["new", "u", None, "x"]]
    expected = [
        aode_by_hand.joint_log_proba(
            query, rows, y, weight, [0, 1, 2], values_of(rows), m=m, min_count=min_count
        )
        for query in queries
    ]
    found = model.predict_joint_log_proba(np.array(queries, dtype=object))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_a_day_of_tennis_with_a_pencil():
    table = [day.split() for day in TENNIS.split(";")]
    X, y = [row[:4] for row in table], [row[4] for row in table]
    model = AODEClassifier(m=0, **PUBLISHED).fit(X, y)
    # P(no, row) and P(yes, row) of (sunny, mild, high, weak): one line for each of the
    # super-parents outlook, temperature, humidity and wind, N(c, x_i)/14 first. Of the
    # three days (no, sunny), one is mild, all are humid, and two have weak wind.
    no = (
        3 / 14 * (1 / 3 * 3 / 3 * 2 / 3)
        + 2 / 14 * (1 / 2 * 2 / 2 * 1 / 2)
        + 4 / 14 * (3 / 4 * 2 / 4 * 2 / 4)
        + 2 / 14 * (2 / 2 * 1 / 2 * 2 / 2)
    )
    yes = (
        2 / 14 * (1 / 2 * 0 / 2 * 1 / 2)
        + 4 / 14 * (1 / 4 * 2 / 4 * 2 / 4)
        + 3 / 14 * (0 / 3 * 2 / 3 * 2 / 3)
        + 6 / 14 * (1 / 6 * 2 / 6 * 2 / 6)
    )
    row = [["sunny", "mild", "high", "weak"]]
    joint = np.exp(model.predict_joint_log_proba(row))
    np.testing.assert_allclose(joint, [[no, yes]], rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(row)[0, 0], no / (no + yes))
    # One is added to each count: K = 3 values of outlook, 3 of temperature, 2, 2. With
    # outlook alone as super-parent (14 pairs of 2 · 3 cells):
    sizes = 3 * (3 + 3 + 2 + 2 + 1) * 2
    model = AODEClassifier("laplace", max_pair_counts=sizes, **PUBLISHED).fit(X, y)
    assert model.super_parents_.tolist() == [0]
    no = (3 + 1) / (14 + 6) * (1 + 1) / (3 + 3) * (3 + 1) / (3 + 2) * (2 + 1) / (3 + 2)
    yes = (2 + 1) / (14 + 6) * (1 + 1) / (2 + 3) * (0 + 1) / (2 + 2) * (1 + 1) / (2 + 2)
    joint = np.exp(model.predict_joint_log_proba(row))
    np.testing.assert_allclose(joint, [[no, yes]], rtol=1e-12)


def test_rare_values_are_no_super_parents_and_none_is_naive_bayes():
    rows, y = nominal_table(5, n_rows=30, missing=0.0)
    X = np.array(rows)
    naive = MEstimateNB(
        m=2.0, distribution="categorical", prior="uniform", feature_weights=None
    ).fit(X, y)
    rare = AODEClassifier(2.0, min_count=31, **PUBLISHED).fit(X, y)
    np.testing.assert_allclose(
        rare.predict_joint_log_proba(X), naive.predict_joint_log_proba(X), atol=1e-12
    )
    frequent = AODEClassifier(2.0, **PUBLISHED).fit(X, y)
    gap = np.abs(frequent.predict_proba(X) - naive.predict_proba(X)).max()
    assert gap > 0.01


def test_unknown_categories_are_missing_cells_or_errors():
    rows, y = nominal_table(6, missing=0.0)
    model = AODEClassifier(1.0, **PUBLISHED).fit(rows, y)
    unknown = np.array([["z", "u", "p", "x"]], dtype=object)
    missing = np.array([[None, "u", "p", "x"]], dtype=object)
    np.testing.assert_array_equal(
        model.predict_proba(unknown), model.predict_proba(missing)
    )
    strict = AODEClassifier(1.0, unknown="error", **PUBLISHED).fit(rows, y)
    with pytest.raises(ValueError, match="unknown category 'z' in column '0'"):
        strict.predict(unknown)
    default = AODEClassifier(unknown="error").fit(rows, y)
    with pytest.raises(ValueError, match="unknown category 'z' in column '0'"):
        default.predict(unknown)


@pytest.mark.parametrize(
    "model",
    [
        AODEClassifier(),
        AODEClassifier(m=1.0, weights=None, n_bins=4, binning="quantile"),
        AODEClassifier(m=0.0, weights=None, n_bins=4, binning="quantile"),
        AODEClassifier(m=0.0, n_bins=4, min_count=40),
        AODEClassifier(m="laplace", weights=None, n_bins=3, binning="mdlp"),
        AODEClassifier(m=0.0, weights=None, n_bins=4, binning="uniform", min_count=300),
    ],
)
def test_the_terms_of_an_explanation_sum_to_the_joint_log_likelihood(model):
    X, y = mixed_table(0)
    model = model.fit(X, y)
    rows = np.vstack([X, np.full((1, 5), None)])
    explained = model.explain(rows)
    assert explained.terms.shape == (201, 6, 3)
    assert explained.names.tolist() == [*(f"x{j}" for j in range(5)), "(average)"]
    np.testing.assert_allclose(
        explained.base + explained.terms.sum(axis=1),
        model.predict_joint_log_proba(rows),
        rtol=0,
        atol=1e-9,
    )
    missing = np.array([[x is None for x in row] for row in X])
    assert np.all(explained.terms[:-1, :5][missing] == 0)


def test_explanation_of_classes_without_rows():
    X, y = mixed_table(1)
    model = AODEClassifier(1.0, weights=None, n_bins=3, binning="quantile")
    model.partial_fit(X, y, classes=[0, 1, 2, 3])
    explained = model.explain(X)
    np.testing.assert_allclose(
        explained.base + explained.terms.sum(axis=1),
        model.predict_joint_log_proba(X),
        atol=1e-9,
    )


def test_the_pool_is_the_formula_of_the_notes():
    rows, y = nominal_table(7, n_rows=120)
    for row, k in zip(
        rows, y
    ):  # the class depends on the second and last columns together
        row[1] = "uv"[(row[3] == "x") ^ (k == 1)]
    X = np.array(rows, dtype=object)
    model = AODEClassifier(1.0).fit(X, y)
    assert model.averaged_weight_ > 0
    values, weight = values_of(rows), [1] * len(y)
    scores = np.tile(model.class_offset_, (len(y), 1))
    for i, row in enumerate(rows):
        average = aode_by_hand.joint_log_proba(
            row,
            rows,
            y,
            weight,
            [0, 1, 2],
            values,
            m=1.0,
            parents=model.super_parents_,
            predicted=model.predicted_columns_,
        )
        scores[i] += model.averaged_weight_ * (average - np.mean(average))
        for j in np.flatnonzero([x is not None for x in row]):
            of_class = [[(r, 1) for r, k in zip(rows, y) if k == c] for c in range(3)]
            p = [
                aode_by_hand.conditional(row[j], j, some, values, 1.0)
                for some in of_class
            ]
            term = np.log(p)
            scores[i] += model.feature_weights_[j] * (term - term.mean())
            if model.value_offset_[j] is not None:
                code = model.categories_[j].tolist().index(row[j])
                scores[i] += model.value_offset_[j][:, code]
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X), scores, rtol=0, atol=1e-9
    )
