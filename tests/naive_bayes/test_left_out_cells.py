"""Losses of the cells of columns, against the scores of all classes row by row."""

import numpy as np
import pytest

from sklearn_bayeslazy.leave_one_out import classification_losses
from sklearn_bayeslazy.naive_bayes._columns import LeftOutCells
from sklearn_bayeslazy.tabular import log_m_estimate, log_prior_without


def drawn_column(seed):
    """Return codes (3 is a missing cell), classes and weights of some rows."""
    rng = np.random.default_rng(seed)
    n, n_classes = 40, rng.integers(1, 6)
    weights = [[1.0], [0.5, 2.0], rng.uniform(0.5, 2.0, n)][seed % 3]
    classes = rng.integers(0, n_classes, n)
    return rng.integers(0, 4, n), classes, rng.choice(weights, n), int(n_classes)


def by_rows(codes, classes, weight, n_classes, m):
    """Return the losses of rows whose counts are those of all other rows."""
    joint, log_prior = np.zeros((2, len(codes), n_classes))
    for i, code in enumerate(codes):
        left = np.where(np.arange(len(codes)) == i, 0.0, weight)
        count = np.zeros((4, n_classes))
        np.add.at(count, (codes, classes), left)
        of_class = np.maximum(count.sum(axis=0), 0.0)
        with np.errstate(divide="ignore"):
            log_prior[i] = np.log(of_class / of_class.sum())
        joint[i] = log_prior[i]
        if code < 3:
            total = count[:3].sum(axis=0)
            joint[i] += log_m_estimate(count[code], total, m, 1 / 3)
    return classification_losses(joint, classes, log_prior)


@pytest.mark.parametrize("seed", range(12))
def test_losses_equal_those_of_all_classes_row_by_row(seed):
    codes, classes, weight, n_classes = drawn_column(seed)
    counts = np.zeros((3, n_classes))
    known = codes < 3
    np.add.at(counts, (codes[known], classes[known]), weight[known])
    class_count = np.bincount(classes, weight, n_classes)
    log_prior = log_prior_without(class_count, classes, weight, True, None)
    # Another column, of missing cells, and the column once more.
    codes_of_columns = np.array([codes, np.zeros(len(codes), int), codes])
    cells = LeftOutCells(classes, weight, log_prior).distinct(
        codes_of_columns, np.array([3, 0, 3])
    )
    ms = [0.0, 0.1, 30.0]  # without virtual examples some rows are impossible

    def uniform(position, removed):
        return np.full((1, 1), 1 / 3), np.ones((1, 1))

    total = counts.sum(axis=0)
    terms = cells.terms(
        np.concatenate([counts, counts]),
        np.array([total, np.zeros(n_classes), total]),
        np.repeat(np.array(ms)[:, None], 3, axis=1),
        uniform,
    )
    losses, correct = (each[:, cells.index] for each in cells.losses(*terms))
    for k, m in enumerate(ms):
        expected = by_rows(codes, classes, weight, n_classes, m)
        for j in (0, 2):
            np.testing.assert_allclose(
                losses[k, j], expected[0], rtol=1e-12, atol=1e-12
            )
            np.testing.assert_array_equal(correct[k, j], expected[1])
        alone = classification_losses(log_prior, classes, log_prior)
        np.testing.assert_allclose(losses[k, 1], alone[0], rtol=1e-12, atol=1e-12)


def test_combinations_of_a_column_are_together():
    classes = np.array([0, 0, 1, 1])
    log_prior = np.log(np.full((4, 2), 1 / 2))
    codes = np.array([[1, 0, 1, 2], [0, 0, 0, 1]])  # the last row's cells are missing
    cells = LeftOutCells(classes, np.ones(4), log_prior).distinct(codes, [2, 1])
    first, second = cells.of_column(0), cells.of_column(1)
    assert cells.position[first].tolist() == [0, 1, 1, 3]
    assert cells.position[second].tolist() == [2, 2, 3]
    assert cells.weight[second].tolist() == [2.0, 1.0, 1.0]


def test_scores_of_equal_classes_tie_in_favour_of_the_first():
    classes = np.array([0, 0, 1, 1, 2, 2])
    log_prior = np.log(np.full((6, 3), 1 / 3))
    cells = LeftOutCells(classes, np.ones(6), log_prior).distinct(
        np.zeros((1, 6), int), [1]
    )
    _, correct = cells.losses(np.zeros((1, 1, 3)), np.zeros((1, 3)))
    assert correct.tolist() == [[1.0, 0.0, 0.0]]


def test_terms_of_other_classes_are_computed_once_for_each_code():
    """Memory and time grow with codes times labels, not with rows times labels."""
    n, n_classes, n_codes = 5000, 500, 4
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(0, n_codes, n), rng.integers(0, n_classes, n)
    log_prior = np.full((n, n_classes), -np.log(n_classes))
    cells = LeftOutCells(classes, np.ones(n), log_prior).distinct(
        codes[None], [n_codes]
    )
    assert len(cells.position) > 400 * n_codes  # the combinations of code and class
    terms = cells.terms(
        np.ones((n_codes, n_classes)),
        np.full((1, n_classes), n_codes),
        np.ones((1, 1)),
        lambda position, removed: (np.full((1, 1), 1 / n_codes), np.ones((1, 1))),
    )
    assert terms[0].shape == (1, n_codes, n_classes)
    assert terms[1].shape == (1, len(cells.position))
