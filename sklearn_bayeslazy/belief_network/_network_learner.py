"""How the estimators of belief networks learn: rows to counts, counts to tables."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._compat import Interval, StrOptions
from ..tabular import MISSING
from ._columns import extended_codebook, learn_codebook, read_codes, value_names
from ._counts import Rows
from ._hidden import LEARNERS, HiddenRows, learn_hidden
from ._imputation import bin_means, joined_means
from ._learning import count_families, estimate_network, learn_structure, spread
from ._network_answers import NetworkAnswers
from ._structure import SCORES

_OPTIONS = (
    "structure",
    "structure_score",
    "max_parents",
    "order",
    "required_arcs",
    "forbidden_arcs",
    "tabu",
    "n_restarts",
    "m",
    "prior",
    "loo_max_samples",
    "verbose",
)


# What the parameters that all networks share may be.
CONSTRAINTS = {
    "structure_score": [StrOptions(set(SCORES))],
    "max_parents": [Interval(Integral, 0, None, closed="left")],
    "order": ["array-like", None],
    "m": [Interval(Real, 0, None, closed="left")],
    "prior": [StrOptions({"uniform", "marginal", "bdeu"})],
    "n_bins": [Interval(Integral, 2, None, closed="left")],
    "required_arcs": ["array-like", None],
    "forbidden_arcs": ["array-like", None],
    "hidden": [dict, None],
    "missing": [StrOptions({"available", "expected"})],
    "hidden_learner": [StrOptions(set(LEARNERS))],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "inference": [StrOptions({"exact", "sampling"})],
    "n_draws": [Interval(Integral, 1, None, closed="left")],
    "tabu": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
    "n_restarts": [Interval(Integral, 0, None, closed="left")],
    "unknown": [StrOptions({"ignore", "error"})],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "n_jobs": [Integral, None],
}


def batches_excluded(model):
    """Return why a model cannot learn batch by batch, or None if it can."""
    if model.hidden or model.missing == "expected":
        return (
            "Hidden nodes and missing='expected' take all rows at once: set "
            "hidden=None and missing='available' to use partial_fit and merge."
        )
    if model.structure_score == "loo" and model.structure in ("k2", "hill_climbing"):
        return (
            "structure_score='loo' takes all rows at once: set another score, or "
            "structure to the arcs, to use partial_fit and merge."
        )
    if hasattr(model, "_counts") and model._counts is None:
        return (
            "This network has tables and no counts, from a BIF file or from expected "
            "counts, and cannot learn more: fit a model with its structure, "
            f"{type(model).__name__}(model.structure_)."
        )
    return None


class NetworkLearner(NetworkAnswers):
    """The steps of `fit`, `partial_fit` and `merge`.

    The nodes are the columns, then others that are no columns: the class, and hidden
    ones. Counts of families are additive; tables follow from them, the prior and m.
    Where tables come from expected counts, there are no counts to go on from.
    """

    _target = None  # the class's node

    @property
    def bin_edges_(self):
        """The cut points of each column of numbers, None for the others."""
        pairs = zip(self._codebook.values, self._codebook.is_cut)
        return [values if cut else None for values, cut in pairs]

    def _start(self, table, weight, target=None, classes=None):
        """Learn everything from a first batch.

        target is the name and the values of the class, and classes, of shape (n_rows,),
        are the rows' codes.
        """
        self._column_names = list(table.names)
        known = [target] if target else []
        self._others = [*known, *self._hidden_nodes([name for name, _ in known])]
        self._codebook = learn_codebook(
            table,
            self.binning,
            self.n_bins,
            classes,
            len(target[1]) if target else 0,
            weight,
        )
        rows = self._rows(table, weight, classes)
        options = {option: getattr(self, option, None) for option in _OPTIONS}
        rng = check_random_state(self.random_state)
        self._parents = learn_structure(rows, options, self._target, rng, self.n_jobs)
        self._counts = count_families(rows, self._parents)
        self._marginals, self._means = _marginals(rows), self._bin_means(table, rows)
        self.network_ = self._estimate(self.m)
        self.n_iter_, self.converged_ = 1, True
        vars(self).pop("objective_history_", None)  # of a former fit
        if self.hidden or self.missing == "expected":
            self._expect(rows, rng)
        self._sampling_seed = int(rng.randint(2**31 - 1))
        self._finish()

    def _hidden_nodes(self, known):
        """Return names and values of the hidden nodes, if they can be."""
        if self.hidden and isinstance(self.structure, str):
            raise ValueError(
                f"hidden={self.hidden!r} needs the arcs: structure={self.structure!r} "
                "looks for arcs between nodes that are seen. Give structure as a list "
                "of (parent, child) that names the hidden nodes too."
            )
        nodes, taken = [], {*self._column_names, *known}
        for name, size in (self.hidden or {}).items():
            if str(name) in taken:
                raise ValueError(
                    f"hidden names {name!r}, which is a column, the class, or there "
                    "twice: give the node another name."
                )
            if not isinstance(size, Integral) or isinstance(size, bool) or size < 2:
                raise ValueError(
                    f"hidden[{name!r}] must be the number of its values, ≥ 2, got "
                    f"{size!r}."
                )
            taken.add(str(name))
            nodes.append((str(name), np.arange(size)))
        return nodes

    def _expect(self, rows, rng):
        """Learn the tables from expected counts, instead of those available."""
        names, n_others = rows.names, len(self.hidden or {})
        hidden = range(len(names) - n_others, len(names))
        for node in hidden:
            if not self._parents[node] and not any(node in p for p in self._parents):
                raise ValueError(
                    f"hidden names {names[node]!r}, which no arc of structure leads to "
                    "or from."
                )
        found = learn_hidden(
            HiddenRows.of(
                rows.codes.T,
                rows.weight,
                self.network_,
                self.m,
                self.prior,
                self._marginals,
            ),
            self._estimate(max(self.m, 1.0)),  # a probability of 0 would stay
            hidden,
            self.hidden_learner,
            rng,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            n_jobs=self.n_jobs,
            report=self._report if self.verbose else None,
        )
        self.network_, self._counts = found.network, None
        self.n_iter_ = max(len(found.history) - 1, 1)
        self.converged_ = found.converged
        self.objective_history_ = found.history
        if not found.converged:
            warnings.warn(
                f"Tables have not converged after max_iter={self.max_iter} steps: give "
                "more, or a larger tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _report(self, start, value):
        print(f"{self.hidden_learner}, start {start + 1}: {value:.8g}")

    def _bin_means(self, table, rows):
        is_cut, sizes = self._codebook.is_cut, rows.sizes
        return bin_means(table, rows.codes.T, rows.weight, is_cut, sizes)

    def _go_on(self, table, weight, classes=None):
        """Add a later batch."""
        self._widen(extended_codebook(self._codebook, table))
        rows = self._rows(table, weight, classes)
        counts = count_families(rows, self._parents)
        self._add(counts, _marginals(rows), self._bin_means(table, rows))

    def _check_counts(self, other):
        """Raise an error if another model has no counts to be merged."""
        if reason := batches_excluded(other):
            raise ValueError(f"other cannot be merged. {reason}")

    def _join(self, other):
        """Add what another model has counted."""
        mine, theirs = set(self.structure_), set(other.structure_)
        if self._column_names != other._column_names or mine != theirs:
            raise ValueError(
                "The two models differ in their columns or structure: only one has the "
                f"arcs {sorted(mine ^ theirs)}."
            )
        codebook = self._codebook.union(other._codebook, self._column_names)
        self._widen(codebook)
        self._add(*other._spread(codebook), other._means)

    def _finish(self):
        """Do what is left once the network is there."""

    def _estimate(self, m):
        """Return the network whose tables follow from the counts."""
        return estimate_network(
            (*self._column_names, *(name for name, _ in self._others)),
            (*value_names(self._codebook), *(values for _, values in self._others)),
            self._parents,
            self._counts,
            self._marginals,
            m,
            self.prior,
        )

    def _rows(self, table, weight, classes):
        codes = read_codes(self._codebook, table, slice(None))
        names = (*self._column_names, *(name for name, _ in self._others))
        more = np.full((len(codes), len(self._others)), MISSING, dtype=np.int32)
        if classes is not None:
            more[:, 0] = classes
        codes = np.concatenate([codes, more], axis=1)
        return Rows.of(codes, weight, names, self._sizes(self._codebook))

    def _sizes(self, codebook):
        """Return how many values each node has; a column of holes has one."""
        columns = (max(int(size), 1) for size in codebook.sizes)
        return [*columns, *(len(values) for _, values in self._others)]

    def _widen(self, codebook):
        """Take a codebook with more categories."""
        self._counts, self._marginals = self._spread(codebook)
        self._codebook = codebook

    def _spread(self, codebook):
        """Return counts and marginals in the values of another codebook."""
        sizes = self._sizes(codebook)
        ends, places = self._codebook.start, self._codebook.positions_in(codebook)
        of_node = [
            places[ends[j] : ends[j + 1]] - codebook.start[j]
            if ends[j + 1] > ends[j]
            else np.zeros(1, dtype=np.int64)
            for j in range(len(ends) - 1)
        ]
        of_node += [np.arange(len(values)) for _, values in self._others]

        def widen(counts, family):
            where = [of_node[node] for node in family]
            return spread(counts, where, [sizes[node] for node in family])

        counts = [
            widen(some, (*parents, node))
            for node, (parents, some) in enumerate(zip(self._parents, self._counts))
        ]
        return counts, [widen(some, (j,)) for j, some in enumerate(self._marginals)]

    def _add(self, counts, marginals, means):
        self._means = joined_means(self._means, self._marginals, means, marginals)
        self._counts = [a + b for a, b in zip(self._counts, counts)]
        self._marginals = [a + b for a, b in zip(self._marginals, marginals)]
        self.network_ = self._estimate(self.m)
        self._finish()


def _marginals(rows):
    return [rows.count((node,)) for node in range(len(rows.sizes))]
