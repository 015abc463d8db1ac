"""Equality with nltk.lm where the definitions agree; `nltk_reference.py` lists them."""

import json
from pathlib import Path

import numpy as np
import pytest

from sklearn_bayeslazy import NGramLanguageModel

REFERENCE = json.loads(
    Path(__file__).with_name("nltk_reference.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["nltk"])
def test_probabilities_are_those_of_nltk(case):
    model = NGramLanguageModel(**case["ours"]).fit(REFERENCE["sentences"])
    assert case["rows"]
    for context, expected in case["rows"]:
        found = [model.prob(word, context) for word in case["words"]]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
