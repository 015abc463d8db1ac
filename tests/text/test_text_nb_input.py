"""The input that TextNB accepts, in every form, and the errors for all other.

Code under test: `text/_words/_rows.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy.testing import assert_on_simplex

VARIANTS = [
    {},
    {"m": "loo", "prior": "background"},
    {"complement": True, "m": "loo"},
    {"event_model": "bernoulli", "m": "loo"},
    {"event_model": "poisson", "prior": "background"},
]
every_variant = pytest.mark.parametrize("params", VARIANTS, ids=str)
EXTREMES = [
    *({"m": m} for m in (0, 1.0, "loo")),
    *({"m": m, "complement": True} for m in (0, 1.0, "loo")),
    *({"m": m, "event_model": "bernoulli"} for m in (0, 1.0, "loo")),
    *({"m": m, "event_model": "poisson"} for m in (0, 1.0, "loo")),
    *({"m": m, "prior": "background"} for m in (0, 1.0, "loo")),
]
every_extreme = pytest.mark.parametrize("params", EXTREMES, ids=str)


@pytest.fixture(scope="module")
def collection():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.poisson(0.2 + (np.arange(11) % 3 == y[:, None]), size=(90, 11))
    X[4] = 0
    return X, y


def answers(X, y, params):
    model = TextNB(**params).fit(X, y)
    losses = getattr(model, "loo_results_", {}).get("mean_log_loss", 0)
    return losses, model.predict_joint_log_proba(X)


def with_explicit_zeros(X):
    rows = sparse.csr_array(np.where(X == 0, -1, X))
    rows.data[rows.data == -1] = 0
    return rows


def unsorted(X):
    rows = sparse.csr_array(X)
    for start, stop in zip(rows.indptr[:-1], rows.indptr[1:]):
        rows.indices[start:stop] = rows.indices[start:stop][::-1]
        rows.data[start:stop] = rows.data[start:stop][::-1]
    rows.has_sorted_indices = False
    assert not rows.has_canonical_format
    return rows


def with_duplicates(X):
    """Return each count as two cells: 1 and the rest, which may be 0."""
    row, column = np.nonzero(X)
    data = np.concatenate([np.ones(len(row), X.dtype), X[row, column] - 1])
    row, column = np.tile(row, 2), np.tile(column, 2)
    order = np.lexsort((column, row))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(X)))])
    return sparse.csr_array((data[order], column[order], indptr), shape=X.shape)


def with_wide_indices(X):
    rows = sparse.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(int), rows.indptr.astype(int)
    return rows


FORMS = {
    "dense": np.asarray,
    "Fortran": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "float64": lambda X: X.astype(float),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "uint8": lambda X: X.astype(np.uint8),
    "uint64": lambda X: X.astype(np.uint64),
    "object": lambda X: X.astype(object),
    "CSR": sparse.csr_array,
    "CSR matrix": sparse.csr_matrix,
    "CSR float32": lambda X: sparse.csr_array(X, dtype=np.float32),
    "CSR int8": lambda X: sparse.csr_array(X, dtype=np.int8),
    "CSR, 64-bit indices": with_wide_indices,
    "CSC": sparse.csc_array,
    "COO": sparse.coo_array,
    "LIL": sparse.lil_array,
    "explicit zeros": with_explicit_zeros,
    "unsorted": unsorted,
    "duplicates": with_duplicates,
}


@every_variant
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_matrix_is_the_same_matrix(collection, params, form):
    X, y = collection
    losses, joint = answers(sparse.csr_array(X, dtype=float), y, params)
    given = FORMS[form](X)
    same_losses, same = answers(given, y, params)
    np.testing.assert_allclose(same_losses, losses, rtol=1e-12)
    np.testing.assert_allclose(same, joint, rtol=1e-12)
    if sparse.issparse(given) and form in ("unsorted", "duplicates"):
        again = FORMS[form](X)  # the input is not changed
        np.testing.assert_array_equal(given.indices, again.indices)
        np.testing.assert_array_equal(given.data, again.data)


@every_variant
def test_dense_and_sparse_rows_agree_to_the_last_bit(collection, params):
    X, y = collection
    weights = X * np.random.default_rng(1).uniform(0.1, 1, X.shape)
    losses, joint = answers(weights, y, params)
    same_losses, same = answers(sparse.csr_array(weights), y, params)
    np.testing.assert_array_equal(same_losses, losses)
    np.testing.assert_array_equal(same, joint)


def test_booleans_count_as_zero_and_one(collection):
    X, y = collection
    for params in VARIANTS:
        losses, joint = answers(X > 0, y, params)
        same_losses, same = answers((X > 0).astype(int), y, params)
        np.testing.assert_array_equal(same_losses, losses)
        np.testing.assert_array_equal(joint, same)


@every_variant
def test_read_only_and_memory_mapped_matrices(collection, params, tmp_path):
    X, y = collection
    losses, joint = answers(X, y, params)
    rows = sparse.csr_array(X)
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(rows, name))
        mapped = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
        setattr(rows, name, mapped)
    np.save(tmp_path / "X.npy", X)
    for given in (rows, np.load(tmp_path / "X.npy", mmap_mode="r")):
        same_losses, same = answers(given, y, params)
        np.testing.assert_array_equal(same_losses, losses)
        np.testing.assert_array_equal(same, joint)


def test_frames_bring_the_names_of_the_words(collection):
    pd = pytest.importorskip("pandas")
    X, y = collection
    frame = pd.DataFrame(X, columns=[f"w{j}" for j in range(11)])
    model = TextNB().fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    sparse_frame = frame.astype(pd.SparseDtype(float, 0.0))
    np.testing.assert_array_equal(
        model.predict(sparse_frame), TextNB().fit(X, y).predict(X)
    )
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("cell", "match"),
    [
        (-1.0, r"Negative values in data passed to TextNB \(input X\)"),
        (np.nan, "contains NaN"),
        (np.inf, "contains infinity"),
        (1e301, "counts above 1e.300"),
    ],
)
def test_cells_that_cannot_be_counts_are_refused(collection, make, cell, match):
    X, y = collection
    invalid = X.astype(float)
    invalid[7, 3] = cell
    for params in VARIANTS:
        with pytest.raises(ValueError, match=match):
            TextNB(**params).fit(make(invalid), y)
        model = TextNB(**params).fit(X, y)
        with pytest.raises(ValueError, match=match):
            model.predict(make(invalid))


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"m": -1}, "'m' parameter"),
        ({"m": "some"}, "'m' parameter"),
        ({"m": [1.0]}, "'m' parameter"),
        ({"m": np.inf}, "'m' parameter"),
        ({"m": 1e200}, "number of virtual examples must lie"),
        ({"event_model": "gaussian"}, "'event_model' parameter"),
        (
            {"event_model": "poisson", "complement": True},
            "complement=True .* event_model='poisson'",
        ),
        (
            {"event_model": "bernoulli", "complement": True},
            "complement=True .* event_model='bernoulli'",
        ),
        ({"prior": "marginal"}, "'prior' parameter"),
        ({"prior": [1.0] * 10}, r"prior has shape \(10,\); it needs \(11,\)"),
        ({"prior": np.ones((2, 11))}, r"prior has shape \(2, 11\).* \(3, 11\)"),
        ({"prior": 2.0}, "'prior' parameter"),
        ({"prior": ["a"] * 11}, "prior must be 'uniform', 'background' or an array"),
        ({"prior": [-1.0] + [1.0] * 10}, "prior .* must be finite and ≥ 0"),
        ({"prior": [np.nan] + [1.0] * 10}, "prior .* must be finite and ≥ 0"),
        ({"prior": [0.0] * 11}, "at least one number above 0"),
        ({"prior": [2.0] * 11, "event_model": "bernoulli"}, "probabilities, from 0"),
        ({"prior": [1e149] * 11, "m": 1e150, "event_model": "poisson"}, None),
        ({"class_prior": [0.5, 0.5]}, "class_prior has shape"),
        ({"class_prior": [0.5, 0.5, 0.5]}, "sum to 1"),
        ({"m": "loo", "loo_candidates": {"m": []}}, "is empty"),
        ({"m": "loo", "loo_candidates": {"m": "laplace"}}, "must be a list"),
        (
            {"m": "loo", "loo_candidates": {"m": [1, "foo"]}},
            "m must be a number ≥ 0, 'laplace' or 'loo'",
        ),
        ({"m": "loo", "loo_candidates": {"m": [1, -2]}}, "m=-2: the number of virtual"),
        ({"m": "loo", "loo_candidates": {"alpha": [1]}}, "names 'alpha'"),
        ({"loo_max_samples": 0}, "'loo_max_samples' parameter"),
    ],
)
def test_invalid_parameters_are_named(collection, params, match):
    X, y = collection
    if match is None:  # large, but not too large
        assert_on_simplex(TextNB(**params).fit(X, y).predict_proba(X))
        return
    with pytest.raises(ValueError, match=match):
        TextNB(**params).fit(X, y)


def test_products_that_overflow_are_refused():
    X = np.array([[1e300, 0.0], [0.0, 1e300]])
    with pytest.raises(ValueError, match="times the prior overflows"):
        TextNB(m=1e150, event_model="poisson").fit(X, [0, 1])
    candidates = {"m": [1.0, 1e150]}
    with pytest.raises(ValueError, match="times the prior overflows"):
        TextNB("loo", event_model="poisson", loo_candidates=candidates).fit(X, [0, 1])
    with pytest.raises(ValueError, match="add up to more than float64 holds"):
        TextNB(1.0).fit(X, [0, 1], sample_weight=[1e10, 1e10])


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        (np.empty((3, 0)), [0, 1, 1], "0 feature"),
        (np.empty((0, 3)), [], "0 sample"),
        (sparse.csr_array((3, 0)), [0, 1, 1], "0 feature"),
        ([[1, 2], [3, 4]], None, "requires y to be passed"),
        ([[1, 2], [3, 4]], [1], "inconsistent numbers of samples"),
        ([[1, 2], [3, 4]], [0.5, 1.5], "Unknown label type"),
        ([[1, 2], [3, 4]], [None, "a"], "NaN or None"),
        (["a text", "another"], [0, 1], "could not convert|dtype|2D array"),
    ],
)
def test_invalid_data_are_refused(X, y, match):
    with pytest.raises(ValueError, match=match):
        TextNB().fit(X, y)


@every_extreme
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((6, 4)),
        np.eye(6),
        np.full((6, 1), 3),
        np.vstack([np.zeros((3, 4)), np.ones((3, 4))]),
        np.array([[1e300, 0], [1, 1e-300], [0, 5e-324]] * 2),
        np.array([[1e300, 1e300], [0, 1e300], [1e300, 0]] * 2),
    ],
    ids=[
        "no words",
        "distinct words",
        "one word",
        "class without words",
        "scales",
        "huge",
    ],
)
def test_extreme_counts_have_valid_probabilities(params, X):
    y = np.array([0, 0, 0, 1, 1, 1])
    for labels in (y, np.zeros(6), np.arange(6), y[::-1]):
        model = TextNB(**params).fit(X, labels)
        new = np.vstack([X, np.zeros_like(X[:1]), np.ones_like(X[:1])])
        proba = model.predict_proba(new)
        assert_on_simplex(proba)
        best = np.take_along_axis(
            proba, np.searchsorted(model.classes_, model.predict(new))[:, None], axis=1
        )
        np.testing.assert_allclose(best[:, 0], proba.max(axis=1))


@every_extreme
@pytest.mark.parametrize("weight", [1e-320, 1e-100, 1e100, 1e300])
def test_weights_of_any_size(collection, params, weight):
    X, y = collection
    model = TextNB(**params).fit(X, y, np.full(90, weight))
    assert_on_simplex(model.predict_proba(X))
    with pytest.raises(ValueError, match="sum of sample_weight overflows"):
        model.fit(X, y, np.full(90, 1e308))


def test_one_document_or_one_class_leaves_nothing_to_choose():
    for params in VARIANTS:
        for X in ([[1, 0, 2]], [[1, 0, 2], [0, 3, 1]]):
            model = TextNB(**{**params, "m": "loo"}).fit(X, ["only"] * len(X))
            assert model.predict([[0, 1, 0]]) == "only"
            classical = TextNB(**{**params, "m": "laplace"}).fit(X, ["only"] * len(X))
            assert model.m_ == classical.m_
            assert (model.temperature_, model.length_exponent_) == (1, 0)
            assert not hasattr(model, "loo_results_")


def test_documents_pass_through_pipelines_and_searches():
    texts = ["good great film", "great acting", "bad film", "awful bad plot"] * 5
    y = ["pos", "pos", "neg", "neg"] * 5
    for steps in (
        [CountVectorizer()],
        [CountVectorizer(dtype=np.float32)],
        [CountVectorizer(binary=True)],
        [CountVectorizer(), TfidfTransformer()],
    ):
        pipeline = make_pipeline(*steps, TextNB(m="loo"))
        pipeline.fit(texts, y)
        new = ["great acting unseen", "awful bad", "words unseen"]
        assert pipeline.predict(new[:2]).tolist() == ["pos", "neg"]
        np.testing.assert_allclose(pipeline.predict_proba(new[2:]), [[0.5, 0.5]])
        names = steps[0].get_feature_names_out()
        top = pipeline[-1].top_features(1, feature_names=names)
        assert top == {"neg": ["bad"], "pos": ["great"]}
    search = GridSearchCV(
        make_pipeline(CountVectorizer(), TextNB()),
        {
            "textnb__m": [0.0, 1.0, "laplace", "loo"],
            "textnb__event_model": ["multinomial", "bernoulli", "poisson"],
        },
        error_score="raise",
        cv=2,
    )
    assert search.fit(texts, y).best_score_ == 1


@pytest.mark.parametrize("texts", [["a b", "c"], [b"a b", b"c"]])
@pytest.mark.parametrize("container", [list, tuple, np.array])
def test_texts_instead_of_counts_are_refused(container, texts):
    texts = container(texts)
    with pytest.raises(ValueError, match="put a CountVectorizer before it"):
        TextNB().fit(texts, [0, 1])
    model = TextNB().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="X holds texts"):
        model.predict(texts)


@pytest.mark.parametrize("n", [-1, 2.5, "all"])
def test_the_number_of_top_features_is_checked(n):
    model = TextNB().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="n must be an integer"):
        model.top_features(n)


def test_a_word_that_is_stored_twice_is_explained_once(collection):
    X, y = collection
    model = TextNB().fit(X, y)
    once, twice = (model.explain(given) for given in (X, with_duplicates(X)))
    assert len(twice.frame(1)) == len(once.frame(1))
    np.testing.assert_array_equal(twice.frame(1).to_numpy(), once.frame(1).to_numpy())
