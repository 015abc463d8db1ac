"""Graphs of neighbours in the sparse interface that scikit-learn is configured for."""

from scipy import sparse
from sklearn import get_config


def sparse_graph(values, indices, starts, shape):
    """Return CSR rows whose entries stay in the given order."""
    # scikit-learn 1.9 has the option `sparse_interface`: "spmatrix", which releases
    # without the option return too, or "sparray".
    interface = get_config().get("sparse_interface", "spmatrix")
    make = sparse.csr_array if interface == "sparray" else sparse.csr_matrix
    return make((values, indices, starts), shape=shape)
