"""scikit-learn's tests of naive Bayes, run on MEstimateNB and TextNB."""

import re
from contextlib import contextmanager

import numpy as np

from sklearn_bayeslazy import MEstimateNB, TextNB
from tests.helpers.scikit_learn_tests import adapted_tests

# Our messages, and what scikit-learn's tests look for.
MESSAGES = {
    "y holds labels that are not in the classes": "The target label {y} in y do not "
    "exist in the initial classes",
    "class_prior must be ≥ 0 and sum to 1": "Priors must be non-negative. The sum of "
    "the priors should be 1",
    "class_prior has shape": "Number of priors must match number of classes",
    "classes=.* are not those of the first call": "classes is not the same as on last "
    "call to partial_fit",
    "Negative values in data passed to TextNB": "Negative values in data passed to "
    "ComplementNB (input X)",
}


@contextmanager
def translated_messages():
    """Raise our errors with scikit-learn's messages."""
    try:
        yield
    except ValueError as error:
        for pattern, message in MESSAGES.items():
            if re.match(pattern, str(error)):
                raise ValueError(message) from error
        raise


class TranslatedMessages:
    """Naive Bayes with scikit-learn's messages."""

    def fit(self, *args, **params):
        """Fit as the next class does."""
        with translated_messages():
            return super().fit(*args, **params)

    def partial_fit(self, *args, **params):
        """Fit as the next class does."""
        with translated_messages():
            return super().partial_fit(*args, **params)


class GaussianNB(TranslatedMessages, MEstimateNB):
    """MEstimateNB with the names of scikit-learn's GaussianNB."""

    def __init__(self, *, priors=None, var_smoothing=1e-9):
        super().__init__(
            m=0,
            distribution="gaussian",
            feature_weights=None,
            class_prior=priors,
            var_smoothing=var_smoothing,
        )
        self.priors = priors

    @property
    def class_prior_(self):
        """Return P(c)."""
        return np.exp(self.class_log_prior_)


class CategoricalNB(TranslatedMessages, MEstimateNB):
    """MEstimateNB with the names of scikit-learn's CategoricalNB, for alpha = 1."""

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None):
        super().__init__(
            m="laplace" if alpha else 0,
            distribution="categorical",
            feature_weights=None,
            fit_prior=fit_prior,
            class_prior=class_prior,
        )
        self.alpha = alpha


class BernoulliNB(TranslatedMessages, TextNB):
    """TextNB with the names of scikit-learn's BernoulliNB."""

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None):
        super().__init__(
            m=2 * alpha,
            event_model="bernoulli",
            temperature=1,
            fit_prior=fit_prior,
            class_prior=class_prior,
        )
        self.alpha = alpha


class _WordsNB(TranslatedMessages, TextNB):
    """TextNB with alpha virtual words for each word of the vocabulary."""

    def __init__(self, alpha, fit_prior, class_prior, complement, norm):
        super().__init__(
            temperature=1,
            fit_prior=fit_prior,
            class_prior=class_prior,
            complement=complement,
            norm=norm,
        )
        self.alpha = alpha

    def _learn(self, X, *args, **params):
        self.m = self.alpha * np.shape(X)[1]
        return super()._learn(X, *args, **params)


class MultinomialNB(_WordsNB):
    """TextNB with the names of scikit-learn's MultinomialNB."""

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None):
        super().__init__(alpha, fit_prior, class_prior, False, False)


class ComplementNB(_WordsNB):
    """TextNB with the names of scikit-learn's ComplementNB."""

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None, norm=False):
        super().__init__(alpha, fit_prior, class_prior, True, norm)

    @property
    def feature_all_(self):
        """Return the weight of each word in all classes."""
        return self.feature_count_.sum(axis=0)


STAND_INS = (GaussianNB, CategoricalNB, BernoulliNB, MultinomialNB, ComplementNB)
globals().update(
    adapted_tests(
        "sklearn.tests.test_naive_bayes",
        {"sklearn.naive_bayes": {one.__name__: one for one in STAND_INS}},
    )
)

_MIN = "categories are the values seen or given by `categories`, not 0 … maximum"
_ALPHA = "m = 0 is used as given, without a smallest alpha and its warning"
DEVIATIONS = {
    "test_gnb_priors": "variances are divided by n - 1",
    "test_gnb_check_update_with_no_data": "a private method of GaussianNB",
    "test_gnb_array_api_compliance": "input is converted to NumPy",
    "test_discretenb_provide_prior": "classes=[0, 1, 1] are the classes 0 and 1",
    "test_categoricalnb": _MIN,
    "test_categoricalnb_with_min_categories": _MIN,
    "test_categoricalnb_min_categories_errors": _MIN,
    "test_alpha": _ALPHA,
    "test_alpha_vector": f"{_ALPHA}; a number for each word is an array as prior",
    "test_check_alpha": f"a private method; {_ALPHA}",
}
