"""scikit-learn's tests of NearestNeighbors that fit LSHNeighbors with a recall of 1."""

from sklearn_bayeslazy import LSHNeighbors
from tests.helpers.scikit_learn_tests import adapted_tests


def exact_lsh(n_neighbors=5, *, radius=1.0, algorithm="auto", metric="euclidean"):
    """Return an engine with the arguments of NearestNeighbors that it has."""
    metric = "euclidean" if metric == "minkowski" else metric
    return LSHNeighbors(n_neighbors, recall=1.0, radius=radius, metric=metric)


_TESTS = adapted_tests(
    "sklearn.neighbors.tests.test_neighbors",
    {"sklearn.neighbors": {"NearestNeighbors": exact_lsh}},
)
# The other tests are about metrics, or about the algorithms of scikit-learn.
globals().update(
    {
        name: _TESTS[name]
        for name in (
            "test_k_and_radius_neighbors_X_None",
            "test_k_and_radius_neighbors_duplicates",
            "test_k_and_radius_neighbors_train_is_not_query",
            "test_query_equidistant_kth_nn",
            "test_radius_neighbors_boundary_handling",
            "test_radius_neighbors_sort_results",
        )
    }
)

_SORTED = "lists within a radius are always sorted by (distance, row)"
DEVIATIONS = {
    "test_k_and_radius_neighbors_duplicates": _SORTED,
    "test_k_and_radius_neighbors_train_is_not_query": _SORTED,
    "test_radius_neighbors_sort_results": _SORTED,
}
