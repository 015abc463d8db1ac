"""scikit-learn's own checks on every registered estimator: no failure is expected."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_bayeslazy.testing import ESTIMATORS


@parametrize_with_checks(ESTIMATORS)
def test_estimator_passes_the_common_checks(estimator, check):
    check(estimator)
