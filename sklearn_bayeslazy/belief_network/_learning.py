"""How both estimators of belief networks learn: rows, merges, averages of networks."""

from copy import deepcopy
from dataclasses import replace
from functools import partial
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._compat import CallbackSupportMixin
from .._core._fit_tasks import Iterations
from .._core._warnings import warn_caller
from ..tabular import (
    MISSING,
    BlockFitMixin,
    encode_classes,
    factorize,
    import_pandas,
    missing_cells,
)
from ._counts import check_table_sizes
from ._graph import arcs_of
from ._incomplete_data import IncompleteRows, learn_tables
from ._network import Network, find_node
from ._nodes import Nodes, hidden_nodes, learn_node_codebook
from ._structure import (
    TREES,
    TreeCounts,
    averaged_parents,
    count_arcs,
    learn_structure,
)
from ._tables import Smoothing, TableCounts, class_axes


def why_not_incremental(model):
    """Return why a model cannot learn batch by batch, or None if it can."""
    if model._has_expected_counts:
        return (
            "Hidden nodes and missing='expected' need all rows at once: set "
            "hidden=None and missing='available' to use partial_fit and merge."
        )
    if hasattr(model, "_counts") and model._counts.families is None:
        return (
            "This network has tables and no counts: the tables were given, or come "
            "from expected counts. It cannot learn from more rows: fit a model with "
            f"its structure, {type(model).__name__}(model.structure_)."
        )
    return None


class LearningMixin(BlockFitMixin, CallbackSupportMixin):
    """The steps of `fit`, `partial_fit`, `fit_blocks` and `merge`."""

    # Estimators read their input and call `_learn` with the first batch of rows and
    # `_learn_more` with later ones. The counts of families add up over batches; the
    # tables follow from the counts, `prior_` and `m_`.
    # Private fitted attributes: ``_nodes``, the nodes and their values; ``_counts``, a
    # `TableCounts`; ``_sampling_seed``, for inference="sampling".

    # The node of the class, in a network with a class.
    _class_node = None
    _weight_of_row = 1.0  # in `Smoothing`

    @property
    def structure_(self):
        """The arcs by name, (parent, child)."""
        return self.network_.arcs()

    @property
    def bin_edges_(self):
        """The inner bin edges of each column of numbers, None for the other columns."""
        return self._nodes.codebook.edges

    @property
    def _has_given_graph(self):
        """Whether `structure` gives the arcs, so that no row decides about them."""
        return not isinstance(self.structure, str) or self.structure == "naive"

    @property
    def _has_expected_counts(self):
        """Whether tables are learnt from the expected counts of all rows."""
        return bool(self.hidden) or self.missing == "expected"

    def _learn(self, table, weight, target=None, tasks=None):
        """Learn bins, structure and probability tables from a first batch of rows."""
        # weight: (n_rows,); target: the ClassColumn of the rows, in a network with a
        # class.
        unit = self._weight_unit(weight)
        self._nodes = self._learn_nodes(table, weight / unit, target)
        rows = self._nodes.rows(table, weight, target, self.n_jobs)
        searched = rows if unit == 1 else replace(rows, weight=rows.weight / unit)
        rng = check_random_state(self.random_state)
        class_node = None if target is None else self._nodes.n_columns

        # Callbacks draw from a copy: `fit` draws the same with and without them.
        def end_with_graph(model, parents):
            copied = deepcopy(rng)
            model._estimate_tables(rows, parents, table, copied)
            model._finish_fit(copied)

        def end_with_tables(model, learned):
            model._set_tables(learned)
            model._finish_fit(deepcopy(rng))

        moves = Iterations(tasks, "move", end_with_graph)
        parents = learn_structure(searched, self, class_node, rng, self.n_jobs, moves)
        self.structure_weight_ = 0.0 if self._has_given_graph else rows.total_weight
        self._estimate_tables(rows, parents, table, rng)
        if self._has_expected_counts:
            steps = Iterations(tasks, "step", end_with_tables)
            self._learn_from_expected_counts(rows, rng, steps)
        self._finish_fit(rng)

    def _estimate_tables(self, rows, parents, table, rng):
        """Set the network of a graph, its tables estimated from observed counts."""
        is_cut = self._nodes.codebook.is_cut
        self._counts = TableCounts.of(rows, parents, table, is_cut, self.n_jobs)
        self._set_smoothing(rows, parents, table, rng)
        self.network_ = self._network(parents)
        self.n_iter_, self.converged_ = 1, True
        vars(self).pop("objective_history_", None)  # of an earlier fit

    def _finish_fit(self, rng):
        """Forget former rows, and draw the seed of sampling."""
        self._training_rows = None
        self._sampling_seed = int(rng.randint(2**31 - 1))

    @property
    def _search_smoothing(self):
        """What a search for the graph assumes of the tables."""
        return Smoothing(float(self.m), self.prior)

    def _weight_unit(self, weight):
        """Return the weight that counts as one row where bins and graph are learnt."""
        return 1.0

    def _set_smoothing(self, rows, parents, table, rng, of_blocks=None):
        """Set `m_` and `prior_`, which decide how tables follow from counts."""
        # of_blocks: the counts of all blocks, if `rows` are a sample of these.
        self._update_smoothing()

    def _update_smoothing(self):
        """Take `m` and `prior` anew for the tables of more rows."""
        self.m_, self.prior_ = float(self.m), self.prior

    def _learn_nodes(self, table, weight, target):
        """Return the nodes with their values: categories, bins, classes."""
        class_and_hidden = [] if target is None else [(target.name, target.values)]
        used_names = [*table.names, *(name for name, _ in class_and_hidden)]
        class_and_hidden += hidden_nodes(self.hidden, self.structure, used_names)
        codebook = learn_node_codebook(
            table, self.binning, self.n_bins, target, weight, self.n_jobs
        )
        return Nodes(tuple(table.names), codebook, tuple(class_and_hidden))

    def _learn_from_expected_counts(self, rows, rng, iterations):
        """Replace the probability tables by those learned from expected counts."""
        parents = self.network_.parents
        hidden = range(rows.n_nodes - len(self.hidden or {}), rows.n_nodes)
        _check_connected(hidden, parents, rows.names)
        axes = class_axes(parents, self._class_node)
        virtual = self._counts.pseudo_counts(self._smoothing, axes)
        # The start has m ≥ 1, so that no probability is 0: EM could not change it.
        start = self._network(parents, least_m=1.0)
        learned = learn_tables(
            IncompleteRows.of(rows.codes.T, rows.weight, start, virtual),
            start,
            hidden,
            self.hidden_learner,
            rng,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            n_jobs=self.n_jobs,
            report=self._print_objective if self.verbose else None,
            iterations=iterations,
        )
        self._set_tables(learned)
        if not learned.converged and not iterations.stopped:
            warn_caller(
                f"The tables have not converged after max_iter={self.max_iter} steps: "
                "increase max_iter or tol.",
                ConvergenceWarning,
            )

    def _set_tables(self, learned):
        """Take tables that were learned from expected counts."""
        self.network_ = learned.network
        self._counts = replace(self._counts, families=None)
        self.n_iter_ = max(len(learned.history) - 1, 1)
        self.converged_ = learned.converged
        self.objective_history_ = learned.history

    def _print_objective(self, start, objective):
        print(f"{self.hidden_learner}, start {start + 1}: {objective:.8g}")

    def _take(self, network, nodes, bin_means=None):
        """Take a network that is given, instead of learning one from rows."""
        self.network_, self._nodes = network, nodes
        means = [None] * nodes.n_columns if bin_means is None else bin_means
        self._counts = TableCounts(None, [], means)
        self._sampling_seed = 0
        self.structure_weight_ = 0.0
        self.n_features_in_ = nodes.n_columns
        # The names of an array's columns are their indices.
        if not all(name.isdecimal() for name in nodes.column_names):
            self.feature_names_in_ = np.array(nodes.column_names, dtype=object)
        return self

    def _learn_more(self, table, weight, target=None):
        """Add the counts of a later batch of rows; see `_learn`."""
        self._expand_counts(self._nodes.extended(table))
        rows = self._nodes.rows(table, weight, target, self.n_jobs)
        is_cut = self._nodes.codebook.is_cut
        parents = self.network_.parents
        counts = TableCounts.of(rows, parents, table, is_cut, self.n_jobs)
        self._update_smoothing()
        self._counts = self._counts.with_pairs_of(rows, self.n_jobs)
        self._add(counts)

    def _forget_rows(self):
        """Drop the counts of all rows, and keep what was chosen."""
        self._counts = self._counts.without_rows()

    def _begin_blocks(self):
        """Count pairs of nodes too, if the graph follows from them."""
        if isinstance(self.structure, str) and self.structure in TREES:
            nodes = self._nodes
            pairs = TreeCounts.zeros(
                self.structure, nodes.names, nodes.sizes, self._class_node
            )
            self._counts = replace(self._counts, pairs=pairs)

    def _end_blocks(self, X, y, sample_weight):
        """Set the tree of all rows, then m, prior and calibration by their counts."""
        # Leave-one-out leaves out the rows given, which are among those counted.
        parents, counted = self.network_.parents, self._counts
        read = self._read_again(X, y, sample_weight)
        if (pairs := counted.pairs) is not None:
            parents = pairs.tree(self._weight_unit(read[1]), self.n_jobs)
            check_table_sizes(parents, self._nodes.sizes, self._nodes.names)
            self._counts = counted.with_tree(parents)
            self.structure_weight_ = pairs.total_weight
        rng = check_random_state(self.random_state)
        self._set_smoothing(self._nodes.rows(*read), parents, read[0], rng, counted)
        self.network_ = self._network(parents)
        self._finish_fit(rng)

    def _read_again(self, X, y, sample_weight):
        """Return rows of the columns and the classes of `fit`; None: its own rows."""
        if X is None:
            return self._rows_to_leave_out(
                "stands for the rows of the last call of fit,"
            )
        has_class = self._class_node is not None
        labels, known = ([y], {"classes": self.classes_}) if has_class else ([], {})
        return self._read(X, *labels, sample_weight, reset=False, **known)

    def arc_strengths(
        self, X=None, y=None, *, n_bootstraps=100, random_state=None, sample_weight=None
    ):
        """Return how many graphs of bootstrap samples have an arc between two nodes.

        The search for the graph is repeated on rows that are drawn with replacement;
        bins remain those of `fit`. An arc that most samples lack is likely to be noise.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features), default=None
            By default the rows of `fit`, with their labels and weights.
        y : array-like of shape (n_samples,), default=None
            The labels of the rows, in a network with a class; otherwise ignored.
        n_bootstraps : int, default=100
            The number of samples. The standard error of a strength p is
            √(p (1 − p) / n_bootstraps).
        random_state : int, RandomState instance or None, default=None
            Seed of the samples; by default that of the model.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0. As many rows are drawn as they sum to.

        Returns
        -------
        DataFrame
            A row for each two nodes with an arc in any graph, the strongest first.
            "strength": the share of the graphs with an arc in either direction.
            "direction": the share of these in which it leads from "parent" to "child",
            at least .5. An arc that an equivalent graph has the other way round (see
            :meth:`to_cpdag`) counts one half in each direction.

        Raises
        ------
        ValueError
            If the arcs were given, and not searched for; or if X is None after
            `partial_fit`, `fit_blocks`, `merge` or loading, which keep no rows.

        References
        ----------
        N. Friedman, M. Goldszmidt and A. Wyner (1999), "Data analysis with Bayesian
        networks: a bootstrap approach", UAI.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bayeslazy import BeliefNetwork
        >>> a, noise = np.random.default_rng(0).integers(0, 2, size=(2, 300))
        >>> X = np.column_stack([a, a, noise]).astype(str)
        >>> model = BeliefNetwork().fit(X)
        >>> strengths = model.arc_strengths(n_bootstraps=20, random_state=0)
        >>> strengths.head(1).to_dict("list")
        {'parent': ['0'], 'child': ['1'], 'strength': [1.0], 'direction': [0.5]}
        """
        check_is_fitted(self)
        if self._has_given_graph:
            raise ValueError(
                f"structure={self.structure!r} gives the arcs, which every sample has: "
                "fit with a search, such as structure='hill_climbing'."
            )
        if not isinstance(n_bootstraps, Integral) or n_bootstraps < 1:
            raise ValueError(f"n_bootstraps={n_bootstraps!r} must be an integer ≥ 1.")
        if X is not None and y is None and self._class_node is not None:
            raise ValueError("y=None, but the network has a class: give the labels.")
        table, weight, *target = self._read_again(X, y, sample_weight)
        unit = self._weight_unit(weight)
        rows = self._nodes.rows(table, weight / unit, *target, n_jobs=self.n_jobs)
        seed = self.random_state if random_state is None else random_state
        rng, class_node = check_random_state(seed), self._class_node
        counts = count_arcs(rows, self, class_node, n_bootstraps, rng, self.n_jobs)
        names, both = self.network_.names, counts + counts.T
        found = [
            (names[i], names[j], both[i, j] / n_bootstraps, counts[i, j] / both[i, j])
            for i, j in zip(*np.nonzero(both))
            if (counts[i, j], j) > (counts[j, i], i)  # the first node, if equal
        ]
        columns = ["parent", "child", "strength", "direction"]
        frame = import_pandas().DataFrame(found, columns=columns)
        return frame.sort_values(
            "strength", ascending=False, kind="stable", ignore_index=True
        )

    def averaged_structure(self, strengths, threshold=0.5):
        """Return the arcs of the average of the graphs of bootstrap samples.

        Parameters
        ----------
        strengths : DataFrame
            As :meth:`arc_strengths` returns it.
        threshold : float, default=0.5
            The least strength of an arc.

        Returns
        -------
        list of (str, str)
            The arcs (parent, child), for the parameter `structure`. Each has its more
            frequent direction, with equal frequencies that of `structure_`, and the
            other one where a stronger arc would be in a cycle with it.
        """
        check_is_fitted(self)
        arcs = [
            (parent, child, direction)
            for parent, child, strength, direction in self._read_strengths(strengths)
            if strength >= threshold
        ]
        names, parents = self.network_.names, self.network_.parents
        averaged = arcs_of(averaged_parents(arcs, parents))
        return [(names[parent], names[child]) for parent, child in averaged]

    def _read_strengths(self, strengths):
        """Return each two nodes of a frame, with strength and direction."""
        expected = {"parent", "child", "strength", "direction"}
        if not expected <= set(getattr(strengths, "columns", ())):
            raise TypeError(
                "strengths must be a DataFrame as arc_strengths returns it, got "
                f"{strengths!r:.60}."
            )
        find = partial(find_node, names=self.network_.names, where="strengths")
        return [
            (find(row.parent), find(row.child), row.strength, row.direction)
            for row in strengths.itertuples()
        ]

    def _strengths_of_arcs(self, strengths):
        """Return {arc: strength} for the arcs of the network, 0 without a row."""
        of_pairs = {
            frozenset((parent, child)): strength
            for parent, child, strength, _ in self._read_strengths(strengths)
        }
        arcs = arcs_of(self.network_.parents)
        return {arc: of_pairs.get(frozenset(arc), 0.0) for arc in arcs}

    def _merge(self, other):
        """Add the counts of another model of the same columns."""
        if reason := why_not_incremental(other):
            raise ValueError(f"other cannot be merged. {reason}")
        first, second = set(self.structure_), set(other.structure_)
        columns = self._nodes.column_names, other._nodes.column_names
        if columns[0] != columns[1]:
            raise ValueError(
                f"The two models differ in their columns, {columns[0]} and "
                f"{columns[1]}: fit both to the same columns."
            )
        if first != second:
            raise ValueError(
                "The two models differ in their structure: only one of them has the "
                f"arcs {sorted(first ^ second)}. Fit both with the same structure."
            )
        self._check_equal_choices(other)
        nodes = self._nodes.union(other._nodes)
        self._update_smoothing()
        counts = other._counts_in(nodes)
        self._expand_counts(nodes)
        self._add(counts)

    def _check_equal_choices(self, other):
        """Raise an error if what was chosen from rows differs in the other model."""

    def _expand_counts(self, nodes):
        """Replace the nodes by ones with more values, and extend the counts to them."""
        self._counts = self._counts_in(nodes)
        self._nodes = nodes

    def _counts_in(self, nodes):
        """Return all counts for `nodes`, whose values include the present ones."""
        check_table_sizes(self.network_.parents, nodes.sizes, nodes.names)
        positions, sizes = self._nodes.positions_in(nodes), nodes.sizes
        return self._counts.expanded(self.network_.parents, positions, sizes)

    def _add(self, counts):
        self._training_rows = None
        self._counts = self._counts + counts
        self.network_ = self._network(self.network_.parents)

    @property
    def _smoothing(self):
        return Smoothing(self.m_, self.prior_, self._weight_of_row)

    def _network(self, parents, least_m=0.0):
        """Return the network of a graph, its tables estimated from the counts."""
        smoothing = self._smoothing._replace(m=max(self.m_, least_m))
        axes = class_axes(parents, self._class_node)
        tables = self._counts.tables(smoothing, axes)
        return Network(self._nodes.names, self._nodes.values, tuple(parents), tables)


def _check_connected(nodes, parents, names):
    """Raise an error if a node of `nodes` has neither parents nor children."""
    for node in nodes:
        if not parents[node] and not any(node in found for found in parents):
            raise ValueError(
                f"hidden names {names[node]!r}, which has no arc in structure: add an "
                "arc, or drop the node from hidden."
            )


# Labels of rows, some of which have none: their class is a missing value.


def encode_labels(y, classes=None, allows_missing=False):
    """Return the sorted classes and the code of each label, MISSING without a label.

    >>> encode_labels(np.array(["b", None, "a"], dtype=object), allows_missing=True)[1]
    array([ 1, -1,  0], dtype=int32)
    """
    # y: (n_samples,); classes: None for those in y; allows_missing: whether rows may
    # have no label, otherwise an error.
    is_missing = _find_missing(y)
    if not is_missing.any():
        return encode_classes(y, classes)
    if not allows_missing:
        raise ValueError(
            f"Input y contains NaN or None, {is_missing.sum()} rows without a label: "
            "drop those rows, or set missing='expected' to learn from them too."
        )
    if is_missing.all():
        raise ValueError(
            "Input y contains NaN or None only: at least one row needs a label."
        )
    labels = y[~is_missing]
    if labels.dtype == object:  # numbers beside None
        natural = np.array(labels.tolist())
        labels = natural if natural.dtype.kind in "biuf" else labels
    codes = np.full(len(y), MISSING, dtype=np.int32)
    classes, codes[~is_missing] = encode_classes(labels, classes)
    return classes, codes


def _find_missing(y):
    """Return whether each label is NaN, None or pandas.NA."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=bool)
    return missing_cells(factorize(y.tolist(), "y"))
