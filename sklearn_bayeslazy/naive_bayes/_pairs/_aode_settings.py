"""The parameters of AODEClassifier that its model depends on."""

from dataclasses import dataclass, fields

from ..._leave_one_out import candidate_lists

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
        for name in lists:
            value = getattr(self, name)
            if not (isinstance(value, str) and value == "loo"):
                lists[name] = [value]
        return lists
