"""Parts of all estimators: failed fits leave no trace, methods may be unavailable."""

import inspect

import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator

from sklearn_bayeslazy._core._estimator import (
    DocLinkMixin,
    all_or_nothing,
    unavailable_because,
)


def _no_batches(estimator):
    return "no batches: give m as a number" if estimator.m == "loo" else None


class Learner(DocLinkMixin, BaseEstimator):
    __module__ = "sklearn_bayeslazy.naive_bayes._learner"

    def __init__(self, m=1.0):
        self.m = m

    def fit(self, X, y):
        return self

    @unavailable_because(_no_batches)
    def partial_fit(self, X, y, sample_weight=None):
        """Learn a batch."""
        self.seen_ = len(X)
        return self


@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyboardInterrupt])
def test_a_failed_block_leaves_the_estimator_as_it_was(error):
    learner = Learner()
    learner.kept_, learner.replaced_, learner.deleted_ = (object() for _ in range(3))
    before = vars(learner).copy()

    def fail():
        learner.added_ = 1
        learner.replaced_ = 2
        del learner.deleted_
        raise error

    with pytest.raises(error), all_or_nothing(learner):
        fail()
    assert vars(learner) == before


def test_a_block_that_succeeds_keeps_its_changes():
    learner = Learner()
    learner.old_ = 1
    with all_or_nothing(learner):
        learner.new_ = 2
        del learner.old_
    assert vars(learner) == {"m": 1.0, "new_": 2}


def test_an_available_method_can_be_called():
    learner = Learner()
    assert learner.partial_fit([1, 2], None) is learner
    assert learner.seen_ == 2


def test_hasattr_is_false_for_an_unavailable_method():
    assert hasattr(Learner(), "partial_fit")
    assert not hasattr(Learner(m="loo"), "partial_fit")


@pytest.mark.parametrize("error", [AttributeError, ValueError])
def test_calling_an_unavailable_method_says_why(error):
    with pytest.raises(error, match="no batches: give m as a number"):
        Learner(m="loo").partial_fit([1], [0])


def test_availability_follows_the_parameters():
    learner = Learner(m="loo")
    assert hasattr(learner.set_params(m=2.0), "partial_fit")
    assert not hasattr(learner.set_params(m="loo"), "partial_fit")


def test_the_class_gives_the_plain_function():
    function = Learner.partial_fit
    assert list(inspect.signature(function).parameters) == [
        "self",
        "X",
        "y",
        "sample_weight",
    ]
    assert function.__doc__ == "Learn a batch."
    assert Learner().partial_fit.__name__ == "partial_fit"


@pytest.mark.parametrize("m", [1.0, "loo"])
def test_metadata_routing_sees_the_weights_of_a_decorated_method(m):
    with config_context(enable_metadata_routing=True):
        learner = Learner(m=m).set_partial_fit_request(sample_weight=True)
        requests = learner.get_metadata_routing().partial_fit.requests
    assert requests == {"sample_weight": True}


def test_the_html_view_links_to_the_packages_documentation():
    html = Learner()._repr_html_()
    link = DocLinkMixin._doc_link_template.format(estimator_name="Learner")
    assert link in html
