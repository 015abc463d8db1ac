"""What the estimators of belief networks share: rows to counts, counts to tables."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._compat import Interval, StrOptions
from .._parallel import map_chunks
from ..tabular import check_table, read_table, take_rows
from ._columns import extended_codebook, learn_codebook, read_codes, value_names
from ._counts import Rows
from ._inference import log_marginals
from ._learning import count_families, estimate_network, learn_structure, spread
from ._scores import SCORES

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
    "tabu": [Interval(Integral, 0, None, closed="left")],
    "n_restarts": [Interval(Integral, 0, None, closed="left")],
    "unknown": [StrOptions({"ignore", "error"})],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "n_jobs": [Integral, None],
}


class NetworkLearner:
    """The steps of `fit`, `partial_fit` and `merge`.

    The nodes are the columns, then others that are no columns: the class. Counts of
    families are additive; tables follow from them, the prior and m.
    """

    _target = None  # the class's node

    @property
    def structure_(self):
        """The arcs by name, (parent, child)."""
        return self.network_.arcs()

    @property
    def bin_edges_(self):
        """The cut points of each column of numbers, None for the others."""
        pairs = zip(self._codebook.values, self._codebook.is_cut)
        return [values if cut else None for values, cut in pairs]

    def _start(self, table, weight, others, more):
        """Learn everything from a first batch.

        others are pairs (name, values) of nodes that are no columns, and more, of shape
        (n_rows, n_others), their codes.
        """
        self._column_names, self._others = list(table.names), others
        classes = (more[:, 0], len(others[0][1])) if others else (None, 0)
        self._codebook = learn_codebook(
            table, self.binning, self.n_bins, *classes, weight
        )
        rows = self._rows(table, weight, more)
        options = {option: getattr(self, option) for option in _OPTIONS}
        rng = check_random_state(self.random_state)
        self._parents = learn_structure(rows, options, self._target, rng, self.n_jobs)
        self._counts = count_families(rows, self._parents)
        self._marginals = _marginals(rows)
        self._finish()

    def _go_on(self, table, weight, more):
        """Add a later batch."""
        self._widen(extended_codebook(self._codebook, table))
        rows = self._rows(table, weight, more)
        self._add(count_families(rows, self._parents), _marginals(rows))

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
        self._add(*other._spread(codebook))

    def _finish(self):
        """Turn counts into tables."""
        self.network_ = estimate_network(
            (*self._column_names, *(name for name, _ in self._others)),
            (*value_names(self._codebook), *(values for _, values in self._others)),
            self._parents,
            self._counts,
            self._marginals,
            self.m,
            self.prior,
        )

    def _rows(self, table, weight, more):
        codes = read_codes(self._codebook, table, slice(None))
        names = (*self._column_names, *(name for name, _ in self._others))
        if self._others:
            codes = np.concatenate([codes, more.astype(np.int32)], axis=1)
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
        ends, places = self._codebook.start, self._codebook.places_in(codebook)
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

    def _add(self, counts, marginals):
        self._counts = [a + b for a, b in zip(self._counts, counts)]
        self._marginals = [a + b for a, b in zip(self._marginals, marginals)]
        self._finish()

    def _check(self, X):
        return check_table(self, X, reset=False)

    def _codes(self, X, rows):
        """Return the codes of a slice of rows, below 0 for what is missing."""
        table = read_table(take_rows(X, rows), self._column_names)
        refuse = self.unknown == "error"
        codes = read_codes(self._codebook, table, slice(0, table.n_rows), refuse)
        more = np.full((len(codes), len(self._others)), -1, dtype=np.int32)
        return np.concatenate([codes, more], axis=1)

    def _log_marginals(self, X, wanted):
        """Return log P(wanted nodes, what is observed) of rows, in threads."""
        check_is_fitted(self)
        X = self._check(X)
        sizes = [self.network_.sizes[node] for node in wanted]
        found = np.empty((X.shape[0], *sizes))

        def answer(rows):
            found[rows] = log_marginals(self.network_, self._codes(X, rows), wanted)

        n_bytes = 8 * (len(self._parents) + sum(sizes))
        map_chunks(answer, len(found), n_bytes, n_jobs=self.n_jobs)
        return found

    def __sklearn_tags__(self):
        """Return the tags: missing cells, strings and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _marginals(rows):
    return [rows.count((node,)) for node in range(len(rows.sizes))]
