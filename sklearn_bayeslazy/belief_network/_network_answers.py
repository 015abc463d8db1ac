"""What fitted belief networks can be asked, with a class or without."""

from functools import partial
from html import escape
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._parallel import map_chunks
from ..tabular import MISSING, check_table, read_table, take_rows
from ._columns import read_codes
from ._imputation import fill
from ._inference import (
    JunctionTree,
    log_joint,
    log_marginals,
    log_shares,
    sampled_log_marginals,
)
from ._network import find_place


class NetworkAnswers:
    """Questions to a fitted network, answered for rows in threads."""

    @property
    def structure_(self):
        """The arcs by name, (parent, child)."""
        return self.network_.arcs()

    def posterior(self, X, targets):
        """Return the distribution of some nodes in each row, given what it shows.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        targets : str, or list of str
            Names of nodes, hidden ones above all. Several have a joint distribution.

        Returns
        -------
        ndarray of shape (n_samples, K_1, ..., K_t)
            P(targets | what is there), values in the order of `network_.values`. A
            target that is there has its own value alone; NaN where P(row) = 0.
        """
        check_is_fitted(self)
        return np.exp(log_shares(self._log_marginals(X, self._places(targets))))

    def impute(self, X):
        """Return rows with their missing cells filled, each by itself.

        A category is the likeliest one, given what is there; a number is what is to be
        expected, the mean of the numbers of each bin in the training table weighted by
        the bins' probabilities.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Floats if all columns are numbers, otherwise objects. What was there stays;
            cells stay missing in rows that are impossible, and in columns of which
            `fit` saw nothing.
        """
        check_is_fitted(self)
        X = self._check(X)
        numbers = all(mean is not None for mean in self._means)
        out = np.empty(X.shape, dtype=np.float64 if numbers else object)

        def complete(rows):
            codes = self._codes(X, rows)
            holes = codes[:, : len(self._column_names)] == MISSING
            cells = np.array(take_rows(X, rows))
            if cells.dtype.kind not in "fiu":
                cells = cells.astype(object)
                if numbers:  # holes may be None or pandas.NA
                    cells[holes] = np.nan
            cells = cells.astype(out.dtype)
            incomplete = np.flatnonzero(holes.any(axis=1))
            nodes = np.flatnonzero(holes.any(axis=0) & (self._codebook.sizes > 0))
            shares = self._node_shares(codes[incomplete], nodes)
            for node in nodes:  # but for columns of which fit saw nothing
                here = holes[incomplete, node]
                values = self.network_.values[node]
                filled = fill(shares[node][here], values, self._means[node])
                cells[incomplete[here], node] = filled
            out[rows] = cells

        self._map(complete, len(out), sum(self.network_.sizes))
        return out

    def to_networkx(self):
        """Return the graph as a `networkx.DiGraph`.

        Returns
        -------
        networkx.DiGraph
            Nodes by name, each with its `values`, its `parents` in the order of the
            axes of its `table`, and this, P(node | parents).
        """
        import networkx as nx

        check_is_fitted(self)
        network, graph = self.network_, nx.DiGraph()
        for name, values, parents, table in zip(
            network.names, network.values, network.parents, network.tables
        ):
            names = [network.names[node] for node in parents]
            graph.add_node(name, values=list(values), parents=names, table=table.copy())
        graph.add_edges_from(network.arcs())
        return graph

    def _places(self, names, word="targets"):
        """Return the numbers of nodes by name; each may be there once."""
        names = [names] if isinstance(names, str | Integral) else list(names)
        found = [find_place(name, self.network_.names, word) for name in names]
        if len(set(found)) < len(found):
            raise ValueError(f"{word}={names!r} names a node twice.")
        return found

    def _check(self, X):
        return check_table(self, X, reset=False)

    def _codes(self, X, rows):
        """Return the codes of a slice of rows, below 0 for what is missing."""
        table = read_table(take_rows(X, rows), self._column_names)
        refuse = self.unknown == "error"
        codes = read_codes(self._codebook, table, slice(0, table.n_rows), refuse)
        more = np.full((len(codes), len(self._others)), MISSING, dtype=np.int32)
        return np.concatenate([codes, more], axis=1)

    def _map(self, function, n_rows, n_floats):
        map_chunks(
            function, n_rows, 8 * (len(self._parents) + n_floats), n_jobs=self.n_jobs
        )

    def _log_marginals(self, X, wanted):
        """Return log P(wanted nodes, what is observed) of rows."""
        check_is_fitted(self)
        X, infer = self._check(X), self._infer()
        sizes = [self.network_.sizes[node] for node in wanted]
        found = np.empty((X.shape[0], *sizes))

        def answer(rows):
            found[rows] = infer(self.network_, self._codes(X, rows), wanted)

        self._map(answer, len(found), sum(sizes))
        return found

    def _infer(self):
        """Return what answers, of the signature of `log_marginals`."""
        if self.inference == "exact":
            return log_marginals
        return partial(
            _complete_or_sampled, n_draws=self.n_draws, seed=self._sampling_seed
        )

    def _node_shares(self, codes, nodes):
        """Return what is in proportion to P(node | what is observed), of some nodes."""
        network, infer = self.network_, self._infer()
        if self.inference == "exact":
            tree = JunctionTree.of(network.parents, network.sizes, refuse=False)
            if tree is not None:  # all nodes at once
                return tree.node_marginals(network, codes)
        logs = {node: infer(network, codes, [node]) for node in nodes}
        return {k: np.nan_to_num(np.exp(log_shares(some))) for k, some in logs.items()}

    def _repr_html_inner(self):
        return super()._repr_html_inner() + self._arcs_html()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._arcs_html()
        return bundle

    def _arcs_html(self):
        """Return the families as a list that can be folded; nothing before `fit`."""
        if not hasattr(self, "network_"):
            return ""
        network = self.network_
        lines = [
            f"<li>{_named(network, parents)} → {escape(name)}</li>"
            for name, parents in zip(network.names, network.parents)
            if parents
        ]
        n_arcs = len(network.arcs())
        return (
            f"<details><summary>{n_arcs} arcs between {network.n_nodes} nodes"
            f"</summary><ul>{''.join(lines)}</ul></details>"
        )

    def __sklearn_tags__(self):
        """Return the tags: missing cells, strings and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _named(network, nodes):
    return ", ".join(escape(network.names[node]) for node in nodes)


def _complete_or_sampled(network, codes, wanted, *, n_draws, seed):
    """Return log P(wanted, observed): of complete rows exactly, of others by draws."""
    if wanted:
        return sampled_log_marginals(network, codes, wanted, n_draws, seed)
    complete = (codes >= 0).all(axis=1)
    out = np.empty(len(codes))
    out[complete] = log_joint(network, codes[complete])
    out[~complete] = sampled_log_marginals(network, codes[~complete], [], n_draws, seed)
    return out
