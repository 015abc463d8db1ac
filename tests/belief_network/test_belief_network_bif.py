"""The Bayesian Interchange Format: reading, writing, and errors.

Code under test: `belief_network/_bif.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import BeliefNetwork
from sklearn_bayeslazy.belief_network._bif import read_bif, write_bif
from tests.helpers.shared import shared_path

# Nodes, arcs and free parameters, as listed in the bnlearn repository.
KNOWN = {
    "asia": (8, 8, 18),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "insurance": (27, 52, 1008),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
}
ODD = """
// a comment
network "odd names" { property author = nobody; }
variable "Asc/Desc (main)" { type discrete [ 3 ] { <5, 5 to 12, 12+ }; }
/* another
   comment */
variable x { property p = 1; type discrete[2]{"a, b",c}; }
variable y { type discrete [ 2 ] { yes, no }; }
probability ( "Asc/Desc (main)" ) { table .2, .3, .5; }
probability ( x ) { table 0.25 , 0.75 ; }
probability ( y | x, "Asc/Desc (main)" ) {
  default 0.5, 0.5;
  ("a, b", 12+) 1.0, 0.0;
  (c, 5 to 12) 1e-3, .999;
}
"""


@pytest.mark.parametrize("name", KNOWN)
def test_known_networks_are_read_and_written(name):
    path = shared_path("bif", f"{name}.bif")
    network = read_bif(path.read_text(encoding="utf-8"))
    found = network.n_nodes, len(network.arcs()), network.n_free_parameters
    assert found == KNOWN[name]
    assert_equal(read_bif(write_bif(network)), network)


def assert_equal(found, expected):
    assert found.names == expected.names
    assert found.parents == expected.parents
    for values, other_values in zip(found.values, expected.values):
        assert values.tolist() == other_values.tolist()
    for table, other_table in zip(found.tables, expected.tables):
        np.testing.assert_array_equal(table, other_table)


def test_odd_names_comments_and_defaults():
    network = read_bif(ODD)
    assert network.names == ("Asc/Desc (main)", "x", "y")
    assert network.values[0].tolist() == ["<5", "5 to 12", "12+"]
    assert network.values[1].tolist() == ["a, b", "c"]
    assert network.parents[2] == (0, 1)  # axes as the nodes ascend
    table = network.tables[2]
    np.testing.assert_array_equal(table[2, 0], [1.0, 0.0])
    np.testing.assert_array_equal(table[1, 1], [1e-3, 0.999])
    np.testing.assert_array_equal(table[0, 0], [0.5, 0.5])
    assert_equal(read_bif(write_bif(network)), network)


def test_the_last_parent_varies_fastest_in_a_table():
    network = read_bif(
        """variable a { type discrete [ 2 ] { t, f }; }
        variable b { type discrete [ 2 ] { t, f }; }
        probability ( a ) { table .5, .5; }
        probability ( b | a ) { table .9, .2, .1, .8; }"""
    )
    np.testing.assert_array_equal(network.tables[1], [[0.9, 0.1], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("variable y", "variabel y"), "expected variable or probability"),
        (("variable y", "variable x"), "is declared twice"),
        (("discrete [ 3 ]", "continuous [ 3 ]"), "only discrete"),
        (("yes, no }", "yes, yes }"), "distinct values"),
        ((".2, .3, .5", ".2, .3"), "expected 3 numbers, got 2"),
        ((".2, .3, .5", ".2, .3, x"), "expected numbers"),
        ((".2, .3, .5", ".2, .3, .9"), "sum to 1"),
        ((".2, .3, .5", "-.2, .7, .5"), "sum to 1"),
        (("  default 0.5, 0.5;", ""), "lacks a row"),
        (("  default 0.5, 0.5;", "default .5, .5; default .1, .9;"), "given twice"),
        (("1e-3, .999;", "1e-3, .999; (c, 5 to 12) .1, .9;"), "given twice"),
        (("1e-3, .999;", f"1e-3, .999; table {'.5, ' * 11} .5;"), "given twice"),
        (("( x )", "( z )"), "no variable 'z'"),
        (("( x )", "( y )"), "has two tables|no variable|parents"),
        (('("a, b", 12+)', '("a, b", 13+)'), "are not values"),
        (('("a, b", 12+)', '("a, b")'), "has 2 parents"),
        (('"a, b",c', '"a, b,c'), "unclosed quote"),
        (("(c, 5 to 12) 1e-3, .999;\n}", "(c, 5 to 12) 1e-3"), "ends in the middle"),
        (("probability ( x ) { table 0.25 , 0.75 ; }", ""), "no table of 'x'"),
    ],
)
def test_invalid_bif_raises_a_clear_error(wrong, message):
    assert wrong[0] in ODD
    with pytest.raises(ValueError, match=message):
        read_bif(ODD.replace(*wrong))


@pytest.mark.parametrize("text", ["", "   \n", "// nothing"])
def test_an_empty_text_declares_no_variable(text):
    with pytest.raises(ValueError, match="no variable"):
        read_bif(text)


# One network, as each program writes it.
JAVABAYES = """
// Bayesian network
network "Dog-Problem" { //2 variables
  property "credal-set constant-density-bounded 1.1" ; property "{" ;
}
variable  "light-on" { //2 values
  type discrete[2] {  "true"  "false" };
  property "position = (218, 195)" ;
}
variable  "family.out" { //2 values
  type discrete[2] {  "true"  "false" };
  property "position = (112, 69)" ;
}
probability (  "light-on"  "family.out" ) { //2 variable(s) and 4 values
  table 0.6 0.05 0.4 0.95 ;
  property "observed" ;
}
probability (  "family.out" ) { //1 variable(s) and 2 values
  table 0.15 0.85 ;
}
"""
SPECIFICATION = """
network net {}
variable light-on { type discrete [ 2 ] { true, false }; }
variable family.out { type discrete [ 2 ] { true, false }; }
probability ( light-on | family.out ) { default 0.05 0.95; (true) 0.6 0.4; }
probability ( family.out ) { table 0.15, 0.85; }
"""
PYAGRUM = """network "unnamedBN" {
// written by aGrUM 3.3.1
}

variable light-on {
   type discrete[2] {true, false};
}

variable family.out {
   type discrete[2] {true, false};
}

probability (light-on | family.out) {
   (true) 0.6 0.4;
   (false) 0.05 0.95;
}
probability (family.out) {
   table 0.15 0.85;
}
"""
BNLEARN = """network unknown {
}
variable light-on {
  type discrete [ 2 ] { true, false };
}
variable family.out {
  type discrete [ 2 ] { true, false };
}
probability ( light-on | family.out ) {
  (true) 0.6, 0.4;
  (false) 0.05, 0.95;
}
probability ( family.out ) {
  table 0.15, 0.85;
}
"""
GENIE_DSC = """belief network "Network1"

node light-on
{
    name : "Light on";
    type : discrete[2] =
    {
        "true",
        "false"
    };
    position : (491, 167);
}
node family.out
{
    name: "Family out";
    type: discrete[2] = { "true", "false" };
}
probability (light-on | family.out)
{
    (0): 0.60000000, 0.40000000;
    (1) :0.05000000, 0.95000000;
}
probability (family.out)
{
    0.15000000, 0.85000000;
}
"""
DIALECTS = {
    "JavaBayes": JAVABAYES,
    "specification": SPECIFICATION,
    "pyAgrum": PYAGRUM,
    "bnlearn": BNLEARN,
    "GeNIe": GENIE_DSC,
}


@pytest.mark.parametrize("program", DIALECTS)
def test_the_dialects_of_other_programs_are_read(program, tmp_path):
    path = tmp_path / "dog.bif"
    path.write_text(DIALECTS[program], encoding="utf-8-sig")  # with a byte order mark
    network = BeliefNetwork.from_bif(path).network_
    assert network.names == ("light-on", "family.out")
    assert [values.tolist() for values in network.values] == [["true", "false"]] * 2
    assert network.parents == ((1,), ())
    np.testing.assert_array_equal(network.tables[0], [[0.6, 0.4], [0.05, 0.95]])
    np.testing.assert_array_equal(network.tables[1], [0.15, 0.85])


def test_what_pyagrum_writes_is_read(tmp_path):
    gum = pytest.importorskip("pyagrum")
    peer = gum.fastBN("a{x|y|z}->b[0,1]<-c[2]; b->d{u|v}")
    path = tmp_path / "net.bif"
    peer.saveBIF(str(path))
    model = BeliefNetwork.from_bif(path)
    assert set(model.structure_) == {("a", "b"), ("c", "b"), ("b", "d")}
    engine = gum.LazyPropagation(peer)
    engine.setEvidence({"d": "v", "c": 1})
    engine.makeInference()
    found = model.query({"d": "v", "c": "1"}, "a").probabilities
    np.testing.assert_allclose(found, engine.posterior("a").toarray(), rtol=1e-10)


def test_spaces_separate_parent_values_and_are_kept_in_unquoted_names():
    text = ODD.replace("(c, 5 to 12)", '(c "5 to 12")')
    assert_equal(read_bif(text), read_bif(ODD))


def test_names_in_latin_1_are_read(tmp_path):
    path = tmp_path / "net.bif"
    text = """variable größe { type discrete [ 1 ] { groß }; }
    probability ( größe ) { table 1; }"""
    path.write_bytes(text.encode("latin-1"))
    assert BeliefNetwork.from_bif(path).network_.names == ("größe",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<?xml version='1.0'?><BIF></BIF>", "is XML"),
        (BNLEARN.replace("[ 2 ]", "[ 3 ]", 1), r"should have \[ 3 \] values"),
        (PYAGRUM.replace("0.6 0.4", "0,6 0,4"), "expected 2 numbers, got 4"),
        (GENIE_DSC.replace("(1)", "(2)"), "are not values of"),
        (BNLEARN.replace("( family.out )", "( )"), "names no variable"),
        (BNLEARN.replace("(false)", "(0)"), "are not values of"),
    ],
)
def test_dialects_have_limits_with_clear_errors(text, message):
    with pytest.raises(ValueError, match=message):
        read_bif(text)
