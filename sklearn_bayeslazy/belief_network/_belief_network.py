"""BeliefNetwork: a Bayesian network of all columns, for queries and for sampling."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_count, kept_rows
from .._core._compat import StrOptions, fit_context
from .._core._estimator import (
    TrainingRowsMixin,
    all_or_nothing,
    check_both_fitted,
    unavailable_because,
)
from .._core._fit_tasks import FitTasks
from ..tabular import MISSING, check_table, read_table, take_rows
from ._base import CONSTRAINTS, BaseBeliefNetwork
from ._bif import read_bif_source
from ._exchange import from_pgmpy, from_pyagrum
from ._given_tables import network_of_tables, nodes_of
from ._inference import most_probable_explanation, sample
from ._learning import why_not_incremental
from ._structure import STRUCTURES


class BeliefNetwork(TrainingRowsMixin, DensityMixin, BaseBeliefNetwork):
    r"""A Bayesian belief network of the columns of a table.

    Each column is a node of a directed acyclic graph. Each node has a table of its
    probabilities for each combination of its parents' values. The joint distribution is
    the product of the tables,

    .. math:: P(x_1, \ldots, x_n) = \prod_i P(x_i \mid \mathrm{Parents}(x_i)).

    Queries are answered exactly, by summing over the values that are not observed.

    Parameters
    ----------
    structure : str or list of (parent, child), default="hill_climbing"
        How the arcs are found. "hill_climbing": adds, drops and reverses arcs as long
        as `structure_score` rises. "k2": gives each node the best parents among the
        nodes before it in `order`. "chow_liu": the tree with maximal total mutual
        information; its root is the column that tells most about all others. Or the
        arcs by name.

    structure_score : {"bdeu", "k2", "bic", "aic", "log_likelihood"}, default="bdeu"
        The score that "k2" and "hill_climbing" maximize. The equivalent sample size of
        BDeu is `m`.

    max_parents : int, default=3
        The maximum number of parents that "k2" and "hill_climbing" give a node.

    order : list of str, default=None
        All columns, parents before children, for "k2". By default in their order in X.

    m : float, default=1.0
        The number of virtual examples in a table, ≥ 0: for each combination of the
        parents' values, or with prior="bdeu" for all of them together. With 0 the
        tables are relative frequencies.

    prior : {"uniform", "marginal", "bdeu", "backoff"}, default="uniform"
        How virtual examples are distributed: evenly over the values ("uniform"), by the
        frequency of each value in all rows ("marginal"), evenly over all cells of the
        table ("bdeu"), or by the probabilities without parents ("backoff"): the
        frequencies in all rows, with at most one virtual example.

    categories : "auto", list or dict, default="auto"
        The values of the columns of categories. Each is a value of the node, even if no
        row has it. "auto": the values in the training data, and those that the dtype of
        a pandas Categorical or a polars Enum declares. A list with an array of values,
        or None for "auto", for each column, or a dictionary {column: array}; then any
        other value in the training data is an error, and numbers are not cut into bins.

    n_bins : int, default=5
        The number of bins of each column of numbers.

    binning : {"quantile", "uniform"}, default="quantile"
        How numbers are cut into bins: of equal weight, or of equal width.

    required_arcs, forbidden_arcs : list of (parent, child), default=None
        Arcs by name that "hill_climbing" always keeps, and that it never adds.

    tiers : list of lists of str, default=None
        Names of nodes in an order of time: "hill_climbing" adds no arc from a node to
        one in an earlier list. Nodes in no list are not restricted.

    tabu : int or "auto", default="auto"
        The number of last graphs to which "hill_climbing" does not return, and the
        number of moves without a better graph after which it ends. "auto" is 100.

    n_restarts : int, default=0
        How often "hill_climbing" restarts from the best graph, after random changes.

    hidden : dict of {str: int}, default=None
        Names of hidden nodes, which no column shows, with their numbers of values. The
        values are 0, 1, …, sorted by decreasing probability. `structure` must be a list
        of arcs that names the hidden nodes.

    missing : {"available", "expected"}, default="available"
        How rows with missing cells count. "available": each table counts the rows in
        which its node and all its parents are observed. "expected": every row counts in
        all tables, by the probabilities of its missing values given the observed ones;
        this uses all rows and takes longer. With hidden nodes it is always "expected".

    hidden_learner : {"em", "gradient"}, default="em"
        How tables are learned from expected counts: by EM (expectation maximization),
        or by gradient ascent. Both end at a local optimum of the same objective. EM
        takes a fraction of the time.

    n_init : int, default=5
        With hidden nodes, the number of random tables from which learning starts. The
        best local optimum is kept.

    max_iter : int, default=200
        The maximum number of steps from each start.

    tol : float, default=1e-6
        Learning ends when a step gains less than this for each row.

    inference : {"exact", "sampling"}, default="exact"
        How queries are answered that need sums over missing values: exactly, at a cost
        that can grow exponentially with the number of nodes, or by weighted random
        draws (likelihood weighting).

    n_draws : int, default=2000
        The number of draws for each row, for inference="sampling". The standard error
        of a probability p is at least √(p (1 − p) / n_draws).

    unknown : {"ignore", "error"}, default="ignore"
        Whether a category that `fit` has not seen counts as missing, or raises
        an error.

    random_state : int, RandomState instance or None, default=None
        Seed of the random changes before restarts, the random tables of hidden nodes,
        likelihood weighting, and `sample`.

    verbose : bool, default=False
        Whether to print each better score of "hill_climbing", and the objective after
        each step from expected counts.

    n_jobs : int, default=None
        Number of threads. The result does not depend on it.

    Attributes
    ----------
    network_ : Network
        The graph and the tables: `names`, `values`, `parents`, `tables`, `arcs()`.
    structure_ : list of (str, str)
        The arcs by name, (parent, child).
    structure_weight_ : float
        The total weight of the rows that decided on the graph: all rows in `fit`, the
        first batch in `partial_fit`. After `fit_blocks` all rows for "chow_liu", those
        of the sample for "k2" and "hill_climbing". 0 for given arcs.
    m_, prior_ : float, str
        The `m` and the `prior` of the tables.
    bin_edges_ : list of ndarray or None
        The cut points of each column of numbers, None for other columns. The bin of x
        is the number of cut points ≤ x.
    n_iter_, converged_ : int, bool
        The number of steps from the best start, and whether they ended at a local
        optimum. Counting is one step.
    objective_history_ : list of float
        The log likelihood of the rows plus the log prior, before the first step from
        the best start and after each step; only with expected counts.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if all names in X are strings.

    See Also
    --------
    BeliefNetworkClassifier : A network of the columns and a class.

    Notes
    -----
    Where cells are missing, a score adds parents one by one, those with the fewest
    missing values first. The gain of each is measured over the rows in which all of
    them are observed, then scaled to all rows. Searches skip tables of more than a
    million cells.

    The values of a hidden node are not identified: every order of them explains the
    rows equally well (label switching), so they are sorted by decreasing probability.
    Two networks can also give all rows the same probability with different tables, if
    a hidden node has more values than its neighbors can distinguish. Learning then ends
    at one of them.

    References
    ----------
    T. Mitchell (1997), Machine Learning, section 6.11.

    Examples
    --------
    It rains on 8 of 10 days in April, and on 2 of 10 days in July:

    >>> import numpy as np
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
        "structure": [
            StrOptions(set(STRUCTURES) - {"naive", "tan", "fan"}),
            "array-like",
        ],
        "binning": [StrOptions({"quantile", "uniform"})],
    }

    def __init__(
        self,
        structure: ArrayLike = "hill_climbing",
        *,
        structure_score="bdeu",
        max_parents=3,
        order=None,
        m=1.0,
        prior="uniform",
        categories: str | list | dict = "auto",
        n_bins=5,
        binning="quantile",
        required_arcs=None,
        forbidden_arcs=None,
        tiers=None,
        tabu: str | int = "auto",
        n_restarts=0,
        hidden=None,
        missing="available",
        hidden_learner="em",
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
        self.categories = categories
        self.n_bins = n_bins
        self.binning = binning
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.tiers = tiers
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
            Weights ≥ 0; an integer weight is equivalent to repetition.

        Returns
        -------
        self : BeliefNetwork
        """
        tasks = FitTasks(self, X, y, sample_weight)
        with all_or_nothing(self):
            read = self._read(X, sample_weight, reset=True)
            self._learn(*read, tasks=tasks)
            self._keep_training_rows(read, sample_weight)
            tasks.end_fit()
        return self

    @unavailable_because(why_not_incremental)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn tables from one more batch of rows.

        The structure and the bin edges remain those of the first batch (or of `fit`).
        With these, any split into batches gives the tables of one `fit`. New categories
        are allowed in any batch.

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
            learn = self._learn if first else self._learn_more
            learn(*self._read(X, sample_weight, reset=first))
        return self

    @unavailable_because(why_not_incremental)
    def merge(self, other):
        """Add the counts of another model, as if this one had seen its rows too.

        Parameters
        ----------
        other : BeliefNetwork
            A fitted model of the same columns, structure and bin edges. Its categories
            may differ. It is not changed.

        Returns
        -------
        self : BeliefNetwork
        """
        check_both_fitted(self, other, BeliefNetwork)
        with all_or_nothing(self):
            self._merge(other)
        return self

    def score_samples(self, X):
        """Return the log probability of each row; missing cells are summed over.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            In nats. A number counts as its bin.
        """
        check_is_fitted(self)
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
        """Return rows with the jointly most probable values of the missing cells.

        The values are the most probable ones together. They can differ from the most
        probable value of each cell by itself, which `impute` gives.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Objects. Observed cells stay. A missing category is replaced by a value, a
            missing number by the bounds of a bin.
        """
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        out = np.empty(X.shape, dtype=object)

        def complete(rows):
            codes = self._codes(X, rows)
            completed, _ = most_probable_explanation(self.network_, codes)
            cells = np.asarray(take_rows(X, rows), dtype=object)
            for node in range(out.shape[1]):
                values = np.asarray(self.network_.values[node], dtype=object)
                is_missing = codes[:, node] == MISSING
                filled = values[completed[:, node]]
                out[rows, node] = np.where(is_missing, filled, cells[:, node])

        self._map_rows(complete, len(out), 3 * self.network_.n_nodes)
        return out

    def sample(self, n_samples=1, random_state=None):
        """Return random rows drawn from the network.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=None
            By default that of the model.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Objects: categories, and the bounds of bins for numbers. Hidden nodes are
            left out.
        """
        check_is_fitted(self)
        check_count(n_samples, "n_samples")
        rng = self.random_state if random_state is None else random_state
        codes = sample(self.network_, n_samples, check_random_state(rng))
        columns = range(self.n_features_in_)
        values = [np.asarray(self.network_.values[j], dtype=object) for j in columns]
        return np.stack([values[j][codes[:, j]] for j in columns], axis=1)

    @classmethod
    def from_bif(cls, source):
        """Return a fitted model with the network of a BIF file.

        The model has tables and no counts. It answers queries, but cannot learn from
        more rows.

        Parameters
        ----------
        source : str, path-like or file
            The path of a file, an open file, or the text itself; in the Bayesian
            Interchange Format as `to_bif`, pyAgrum, pgmpy, bnlearn, the bnlearn
            repository and JavaBayes write it, or in the related format DSC of GeNIe and
            bnlearn. Numbers, values and parents are separated by commas or spaces; rows
            of tables are given one by one, by ``default``, or all together by
            ``table``, where the last parent varies fastest and the node slowest. All
            values are strings, but those that `to_bif` has written.

        Returns
        -------
        BeliefNetwork

        Raises
        ------
        ValueError
            If the file cannot be read. The message names the line.
        """
        return cls._of(read_bif_source(source))

    @classmethod
    def from_pyagrum(cls, network):
        """Return a fitted model with a network of pyAgrum.

        Parameters
        ----------
        network : pyagrum.BayesNet
            Of discrete variables. Their labels, strings, are the values.

        Returns
        -------
        BeliefNetwork
            As :meth:`from_bif` returns it.
        """
        return cls._of(from_pyagrum(network))

    @classmethod
    def from_pgmpy(cls, network):
        """Return a fitted model with a network of pgmpy.

        Parameters
        ----------
        network : pgmpy.models.DiscreteBayesianNetwork
            With a table of each node. The state names are the values.

        Returns
        -------
        BeliefNetwork
            As :meth:`from_bif` returns it.
        """
        return cls._of(from_pgmpy(network))

    @classmethod
    def from_tables(cls, arcs, tables, values=None):
        """Return a fitted model with given tables of probabilities.

        The model has tables and no counts. It answers queries, but cannot learn from
        more rows.

        Parameters
        ----------
        arcs : list of (parent, child)
            Names of nodes.
        tables : dict of {name: array-like of shape (K_1, ..., K_q, K)}
            P(node | parents) of every node; the keys are the columns in their order.
            The first axes are the parents in the order of `arcs`, the last the node
            itself. Rows that sum to 1 up to .01 are scaled.
        values : dict of {name: list}, default=None
            The values of nodes, in the order of the tables. Those of other nodes are
            the integers 0, 1, ….

        Returns
        -------
        BeliefNetwork

        Raises
        ------
        ValueError
            If the arcs form a cycle, or tables or values do not fit.

        Examples
        --------
        Grass is wet on 9 of 10 days with rain, and on 3 of 10 without:

        >>> from sklearn_bayeslazy import BeliefNetwork
        >>> model = BeliefNetwork.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": [0.2, 0.8], "wet": [[0.9, 0.1], [0.3, 0.7]]},
        ...     values={"rain": ["yes", "no"], "wet": ["yes", "no"]},
        ... )
        >>> round(model.query({"wet": "yes"}, "rain")["yes"], 9)  # .18 / (.18 + .24)
        0.428571429
        """
        return cls._of(network_of_tables(arcs, tables, values))

    @classmethod
    def _of(cls, network):
        return cls(network.arcs())._take(network, nodes_of(network))

    def _read(self, X, sample_weight, *, reset):
        """Return the table and the weights of the rows whose weight is above 0."""
        X = check_table(self, X, reset=reset)
        kept, weight = kept_rows(sample_weight, X.shape[0])
        if kept is not None:
            X = take_rows(X, kept)
        names = getattr(self, "feature_names_in_", None)
        return read_table(X, names, self.categories, self.n_jobs), weight
