"""scikit-learn's common checks, by hand: the generator skips estimators of raw text.

Code under test: `text/_n_grams/_estimator.py`.
"""

import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr, get_tags

from sklearn_bayeslazy import LanguageModelNB
from sklearn_bayeslazy.testing import assert_same_predictions

rng = np.random.default_rng(0)
Y = np.array(["ham", "spam", "eggs"])[np.arange(36) % 3]
STEMS = {"ham": ["ham", "pig"], "spam": ["spam", "buy"], "eggs": ["egg", "hen"]}
TEXTS = [
    " ".join(rng.choice([*STEMS[c], "the", "a"], size=n))
    for c, n in zip(Y, rng.integers(1, 8, size=36))
]
NEW = [*TEXTS[:9], "", "unseen words", "buy the hen"]
MODELS = [
    LanguageModelNB(),
    LanguageModelNB(smoothing="kneser_ney"),
    LanguageModelNB(order=1, smoothing="laplace", background=False, binary=False),
    LanguageModelNB(order=4, analyzer="char", length_normalization=5.0),
    LanguageModelNB(smoothing="dirichlet", smoothing_parameter="loo"),
    LanguageModelNB(
        smoothing="absolute_discount",
        length_normalization="loo",
        loo_scoring="log_loss",
        n_jobs=2,
    ),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)


def fitted(model=MODELS[0], **params):
    return clone(model).set_params(**params).fit(TEXTS, Y)


@every_model
def test_parameters_are_stored_untouched_and_cloned(model):
    signature = inspect.signature(LanguageModelNB.__init__).parameters
    assert set(model.get_params()) == signature.keys() - {"self"}
    odd = {name: object() for name in model.get_params()}
    assert all(vars(LanguageModelNB(**odd))[name] is odd[name] for name in odd)
    copy = clone(model)
    before = copy.get_params()
    assert copy.fit(TEXTS, Y) is copy
    assert all(copy.get_params()[name] is value for name, value in before.items())


@every_model
def test_fitting_again_replaces_the_former_fit(model):
    once = fitted(model)
    names = vars(once).keys()
    twice = clone(model).fit(["something else", "entirely", "x"], [0, 1, 1])
    assert_same_predictions(once, twice.fit(TEXTS, Y), NEW, tolerance=0)
    assert vars(twice).keys() == names


@every_model
def test_predicting_changes_nothing(model):
    model = fitted(model)
    before = vars(model).copy()
    frozen = pickle.dumps(model)
    for method in ("predict", "predict_proba", "predict_log_proba"):
        getattr(model, method)(NEW)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert pickle.dumps(model) == frozen
    assert model.predict([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 3)


@every_model
def test_pickles_memory_maps_and_threads_give_the_same_results(model, tmp_path):
    model = fitted(model)
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    for other in (pickle.loads(pickle.dumps(model)), mapped):
        assert_same_predictions(model, other, NEW, tolerance=0)
        assert other.class_model("ham").prob("ham") == model.class_model("ham").prob(
            "ham"
        )
    expected = model.predict_proba(NEW)
    with ThreadPoolExecutor(3) as pool:
        for answer in pool.map(lambda _: model.predict_proba(NEW), range(9)):
            np.testing.assert_array_equal(answer, expected)


@pytest.mark.parametrize(
    "labels",
    [
        Y,
        Y.tolist(),
        Y.astype(object),
        pd.Series(Y, index=np.arange(36)[::-1]),
        pl.Series(Y),
        pd.Series(Y, dtype="category"),
        np.arange(36) % 3,
        np.arange(36) % 2 == 0,
        (np.arange(36) % 3).astype(float),
        np.where(np.arange(36) % 2, -1, 1),
    ],
    ids=lambda labels: f"{type(labels).__name__} {getattr(labels, 'dtype', '')}",
)
def test_labels_of_any_kind(labels):
    """The predicted labels are those given in `fit`, in any container."""
    model = LanguageModelNB().fit(TEXTS, labels)
    assert model.classes_.tolist() == sorted(set(labels))
    assert set(model.predict(NEW).tolist()) <= set(labels)
    assert_same_predictions(model, LanguageModelNB().fit(TEXTS, list(labels)), NEW)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (Y[:-1], "inconsistent numbers of samples"),
        (np.linspace(0, 1, 36), "continuous"),
        (np.ones((36, 2)), "y should be a 1d array"),
        ([*Y[:-1], None], "NaN or None"),
        ([*np.ones(35), np.nan], "NaN"),
    ],
)
def test_invalid_labels_leave_the_former_model(y, message):
    model = fitted()
    before = vars(model).copy()
    with pytest.raises(ValueError, match=message):
        model.fit(TEXTS, y)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(TEXTS, y)
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, 2.0], r"sample_weight.shape == \(2,\)"),
        ([-1.0] * 36, "Negative values in data passed to `sample_weight`"),
        ([np.nan] * 36, "sample_weight contains NaN"),
        ([0.0] * 36, "zero"),
        ([1e308] * 36, "overflow"),
    ],
)
def test_invalid_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        LanguageModelNB().fit(TEXTS, Y, sample_weight=weight)


def test_one_class_and_one_document():
    model = LanguageModelNB().fit(TEXTS, ["only"] * 36)
    assert set(model.predict(NEW)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(NEW), np.ones((len(NEW), 1)))
    assert LanguageModelNB(5).fit(["word"], [3]).predict(["", "word"]).tolist() == [
        3,
        3,
    ]


def test_documents_without_words():
    with pytest.raises(
        ValueError, match="vocabulary is empty: no document holds a word"
    ):
        LanguageModelNB().fit(["", " ", "!"], [0, 1, 1])
    with pytest.raises(ValueError, match="got no documents"):
        LanguageModelNB().fit([], [])
    model = LanguageModelNB(boundaries=None).fit(["", "word"], [0, 1])
    np.testing.assert_allclose(model.predict_proba([""]), [[0.5, 0.5]])


def test_methods_require_a_fit():
    for method in ("predict", "predict_proba", "class_model"):
        with pytest.raises(NotFittedError):
            getattr(LanguageModelNB(), method)(["text"])
    with pytest.raises(NotFittedError):
        LanguageModelNB().merge(fitted())
    with pytest.raises(NotFittedError):
        fitted().merge(LanguageModelNB())


def test_the_first_batch_must_name_all_classes():
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        LanguageModelNB().partial_fit(TEXTS, Y)
    model = LanguageModelNB().partial_fit(TEXTS, Y, classes=np.unique(Y))
    with pytest.raises(ValueError, match="are not those of the first call"):
        model.partial_fit(TEXTS, Y, classes=["ham", "spam"])
    with pytest.raises(ValueError, match="bacon"):
        model.partial_fit(["text"], ["bacon"])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"binary": False}, "binary=True and binary=False"),
        ({"unknown": "ignore"}, "unknown='token' and unknown='ignore'"),
        ({"order": 3}, "order differs: n-grams up to 2 words .* up to 3 now"),
        ({"analyzer": "char"}, "analyzer='word' and 'char'"),
        ({"min_df": 2}, "other model cannot be merged: min_df=2"),
        ({"vocabulary": ["ham"]}, "vocabularies differ"),
    ],
)
def test_models_that_count_differently_are_not_merged(params, message):
    model = fitted(smoothing="kneser_ney")
    before = vars(model).copy()
    with pytest.raises(ValueError, match=message):
        model.merge(fitted(smoothing="kneser_ney", **params))
    with pytest.raises(TypeError, match="classes are of different kinds"):
        model.merge(LanguageModelNB().fit(TEXTS, np.arange(36)))
    assert all(vars(model)[name] is value for name, value in before.items())


def test_tags_and_html():
    model = LanguageModelNB()
    tags = get_tags(model)
    assert is_classifier(model)
    assert (tags.input_tags.two_d_array, tags.input_tags.string) == (False, True)
    assert not tags.input_tags.sparse
    assert "LanguageModelNB" in estimator_html_repr(model)
    assert not hasattr(fitted(), "n_features_in_")


def test_grid_search_and_cross_validation():
    """The order is chosen over two processes, the folds are of texts."""
    search = GridSearchCV(LanguageModelNB(), {"order": [1, 2]}, cv=3, n_jobs=2)
    search.fit(TEXTS, Y)
    assert search.best_score_ > 0.6  # three classes
    assert search.predict(["spam buy spam"]) == ["spam"]
    pipeline = make_pipeline(FunctionTransformer(list), LanguageModelNB())
    assert cross_val_score(pipeline, np.array(TEXTS), Y, cv=3).mean() > 0.6
    frame = pd.DataFrame({"text": TEXTS}, index=np.arange(36)[::-1])
    assert cross_val_predict(LanguageModelNB(), frame["text"], Y, cv=3).shape == (36,)


def test_calibration_and_votes():
    calibrated = CalibratedClassifierCV(LanguageModelNB(), cv=2).fit(TEXTS, Y)
    votes = VotingClassifier(
        [
            ("words", LanguageModelNB()),
            ("letters", LanguageModelNB(3, analyzer="char")),
        ],
        voting="soft",
    ).fit(TEXTS, Y)
    for model in (calibrated, votes):
        assert model.predict(["spam buy spam", "hen egg hen"]).tolist() == [
            "spam",
            "eggs",
        ]


def test_weights_are_routed():
    """The weights reach the model inside a pipeline and a search."""
    texts, y = [*TEXTS, "spam spam spam"], [*Y, "eggs"]
    weight = np.append(np.ones(36), 0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LanguageModelNB().set_fit_request(sample_weight=True)
        pipeline = Pipeline([("same", FunctionTransformer(list)), ("nb", inner)])
        pipeline.fit(texts, y, sample_weight=weight)
        assert_same_predictions(pipeline, fitted(), NEW, tolerance=0)
        inner.set_score_request(sample_weight=True)
        search = GridSearchCV(inner, {"order": [2]}, cv=3)
        search.fit(texts, y, sample_weight=weight)
        assert_same_predictions(search, fitted(), NEW, tolerance=0)
