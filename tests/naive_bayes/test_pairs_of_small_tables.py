"""Small tables are counted by numpy, to the same bits as by kernels.

Code under test: `naive_bayes/_pairs/_aode_model.py`,
`naive_bayes/_pairs/_pair_kernels.py`.
"""

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_bayeslazy import AODEClassifier
from sklearn_bayeslazy.naive_bayes._pairs import _aode_model, _pair_counts


def test_pairs_and_scores_of_a_small_table(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(140, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y, weight = rng.integers(3, size=140), rng.random(140)

    def answers():
        model = AODEClassifier().fit(X, y, sample_weight=weight)
        counts = model._model.counts
        return counts.pairs, counts.values, model.predict_joint_log_proba(X)

    by_numpy = answers()
    assert by_numpy[0].any()
    monkeypatch.setattr(_pair_counts, "_FEW_PAIRS", 0)
    monkeypatch.setattr(_aode_model, "_FEW_POSITIONS", 0)
    for one, other in zip(by_numpy, answers(), strict=True):
        assert_array_equal(one, other)
