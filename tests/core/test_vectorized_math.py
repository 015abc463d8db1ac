"""exp and log for inner loops: as exact as those of the standard library."""

import numpy as np
import pytest

from sklearn_bayeslazy._core._kernel import kernel
from sklearn_bayeslazy._core._vectorized_math import exp_negative, log_positive


@kernel
def write_exp(x, out):
    for i in range(len(x)):
        out[i] = exp_negative(x[i])


@kernel(fuse_products=True)
def write_log(x, out):
    for i in range(len(x)):
        out[i] = log_positive(x[i])


@pytest.mark.parametrize("largest", [1e-3, 1.0, 40.0, 700.0])
def test_exp_is_exact_to_about_a_unit_in_the_last_place(largest):
    x = -np.random.default_rng(0).uniform(0, largest, size=10_000)
    out = np.empty(len(x))
    write_exp(x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=4e-16)


def test_exp_at_its_ends():
    out = np.empty(5)
    write_exp(np.array([0.0, -0.0, -744.0, -1e4, -np.inf]), out)
    assert out[:2].tolist() == [1, 1]
    assert out[2] == pytest.approx(np.exp(-744.0))
    assert out[3] == out[4] <= 5e-324


@pytest.mark.parametrize("decades", [1e-12, 1e-3, 1, 150, 307])
def test_log_is_exact_to_about_a_unit_in_the_last_place(decades):
    x = 10 ** np.random.default_rng(0).uniform(-decades, decades, size=10_000)
    out = np.empty(len(x))
    write_log(x, out)
    np.testing.assert_allclose(out, np.log(x), rtol=6e-16)


def test_log_of_powers_of_two():
    exponents = np.arange(-1022, 1024)
    out = np.empty(len(exponents))
    write_log(np.ldexp(1.0, exponents), out)
    np.testing.assert_allclose(out, exponents * np.log(2), rtol=3e-16)
    assert out[1022] == 0
