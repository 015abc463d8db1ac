"""scikit-learn's own checks on every registered estimator.

One failure is expected: boosting by resampling draws rows at random, so a row of weight
2 cannot be equivalent to two rows.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_bayeslazy import MyAdaBoost
from sklearn_bayeslazy.testing import ESTIMATORS


def expected_failed_checks(estimator):
    if isinstance(estimator, MyAdaBoost) and estimator.weighting == "resample":
        return {
            "check_sample_weight_equivalence_on_dense_data": "rows are drawn at random"
        }
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_estimator_passes_the_common_checks(estimator, check):
    check(estimator)
