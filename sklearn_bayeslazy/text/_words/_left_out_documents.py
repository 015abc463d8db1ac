"""The choices of TextNB by exact leave-one-out, without refitting.

Leaving a document out changes three things: the word counts of its class, the document
count of its class, and the collection from which the "background" prior is estimated.
Only the words of the document itself need new estimates.

The candidates are the pairs of m and of the exponent of a document's length. Each gets
its best temperature. Exponent and temperature do not change the predicted class.
"""

from itertools import product
from numbers import Real
from typing import NamedTuple

import numpy as np

from ..._core._parallel import map_tasks, slices_of
from ...leave_one_out import (
    CLASSIFICATION_SCORING,
    best_temperatures,
    candidate_lists,
    first_of_largest,
    gaps_by_class,
    in_rows,
    is_loo,
    log_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ...tabular import log_prior_without, row_weight
from ._learning import m_candidates, n_virtual_examples
from ._temperature import (
    document_lengths,
    length_factor,
    positive,
    temper,
)

# The most bytes that the scores of the candidates of m take that are held together.
_MAX_SCORE_BYTES = 2**26
# Documents that are scored together, whose denominators are held for each m.
_ROWS_PER_BLOCK = 512
# Documents whose losses are computed together, which a cache holds.
_ROWS_PER_LOSS_BLOCK = 2048
# No correction for the length, its square root, and the mean evidence of a word.
LENGTH_EXPONENTS = (0.0, 0.5, 1.0)
_ALLOWED = {
    "length_exponent": (
        lambda exponent: isinstance(exponent, Real) and 0 <= exponent <= 1,
        "numbers from 0 to 1",
    )
}


class TextChoices(NamedTuple):
    """What leave-one-out chooses, or what was given."""

    m: object
    temperature: float
    length_exponent: float


def choose_by_leave_one_out(estimator, model, rows, classes, weight):
    """Return the best :class:`TextChoices` and the ``loo_results_`` of all."""
    # `estimator` gives the parameters, and `model` has the statistics of all rows. No
    # word is stored twice in a row of `rows`. classes, weight: (n_rows,).
    # Documents of one class have the same loss under all candidates. Then the choices
    # are the candidates nearest to the classical model, and there are no results.
    n_words = rows.shape[1]
    lists = _candidates(estimator, n_words, weight)
    ms = [n_virtual_examples(m, estimator.event_model, n_words) for m in lists["m"]]
    exponents = lists["length_exponent"]
    nearness = _nearness(list(product(ms, exponents)), estimator, n_words)
    candidates = list(product(lists["m"], exponents))
    if np.all(classes == classes[0]):
        m, exponent = candidates[np.argmin(nearness)]
        given = 1.0 if is_loo(estimator.temperature) else estimator.temperature
        return TextChoices(m, float(given), float(exponent)), {}
    chosen = rows_to_leave_out(
        len(classes), estimator.loo_max_samples, estimator.random_state
    )
    left_out = _LeftOutDocuments(
        estimator, model, rows, chosen, classes[chosen], weight[chosen], exponents
    )
    temperature = np.empty((len(ms), len(exponents)))
    losses = np.empty((2, len(ms), len(exponents), len(chosen)))
    for some in left_out.slices_of_candidates(len(ms)):
        gaps, impossible = left_out.gaps(ms[some])
        temperature[some] = left_out.temperatures(gaps, impossible)
        left_out.write_losses(gaps, impossible, temperature[some], losses[:, some])
    temperature = temperature.ravel()
    losses = losses.reshape(2, len(candidates), -1)
    is_tuned = {
        "m": is_loo(estimator.m),
        "length_exponent": _tunes_exponent(estimator),
    }
    params = [
        {name: value for name, value in zip(lists, values) if is_tuned[name]}
        for values in candidates
    ]
    scoring = CLASSIFICATION_SCORING[_scoring(estimator)]
    scores = {"log_loss": losses[0], "accuracy": losses[1]}
    best, results = rank_candidates(
        params,
        {name: scores[name] for name in sorted(scores, key=scoring[0][0].__ne__)},
        weight[chosen],
        scoring,
        nearness,
    )
    results["temperature"] = temperature
    m, exponent = candidates[best]
    if not any(is_tuned.values()):
        results = {}  # nothing but the temperature was chosen
    return TextChoices(m, float(temperature[best]), float(exponent)), results


def left_out_joint(estimator, model, rows, classes, weight, tempered=False):
    """Return the joint log likelihoods and log priors of documents left out."""
    # model, rows, classes, weight: as in `choose_by_leave_one_out`; `estimator` has
    # chosen. Both results are (n_rows, n_classes).
    every, exponent = np.arange(len(classes)), estimator.length_exponent_
    left_out = _LeftOutDocuments(
        estimator, model, rows, every, classes, weight, [exponent]
    )
    joint = left_out.joint(estimator.m_)
    if tempered:
        temper(joint, left_out.factors[0] / estimator.temperature_)
    return joint, left_out.log_prior


def _scoring(estimator):
    """Return the criterion, by default that which the offsets have."""
    if estimator.loo_scoring is not None:
        return estimator.loo_scoring
    return "log_loss" if learns_offsets(estimator) else "accuracy"


def learns_offsets(estimator):
    """Return whether words get offsets by leave-one-out."""
    if estimator.feature_weights != "auto":
        return estimator.feature_weights is not None
    names = "m", "temperature", "length_exponent"
    candidates = estimator.loo_candidates
    return (
        all(is_loo(getattr(estimator, name)) for name in names)
        and not (isinstance(candidates, dict) and "length_exponent" in candidates)
        and isinstance(estimator.prior, str)
        and estimator.prior == "uniform"
        and estimator.event_model == "multinomial"
        and not estimator.complement
    )


def tunes_anything(estimator):
    """Return whether leave-one-out has something to choose."""
    return (
        is_loo(estimator.m)
        or is_loo(estimator.temperature)
        or learns_offsets(estimator)
    )


def settled_choices(estimator):
    """Return the :class:`TextChoices` that are given or that a former fit made."""
    m = estimator.m_ if is_loo(estimator.m) else estimator.m
    temperature, exponent = estimator.temperature, _given_exponent(estimator)
    if is_loo(estimator.temperature):
        temperature = estimator.temperature_
    if _tunes_exponent(estimator):
        exponent = estimator.length_exponent_
    return TextChoices(m, float(temperature), exponent)


class _LeftOutDocuments:
    """Documents, each scored by the model without it."""

    def __init__(self, estimator, model, rows, chosen, true_class, weight, exponents):
        self.estimator, self.model, self.rows = estimator, model, rows
        self.chosen, self.true_class, self.weight = chosen, true_class, weight
        self.share = weight / row_weight(weight)  # in the likelihood
        self.log_prior = log_prior_without(
            model.class_count,
            true_class,
            self.weight,
            estimator.fit_prior,
            estimator.class_prior,
        )
        binary = estimator.event_model == "bernoulli"
        lengths = np.concatenate(
            self._in_blocks(
                lambda part: document_lengths(rows.cells_of(chosen[part]), binary),
                _ROWS_PER_LOSS_BLOCK,
            )
        )
        self.factors = [length_factor(lengths, exponent) for exponent in exponents]

    def slices_of_candidates(self, n):
        """Cut n candidates of m into slices whose scores are held together."""
        n_rows = self.model.rows_held_to_leave_out(len(self.chosen))
        size = max(_MAX_SCORE_BYTES // (8 * n_rows * self.log_prior.shape[1]), 1)
        return slices_of(range(n), size)

    def joint(self, m):
        """Return the joint log likelihoods (n, n_classes)."""
        scorer = self.model.leave_one_out([m], self.true_class, self.weight)
        joint = self.log_prior.copy()

        def score(block):
            cells = self.rows.cells_of(self.chosen[block])
            scorer.add_to(block, cells, joint[None, block])

        self._in_blocks(score, _ROWS_PER_BLOCK)
        return joint

    def gaps(self, ms):
        """Return the gaps to the largest joint log likelihood, and the impossible."""
        # Shapes: (len(ms), n_classes, n) and (len(ms), n), see `gaps_by_class`.
        scorer = self.model.leave_one_out(ms, self.true_class, self.weight)
        n, n_classes = self.log_prior.shape
        gaps = np.empty((len(ms), n_classes, n))
        impossible = np.empty((len(ms), n), dtype=bool)

        def score(block):
            scores = np.repeat(self.log_prior[None, block], len(ms), axis=0)
            scorer.add_to(block, self.rows.cells_of(self.chosen[block]), scores)
            gaps[:, :, block], impossible[:, block] = gaps_by_class(
                scores, self.log_prior[block]
            )

        self._in_blocks(score, _ROWS_PER_BLOCK)
        return gaps, impossible

    def temperatures(self, gaps, impossible):
        """Return the best temperatures by (m, exponent), or the one that is given."""
        if not is_loo(self.estimator.temperature):
            return np.full((len(gaps), len(self.factors)), self.estimator.temperature)

        def search(i):
            weight = np.where(impossible[i], 0.0, self.share)
            return best_temperatures(gaps[i], self.true_class, weight, self.factors)

        return map_tasks(search, range(len(gaps)), n_jobs=self.estimator.n_jobs)

    def write_losses(self, gaps, impossible, temperature, losses):
        """Write log losses and correctness, of shape (2, n_ms, n_exponents, n)."""

        def fill(part):
            true_class = self.true_class[part]
            for i, part_gaps in enumerate(gaps[:, :, part]):
                # Rounding by the temperature must not decide what is correct.
                losses[1, i, :, part] = first_of_largest(part_gaps) == true_class
                for k, factor in enumerate(self.factors):
                    inverse = positive(factor[part] / temperature[i, k])
                    inverse[impossible[i, part]] = 1.0  # the prior as it is
                    losses[0, i, k, part] = log_losses(part_gaps * inverse, true_class)

        self._in_blocks(fill, _ROWS_PER_LOSS_BLOCK)

    def _in_blocks(self, function, size):
        blocks = slices_of(range(len(self.chosen)), size)
        return map_tasks(function, blocks, n_jobs=self.estimator.n_jobs)


def _candidates(estimator, n_words, weight):
    """Return the candidates of m and of the exponent of the length."""
    defaults = {
        "m": in_rows(m_candidates(estimator.event_model, n_words), weight),
        "length_exponent": list(LENGTH_EXPONENTS),
    }
    lists = candidate_lists(defaults, estimator.loo_candidates, _ALLOWED)
    if not is_loo(estimator.m):
        lists["m"] = [estimator.m]
    if not _tunes_exponent(estimator):
        lists["length_exponent"] = [_given_exponent(estimator)]
    return lists


def _tunes_exponent(estimator):
    # A temperature that is given holds for documents of any length, and offsets for
    # one temperature.
    return (
        is_loo(estimator.temperature)
        and is_loo(estimator.length_exponent)
        and not learns_offsets(estimator)
    )


def _given_exponent(estimator):
    tuned = is_loo(estimator.length_exponent)
    return 0.0 if tuned else float(estimator.length_exponent)


def _nearness(candidates, estimator, n_words):
    """Rank (m, exponent) by the distance of m from "laplace", then by the exponent."""
    # Of candidates that tie, as with one document, the first by rank is chosen.
    classical = n_virtual_examples("laplace", estimator.event_model, n_words)

    def distance(i):
        m, exponent = candidates[i]
        return abs(np.log(m / classical)) if m > 0 else np.inf, exponent

    return np.argsort(sorted(range(len(candidates)), key=distance))
