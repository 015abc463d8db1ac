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
from ..._parallel import map_chunks, map_tasks
from ._priors import m_candidates, n_virtual_examples
from ._temperature import best_temperature, document_lengths, length_factor, temper

# The most bytes that the scores of the candidates of m take that are held together.
_MAX_SCORE_BYTES = 2**26
# Documents that are scored together, whose denominators are held for each m.
_ROWS_PER_BLOCK = 512
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
    temperature = np.empty((len(ms), len(exponents)))
    losses = np.empty((2, len(ms), len(exponents), len(chosen)))
    for some in left_out.slices_of_candidates(len(ms)):
        joint = left_out.joint(ms[some])
        before = temperature[some.start - 1] if some.start else None
        temperature[some] = left_out.temperatures(joint, exponents, before)
        left_out.write_losses(joint, exponents, temperature[some], losses[:, some])
    temperature = temperature.ravel()
    losses = losses.reshape(2, len(candidates), -1)
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

    def slices_of_candidates(self, n):
        """Cut n candidates of m into slices whose scores are held together."""
        n_rows = self.model.rows_held_to_leave_out(len(self.chosen))
        size = max(_MAX_SCORE_BYTES // (8 * n_rows * self.log_prior.shape[1]), 1)
        return [slice(i, min(i + size, n)) for i in range(0, n, size)]

    def joint(self, ms):
        """Return the joint log likelihoods, of shape (len(ms), n, n_classes)."""
        scorer = self.model.leave_one_out(ms, self.true_class, self.removed)
        n = len(self.chosen)
        joint = np.empty((len(ms), *self.log_prior.shape))
        blocks = [slice(i, i + _ROWS_PER_BLOCK) for i in range(0, n, _ROWS_PER_BLOCK)]

        def score(block):
            scores = np.repeat(self.log_prior[None, block], len(ms), axis=0)
            scorer.add_to(block, self.rows.cells_of(self.chosen[block]), scores)
            joint[:, block] = scores

        map_tasks(score, blocks, n_jobs=self.estimator.n_jobs)
        return joint

    def temperatures(self, joint, exponents, before):
        """Return the best temperatures by (m, exponent), or the one that is given.

        The search of each m starts from the temperature of the m before; `before` are
        those of the exponents before the first m, or None.
        """
        shape = len(joint), len(exponents)
        if not _is_tuned(self.estimator, "temperature"):
            return np.full(shape, self.estimator.temperature)
        factors = [length_factor(self.lengths, exponent) for exponent in exponents]
        found = np.empty(shape)

        def search(i, k, guess):
            rows = joint[i], self.true_class, self.weight, factors[k]
            found[i, k] = best_temperature(*rows, guess)
            return found[i, k]

        first = 0
        if before is None:  # the other exponents start from that of the first
            first, before = 1, np.full(len(exponents), search(0, 0, 1.0))

        def search_all_m(k):
            guess = before[k]
            for i in range(first if k == 0 else 0, len(joint)):
                guess = search(i, k, guess)

        map_tasks(search_all_m, range(len(exponents)), n_jobs=self.estimator.n_jobs)
        return found

    def write_losses(self, joint, exponents, temperature, losses):
        """Write log losses and correctness, of shape (2, n_ms, n_exponents, n)."""
        factors = [length_factor(self.lengths, exponent) for exponent in exponents]

        def fill(part):
            truth = self.true_class[part], self.log_prior[part]
            for i, scores in enumerate(joint[:, part]):
                # Rounding by the temperature must not decide what is correct.
                losses[1, i, :, part] = classification_losses(scores.copy(), *truth)[1]
                for k, factor in enumerate(factors):
                    tempered = temper(scores.copy(), factor[part] / temperature[i, k])
                    losses[0, i, k, part] = classification_losses(tempered, *truth)[0]

        self._in_chunks(fill)

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
