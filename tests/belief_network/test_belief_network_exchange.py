"""Networks that travel: files with identifiers, and objects of pyAgrum and pgmpy.

Code under test: `belief_network/_bif.py`, `belief_network/_exchange.py`.
"""

import io
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._bif import identifiers
from tests.helpers.shared import shared_path

NETWORKS = ["asia", "cancer", "child", "earthquake", "hailfinder", "insurance"]
NETWORKS += ["sachs", "survey", "water"]
# What a table may hold: blanks, quotes, punctuation, words of the format, no words.
STRANGE = [
    ["yes", "no"],
    ["< 23.5082", "≥ 23.5082"],
    ['the "old" town', "it's", "a, b; {c}"],
    ["Київ", "大阪", "größe"],
    ["table", "default", "property"],
    ["", " ", "//", "/* x */"],
    ["a b", "a_b", "a-b"],
    [True, False],
    [0, 1, 2],
    [0.5, 1.5, 1e300],
]


def strange_table(seed):
    """Return a raw table in which columns depend on each other."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 12, 400)
    columns = {"number of items": np.round(code * 2.5 + rng.normal(size=400), 3)}
    for position in rng.permutation(len(STRANGE))[:6]:
        values = STRANGE[position]
        code = np.where(rng.random(400) < 0.7, code, rng.integers(0, 12, 400))
        cells = [values[k % len(values)] for k in code]
        columns[f"{values[0]} | {position}"] = pd.Series(cells, dtype=object)
    return pd.DataFrame(columns).infer_objects()


def learned(seed):
    return BeliefNetwork(max_parents=2, m=1.0).fit(strange_table(seed))


def assert_equal_answers(first, second, seed=0, by_text=False):
    """Compare the posteriors of all nodes, given a few observed ones."""
    rng = np.random.default_rng(seed)
    names = first.network_.names
    assert sorted(second.network_.names) == sorted(names)
    assert sorted(second.structure_) == sorted(first.structure_)
    row = first.sample(1, random_state=seed)[0]
    columns = rng.permutation(len(names))[:3]
    codes = {names[j]: list(first.network_.values[j]).index(row[j]) for j in columns}
    for target in names:
        if target in codes:
            continue
        (p, values), (q, others) = (
            answer(model, codes, target) for model in (first, second)
        )
        convert = str if by_text else lambda value: value
        assert [convert(v) for v in values] == [convert(v) for v in others]
        np.testing.assert_allclose(p, q, rtol=0, atol=1e-9)


def answer(model, codes, target):
    """Return the posterior of a node, its evidence by the position of values."""
    names, values = model.network_.names, model.network_.values
    evidence = {}
    for name, code in codes.items():
        size = len(values[names.index(name)])
        evidence[name] = np.eye(size)[code]
    found = model.query({}, target, likelihood=evidence)
    return found.probabilities, found.values[0]


def models():
    for name in NETWORKS:
        yield pytest.param(("bif", name), id=name)
    for seed in range(10):
        yield pytest.param(("table", seed), id=f"table-{seed}")


@pytest.fixture
def model(request):
    kind, which = request.param
    if kind == "table":
        return learned(which)
    return BeliefNetwork.from_bif(shared_path("bif", f"{which}.bif"))


@pytest.mark.parametrize("model", list(models()), indirect=True)
def test_bif_is_read_back_with_original_names_and_values(model):
    again = BeliefNetwork.from_bif(model.to_bif())
    network, other = model.network_, again.network_
    assert other.names == network.names
    assert other.parents == network.parents
    for found, expected in zip(other.values, network.values):
        assert list(map(type, found)) == list(map(type, np.asarray(expected).tolist()))
        assert found.tolist() == np.asarray(expected).tolist()
    for found, expected in zip(other.tables, network.tables):
        np.testing.assert_array_equal(found, expected)
    assert again.to_bif() == model.to_bif()


@pytest.mark.parametrize("model", list(models()), indirect=True)
def test_bif_holds_identifiers_only(model):
    text = model.to_bif()
    assert text.isascii()
    words = re.findall(r"[^\s{}()\[\],;|]+", re.sub("property .*", "", text))
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*|[0-9.e-]+", w) for w in words)


@pytest.mark.parametrize("model", list(models()), indirect=True)
def test_pyagrum_opens_files_and_objects(model, tmp_path):
    gum = pytest.importorskip("pyagrum")
    path = tmp_path / "net.bif"
    model.to_bif(path)
    from_file = BeliefNetwork.from_pyagrum(gum.loadBN(str(path)))
    assert from_file.network_.n_free_parameters == model.network_.n_free_parameters
    peer = model.to_pyagrum()
    assert_equal_answers(model, BeliefNetwork.from_pyagrum(peer), by_text=True)
    node = model.network_.names[-1]
    observed = model.network_.names[0]
    engine = gum.LazyPropagation(peer)
    engine.setEvidence({observed: 0})
    engine.makeInference()
    found = model.query({}, node, likelihood={observed: first(model, 0)})
    np.testing.assert_allclose(
        found.probabilities, engine.posterior(node).toarray(), rtol=0, atol=1e-9
    )


def first(model, node):
    """Return the likelihood of a node's first value alone."""
    return np.arange(len(model.network_.values[node])) == 0


@pytest.mark.parametrize("model", list(models()), indirect=True)
def test_pyagrum_answers_from_a_file_as_here(model, tmp_path):
    gum = pytest.importorskip("pyagrum")
    path = tmp_path / "net.bif"
    model.to_bif(path)
    peer = gum.loadBN(str(path))
    names = identifiers(model.network_.names, "node")
    engine = gum.LazyPropagation(peer)
    engine.setEvidence({names[0]: 0})
    engine.makeInference()
    for node in range(1, min(len(names), 12)):
        target = model.network_.names[node]
        evidence = {model.network_.names[0]: first(model, 0)}
        np.testing.assert_allclose(
            model.query({}, target, likelihood=evidence).probabilities,
            engine.posterior(names[node]).toarray(),
            rtol=0,
            atol=1e-7,  # its reader keeps single precision
        )


@pytest.mark.parametrize("model", list(models()), indirect=True)
def test_pgmpy_opens_files_and_objects(model, tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    path = tmp_path / "net.bif"
    model.to_bif(path)
    from_file = BeliefNetwork.from_pgmpy(readwrite.BIFReader(str(path)).get_model())
    again = BeliefNetwork.from_bif(from_file.to_bif())
    assert_equal_by_identifiers(model, again)
    peer = model.to_pgmpy()
    assert peer.check_model()
    assert_equal_answers(model, BeliefNetwork.from_pgmpy(peer))


def assert_equal_by_identifiers(model, read):
    """Compare the posteriors of all nodes, given the first value of the first node."""
    network = model.network_
    names = identifiers(network.names, "node")
    values = [identifiers(some, "state") for some in network.values]
    for name, target, states in zip(network.names[1:], names[1:], values[1:]):
        seen = {network.names[0]: first(model, 0)}
        expected = model.query({}, name, likelihood=seen).probabilities
        found = read.query({names[0]: values[0][0]}, target)
        p = [found[state] for state in states]
        np.testing.assert_allclose(p, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["asia", "cancer", "sachs"])
def test_pgmpy_answers_as_here(name):
    inference = pytest.importorskip("pgmpy.inference")
    model = BeliefNetwork.from_bif(shared_path("bif", f"{name}.bif"))
    engine = inference.VariableElimination(model.to_pgmpy())
    names, values = model.network_.names, model.network_.values
    evidence = {names[0]: values[0][0]}
    for node in names[1:]:
        expected = engine.query([node], evidence=evidence, show_progress=False)
        found = model.query(evidence, node).probabilities
        np.testing.assert_allclose(found, expected.values, rtol=0, atol=1e-9)


def test_a_path_an_open_file_and_a_text_are_read(tmp_path):
    path = tmp_path / "net.bif"
    text = learned(0).to_bif(path)
    opened = [io.StringIO(text), io.BytesIO(text.encode())]
    for source in (path, str(path), text, *opened):
        assert BeliefNetwork.from_bif(source).to_bif() == text
    with open(path, encoding="utf-8") as file:
        assert BeliefNetwork.from_bif(file).to_bif() == text
    classifier = BeliefNetworkClassifier.from_bif(text, "number of items")
    assert len(classifier.classes_) == 5
    with pytest.raises(FileNotFoundError):
        BeliefNetwork.from_bif(tmp_path / "none.bif")


def test_a_classifier_with_numbers_travels():
    X = strange_table(1)
    y = X.pop(X.columns[-1]).astype(str)
    model = BeliefNetworkClassifier(m=1.0, prior="uniform", calibration=None).fit(X, y)
    again = BeliefNetwork.from_bif(model.to_bif())
    target = model.network_.names[model.n_features_in_]
    row = {X.columns[1]: X.iloc[0, 1]}
    np.testing.assert_allclose(
        again.query(row, target).probabilities,
        model.query(row, target).probabilities,
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("%5B%22x%22%5D", "must hold a name and distinct values|as many values"),
        ("%5B%22x%22%2C1%2C1%5D", "distinct values"),
        ("%5B%22x%22%2C1%2C2%2C3%5D", "as many values"),
        ("%5B1%2C1%2C2%5D", "must hold a name"),
        ("%7B%7D", "must hold a name"),
        ("17", "must hold a name"),
        ("%5B", "must hold a name"),
        ("%5B" * 100_000, "must hold a name"),
        ("%5B%22x%22%2Cnull%2C2%5D", "distinct values"),
    ],
)
def test_originals_that_were_changed_have_clear_errors(wrong, message):
    model = BeliefNetwork.from_tables([], {"a b": [0.5, 0.5]})
    text = re.sub("originals = .* ;", f"originals = {wrong} ;", model.to_bif())
    with pytest.raises(ValueError, match=message):
        BeliefNetwork.from_bif(text)


@pytest.mark.parametrize("source", [None, 7, {"a": 1}, np.zeros(2)])
def test_other_sources_of_bif_have_clear_errors(source):
    for estimator in (BeliefNetwork, BeliefNetworkClassifier):
        with pytest.raises(TypeError, match="a path, an open file or a text"):
            estimator.from_bif(source)


@pytest.mark.parametrize("peer", [None, 3, "net.bif", {}])
def test_other_objects_than_those_of_peers_have_clear_errors(peer):
    with pytest.raises(TypeError, match=r"must be a pyagrum\.BayesNet"):
        BeliefNetwork.from_pyagrum(peer)
    with pytest.raises(TypeError, match=r"must be a pgmpy\.models"):
        BeliefNetwork.from_pgmpy(peer)


def test_a_peer_without_nodes_has_a_clear_error():
    gum = pytest.importorskip("pyagrum")
    with pytest.raises(ValueError, match="at least one node"):
        BeliefNetwork.from_pyagrum(gum.BayesNet())


def test_originals_must_be_distinct():
    model = BeliefNetwork.from_tables([], {"a b": [0.5, 0.5], "c d": [0.5, 0.5]})
    text = model.to_bif().replace("c%20d", "a%20b")
    with pytest.raises(ValueError, match="names a variable twice"):
        BeliefNetwork.from_bif(text)


def test_a_peer_without_tables_has_a_clear_error():
    models = pytest.importorskip("pgmpy.models")
    with pytest.raises(ValueError, match="no table of 'a'"):
        BeliefNetwork.from_pgmpy(models.DiscreteBayesianNetwork([("a", "b")]))
