"""BeliefNetworkClassifier: a Bayesian network of the columns and the class."""

from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._compat import Interval, StrOptions, fit_context
from .._core._estimator import all_or_nothing, unavailable_because
from .._core._fit_tasks import FitTasks
from .._core._joint_log_likelihood import JointLogLikelihoodClassifier
from ..explain import Cells, Explanation
from ..leave_one_out import (
    CLASSIFICATION_SCORING,
    PredictionSetMixin,
    check_rows_remain,
    check_same_choices,
    cross_fitted,
    is_loo,
    most_rows,
    rows_to_leave_out,
)
from ..tabular import (
    CLASS_WEIGHTS,
    MISSING,
    check_mergeable,
    check_table,
    known_classes,
    number_copies,
    read_table,
    row_weight,
    times_class_weight,
    weighted_rows,
    without_copies,
)
from ._base import CONSTRAINTS, BaseBeliefNetwork
from ._bif import read_bif_source
from ._calibration import Calibration
from ._given_tables import nodes_of, with_class
from ._inference import class_scorer, evidence_terms
from ._learning import encode_labels, why_not_incremental
from ._left_out_tables import (
    Choice,
    LeftOutTables,
    choose_by_leave_one_out,
    tuned_candidates,
    tuned_parameters,
)
from ._network import Network, find_node
from ._nodes import BINNINGS, ClassColumn
from ._structure import SCORES, STRUCTURES, learn_structure
from ._tables import PRIORS, Smoothing, TableCounts

# The name of the class node where y has no name.
DEFAULT_CLASS_NAME = "class"
# What a search for the structure assumes where m and prior are chosen afterwards, and
# what "loo" means where the tables cannot be scored by leave-one-out.
SEARCH_M, SEARCH_PRIOR = 1.0, "uniform"
# The structures that maximize `structure_score`.
SEARCHES = ("k2", "hill_climbing")


class BeliefNetworkClassifier(
    PredictionSetMixin, BaseBeliefNetwork, JointLogLikelihoodClassifier
):
    r"""A Bayesian belief network of the columns and the class.

    Each column is a node of a directed acyclic graph, and so is the class. Each node
    has a table of its probabilities for each combination of its parents' values. The
    joint distribution is the product of the tables,

    .. math:: P(x_1, \ldots, x_n) = \prod_i P(x_i \mid \mathrm{Parents}(x_i)).

    The classifier predicts by :math:`P(\mathrm{class} \mid x)`, exactly by default.
    Missing cells are summed over: no cell is imputed, and no row is dropped. By default
    leave-one-out chooses how the tables are smoothed, and calibrates the probabilities
    of the classes. The classical tree-augmented naive Bayes of Friedman, Geiger and
    Goldszmidt, with Fayyad and Irani's bins, no calibration, and virtual examples by
    the frequencies in all rows, is ``BeliefNetworkClassifier("tan", binning="mdlp",
    m=5.0, prior="marginal", calibration=None)``.

    Parameters
    ----------
    structure : str or list of (parent, child), default="fan"
        How the arcs are found. "naive": the class is the only parent of each column.
        "tan" (tree-augmented naive Bayes): besides the class, columns have parents in a
        tree of columns, by their mutual information given the class; its root is the
        column that tells most about the class. "fan" (forest-augmented naive Bayes):
        "tan" by the information beyond that of chance alone, of which columns with many
        values have most; a column without any has the class as its only parent.
        "chow_liu": the tree of all nodes with maximal total mutual information, with
        the class as its root. "k2": gives each node the best parents among the nodes
        before it in `order`. "hill_climbing": adds, drops and reverses arcs as long as
        `structure_score` rises. Or the arcs by name; the name of the class is that of y
        (a Series) or "class".

    structure_score : str, default="bdeu"
        The score that "k2" and "hill_climbing" maximize: "bdeu", "k2", "bic", "aic",
        "log_likelihood" or "loo". The equivalent sample size of BDeu is `m`.
        "loo" is the leave-one-out log likelihood of the class given the rest of the
        row, exact for complete rows. It is the only score of the prediction of the
        class; the others score the whole joint distribution.

    max_parents : int, default=3
        The maximum number of parents that "k2" and "hill_climbing" give a node.

    order : list of str, default=None
        All nodes, parents before children, for "k2". By default the class, then the
        columns in their order in X.

    m : float or "loo", default="loo"
        The number of virtual examples in a table, ≥ 0: for each combination of the
        parents' values, or with prior="bdeu" for all of them together. With 0 the
        tables are relative frequencies. "loo": chosen by leave-one-out; a structure
        search takes 1 before that.

    prior : {"uniform", "marginal", "bdeu", "backoff", "loo"}, default="loo"
        How virtual examples are distributed: evenly over the values ("uniform"), by the
        frequency of each value in all rows ("marginal"), evenly over all cells of the
        table ("bdeu"), or by the probabilities given the class alone ("backoff"). The
        latter have at most one virtual example themselves, from the probabilities
        without parents. "loo": chosen by leave-one-out, together with m.

    calibration : {"loo", None}, default="loo"
        "loo": the probabilities of the classes are in proportion to
        :math:`e^{b_c} P(c, x)^v`. The exponent v and the offsets b maximize the
        leave-one-out log likelihood of the classes. A network that misses dependences
        counts evidence twice, and v < 1 corrects it. None: v = 1 and b = 0, the
        probabilities that the network itself implies.

    categories : "auto", list or dict, default="auto"
        The values of the columns of categories. Each is a value of the node, even if no
        row has it. "auto": the values in the training data, and those that the dtype of
        a pandas Categorical or a polars Enum declares. A list with an array of values,
        or None for "auto", for each column, or a dictionary {column: array}; then any
        other value in the training data is an error, and numbers are not cut into bins.

    n_bins : int, default=5
        The number of bins of each column of numbers, for `binning` "quantile" and
        "uniform"; the least number for "auto".

    binning : {"auto", "mdlp", "quantile", "uniform"}, default="auto"
        How numbers are cut into bins: by the minimum description length principle of
        Fayyad and Irani, which uses y and looks at one column at a time ("mdlp"); of
        equal weight ("quantile"); or of equal width ("uniform"). "auto": for each
        column by "mdlp" or "quantile", whichever gives more bins ("mdlp" if equal). A
        number that 1 / `n_bins` of the rows have, as the 0 of an amount, then has a bin
        alone if the principle parts it from the others in its bin.

    required_arcs, forbidden_arcs : list of (parent, child), default=None
        Arcs by name that "hill_climbing" always keeps, and that it never adds.

    tiers : list of lists of str, default=None
        Names of nodes in an order of time: "hill_climbing" adds no arc from a node to
        one in an earlier list. Nodes in no list are not restricted.

    tabu : int or "auto", default="auto"
        The number of last graphs to which "hill_climbing" does not return, and the
        number of moves without a better graph after which it ends. "auto" is 100,
        and 10 for "loo", whose moves take longer.

    n_restarts : int, default=0
        How often "hill_climbing" restarts from the best graph, after random changes.

    loo_candidates : dict, default=None
        Candidates for the parameters set to "loo": {"m": list, "prior": list}. By
        default a 1-2-5 series from .1 to 5000 for m, and all priors. They form a grid.

    loo_scoring : {"log_loss", "accuracy"}, default="log_loss"
        The score that chooses m and prior; log loss breaks ties in accuracy.

    loo_max_samples : int or None, default=10000
        The maximum number of rows that leave-one-out leaves out, one by one, drawn at
        random from larger tables. All rows count in the tables. Wide tables with many
        classes leave out fewer: 2³³ / (columns · classes · candidates), with 60
        candidates by default, but at least 500. None leaves out every row.

    hidden : dict of {str: int}, default=None
        Names of hidden nodes, which no column shows, with their numbers of values. The
        values are 0, 1, …, sorted by decreasing probability. `structure` must be a list
        of arcs that names the hidden nodes.

    missing : {"available", "expected"}, default="available"
        How rows with missing cells count. "available": each table counts the rows in
        which its node and all its parents are observed. "expected": every row counts in
        all tables, by the probabilities of its missing values given the observed ones;
        this uses all rows and takes longer, and rows without a label count too
        (semi-supervised learning). With hidden nodes it is always "expected".

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
        Whether a category that `fit` has not seen counts as missing in
        `predict`, or raises
        an error.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same; not for
        `partial_fit`.

    random_state : int, RandomState instance or None, default=None
        Seed of the random rows of `loo_max_samples`, the random changes before
        restarts, the random tables of hidden nodes, and likelihood weighting.

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
        first batch in `partial_fit`. After `fit_blocks` all rows for "fan", "tan" and
        "chow_liu", those of the sample for "k2" and "hill_climbing". 0 for "naive" and
        given arcs.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        The total weight of the rows with each label; 0 if the network was given.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(c) without evidence.
    m_, prior_ : float, str
        The number of virtual examples and their distribution, chosen or given.
    exponent_ : float
        The exponent v of the calibration; 1 without.
    class_offset_ : ndarray of shape (n_classes,)
        The offsets b of the calibration; 0 without.
    loo_results_ : dict
        Only if m or prior was chosen. "params", "mean_log_loss",
        "standard_error_log_loss", "mean_accuracy", "standard_error_accuracy" and
        "rank" of the candidates, each with its best exponent, "exponent".
        ``pandas.DataFrame(loo_results_)`` shows them as a table.
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
    MEstimateNB : The naive structure, with numbers that are not cut into bins.

    Notes
    -----
    Leave-one-out is exact given the graph, the categories and the bins. A graph that is
    learnt has seen y. So a quarter of the rows is left out of the tables of a graph,
    and of bins, that the other quarters give; and the same with each other quarter.
    Above `loo_max_samples` rows one quarter suffices. A row with missing cells is left
    out exactly if the graph is a tree given the class ("naive", "fan", "tan",
    "chow_liu"). In other graphs its class is predicted by the families that it
    observes. In two cases "loo" means m = 1, the prior "uniform" and no calibration:
    with hidden nodes or missing="expected", because expected counts depend on all rows;
    and for a search with structure_score="loo", because its graph has been fitted to
    the predictions of left-out rows, which are then too good (m is the weight of one
    row here).

    ``predict_proba(None)`` predicts each training row by the tables without it. With a
    graph that is given, or "naive", bins, m, prior and calibration are those of all
    rows. Where the graph is learnt, all that is learnt or chosen for a row comes from
    the three quarters of the rows that lack it and rows like it.

    Where cells are missing, a score adds parents one by one, those with the fewest
    missing values first. The gain of each is measured over the rows in which all of
    them are observed, then scaled to all rows. Searches skip tables of more than a
    million cells.

    The values of a hidden node are not identified: every order of them explains the
    rows equally well (label switching), so they are sorted by decreasing probability.
    Two networks can also give all rows the same probability with different tables, if
    a hidden node has more values than its neighbors can distinguish. Learning then ends
    at one of them.

    Given the class, "naive", "fan", "tan" and "chow_liu" structures are trees. The time
    for a row is then proportional to its number of columns, whatever is missing. In
    other structures a complete row needs only the families that contain the class. Rows
    with missing cells are answered by variable elimination, those with the same missing
    cells together.

    References
    ----------
    T. Mitchell (1997), Machine Learning, section 6.11.
    N. Friedman, D. Geiger and M. Goldszmidt (1997), "Bayesian network classifiers",
    Machine Learning 29.
    P. Lucas (2004), "Restricted Bayesian network structure learning", in Advances in
    Bayesian Networks, Springer.
    C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger (2017), "On calibration of modern
    neural networks", ICML.
    A. Alexandari, A. Kundaje and A. Shrikumar (2020), "Maximum likelihood with
    bias-corrected calibration is hard-to-beat at label shift adaptation", ICML.

    Examples
    --------
    Lung cancer depends on family history and smoking. Of ten people with each
    combination, 8, 5, 7 and 1 have it:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import BeliefNetworkClassifier
    >>> rows = [["yes", "yes"], ["yes", "no"], ["no", "yes"], ["no", "no"]]
    >>> X = np.repeat(np.array(rows), 10, axis=0)
    >>> y = np.concatenate([["ill"] * k + ["well"] * (10 - k) for k in (8, 5, 7, 1)])
    >>> arcs = [(0, "class"), (1, "class")]
    >>> model = BeliefNetworkClassifier(
    ...     arcs, m=0, prior="uniform", calibration=None
    ... ).fit(X, y)
    >>> model.predict_proba(rows)
    array([[0.8, 0.2],
           [0.5, 0.5],
           [0.7, 0.3],
           [0.1, 0.9]])

    For a smoker with unknown family history, (.8 + .7) / 2:

    >>> model.predict_proba(np.array([[None, "yes"]], dtype=object))
    array([[0.75, 0.25]])
    """

    _parameter_constraints = {
        **CONSTRAINTS,
        "structure": [StrOptions(set(STRUCTURES)), "array-like"],
        "structure_score": [StrOptions({*SCORES, "loo"})],
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "prior": [StrOptions({*PRIORS, "loo"})],
        "calibration": [StrOptions({"loo"}), None],
        "class_weight": CLASS_WEIGHTS,
        "loo_candidates": [dict, None],
        "loo_scoring": [StrOptions(set(CLASSIFICATION_SCORING))],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "binning": [StrOptions(set(BINNINGS))],
    }

    def __init__(
        self,
        structure: ArrayLike = "fan",
        *,
        structure_score="bdeu",
        max_parents=3,
        order=None,
        m: str | float = "loo",
        prior="loo",
        calibration: str | None = "loo",
        categories: str | list | dict = "auto",
        n_bins=5,
        binning="auto",
        required_arcs=None,
        forbidden_arcs=None,
        tiers=None,
        tabu: str | int = "auto",
        n_restarts=0,
        loo_candidates=None,
        loo_scoring="log_loss",
        loo_max_samples=10_000,
        hidden=None,
        missing="available",
        hidden_learner="em",
        n_init=5,
        max_iter=200,
        tol=1e-6,
        inference="exact",
        n_draws=2000,
        unknown="ignore",
        class_weight=None,
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
        self.calibration = calibration
        self.categories = categories
        self.n_bins = n_bins
        self.binning = binning
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.tiers = tiers
        self.tabu = tabu
        self.n_restarts = n_restarts
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.hidden = hidden
        self.missing = missing
        self.hidden_learner = hidden_learner
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.inference = inference
        self.n_draws = n_draws
        self.unknown = unknown
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn bins, structure and tables.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Numbers, strings, categories and booleans; missing cells are NaN, None or
            pandas.NA.
        y : array-like of shape (n_samples,)
            Class labels. With missing="expected" or hidden nodes, rows without a label
            (NaN, None or pandas.NA) are used too: their class is a missing value.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`).

        Returns
        -------
        self : BeliefNetworkClassifier

        Raises
        ------
        ValueError, TypeError
            If a parameter or a column cannot be used. An earlier fit stays usable.
        """
        tasks = FitTasks(self, X, y, sample_weight)
        with all_or_nothing(self):
            read = self._read_rows(X, y, sample_weight, reset=True)
            self._learn(*self._without_copies(*read), tasks=tasks)
            _, weight, target = read
            self._keep_training_rows(read, sample_weight, target.codes, weight)
            tasks.end_fit()
        return self

    @unavailable_because(why_not_incremental)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn tables from one more batch of rows.

        The structure, the bin edges and what leave-one-out has chosen remain those of
        the first batch (or of `fit`). With these, any split into batches gives the
        tables of one `fit`. New categories are allowed in any batch. An `m` or `prior`
        that is given is read anew.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes of all batches; required in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : BeliefNetworkClassifier

        Raises
        ------
        ValueError, TypeError
            If `classes` are missing or differ, or the kind of a column has changed. The
            model stays as it was.
        """
        first = not hasattr(self, "classes_")
        with all_or_nothing(self):
            classes = known_classes(self, classes)
            learn = self._learn if first else self._learn_more
            learn(*self._read(X, y, sample_weight, reset=first, classes=classes))
            self._set_class_attributes()
        return self

    @unavailable_because(why_not_incremental)
    def merge(self, other):
        """Add the counts of another model, as if this one had seen its rows too.

        The tables use the `m` and `prior` of this model. If leave-one-out has chosen
        them or the calibration, it must have chosen the same in both models.

        Parameters
        ----------
        other : BeliefNetworkClassifier
            A fitted model of the same columns, classes, structure and bin edges. Its
            categories may differ. It is not changed.

        Returns
        -------
        self : BeliefNetworkClassifier

        Raises
        ------
        ValueError, TypeError
            If the models do not match. The model stays as it was.
        """
        check_mergeable(self, other, BeliefNetworkClassifier)
        if not np.array_equal(self.classes_, other.classes_):
            raise ValueError(
                f"The models' classes differ: {self.classes_.tolist()} and "
                f"{other.classes_.tolist()}. Fit both with the same classes."
            )
        with all_or_nothing(self):
            self._merge(other)
            self._set_class_attributes()
        return self

    @classmethod
    def from_bif(cls, source, target=DEFAULT_CLASS_NAME):
        """Return a fitted classifier with the network of a BIF file.

        Parameters
        ----------
        source : str, path-like or file
            A file or a text as :meth:`BeliefNetwork.from_bif` reads it.
        target : str, default="class"
            The name of the node that is the class.

        Returns
        -------
        BeliefNetworkClassifier
            As :meth:`from_network` returns it.
        """
        return cls.from_network(read_bif_source(source), target)

    @classmethod
    def from_network(cls, network, target=DEFAULT_CLASS_NAME):
        """Return a fitted classifier with a given network, without training rows.

        The classifier has tables and no counts, and no calibration: its probabilities
        are those of the network. It cannot learn from more rows.

        Parameters
        ----------
        network : BeliefNetwork, BeliefNetworkClassifier or Network
            A fitted model, for instance by :meth:`BeliefNetwork.from_tables`, or the
            `network_` of one. A model also knows the bins of columns of numbers.
        target : str, default="class"
            The name of the node that is the class. The other nodes are the columns, in
            their order. Hidden nodes stay hidden.

        Returns
        -------
        BeliefNetworkClassifier

        Raises
        ------
        TypeError, ValueError
            If `network` is no network, or has no such node.

        Examples
        --------
        >>> from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
        >>> rain = BeliefNetwork.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": [0.2, 0.8], "wet": [[0.9, 0.1], [0.3, 0.7]]},
        ...     values={"rain": ["yes", "no"], "wet": ["yes", "no"]},
        ... )
        >>> model = BeliefNetworkClassifier.from_network(rain, "rain")
        >>> model.classes_.tolist()
        ['no', 'yes']
        >>> import pandas as pd
        >>> model.predict_proba(pd.DataFrame({"wet": ["yes"]}))  # .24 : .18
        array([[0.57142857, 0.42857143]])
        """
        if isinstance(network, Network):
            nodes, means = nodes_of(network), [None] * network.n_nodes
        elif isinstance(network, BaseBeliefNetwork):
            check_is_fitted(network)
            nodes, means = network._nodes, network._counts.bin_means
            network = network.network_
        else:
            raise TypeError(
                "network must be a fitted BeliefNetwork or its network_, got "
                f"{type(network).__name__}."
            )
        node = find_node(target, network.names, "target")
        columns = [j for j in range(nodes.n_columns) if j != node]
        network, nodes = with_class(network, nodes, node)
        model = cls(network.arcs(), calibration=None)
        model._take(network, nodes, [means[j] for j in columns])
        model._calibration = Calibration.none(network.sizes[model._class_node])
        model._set_class_attributes()
        return model

    def predict_joint_log_proba(self, X):
        """Return the joint log probabilities log P(c, x).

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Not None: of a training row without itself, only the class probabilities
            are known.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats, columns in the order of `classes_`; -inf where P(c, x) = 0. The
            missing values of x are summed over. These are the probabilities of the
            network, without the calibration.
        """
        check_is_fitted(self)
        if X is None:
            raise ValueError(
                "X=None is not for predict_joint_log_proba: use predict_proba(None) or "
                "predict_log_proba(None), or give X."
            )
        return self._log_marginals(X, [self._class_node])

    def explain(self, X):
        """Return the weight of evidence of each cell, in log odds of the classes.

        The nodes are observed one after the other, parents before children, and the
        contribution of a cell is what it changes in log P(c | cells so far). The sum is
        exact, but the parts depend on this order where cells share what they tell of
        the class. If the class has no parents and no cell is missing, a contribution is
        log P(x_j | parents, a) - log P(x_j | parents, b), times `exponent_`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            Its scores are :meth:`predict_log_proba`. Missing cells contribute 0.
        """
        check_is_fitted(self)
        rows = self._check(X)
        codes = self._codes(rows, slice(0, rows.shape[0]))
        scorer = class_scorer(self.network_, self._class_node)
        engine = self._inference_engine()
        n_columns = self._nodes.n_columns
        base, terms = evidence_terms(
            codes,
            [node for node in self.network_.order if node < n_columns],
            lambda known: self._calibration.apply(scorer.score(known, engine)),
        )
        names = self.network_.names[:n_columns]
        return Explanation(
            terms[:, :n_columns],
            base,
            self.classes_,
            names=names,
            values=Cells(X, names),
            base_name="(prior)",
        )

    def _read(self, X, y, sample_weight, **options):
        """Return rows as `_read_rows`, without copies if they are left out."""
        rows = self._read_rows(X, y, sample_weight, **options)
        return self._without_copies(*rows)

    def _read_again(self, X, y, sample_weight):
        rows = super()._read_again(X, y, sample_weight)
        return self._without_copies(*rows) if X is None else rows

    def _read_rows(self, X, y, sample_weight, *, reset, classes=None):
        """Return the table, the weights and the classes of rows with weight above 0."""
        # `classes` are those of all batches; by default the classes in y.
        name = getattr(y, "name", None)
        X = check_table(self, X, y, reset=reset)
        X, y, weight = weighted_rows(X, y, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        table = read_table(X, names, self.categories, self.n_jobs)
        classes, codes = encode_labels(y, classes, self._has_expected_counts)
        weight = times_class_weight(weight, self.class_weight, classes, codes)
        if not isinstance(name, str) or name in table.names:
            name = DEFAULT_CLASS_NAME
        if reset and name in table.names:
            raise ValueError(
                "A column is named 'class', like the class itself: rename it, or give "
                "y as a Series with another name."
            )
        return table, weight, ClassColumn(name, classes, codes)

    def _without_copies(self, table, weight, target):
        """Return the rows without copies if leave-one-out chooses anything."""
        if tuned_parameters(self) and not self._has_expected_counts:
            table, codes, weight, _ = without_copies(table, target.codes, weight)
            target = target._replace(codes=codes)
        return table, weight, target

    def _weight_unit(self, weight):
        """Return the weight of one row if leave-one-out chooses anything."""
        return row_weight(weight) if tuned_parameters(self) else 1.0

    @property
    def _search_smoothing(self):
        m = SEARCH_M if is_loo(self.m) else float(self.m)
        prior = SEARCH_PRIOR if self.prior in ("loo", "backoff") else self.prior
        return Smoothing(m, prior)

    def _set_smoothing(self, rows, parents, table, rng, of_blocks=None):
        """Set m, prior and calibration, by leave-one-out where it is requested."""
        vars(self).pop("loo_results_", None)  # of an earlier fit
        calibration = Calibration.none(rows.sizes[self._class_node])
        unit = 1.0 if self._has_expected_counts else self._weight_unit(rows.weight)
        of_row = unit if is_loo(self.m) else 1.0
        smoothing = Smoothing(SEARCH_M * unit, SEARCH_PRIOR, of_row)
        choice = Choice(smoothing, calibration, None)
        if (tuned := tuned_parameters(self)) and self._can_leave_rows_out():
            check_rows_remain(len(rows.weight), tuned)
            parts = self._left_out_parts(rows, parents, table, rng, of_blocks)
            choice = choose_by_leave_one_out(parts, rows.weight, self)
        self.m_, self.prior_, self._weight_of_row = choice.smoothing
        self._calibration = choice.calibration
        if choice.results is not None:
            self.loo_results_ = choice.results
        self._update_smoothing()

    def _left_out_parts(self, rows, parents, table, rng, of_blocks):
        """Return LeftOutTables of rows, by graphs that they have not chosen."""
        n_rows, node = len(rows.weight), self._class_node
        n_candidates = len(tuned_candidates(rows.weight, self))
        most = most_rows(
            self.loo_max_samples,
            n_candidates * rows.n_nodes * rows.sizes[node],
            n_rows,
        )
        parts = []
        for left_out, graph in self._graphs_of_folds(rows, parents, table, of_blocks):
            some = left_out[rows_to_leave_out(len(left_out), most, rng)]
            parts.append(LeftOutTables(*graph, node, some, self.n_jobs))
            if most is not None and n_rows > most:
                break  # one part of a large table suffices
        return parts

    def _graphs_of_folds(self, rows, parents, table, of_blocks=None):
        """Yield rows, and all rows by bins, and counts of a graph, of the others."""
        # The graph is given by the parents of each node. If no row has decided about
        # it, there is one graph, that of all rows.
        of_all, weight = (rows, self._counts, parents), rows.weight
        # A search is made in the first block, and other families are not counted.
        is_given = of_blocks is not None and of_blocks.pairs is None
        if is_given or self._has_given_graph:
            return [(np.arange(len(weight)), of_all)]
        unit = self._weight_unit(weight)
        target = ClassColumn(*self._nodes.others[0], rows.codes[self._class_node])

        def learn(others):
            of_others = target._replace(codes=target.codes[others])
            some = table.take(others), weight[others] / unit, of_others
            nodes = self._learn_nodes(*some).extended(table)
            del some  # a copy of most cells
            coded = nodes.rows(table, weight, target, self.n_jobs)
            searched = coded.take(others)
            graph = learn_structure(
                replace(searched, weight=searched.weight / unit),
                self,
                self._class_node,
                check_random_state(0),
                self.n_jobs,
            )
            is_cut = nodes.codebook.is_cut
            counts = TableCounts.of(coded, graph, table, is_cut, self.n_jobs)
            return coded, counts, graph

        def subtract(others):
            fold = np.setdiff1d(np.arange(len(weight)), others)
            pairs = of_blocks.pairs.without(rows.take(fold))
            tree = pairs.tree(unit, self.n_jobs)
            return rows, of_blocks.with_tree(tree), tree

        learn_graph = learn if of_blocks is None else subtract
        return cross_fitted(of_all, table, target.codes, weight, learn_graph)

    def _can_leave_rows_out(self):
        """Return whether the tables can be scored by leave-one-out."""
        # Expected counts depend on all rows, so no row can be left out of them. A graph
        # that leave-one-out has chosen predicts the left-out rows too well.
        searches = isinstance(self.structure, str) and self.structure in SEARCHES
        is_judged = searches and self.structure_score == "loo"
        return not (self._has_expected_counts or is_judged)

    def _update_smoothing(self):
        """Take m and prior from the parameters; what leave-one-out has chosen stays."""
        self.m_ = self.m_ if is_loo(self.m) else float(self.m)
        self.prior_ = self.prior_ if is_loo(self.prior) else self.prior

    def _check_equal_choices(self, other):
        """Raise an error if leave-one-out has chosen differently in the other model."""
        attributes = {"m": "m_", "prior": "prior_", "calibration": "exponent_"}
        names = [attributes[name] for name in tuned_parameters(self)]
        check_same_choices(
            [(name, getattr(self, name), getattr(other, name)) for name in names]
        )

    @property
    def exponent_(self):
        """The exponent of the joint probabilities in the class probabilities."""
        return self._calibration.exponent

    @property
    def class_offset_(self):
        """The offset of each class in the class probabilities."""
        return self._calibration.offset

    def _finish_fit(self, rng):
        """Set the attributes of the classes too."""
        super()._finish_fit(rng)
        self._set_class_attributes()

    def _set_class_attributes(self):
        """Set the classes, their total weights, and their prior probabilities."""
        node = self._class_node
        _, self.classes_ = self._nodes.others[0]
        marginals = self._counts.marginals
        # A network that was given has no counts.
        self.class_count_ = (
            marginals[node] if marginals else np.zeros(len(self.classes_))
        )
        no_evidence = np.full((1, self.network_.n_nodes), MISSING, dtype=np.int32)
        log_prior = self._inference_engine().log_marginals(
            self.network_, no_evidence, [node]
        )
        self.class_log_prior_ = log_prior[0]

    @property
    def _class_node(self):
        return self._nodes.n_columns

    def _check(self, X):
        return check_table(self, X, reset=False)

    def _joint_blocks(self, X, rows, tempered=False):
        # Calibrated for every use: `predict_joint_log_proba` asks the network itself.
        scorer = class_scorer(self.network_, self._class_node)
        joint = scorer.score(self._codes(X, rows), self._inference_engine())
        yield rows, self._calibration.apply(joint)

    def _left_out_joint(self, tempered):
        table, weight, target = self._rows_to_leave_out()
        if self._has_expected_counts:
            raise ValueError(
                "X=None needs counts from which a row can be subtracted, and hidden "
                "nodes and missing='expected' have expected counts: give X, or fit "
                "with hidden=None and missing='available'."
            )
        table, codes, weight, of_given = without_copies(table, target.codes, weight)
        target = target._replace(codes=codes)
        coded = self._nodes.rows(table, weight, target, self.n_jobs)
        parents = self.network_.parents
        graphs = list(self._graphs_of_folds(coded, parents, table))
        parts = []
        for rows, graph in graphs:
            parts.append(LeftOutTables(*graph, self._class_node, rows, self.n_jobs))
            if coded.has_missing and not parts[-1].is_tree:
                raise ValueError(
                    "X=None with missing cells needs a network that consists of trees "
                    "given the class, such as structure='tan': give X, or impute the "
                    "cells."
                )
        joint, log_prior = np.empty((2, len(weight), len(self.classes_)))
        for k, (rows, _) in enumerate(graphs):
            choice = Choice(self._smoothing, self._calibration, None)
            others = parts[:k] + parts[k + 1 :]
            if others and tuned_parameters(self) and self._can_leave_rows_out():
                choice = choose_by_leave_one_out(others, weight, self)
            (scores,) = parts[k].joint([choice.smoothing])
            joint[rows] = choice.calibration.apply(scores)
            log_prior[rows] = parts[k].log_prior()
        return joint[of_given], log_prior[of_given]

    def _copies_left_out(self):
        table, weight, target = self._rows_to_leave_out()
        return number_copies(table, target.codes, weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # A list of arcs may leave the class without arcs.
        tags.classifier_tags.poor_score = not isinstance(self.structure, str)
        return tags
