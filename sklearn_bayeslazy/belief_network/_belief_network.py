"""BeliefNetwork: a Bayesian network of all columns, to be asked and drawn from."""

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._compat import StrOptions, fit_context
from .._estimator import (
    DocLinkMixin,
    all_or_nothing,
    check_both_fitted,
    unavailable_because,
)
from .._weights import kept_rows
from ..tabular import MISSING, UNKNOWN, Codebook, check_table, read_table, take_rows
from ._bif import read_bif, write_bif
from ._columns import code_of_number
from ._distribution import Distribution
from ._graph import d_separated
from ._inference import log_shares, most_probable, sample
from ._learning import STRUCTURES
from ._network import find_place
from ._network_learner import CONSTRAINTS, NetworkLearner, batches_excluded


class BeliefNetwork(NetworkLearner, DensityMixin, DocLinkMixin, BaseEstimator):
    r"""A Bayesian belief network of the columns of a table.

    Each column is a node. A graph says on which others it depends directly, and a table
    gives its probabilities for each combination of these parents' values; the joint
    distribution is the product,

    .. math:: P(x_1, \ldots, x_n) = \prod_i P(x_i \mid \mathrm{Parents}(x_i)).

    Whatever is asked is answered exactly, by summing out what is not observed.

    Parameters
    ----------
    structure : str or list of (parent, child), default="hill_climbing"
        "hill_climbing": arcs are added, dropped and turned for as long as
        `structure_score` rises. "k2": each node takes the best parents among those
        before it in `order`. "chow_liu": the tree that keeps most mutual information,
        its root the first column. Or the arcs by name.

    structure_score : {"bdeu", "k2", "bic", "aic", "log_likelihood"}, default="bdeu"
        What "k2" and "hill_climbing" look at. BDeu's equivalent sample size is `m`.

    max_parents : int, default=3
        The most parents that "k2" and "hill_climbing" give a node.

    order : list of str, default=None
        All columns, causes first, for "k2". By default as they stand.

    m : float, default=1.0
        Virtual examples in each table, ≥ 0: for each combination of the parents'
        values, or with prior="bdeu" shared by all of them. 0 keeps plain frequencies.

    prior : {"uniform", "marginal", "bdeu"}, default="uniform"
        What they are drawn from: every value alike, the value's frequency in all rows,
        or every cell of the table alike.

    n_bins : int, default=5
        Bins of numbers.

    binning : {"quantile", "uniform"}, default="quantile"
        How numbers are cut: into equal masses or into equal widths.

    required_arcs, forbidden_arcs : list of (parent, child), default=None
        Arcs by name that "hill_climbing" keeps, and that it never makes.

    tabu : int or "auto", default="auto"
        The last graphs that "hill_climbing" does not return to, and the moves without
        a better graph after which it ends. "auto" is 100.

    n_restarts : int, default=0
        So many times "hill_climbing" starts again from the best graph, after random
        changes.

    hidden : dict of {str: int}, default=None
        Nodes that no column shows, with the number of their values, which are 0, 1, …;
        the commonest is 0. `structure` must be a list of arcs that names them.

    missing : {"available", "expected"}, default="available"
        How rows with missing cells count. "available": each table counts the rows in
        which its node and all its parents are there. "expected": every row counts in
        all tables, by the probabilities of what is missing given what is there; it
        takes longer, and wastes nothing. With hidden nodes it is always so.

    hidden_learner : {"gradient", "em"}, default="gradient"
        How tables are found from expected counts: by gradient ascent, or by expectation
        and maximisation. Both end at a summit of the same.

    n_init : int, default=5
        With hidden nodes, from how many random tables the ascent starts; the best
        summit is taken.

    max_iter : int, default=200
        Steps of an ascent at most.

    tol : float, default=1e-6
        An ascent ends when a step gains less for each row.

    inference : {"exact", "sampling"}, default="exact"
        How rows are answered that need more than a look into tables: by summing out
        what is missing, whose cost may explode, or by weighing random draws.

    n_draws : int, default=2000
        Draws for each row, for inference="sampling": a probability p has a standard
        error of √(p (1 − p) / n_draws) or more.

    unknown : {"ignore", "error"}, default="ignore"
        What becomes of a category that `fit` has not seen: it counts as missing, or is
        an error.

    random_state : int, RandomState instance or None, default=None
        Draws the changes of restarts, the starts of hidden nodes, the draws of
        `inference`, and the rows of `sample`.

    verbose : bool, default=False
        Whether "hill_climbing" prints each better score, and an ascent each step.

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    network_ : Network
        The graph and the tables: `names`, `values`, `parents`, `tables`, `arcs()`.
    structure_ : list of (str, str)
        The arcs by name, (parent, child).
    bin_edges_ : list of ndarray or None
        The cut points of each column of numbers; x is in the bin whose index is the
        number of cut points ≤ x.
    n_iter_, converged_ : int, bool
        How many steps the best ascent took, and whether it ended at a summit. Counting
        is one step.
    objective_history_ : list of float
        The log likelihood of the rows plus the logarithm of the prior, before the first
        step of the best ascent and after each; only with expected counts.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    BeliefNetworkClassifier : The network around a class.

    Notes
    -----
    Where cells are missing, a score takes parents in one by one, those with the fewest
    holes first, and what each adds is measured over the rows in which all of them are
    observed, scaled to all rows. Tables of more than a million cells are passed over.

    The values of a hidden node have no names: any order of them explains the rows as
    well (label switching), and the commonest comes first here. More can be lost than
    names: two networks may give all rows the same probability (a hidden node of more
    values than its neighbours can tell apart), and an ascent ends at one of them.

    References
    ----------
    T. Mitchell (1997), Machine Learning, section 6.11.

    Examples
    --------
    Of ten days each it rains on 8 in April and on 2 in July:

    >>> from sklearn_bayeslazy import BeliefNetwork
    >>> X = [["april", "rain"]] * 8 + [["april", "sun"]] * 2
    >>> X += [["july", "rain"]] * 2 + [["july", "sun"]] * 8
    >>> model = BeliefNetwork([(0, 1)], m=0).fit(X)
    >>> model.query({1: "rain"}, [0])  # .8 / (.8 + .2)
    Distribution(april=0.8, july=0.2)
    >>> np.exp(model.score_samples([["july", "rain"], ["july", None]])).round(9)
    array([0.1, 0.5])
    >>> model.most_probable_explanation([["july", None]])
    array([['july', 'sun']], dtype=object)
    """

    _parameter_constraints = {
        **CONSTRAINTS,
        "structure": [StrOptions(set(STRUCTURES) - {"naive", "tan"}), "array-like"],
        "binning": [StrOptions({"quantile", "uniform"})],
    }

    def __init__(
        self,
        structure="hill_climbing",
        *,
        structure_score="bdeu",
        max_parents=3,
        order=None,
        m=1.0,
        prior="uniform",
        n_bins=5,
        binning="quantile",
        required_arcs=None,
        forbidden_arcs=None,
        tabu="auto",
        n_restarts=0,
        hidden=None,
        missing="available",
        hidden_learner="gradient",
        n_init=5,
        max_iter=200,
        tol=1e-6,
        inference="exact",
        n_draws=2000,
        unknown="ignore",
        random_state=None,
        verbose=False,
        n_jobs=None,
    ):
        self.structure = structure
        self.structure_score = structure_score
        self.max_parents = max_parents
        self.order = order
        self.m = m
        self.prior = prior
        self.n_bins = n_bins
        self.binning = binning
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.tabu = tabu
        self.n_restarts = n_restarts
        self.hidden = hidden
        self.missing = missing
        self.hidden_learner = hidden_learner
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.inference = inference
        self.n_draws = n_draws
        self.unknown = unknown
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn bins, structure and tables.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Numbers, strings, categories and booleans; missing cells are NaN, None or
            pandas.NA.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : BeliefNetwork
        """
        with all_or_nothing(self):
            self._start(*self._read(X, sample_weight, reset=True))
        return self

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn tables from one more batch of rows.

        The structure and the bin edges are those of the first batch (or of `fit`), and
        with them any split gives the tables of one `fit`; new categories may arrive at
        any time.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            As in `fit`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : BeliefNetwork
        """
        first = not hasattr(self, "network_")
        with all_or_nothing(self):
            read = self._read(X, sample_weight, reset=first)
            if first:
                self._start(*read)
            else:
                self._go_on(*read)
        return self

    @unavailable_because(batches_excluded)
    def merge(self, other):
        """Add what another model has learnt, as if this one had seen its rows too.

        Parameters
        ----------
        other : BeliefNetwork
            A fitted model of the same columns, structure and bin edges. Its categories
            may differ. It stays as it is.

        Returns
        -------
        self : BeliefNetwork
        """
        check_both_fitted(self, other, BeliefNetwork)
        self._check_counts(other)
        with all_or_nothing(self):
            self._join(other)
        return self

    def query(self, evidence, targets):
        """Return the distribution of some nodes, given what is known of others.

        Parameters
        ----------
        evidence : dict of {name: value}
            Numbers stand for their bins; None, NaN or pandas.NA are as good as not
            named.
        targets : str, or list of str
            Names of nodes. Several have a joint distribution.

        Returns
        -------
        Distribution
            With `names`, `values` and `probabilities`, an axis for each target.

        Raises
        ------
        ValueError
            Where a name or a value is not known, or the evidence is impossible.
        """
        check_is_fitted(self)
        wanted, codes = self._places(targets), self._evidence(dict(evidence))
        logs = log_shares(self._infer()(self.network_, codes, wanted))
        if np.isnan(logs).any():
            drawn = f" in all of n_draws={self.n_draws} draws: give more"
            where = "" if self.inference == "exact" else drawn
            raise ValueError(
                f"The evidence {dict(evidence)!r} has probability 0{where}."
            )
        return Distribution(
            tuple(self.network_.names[node] for node in wanted),
            tuple(self.network_.values[node] for node in wanted),
            np.exp(logs[0]),
        )

    def _evidence(self, evidence):
        """Return a dictionary of values as a row of codes."""
        names, n_columns = self.network_.names, len(self._column_names)
        row = np.full((1, len(names)), None, dtype=object)
        for name, value in evidence.items():
            row[0, find_place(name, names, "evidence")] = value
        codes = self._codes(row[:, :n_columns], slice(0, 1))
        for node, (_, values) in enumerate(self._others, start=n_columns):
            codes[0, node] = code_of_number(row[0, node], len(values))
        unread = codes[0] == UNKNOWN
        if unread.any():
            node = int(np.argmax(unread))
            raise ValueError(
                f"The evidence {row[0, node]!r} is no value of {names[node]!r}: "
                f"{list(self.network_.values[node])}."
            )
        return codes

    def score_samples(self, X):
        """Return the log probability of each row; missing cells are summed over.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            In nats; a number counts as its bin.
        """
        return self._log_marginals(X, [])

    def score(self, X, y=None):
        """Return the mean log probability of rows.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X)))

    def most_probable_explanation(self, X):
        """Return rows with the likeliest values of what is missing, all together.

        This is the most probable explanation of what is observed, which need not be
        made of the likeliest value of each cell.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Objects: values by name, bins of numbers in words where they were missing;
            what was there stays.
        """
        check_is_fitted(self)
        X = self._check(X)
        out = np.empty(X.shape, dtype=object)

        def fill(rows):
            codes = self._codes(X, rows)
            completed, _ = most_probable(self.network_, codes)
            cells = np.asarray(take_rows(X, rows), dtype=object)
            for node in range(out.shape[1]):
                values = np.asarray(self.network_.values[node], dtype=object)
                holes = codes[:, node] == MISSING
                found = values[completed[:, node]]
                out[rows, node] = np.where(holes, found, cells[:, node])

        self._map(fill, len(out), 3 * len(self._parents))
        return out

    def sample(self, n_samples=1, random_state=None):
        """Return rows drawn from the network.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=None
            By default that of the model.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Objects: values by name, bins of numbers in words. What is hidden stays so.
        """
        check_is_fitted(self)
        if n_samples < 0:
            raise ValueError(f"n_samples={n_samples!r} must be ≥ 0.")
        rng = self.random_state if random_state is None else random_state
        codes = sample(self.network_, n_samples, check_random_state(rng))
        columns = range(self.n_features_in_)
        values = [np.asarray(self.network_.values[j], dtype=object) for j in columns]
        return np.stack([some[codes[:, j]] for j, some in enumerate(values)], axis=1)

    def d_separated(self, x, y, given=()):
        """Tell whether the graph makes nodes independent, given others.

        Parameters
        ----------
        x, y, given : str, or lists of str
            Names of nodes.

        Returns
        -------
        bool
            Independent whatever the tables are; False says nothing for sure.
        """
        check_is_fitted(self)
        sets = [
            set(self._places(some, word))
            for word, some in (("x", x), ("y", y), ("given", given))
        ]
        return d_separated(self.network_.parents, *sets)

    def to_bif(self, path=None):
        """Return the network in the Bayesian Interchange Format.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it, too.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        text = write_bif(self.network_)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    @classmethod
    def from_bif(cls, path):
        """Return a fitted model with the network of a file in BIF.

        It has tables and no counts: it can be asked, and cannot learn more.

        Parameters
        ----------
        path : str or path-like
        """
        with open(path, encoding="utf-8") as file:
            network = read_bif(file.read())
        model = cls(network.arcs())
        model.network_ = network
        model._column_names, model._others = list(network.names), []
        columns = range(network.n_nodes)
        model._codebook = Codebook(columns, network.values, [False] * len(columns))
        model._parents, model._counts = network.parents, None
        model._means, model._sampling_seed = [None] * network.n_nodes, 0
        model.n_features_in_ = network.n_nodes
        model.feature_names_in_ = np.array(network.names, dtype=object)
        return model

    def _read(self, X, sample_weight, *, reset):
        X = check_table(self, X, reset=reset)
        kept, weight = kept_rows(sample_weight, X.shape[0])
        if kept is not None:
            X = take_rows(X, kept)
        return read_table(X, getattr(self, "feature_names_in_", None)), weight
