"""Parameters and values of other packages, and their counterparts here, for errors."""

import functools
import inspect

from ._compat import InvalidParameterError, validate_parameter_constraints

# Parameter, and its value in another package: the value that means the same here.
COUNTERPARTS = {
    ("weights", "distance"): "inverse",
    ("n_neighbors", "all"): None,
    ("n_neighbors", "auto"): "loo",
    ("m", "auto"): "loo",
    ("kernel", "rbf"): "gaussian",
    ("kernel", "normal"): "gaussian",
    ("kernel", "tophat"): "uniform",
    ("kernel", "boxcar"): "uniform",
    ("kernel", "quartic"): "biweight",
    ("distribution", "normal"): "gaussian",
    ("distribution", "multinomial"): "categorical",
    ("bandwidth", "auto"): "loo",
    ("algorithm", "SAMME"): "samme",
    ("algorithm", "ball_tree"): "kd_tree",
    ("structure", "hill-climbing"): "hill_climbing",
    ("structure", "chow-liu"): "chow_liu",
}
# Parameter of a constructor elsewhere, and the parameter that takes its place here.
PARAMETERS = (
    ("alpha", "m"),
    ("alpha", "ridge"),
    ("equivalent_sample_size", "m"),
    ("priors", "class_prior"),
    ("k", "n_neighbors"),
    ("frac", "n_neighbors"),
    ("span", "n_neighbors"),
    ("tau", "bandwidth"),
    ("h", "bandwidth"),
    ("base_estimator", "estimator"),
    ("estimators", "hypotheses"),
    ("voting", "rule"),
    ("max_iter", "n_estimators"),
    ("ngram_range", "order"),
    ("bins", "n_bins"),
    ("n_clusters", "n_centers"),
    ("seed", "random_state"),
)
# The same for the parameters of a method.
_COVERAGE = (
    ("alpha", "coverage"),
    ("confidence", "coverage"),
    ("confidence_level", "coverage"),
    ("level", "coverage"),
)
METHOD_PARAMETERS = {"prediction_interval": _COVERAGE, "prediction_set": _COVERAGE}
_NOTES = {
    ("alpha", "m"): " (m is alpha times the number of values)",
    ("alpha", "coverage"): " (coverage is 1 - alpha)",
}


class FamiliarNamesMixin:
    """Let errors about unknown parameters and values name their counterparts."""

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name, pairs in {"__init__": PARAMETERS, **METHOD_PARAMETERS}.items():
            if name in vars(cls):
                setattr(cls, name, _naming_parameters(vars(cls)[name], pairs))

    def _validate_params(self):
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            for (name, value), counterpart in COUNTERPARTS.items():
                if f"'{name}' parameter" in str(error) and self._means(
                    name, value, counterpart
                ):
                    message = f"{error} Use {name}={counterpart!r} for {value!r}."
                    raise InvalidParameterError(message) from None
            raise

    def _means(self, name, value, counterpart):
        """Return whether the value was given, and the counterpart would be valid."""
        given = self.get_params(deep=False).get(name)
        if not isinstance(given, str) or given != value:
            return False
        try:
            validate_parameter_constraints(
                self._parameter_constraints, {name: counterpart}, type(self).__name__
            )
        except InvalidParameterError:
            return False
        return True


def _naming_parameters(function, pairs):
    """Wrap a function: an error about unknown parameters names the counterparts."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(self, *args, **params):
        try:
            return function(self, *args, **params)
        except TypeError as error:
            hints = [
                f"{name!r} is {here!r} here{_NOTES.get((name, here), '')}"
                for name, here in pairs
                if name in params and name not in known and here in known
            ]
            if not hints:
                raise
            raise TypeError(f"{error}: {'; '.join(hints)}.") from None

    return checked
