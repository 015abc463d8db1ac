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
    ("metric", "angular"): "cosine",
    ("metric", "ip"): "inner_product",
    ("structure", "hill-climbing"): "hill_climbing",
    ("structure", "chow-liu"): "chow_liu",
}
_NAMES_OF_CATEGORIES = "categorical_feature", "categorical_features", "cat_features"
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
    ("random_seed", "random_state"),
    ("class_weights", "class_weight"),
    ("num_boost_round", "n_estimators"),
    ("iterations", "n_estimators"),
    ("early_stopping_rounds", "n_iter_no_change"),
    *((name, "categories") for name in _NAMES_OF_CATEGORIES),
    ("family", "robust_iterations"),
    ("n_trees", "n_tables"),
    ("M", "recall"),
    ("ef_construction", "recall"),
    ("ef", "recall"),
    ("nprobe", "recall"),
    ("nlist", "n_bits"),
    ("nbits", "n_bits"),
    ("space", "metric"),
)
# The same for the parameters of a method.
_COVERAGE = (
    ("alpha", "coverage"),
    ("confidence", "coverage"),
    ("confidence_level", "coverage"),
    ("level", "coverage"),
)
METHOD_PARAMETERS = {"prediction_interval": _COVERAGE, "prediction_set": _COVERAGE}
_ADVICE = {
    "eval_set": "no rows are held out, for leave-one-out judges by those of fit",
    **dict.fromkeys(
        _NAMES_OF_CATEGORIES, "convert these columns to strings or categories"
    ),
}
# What takes the place of parameters that have no counterpart in an estimator.
ADVICE = {
    "__init__": {
        "class_weight": "pass the weights of rows to fit, as sample_weight",
        "sample_weight": "pass it to fit",
        "n_estimators": "there are no rounds, as in MyAdaBoost",
        **_ADVICE,
    },
    "fit": {
        **_ADVICE,
        "class_weight": "it is a parameter of classifiers; others take sample_weight",
    },
}
_NOTES = {
    ("alpha", "m"): " (m is alpha times the number of values)",
    ("family", "robust_iterations"): " (4 for loess's family='symmetric')",
    ("nlist", "n_bits"): " (there are 2 ** n_bits buckets)",
    **dict.fromkeys(
        [(name, "recall") for name in ("M", "ef_construction", "ef", "nprobe")],
        " (the search reads as many rows as it needs for that share of the neighbours)",
    ),
    **dict.fromkeys(
        [(name, "categories") for name in _NAMES_OF_CATEGORIES],
        " (columns of strings, booleans and categories need no mention)",
    ),
    ("alpha", "coverage"): " (coverage is 1 - alpha)",
}


class _FeatureImportances:
    """The attribute that an estimator lacks until it sets it, or has a property."""

    def __get__(self, estimator, owner=None):
        name = (owner or type(estimator)).__name__
        message = f"{name!r} object has no attribute 'feature_importances_'"
        if hasattr(owner, "predict"):
            message = (
                f"{name} has no feature_importances_. Columns are compared by "
                "ImportanceDisplay.from_estimator(model, X, y)."
            )
        raise AttributeError(message)


class FamiliarNamesMixin:
    """Let errors about unknown parameters and values name their counterparts."""

    feature_importances_ = _FeatureImportances()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        pairs = {"__init__": PARAMETERS, "fit": (), **METHOD_PARAMETERS}
        for name in pairs.keys() & vars(cls).keys():
            advice = ADVICE.get(name, {})
            setattr(cls, name, _naming_parameters(vars(cls)[name], pairs[name], advice))

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


def _naming_parameters(function, pairs, advice):
    """Wrap a function: an error about unknown parameters names the counterparts."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(self, *args, **params):
        try:
            return function(self, *args, **params)
        except (TypeError, ValueError) as error:
            unknown = [name for name in params if name not in known]
            hints = [
                f"{name!r} is {here!r} here{_NOTES.get((name, here), '')}"
                for name, here in pairs
                if name in unknown and here in known
            ]
            hints = hints or [advice[name] for name in unknown if name in advice]
            # Other errors do not name the parameter.
            if not hints or not any(f"'{name}'" in str(error) for name in unknown):
                raise
            message = f"{str(error).removesuffix('.')}: {'; '.join(hints)}."
            raise type(error)(message) from None

    return checked
