"""Rows drawn from a network, and posteriors estimated by weighted rows."""

import numpy as np


def sample(network, n_rows, rng, fixed=None):
    """Return rows of codes drawn from a network, parents before children.

    Parameters
    ----------
    network : Network
    n_rows : int
    rng : RandomState
    fixed : int array of shape (n_nodes,), default=None
        Values that nodes are set to, below 0 where they are drawn.

    Returns
    -------
    int32 array of shape (n_rows, n_nodes)
    """
    codes = np.empty((n_rows, network.n_nodes), dtype=np.int32)
    for node in network.order:
        if fixed is not None and fixed[node] >= 0:
            codes[:, node] = fixed[node]
            continue
        parents = tuple(codes[:, list(network.parents[node])].T)
        bounds = np.cumsum(network.tables[node], axis=-1)[..., :-1][parents]
        drawn = rng.random_sample(n_rows)[:, None]
        codes[:, node] = (
            drawn >= np.broadcast_to(bounds, (n_rows, bounds.shape[-1]))
        ).sum(axis=1)
    return codes
