"""Parameters and values of other packages, and their counterparts here, for errors."""

import functools

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
# Parameter of another package: the parameter that takes its place here.
PARAMETERS = {
    "alpha": "m",
    "equivalent_sample_size": "m",
    "priors": "class_prior",
    "k": "n_neighbors",
    "frac": "n_neighbors",
    "tau": "bandwidth",
    "base_estimator": "estimator",
    "bins": "n_bins",
    "n_clusters": "n_centers",
    "seed": "random_state",
}
_NOTES = {"alpha": " (m is alpha times the number of values)"}


class FamiliarNamesMixin:
    """Let errors about unknown parameters and values name their counterparts."""

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = _naming_parameters(cls.__init__)

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


def _naming_parameters(init):
    """Wrap a constructor: an error about unknown parameters names the counterparts."""

    @functools.wraps(init)
    def checked(self, *args, **params):
        try:
            init(self, *args, **params)
        except TypeError as error:
            known = type(self)._get_param_names()
            hints = [
                f"{name!r} is {PARAMETERS[name]!r} here{_NOTES.get(name, '')}"
                for name in params
                if name not in known and PARAMETERS.get(name) in known
            ]
            if not hints:
                raise
            raise TypeError(f"{error}: {'; '.join(hints)}.") from None

    return checked
