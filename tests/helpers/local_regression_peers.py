"""Store the predictions of loess, KernelReg and lowess for tables made by a formula.

``python tests/helpers/local_regression_peers.py`` needs scikit-misc and statsmodels and
writes tests/local_regression/peers.json. Written with scikit-misc 0.5.3 (Cleveland's
Fortran, surface "direct", statistics "exact") and statsmodels 0.15.0.
"""

import json
from pathlib import Path

import numpy as np

ROWS, QUERIES = 60, 8
SPANS, DEGREES, FAMILIES = (0.5, 0.8), (1, 2), {"gaussian": 0, "symmetric": 4}
BANDWIDTHS = [0.2, 0.35, 0.5]
FRACTIONS = (0.2, 0.5)


def table(d):
    """Return rows, targets and queries: fractions of multiples of square roots."""
    roots = np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0])
    fractions = np.arange(1, ROWS + 1)[:, None] * roots % 1
    X = fractions[:, :d] * np.arange(1, d + 1)
    noise = fractions[:, 4] + fractions[:, 5] - 1
    y = np.sin(4 * X[:, 0]) + X[:, -1] ** 2 + noise / 2
    y[::17] += 5  # for the robust fits
    return X, y, X[:QUERIES] * 0.9 + 0.05


def column_major(X):
    """Return X in the memory order that scikit-misc 0.5.3 expects."""
    return X.ravel(order="F").reshape(X.shape)


def from_loess(d, degree, family, span):
    """Return the predictions of loess and its statistics of the noise."""
    from skmisc.loess import loess

    X, y, Z = table(d)
    model = loess(
        column_major(X),
        y,
        span=span,
        degree=degree,
        family=family,
        normalize=True,
        surface="direct",
        statistics="exact",
    )
    model.fit()
    predicted = model.predict(column_major(Z), stderror=True)
    outputs = model.outputs
    return {
        "predictions": predicted.values.tolist(),
        "std": predicted.stderr.tolist(),
        "equivalent_parameters": outputs.enp,
        "residual_scale": outputs.residual_scale,
        "residual_dof": outputs.one_delta**2 / outputs.two_delta,
    }


def from_kernel_regression(d):
    """Return predictions and slopes of a local line with Gaussian weights."""
    from statsmodels.nonparametric.kernel_regression import KernelReg

    X, y, Z = table(d)
    predictions, slopes = KernelReg(y, X, "c" * d, "ll", bw=BANDWIDTHS[:d]).fit(Z)
    return {"predictions": predictions.tolist(), "slopes": slopes.tolist()}


def from_lowess(fraction):
    """Return the fitted values of lowess in one column."""
    from statsmodels.nonparametric.smoothers_lowess import lowess

    X, y, _ = table(1)
    return lowess(y, X[:, 0], frac=fraction, it=0, return_sorted=False).tolist()


def main():
    """Write the file of stored predictions."""
    stored = {
        "loess": {
            f"{d} {degree} {family} {span}": from_loess(d, degree, family, span)
            for d in (1, 2, 3, 4)
            for degree in DEGREES
            for family in FAMILIES
            for span in SPANS
            if not (d == 4 and degree == 2 and span == 0.5)  # 30 rows for 15 terms
        },
        "kernel_regression": {d: from_kernel_regression(d) for d in (1, 2, 3)},
        "lowess": {fraction: from_lowess(fraction) for fraction in FRACTIONS},
    }
    path = Path(__file__).parents[1] / "local_regression" / "peers.json"
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
