"""Local regression: a polynomial fitted to the rows around each query."""

from ._locally_weighted_regressor import LocallyWeightedRegressor

__all__ = ["LocallyWeightedRegressor"]
