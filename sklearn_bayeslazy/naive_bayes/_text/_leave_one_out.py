"""The choices of TextNB by exact leave-one-out, without refitting.

Leaving a document out changes three things: the word counts of its class, the document
count of its class, and the collection from which the "background" prior is estimated.
Only the words of the document itself need new estimates.

The candidates are the pairs of m and of the exponent of a document's length. Each gets
its best temperature. Exponent and temperature do not change the predicted class.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from ..._arrays import as_float_array
from ..._labelled_rows import log_prior_without
from ..._leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_lists,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ..._parallel import map_chunks
from ._priors import m_candidates, n_virtual_examples
from ._temperature import best_temperature, document_lengths, length_factor, temper

# No correction for the length, its square root, and the mean evidence of a word.
LENGTH_EXPONENTS = (0.0, 0.5, 1.0)


class TextChoices(NamedTuple):
    """What leave-one-out chooses, or what was given."""

    m: object
    temperature: float
    length_exponent: float


def choose(estimator, model, rows, classes, weight):
    """Return the best :class:`TextChoices` and the ``loo_results_`` of all.

    Documents of one class have the same loss under all candidates. Then the choices are
    the candidates nearest to the classical model, and there are no results.

    Parameters
    ----------
    estimator : TextNB
        For its parameters.
    model : MultinomialModel or BernoulliModel
        With the statistics of all rows.
    rows : TextRows
        No word is stored twice in a row.
    classes : int array of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
    """
    n_words = rows.shape[1]
    lists = _candidates(estimator, n_words)
    ms = [n_virtual_examples(m, estimator.event_model, n_words) for m in lists["m"]]
    exponents = lists["length_exponent"]
    order = _nearest_first(list(product(ms, exponents)), estimator, n_words)
    candidates = list(product(lists["m"], exponents))
    if np.all(classes == classes[0]):
        m, exponent = candidates[order[0]]
        given = 1.0 if _is_tuned(estimator, "temperature") else estimator.temperature
        return TextChoices(m, float(given), float(exponent)), {}
    chosen = rows_to_leave_out(
        len(classes), estimator.loo_max_samples, estimator.random_state
    )
    left_out = _LeftOutDocuments(
        estimator, model, rows, chosen, classes[chosen], weight[chosen]
    )
    temperature = np.ones(len(candidates))
    losses = np.empty((2, len(candidates), len(chosen)))
    for i, m in enumerate(ms):
        joint = left_out.joint(m)
        correct = left_out.losses(joint)[1]
        for k, exponent in enumerate(exponents, start=i * len(exponents)):
            guess = temperature[max(k - len(exponents), 0)]
            temperature[k] = left_out.temperature(joint, exponent, guess)
            factor = left_out.length_factor(exponent) / temperature[k]
            # Rounding by the temperature must not decide what is correct.
            losses[:, k] = left_out.losses(joint, factor)[0], correct
    is_tuned = {
        "m": _is_tuned(estimator, "m"),
        "length_exponent": _tunes_exponent(estimator),
    }
    params = [
        {name: value for name, value in zip(lists, values) if is_tuned[name]}
        for values in candidates
    ]
    best, results = _rank(
        params,
        {"log_loss": losses[0], "accuracy": losses[1]},
        weight[chosen],
        CLASSIFICATION_SCORING[estimator.loo_scoring],
        order,
    )
    results["temperature"] = temperature
    m, exponent = candidates[best]
    if not any(is_tuned.values()):
        results = {}  # nothing but the temperature was chosen
    return TextChoices(m, float(temperature[best]), float(exponent)), results


def tunes_anything(estimator):
    """Return whether leave-one-out has something to choose."""
    return _is_tuned(estimator, "m") or _is_tuned(estimator, "temperature")


def settled_choices(estimator):
    """Return the :class:`TextChoices` that are given or that a former fit made."""
    m = estimator.m_ if _is_tuned(estimator, "m") else estimator.m
    temperature, exponent = estimator.temperature, _given_exponent(estimator)
    if _is_tuned(estimator, "temperature"):
        temperature = estimator.temperature_
    if _tunes_exponent(estimator):
        exponent = estimator.length_exponent_
    return TextChoices(m, float(temperature), exponent)


def check_same_choice_of_m(model, other):
    """Raise an error unless two models have the same m, where "loo" chose one."""
    tuned = [_is_tuned(each, "m") for each in (model, other)]
    if any(tuned) and model.m_ != other.m_:
        said = [
            f"{'chose' if is_tuned else 'was given'} m={each.m_:g}"
            for each, is_tuned in zip((model, other), tuned)
        ]
        raise ValueError(
            f"The models differ in m: this one {said[0]}, the other {said[1]}. Fit "
            "both with one number, such as the m_ of a model that was fitted to a "
            "sample of all documents."
        )


class _LeftOutDocuments:
    """Documents, each scored by the model without it."""

    def __init__(self, estimator, model, rows, chosen, true_class, weight):
        self.estimator, self.model, self.rows = estimator, model, rows
        self.chosen, self.true_class, self.weight = chosen, true_class, weight
        self.removed = np.minimum(1.0, weight)
        self.log_prior = log_prior_without(
            model.class_count,
            true_class,
            self.removed,
            estimator.fit_prior,
            estimator.class_prior,
        )
        binary = estimator.event_model == "bernoulli"
        self.lengths = np.concatenate(
            self._in_chunks(
                lambda part: document_lengths(rows.cells_of(chosen[part]), binary)
            )
        )

    def joint(self, m):
        """Return the joint log likelihoods (n, n_classes)."""
        scorer = self.model.leave_one_out(m, self.true_class, self.removed)
        joint = self.log_prior.copy()
        self._in_chunks(
            lambda part: scorer.add_to(
                part, self.rows.cells_of(self.chosen[part]), joint[part]
            )
        )
        return joint

    def temperature(self, joint, exponent, guess):
        """Return the best temperature, or the one that is given."""
        if not _is_tuned(self.estimator, "temperature"):
            return self.estimator.temperature
        factor = self.length_factor(exponent)
        return best_temperature(joint, self.true_class, self.weight, factor, guess)

    def length_factor(self, exponent):
        """Return the factor of each document's log likelihoods."""
        return length_factor(self.lengths, exponent)

    def losses(self, joint, factor=None):
        """Return log losses and correctness, of shape (2, n)."""
        losses = np.empty((2, len(joint)))

        def fill(part):
            scores = joint[part].copy()
            if factor is not None:
                temper(scores, factor[part])
            losses[:, part] = classification_losses(
                scores, self.true_class[part], self.log_prior[part]
            )

        self._in_chunks(fill)
        return losses

    def _in_chunks(self, function):
        bytes_per_row = self.rows.bytes_per_row() + 128 * self.log_prior.shape[1]
        return map_chunks(
            function, len(self.chosen), bytes_per_row, n_jobs=self.estimator.n_jobs
        )


def _candidates(estimator, n_words):
    """Return the candidates of m and of the exponent of the length."""
    defaults = {
        "m": m_candidates(estimator.event_model, n_words),
        "length_exponent": list(LENGTH_EXPONENTS),
    }
    lists = candidate_lists(defaults, estimator.loo_candidates)
    for value in lists["length_exponent"]:
        meaning = "numbers from 0 to 1"
        exponent = as_float_array(value, "loo_candidates['length_exponent']", meaning)
        if exponent.ndim or not 0 <= exponent <= 1:  # nor NaN
            raise ValueError(
                f"loo_candidates['length_exponent'] holds {value!r}: give {meaning}."
            )
    if not _is_tuned(estimator, "m"):
        lists["m"] = [estimator.m]
    if not _tunes_exponent(estimator):
        lists["length_exponent"] = [_given_exponent(estimator)]
    return lists


def _tunes_exponent(estimator):
    # A temperature that is given holds for documents of any length.
    return _is_tuned(estimator, "temperature") and _is_tuned(
        estimator, "length_exponent"
    )


def _given_exponent(estimator):
    tuned = _is_tuned(estimator, "length_exponent")
    return 0.0 if tuned else float(estimator.length_exponent)


def _is_tuned(estimator, name):
    value = getattr(estimator, name)
    return isinstance(value, str) and value == "loo"


def _rank(params, scores, weight, scoring, order):
    """As :func:`rank_candidates`; ties go to the first candidate in `order`."""
    best, results = rank_candidates(
        [params[i] for i in order],
        {name: values[order] for name, values in scores.items()},
        weight,
        scoring,
    )
    back = np.argsort(order)
    results = {
        name: params if name == "params" else values[back]
        for name, values in results.items()
    }
    return order[best], results


def _nearest_first(candidates, estimator, n_words):
    """Order (m, exponent) by the distance of m from "laplace", then by the exponent.

    Of candidates that tie, as with one document, the first in this order is chosen.
    """
    classical = n_virtual_examples("laplace", estimator.event_model, n_words)

    def distance(i):
        m, exponent = candidates[i]
        return abs(np.log(m / classical)) if m > 0 else np.inf, exponent

    return sorted(range(len(candidates)), key=distance)
