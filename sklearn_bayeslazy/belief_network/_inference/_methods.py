"""The two ways to answer queries: exact inference and likelihood weighting.

Each has `log_marginals`, the joint of some nodes and the observed nodes, and
`node_weights`, the distribution of each of several nodes by itself.
"""

from dataclasses import dataclass

import numpy as np

from ._elimination import log_joint, log_marginals, log_posteriors
from ._junction_tree import JunctionTree
from ._sampling import sampled_log_marginals


class ExactInference:
    """Answers by variable elimination or by a junction tree."""

    def log_marginals(self, network, codes, query_nodes):
        """Return log P(query nodes, observed nodes) of each row."""
        return log_marginals(network, codes, query_nodes)

    def node_weights(self, network, codes, nodes):
        """Return numbers in proportion to P(node | observed nodes), for each node."""
        # codes: (n_rows, n_nodes). Returns {node: (n_rows, K)} for `nodes` at least;
        # all 0 where the row is impossible.
        tree = JunctionTree.of(network.parents, network.sizes, check_size=False)
        if tree.is_tractable:  # one pass for all nodes
            return dict(enumerate(tree.node_marginals(network, codes)))
        return _posteriors_one_by_one(self, network, codes, nodes)


@dataclass(frozen=True)
class SampledInference:
    """Answers by likelihood weighting; complete rows are answered exactly."""

    n_draws: int  # for each row
    seed: int

    def log_marginals(self, network, codes, query_nodes):
        """Estimate log P(query nodes, observed nodes) of each row."""
        if query_nodes:
            return self._sampled(network, codes, query_nodes)
        complete = (codes >= 0).all(axis=1)
        out = np.empty(len(codes))
        out[complete] = log_joint(network, codes[complete])
        out[~complete] = self._sampled(network, codes[~complete], [])
        return out

    def node_weights(self, network, codes, nodes):
        """Estimate P(node | observed nodes) of each node; see `ExactInference`."""
        return _posteriors_one_by_one(self, network, codes, nodes)

    def _sampled(self, network, codes, query_nodes):
        return sampled_log_marginals(
            network, codes, query_nodes, self.n_draws, self.seed
        )


def _posteriors_one_by_one(inference, network, codes, nodes):
    found = {}
    for node in nodes:
        joint = inference.log_marginals(network, codes, [node])
        found[node] = np.nan_to_num(np.exp(log_posteriors(joint)))
    return found
