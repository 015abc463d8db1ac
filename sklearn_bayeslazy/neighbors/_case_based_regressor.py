"""CaseBasedRegressor: weighted means of the answers of the most similar cases."""

from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_numeric_targets
from .._core._compat import fit_context
from .._core._estimator import all_or_nothing, require_targets
from ._cases import CaseBase
from ._shepard import NumberTargets, StoredNumbersMixin


class CaseBasedRegressor(StoredNumbersMixin, CaseBase):
    r"""Weighted means of the answers of the most similar stored cases.

    A case is a description by attributes: numbers, symbols, sets, texts or graphs. Its
    similarity to a stored case is the weighted mean of the similarities of the
    attributes. By default the weights, k and the power are chosen by leave-one-out. The
    classical rule, in which the single most similar case answers, is
    ``CaseBasedRegressor(1, weights=None)``.

    Parameters
    ----------
    n_neighbors : float, None or "loo", default="loo"
        How many of the most similar cases vote; all of them for None. Cases at equal
        similarity share what is left of it, so that their order does not matter. With
        sample weights it is a total weight. "loo": chosen by leave-one-out.

    similarities : dict or list, default=None
        ``{attribute: similarity}``, or one entry for each attribute, of which None is
        the default. A similarity is an object such as
        :class:`TaxonomySimilarity`, or a callable ``f(query_value, case_value)`` that
        returns a number from 0 to 1. By default numbers have
        ``NumberSimilarity("ranks")``, symbols :class:`ValueDifferenceSimilarity`, more
        than 4096 symbols :class:`EqualitySimilarity`, sets, lists and tuples
        :class:`SetSimilarity`, networkx graphs and dicts of edges
        :class:`GraphSimilarity`.

    weights : array-like of shape (n_features,), "loo" or None, default="loo"
        The weights of the attributes in the mean, ≥ 0; 0 removes an attribute. None:
        equal weights. "loo": learnt by leave-one-out (see Notes).

    vote : {"inverse", "similarity", "uniform"}, default="inverse"
        How a similarity s becomes the weight of a vote. "inverse": 1 / (1 - s)^power,
        and where cases are equal to the query (s = 1), only these vote. "similarity":
        s. "uniform": 1.

    power : float or "loo", default="loo"
        The exponent of vote="inverse", ≥ 0. "loo": chosen by leave-one-out.

    missing : float or "mean", default="mean"
        The similarity of a missing cell with any other, from 0 to 1. "mean": for each
        attribute the mean similarity of two stored cases, so that a missing cell is
        neutral.

    missing_indicators : bool, default=True
        Whether attributes whose missing cells tell of y have an indicator: one more
        attribute, which says whether the cell is missing (see Notes). Only with
        weights="loo".

    aggregation : {"mean", "euclidean"}, default="mean"
        How the distances 1 - s_j of the attributes become the distance 1 - s of two
        cases: by the weighted mean Σ_j w_j (1 - s_j) / Σ_j w_j, or by the root of the
        weighted mean of squares, as in HEOM and HVDM (see Notes).

    loo_candidates : dict, default=None
        The candidates for parameters that are "loo"; see :class:`ShepardKNNRegressor`.
        None for `n_neighbors` is one by default if there are at most 1000 cases.

    loo_scoring : {"squared_error"}, default=None
        The score that leave-one-out minimises.

    loo_max_samples : int or None, default=10000
        If there are more cases, a random subset of this size is left out one by one.
        None: every case.

    random_state : int, RandomState instance or None, default=None
        For the random subsets.

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    n_neighbors_ : float or None
        How many cases vote, chosen or given.
    power_ : float or None
        The exponent, chosen or given; None if `vote` does not read it.
    weights_ : ndarray of shape (n_features + n_indicators,)
        The weights of the attributes, learnt or given.
    missing_indicators_ : ndarray of shape (n_indicators,)
        The indices of the attributes that have an indicator of missing cells. Among the
        attributes of answers the indicators follow those of X.
    loo_results_ : dict
        Only where n_neighbors, power is "loo": the mean scores of the candidates,
        as in :class:`ShepardKNNRegressor`.
    n_samples_fit_ : int
        Number of cases given to `fit` and `retain`, less those that were forgotten.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the attributes, where X had names that are all strings.

    See Also
    --------
    CaseBasedClassifier : The same method for classes.
    ShepardKNNRegressor : The same votes by distances of tables of numbers and symbols.

    Notes
    -----
    The similarity of two cases is the weighted mean of the similarities s_j
    of their attributes, Σ_j w_j s_j / Σ_j w_j, and their distance 1 minus it. With
    numbers only, :class:`NumberSimilarity` and equal weights the answers are those of
    ``ShepardKNNRegressor(metric="gower")``, for queries within the range of the cases:
    beyond, a similarity is not below 0.

    With aggregation="euclidean" the distance is √(Σ_j w_j (1 - s_j)² / Σ_j w_j). With
    :class:`EqualitySimilarity` for symbols, :class:`NumberSimilarity` for numbers and
    missing=0 that is HEOM, divided by √d for d attributes: the votes are those of
    ``ShepardKNNRegressor(metric="heom")``. HVDM has
    ``ValueDifferenceSimilarity(q=2, root=2)`` for symbols, of twice the weight of
    numbers with a scale of four standard deviations.

    weights="loo" compares four candidates by the leave-one-out score of the votes:
    equal weights; the relevance of each attribute alone and its root, as in
    ``ShepardKNNRegressor(metric="auto")``; and weights that minimise the leave-one-out
    squared error of an estimate in which every other case votes with exp(-Σ_j w_j (1 -
    s_j)), under a penalty on their differences, averaged with equal weights. The latter
    are learnt from at most 1500 cases, of which at most 500 are left out, at random;
    the comparison leaves out at most 1000. In it, the relevance for a case comes from
    the seven eighths of the cases that lack it, if there are at most 1000.

    Missing cells tell of y if the mean answer of the other cases that lack the
    attribute as well, or know it as well, predicts a left-out case with a lower
    squared error than that of all others, by more than two standard errors. Weights of
    0 for all indicators are among the candidates.

    Leave-one-out is exact given the ranks, the mean similarities and the weights
    learnt from all cases. A value difference compares a case that is left out without
    its target.

    A case has one answer: the value differences and the weights of attributes are
    learnt for it. For several answers, fit an estimator for each.

    References
    ----------
    T. Mitchell (1997), Machine Learning, section 8.5.

    A. Aamodt and E. Plaza (1994), Case-based reasoning: foundational issues,
    methodological variations, and system approaches, AI Communications 7.

    M. M. Richter and R. O. Weber (2013), Case-Based Reasoning, Springer (local and
    global similarities).

    Examples
    --------
    >>> from sklearn_bayeslazy import CaseBasedRegressor
    >>> X, y = [[0.0, "a"], [1.0, "a"], [4.0, "b"]], [10.0, 20.0, 50.0]
    >>> model = CaseBasedRegressor(2, weights=None, vote="uniform").fit(X, y)
    >>> model.predict([[0.5, "a"]])
    array([15.])
    """

    _parameter_constraints = {
        **CaseBase._parameter_constraints,
        **StoredNumbersMixin._parameter_constraints,
    }

    def __init__(
        self,
        n_neighbors: str | float | None = "loo",
        *,
        similarities=None,
        weights: ArrayLike | None = "loo",
        vote="inverse",
        power: str | float = "loo",
        missing: str | float = "mean",
        missing_indicators=True,
        aggregation="mean",
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.similarities = similarities
        self.weights = weights
        self.vote = vote
        self.power = power
        self.missing = missing
        self.missing_indicators = missing_indicators
        self.aggregation = aggregation
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Store the cases, and choose what is "loo".

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
            The cases. Dicts need the same keys; None, NaN and the like are unknown
            values. Cells may be numbers, strings, booleans, dates, sets, texts and
            graphs.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            If a parameter or a case cannot be used. A former fit stays usable.
        """
        with all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """Add cases; the first call chooses what `fit` chooses.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if hasattr(self, "n_neighbors_"):
            return self.retain(X, y, sample_weight)
        return self.fit(X, y, sample_weight)

    def predict(self, X):
        """Return the weighted mean of the answers of the voting cases.

        Parameters
        ----------
        X : list of dicts, dataframe, array-like of (n_samples, n_features), or None
            New cases. None: the stored cases of weight above 0, each from all others
            without its copies (:ref:`weights-and-copies`). That equals a fit without
            the case, given the chosen parameters, and the ranks and similarities
            learnt from all cases; a value difference compares a case without its
            answer.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._predictions(X)[:, 0]

    def _predictions_and_queries(self, X):
        check_is_fitted(self)
        cases, model = self._reader.read(self, X), self._model
        predictions = model.vote.predictions(model.space.queries(cases), self._map)
        model, _ = self._without_copies or (model, None)
        return predictions, model.space.queries(cases)

    def _check_targets(self, y):
        require_targets(self, y)
        return column_or_1d(check_numeric_targets(y), warn=True)

    def _build_targets(self, y, weight):
        return NumberTargets(weight, y[:, None], True)
