"""The comparison of answers sees a single bit, and nothing that is not an answer."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks import answers


@pytest.mark.parametrize(
    "value",
    [
        np.array([0.1, 2.0]),
        csr_array(np.array([[0.1, 0.0, 2.0]])),
        [np.array([0.1]), "word"],
        {"mean": np.array([0.1])},
        0.1,
    ],
    ids=["array", "sparse", "list", "dict", "float"],
)
def test_digest_sees_the_last_bit(value):
    def moved(part):
        if isinstance(part, list):
            return [moved(part[0]), *part[1:]]
        if isinstance(part, dict):
            return {key: moved(one) for key, one in part.items()}
        if isinstance(part, float):
            return np.nextafter(part, 1)
        part = part.copy()
        cells = part.data if isinstance(part, csr_array) else part
        cells[0] = np.nextafter(cells[0], 1)
        return part

    assert answers.digest(value) == answers.digest(value)
    assert answers.digest(value) != answers.digest(moved(value))


def test_digest_sees_type_and_shape():
    cells = np.zeros((2, 3))
    others = [cells.T.copy(), cells.astype(np.float32), cells.astype(np.int64)]
    digests = {answers.digest(value) for value in [cells, *others]}
    assert len(digests) == 4


def test_an_object_is_no_answer():
    assert answers.digest(object()) is None


def test_a_run_equals_itself_and_differs_from_another(tmp_path, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    only = ["--only", r"TextNB\(m=0\)"]
    assert not answers.main([str(first), *only])
    assert not answers.main([str(second), *only, "--against", str(first)])
    stored = json.loads(first.read_text())
    key = next(iter(stored))
    first.write_text(json.dumps({**stored, key: "moved"}))
    assert answers.main([str(second), *only, "--against", str(first)])
    assert f"1 of {len(stored)} differ" in capsys.readouterr().out
