"""The parameters of MEstimateNB that its columns depend on."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class ColumnSettings:
    """Parameters of :class:`~sklearn_bayeslazy.MEstimateNB`, under their names."""

    # Learning and leave-one-out receive these values and never the estimator.

    m: object
    prior: object
    distribution: object
    feature_weights: object
    n_bins: object
    binning: object
    fit_prior: bool
    class_prior: object
    loo_candidates: object
    loo_scoring: str
    loo_max_samples: object
    var_smoothing: object
    random_state: object
    n_jobs: object

    @classmethod
    def of(cls, estimator):
        """Return the present parameters of an estimator."""
        return cls(
            **{field.name: getattr(estimator, field.name) for field in fields(cls)}
        )

    @property
    def tunes_m(self):
        """Whether leave-one-out chooses m."""
        return isinstance(self.m, str) and self.m == "loo"

    @property
    def tunes_bins(self):
        """Whether leave-one-out chooses the bins of quantized columns."""
        return "loo" in (self.n_bins, self.binning)

    def tunes(self, distributions):
        """Whether leave-one-out chooses anything, for these distributions."""
        bins = self.tunes_bins and "quantized" in distributions
        var_smoothing = self.tunes_var_smoothing and "gaussian" in distributions
        chosen = self.tunes_m or self.tunes_weights or bins or var_smoothing
        return chosen or "loo" in distributions

    @property
    def tunes_var_smoothing(self):
        """Whether leave-one-out chooses the variance that is added."""
        return isinstance(self.var_smoothing, str)

    @property
    def tunes_weights(self):
        """Whether leave-one-out chooses the weights of the columns."""
        return isinstance(self.feature_weights, str)
