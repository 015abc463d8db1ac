"""scikit-learn's tests of AdaBoostClassifier, run on MyAdaBoost."""

from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.scikit_learn_tests import adapted_tests


def boosted_trees(**parameters):
    """Return an ensemble of the members and votes that AdaBoostClassifier has."""
    tree = DecisionTreeClassifier(max_depth=1)
    return MyAdaBoost(tree, algorithm="samme", **parameters)


def adapted(stand_in):
    """Return the tests that use AdaBoostClassifier, run on a stand-in."""
    return adapted_tests(
        "sklearn.ensemble.tests.test_weight_boosting",
        {"sklearn.ensemble": {"AdaBoostClassifier": stand_in}},
    )


def boosted_stumps(*args, **parameters):
    """Return an ensemble of stumps, which has as many rounds as it is asked for."""
    return MyAdaBoost(*args, max_depth=1, **parameters)


globals().update(adapted(boosted_stumps))
# Our stumps have no random_state, and AdaBoost.MH, the default with more than two
# classes, has a score for each class.
test_iris, test_adaboost_decision_function = (
    adapted(boosted_trees)[name]
    for name in ("test_iris", "test_adaboost_decision_function")
)

_CSC = "members get rows as CSR, since rows are taken by index"
DEVIATIONS = {
    "test_estimator": "without a round better than guessing the model predicts the "
    "most frequent class, with a ConvergenceWarning instead of an error",
    "test_sample_weights_infinite": "weights are logarithms, which do not overflow",
    "test_sparse_classification[csc_matrix-csc_matrix]": _CSC,
    "test_sparse_classification[csc_array-csc_array]": _CSC,
    "test_multidimensional_X": "X is a table: two dimensions",
    "test_adaboostclassifier_without_sample_weight": "classifiers whose fit takes no "
    "weights are fitted to rows drawn by their weights, with a warning",
}
