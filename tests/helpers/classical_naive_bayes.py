"""MEstimateNB as the textbooks have it: nothing is chosen unless a test names it."""

from sklearn_bayeslazy import MEstimateNB

CLASSICAL = {
    "m": 1.0,
    "distribution": "auto",
    "feature_weights": None,
    "n_bins": 10,
    "binning": "quantile",
}


def classical_nb(m=1.0, **params):
    """Return an MEstimateNB whose other parameters are those of the textbooks."""
    return MEstimateNB(**{**CLASSICAL, "m": m, **params})
