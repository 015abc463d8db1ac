"""Speed of local regression: LocallyWeightedRegressor beside its peers.

Both sides fit and predict each training row. Ours uses two threads; the peers can use
only one. Ours computes standard errors only if the peer does.
"""

from functools import partial

import numpy as np
from sklearn.neighbors import KNeighborsRegressor

from benchmarks.speed._harness import Agreement, Case, Data
from sklearn_bayeslazy import LocallyWeightedRegressor

N_JOBS = 2
SPAN = 0.1
BANDWIDTH = 0.2
K = 100


def uniform_data(rows, *, columns):
    """Return uniformly distributed rows, which are also the queries, and a noisy y."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(rows, columns))
    y = np.sin(4 * X[:, 0]) + X[:, -1] ** 2 + 0.1 * rng.standard_normal(rows)
    return Data(X, y, X, y)


def data_with_queries(rows, *, columns, queries):
    """Return uniformly distributed rows and other rows as queries."""
    data = uniform_data(rows + queries, columns=columns)
    return Data(data.X[:rows], data.y[:rows], data.X[rows:], data.y[rows:])


def ours(data, std=False, **parameters):
    """Return our task: fit and predict each query."""
    statistics = "approximate" if std else None
    line = {"degree": 1, "n_neighbors": SPAN, "scale": None, "ridge": 0.0}
    parameters = {**line, "statistics": statistics, **parameters}
    model = LocallyWeightedRegressor(n_jobs=N_JOBS, **parameters)

    def task():
        return model.fit(data.X, data.y).predict(data.X_new, return_std=std)

    return task


def peer_loess(data, surface, std=False):
    """Return the task of the Fortran loess that scikit-misc wraps."""
    from skmisc.loess import loess

    # scikit-misc 0.5 reads several columns in Fortran order.
    X = data.X.ravel("F").reshape(data.X.shape)

    def task():
        model = loess(
            X,
            data.y,
            span=SPAN,
            degree=1,
            normalize=False,
            surface=surface,
            statistics="approximate",
        )
        model.fit()
        answer = model.predict(X, stderror=std)
        return (answer.values, answer.stderr) if std else answer.values

    return task


def peer_kernel_regression(data):
    """Return the task of statsmodels' local linear regression."""
    from statsmodels.nonparametric.kernel_regression import KernelReg

    columns = data.X.shape[1]
    model = KernelReg(data.y, data.X, "c" * columns, "ll", bw=[BANDWIDTH] * columns)
    return lambda: model.fit(data.X_new)[0]


def peer_lowess(data):
    """Return the task of statsmodels' lowess without interpolation."""
    from statsmodels.nonparametric.smoothers_lowess import lowess

    def task():
        return lowess(
            data.y, data.X[:, 0], frac=SPAN, it=0, delta=0, return_sorted=False
        )

    return task


def peer_means(data):
    """Return scikit-learn's task: the mean of as many neighbours."""
    model = KNeighborsRegressor(n_neighbors=K, n_jobs=N_JOBS)
    return lambda: model.fit(data.X, data.y).predict(data.X_new)


def compare(data, ours, peer, tolerance=1e-9):
    """Compare predictions, and standard errors if they are computed."""
    difference = np.max(np.abs(np.asarray(ours) - np.asarray(peer)))
    text = f"predictions equal to {difference:.0e}"
    return Agreement(bool(difference <= tolerance), text)


def compare_interpolated(data, ours, peer):
    """Compute the error of the peer's interpolation."""
    error = np.max(np.abs(ours - peer))
    return Agreement(True, f"error of the interpolation up to {error:.2g}")


def compare_errors(data, ours, peer):
    """Compare the errors of the predictions of new rows."""
    errors = [np.sqrt(np.mean((data.y_new - answer) ** 2)) for answer in (ours, peer)]
    text = "root mean square errors {:.4f} / {:.4f}".format(*errors)
    return Agreement(bool(errors[0] <= errors[1]), text)


def loess_case(name, work, surface, target, agreement, std=False):
    """Return a case of loess."""
    return Case(
        name=name,
        work=work,
        peer_name=f"scikit-misc loess, surface={surface!r}",
        target=target,
        size=5_000,
        quick_size=300,
        repeats=9,
        data=partial(uniform_data, columns=4),
        ours=partial(ours, std=std),
        peer=partial(peer_loess, surface=surface, std=std),
        agreement=agreement,
    )


_LOCAL = "local linear, 4 columns, span .1: fit and predict each row"
CASES = (
    loess_case("loess-direct", _LOCAL, "direct", 20, compare),
    loess_case("loess-interpolated", _LOCAL, "interpolate", 1, compare_interpolated),
    # loess approximates the degrees of freedom, and with them the residual scale.
    loess_case(
        "loess-errors",
        f"{_LOCAL}, with standard errors",
        "direct",
        None,
        partial(compare, tolerance=1e-4),
        True,
    ),
    loess_case(
        "loess-errors-interpolated",
        f"{_LOCAL}, with standard errors",
        "interpolate",
        None,
        partial(compare, tolerance=0.1),
        True,
    ),
    Case(
        name="kernel-regression",
        work="local linear, 4 columns, Gaussian kernel: fit and predict each row",
        peer_name="statsmodels KernelReg",
        target=20,
        size=5_000,
        quick_size=300,
        repeats=3,
        data=partial(uniform_data, columns=4),
        ours=partial(
            ours,
            n_neighbors=None,
            bandwidth=1.0,
            scale=[BANDWIDTH] * 4,
            kernel="gaussian",
        ),
        peer=peer_kernel_regression,
        agreement=compare,
    ),
    Case(
        name="lowess",
        work="local linear, 1 column, span .1: fit and predict each row",
        peer_name="statsmodels lowess, delta=0",
        target=7,
        size=20_000,
        quick_size=300,
        repeats=3,
        data=partial(uniform_data, columns=1),
        ours=ours,
        peer=peer_lowess,
        agreement=compare,
    ),
    Case(
        name="local-many-rows",
        work=f"local linear, 4 columns, k = {K}: fit and 20,000 queries",
        peer_name=f"KNeighborsRegressor({K})",
        target=None,
        size=1_000_000,
        quick_size=1_000,
        repeats=1,
        data=partial(data_with_queries, columns=4, queries=20_000),
        ours=partial(ours, n_neighbors=K),
        peer=peer_means,
        agreement=compare_errors,
    ),
)
