"""ShepardKNN takes any container and any labels, and names invalid parameters.

Code under test: `neighbors/_shepard/_parameters.py`.
"""

import numpy as np
import pytest
from scipy import sparse

from sklearn_bayeslazy.testing import answers
from tests.helpers.neighbors_by_hand import METRICS
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor
from tests.helpers.shepard_knn_tables import both, draw_table, every_k

# Containers


@both
@every_k
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_any_array_of_the_same_numbers_answers_alike(estimator, k, algorithm):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, size=(60, 3)), rng.integers(3, size=60)
    Q = rng.integers(-5, 6, size=(20, 3))
    expected = answers(
        estimator(k, algorithm=algorithm).fit(X.astype(float), y), Q.astype(float)
    )
    read_only = X.astype(float)
    read_only.flags.writeable = False
    strided = np.repeat(X.astype(float), 2, axis=0)[::2]
    for other in (
        X,
        X.tolist(),
        X.astype(np.float32),
        X.astype(np.int8),
        np.asfortranarray(X.astype(float)),
        read_only,
        strided,
    ):
        model = estimator(k, algorithm=algorithm).fit(other, y)
        np.testing.assert_array_equal(answers(model, Q), expected)
        dtype = getattr(other, "dtype", np.int64)
        np.testing.assert_array_equal(answers(model, Q.astype(dtype)), expected)


@both
def test_the_callers_arrays_are_left_alone(estimator):
    X, y, Q = draw_table()
    weight = np.ones(len(y))
    for metric in METRICS:
        copies = [array.copy() for array in (X, y, Q, weight)]
        model = estimator(metric=metric).fit(X, y, weight)
        model.predict(Q)
        model.kneighbors(Q)
        model.explain(Q)
        for before, after in zip(copies, (X, y, Q, weight)):
            np.testing.assert_array_equal(before, after)


@both
@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("written", ["X", "y", "sample_weight"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_what_the_caller_writes_later_does_not_change_the_model(
    estimator, k, written, container
):
    X, y, Q = draw_table()
    X, y = container(X), y.astype(float)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    model = estimator(k).fit(X, y, weight)
    expected = answers(model, Q)
    cells = X if isinstance(X, np.ndarray) else X.data
    array = {"X": cells, "y": y, "sample_weight": weight}[written]
    array[:] = array[::-1].copy()
    np.testing.assert_array_equal(answers(model, Q), expected)


@both
def test_frames_keep_their_names(estimator):
    pandas = pytest.importorskip("pandas", reason="it tests frames")
    X, y, Q = draw_table()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = estimator().fit(frame, pandas.Series(y, name="target"))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    expected = answers(estimator().fit(X, y), Q)
    named = pandas.DataFrame(Q, columns=["a", "b", "c"])
    np.testing.assert_array_equal(answers(model, named), expected)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(named[["c", "b", "a"]])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(Q)
    with pytest.raises(ValueError, match="3 features"):
        estimator(2).fit(X, y).predict(Q[:, :2])


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes", "perhaps"]),
        np.array(["no", "yes", "perhaps"], dtype=object),
        np.array([-3, 100, 7]),
        np.array([0.5, 1.5, 3.0]).astype(str),
    ],
    ids=["str", "object", "int", "numbers as str"],
)
def test_labels_of_any_kind(labels):
    X, codes, Q = draw_table()
    model = classical_knn(4).fit(X, labels[codes])
    assert model.classes_.tolist() == sorted(labels.tolist())
    plain = classical_knn(4).fit(X, codes)
    order = np.argsort(labels)
    np.testing.assert_allclose(
        model.predict_proba(Q), plain.predict_proba(Q)[:, order], rtol=1e-14
    )
    assert set(model.explain(Q).targets.ravel()) <= set(labels.tolist())
    assert model.score(X, labels[codes]) == 1.0


def test_continuous_targets_are_not_classes():
    X, _, _ = draw_table()
    with pytest.raises(ValueError, match="Unknown label type"):
        classical_knn(3).fit(X, np.linspace(0, 1, len(X)) + 0.1)
    with pytest.raises(ValueError, match=r"(?i)y"):
        classical_knn(3).fit(X, np.zeros((len(X), 2, 2)))
    with pytest.raises(ValueError, match="requires y"):
        classical_knn(3).fit(X, None)
    with pytest.raises(ValueError, match="requires y"):
        classical_knn_regressor(3).fit(X, None)
    with pytest.raises(ValueError, match=r"dim"):
        classical_knn_regressor(3).fit(X, np.zeros((len(X), 2, 2)))


@pytest.mark.parametrize("shape", [(60,), (60, 1), (60, 3)])
def test_predictions_have_the_shape_of_the_targets(shape):
    X, _, Q = draw_table()
    y = np.random.default_rng(0).normal(size=shape)
    for k in (3, None, "loo"):
        assert classical_knn_regressor(k).fit(X, y).predict(Q).shape == (25, *shape[1:])


@both
@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 0},
        {"n_neighbors": -2.5},
        {"n_neighbors": "all"},
        {"power": -1},
        {"power": np.nan},
        {"power": np.inf},
        {"power": "big"},
        {"weights": "distance"},
        {"metric": "haversine"},
        {"metric_params": {"p": 3}},
        {"metric": "minkowski", "metric_params": {"p": 0.5}},
        {"metric": "minkowski", "metric_params": {"p": "3"}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0]}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0, -1.0, 1.0]}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0, np.nan, 1.0]}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0, np.inf, 1.0]}},
        {"metric": "mahalanobis", "metric_params": {"V": np.eye(2)}},
        {"metric": "mahalanobis", "metric_params": {"V": -np.eye(3)}},
        {"metric": "mahalanobis", "metric_params": {"VI": np.full((3, 3), np.nan)}},
        {"metric": "mahalanobis", "metric_params": {"V": np.eye(3), "VI": np.eye(3)}},
        {"feature_weights": [1.0, 2.0]},
        {"feature_weights": [1.0, -2.0, 1.0]},
        {"feature_weights": [0.0, 0.0, 0.0]},
        {"feature_weights": [np.nan, 1.0, 1.0]},
        {"feature_weights": "all"},
        {"algorithm": "ball_tree"},
        {"algorithm": object()},
        {"loo_max_samples": 0},
        {"loo_scoring": "auc"},
    ],
    ids=lambda params: (
        "-".join(f"{k}={v}" for k, v in params.items())
        .replace("\n", "")
        .split("<")[0][:60]
    ),
)
def test_wrong_parameters_are_named(estimator, params):
    X, y, _ = draw_table()
    name = list(params)[-1]
    with pytest.raises(ValueError, match=name):
        estimator(**{"n_neighbors": 3, **params}).fit(X, y)


@pytest.mark.parametrize(
    "class_weight",
    [{9: 1.0}, {0: -1.0}, {0: 0.0}, {0: np.inf}, {0: np.nan}, {0: "x"}, "skewed"],
    ids=str,
)
def test_wrong_class_weights(class_weight):
    X, y, _ = draw_table()
    with pytest.raises(ValueError, match="class_weight"):
        classical_knn(3, class_weight=class_weight).fit(X, y)
