"""The benchmark harness measures what it says, on work whose measure is known."""

import gc
import time

import numpy as np
import pytest
from shared import shared_path

from benchmarks import belief_network, boosting, hashing, lookup, naive_bayes, text
from benchmarks._harness import alternate, growth_exponent, measure, peak_memory


@pytest.fixture(autouse=True)
def quick_collection():
    """Spare the harness's collector what thousands of tests have left behind."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_growth_exponent_is_the_power_of_the_law(power):
    sizes = np.array([100, 200, 400])
    assert growth_exponent(sizes, 3e-6 * sizes**power) == pytest.approx(power)


def test_sides_take_turns_and_the_median_is_kept():
    calls = []
    ours = lambda: calls.append("ours")  # noqa: E731
    peer = lambda: (calls.append("peer"), time.sleep(0.01))  # noqa: E731
    our_seconds, peer_seconds = alternate(ours, peer, 3)
    assert calls == ["ours", "peer"] * 3
    assert peer_seconds >= 0.01 > our_seconds


def test_peak_memory_is_that_of_the_temporaries():
    answer, peak = peak_memory(lambda: float(np.ones(10**6).sum()))
    assert answer == 1e6
    assert 8e6 <= peak < 9e6


# Without the grid searches, whose peer alone takes a quarter of a minute.
QUICK_CASES = [case for case in naive_bayes.CASES if not case.name.startswith("leave")]
# Of hashing that which needs neither other libraries nor other data.
QUICK_CASES += [case for case in hashing.CASES if case.name == "patches-brute"]


@pytest.mark.parametrize("case", QUICK_CASES, ids=lambda case: case.name)
def test_every_case_runs_and_its_answers_agree(case):
    row = measure(case, quick=True)
    assert row["agrees"], row["answers"]
    assert row["ratio"] > 0
    assert row["rows"] == case.quick_size


@pytest.mark.parametrize(
    "case", [*text.CASES, lookup.CASES[0]], ids=lambda case: case.name
)
def test_every_case_on_text_runs_and_its_answers_agree(case):
    shared_path("scikit_learn_data")
    if case.peer_name == "nltk.lm":
        pytest.importorskip("nltk")
    if case.peer_name == "sparse_dot_topn":
        pytest.importorskip("sparse_dot_topn")
    row = measure(case, quick=True)
    assert row["agrees"], row["answers"]


# pyAgrum 3.3.1 brings the interpreter down where this warning is an error.
@pytest.mark.filterwarnings(
    "ignore:builtin type .* has no __module__:DeprecationWarning"
)
@pytest.mark.parametrize("case", belief_network.CASES, ids=lambda case: case.name)
def test_every_case_of_networks_runs_and_its_answers_agree(case):
    shared_path("bif")
    pytest.importorskip("pyagrum")
    row = measure(case, quick=True)
    assert row["agrees"], row["answers"]


@pytest.mark.parametrize("case", boosting.CASES, ids=lambda case: case.name)
def test_every_case_of_boosting_runs_and_is_as_accurate(case):
    if "LightGBM" in case.peer_name:
        pytest.importorskip("lightgbm")
    row = measure(case, quick=True)
    assert row["agrees"], row["answers"]
