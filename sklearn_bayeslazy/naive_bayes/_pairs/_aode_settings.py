"""The parameters of AODEClassifier that its model depends on."""

from dataclasses import dataclass, fields
from numbers import Integral, Real

import numpy as np

from ...leave_one_out import candidate_lists
from .._columns import BINNINGS

# Few values: a finer series makes no visible difference.
_M_CANDIDATES = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
# Cut points that have seen y look better in leave-one-out than they are. So only bins
# of equal weight are compared.
_BIN_CANDIDATES = [4, 6, 10, 16]


@dataclass(frozen=True)
class AODESettings:
    """Parameters of :class:`~sklearn_bayeslazy.AODEClassifier`, under their names."""

    m: object
    weights: object
    n_bins: object
    binning: object
    min_count: float
    loo_candidates: object
    loo_scoring: str
    loo_max_samples: object
    max_pair_counts: int
    random_state: object
    n_jobs: object

    @classmethod
    def of(cls, estimator):
        """Return the present parameters of an estimator."""
        return cls(
            **{field.name: getattr(estimator, field.name) for field in fields(cls)}
        )

    @property
    def tunes(self):
        """Whether leave-one-out chooses a parameter."""
        return "loo" in (self.m, self.n_bins, self.binning, self.weights)

    def candidates(self):
        """Return the candidates of m, n_bins and binning, one each where given."""
        defaults = {
            "m": _M_CANDIDATES,
            "n_bins": _BIN_CANDIDATES,
            "binning": ["frequent_values"],
        }
        lists = candidate_lists(defaults, self.loo_candidates)
        for name, values in lists.items():
            given = getattr(self, name)
            if not (isinstance(given, str) and given == "loo"):
                lists[name] = [given]
            is_allowed, description = _ALLOWED[name]
            for value in values:
                if not is_allowed(value):
                    raise ValueError(
                        f"loo_candidates[{name!r}] holds {value!r}: give {description}."
                    )
        return lists


def _is_m(value):
    if isinstance(value, str):
        return value == "laplace"
    return _is_number(value, Real) and 0 <= value < np.inf


def _is_number(value, kind):
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


_ALLOWED = {
    "m": (_is_m, 'numbers ≥ 0 or "laplace"'),
    "n_bins": (lambda v: _is_number(v, Integral) and v >= 2, "integers ≥ 2"),
    "binning": (
        lambda v: isinstance(v, str) and v in BINNINGS,
        f"some of {sorted(BINNINGS)}",
    ),
}
