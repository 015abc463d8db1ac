"""Stored cases that vote: how they compare, what leave-one-out chose, and the vote."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..._core._arrays import check_feature_weights
from .._shepard import (
    LeftOutVotes,
    ListVote,
    Weighting,
    candidates_of,
    choose_parameters,
    choose_votes,
)
from ._attribute_weights import AttributeWeights, learn_weights
from ._case_space import EXPONENTS, CaseSpace

# More cases: n_neighbors=None, which lists all cases, is no candidate by default.
_MAX_CASES_FOR_ALL = 1000
# The names of the ways to vote, in Shepard's method.
VOTES = {"inverse": "inverse", "uniform": "uniform", "similarity": "cosine"}


class CaseOptions(NamedTuple):
    """The parameters of an estimator of cases that its model depends on, as given."""

    n_neighbors: object
    weights: object
    vote: str
    power: object
    missing: object
    aggregation: str
    loo_candidates: object
    loo_scoring: object
    loo_max_samples: object
    random_state: object
    m: object = None  # of classes only

    def given(self):
        """Return n_neighbors, power and m as given."""
        power = self.power if self.vote == "inverse" else None  # others do not read it
        given = {"n_neighbors": self.n_neighbors, "power": power}
        return given if self.m is None else {**given, "m": self.m}


class CaseModel:
    """Cases, how they compare, the weights of attributes, k, power and m, the vote."""

    # cases: a Table of n rows; similarities: one for each attribute; targets:
    # TrainingTargets of the n answers, with the sample weights. n_indicators: how many
    # of the last attributes are indicators of missing cells, which may be ignored.
    # `map_rows(function, n_rows, bytes_per_row)` calls function(rows) for slices.

    def __init__(self, cases, similarities, targets, options, n_indicators=0):
        self.cases, self.similarities = cases, similarities
        self.n_indicators = n_indicators
        self.targets, self.weight, self.options = targets, targets.weight, options
        self.loo_results = None
        exponent = EXPONENTS[options.aggregation]
        self.space = CaseSpace(cases, similarities, targets, options.missing, exponent)

    @classmethod
    def learn(cls, cases, similarities, targets, options, map_rows, n_indicators=0):
        """Return the model of cases, with what is "loo" chosen by leaving cases out."""
        model = cls(cases, similarities, targets, options, n_indicators)
        model.weights, parts = model._choose_weights(map_rows)
        leave_out = partial(model.leave_out, map_rows=map_rows, parts=parts)
        chosen, model.loo_results, model.inflation = choose_parameters(
            options.given(), targets, options, leave_out
        )
        return model._with_vote(chosen)

    def with_cases(self, cases, targets):
        """Return the model of other cases, with what was chosen for these."""
        model = type(self)(cases, self.similarities, targets, self.options)
        model.weights, model.loo_results = self.weights, self.loo_results
        model.inflation = self.inflation
        return model._with_vote(
            {"n_neighbors": self.n_neighbors, "power": self.power, "m": self.m}
        )

    def leave_out(self, left_out, map_rows, parts):
        """Return what `choose_votes` returns for n_neighbors, power and m."""
        # left_out: indices of cases; parts: as in `AttributeWeights`.
        options, given = self.options, self.options.given()
        candidates = candidates_of(
            options, given, self.weight, True, _MAX_CASES_FOR_ALL
        )
        queries, vote = self.space.left_out_queries(), VOTES[options.vote]
        searches = ((rows, self.space.search(weights)) for rows, weights in parts)
        votes = [
            (rows, LeftOutVotes(self.targets, search, None, queries, vote))
            for rows, search in searches
        ]
        return choose_votes(
            votes, given, candidates, left_out, options.loo_scoring, map_rows
        )

    def _with_vote(self, chosen):
        """Build the search and the vote from what was chosen; return the model."""
        power, m = chosen["power"], chosen.get("m")
        self.n_neighbors = chosen["n_neighbors"]
        self.power = None if power is None else float(power)
        self.m = None if m is None else float(m)
        if self.m is not None:
            self.targets.m = self.m
        self.search = self.space.search(self.weights)
        weighting = Weighting.from_parameters(
            VOTES[self.options.vote], self.power, self.search.metric
        )
        self.vote = ListVote(self.search, weighting, self.targets, self.n_neighbors)
        return self

    def _choose_weights(self, map_rows):
        """Return the `AttributeWeights`: given, equal, or learnt."""
        given, d = self.options.weights, self.cases.n_columns
        if given is None:
            return AttributeWeights.same(np.ones(d))
        if isinstance(given, str):
            return learn_weights(self, map_rows)
        return AttributeWeights.same(
            check_feature_weights(given, d, "weights", n_above_0=1)
        )
