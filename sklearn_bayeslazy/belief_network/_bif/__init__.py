"""Networks as text in the Bayesian Interchange Format (BIF)."""

from ._network_text import read_bif, read_bif_file, write_bif

__all__ = ["read_bif", "read_bif_file", "write_bif"]
