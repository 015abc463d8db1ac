"""BeliefNetworkClassifier: a Bayesian network of columns and class, to be read."""

from numbers import Integral

import numpy as np

from .._compat import Interval, StrOptions, fit_context
from .._estimator import all_or_nothing, unavailable_because
from .._labelled_rows import check_mergeable, known_classes, weighted_rows
from ..naive_bayes._base import JointLogLikelihoodClassifier
from ..tabular import MISSING, check_table, encode_classes, read_table
from ._columns import BINNINGS
from ._inference import class_scorer
from ._learning import STRUCTURES
from ._network_learner import CONSTRAINTS, NetworkLearner, batches_excluded
from ._structure import SCORES


class BeliefNetworkClassifier(NetworkLearner, JointLogLikelihoodClassifier):
    r"""A Bayesian belief network of the columns and the class.

    Each column is a node, and the class is one. A graph says on which others each node
    depends directly, and a table gives its probabilities for each combination of these
    parents' values; the joint distribution is the product,

    .. math:: P(x_1, \ldots, x_n) = \prod_i P(x_i \mid \mathrm{Parents}(x_i)).

    The answer is :math:`P(\mathrm{class} \mid x)`, exactly. Missing cells are summed
    over: nothing is imputed, and no row is dropped.

    Parameters
    ----------
    structure : str or list of (parent, child), default="tan"
        "naive": the class is the one parent of each column. "tan": a tree of columns
        beside that, by their mutual information given the class. "chow_liu": the tree
        of all nodes that keeps most mutual information, its root the class. "k2": each
        node takes the best parents among those before it in `order`.
        "hill_climbing": arcs are added, dropped and turned for as long as
        `structure_score` rises. Or the arcs by name, the class by that of y (a Series)
        or "class".

    structure_score : str, default="bdeu"
        What "k2" and "hill_climbing" look at: "bdeu", "k2", "bic", "aic",
        "log_likelihood" or "loo". BDeu's equivalent sample size is `m`.
        "loo" is the leave-one-out log likelihood of the class given the rest of the
        row, exact for complete rows: the only one that asks how well the class is told.

    max_parents : int, default=3
        The most parents that "k2" and "hill_climbing" give a node.

    order : list of str, default=None
        All nodes, causes first, for "k2". By default the class, then the columns.

    m : float, default=1.0
        Virtual examples in each table, ≥ 0: for each combination of the parents'
        values, or with prior="bdeu" shared by all of them. 0 keeps plain frequencies.

    prior : {"uniform", "marginal", "bdeu"}, default="uniform"
        What they are drawn from: every value alike, the value's frequency in all rows,
        or every cell of the table alike.

    n_bins : int, default=5
        Bins of numbers, for `binning` "quantile" and "uniform".

    binning : {"mdlp", "quantile", "uniform"}, default="mdlp"
        How numbers are cut: by the minimum description length principle of Fayyad and
        Irani, which looks at y, into equal masses, or into equal widths.

    required_arcs, forbidden_arcs : list of (parent, child), default=None
        Arcs by name that "hill_climbing" keeps, and that it never makes.

    tabu : int or "auto", default="auto"
        The last graphs that "hill_climbing" does not return to, and the moves without
        a better graph after which it ends. "auto" is 100, and 10 for "loo", whose moves
        take longer.

    n_restarts : int, default=0
        So many times "hill_climbing" starts again from the best graph, after random
        changes.

    loo_max_samples : int or None, default=10000
        So many rows at most are left out for structure_score="loo", drawn at random
        from larger tables; the others stay whole. None leaves out every row.

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
        What becomes of a category in `predict` that `fit` has not seen: it counts as
        missing, or is an error.

    random_state : int, RandomState instance or None, default=None
        Draws the rows of `loo_max_samples`, the changes of restarts, the starts of
        hidden nodes, and the draws of `inference`.

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
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        The mass (sum of weights) of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(c), nothing else known.
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
    MEstimateNB : The naive structure, with numbers as they are.

    Notes
    -----
    Where cells are missing, a score takes parents in one by one, those with the fewest
    holes first, and what each adds is measured over the rows in which all of them are
    observed, scaled to all rows. Tables of more than a million cells are passed over.

    The values of a hidden node have no names: any order of them explains the rows as
    well (label switching), and the commonest comes first here. More can be lost than
    names: two networks may give all rows the same probability (a hidden node of more
    values than its neighbours can tell apart), and an ascent ends at one of them.

    Given the class, "naive", "tan" and "chow_liu" structures are trees, and each row
    takes time in proportion to its columns, whatever is missing. In other structures
    complete rows need the class's parents, children and their other parents alone;
    rows with holes are answered by variable elimination, all of one pattern at once.

    References
    ----------
    T. Mitchell (1997), Machine Learning, section 6.11.
    N. Friedman, D. Geiger and M. Goldszmidt (1997), "Bayesian network classifiers",
    Machine Learning 29.

    Examples
    --------
    Lung cancer depends on family history and smoking. Of ten people each, 8, 5, 7 and 1
    have it:

    >>> from sklearn_bayeslazy import BeliefNetworkClassifier
    >>> rows = [["yes", "yes"], ["yes", "no"], ["no", "yes"], ["no", "no"]]
    >>> X = np.repeat(np.array(rows), 10, axis=0)
    >>> y = np.concatenate([["ill"] * k + ["well"] * (10 - k) for k in (8, 5, 7, 1)])
    >>> arcs = [(0, "class"), (1, "class")]
    >>> model = BeliefNetworkClassifier(arcs, m=0).fit(X, y)
    >>> model.predict_proba(rows)
    array([[0.8, 0.2],
           [0.5, 0.5],
           [0.7, 0.3],
           [0.1, 0.9]])

    Of a smoker whose family nobody knows, (.8 + .7) / 2:

    >>> model.predict_proba(np.array([[None, "yes"]], dtype=object))
    array([[0.75, 0.25]])
    """

    _parameter_constraints = {
        **CONSTRAINTS,
        "structure": [StrOptions(set(STRUCTURES)), "array-like"],
        "structure_score": [StrOptions({*SCORES, "loo"})],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "binning": [StrOptions(set(BINNINGS))],
    }

    def __init__(
        self,
        structure="tan",
        *,
        structure_score="bdeu",
        max_parents=3,
        order=None,
        m=1.0,
        prior="uniform",
        n_bins=5,
        binning="mdlp",
        required_arcs=None,
        forbidden_arcs=None,
        tabu="auto",
        n_restarts=0,
        loo_max_samples=10_000,
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
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : BeliefNetworkClassifier

        Raises
        ------
        ValueError, TypeError
            Where a parameter or a column cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            self._learn(*self._read(X, y, sample_weight, reset=True))
        return self

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn tables from one more batch of rows.

        The structure and the bin edges are those of the first batch (or of `fit`), and
        with them any split gives the tables of one `fit`; new categories may arrive at
        any time. m and the prior are read anew.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever come; needed at the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : BeliefNetworkClassifier

        Raises
        ------
        ValueError, TypeError
            Where `classes` are missing or differ, or a column has changed its kind;
            the model stays as it was.
        """
        first = not hasattr(self, "classes_")
        with all_or_nothing(self):
            classes = known_classes(self, classes)
            read = self._read(X, y, sample_weight, reset=first, classes=classes)
            if first:
                self._learn(*read)
            else:
                _, table, codes, weight, _ = read
                self._go_on(table, weight, codes)
        return self

    @unavailable_because(batches_excluded)
    def merge(self, other):
        """Add what another model has learnt, as if this one had seen its rows too.

        m and the prior stay this model's.

        Parameters
        ----------
        other : BeliefNetworkClassifier
            A fitted model of the same columns, classes, structure and bin edges. Its
            categories may differ. It stays as it is.

        Returns
        -------
        self : BeliefNetworkClassifier

        Raises
        ------
        ValueError, TypeError
            Where the two do not fit together; the model stays as it was.
        """
        check_mergeable(self, other, BeliefNetworkClassifier)
        if not np.array_equal(self.classes_, other.classes_):
            raise ValueError(
                f"The models' classes differ: {self.classes_.tolist()} and "
                f"{other.classes_.tolist()}."
            )
        self._check_counts(other)
        with all_or_nothing(self):
            self._join(other)
        return self

    def predict_joint_log_proba(self, X):
        """Return the joint log probabilities log P(c, x).

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats, columns in the order of `classes_`; -inf where P(c, x) = 0. What is
            missing in x is summed over.
        """
        return self._log_marginals(X, [self._target])

    def _read(self, X, y, sample_weight, *, reset, classes=None):
        """Return classes, the table, class codes, weights, and the class's name."""
        name = getattr(y, "name", None)
        X = check_table(self, X, y, reset=reset)
        X, y, weight = weighted_rows(X, y, sample_weight)
        table = read_table(X, getattr(self, "feature_names_in_", None))
        classes, codes = encode_classes(y, classes)
        if not isinstance(name, str) or name in table.names:
            name = "class"
        return classes, table, codes, weight, name

    def _learn(self, classes, table, codes, weight, name):
        """Learn everything from a first batch."""
        if name in table.names:
            raise ValueError(
                "A column is named 'class', as the class itself: rename it, or give y "
                "as a Series with another name."
            )
        self.classes_ = classes
        self._start(table, weight, (name, classes), codes)

    def _finish(self):
        """Work out the class prior."""
        self.class_count_ = self._marginals[self._target]
        nothing = np.full((1, len(self._parents)), MISSING, dtype=np.int32)
        self.class_log_prior_ = self._infer()(self.network_, nothing, [self._target])[0]

    @property
    def _target(self):
        return len(self._column_names)

    def _joint_blocks(self, X, rows):
        score = class_scorer(self.network_, self._target)
        yield rows, score(self._codes(X, rows), self._infer())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Arcs by hand may leave the class alone.
        tags.classifier_tags.poor_score = not isinstance(self.structure, str)
        return tags
