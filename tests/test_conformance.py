"""scikit-learn's own checks on every registered estimator.

One instance of each class runs all checks, each further variant those whose result
depends on its parameters. What the others test is code of the whole class: validation,
cloning, tags, names. `test_rules.py` and `test_input_unchanged.py` test pickles, memory
layouts and unchanged input of every variant. With ``ALL_CHECKS=1`` in the environment
every variant runs all checks; ``-m "not variant"`` leaves the variants out, as CI does
with the oldest supported versions.

One failure is expected: boosting by resampling draws rows at random, so a row of weight
2 cannot be equivalent to two rows.

Code under test: `_core/_compat.py`.
"""

import os
import re

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from sklearn_bayeslazy import MyAdaBoost
from sklearn_bayeslazy.testing import ESTIMATORS
from tests.helpers.ecosystem_tables import first_of_each_class

CHECKS_OF_VARIANTS = {
    "check_all_zero_sample_weights_error",
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_regression_target",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_dict_unchanged",
    "check_estimator_sparse_array",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_partial_fit_n_features",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_non_negative",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_regressor_multioutput",
    "check_regressors_int",
    "check_regressors_no_decision_function",
    "check_regressors_train",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_not_overwritten",
    "check_transformer_general",
    "check_transformer_get_feature_names_out",
    "check_transformer_preserve_dtypes",
}


# It asserts the accuracy of a model whose classes weigh 1e7 : 1. Boosting, for one,
# raises the weights of the light class again. `tabular/test_class_weights.py` tests
# what `class_weight` means.
FIRST_INSTANCES_ONLY = {"check_class_weight_classifiers"}


def expected_failed_checks(estimator):
    if isinstance(estimator, MyAdaBoost) and estimator.weighting == "resample":
        return {
            "check_sample_weight_equivalence_on_dense_data": "rows are drawn at random"
        }
    return {}


def is_for_variants(check):
    """Return whether a check, a partial of a function, is for every variant.

    Other checks test read-only rows.
    """
    named = check.func.__name__ in CHECKS_OF_VARIANTS
    return named and "readonly_memmap" not in check.keywords


def estimators_with_checks():
    """Return each pair of an estimator and a check, as a parameter of pytest."""
    first = first_of_each_class()
    pairs = []
    for estimator in ESTIMATORS:
        is_first = any(estimator is one for one in first)
        runs_all = is_first or "ALL_CHECKS" in os.environ
        label = re.sub(r"\s", "", str(estimator))
        failures = expected_failed_checks(estimator)
        for one, check in estimator_checks_generator(estimator):
            name = check.func.__name__
            if name in FIRST_INSTANCES_ONLY and not is_first:
                continue
            if runs_all or is_for_variants(check):
                marks = [] if is_first else [pytest.mark.variant]
                if name in failures:
                    marks.append(pytest.mark.xfail(reason=failures[name]))
                pairs.append(
                    pytest.param(one, check, marks=marks, id=f"{label}-{name}")
                )
    return pairs


@pytest.mark.parametrize(("estimator", "check"), estimators_with_checks())
def test_estimator_passes_the_common_checks(estimator, check):
    check(estimator)
