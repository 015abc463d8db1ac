"""ShepardKNN: classes by the weighted votes of the nearest rows, or of all."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d

from .._arrays import as_float_array
from .._compat import StrOptions, fit_context
from .._estimator import all_or_nothing, require_targets
from .._leave_one_out import CLASSIFICATION_SCORING, MAX_LOG_LOSS
from ..tabular import encode_classes
from ._shepard import ShepardBase, Voters

# Products with sums of votes neither over- nor underflow.
CLASS_FACTORS = 1e-100, 1e100


class ShepardKNN(ClassifierMixin, ShepardBase):
    r"""Classification by distance-weighted votes of k neighbours, or of every row.

    .. math:: \hat P(c \mid x) = \frac{\sum_{i:\, y_i = c} w_i}{\sum_i w_i},
        \qquad w_i = d(x, x_i)^{-p},

    over the k nearest training rows, or over all of them (Shepard's method).

    Parameters
    ----------
    n_neighbors : int, None or "loo", default="loo"
        How many of the nearest training rows vote; all of them for None (Shepard's
        method), or where there are fewer. With sample weights it is a mass: rows vote
        in the order of their distances until their weights add up to it, and the last
        one's is cut. "loo": chosen by leave-one-out.

    power : float, "auto" or "loo", default=2.0
        The exponent of the distance in the weights, ≥ 0. "auto": the number of
        columns that are not removed by `feature_weights`. "loo": chosen by
        leave-one-out. 0 weighs all alike. With all rows and a power below the number
        of columns the far rows, which are many, outweigh the near ones: answers are
        drawn towards the class frequencies.

    weights : {"inverse", "uniform", "cosine"} or callable, default="inverse"
        "inverse": 1 / d^power; rows at distance 0, exact hits, answer alone. "uniform":
        all alike. "cosine": max(0, cos), for metric="cosine". A callable turns an array
        of distances of shape (n_samples, n_neighbors) into one of weights ≥ 0, entry by
        entry; infinite ones answer alone. Where no neighbour has any weight, all have
        the same.

    metric : str, default="euclidean"
        "euclidean", "seuclidean" (each column over its standard deviation),
        "mahalanobis" (directions over the covariance, with a pseudo-inverse where it is
        singular), "manhattan", "minkowski", "cosine" (1 - cos; a row of zeros is at
        distance 1 from all), or "nan_euclidean", which takes missing cells: their
        squares are made up for by the mean of the others'. Rows without a common cell
        are infinitely far. "euclidean", "seuclidean" and "cosine" take sparse rows.

    metric_params : dict, default=None
        {"p": …} for "minkowski" (≥ 1; 2 by default); {"V": …}, variances for
        "seuclidean"; {"V": …} or {"VI": …}, the covariance for "mahalanobis" or its
        inverse. Variances and covariances that are not given are learnt; a variance of
        0 counts as 1.

    feature_weights : array-like of shape (n_features,) or "loo", default=None
        How far each column is stretched before distances are measured, ≥ 0; 0 removes
        it. "loo": learnt as by :class:`AxisStretcher` with its defaults, for k
        neighbours if `n_neighbors` is a number and for all rows otherwise
        (metric="euclidean" and dense X only).

    class_weight : dict or "balanced", default=None
        Factors of the votes of each class, {class: factor}, from 1e-100 to 1e100; 1
        where nothing is given.
        "balanced": n / (n_classes n_c), so that a frequent class does not drown the
        others. How many neighbours vote is not changed by it; leave-one-out scores a
        row with its class's factor.

    algorithm : {"auto", "brute", "kd_tree"} or estimator, default="auto"
        What finds the neighbours; all answers are the same to the last bit. An
        estimator with ``kneighbors``, fitted or not, is asked for them instead; it
        brings its own metric.

    tol : float, default=None
        With n_neighbors=None and up to three columns: how far an answer may be from
        the exact one, in probability. Far rows are then summarised by boxes, and a
        query costs little more in a larger table. None: exact.

    loo_candidates : dict, default=None
        {"n_neighbors": list, "power": list}, the candidates of what is "loo". By
        default 1 to 50 and None (which reads the whole table for each row that is left
        out), and 0, 1, 2, 3, 4, 6, 8; if both are chosen, each with each.

    loo_scoring : {"accuracy", "log_loss"}, default=None
        What leave-one-out maximises or minimises. None means accuracy, with ties
        broken by log loss.

    loo_max_samples : int or None, default=10000
        Above so many rows, a random subset of this size is left out one by one; the
        rest of the table stays whole. None: every row.

    random_state : int, RandomState instance or None, default=None
        Draws the rows of `loo_max_samples`, and the starts of feature_weights="loo".

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_neighbors_ : int or None
        How many neighbours vote, chosen or given.
    power_ : float
        The exponent of the distance, chosen or given.
    feature_weights_ : ndarray of shape (n_features,) or None
        How the columns are stretched, learnt or given.
    loo_results_ : dict
        Only where n_neighbors or power is "loo". "params", "mean_accuracy",
        "standard_error_accuracy", "mean_log_loss", "standard_error_log_loss" and
        "rank" of the candidates, which make a frame as they are.
    n_samples_fit_ : int
        Number of rows given to `fit`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNNRegressor : The same for numbers.
    AxisStretcher : Learns how far each column should be stretched.
    sklearn.neighbors.KNeighborsClassifier : weights="distance" is power=1 here.

    Notes
    -----
    Weights are reckoned relative to that of the nearest row, so that no power of a
    distance overflows. Votes of all rows are summed as they are read: memory does not
    grow with their number.

    Leave-one-out finds the largest k of neighbours of each row once; the votes of every
    k are sums over the start of that list. It is exact, given the variances,
    covariance and feature weights learnt from the whole table. A row of weight w is
    left out by one copy.

    In the limit of many rows, one neighbour errs at most twice as often as the best
    possible classifier, and k neighbours as rarely as that if k grows without bound
    and k / n shrinks to 0 (Cover and Hart, 1967).

    References
    ----------
    D. Shepard (1968), A two-dimensional interpolation function for irregularly-spaced
    data, ACM National Conference.

    T. Mitchell (1997), Machine Learning, section 8.2.

    Examples
    --------
    Asked at 2, the row at 0 is at distance 2, and those at 1 and 3 are at distance 1:

    >>> from sklearn_bayeslazy import ShepardKNN
    >>> X, y = [[0.0], [1.0], [3.0]], ["a", "b", "b"]
    >>> model = ShepardKNN(n_neighbors=None).fit(X, y)
    >>> model.predict_proba([[2.0]])  # 1/4 against 1 + 1
    array([[0.11111111, 0.88888889]])
    >>> model.predict_proba([[0.0]])  # an exact hit answers alone
    array([[1., 0.]])
    """

    _parameter_constraints = {
        **ShepardBase._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "loo_scoring": [StrOptions({"accuracy", "log_loss"}), None],
    }
    _score_names = ("accuracy", "log_loss")

    def __init__(
        self,
        n_neighbors="loo",
        *,
        power=2.0,
        weights="inverse",
        metric="euclidean",
        metric_params=None,
        feature_weights=None,
        class_weight=None,
        algorithm="auto",
        tol=None,
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.power = power
        self.weights = weights
        self.metric = metric
        self.metric_params = metric_params
        self.feature_weights = feature_weights
        self.class_weight = class_weight
        self.algorithm = algorithm
        self.tol = tol
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Keep the rows, learn the metric, and choose what is "loo".

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : ShepardKNN

        Raises
        ------
        ValueError
            Where a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    def predict_proba(self, X):
        """Return each class's share of the weighted votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to be classified.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            P(c | x), columns in the order of `classes_`.
        """
        sums, _ = self._sums(X)
        if self._code is not None:  # it has grown from the factors too
            return sums
        return _shares(sums, self._class_factor)

    def predict(self, X):
        """Return the class with the largest share; ties go to the first class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to be classified.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def _check_targets(self, y):
        require_targets(self, y)
        return column_or_1d(y, warn=True)

    def _encode(self, y, weight):
        self.classes_, codes = encode_classes(y)
        n_classes = len(self.classes_)
        voters = Voters(weight, codes.astype(np.int64), np.empty((0, n_classes)))
        self._class_factor = self._factors(voters.sums()[0])
        return voters

    def _factors(self, mass):
        """Return the factor of each class's votes, from the masses of the classes."""
        if self.class_weight is None:
            return np.ones(len(mass))
        if isinstance(self.class_weight, str):
            return mass.sum() / (len(mass) * mass)
        labels = self.classes_.tolist()
        if unknown := [label for label in self.class_weight if label not in labels]:
            raise ValueError(
                f"class_weight names {unknown[0]!r}, which is no class: {labels}."
            )
        factors = [self.class_weight.get(label, 1.0) for label in labels]
        factors = as_float_array(factors, "class_weight")
        least, largest = CLASS_FACTORS
        if not np.all((factors >= least) & (factors <= largest)):
            raise ValueError(
                f"class_weight must hold numbers from {least} to {largest}, got "
                f"{self.class_weight!r}."
            )
        return factors

    def _importance(self, voters, rows):
        """Return what the scores of left-out rows count, their class's factor too."""
        return voters.weight[rows] * self._class_factor[voters.codes[rows]]

    def _scoring(self):
        return CLASSIFICATION_SCORING[self.loo_scoring or "accuracy"]

    def _left_out_losses(self, voters, sums, totals, exclude):
        lost = totals == 0
        if lost.any():
            sums = np.where(lost[:, None], voters.sums(exclude)[0], sums)
        factors = self._class_factor
        codes = voters.codes[exclude]
        at = np.arange(len(exclude))
        if self.class_weight == "balanced":  # the frequencies lose the row too
            mass = np.maximum(voters.sums(exclude)[0][at, codes], 0.0)
            factors = np.tile(factors, (len(exclude), 1))
            n_classes, total = factors.shape[1], voters.weight.sum()
            with np.errstate(divide="ignore"):
                factors[at, codes] = np.where(mass > 0, total / (n_classes * mass), 1.0)
        shares = _shares(sums, factors)
        with np.errstate(divide="ignore"):
            log_loss = np.minimum(-np.log(shares[at, codes]), MAX_LOG_LOSS)
        return {"accuracy": np.argmax(shares, axis=1) == codes, "log_loss": log_loss}

    def _shares_of_voters(self, votes, ids, sums, totals):
        whole = (sums * self._class_factor).sum(axis=1)
        return votes * self._class_factor[self._voters.codes[ids]] / whole[:, None]

    def _targets_of(self, ids):
        return self.classes_[self._voters.codes[ids]]

    def _ballot_for_code(self):
        codes = self._voters.codes
        mass = self._voters.weight * self._class_factor[codes]
        return np.eye(len(self.classes_))[codes], mass


def _shares(sums, factors):
    shares = sums * factors
    return shares / shares.sum(axis=1, keepdims=True)
